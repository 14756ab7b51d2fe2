//! Photographs of a batch that show one item, and discarded ones.

use axum::Json;
use axum::http::StatusCode;
use partsight_app::{ArrangedItem as AppArrangedItem, ItemGroup, PartTypes};
use partsight_domain::{BatchItemId, GroupedBy};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::answer::BatchAnswer;
use crate::extract::{JsonBody, PathSegment, SignedIn};
use crate::ids::{batch_id, parse_id};
use crate::scanning::answer::ScanVerdict;
use crate::{ApiError, problems};
use partsight_app::Entity;

/// A group: photographs of a batch that show the same item.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct BatchGroup {
    /// The id of its first photograph.
    id: String,
    /// Whether the group was proposed from names, times and similarity, and nobody has confirmed it.
    proposed: bool,
    photos: Vec<GroupedPhoto>,
    /// The common answer of the photographs; null if none of them has an answer.
    #[schema(required)]
    answer: Option<GroupAnswer>,
}

/// A photograph of a group.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct GroupedPhoto {
    /// The id of the item.
    id: String,
    #[schema(example = "IMG_0042.jpg")]
    file: String,
    /// The answer of this photograph alone; null if there is none.
    #[schema(required)]
    scan: Option<BatchAnswer>,
}

/// The common answer of the photographs of a group, computed as for one scan with several photographs.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct GroupAnswer {
    verdict: ScanVerdict,
    #[schema(example = "Spark Plug")]
    part_name: String,
    #[schema(example = "spark-plug")]
    label: String,
    /// Calibrated probability that the label is correct, in 0..=1.
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
            // Together they may be less clear than each alone: then the answer is not sure.
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

/// Photographs to hide in the list, or to show again.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct DiscardItems {
    /// Their ids, at most 500.
    #[schema(example = json!(["01997c3e-5f6a-7000-8000-000000000001"]))]
    items: Vec<String>,
    /// `true` to hide, `false` to show again.
    discarded: bool,
}

/// Who decided which photographs of a batch show one item: the server, by names, times and similarity, or a person.
#[derive(Debug, Clone, Copy, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum ItemGrouper {
    Proposal,
    Person,
}

impl From<GroupedBy> for ItemGrouper {
    fn from(by: GroupedBy) -> Self {
        match by {
            GroupedBy::Proposal => Self::Proposal,
            GroupedBy::Person => Self::Person,
        }
    }
}

impl From<ItemGrouper> for GroupedBy {
    fn from(by: ItemGrouper) -> Self {
        match by {
            ItemGrouper::Proposal => Self::Proposal,
            ItemGrouper::Person => Self::Person,
        }
    }
}

/// How photographs of a batch are put together.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ArrangedItems {
    /// At most 500 photographs in all, each once.
    #[schema(example = json!([{ "groupedBy": "person", "photos": ["01997c3e-5f6a-7000-8000-000000000001"] }]))]
    items: Vec<ArrangedItem>,
}

/// Photographs of a batch that show one item.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct ArrangedItem {
    /// The ids of 1 to 5 photographs.
    #[schema(example = json!(["01997c3e-5f6a-7000-8000-000000000001"]))]
    photos: Vec<String>,
    /// Who put them together; for a single photograph, `person` if somebody set it apart, or null.
    grouped_by: Option<ItemGrouper>,
}

/// The number of groups that were made.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ProposedGroups {
    groups: u64,
}

fn item_ids(texts: &[String]) -> Result<Vec<BatchItemId>, ApiError> {
    texts.iter().map(|text| parse_id(text, Entity::BatchItem)).collect()
}

/// Proposes which answered photographs show the same item, by their file names, or by their capture time and
/// similarity. Groups that people made or split stay as they are.
#[utoipa::path(post, path = "/api/batches/{id}/groups/propose", tag = "batches",
    params(("id" = String, Path, description = "The id of the batch.")),
    responses((status = OK, body = ProposedGroups), problems::Write, problems::NotFound))]
pub(crate) async fn propose_batch_groups(
    SignedIn { app, user }: SignedIn,
    PathSegment(id): PathSegment,
) -> Result<Json<ProposedGroups>, ApiError> {
    let groups = app.batches.propose_groups(&user, batch_id(&id)?).await?;
    Ok(Json(ProposedGroups { groups }))
}

/// Makes a group of two to five photographs that show the same item. If a photograph is already in a group, that whole
/// group is included.
#[utoipa::path(post, path = "/api/batches/{id}/groups", tag = "batches", request_body = NamedItems,
    params(("id" = String, Path, description = "The id of the batch.")),
    responses((status = NO_CONTENT), problems::Write, problems::Body, problems::NotFound))]
pub(crate) async fn join_batch_items(
    SignedIn { app, user }: SignedIn,
    PathSegment(id): PathSegment,
    JsonBody(named): JsonBody<NamedItems>,
) -> Result<StatusCode, ApiError> {
    app.batches.join_items(&user, batch_id(&id)?, &item_ids(&named.items)?).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Removes photographs from their groups. Each then stands alone.
#[utoipa::path(post, path = "/api/batches/{id}/groups/split", tag = "batches", request_body = NamedItems,
    params(("id" = String, Path, description = "The id of the batch.")),
    responses((status = NO_CONTENT), problems::Write, problems::Body, problems::NotFound))]
pub(crate) async fn split_batch_items(
    SignedIn { app, user }: SignedIn,
    PathSegment(id): PathSegment,
    JsonBody(named): JsonBody<NamedItems>,
) -> Result<StatusCode, ApiError> {
    app.batches.split_items(&user, batch_id(&id)?, &item_ids(&named.items)?).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Restores how photographs were put together before, as an undo does. Each is taken out of its group, and the photographs
/// of each entry become one item. A photograph that nobody set apart can be proposed for a group again.
#[utoipa::path(put, path = "/api/batches/{id}/groups", tag = "batches", request_body = ArrangedItems,
    params(("id" = String, Path, description = "The id of the batch.")),
    responses((status = NO_CONTENT), problems::Write, problems::Body, problems::NotFound, problems::Invalid))]
pub(crate) async fn arrange_batch_items(
    SignedIn { app, user }: SignedIn,
    PathSegment(id): PathSegment,
    JsonBody(ArrangedItems { items }): JsonBody<ArrangedItems>,
) -> Result<StatusCode, ApiError> {
    let arranged = |ArrangedItem { photos, grouped_by }: &ArrangedItem| {
        Ok(AppArrangedItem { photos: item_ids(photos)?, by: grouped_by.map(GroupedBy::from) })
    };
    let items = items.iter().map(arranged).collect::<Result<Vec<_>, ApiError>>()?;
    app.batches.arrange_items(&user, batch_id(&id)?, &items).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Hides photographs in the list of a batch, or shows them again. Their scans stay in the history, and the exported
/// results mark them.
#[utoipa::path(post, path = "/api/batches/{id}/discard", tag = "batches", request_body = DiscardItems,
    params(("id" = String, Path, description = "The id of the batch.")),
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
