//! The turn that a call which only reads has, and how much memory its answer takes until it is sent.

use std::pin::Pin;
use std::task::{Context, Poll};

use axum::body::{Body, Bytes, HttpBody};
use axum::extract::{Request, State};
use axum::http::Method;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use hyper::body::{Frame, SizeHint};
use partsight_app::HeldTurn;

use crate::{ApiError, ApiState};

/// An answer from this size on keeps its turn until it is sent, in bytes.
const LARGE: u64 = 1 << 20;

/// Keeps the turn of a GET from the moment when its user is known until its answer begins, and that of a large answer
/// until it is sent: clients decide how long that takes.
///
/// # Errors
/// 503 for a large answer if those that are being sent, of this account or all, take too much memory.
pub(crate) async fn hold_turn(State(state): State<ApiState>, request: Request, next: Next) -> Response {
    if !matches!(*request.method(), Method::GET | Method::HEAD) {
        return next.run(request).await;
    }
    let held = HeldTurn::default();
    let response = held.during(next.run(request)).await;
    let n_bytes = response.body().size_hint().lower();
    let Some(turn) = held.take().filter(|_| n_bytes >= LARGE) else { return response };
    match state.answers.take(turn.person, n_bytes) {
        Ok(memory) => response.map(|body| Body::new(KeptBody { body, _held: (turn, memory) })),
        Err(error) => ApiError::from(error).into_response(),
    }
}

/// A body that holds a turn and memory until its last byte was taken from it.
struct KeptBody<T> {
    body: Body,
    _held: T,
}

impl<T: Unpin> HttpBody for KeptBody<T> {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(cx)
    }

    /// Never before the end was polled: a body that says so is dropped with its last bytes still unsent.
    fn is_end_stream(&self) -> bool {
        false
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
