//! Batches themselves.

use axum::Extension;
use axum::Json;
use axum::http::StatusCode;
use jiff::Timestamp;
use partsight_app::{KeyCaller, NewBatchForm};
use partsight_domain::{BatchCounts, BatchItemState, ScanSource};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::extract::{JsonBody, PathSegment, SignedIn, null_as_absent};
use crate::ids::{batch_id, vehicle_filter};
use crate::wire_enum::wire_enum;
use crate::{ApiError, problems};

wire_enum!(
    /// What a batch is doing: it takes photographs and waits to be started; it is being answered; every photograph has its
    /// answer or the reason why it has none; it cannot go on and says why; somebody ended it.
    BatchState from partsight_domain::BatchState { Open, Running, Done, Stopped, Cancelled }
);

/// A new batch.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(example = json!({ "name": "Returns of Monday" }))]
pub(crate) struct NewBatch {
    /// One line of at most 100 characters.
    #[schema(example = "Returns of Monday")]
    name: String,
    /// The vehicle of all its parts; without it the parts are of any.
    #[schema(example = "0190a0a0-0000-7000-8000-000000000000")]
    vehicle_id: Option<String>,
    /// `true` to read the text and codes on each photograph before it is answered, as `read=wait` does for a scan: a part
    /// number can settle the answer, and photographs are found by it. A batch takes many times as long then.
    #[serde(default, deserialize_with = "null_as_absent")]
    read_text: bool,
}

/// Many photographs as one job.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Batch {
    id: String,
    #[schema(example = "Returns of Monday")]
    name: String,
    #[schema(required)]
    vehicle_id: Option<String>,
    /// Whether the text on its photographs is read.
    read_text: bool,
    state: BatchState,
    /// Why it stopped, and what to do; else null.
    #[schema(required)]
    reason: Option<String>,
    #[schema(value_type = String, format = DateTime)]
    #[serde(serialize_with = "crate::wire_time::moment")]
    created_at: Timestamp,
    counts: BatchProgress,
}

/// How many photographs of a batch are in each state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct BatchProgress {
    total: u64,
    /// Their turn has not come.
    waiting: u64,
    running: u64,
    /// They have an answer, which is a scan.
    answered: u64,
    /// They show no known part.
    not_a_part: u64,
    /// They have no answer, and say why.
    failed: u64,
    /// The same photograph came before, and is not scanned again.
    duplicate: u64,
    cancelled: u64,
}

impl From<BatchCounts> for BatchProgress {
    fn from(counts: BatchCounts) -> Self {
        Self {
            total: counts.total(),
            waiting: counts.of(BatchItemState::Waiting),
            running: counts.of(BatchItemState::Running),
            answered: counts.of(BatchItemState::Answered),
            not_a_part: counts.of(BatchItemState::NotAPart),
            failed: counts.of(BatchItemState::Failed),
            duplicate: counts.of(BatchItemState::Duplicate),
            cancelled: counts.of(BatchItemState::Cancelled),
        }
    }
}

impl From<partsight_domain::Batch> for Batch {
    fn from(batch: partsight_domain::Batch) -> Self {
        Self {
            id: batch.id.to_string(),
            name: batch.name,
            vehicle_id: batch.vehicle_id.map(|id| id.to_string()),
            read_text: batch.reads_text,
            state: batch.state.into(),
            reason: batch.reason,
            created_at: batch.created_at,
            counts: batch.counts.into(),
        }
    }
}

/// Makes an empty batch, which takes photographs and is then started.
#[utoipa::path(post, path = "/api/batches", tag = "batches", request_body = NewBatch, responses(
    (status = CREATED, body = Batch),
    problems::Write, problems::Body,
    (status = NOT_FOUND, description = "No such vehicle."),
    (status = CONFLICT, description = "The account has as many batches as it may, or the same call, by its `Idempotency-Key`, is running at this moment."),
))]
pub(crate) async fn create_batch(
    SignedIn { app, user }: SignedIn,
    program: Option<Extension<KeyCaller>>,
    JsonBody(new): JsonBody<NewBatch>,
) -> Result<(StatusCode, Json<Batch>), ApiError> {
    // Kept with the batch, because its scans are made later, when no key is at hand.
    let source = program.map_or(ScanSource::Web, |Extension(program)| ScanSource::Key(program.key.id));
    let form = NewBatchForm {
        name: new.name,
        vehicle_id: vehicle_filter(new.vehicle_id.as_deref())?,
        reads_text: new.read_text,
    };
    let batch = app.batches.create(&user, &form, source).await?;
    Ok((StatusCode::CREATED, Json(batch.into())))
}

/// Your batches, the newest first.
#[utoipa::path(get, path = "/api/batches", tag = "batches",
    responses((status = OK, body = Vec<Batch>), problems::SignedIn))]
pub(crate) async fn list_batches(SignedIn { app, user }: SignedIn) -> Result<Json<Vec<Batch>>, ApiError> {
    let batches = app.batches.list(&user).await?;
    Ok(Json(batches.into_iter().map(Batch::from).collect()))
}

/// One batch, with how far it is.
#[utoipa::path(get, path = "/api/batches/{id}", tag = "batches",
    params(("id" = String, Path, description = "The batch.")),
    responses((status = OK, body = Batch), problems::SignedIn, problems::NotFound))]
pub(crate) async fn get_batch(
    SignedIn { app, user }: SignedIn,
    PathSegment(id): PathSegment,
) -> Result<Json<Batch>, ApiError> {
    Ok(Json(app.batches.get(&user, batch_id(&id)?).await?.into()))
}

/// Lets the photographs of a batch be answered, for the first time or to go on after it stopped.
///
/// Each answer is a scan of yours and counts as one. A batch that the allowance does not reach for stops and says so.
/// People at a screen come first.
#[utoipa::path(post, path = "/api/batches/{id}/start", tag = "batches",
    params(("id" = String, Path, description = "The batch.")),
    responses(
        (status = OK, body = Batch),
        problems::Write, problems::NotFound, problems::Invalid,
        (status = CONFLICT, description = "It was cancelled."),
    ))]
pub(crate) async fn start_batch(
    SignedIn { app, user }: SignedIn,
    PathSegment(id): PathSegment,
) -> Result<Json<Batch>, ApiError> {
    Ok(Json(app.batches.start(&user, batch_id(&id)?).await?.into()))
}

/// Ends a batch: what waits is not tried, and what is being worked on is neither saved nor counted.
#[utoipa::path(post, path = "/api/batches/{id}/cancel", tag = "batches",
    params(("id" = String, Path, description = "The batch.")),
    responses((status = OK, body = Batch), problems::Write, problems::NotFound))]
pub(crate) async fn cancel_batch(
    SignedIn { app, user }: SignedIn,
    PathSegment(id): PathSegment,
) -> Result<Json<Batch>, ApiError> {
    Ok(Json(app.batches.cancel(&user, batch_id(&id)?).await?.into()))
}

/// Tries the photographs again that failed or were cancelled.
#[utoipa::path(post, path = "/api/batches/{id}/retry", tag = "batches",
    params(("id" = String, Path, description = "The batch.")),
    responses((status = OK, body = Batch), problems::Write, problems::NotFound))]
pub(crate) async fn retry_batch(
    SignedIn { app, user }: SignedIn,
    PathSegment(id): PathSegment,
) -> Result<Json<Batch>, ApiError> {
    Ok(Json(app.batches.retry(&user, batch_id(&id)?).await?.into()))
}

/// Deletes a batch with its list and the photographs that wait. Its scans stay in the history.
#[utoipa::path(delete, path = "/api/batches/{id}", tag = "batches",
    params(("id" = String, Path, description = "The batch.")),
    responses((status = NO_CONTENT), problems::Write, problems::NotFound))]
pub(crate) async fn delete_batch(
    SignedIn { app, user }: SignedIn,
    PathSegment(id): PathSegment,
) -> Result<StatusCode, ApiError> {
    app.batches.delete(&user, batch_id(&id)?).await?;
    Ok(StatusCode::NO_CONTENT)
}
