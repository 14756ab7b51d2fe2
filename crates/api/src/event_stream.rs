//! Answers that go on while something happens: server-sent events.

use std::convert::Infallible;

use axum::response::sse::{Event, KeepAlive};
use axum::response::{IntoResponse, Response, Sse};
use futures_util::{Stream, StreamExt as _};
use partsight_app::App;

/// nginx, and what follows its example, collects an answer until a buffer is full: events would come a minute late.
const UNBUFFERED: (&str, &str) = ("x-accel-buffering", "no");

/// The events as an answer that each proxy hands on at once and no cache keeps. It ends when the server is told to stop,
/// which would wait for it; clients ask anew.
pub(crate) fn event_stream(
    app: &App,
    events: impl Stream<Item = Result<Event, Infallible>> + Send + 'static,
) -> Response {
    let operations = app.operations.clone();
    let stopped = async move { operations.until_draining().await };
    let headers = [UNBUFFERED, ("cache-control", "no-store")];
    (headers, Sse::new(events.take_until(stopped)).keep_alive(KeepAlive::default())).into_response()
}
