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
use crate::wire_enum::wire_enum;
use crate::{ApiError, ApiState, problems};

/// All parts of the shop as CSV, with a row for each fitment.
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
    /// What the file is to say.
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

/// All parts of the shop as ACES or PIES.
///
/// ACES has an application for each vehicle that a part fits, with the part's type, brand, number and name; parts
/// without any, vehicles that a part does not fit, prices and notes have no place in it. PIES has an item for each part
/// with its type, brand, number, name, notes and price, but not its vehicles. Vehicles, types and brands are named in
/// words, since their numbers are sold; an import here reads them again. Neither has a place for whose a part is: in a
/// company both have the company's parts alone. At most 100,000 fitments.
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
    /// Only says what an import would do.
    #[serde(default)]
    dry_run: bool,
    /// The part type of the rows that do not name one, as in ACES.
    label: Option<String>,
}

/// What an import of parts did, or would do.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ShopPartsImport {
    /// `csv`, `aces` or `pies`.
    #[schema(example = "csv")]
    format: &'static str,
    /// Whether it was saved.
    saved: bool,
    /// Rows that bring a new part.
    new: usize,
    /// Rows that add to a part, or change it.
    changed: usize,
    /// Rows that say what is known already.
    unchanged: usize,
    /// Rows that cannot be imported.
    skipped: usize,
    /// Rows that break a rule; with any, nothing is saved.
    errors: usize,
    /// Columns that were not read.
    ignored_columns: Vec<String>,
    rows: Vec<ShopPartsImportRow>,
}

/// What becomes of one row.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ShopPartsImportRow {
    /// Of CSV as a spreadsheet counts, where the header is row 1; of XML which application or item, from 1.
    #[schema(example = 2)]
    row: usize,
    status: ShopPartsImportRowStatus,
    #[serde(skip_serializing_if = "String::is_empty")]
    #[schema(required = false)]
    message: String,
}

wire_enum!(
    /// What becomes of a row.
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

/// Imports parts from CSV, ACES or PIES, all or nothing. In a company, the owner and managers may.
///
/// A part of the same number and brand is changed: what the file says takes the place of what is saved, what it
/// leaves blank stays, and fitments are added. A file with a row that breaks a rule is refused as a whole; with
/// `dryRun` the answer says of each row what would become of it. Of ACES and PIES, what is said in words is read;
/// applications that name their vehicle by numbers of the vehicle database alone are reported.
#[utoipa::path(post, path = "/api/catalog/parts/import", tag = "parts", params(ShopPartsImportQuery),
    request_body(
        content(
            (String = "text/csv", example = "type,number,brand,price,make,model,year_from,year_to\r\nspark-plug,ILZKR7B-11S,NGK,12.50,Honda,Civic,2012,2015\r\n"),
            (String = "application/xml"),
        ),
        description = "UTF-8, at most 10 MB and 100,000 rows, applications or items."),
    responses(
        (status = OK, body = ShopPartsImport),
        problems::Write, problems::Body,
        (status = NOT_FOUND, description = "There is no part type of this label."),
        (status = CONFLICT, description = "The shop is full, or its parts changed meanwhile."),
    ))]
pub(crate) async fn import_shop_parts(
    State(state): State<ApiState>,
    SignedIn { app, user }: SignedIn,
    FromCaller(caller): FromCaller,
    QueryString(query): QueryString<ShopPartsImportQuery>,
    request: Request,
) -> Result<Json<ShopPartsImport>, ApiError> {
    let _file = state.uploads.take_with_memory(&user, &caller, request.body().size_hint().exact())?;
    let PartsFile { bytes, is_xml } = PartsFile::from_request(request, &()).await?;
    let label = query.label.as_deref().filter(|label| !label.is_empty()).map(part_label).transpose()?;
    let import = PartImport { body: bytes.as_ref().into(), is_xml, label, is_dry_run: query.dry_run };
    Ok(Json(app.parts.import_shop_parts(&user, import).await?.into()))
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
