//! Answers that go on while something happens: server-sent events.

use std::convert::Infallible;

use axum::response::sse::{Event, KeepAlive};
use axum::response::{IntoResponse, Response, Sse};
use futures_util::{Stream, StreamExt as _};
use partsight_domain::User;

use crate::{ApiError, ApiState};

/// nginx, and what follows its example, collects an answer until a buffer is full: events would come a minute late.
const UNBUFFERED: (&str, &str) = ("x-accel-buffering", "no");

/// The events as an answer that each proxy hands on at once and no cache keeps. It ends when the server is told to stop,
/// which would wait for it; clients ask anew.
///
/// # Errors
/// 503 where the user has too many streams, or all together have.
pub(crate) fn event_stream(
    state: &ApiState,
    user: &User,
    events: impl Stream<Item = Result<Event, Infallible>> + Send + 'static,
) -> Result<Response, ApiError> {
    let place = state.streams.take(user)?;
    let operations = state.app.operations.clone();
    let stopped = async move { operations.until_draining().await };
    let events = events.take_until(stopped).map(move |event| {
        // Held for as long as there is a stream.
        let _held = &place;
        event
    });
    let headers = [UNBUFFERED, ("cache-control", "no-store")];
    Ok((headers, Sse::new(events).keep_alive(KeepAlive::default())).into_response())
}
