//! Photographs of a batch that show one item, and those that somebody took out of the list.

use axum::Json;
use axum::http::StatusCode;
use partsight_app::{ItemGroup, PartTypes};
use partsight_domain::BatchItemId;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::answer::BatchAnswer;
use crate::extract::{JsonBody, PathSegment, SignedIn};
use crate::ids::{batch_id, parse_id};
use crate::scanning::answer::ScanVerdict;
use crate::{ApiError, problems};
use partsight_app::Entity;

/// The photographs that show one item.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct BatchGroup {
    /// The first of them.
    id: String,
    /// Whether names, times and likeness put them together, and nobody has said that it is right.
    proposed: bool,
    photos: Vec<GroupedPhoto>,
    /// What they show together; null where none of them has an answer.
    #[schema(required)]
    answer: Option<GroupAnswer>,
}

/// A photograph of a group.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct GroupedPhoto {
    /// The item.
    id: String,
    #[schema(example = "IMG_0042.jpg")]
    file: String,
    /// Its own answer; null without one.
    #[schema(required)]
    scan: Option<BatchAnswer>,
}

/// What several photographs of one item show together, pooled as those of one scan are.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct GroupAnswer {
    verdict: ScanVerdict,
    #[schema(example = "Spark Plug")]
    part_name: String,
    #[schema(example = "spark-plug")]
    label: String,
    /// Calibrated probability in 0..=1 that the label is right.
    #[schema(minimum = 0, maximum = 1)]
    confidence: f32,
}

impl BatchGroup {
    pub(super) fn new(types: &PartTypes, group: ItemGroup) -> Self {
        let photos = group.members.into_iter().map(|(item, scan)| GroupedPhoto {
            id: item.id.to_string(),
            file: item.name,
            scan: scan.map(|scan| BatchAnswer::new(types, scan)),
        });
        let answer = group.answer.map(|answer| GroupAnswer {
            // Together they may show less than each: then it is not sure.
            verdict: answer.verdict.into(),
            part_name: types.name(&answer.best.label),
            label: answer.best.label.to_string(),
            confidence: answer.best.confidence,
        });
        Self { id: group.id.to_string(), proposed: group.is_proposed, photos: photos.collect(), answer }
    }
}

/// Photographs of a batch.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NamedItems {
    /// Their ids, at most 500.
    #[schema(example = json!(["01997c3e-5f6a-7000-8000-000000000001"]))]
    items: Vec<String>,
}

/// Photographs to be taken out of the list, or put back.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct DiscardItems {
    /// Their ids, at most 500.
    #[schema(example = json!(["01997c3e-5f6a-7000-8000-000000000001"]))]
    items: Vec<String>,
    /// Whether they are out of the list.
    discarded: bool,
}

/// How many groups were made.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ProposedGroups {
    groups: u64,
}

fn item_ids(texts: &[String]) -> Result<Vec<BatchItemId>, ApiError> {
    texts.iter().map(|text| parse_id(text, Entity::BatchItem)).collect()
}

/// Proposes which finished photographs show one item: by their names, or by the time they were taken in and their
/// likeness. What somebody joined or split stays as it is.
#[utoipa::path(post, path = "/api/batches/{id}/groups/propose", tag = "batches",
    params(("id" = String, Path, description = "The batch.")),
    responses((status = OK, body = ProposedGroups), problems::Write, problems::NotFound))]
pub(crate) async fn propose_batch_groups(
    SignedIn { app, user }: SignedIn,
    PathSegment(id): PathSegment,
) -> Result<Json<ProposedGroups>, ApiError> {
    let groups = app.batches.propose_groups(&user, batch_id(&id)?).await?;
    Ok(Json(ProposedGroups { groups }))
}

/// Makes one item of two to five photographs; those of a group bring the others of it along.
#[utoipa::path(post, path = "/api/batches/{id}/groups", tag = "batches", request_body = NamedItems,
    params(("id" = String, Path, description = "The batch.")),
    responses((status = NO_CONTENT), problems::Write, problems::Body, problems::NotFound))]
pub(crate) async fn join_batch_items(
    SignedIn { app, user }: SignedIn,
    PathSegment(id): PathSegment,
    JsonBody(named): JsonBody<NamedItems>,
) -> Result<StatusCode, ApiError> {
    app.batches.join_items(&user, batch_id(&id)?, &item_ids(&named.items)?).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Takes photographs out of their groups, each by itself.
#[utoipa::path(post, path = "/api/batches/{id}/groups/split", tag = "batches", request_body = NamedItems,
    params(("id" = String, Path, description = "The batch.")),
    responses((status = NO_CONTENT), problems::Write, problems::Body, problems::NotFound))]
pub(crate) async fn split_batch_items(
    SignedIn { app, user }: SignedIn,
    PathSegment(id): PathSegment,
    JsonBody(named): JsonBody<NamedItems>,
) -> Result<StatusCode, ApiError> {
    app.batches.split_items(&user, batch_id(&id)?, &item_ids(&named.items)?).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Takes photographs out of the list of a batch, or puts them back. Their scans stay in the history, and the files of
/// results say which ones they are.
#[utoipa::path(post, path = "/api/batches/{id}/discard", tag = "batches", request_body = DiscardItems,
    params(("id" = String, Path, description = "The batch.")),
    responses((status = NO_CONTENT), problems::Write, problems::Body, problems::NotFound))]
pub(crate) async fn discard_batch_items(
    SignedIn { app, user }: SignedIn,
    PathSegment(id): PathSegment,
    JsonBody(named): JsonBody<DiscardItems>,
) -> Result<StatusCode, ApiError> {
    let items = item_ids(&named.items)?;
    app.batches.discard_items(&user, batch_id(&id)?, &items, named.discarded).await?;
    Ok(StatusCode::NO_CONTENT)
}
