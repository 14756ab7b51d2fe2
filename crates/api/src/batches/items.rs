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
use super::groups::BatchGroup;
use crate::extract::{PathSegment, QueryString, SignedIn};
use crate::files::download;
use crate::ids::{batch_id, part_label};
use crate::wire_enum::wire_enum;
use crate::{ApiError, problems};

wire_enum!(
    /// How far a photograph of a batch is.
    ItemState from BatchItemState { Waiting, Running, Answered, NotAPart, Failed, Duplicate, Cancelled }
);

/// Which items to list.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub(crate) struct ItemsQuery {
    /// Only those in this state.
    #[param(example = "failed")]
    state: Option<String>,
    /// Only those whose answer is `identified` or `not-sure`.
    #[param(example = "not-sure")]
    verdict: Option<String>,
    /// Only those of this part type, by the answer or by what somebody said it is.
    #[serde(rename = "type")]
    #[param(example = "brake-rotor")]
    label: Option<String>,
    /// Only those whose key or file name has this part number, or on which it was read in a batch with `readText`: at least
    /// three letters or digits, whatever separates them. Characters that are easily read for each other, such as O and 0,
    /// are one.
    #[param(example = "06A 105")]
    number: Option<String>,
    /// `true` for one entry for each item: of the photographs in a group only the first that `discarded` lets through.
    /// Sorted by doubt, a group stands by its common answer.
    #[param(example = true)]
    #[serde(default)]
    grouped: bool,
    /// `true` for those that somebody took out of the list, `false` for the others; all unless given.
    #[param(example = false)]
    discarded: Option<bool>,
    /// `sent` as they were sent, `doubt` with the most doubtful first; `sent` unless given. While a batch runs, only the
    /// pages of `sent` together have every photograph: by doubt, one that is answered between two pages can move to a page
    /// before.
    #[param(example = "doubt")]
    sort: Option<String>,
    /// The `next` of the page before.
    cursor: Option<String>,
    /// At most this many, 1 to 500; 200 unless given.
    #[param(minimum = 1, maximum = 500)]
    limit: Option<u32>,
}

/// A page of the items.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct BatchItemsPage {
    items: Vec<BatchItem>,
    /// What to give as `cursor` for the next page; null on the last.
    #[schema(required, example = "17.0190a0a0-0000-7000-8000-000000000000")]
    next: Option<String>,
}

/// A photograph of a batch.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct BatchItem {
    id: String,
    /// What its sender names it.
    key: String,
    /// The name of its file.
    #[schema(example = "IMG_0042.jpg")]
    file: String,
    state: ItemState,
    /// Why it has no answer; else null.
    #[schema(required)]
    problem: Option<String>,
    /// The item with the same bytes; null unless it is a duplicate.
    #[schema(required)]
    duplicate_of: Option<String>,
    /// Its answer; null without one, or where the scan was deleted since.
    #[schema(required)]
    scan: Option<BatchAnswer>,
    /// The photographs that show the same item, itself among them; null for one alone.
    #[schema(required)]
    group: Option<BatchGroup>,
    /// The condition that somebody gave its part; null where nobody did.
    #[schema(required)]
    grade: Option<ScanGrade>,
    /// Whether somebody took it out of the list.
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
    // Fewer than three characters stand in nearly every file name. Letters and digits alone, so that none is a wildcard
    // in SQL.
    let is_number = (3..=PART_NUMBER_MAX_CHARS).contains(&folded.chars().count())
        && folded.chars().all(char::is_alphanumeric);
    is_number.then_some(folded).ok_or_else(|| InvalidInput::new("number", messages::BATCH_NUMBER))
}

/// The photographs of a batch with their answers, in pages.
#[utoipa::path(get, path = "/api/batches/{id}/items", tag = "batches",
    params(("id" = String, Path, description = "The batch."), ItemsQuery),
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

/// The media type of a sheet.
const XLSX: &str = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";

/// In which form the results come.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct ResultsQuery {
    /// `csv` for a table, `jsonl` for one JSON object a line, `xlsx` for a sheet with pictures, `parquet`; `csv` unless
    /// given.
    #[param(example = "csv")]
    format: Option<String>,
}

/// All photographs of a batch with their answers as a file, in the order in which they were sent.
///
/// In `csv`, a text that a spreadsheet would take for a formula begins with an apostrophe. `xlsx` has the small pictures of
/// the first 5,000 rows.
#[utoipa::path(get, path = "/api/batches/{id}/results", tag = "batches",
    params(("id" = String, Path, description = "The batch."), ResultsQuery),
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
