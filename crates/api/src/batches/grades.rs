//! The condition of scanned parts, by the scale of the shop.

use axum::Json;
use axum::http::StatusCode;
use jiff::Timestamp;
use jiff::civil::Date;
use partsight_app::{GradeDays, NewGrade as NewAppGrade, PartTypes};
use partsight_domain::{GradeTotal as DomainTotal, InvalidInput, messages};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::extract::{JsonBody, PathSegment, QueryString, SignedIn, null_as_absent};
use crate::ids::scan_id;
use crate::{ApiError, problems};

/// The condition grades of a shop, the best first.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct GradeScale {
    /// 1 to 12 names of at most 30 characters.
    #[schema(example = json!(["Resale", "Core", "Scrap"]))]
    grades: Vec<String>,
}

/// The condition grade of a part.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewGrade {
    /// One of the grades of `GET /api/grades/scale`.
    #[schema(example = "Core")]
    grade: String,
    /// Damage of the part, at most 10 texts.
    #[schema(example = json!(["Cracked housing"]))]
    #[serde(default, deserialize_with = "null_as_absent")]
    damage: Vec<String>,
    /// Other remarks, at most 1,000 characters.
    #[schema(example = "The bolt is missing.")]
    #[serde(default, deserialize_with = "null_as_absent")]
    note: String,
}

/// The condition grade of a scanned part.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ScanGrade {
    #[schema(example = "Core")]
    grade: String,
    damage: Vec<String>,
    note: String,
    #[schema(value_type = String, format = DateTime)]
    #[serde(serialize_with = "crate::wire_time::moment")]
    graded_at: Timestamp,
}

impl From<partsight_domain::ScanGrade> for ScanGrade {
    fn from(grade: partsight_domain::ScanGrade) -> Self {
        let partsight_domain::ScanGrade { grade, damage, note, graded_at } = grade;
        Self { grade, damage, note, graded_at }
    }
}

/// Which days to count.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub(crate) struct GradeTotalsQuery {
    /// The first day.
    #[param(example = "2026-11-01")]
    from: String,
    /// The last day, at most one year after the first.
    #[param(example = "2026-11-30")]
    to: String,
    /// Offset of your time zone from UTC in minutes, positive east of UTC; 0 by default.
    #[serde(default)]
    #[param(example = -300)]
    utc_offset: i32,
}

/// How often a person gave a grade to parts of a type on a day.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct GradeTotal {
    #[schema(format = Date, example = "2026-11-20")]
    day: String,
    /// The id of the person who gave the grades; null if their account was deleted.
    #[schema(required, example = "0190a0a0-0000-7000-8000-000000000000")]
    person_id: Option<String>,
    /// Their name; null if their account was deleted.
    #[schema(required, example = "Ann Smith")]
    person: Option<String>,
    #[schema(example = "brake-rotor")]
    label: String,
    #[schema(example = "Brake Rotor")]
    part_name: String,
    #[schema(example = "Core")]
    grade: String,
    count: u64,
}

impl GradeTotal {
    fn new(types: &PartTypes, total: DomainTotal) -> Self {
        Self {
            day: total.day.to_string(),
            person_id: total.user_id.map(|id| id.to_string()),
            person: total.person,
            part_name: types.name(&total.label),
            label: total.label.to_string(),
            grade: total.grade,
            count: total.n,
        }
    }
}

/// Returns the condition grades that your shop uses.
#[utoipa::path(get, path = "/api/grades/scale", tag = "batches",
    responses((status = OK, body = GradeScale), problems::SignedIn))]
pub(crate) async fn get_grade_scale(SignedIn { app, user }: SignedIn) -> Result<Json<GradeScale>, ApiError> {
    Ok(Json(GradeScale { grades: app.batches.grade_scale(&user).await? }))
}

/// Sets the condition grades that your shop uses. Grades that were already given keep their names.
#[utoipa::path(put, path = "/api/grades/scale", tag = "batches", request_body = GradeScale,
    responses((status = OK, body = GradeScale), problems::Write, problems::Body, problems::Invalid))]
pub(crate) async fn set_grade_scale(
    SignedIn { app, user }: SignedIn,
    JsonBody(scale): JsonBody<GradeScale>,
) -> Result<Json<GradeScale>, ApiError> {
    Ok(Json(GradeScale { grades: app.batches.set_grade_scale(&user, &scale.grades).await? }))
}

/// Sets the condition grade of the part in a scan. It replaces an earlier one. The grade that the part has, and the one
/// before it, can be given again after they left the scale.
#[utoipa::path(put, path = "/api/scans/{id}/grade", tag = "batches", request_body = NewGrade,
    params(("id" = String, Path, description = "The id of the scan.")),
    responses((status = OK, body = ScanGrade), problems::Write, problems::Body, problems::NotFound, problems::Invalid))]
pub(crate) async fn set_scan_grade(
    SignedIn { app, user }: SignedIn,
    PathSegment(id): PathSegment,
    JsonBody(NewGrade { grade, damage, note }): JsonBody<NewGrade>,
) -> Result<Json<ScanGrade>, ApiError> {
    let new = NewAppGrade { grade, damage, note };
    Ok(Json(app.batches.grade_scan(&user, scan_id(&id)?, new).await?.into()))
}

/// Deletes the condition grade of a scan.
#[utoipa::path(delete, path = "/api/scans/{id}/grade", tag = "batches",
    params(("id" = String, Path, description = "The id of the scan.")),
    responses((status = NO_CONTENT), problems::Write, problems::NotFound))]
pub(crate) async fn delete_scan_grade(
    SignedIn { app, user }: SignedIn,
    PathSegment(id): PathSegment,
) -> Result<StatusCode, ApiError> {
    app.batches.take_grade_back(&user, scan_id(&id)?).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Counts grades by day, person, part type and grade, the newest day first. The owner and managers of a company get the
/// grades of the whole company, everybody else their own. Several photographs of one item count once.
#[utoipa::path(get, path = "/api/grades/totals", tag = "batches", params(GradeTotalsQuery),
    responses((status = OK, body = Vec<GradeTotal>), problems::SignedIn, problems::Invalid))]
pub(crate) async fn get_grade_totals(
    SignedIn { app, user }: SignedIn,
    QueryString(query): QueryString<GradeTotalsQuery>,
) -> Result<Json<Vec<GradeTotal>>, ApiError> {
    let day =
        |field, text: &str| text.parse::<Date>().map_err(|_| InvalidInput::new(field, messages::GRADE_DAYS));
    let days = GradeDays {
        from: day("from", &query.from)?,
        to: day("to", &query.to)?,
        utc_offset_minutes: query.utc_offset,
    };
    let totals = app.batches.grade_totals(&user, days).await?;
    let types = app.parts.part_types(&user).await?;
    Ok(Json(totals.into_iter().map(|total| GradeTotal::new(&types, total)).collect()))
}
