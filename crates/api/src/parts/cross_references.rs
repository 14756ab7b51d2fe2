//! Cross-references of a shop: which part numbers mean the same part, and which replace which.

use std::collections::BTreeMap;

use axum::Json;
use axum::extract::{Request, State};
use axum::http::StatusCode;
use jiff::Timestamp;
use partsight_app::{
    App, CrossReferenceOptions, CrossReferenceReport as Report, CrossReferenceRows, CrossReferenceUpload,
    Delimiter, Error,
};
use partsight_domain::{CrossLink, CrossNumber, CrossReference, CrossRelation, User};
use serde::Serialize;
use utoipa::ToSchema;

use super::list_upload::{ListForm, receive, set_file_option};
use crate::extract::{PathSegment, SignedIn};
use crate::ids::cross_reference_list_id;
use crate::sender::Sender;
use crate::wire_enum::wire_enum;
use crate::{ApiError, problems};

/// Form to upload a list of cross-references. The file must be the last field, because it is processed while it
/// arrives.
#[derive(Debug, ToSchema)]
#[expect(dead_code, reason = "describes the form in the OpenAPI document; the handler reads a stream")]
pub(crate) struct CrossReferenceForm {
    /// Name of the list, at most 100 characters; an earlier list with this name is replaced.
    #[schema(example = "OE numbers")]
    name: String,
    /// JSON object from field to column name, for column names that are not recognised. Fields are `number`, `brand`,
    /// `relation`, `otherNumber` and `otherBrand`; with an empty column name a field is ignored.
    #[schema(example = r#"{"otherNumber":"Competitor"}"#)]
    mapping: Option<String>,
    /// `comma`, `semicolon` or `tab`; by default detected from the first row.
    #[schema(example = "semicolon")]
    delimiter: Option<String>,
    /// `true` to save nothing and only return what the upload would do.
    #[schema(rename = "dryRun", default = false)]
    dry_run: Option<bool>,
    /// `true` to skip invalid rows instead of refusing the whole list.
    #[schema(rename = "skipErrors", default = false)]
    skip_errors: Option<bool>,
    /// The list as CSV: UTF-8, at most 100 MB and 1,000,000 rows; the first row has the column names. `relation` is
    /// `equals` (or empty), `replaces` or `replaced by`.
    #[schema(value_type = String, format = Binary)]
    file: Vec<u8>,
}

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CrossReferenceList {
    id: String,
    #[schema(example = "OE numbers")]
    name: String,
    rows: u64,
    /// Since when it is active.
    #[schema(value_type = String, format = DateTime)]
    #[serde(serialize_with = "crate::wire_time::moment")]
    published_at: Timestamp,
    /// When it was deleted or replaced; null while it is active. It can be restored for 30 days, as long as it is the
    /// latest deleted list of its name and its space is not needed by a new list.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    #[serde(serialize_with = "crate::wire_time::moment_if_any")]
    deleted_at: Option<Timestamp>,
}

impl From<partsight_domain::CrossReferenceList> for CrossReferenceList {
    fn from(list: partsight_domain::CrossReferenceList) -> Self {
        Self {
            id: list.id.to_string(),
            name: list.name,
            rows: list.n_items,
            published_at: list.published_at,
            deleted_at: list.deleted_at,
        }
    }
}

/// The result of an upload or dry run.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CrossReferenceReport {
    /// The id of the saved list; null for a dry run.
    #[schema(required)]
    id: Option<String>,
    name: String,
    /// Whether the list was saved.
    saved: bool,
    /// Whether an earlier list with this name was replaced.
    replaced: bool,
    /// Rows that are not blank, without the header.
    rows: u64,
    /// Rows that were saved, or would be.
    accepted: u64,
    /// Invalid rows. If there are any, nothing is saved unless `skipErrors` is true.
    errors: u64,
    /// `comma`, `semicolon` or `tab`.
    #[schema(required, example = "semicolon")]
    delimiter: Option<&'static str>,
    /// The fields that were read, each with its column name.
    columns: BTreeMap<&'static str, String>,
    /// Names of the columns that were ignored.
    ignored_columns: Vec<String>,
    /// The first 100 invalid rows.
    problems: Vec<CrossReferenceProblem>,
    /// The first rows as they were understood.
    preview: Vec<CrossReferencePreview>,
}

/// An invalid row.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CrossReferenceProblem {
    /// Row number as in a spreadsheet: the header is row 1.
    #[schema(example = 2)]
    row: u32,
    #[schema(example = "otherNumber")]
    field: &'static str,
    /// What is wrong, for people.
    message: String,
}

wire_enum!(
    /// How the first number of a row relates to the other one: same part, or replacement.
    CrossReferenceRelation from CrossRelation { Equals, Replaces }
);
wire_enum!(
    /// How a number relates to the one that was searched for: same part; replacement for it; or replaced by it.
    CrossReferenceLink from CrossLink { Equal, Newer, Older }
);

/// A row as it was understood.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CrossReferencePreview {
    row: u32,
    number: String,
    #[schema(required)]
    brand: Option<String>,
    relation: CrossReferenceRelation,
    other_number: String,
    #[schema(required)]
    other_brand: Option<String>,
}

impl From<CrossReference> for CrossReferencePreview {
    fn from(row: CrossReference) -> Self {
        Self {
            row: row.row,
            number: row.number,
            brand: row.brand,
            relation: row.relation.into(),
            other_number: row.other_number,
            other_brand: row.other_brand,
        }
    }
}

/// The cross-references that lead from a number to a part.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CrossReferenceTo {
    /// The number to which they lead.
    #[schema(example = "1K0 615 301 AA")]
    number: String,
    #[schema(required, example = "VW")]
    brand: Option<String>,
    link: CrossReferenceLink,
    /// The number from which they start, as the list writes it.
    #[schema(example = "0 986 479 R51")]
    of_number: String,
    #[schema(required, example = "Bosch")]
    of_brand: Option<String>,
}

impl From<CrossNumber> for CrossReferenceTo {
    fn from(found: CrossNumber) -> Self {
        Self {
            number: found.number,
            brand: found.brand,
            link: found.link.into(),
            of_number: found.of_number,
            of_brand: found.of_brand,
        }
    }
}

impl From<Report> for CrossReferenceReport {
    fn from(report: Report) -> Self {
        let problems = report.problems.into_iter().map(|problem| CrossReferenceProblem {
            row: problem.row,
            field: problem.field,
            message: problem.message,
        });
        Self {
            id: report.saved_as.map(|id| id.to_string()),
            name: report.name,
            saved: report.saved_as.is_some(),
            replaced: report.has_replaced,
            rows: report.n_rows,
            accepted: report.n_accepted,
            errors: report.n_errors,
            delimiter: report.delimiter.map(Delimiter::as_str),
            columns: report.columns.read.into_iter().collect(),
            ignored_columns: report.columns.ignored,
            problems: problems.collect(),
            preview: report.preview.into_iter().map(CrossReferencePreview::from).collect(),
        }
    }
}

/// Lists the cross-reference lists of your shop, the newest first, including deleted ones that can be restored.
///
/// They belong to your company, or to you if you are in none.
#[utoipa::path(get, path = "/api/cross-references", tag = "parts",
    responses((status = OK, body = Vec<CrossReferenceList>), problems::SignedIn))]
pub(crate) async fn list_cross_references(
    SignedIn { app, user }: SignedIn,
) -> Result<Json<Vec<CrossReferenceList>>, ApiError> {
    let lists = app.parts.list_cross_reference_lists(&user).await?;
    Ok(Json(lists.into_iter().map(CrossReferenceList::from).collect()))
}

/// Uploads a list of cross-references as CSV, all or nothing. It replaces the list with the same name.
///
/// Each row states that one part number is equal to another, or replaces it. Search, offers and the numbers that are
/// read on parts follow the rows, at most four steps; cycles are followed once. With `dryRun`, nothing is saved and the
/// answer states the result. Needs the Business plan; in a company, only the owner and managers may do this.
#[utoipa::path(post, path = "/api/cross-references", tag = "parts",
    request_body(content = CrossReferenceForm, content_type = "multipart/form-data"),
    responses(
        (status = OK, body = CrossReferenceReport, description = "The result of a dry run; nothing is saved."),
        (status = CREATED, body = CrossReferenceReport),
        problems::Write, problems::Body,
        (status = REQUEST_TIMEOUT),
        (status = UNPROCESSABLE_ENTITY, description = "A field or a row is invalid."),
        (status = SERVICE_UNAVAILABLE, description = "Too many lists are being uploaded; `Retry-After` has the seconds to wait."),
    ))]
pub(crate) async fn create_cross_references(
    State(app): State<App>,
    sender: Sender,
    request: Request,
) -> Result<(StatusCode, Json<CrossReferenceReport>), ApiError> {
    let report: Report = receive::<CrossReferenceRows>(&app, &sender, request).await?;
    let status = if report.saved_as.is_some() { StatusCode::CREATED } else { StatusCode::OK };
    Ok((status, Json(report.into())))
}

/// Deletes a list of cross-references. It can be restored for 30 days.
#[utoipa::path(delete, path = "/api/cross-references/{id}", tag = "parts",
    params(("id" = String, Path, description = "The id of the list.")),
    responses((status = NO_CONTENT), problems::Write, problems::NotFound))]
pub(crate) async fn delete_cross_references(
    SignedIn { app, user }: SignedIn,
    PathSegment(id): PathSegment,
) -> Result<StatusCode, ApiError> {
    app.parts.delete_list::<CrossReferenceRows>(&user, cross_reference_list_id(&id)?).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Restores a deleted or replaced list of cross-references.
#[utoipa::path(post, path = "/api/cross-references/{id}/restore", tag = "parts",
    params(("id" = String, Path, description = "The id of the list.")),
    responses(
        (status = NO_CONTENT),
        problems::Write,
        (status = NOT_FOUND, description = "Not found, or not deleted."),
        (status = CONFLICT, description = "A newer list has the same name."),
    ))]
pub(crate) async fn restore_cross_references(
    SignedIn { app, user }: SignedIn,
    PathSegment(id): PathSegment,
) -> Result<StatusCode, ApiError> {
    app.parts.restore_list::<CrossReferenceRows>(&user, cross_reference_list_id(&id)?).await?;
    Ok(StatusCode::NO_CONTENT)
}

impl ListForm for CrossReferenceRows {
    type Options = CrossReferenceOptions;
    const NO_FORM: &'static str =
        "Please send the list as multipart/form-data, with the file in the field `file`.";

    fn set_option(options: &mut CrossReferenceOptions, name: &str, text: &str) -> Result<(), ApiError> {
        if name == "name" {
            options.name = Some(text.to_owned());
            return Ok(());
        }
        Ok(set_file_option(&mut options.file, name, text, r#"{"otherNumber":"Competitor"}"#)?)
    }

    async fn begin(
        app: &App,
        user: &User,
        options: CrossReferenceOptions,
    ) -> Result<CrossReferenceUpload, Error> {
        app.parts.receive_cross_references(user, options)
    }
}
