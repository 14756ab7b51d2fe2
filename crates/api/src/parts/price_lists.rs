//! Price lists of a shop.

use std::collections::BTreeMap;

use axum::Json;
use axum::extract::{Request, State};
use axum::http::StatusCode;
use jiff::Timestamp;
use partsight_app::{
    App, Delimiter, Error, PriceListOptions, PriceListReport as Report, PriceListRows, PriceListUpload,
    RowProblem, Severity,
};
use partsight_domain::{DecimalSign, User};
use serde::Serialize;
use utoipa::ToSchema;

use super::list_upload::{ListForm, not_among, receive, set_file_option};
use crate::extract::{PathSegment, SignedIn};
use crate::ids::price_list_id;
use crate::sender::Sender;
use crate::wire_enum::wire_enum;
use crate::{ApiError, problems};

/// Form to upload a price list. The file must be the last field, because it is processed while it arrives.
#[derive(Debug, ToSchema)]
#[expect(dead_code, reason = "describes the form in the OpenAPI document; the handler reads a stream")]
pub(crate) struct PriceListForm {
    /// Name of the supplier, at most 100 characters.
    #[schema(example = "Lee & Sons")]
    supplier: String,
    /// Name of the list; an earlier list with this name is replaced. By default the name of the supplier.
    #[schema(example = "Spring 2027")]
    name: Option<String>,
    /// ISO 4217 code for rows that name no currency; `USD` by default.
    #[schema(example = "EUR")]
    currency: Option<String>,
    /// The supplier's home page.
    #[schema(example = "https://lee.example")]
    website: Option<String>,
    /// Address of the page of a part, with the placeholders `{number}`, `{part}`, `{label}`, `{year}`, `{make}`,
    /// `{model}` and `{engine}`.
    #[schema(rename = "urlTemplate", example = "https://lee.example/search?q={number}")]
    url_template: Option<String>,
    /// The supplier's telephone number.
    #[schema(example = "+1 555 0100")]
    phone: Option<String>,
    /// Shipping information for rows that have none, at most 200 characters.
    #[schema(rename = "shippingInfo", example = "2 days")]
    shipping_info: Option<String>,
    /// JSON object from field to column name, for column names that are not recognised. Fields are `label`, `part`,
    /// `partNumber`, `brand`, `price`, `currency`, `inStock`, `shipping`, `url`, `notes`, `make`, `model`, `firstYear`
    /// and `lastYear`; with an empty column name a field is ignored.
    #[schema(example = r#"{"price":"Net EUR"}"#)]
    mapping: Option<String>,
    /// `comma`, `semicolon` or `tab`; by default detected from the first row.
    #[schema(example = "semicolon")]
    delimiter: Option<String>,
    /// Decimal separator, `point` or `comma`; by default detected from the prices.
    #[schema(rename = "decimalSign", example = "comma")]
    decimal_sign: Option<String>,
    /// `true` to save nothing and only return what the upload would do.
    #[schema(rename = "dryRun", default = false)]
    dry_run: Option<bool>,
    /// `true` to skip invalid rows instead of refusing the whole list.
    #[schema(rename = "skipErrors", default = false)]
    skip_errors: Option<bool>,
    /// The list as CSV: UTF-8, at most 100 MB and 1,000,000 rows; the first row has the column names.
    #[schema(value_type = String, format = Binary)]
    file: Vec<u8>,
}

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PriceList {
    id: String,
    #[schema(example = "Spring 2027")]
    name: String,
    #[schema(example = "Lee & Sons")]
    supplier: String,
    /// Currency of rows that name none (ISO 4217).
    #[schema(example = "EUR")]
    currency: String,
    #[schema(required)]
    website: Option<String>,
    #[schema(required)]
    url_template: Option<String>,
    #[schema(required)]
    phone: Option<String>,
    #[schema(required)]
    shipping_info: Option<String>,
    /// Rows with a price.
    rows: u64,
    /// Since when its prices are shown.
    #[schema(value_type = String, format = DateTime)]
    #[serde(serialize_with = "crate::wire_time::moment")]
    published_at: Timestamp,
    /// When it was deleted or replaced; null while it is active. It can be restored for 30 days, as long as it is the
    /// latest deleted list of its name and its space is not needed by a new list.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    #[serde(serialize_with = "crate::wire_time::moment_if_any")]
    deleted_at: Option<Timestamp>,
}

impl From<partsight_domain::PriceList> for PriceList {
    fn from(list: partsight_domain::PriceList) -> Self {
        let details = list.details;
        Self {
            id: list.id.to_string(),
            name: details.name,
            supplier: details.supplier,
            currency: details.currency.to_string(),
            website: details.website,
            url_template: details.url_template.map(|template| template.to_string()),
            phone: details.phone,
            shipping_info: details.shipping_info,
            rows: list.n_items,
            published_at: list.published_at,
            deleted_at: list.deleted_at,
        }
    }
}

/// The result of an upload or dry run.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PriceListReport {
    /// The id of the saved list; null for a dry run.
    #[schema(required)]
    id: Option<String>,
    name: String,
    supplier: String,
    /// Whether the list was saved.
    saved: bool,
    /// Whether an earlier list with this name was replaced.
    replaced: bool,
    /// Rows that are not blank, without the header.
    rows: u64,
    /// Rows that were saved, or would be.
    accepted: u64,
    /// Rows without a price.
    skipped: u64,
    /// Invalid rows. If there are any, nothing is saved unless `skipErrors` is true.
    errors: u64,
    /// Accepted rows that match no part type and have no part number.
    unknown_parts: u64,
    /// Accepted rows by currency.
    currencies: BTreeMap<String, u64>,
    /// `comma`, `semicolon` or `tab`.
    #[schema(required, example = "semicolon")]
    delimiter: Option<&'static str>,
    /// Decimal separator, `point` or `comma`; null if no price has decimals.
    #[schema(required, example = "comma")]
    decimal_sign: Option<&'static str>,
    /// The fields that were read, each with its column name.
    columns: BTreeMap<&'static str, String>,
    /// Names of the columns that were ignored.
    ignored_columns: Vec<String>,
    /// The first 100 rows of each severity, in the order of the rows.
    problems: Vec<PriceListProblem>,
    /// The first rows as they were understood.
    preview: Vec<PriceListPreview>,
}

/// A problem with a row.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PriceListProblem {
    /// Row number as in a spreadsheet: the header is row 1.
    #[schema(example = 2)]
    row: u32,
    #[schema(example = "price")]
    field: &'static str,
    severity: ProblemSeverity,
    /// What is wrong, for people.
    message: String,
}

wire_enum!(
    /// How serious it is.
    ProblemSeverity from Severity { Error, Skipped, Note }
);

/// A row as it was understood.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PriceListPreview {
    row: u32,
    #[schema(required)]
    part: Option<String>,
    #[schema(required)]
    part_number: Option<String>,
    #[schema(example = 12.5)]
    price: f64,
    #[schema(example = "EUR")]
    currency: String,
    /// Whether a part type has this label or name.
    known_part: bool,
}

impl From<RowProblem> for PriceListProblem {
    fn from(problem: RowProblem) -> Self {
        Self {
            row: problem.row,
            field: problem.field,
            severity: problem.severity.into(),
            message: problem.message,
        }
    }
}

impl From<Report> for PriceListReport {
    fn from(report: Report) -> Self {
        let Report { list, supplier, prices } = report;
        let currencies = prices.currencies.into_iter();
        let preview = list.preview.into_iter().map(|row| PriceListPreview {
            row: row.row,
            part: row.part,
            part_number: row.part_number,
            price: row.price.units(),
            currency: row.price.currency().to_string(),
            known_part: row.is_known_part,
        });
        Self {
            id: list.saved_as.map(|id| id.to_string()),
            name: list.name,
            supplier,
            saved: list.saved_as.is_some(),
            replaced: list.has_replaced,
            rows: list.n_rows,
            accepted: list.n_accepted,
            skipped: prices.n_skipped,
            errors: list.n_errors,
            unknown_parts: prices.n_unknown,
            currencies: currencies.map(|(currency, n_rows)| (currency.to_string(), n_rows)).collect(),
            delimiter: list.delimiter.map(Delimiter::as_str),
            decimal_sign: prices.decimal_sign.map(DecimalSign::as_str),
            columns: list.columns.read.into_iter().collect(),
            ignored_columns: list.columns.ignored,
            problems: list.problems.into_iter().map(PriceListProblem::from).collect(),
            preview: preview.collect(),
        }
    }
}

/// Lists the price lists of your shop, the newest first, including deleted ones that can be restored.
///
/// They belong to your company, or to you if you are in none.
#[utoipa::path(get, path = "/api/price-lists", tag = "parts",
    responses((status = OK, body = Vec<PriceList>), problems::SignedIn))]
pub(crate) async fn list_price_lists(
    SignedIn { app, user }: SignedIn,
) -> Result<Json<Vec<PriceList>>, ApiError> {
    let lists = app.parts.list_price_lists(&user).await?;
    Ok(Json(lists.into_iter().map(PriceList::from).collect()))
}

/// Uploads a price list as CSV, all or nothing. It replaces the list with the same name.
///
/// A row is matched by the label or name of its part type, or by its part number. With `make`, `model`, `firstYear` and
/// `lastYear` it applies only to these vehicles. Rows without a price are skipped. With `dryRun`, nothing is saved and
/// the answer states the result. Needs the Business plan; in a company, only the owner and managers may do this.
#[utoipa::path(post, path = "/api/price-lists", tag = "parts",
    request_body(content = PriceListForm, content_type = "multipart/form-data"),
    responses(
        (status = OK, body = PriceListReport, description = "The result of a dry run; nothing is saved."),
        (status = CREATED, body = PriceListReport),
        problems::Write, problems::Body,
        (status = REQUEST_TIMEOUT),
        (status = UNPROCESSABLE_ENTITY, description = "A field or a row is invalid."),
        (status = SERVICE_UNAVAILABLE, description = "Too many price lists are being uploaded; `Retry-After` has the seconds to wait."),
    ))]
pub(crate) async fn create_price_list(
    State(app): State<App>,
    sender: Sender,
    request: Request,
) -> Result<(StatusCode, Json<PriceListReport>), ApiError> {
    let report: Report = receive::<PriceListRows>(&app, &sender, request).await?;
    let status = if report.list.saved_as.is_some() { StatusCode::CREATED } else { StatusCode::OK };
    Ok((status, Json(report.into())))
}

/// Deletes a price list. It can be restored for 30 days.
#[utoipa::path(delete, path = "/api/price-lists/{id}", tag = "parts",
    params(("id" = String, Path, description = "The id of the price list.")),
    responses((status = NO_CONTENT), problems::Write, problems::NotFound))]
pub(crate) async fn delete_price_list(
    SignedIn { app, user }: SignedIn,
    PathSegment(id): PathSegment,
) -> Result<StatusCode, ApiError> {
    app.parts.delete_list::<PriceListRows>(&user, price_list_id(&id)?).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Restores a deleted or replaced price list.
#[utoipa::path(post, path = "/api/price-lists/{id}/restore", tag = "parts",
    params(("id" = String, Path, description = "The id of the price list.")),
    responses(
        (status = NO_CONTENT),
        problems::Write,
        (status = NOT_FOUND, description = "Not found, or not deleted."),
        (status = CONFLICT, description = "A newer list has the same name."),
    ))]
pub(crate) async fn restore_price_list(
    SignedIn { app, user }: SignedIn,
    PathSegment(id): PathSegment,
) -> Result<StatusCode, ApiError> {
    app.parts.restore_list::<PriceListRows>(&user, price_list_id(&id)?).await?;
    Ok(StatusCode::NO_CONTENT)
}

impl ListForm for PriceListRows {
    type Options = PriceListOptions;
    const NO_FORM: &'static str =
        "Please send the price list as multipart/form-data, with the file in the field `file`.";

    fn set_option(options: &mut PriceListOptions, name: &str, text: &str) -> Result<(), ApiError> {
        let some = || Some(text.to_owned());
        match name {
            "supplier" => options.form.supplier = some(),
            "name" => options.form.name = some(),
            "currency" => options.form.currency = some(),
            "website" => options.form.website = some(),
            "urlTemplate" => options.form.url_template = some(),
            "phone" => options.form.phone = some(),
            "shippingInfo" => options.form.shipping_info = some(),
            "decimalSign" if !text.is_empty() => {
                let sign = DecimalSign::from_name(text);
                let refused = || not_among("decimalSign", "`point` or `comma`");
                options.decimal_sign = Some(sign.ok_or_else(refused)?);
            }
            other => {
                set_file_option(&mut options.file, other, text, r#"{"price":"Net EUR"}"#)?;
            }
        }
        Ok(())
    }

    async fn begin(app: &App, user: &User, options: PriceListOptions) -> Result<PriceListUpload, Error> {
        app.parts.receive_price_list(user, options).await
    }
}
