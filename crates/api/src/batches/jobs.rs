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
    /// The state of a batch, in this order: accepting photographs, not yet started; running; finished, with an answer
    /// or a reason for each photograph; stopped, with a `reason`; cancelled.
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
    /// The id of the vehicle of all its parts; absent if the parts are of any vehicles.
    #[schema(example = "0190a0a0-0000-7000-8000-000000000000")]
    vehicle_id: Option<String>,
    /// `true` to read the text and codes on each photograph before it is answered, as `read=wait` does for a scan: a
    /// part number can then decide the answer, and photographs can be found by it. The batch takes many times as long.
    #[serde(default, deserialize_with = "null_as_absent")]
    read_text: bool,
}

/// A job that identifies many photographs.
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
    /// Why it stopped, or why it waits although it runs, and what to do; otherwise null.
    #[schema(required)]
    reason: Option<String>,
    #[schema(value_type = String, format = DateTime)]
    #[serde(serialize_with = "crate::wire_time::moment")]
    created_at: Timestamp,
    counts: BatchProgress,
}

/// The number of photographs of a batch in each state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct BatchProgress {
    total: u64,
    /// Photographs that wait to be processed.
    waiting: u64,
    running: u64,
    /// Photographs with an answer, which is a scan.
    answered: u64,
    /// Photographs that show no known part.
    not_a_part: u64,
    /// Photographs without an answer, because of a failure.
    failed: u64,
    /// Photographs with the same bytes as an earlier one, which are not scanned again.
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

/// Creates an empty batch. Add photographs to it, then start it.
#[utoipa::path(post, path = "/api/batches", tag = "batches", request_body = NewBatch, responses(
    (status = CREATED, body = Batch),
    problems::Write, problems::Body,
    (status = NOT_FOUND, description = "No such vehicle."),
    (status = CONFLICT, description = "The account has reached its maximum number of batches, or a request with the same `Idempotency-Key` is still running."),
))]
pub(crate) async fn create_batch(
    SignedIn { app, user }: SignedIn,
    program: Option<Extension<KeyCaller>>,
    JsonBody(new): JsonBody<NewBatch>,
) -> Result<(StatusCode, Json<Batch>), ApiError> {
    // Stored with the batch, because its scans are made later, without a key.
    let source = program.map_or(ScanSource::Web, |Extension(program)| ScanSource::Key(program.key.id));
    let form = NewBatchForm {
        name: new.name,
        vehicle_id: vehicle_filter(new.vehicle_id.as_deref())?,
        reads_text: new.read_text,
    };
    let batch = app.batches.create(&user, &form, source).await?;
    Ok((StatusCode::CREATED, Json(batch.into())))
}

/// Lists your batches, the newest first.
#[utoipa::path(get, path = "/api/batches", tag = "batches",
    responses((status = OK, body = Vec<Batch>), problems::SignedIn))]
pub(crate) async fn list_batches(SignedIn { app, user }: SignedIn) -> Result<Json<Vec<Batch>>, ApiError> {
    let batches = app.batches.list(&user).await?;
    Ok(Json(batches.into_iter().map(Batch::from).collect()))
}

/// Returns one batch with its progress.
#[utoipa::path(get, path = "/api/batches/{id}", tag = "batches",
    params(("id" = String, Path, description = "The id of the batch.")),
    responses((status = OK, body = Batch), problems::SignedIn, problems::NotFound))]
pub(crate) async fn get_batch(
    SignedIn { app, user }: SignedIn,
    PathSegment(id): PathSegment,
) -> Result<Json<Batch>, ApiError> {
    Ok(Json(app.batches.get(&user, batch_id(&id)?).await?.into()))
}

/// Starts a batch, or continues it after it stopped.
///
/// Each answer is a scan of yours and counts as one against the allowance. If the allowance runs out, the batch stops
/// and gives the reason. Single scans have priority over batches.
#[utoipa::path(post, path = "/api/batches/{id}/start", tag = "batches",
    params(("id" = String, Path, description = "The id of the batch.")),
    responses(
        (status = OK, body = Batch),
        problems::Write, problems::NotFound, problems::Invalid,
        (status = CONFLICT, description = "The batch is cancelled."),
    ))]
pub(crate) async fn start_batch(
    SignedIn { app, user }: SignedIn,
    PathSegment(id): PathSegment,
) -> Result<Json<Batch>, ApiError> {
    Ok(Json(app.batches.start(&user, batch_id(&id)?).await?.into()))
}

/// Cancels a batch. Waiting photographs are not processed; photographs in progress are neither saved nor counted
/// against the allowance.
#[utoipa::path(post, path = "/api/batches/{id}/cancel", tag = "batches",
    params(("id" = String, Path, description = "The id of the batch.")),
    responses((status = OK, body = Batch), problems::Write, problems::NotFound))]
pub(crate) async fn cancel_batch(
    SignedIn { app, user }: SignedIn,
    PathSegment(id): PathSegment,
) -> Result<Json<Batch>, ApiError> {
    Ok(Json(app.batches.cancel(&user, batch_id(&id)?).await?.into()))
}

/// Processes the failed and cancelled photographs of a batch again.
#[utoipa::path(post, path = "/api/batches/{id}/retry", tag = "batches",
    params(("id" = String, Path, description = "The id of the batch.")),
    responses((status = OK, body = Batch), problems::Write, problems::NotFound))]
pub(crate) async fn retry_batch(
    SignedIn { app, user }: SignedIn,
    PathSegment(id): PathSegment,
) -> Result<Json<Batch>, ApiError> {
    Ok(Json(app.batches.retry(&user, batch_id(&id)?).await?.into()))
}

/// Deletes a batch with its list of photographs, and the photographs that are still waiting. Its scans stay in the
/// history.
#[utoipa::path(delete, path = "/api/batches/{id}", tag = "batches",
    params(("id" = String, Path, description = "The id of the batch.")),
    responses((status = NO_CONTENT), problems::Write, problems::NotFound))]
pub(crate) async fn delete_batch(
    SignedIn { app, user }: SignedIn,
    PathSegment(id): PathSegment,
) -> Result<StatusCode, ApiError> {
    app.batches.delete(&user, batch_id(&id)?).await?;
    Ok(StatusCode::NO_CONTENT)
}
