//! Cross-references of a shop: which part numbers mean the same part, and which replace which.

use std::collections::BTreeMap;

use axum::Json;
use axum::extract::Request;
use axum::http::StatusCode;
use jiff::Timestamp;
use partsight_app::{
    App, CrossReferenceOptions, CrossReferenceReport as Report, CrossReferenceRows, CrossReferenceUpload,
    Delimiter, Error,
};
use partsight_domain::{
    CROSS_REFERENCE_MAX_BYTES, CrossLink, CrossNumber, CrossReference, CrossRelation, User,
};
use serde::Serialize;
use utoipa::ToSchema;

use super::list_upload::{ListForm, receive, set_file_option};
use crate::extract::{PathSegment, SignedIn};
use crate::ids::cross_reference_list_id;
use crate::wire_enum::wire_enum;
use crate::{ApiError, problems};

/// Largest form, in bytes: more than the largest file, so that an oversize file is read far enough to report its
/// own limit.
pub(crate) const MAX_FORM_BYTES: usize = CROSS_REFERENCE_MAX_BYTES * 2;

/// The form that uploads a list of cross-references. The file comes last: it is read while it arrives.
#[derive(Debug, ToSchema)]
#[expect(dead_code, reason = "describes the form in the OpenAPI document; the handler reads a stream")]
pub(crate) struct CrossReferenceForm {
    /// Name of the list, by which it replaces the one before it; at most 100 characters.
    #[schema(example = "OE numbers")]
    name: String,
    /// JSON object from field to header, for headers that are not recognised. Fields are `number`, `brand`, `relation`,
    /// `otherNumber` and `otherBrand`; an empty header leaves a field out.
    #[schema(example = r#"{"otherNumber":"Competitor"}"#)]
    mapping: Option<String>,
    /// `comma`, `semicolon` or `tab`; found out by the first row unless given.
    #[schema(example = "semicolon")]
    delimiter: Option<String>,
    /// Only says what an upload would do.
    #[schema(rename = "dryRun", default = false)]
    dry_run: Option<bool>,
    /// Leaves rows out that break a rule, instead of refusing the whole list.
    #[schema(rename = "skipErrors", default = false)]
    skip_errors: Option<bool>,
    /// The list as CSV: UTF-8, at most 100 MB and 1,000,000 rows; the first row names the columns. `relation` is `equals`
    /// (also where it is blank), `replaces` or `replaced by`.
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
    /// Since when its rows are followed.
    #[schema(value_type = String, format = DateTime)]
    #[serde(serialize_with = "crate::wire_time::moment")]
    published_at: Timestamp,
    /// When it was deleted or replaced; null while it is in force. It can be restored for 30 days, until then as long
    /// as it is the last of its name that was, and no new list needs its room.
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

/// What an upload did, or would do.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CrossReferenceReport {
    /// The id of the saved list; null for a dry run.
    #[schema(required)]
    id: Option<String>,
    name: String,
    /// Whether the list was saved.
    saved: bool,
    /// Whether a list of this name was replaced.
    replaced: bool,
    /// Rows that are not blank, the header not counted.
    rows: u64,
    /// Rows that are, or would be, saved.
    accepted: u64,
    /// Rows that break a rule; with any, nothing is saved unless `skipErrors` says so.
    errors: u64,
    /// `comma`, `semicolon` or `tab`.
    #[schema(required, example = "semicolon")]
    delimiter: Option<&'static str>,
    /// The fields that were read, each with its header.
    columns: BTreeMap<&'static str, String>,
    /// Headers of the columns that were not read.
    ignored_columns: Vec<String>,
    /// The first 100 rows that break a rule.
    problems: Vec<CrossReferenceProblem>,
    /// The first rows as they were understood.
    preview: Vec<CrossReferencePreview>,
}

/// A row that breaks a rule.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CrossReferenceProblem {
    /// As a spreadsheet counts: the header is row 1.
    #[schema(example = 2)]
    row: u32,
    #[schema(example = "otherNumber")]
    field: &'static str,
    /// What is wrong, for people.
    message: String,
}

wire_enum!(
    /// What a row says of its first number: it means the same part as the other, or is used in its place.
    CrossReferenceRelation from CrossRelation { Equals, Replaces }
);
wire_enum!(
    /// What a number is to the one that was asked for: both mean one part; it is used in its place; or the other way round.
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
    /// The number that they lead to.
    #[schema(example = "1K0 615 301 AA")]
    number: String,
    #[schema(required, example = "VW")]
    brand: Option<String>,
    link: CrossReferenceLink,
    /// The number that they begin with, as the list writes it.
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

/// The lists of cross-references of your shop, the newest first; deleted ones that can be restored among them.
///
/// They belong to your company, or to you alone without one.
#[utoipa::path(get, path = "/api/cross-references", tag = "parts",
    responses((status = OK, body = Vec<CrossReferenceList>), problems::SignedIn))]
pub(crate) async fn list_cross_references(
    SignedIn { app, user }: SignedIn,
) -> Result<Json<Vec<CrossReferenceList>>, ApiError> {
    let lists = app.parts.list_cross_reference_lists(&user).await?;
    Ok(Json(lists.into_iter().map(CrossReferenceList::from).collect()))
}

/// Uploads a list of cross-references as CSV, all or nothing; it takes the place of the list of its name.
///
/// Each row says that a number equals another, or replaces it. Search, offers and the text that is read on parts follow the
/// rows: at most four steps, and a circle once. With `dryRun` the answer says what would become of the rows, and nothing is saved.
/// Part of the Business plan; in a company for its owner and managers.
#[utoipa::path(post, path = "/api/cross-references", tag = "parts",
    request_body(content = CrossReferenceForm, content_type = "multipart/form-data"),
    responses(
        (status = OK, body = CrossReferenceReport, description = "What an upload would do."),
        (status = CREATED, body = CrossReferenceReport),
        problems::Write, problems::Body,
        (status = REQUEST_TIMEOUT),
        (status = UNPROCESSABLE_ENTITY, description = "A field is wrong, or a row breaks a rule."),
        (status = SERVICE_UNAVAILABLE, description = "Other lists are arriving; see Retry-After."),
    ))]
pub(crate) async fn create_cross_references(
    SignedIn { app, user }: SignedIn,
    request: Request,
) -> Result<(StatusCode, Json<CrossReferenceReport>), ApiError> {
    let report: Report = receive::<CrossReferenceRows>(&app, &user, request).await?;
    let status = if report.saved_as.is_some() { StatusCode::CREATED } else { StatusCode::OK };
    Ok((status, Json(report.into())))
}

/// Deletes a list of cross-references; it can be restored for 30 days.
#[utoipa::path(delete, path = "/api/cross-references/{id}", tag = "parts",
    params(("id" = String, Path, description = "The id of the list.")),
    responses((status = NO_CONTENT), problems::Write, problems::NotFound))]
pub(crate) async fn delete_cross_references(
    SignedIn { app, user }: SignedIn,
    PathSegment(id): PathSegment,
) -> Result<StatusCode, ApiError> {
    app.parts.delete_cross_reference_list(&user, cross_reference_list_id(&id)?).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Brings a deleted or replaced list of cross-references back.
#[utoipa::path(post, path = "/api/cross-references/{id}/restore", tag = "parts",
    params(("id" = String, Path, description = "The id of the list.")),
    responses(
        (status = NO_CONTENT),
        problems::Write,
        (status = NOT_FOUND, description = "There is none, or it is not deleted."),
        (status = CONFLICT, description = "There is a newer one of its name."),
    ))]
pub(crate) async fn restore_cross_references(
    SignedIn { app, user }: SignedIn,
    PathSegment(id): PathSegment,
) -> Result<StatusCode, ApiError> {
    app.parts.restore_cross_reference_list(&user, cross_reference_list_id(&id)?).await?;
    Ok(StatusCode::NO_CONTENT)
}

impl ListForm for CrossReferenceRows {
    type Options = CrossReferenceOptions;
    const MAX_BYTES: usize = CROSS_REFERENCE_MAX_BYTES;
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
