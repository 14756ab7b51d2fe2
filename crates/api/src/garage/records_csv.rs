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
use crate::sender::Sender;
use crate::wire_enum::wire_enum;
use crate::{ApiError, ApiState, problems};

/// Which file to make.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub(crate) struct ExportQuery {
    /// Column format: `partsight` (the default); `lubelogger` for the oil changes, repairs or odometer readings of one
    /// vehicle; or `fuelly` for odometer readings.
    #[param(example = "partsight")]
    format: Option<String>,
    /// Only records of this vehicle; all vehicles by default.
    vehicle_id: Option<String>,
}

/// Exports all vehicles as CSV.
#[utoipa::path(get, path = "/api/export/vehicles.csv", tag = "maintenance", params(ExportQuery), responses(
    (status = OK, body = String, content_type = "text/csv"),
    problems::SignedIn, problems::CsvExport,
))]
pub(crate) async fn export_vehicles(
    SignedIn { app, user }: SignedIn,
    QueryString(query): QueryString<ExportQuery>,
) -> Result<Response, ApiError> {
    export(&app, &user, CsvKind::Vehicles, &query).await
}

/// Exports oil changes as CSV.
#[utoipa::path(get, path = "/api/export/oil-changes.csv", tag = "maintenance", params(ExportQuery), responses(
    (status = OK, body = String, content_type = "text/csv"),
    problems::SignedIn, problems::CsvExport,
))]
pub(crate) async fn export_oil_changes(
    SignedIn { app, user }: SignedIn,
    QueryString(query): QueryString<ExportQuery>,
) -> Result<Response, ApiError> {
    export(&app, &user, CsvKind::OilChanges, &query).await
}

/// Exports repairs as CSV.
#[utoipa::path(get, path = "/api/export/repairs.csv", tag = "maintenance", params(ExportQuery), responses(
    (status = OK, body = String, content_type = "text/csv"),
    problems::SignedIn, problems::CsvExport,
))]
pub(crate) async fn export_repairs(
    SignedIn { app, user }: SignedIn,
    QueryString(query): QueryString<ExportQuery>,
) -> Result<Response, ApiError> {
    export(&app, &user, CsvKind::Repairs, &query).await
}

/// Exports odometer readings as CSV, including those of oil changes and repairs.
#[utoipa::path(get, path = "/api/export/odometer.csv", tag = "maintenance", params(ExportQuery), responses(
    (status = OK, body = String, content_type = "text/csv"),
    problems::SignedIn, problems::CsvExport,
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
    let format = query.format.as_deref().map(CsvFormat::asked_for).transpose()?.unwrap_or_default();
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
    /// `true` to save nothing and only return what the import would do.
    #[serde(default)]
    dry_run: bool,
    /// The vehicle for rows that name none, as in the files of `LubeLogger`.
    vehicle_id: Option<String>,
    /// Order of dates such as `3/12/2025`: `month-day` or `day-month`. By default the order that is valid for all dates
    /// of the file; `month-day` if both are.
    date_order: Option<String>,
}

/// The result of an import or dry run.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ImportResult {
    /// The column format of the file: `partsight`, `lubelogger` or `fuelly`.
    #[schema(example = "lubelogger")]
    format: &'static str,
    /// Whether the new rows were saved.
    saved: bool,
    /// Rows that were saved, or would be.
    new: usize,
    /// Rows that already exist.
    duplicates: usize,
    /// Rows without anything to save.
    skipped: usize,
    /// Invalid rows. If there are any, nothing is saved.
    errors: usize,
    /// Names of the columns that were ignored.
    ignored_columns: Vec<String>,
    /// How ambiguous dates were read, `month-day` or `day-month`; null if there are none.
    #[schema(required, example = "month-day")]
    date_order: Option<&'static str>,
    /// Assumptions that were made about the file.
    notes: Vec<String>,
    rows: Vec<ImportRow>,
}

/// The result for one row.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ImportRow {
    /// Row number as in a spreadsheet: the header is row 1.
    #[schema(example = 2)]
    row: usize,
    status: ImportRowStatus,
    /// The reason, or a warning.
    #[serde(skip_serializing_if = "String::is_empty")]
    #[schema(required = false)]
    message: String,
}

wire_enum!(
    /// What happens to a row.
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
/// Supported columns are those of this server's own exports, of `LubeLogger` and of Fuelly. If any row is invalid,
/// nothing is imported. Rows that already exist are skipped. With `dryRun`, nothing is saved and the answer states the
/// result for each row.
#[utoipa::path(post, path = "/api/import/{kind}", tag = "maintenance",
    params(
        ("kind" = String, Path, description = "The kind of records: `vehicles`, `oil-changes`, `repairs` or `odometer`."),
        ImportQuery,
    ),
    request_body(content = String, content_type = "text/csv",
        description = "The file in UTF-8: at most 5 MB and 10,000 rows. The first row has the column names.",
        example = "date,mileage,oil_type,cost\r\n2025-03-05,52000,0W-20,49.99\r\n"),
    responses(
        (status = OK, body = ImportResult),
        problems::Write, problems::NotFound, problems::Body,
        (status = CONFLICT, description = "Other calls changed records of this kind during the import; nothing was saved."),
    ))]
pub(crate) async fn import_csv(
    State(state): State<ApiState>,
    sender: Sender,
    FromCaller(caller): FromCaller,
    PathSegment(kind): PathSegment,
    QueryString(query): QueryString<ImportQuery>,
    request: Request,
) -> Result<Json<ImportResult>, ApiError> {
    let _file = state.uploads.take_with_memory(&sender.user, &caller, request.body().size_hint().exact())?;
    let CsvBody(body) = CsvBody::from_request(request, &()).await?;
    let kind = CsvKind::from_name(&kind).ok_or_else(|| ApiError::not_found(messages::CALL_NOT_FOUND))?;
    let vehicle = query.vehicle_id.as_deref().filter(|id| !id.is_empty());
    let import = CsvImport {
        kind,
        body: body.as_ref().into(),
        vehicle_id: vehicle.map(vehicle_id).transpose()?,
        date_order: query.date_order.as_deref().map(DateOrder::asked_for).transpose()?,
        is_dry_run: query.dry_run,
    };
    let user = sender.again().await?;
    Ok(Json(state.app.garage.import_csv(&user, import).await?.into()))
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
