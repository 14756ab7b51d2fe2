//! Ends uploads that come too slowly.

use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::body::{Body, Bytes, HttpBody};
use axum::extract::{Request, State};
use axum::http::HeaderValue;
use axum::http::header::CONNECTION;
use axum::middleware::Next;
use axum::response::Response;
use hyper::body::{Frame, SizeHint};
use tokio::time::{Instant, Sleep, sleep};

use crate::error::Stalled;
use crate::{ApiError, ApiState, ConnectionLimits};

/// Gives every body a deadline, and closes the connection of one that missed it.
pub(crate) async fn hurry_bodies(State(state): State<ApiState>, request: Request, next: Next) -> Response {
    if request.body().is_end_stream() {
        return next.run(request).await;
    }
    let limits = state.limits;
    let mut response = next.run(request.map(|body| Body::new(HurriedBody::new(body, limits)))).await;
    if response.status() == ApiError::upload_stalled().status() {
        // The rest of the body would be taken for the next request, or waited for.
        response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
    }
    response
}

/// A body that may keep us waiting for a while, and for longer the more of it has arrived.
///
/// What counts is the time in which we asked for more and there was none: neither what the server does between two
/// pieces nor a client that sends without a pause can miss the deadline.
struct HurriedBody {
    inner: Body,
    limits: ConnectionLimits,
    received: u64,
    /// Before the wait that is going on.
    waited: Duration,
    wait: Option<Wait>,
}

struct Wait {
    since: Instant,
    end: Pin<Box<Sleep>>,
}

impl HurriedBody {
    fn new(inner: Body, limits: ConnectionLimits) -> Self {
        Self { inner, limits, received: 0, waited: Duration::ZERO, wait: None }
    }
}

/// How long a body may keep us waiting in all when so many bytes of it have arrived.
fn allowance(limits: &ConnectionLimits, received: u64) -> Duration {
    let earned = received / u64::from(limits.body_bytes_per_second.max(1));
    limits.body_grace.saturating_add(Duration::from_secs(earned)).min(limits.body_total)
}

impl HttpBody for HurriedBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let this = &mut *self;
        if let Poll::Ready(frame) = Pin::new(&mut this.inner).poll_frame(cx) {
            if let Some(wait) = this.wait.take() {
                this.waited += wait.since.elapsed();
            }
            let data = frame.as_ref().and_then(|frame| frame.as_ref().ok()?.data_ref());
            this.received += data.map_or(0, |data| data.len() as u64);
            return Poll::Ready(frame);
        }
        let left = allowance(&this.limits, this.received).saturating_sub(this.waited);
        let wait =
            this.wait.get_or_insert_with(|| Wait { since: Instant::now(), end: Box::pin(sleep(left)) });
        ready!(wait.end.as_mut().poll(cx));
        Poll::Ready(Some(Err(axum::Error::new(Stalled))))
    }

    fn is_end_stream(&self) -> bool {
        self.inner.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.inner.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_arrived_earns_time() {
        let limits = ConnectionLimits::default();
        for (received, seconds) in
            [(0, 10), (9_999, 10), (10_000, 11), (1_000_000, 110), (100_000_000, 900), (u64::MAX, 900)]
        {
            assert_eq!(allowance(&limits, received), Duration::from_secs(seconds), "{received}");
        }
    }
}
