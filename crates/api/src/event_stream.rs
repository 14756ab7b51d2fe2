//! Responses that stay open: server-sent events.

use std::convert::Infallible;

use axum::response::sse::{Event, KeepAlive};
use axum::response::{IntoResponse, Response, Sse};
use futures_util::{Stream, StreamExt as _};
use partsight_domain::User;

use crate::{ApiError, ApiState};

/// nginx and similar proxies buffer a response until the buffer is full: events would arrive a minute late.
const UNBUFFERED: (&str, &str) = ("x-accel-buffering", "no");

/// A response of server-sent events that proxies do not buffer and caches do not store. It ends when the server
/// shuts down, which would otherwise wait for it; clients reconnect.
///
/// # Errors
/// 503 if the user, or all users together, have too many streams open.
pub(crate) fn event_stream(
    state: &ApiState,
    user: &User,
    events: impl Stream<Item = Result<Event, Infallible>> + Send + 'static,
) -> Result<Response, ApiError> {
    let place = state.streams.take(user)?;
    let operations = state.app.operations.clone();
    let stopped = async move { operations.until_draining().await };
    let events = events.take_until(stopped).map(move |event| {
        // Held for as long as the stream is open.
        let _held = &place;
        event
    });
    let headers = [UNBUFFERED, ("cache-control", "no-store")];
    Ok((headers, Sse::new(events).keep_alive(KeepAlive::default())).into_response())
}
