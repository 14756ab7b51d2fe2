//! Export and import of a shop's parts: CSV, ACES and PIES.

use axum::Json;
use axum::body::{Bytes, HttpBody as _};
use axum::extract::{FromRequest, Request, State};
use axum::response::Response;
use partsight_app::{PartFormat, PartImport, PartImportReport, PartRowStatus};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::caller::FromCaller;
use crate::extract::{QueryString, SignedIn};
use crate::files::{MAX_PARTS_BYTES, download, is_csv, media_type, too_large};
use crate::ids::part_label;
use crate::sender::Sender;
use crate::wire_enum::wire_enum;
use crate::{ApiError, ApiState, problems};

/// Exports all shop parts as CSV, with one row per fitment.
#[utoipa::path(get, path = "/api/export/parts.csv", tag = "parts",
    responses((status = OK, body = String, content_type = "text/csv"), problems::SignedIn))]
pub(crate) async fn export_shop_parts(SignedIn { app, user }: SignedIn) -> Result<Response, ApiError> {
    let file = app.parts.export_shop_parts(&user, PartFormat::Csv).await?;
    Ok(download("text/csv; charset=utf-8", "partsight-parts.csv", file))
}

/// Which file of parts to write.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct ShopPartsXmlQuery {
    /// The format of the file.
    #[param(inline)]
    format: ShopPartsXmlFormat,
}

/// A format of the Auto Care Association.
#[derive(Debug, Clone, Copy, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum ShopPartsXmlFormat {
    /// Which vehicles each part fits.
    Aces,
    /// What each part is.
    Pies,
}

/// Exports all shop parts as ACES or PIES.
///
/// ACES has one application per vehicle that a part fits, with the part's type, brand, number and name. It leaves out
/// parts without such vehicles, vehicles that a part does not fit, prices and notes. PIES has one item per part with
/// its type, brand, number, name, notes and price, but without vehicles. Vehicles, types and brands are written in
/// words, because the official numbers need a paid licence; the import of this API can read these files. Neither format
/// states the owner of a part; in a company, both contain only the company's parts. At most 100,000 fitments.
#[utoipa::path(get, path = "/api/export/parts.xml", tag = "parts", params(ShopPartsXmlQuery), responses(
    (status = OK, body = String, content_type = "application/xml"),
    problems::SignedIn, problems::Invalid,
))]
pub(crate) async fn export_shop_parts_xml(
    SignedIn { app, user }: SignedIn,
    QueryString(query): QueryString<ShopPartsXmlQuery>,
) -> Result<Response, ApiError> {
    let (format, name) = match query.format {
        ShopPartsXmlFormat::Aces => (PartFormat::Aces, "partsight-parts-aces.xml"),
        ShopPartsXmlFormat::Pies => (PartFormat::Pies, "partsight-parts-pies.xml"),
    };
    let file = app.parts.export_shop_parts(&user, format).await?;
    Ok(download("application/xml; charset=utf-8", name, file))
}

/// How a file is imported.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct ShopPartsImportQuery {
    /// `true` to save nothing and only return what the import would do.
    #[serde(default)]
    dry_run: bool,
    /// Label of the part type for rows that name none, as in ACES.
    label: Option<String>,
}

/// The result of an import of shop parts.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ShopPartsImport {
    /// `csv`, `aces` or `pies`.
    #[schema(example = "csv")]
    format: &'static str,
    /// Whether the import was saved.
    saved: bool,
    /// Rows with a new part.
    new: usize,
    /// Rows that change a part, or add to it.
    changed: usize,
    /// Rows without changes.
    unchanged: usize,
    /// Rows that cannot be imported.
    skipped: usize,
    /// Invalid rows. If there are any, nothing is saved.
    errors: usize,
    /// Names of the columns that were ignored.
    ignored_columns: Vec<String>,
    rows: Vec<ShopPartsImportRow>,
}

/// The result for one row.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ShopPartsImportRow {
    /// For CSV the row number as in a spreadsheet, where the header is row 1; for XML the number of the application or
    /// item, from 1.
    #[schema(example = 2)]
    row: usize,
    status: ShopPartsImportRowStatus,
    #[serde(skip_serializing_if = "String::is_empty")]
    #[schema(required = false)]
    message: String,
}

wire_enum!(
    /// What happens to a row.
    ShopPartsImportRowStatus from PartRowStatus { New, Changed, Unchanged, Skipped, Error }
);

impl From<PartImportReport> for ShopPartsImport {
    fn from(report: PartImportReport) -> Self {
        Self {
            format: report.format.as_str(),
            saved: report.is_saved,
            new: report.count(PartRowStatus::New),
            changed: report.count(PartRowStatus::Changed),
            unchanged: report.count(PartRowStatus::Unchanged),
            skipped: report.count(PartRowStatus::Skipped),
            errors: report.count(PartRowStatus::Error),
            ignored_columns: report.ignored_columns,
            rows: report
                .rows
                .into_iter()
                .map(|row| ShopPartsImportRow {
                    row: row.row,
                    status: row.status.into(),
                    message: row.message,
                })
                .collect(),
        }
    }
}

/// Imports shop parts from a CSV, ACES or PIES file, all or nothing. In a company, only the owner and managers may do
/// this.
///
/// A part with the same number and brand is updated: values in the file replace saved values, blank values change
/// nothing, and fitments are added. If any row is invalid, nothing is imported. With `dryRun`, nothing is saved and the
/// answer states the result for each row. ACES and PIES are read as far as they use words; applications that identify
/// their vehicle only by numbers of the vehicle database are reported.
#[utoipa::path(post, path = "/api/catalog/parts/import", tag = "parts", params(ShopPartsImportQuery),
    request_body(
        content(
            (String = "text/csv", example = "type,number,brand,price,make,model,year_from,year_to\r\nspark-plug,ILZKR7B-11S,NGK,12.50,Honda,Civic,2012,2015\r\n"),
            (String = "application/xml"),
        ),
        description = "The file in UTF-8: at most 10 MB and 100,000 rows, applications or items."),
    responses(
        (status = OK, body = ShopPartsImport),
        problems::Write, problems::Body,
        (status = NOT_FOUND, description = "No part type has this label."),
        (status = CONFLICT, description = "The shop has reached its limit of parts, or its parts were changed during the import."),
    ))]
pub(crate) async fn import_shop_parts(
    State(state): State<ApiState>,
    sender: Sender,
    FromCaller(caller): FromCaller,
    QueryString(query): QueryString<ShopPartsImportQuery>,
    request: Request,
) -> Result<Json<ShopPartsImport>, ApiError> {
    let _file = state.uploads.take_with_memory(&sender.user, &caller, request.body().size_hint().exact())?;
    let PartsFile { bytes, is_xml } = PartsFile::from_request(request, &()).await?;
    let label = query.label.as_deref().filter(|label| !label.is_empty()).map(part_label).transpose()?;
    let import = PartImport { body: bytes.as_ref().into(), is_xml, label, is_dry_run: query.dry_run };
    let user = sender.again().await?;
    Ok(Json(state.app.parts.import_shop_parts(&user, import).await?.into()))
}

/// The bytes of a file with parts.
pub(crate) struct PartsFile {
    bytes: Bytes,
    is_xml: bool,
}

impl<S: Send + Sync> FromRequest<S> for PartsFile {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &S) -> Result<Self, Self::Rejection> {
        let is_xml = matches!(media_type(request.headers()).as_str(), "application/xml" | "text/xml");
        if !is_xml && !is_csv(request.headers()) {
            return Err(ApiError::unsupported_media_type(
                "Please send the file itself, with the header `Content-Type: text/csv` or `application/xml`.",
            ));
        }
        let bytes = Bytes::from_request(request, state).await;
        let bytes = bytes.map_err(|rejection| too_large(&rejection, MAX_PARTS_BYTES))?;
        Ok(Self { bytes, is_xml })
    }
}
