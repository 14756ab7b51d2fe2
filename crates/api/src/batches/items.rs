//! The photographs of a batch with their answers.

use axum::Json;
use axum::response::Response;
use partsight_app::{ItemAnswer, ItemFilter, ItemQuery, PartTypes, ResultsFormat};
use partsight_domain::{
    BatchItemState, BatchSort, InvalidInput, PART_NUMBER_MAX_CHARS, Verdict, folded_number, messages,
};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::answer::BatchAnswer;
use super::grades::ScanGrade;
use super::groups::{BatchGroup, ItemGrouper};
use crate::extract::{PathSegment, QueryString, SignedIn};
use crate::files::download;
use crate::ids::{batch_id, part_label};
use crate::wire_enum::wire_enum;
use crate::{ApiError, problems};

wire_enum!(
    /// The state of a photograph of a batch.
    ItemState from BatchItemState { Waiting, Running, Answered, NotAPart, Failed, Duplicate, Cancelled }
);

/// Which items to list.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub(crate) struct ItemsQuery {
    /// Only photographs in this state.
    #[param(example = "failed")]
    state: Option<String>,
    /// Only photographs with this verdict: `identified` or `not-sure`.
    #[param(example = "not-sure")]
    verdict: Option<String>,
    /// Only photographs of this part type, by its label. Feedback takes precedence over the answer.
    #[serde(rename = "type")]
    #[param(example = "brake-rotor")]
    label: Option<String>,
    /// Only photographs with this part number in their key or file name, or, in a batch with `readText`, in the text
    /// that was read on them. At least three letters or digits; separators are ignored. Characters that look alike,
    /// such as O and 0, count as equal.
    #[param(example = "06A 105")]
    number: Option<String>,
    /// `true` to list each group as one entry: its first photograph that matches `discarded`. With `sort=doubt`, a
    /// group is sorted by its common answer. If that photograph has no answer, `verdict` and `type` use the first answer
    /// of the group.
    #[param(example = true)]
    #[serde(default)]
    grouped: bool,
    /// `true` for hidden photographs only, `false` for the others only; both by default.
    #[param(example = false)]
    discarded: Option<bool>,
    /// `sent` for the order of upload (the default), `doubt` for the least confident first. While a batch runs, only
    /// the pages of `sent` are complete: with `doubt`, a photograph or group that gets an answer between two requests
    /// can move, and is then on no page or on two.
    #[param(example = "doubt")]
    sort: Option<String>,
    /// The value of `next` in the previous page.
    cursor: Option<String>,
    /// Page size, 1 to 500; 200 by default.
    #[param(minimum = 1, maximum = 500)]
    limit: Option<u32>,
}

/// A page of the photographs.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct BatchItemsPage {
    items: Vec<BatchItem>,
    /// Value of `cursor` for the next page; null on the last page.
    #[schema(required, example = "17.0190a0a0-0000-7000-8000-000000000000")]
    next: Option<String>,
}

/// A photograph of a batch.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct BatchItem {
    id: String,
    /// The key that the client gave it.
    key: String,
    /// The file name.
    #[schema(example = "IMG_0042.jpg")]
    file: String,
    state: ItemState,
    /// Why it has no answer; null if there is no failure.
    #[schema(required)]
    problem: Option<String>,
    /// The id of the item with the same bytes; null unless this is a duplicate.
    #[schema(required)]
    duplicate_of: Option<String>,
    /// The answer; null if there is none, or if the scan was deleted.
    #[schema(required)]
    scan: Option<BatchAnswer>,
    /// The group of this photograph; null if it is in none.
    #[schema(required)]
    group: Option<BatchGroup>,
    /// Who put this photograph into its group, or set it apart; null if nobody did.
    #[schema(required)]
    grouped_by: Option<ItemGrouper>,
    /// The condition grade of the part; null if there is none. With `grouped`, that of the first photograph of the group
    /// that has one.
    #[schema(required)]
    grade: Option<ScanGrade>,
    /// Whether it was hidden in the list.
    discarded: bool,
}

impl BatchItem {
    fn new(types: &PartTypes, ItemAnswer { item, scan, group, grade }: ItemAnswer) -> Self {
        Self {
            id: item.id.to_string(),
            key: item.key,
            file: item.name,
            state: item.state.into(),
            problem: item.problem,
            duplicate_of: item.duplicate_of.map(|id| id.to_string()),
            scan: scan.map(|scan| BatchAnswer::new(types, scan)),
            group: group.map(|group| BatchGroup::new(types, group)),
            grouped_by: item.grouped_by.map(ItemGrouper::from),
            grade: grade.map(ScanGrade::from),
            discarded: item.is_discarded,
        }
    }
}

fn named<T>(
    field: &'static str,
    text: Option<&str>,
    parse: impl Fn(&str) -> Option<T>,
    names: &[&str],
) -> Result<Option<T>, InvalidInput> {
    let Some(text) = text.filter(|text| !text.is_empty()) else { return Ok(None) };
    let wrong = || InvalidInput::new(field, format!("`{field}` must be one of {}.", names.join(", ")));
    parse(text).map(Some).ok_or_else(wrong)
}

/// A part of a part number as the store compares it.
fn number(text: &str) -> Result<String, InvalidInput> {
    let folded = folded_number(text);
    // Fewer than three characters occur in nearly every file name. Only letters and digits, so that none is a wildcard
    // in SQL.
    let is_number = (3..=PART_NUMBER_MAX_CHARS).contains(&folded.chars().count())
        && folded.chars().all(char::is_alphanumeric);
    is_number.then_some(folded).ok_or_else(|| InvalidInput::new("number", messages::BATCH_NUMBER))
}

/// Lists the photographs of a batch with their answers, in pages.
#[utoipa::path(get, path = "/api/batches/{id}/items", tag = "batches",
    params(("id" = String, Path, description = "The id of the batch."), ItemsQuery),
    responses(
        (status = OK, body = BatchItemsPage), problems::SignedIn, problems::NotFound, problems::Invalid,
    ))]
pub(crate) async fn list_batch_items(
    SignedIn { app, user }: SignedIn,
    PathSegment(id): PathSegment,
    QueryString(query): QueryString<ItemsQuery>,
) -> Result<Json<BatchItemsPage>, ApiError> {
    let id = batch_id(&id)?;
    let states = BatchItemState::ALL.map(BatchItemState::as_str);
    let verdicts = [Verdict::Identified, Verdict::NotSure].map(Verdict::as_str);
    let sorts = BatchSort::ALL.map(BatchSort::as_str);
    let filter = ItemFilter {
        state: named("state", query.state.as_deref(), BatchItemState::from_name, &states)?,
        verdict: named("verdict", query.verdict.as_deref(), Verdict::from_name, &verdicts)?,
        label: query.label.as_deref().filter(|label| !label.is_empty()).map(part_label).transpose()?,
        folded_number: query
            .number
            .as_deref()
            .map(str::trim)
            .filter(|n| !n.is_empty())
            .map(number)
            .transpose()?,
        is_grouped: query.grouped,
        is_discarded: query.discarded,
        sort: named("sort", query.sort.as_deref(), BatchSort::from_name, &sorts)?.unwrap_or_default(),
        after: query.cursor.as_deref().map(str::parse).transpose()?,
    };
    let page = app.batches.items(&user, id, &ItemQuery { filter, limit: query.limit }).await?;
    let types = app.parts.part_types(&user).await?;
    Ok(Json(BatchItemsPage {
        items: page.items.into_iter().map(|answer| BatchItem::new(&types, answer)).collect(),
        next: page.next.map(|next| next.to_string()),
    }))
}

/// The part types of a batch.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct BatchTypes {
    /// The most frequent first.
    types: Vec<BatchType>,
}

/// A part type that photographs of a batch show.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct BatchType {
    #[schema(example = "brake-rotor")]
    label: String,
    #[schema(example = "Brake Rotor")]
    name: String,
    /// How many photographs show it.
    #[schema(example = 120)]
    count: u64,
}

/// Counts the photographs of a batch by the part type that they show. Feedback takes precedence over the answer.
#[utoipa::path(get, path = "/api/batches/{id}/types", tag = "batches",
    params(("id" = String, Path, description = "The id of the batch.")),
    responses((status = OK, body = BatchTypes), problems::SignedIn, problems::NotFound))]
pub(crate) async fn list_batch_types(
    SignedIn { app, user }: SignedIn,
    PathSegment(id): PathSegment,
) -> Result<Json<BatchTypes>, ApiError> {
    let counts = app.batches.types(&user, batch_id(&id)?).await?;
    let names = app.parts.part_types(&user).await?;
    let types = counts.into_iter().map(|(label, count)| BatchType {
        name: names.name(&label),
        label: label.to_string(),
        count,
    });
    Ok(Json(BatchTypes { types: types.collect() }))
}

/// The media type of a sheet.
const XLSX: &str = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";

/// In which form the results come.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct ResultsQuery {
    /// File format: `csv` (the default), `jsonl` with one JSON object per line, `xlsx` with thumbnails, or `parquet`.
    #[param(example = "csv")]
    format: Option<String>,
}

/// Exports all photographs of a batch with their answers as a file, in the order of upload.
///
/// In `csv`, a text that a spreadsheet could execute as a formula begins with an apostrophe. `xlsx` contains thumbnails
/// in its first 5,000 rows.
#[utoipa::path(get, path = "/api/batches/{id}/results", tag = "batches",
    params(("id" = String, Path, description = "The id of the batch."), ResultsQuery),
    responses(
        (status = OK, content(
            (String = "text/csv"),
            (String = "application/x-ndjson"),
            (String = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
            (String = "application/vnd.apache.parquet"),
        )),
        problems::SignedIn, problems::NotFound, problems::Invalid,
    ))]
pub(crate) async fn export_batch_results(
    SignedIn { app, user }: SignedIn,
    PathSegment(id): PathSegment,
    QueryString(query): QueryString<ResultsQuery>,
) -> Result<Response, ApiError> {
    let id = batch_id(&id)?;
    let (format, content_type, name) = match query.format.as_deref() {
        None | Some("csv") => (ResultsFormat::Csv, "text/csv; charset=utf-8", "batch.csv"),
        Some("jsonl") => (ResultsFormat::JsonLines, "application/x-ndjson", "batch.jsonl"),
        Some("xlsx") => (ResultsFormat::Xlsx, XLSX, "batch.xlsx"),
        Some("parquet") => (ResultsFormat::Parquet, "application/vnd.apache.parquet", "batch.parquet"),
        Some(_) => return Err(InvalidInput::new("format", messages::BATCH_FORMAT).into()),
    };
    let file = app.batches.results(&user, id, format).await?;
    Ok(download(content_type, name, file))
}
