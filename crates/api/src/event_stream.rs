//! Answers that go on while something happens: server-sent events.

use std::convert::Infallible;

use axum::response::sse::{Event, KeepAlive};
use axum::response::{IntoResponse, Response, Sse};
use futures_util::Stream;

/// nginx, and what follows its example, collects an answer until a buffer is full: events would come a minute late.
const UNBUFFERED: (&str, &str) = ("x-accel-buffering", "no");

/// The events as an answer that each proxy hands on at once and no cache keeps.
pub(crate) fn event_stream(
    events: impl Stream<Item = Result<Event, Infallible>> + Send + 'static,
) -> Response {
    let headers = [UNBUFFERED, ("cache-control", "no-store")];
    (headers, Sse::new(events).keep_alive(KeepAlive::default())).into_response()
}
