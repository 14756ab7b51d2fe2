//! The events of an account as a stream.

use std::collections::VecDeque;
use std::time::Duration;

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use axum::response::sse::Event;
use futures_util::stream::unfold;
use partsight_app::App;
use partsight_domain::{AccountEvent, InvalidInput, User, messages};
use serde::Deserialize;
use tokio::time::{Instant, sleep};
use utoipa::IntoParams;

use crate::event_stream::event_stream;
use crate::extract::{QueryString, SignedIn};
use crate::{ApiError, ApiState, problems};

/// How often new events are queried.
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// After this time the stream ends, and its client connects again: so a client whose key was revoked gets no events for
/// long.
const STREAM_LIMIT: Duration = Duration::from_mins(1);
/// When a client connects again; it misses no events in between.
const RECONNECT: Duration = Duration::from_secs(1);
const LAST_EVENT_ID: &str = "last-event-id";

struct Watch {
    app: App,
    user: User,
    /// The number of the last event that was sent.
    last: u64,
    ready: bool,
    waiting: VecDeque<AccountEvent>,
    until: Instant,
}

impl Watch {
    /// The next event, once there is one; `None` at the end of the stream.
    async fn next(&mut self) -> Option<Event> {
        if !self.ready {
            self.ready = true;
            // Tells the client its position before any event happens.
            return Some(
                Event::default().event("ready").id(self.last.to_string()).data("{}").retry(RECONNECT),
            );
        }
        loop {
            if let Some(event) = self.waiting.pop_front() {
                self.last = event.number;
                let id = event.number.to_string();
                return Some(
                    Event::default().event(event.kind.as_str()).id(id).data(event.payload().to_string()),
                );
            }
            // Checked only if no event is waiting, so that events that were read are never lost.
            if Instant::now() >= self.until {
                return None;
            }
            self.waiting = self.app.events.after(&self.user, self.last).await.ok()?.into();
            if self.waiting.is_empty() {
                sleep(LOOK_EVERY).await;
            }
        }
    }
}

#[derive(Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct EventsQuery {
    /// Same as the header `Last-Event-ID`, for clients that cannot set headers. The header takes precedence.
    #[param(example = "41")]
    after: Option<String>,
}

/// Streams the events of your account as server-sent events: `scan.answered`, `batch.finished`, `batch.stopped`,
/// `batch.item-failed` and `reminder.due`, with the same JSON as a webhook delivery.
///
/// The first event is `ready`; its id is that of the latest event, or the id that the client sent. Ids increase. The
/// stream ends after a minute. A client that connects again with the id of the last event it received in
/// `Last-Event-ID` (browsers do this) gets all later events; events are kept for at least three days. An id that is
/// higher than that of the latest event, which can happen after an older backup was restored, counts as that of the
/// latest event. An API key needs the scope `events`.
#[utoipa::path(get, path = "/api/events", tag = "events",
    params(EventsQuery, ("Last-Event-ID" = Option<String>, Header, description = "Only events after the one with this id.")),
    responses(
        (status = OK, body = String, content_type = "text/event-stream"),
        problems::SignedIn, problems::Invalid, problems::Unavailable,
    ))]
pub(crate) async fn watch_events(
    State(state): State<ApiState>,
    SignedIn { app, user }: SignedIn,
    QueryString(query): QueryString<EventsQuery>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    // A value that is not text becomes one that is not a number, which is refused. If it were ignored, the client would
    // miss events without knowing.
    let named = headers.get(LAST_EVENT_ID).map(|value| value.to_str().unwrap_or("?").to_owned());
    let named = named.or(query.after).filter(|text| !text.is_empty());
    let named = named.map(|text| text.parse::<u64>()).transpose();
    let named = named.map_err(|_| InvalidInput::new("after", messages::EVENT_ID))?;
    let newest = app.events.last_number(&user).await?;
    // After an older backup was restored, numbers are lower: a client that waits for its own number would miss all
    // events until then.
    let last = named.map_or(newest, |number| number.min(newest));
    let until = Instant::now() + STREAM_LIMIT;
    let watch = Watch { app, user: user.clone(), last, ready: false, waiting: VecDeque::new(), until };
    let events = unfold(watch, async |mut watch| {
        let event = watch.next().await?;
        Some((Ok(event), watch))
    });
    event_stream(&state, &user, events)
}
