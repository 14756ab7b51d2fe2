//! Vehicles and records as CSV.

use axum::Json;
use axum::body::{Bytes, HttpBody as _};
use axum::extract::{FromRequest, Request, State};
use axum::response::Response;
use partsight_app::{App, CsvExport, CsvFormat, CsvImport, CsvKind, DateOrder, ImportReport, RowStatus};
use partsight_domain::messages;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::caller::FromCaller;
use crate::extract::{PathSegment, QueryString, SignedIn};
use crate::files::{MAX_IMPORT_BYTES, download, is_csv, too_large};
use crate::ids::{vehicle_filter, vehicle_id};
use crate::wire_enum::wire_enum;
use crate::{ApiError, ApiState, problems};

/// Which file to make.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub(crate) struct ExportQuery {
    /// Whose columns: `partsight`, the default; `lubelogger` for the oil changes, repairs or odometer readings of one
    /// vehicle; or `fuelly` for odometer readings.
    #[param(example = "partsight")]
    format: Option<String>,
    /// Only the records of this vehicle; all without it.
    vehicle_id: Option<String>,
}

/// All vehicles as CSV.
#[utoipa::path(get, path = "/api/export/vehicles.csv", tag = "maintenance", params(ExportQuery), responses(
    (status = OK, body = String, content_type = "text/csv"),
    problems::SignedIn,
    (status = NOT_FOUND, description = "No such vehicle."),
    (status = UNPROCESSABLE_ENTITY, description = "The format has no such file, or needs a vehicle."),
))]
pub(crate) async fn export_vehicles(
    SignedIn { app, user }: SignedIn,
    QueryString(query): QueryString<ExportQuery>,
) -> Result<Response, ApiError> {
    export(&app, &user, CsvKind::Vehicles, &query).await
}

/// Oil changes as CSV.
#[utoipa::path(get, path = "/api/export/oil-changes.csv", tag = "maintenance", params(ExportQuery), responses(
    (status = OK, body = String, content_type = "text/csv"),
    problems::SignedIn,
    (status = NOT_FOUND, description = "No such vehicle."),
    (status = UNPROCESSABLE_ENTITY, description = "The format has no such file, or needs a vehicle."),
))]
pub(crate) async fn export_oil_changes(
    SignedIn { app, user }: SignedIn,
    QueryString(query): QueryString<ExportQuery>,
) -> Result<Response, ApiError> {
    export(&app, &user, CsvKind::OilChanges, &query).await
}

/// Repairs as CSV.
#[utoipa::path(get, path = "/api/export/repairs.csv", tag = "maintenance", params(ExportQuery), responses(
    (status = OK, body = String, content_type = "text/csv"),
    problems::SignedIn,
    (status = NOT_FOUND, description = "No such vehicle."),
    (status = UNPROCESSABLE_ENTITY, description = "The format has no such file, or needs a vehicle."),
))]
pub(crate) async fn export_repairs(
    SignedIn { app, user }: SignedIn,
    QueryString(query): QueryString<ExportQuery>,
) -> Result<Response, ApiError> {
    export(&app, &user, CsvKind::Repairs, &query).await
}

/// Odometer readings as CSV, those of oil changes and repairs among them.
#[utoipa::path(get, path = "/api/export/odometer.csv", tag = "maintenance", params(ExportQuery), responses(
    (status = OK, body = String, content_type = "text/csv"),
    problems::SignedIn,
    (status = NOT_FOUND, description = "No such vehicle."),
    (status = UNPROCESSABLE_ENTITY, description = "The format has no such file, or needs a vehicle."),
))]
pub(crate) async fn export_odometer(
    SignedIn { app, user }: SignedIn,
    QueryString(query): QueryString<ExportQuery>,
) -> Result<Response, ApiError> {
    export(&app, &user, CsvKind::Odometer, &query).await
}

async fn export(
    app: &App,
    user: &partsight_domain::User,
    kind: CsvKind,
    query: &ExportQuery,
) -> Result<Response, ApiError> {
    let format = query.format.as_deref().map(CsvFormat::from_name).transpose()?.unwrap_or_default();
    let vehicle_id = vehicle_filter(query.vehicle_id.as_deref())?;
    let file = app.garage.export_csv(user, CsvExport { kind, format, vehicle_id }).await?;
    let name = match format {
        CsvFormat::Partsight => format!("partsight-{}", kind.as_str()),
        other => format!("partsight-{}-{}", kind.as_str(), other.as_str()),
    };
    Ok(download("text/csv; charset=utf-8", &format!("{name}.csv"), file))
}

/// How a file is imported.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct ImportQuery {
    /// Only says what an import would do.
    #[serde(default)]
    dry_run: bool,
    /// The vehicle of the rows that name none, as in the files of `LubeLogger`.
    vehicle_id: Option<String>,
    /// How dates like `3/12/2025` are read: `month-day` or `day-month`. Without it as all dates of the file can be
    /// read, and month first where both ways fit.
    date_order: Option<String>,
}

/// What an import did, or would do.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ImportResult {
    /// Whose columns the file has: `partsight`, `lubelogger` or `fuelly`.
    #[schema(example = "lubelogger")]
    format: &'static str,
    /// Whether the new rows were saved.
    saved: bool,
    /// Rows that are, or would be, saved.
    new: usize,
    /// Rows that are there already.
    duplicates: usize,
    /// Rows that have nothing to keep.
    skipped: usize,
    /// Rows that break a rule; with any, nothing is saved.
    errors: usize,
    /// Columns that were not read.
    ignored_columns: Vec<String>,
    /// How dates were read that can be read both ways, `month-day` or `day-month`; null for a file without such.
    #[schema(required, example = "month-day")]
    date_order: Option<&'static str>,
    /// What was assumed about the file.
    notes: Vec<String>,
    rows: Vec<ImportRow>,
}

/// What becomes of one row.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ImportRow {
    /// As a spreadsheet counts: the header is row 1.
    #[schema(example = 2)]
    row: usize,
    status: ImportRowStatus,
    /// Why, or what is odd about it.
    #[serde(skip_serializing_if = "String::is_empty")]
    #[schema(required = false)]
    message: String,
}

wire_enum!(
    /// What becomes of a row.
    ImportRowStatus from RowStatus { New, Duplicate, Skipped, Error }
);

impl From<ImportReport> for ImportResult {
    fn from(report: ImportReport) -> Self {
        Self {
            format: report.format.as_str(),
            saved: report.is_saved,
            new: report.count(RowStatus::New),
            duplicates: report.count(RowStatus::Duplicate),
            skipped: report.count(RowStatus::Skipped),
            errors: report.count(RowStatus::Error),
            ignored_columns: report.ignored_columns,
            date_order: report.open_date_order.map(DateOrder::as_str),
            notes: report.notes,
            rows: report
                .rows
                .into_iter()
                .map(|row| ImportRow { row: row.row, status: row.status.into(), message: row.message })
                .collect(),
        }
    }
}

/// Imports vehicles, oil changes, repairs or odometer readings from a CSV file, all or nothing.
///
/// Known are our own columns, those of `LubeLogger` and those of Fuelly. A file with a row that breaks a rule is refused as a
/// whole; with `dryRun` the answer says of each row what would become of it. Rows that are there already are
/// left out.
#[utoipa::path(post, path = "/api/import/{kind}", tag = "maintenance",
    params(
        ("kind" = String, Path, description = "`vehicles`, `oil-changes`, `repairs` or `odometer`."),
        ImportQuery,
    ),
    request_body(content = String, content_type = "text/csv",
        description = "UTF-8, at most 5 MB and 10,000 rows; the first row names the columns.",
        example = "date,mileage,oil_type,cost\r\n2025-03-05,52000,0W-20,49.99\r\n"),
    responses(
        (status = OK, body = ImportResult),
        problems::Write, problems::NotFound, problems::Body,
        (status = CONFLICT, description = "Records of this kind kept coming and going meanwhile; nothing was saved."),
    ))]
pub(crate) async fn import_csv(
    State(state): State<ApiState>,
    SignedIn { app, user }: SignedIn,
    FromCaller(caller): FromCaller,
    PathSegment(kind): PathSegment,
    QueryString(query): QueryString<ImportQuery>,
    request: Request,
) -> Result<Json<ImportResult>, ApiError> {
    let _file = state.uploads.take_with_memory(&user, &caller, request.body().size_hint().exact())?;
    let CsvBody(body) = CsvBody::from_request(request, &()).await?;
    let kind = CsvKind::from_name(&kind).ok_or_else(|| ApiError::not_found(messages::CALL_NOT_FOUND))?;
    let vehicle = query.vehicle_id.as_deref().filter(|id| !id.is_empty());
    let import = CsvImport {
        kind,
        body: body.as_ref().into(),
        vehicle_id: vehicle.map(vehicle_id).transpose()?,
        date_order: query.date_order.as_deref().map(DateOrder::from_name).transpose()?,
        is_dry_run: query.dry_run,
    };
    Ok(Json(app.garage.import_csv(&user, import).await?.into()))
}

/// The bytes of a CSV file.
pub(crate) struct CsvBody(Bytes);

impl<S: Send + Sync> FromRequest<S> for CsvBody {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &S) -> Result<Self, Self::Rejection> {
        // Checked before the body is read: a form, which browsers send by default, would be imported as one odd
        // row.
        if !is_csv(request.headers()) {
            return Err(ApiError::unsupported_media_type(
                "Please send the file itself, with the header `Content-Type: text/csv`.",
            ));
        }
        Bytes::from_request(request, state)
            .await
            .map(Self)
            .map_err(|rejection| too_large(&rejection, MAX_IMPORT_BYTES))
    }
}
