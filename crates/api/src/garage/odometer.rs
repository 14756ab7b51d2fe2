//! Odometer readings between two records.

use axum::Json;
use axum::http::StatusCode;
use partsight_domain::OdometerReading;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::extract::{JsonBody, PathSegment, QueryString, SignedIn};
use crate::garage::records::{NumberText, TodayQuery, Warning};
use crate::ids::vehicle_id;
use crate::{ApiError, problems};

/// An odometer reading.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(example = json!({ "mileage": 52_000, "date": "2025-03-05" }))]
pub(crate) struct NewReading {
    #[schema(required, value_type = NumberText, example = 52_000)]
    mileage: Option<NumberText>,
    /// The day; today by default.
    #[schema(format = Date, example = "2025-03-05")]
    date: Option<String>,
}

/// An odometer reading.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Reading {
    #[schema(example = 52_000)]
    mileage: u32,
    #[schema(format = Date, example = "2025-03-05")]
    date: String,
}

impl From<OdometerReading> for Reading {
    fn from(reading: OdometerReading) -> Self {
        Self { mileage: reading.mileage.get(), date: reading.on.to_string() }
    }
}

/// Which reading of a vehicle is meant.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct ReadingQuery {
    /// The date of the reading.
    #[param(format = Date, example = "2025-03-05")]
    date: String,
    /// The mileage of the reading.
    #[param(example = 52_000)]
    mileage: u32,
}

/// A saved odometer reading, with warnings.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SavedReading {
    #[schema(example = 52_000)]
    mileage: u32,
    #[schema(format = Date, example = "2025-03-05")]
    date: String,
    /// Warnings about dates or mileages that decrease; the record was saved nevertheless.
    warnings: Vec<Warning>,
}

/// Records an odometer reading. It replaces an earlier reading of the same day.
///
/// The dates on which maintenance by mileage is due are projected from the readings.
#[utoipa::path(post, path = "/api/vehicles/{id}/odometer", tag = "maintenance", request_body = NewReading,
    params(("id" = String, Path, description = "The id of the vehicle."), TodayQuery),
    responses((status = CREATED, body = SavedReading), problems::Write, problems::NotFound, problems::Body))]
pub(crate) async fn add_odometer_reading(
    SignedIn { app, user }: SignedIn,
    PathSegment(id): PathSegment,
    QueryString(query): QueryString<TodayQuery>,
    JsonBody(body): JsonBody<NewReading>,
) -> Result<(StatusCode, Json<SavedReading>), ApiError> {
    let today = app.garage.today(query.today.as_deref())?;
    let mileage = body.mileage.map(|mileage| mileage.0).unwrap_or_default();
    let logged = app
        .garage
        .add_odometer_reading(&user, vehicle_id(&id)?, &mileage, body.date.as_deref(), today)
        .await?;
    let saved = SavedReading {
        mileage: logged.record.mileage.get(),
        date: logged.record.on.to_string(),
        warnings: logged.warnings.into_iter().map(Warning::from).collect(),
    };
    Ok((StatusCode::CREATED, Json(saved)))
}

/// Lists odometer readings that were entered separately, the newest first. Readings of oil changes and repairs are part
/// of those records.
#[utoipa::path(get, path = "/api/vehicles/{id}/odometer", tag = "maintenance",
    params(("id" = String, Path, description = "The id of the vehicle.")),
    responses((status = OK, body = Vec<Reading>), problems::SignedIn, problems::NotFound))]
pub(crate) async fn list_odometer_readings(
    SignedIn { app, user }: SignedIn,
    PathSegment(id): PathSegment,
) -> Result<Json<Vec<Reading>>, ApiError> {
    let readings = app.garage.odometer_readings(&user, vehicle_id(&id)?).await?;
    Ok(Json(readings.into_iter().map(Reading::from).collect()))
}

/// Deletes an odometer reading, for example a mistyped one.
#[utoipa::path(delete, path = "/api/vehicles/{id}/odometer", tag = "maintenance",
    params(("id" = String, Path, description = "The id of the vehicle."), ReadingQuery),
    responses((status = NO_CONTENT), problems::Write, problems::NotFound, problems::Invalid))]
pub(crate) async fn delete_odometer_reading(
    SignedIn { app, user }: SignedIn,
    PathSegment(id): PathSegment,
    QueryString(query): QueryString<ReadingQuery>,
) -> Result<StatusCode, ApiError> {
    app.garage.delete_odometer_reading(&user, vehicle_id(&id)?, &query.date, query.mileage).await?;
    Ok(StatusCode::NO_CONTENT)
}
