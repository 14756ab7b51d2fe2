//! The progress of a batch while it runs.

use std::time::Duration;

use axum::extract::State;
use axum::response::Response;
use axum::response::sse::Event;
use futures_util::stream::unfold;
use partsight_app::App;
use partsight_domain::{BatchId, User};
use tokio::time::{Instant, sleep};

use super::jobs::Batch;
use crate::event_stream::event_stream;
use crate::extract::{PathSegment, SignedIn};
use crate::ids::batch_id;
use crate::{ApiError, ApiState, problems};

/// How often the batch is queried.
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// After this time the stream ends, and its client connects again: so a user who signed out gets no events for long.
const STREAM_LIMIT: Duration = Duration::from_mins(1);

struct Progress {
    app: App,
    user: User,
    id: BatchId,
    until: Instant,
    last: Option<String>,
    is_over: bool,
}

impl Progress {
    /// The batch, once it has changed; `None` at the end of the stream.
    async fn next(&mut self) -> Option<Event> {
        while !self.is_over && Instant::now() < self.until {
            // Also if the batch was deleted meanwhile: the client connects again and gets the error.
            let Ok(batch) = self.app.batches.get(&self.user, self.id).await else { return None };
            self.is_over = !matches!(
                batch.state,
                partsight_domain::BatchState::Open | partsight_domain::BatchState::Running
            );
            let now = serde_json::to_string(&Batch::from(batch)).ok()?;
            if self.last.as_ref() != Some(&now) {
                self.last = Some(now.clone());
                return Some(Event::default().event("progress").data(now));
            }
            sleep(LOOK_EVERY).await;
        }
        None
    }
}

/// Streams the progress of a batch as server-sent events named `progress`. Each has the JSON of `GET
/// /api/batches/{id}`. One is sent at once, and one after each change. The stream ends after a minute, or when the
/// batch ends.
#[utoipa::path(get, path = "/api/batches/{id}/events", tag = "batches",
    params(("id" = String, Path, description = "The id of the batch.")),
    responses(
        (status = OK, body = String, content_type = "text/event-stream"),
        problems::SignedIn, problems::NotFound, problems::Unavailable,
    ))]
pub(crate) async fn watch_batch(
    State(state): State<ApiState>,
    SignedIn { app, user }: SignedIn,
    PathSegment(id): PathSegment,
) -> Result<Response, ApiError> {
    let id = batch_id(&id)?;
    // Before the stream begins, since afterwards no status can be sent.
    app.batches.get(&user, id).await?;
    let progress = Progress {
        app,
        user: user.clone(),
        id,
        until: Instant::now() + STREAM_LIMIT,
        last: None,
        is_over: false,
    };
    let events = unfold(progress, async |mut progress| {
        let event = progress.next().await?;
        Some((Ok(event), progress))
    });
    event_stream(&state, &user, events)
}
