//! Ends uploads that are too slow, and drains request bodies that were answered before they were read.

use std::future::poll_fn;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::body::{Body, Bytes, HttpBody};
use axum::extract::{Request, State};
use axum::http::HeaderValue;
use axum::http::header::{CONNECTION, EXPECT};
use axum::middleware::Next;
use axum::response::Response;
use hyper::body::{Frame, SizeHint};
use tokio::sync::oneshot;
use tokio::time::{Instant, Sleep, sleep, timeout};

use crate::error::Stalled;
use crate::{ApiError, ApiState, ConnectionLimits};

/// Gives every body a deadline, and closes the connection if a body misses it or is not read to its end.
///
/// A client that is answered while it still sends sees a broken connection instead of the response. So the rest of
/// a body is read and discarded, up to the size of one photograph. If more is left, the response says `Connection:
/// close`.
pub(crate) async fn hurry_bodies(State(state): State<ApiState>, request: Request, next: Next) -> Response {
    if request.body().is_end_stream() {
        return next.run(request).await;
    }
    let limits = state.limits;
    let patience = limits.body_grace;
    // A client that sends `Expect` waits for us to start reading its body; draining would start it.
    let waits_to_send = request.headers().contains_key(EXPECT);
    // The handler owns the body and may drop it at any time; the channel returns what is left of it.
    let (back, left) = oneshot::channel();
    let lend = |body| LentBody { body: Some(HurriedBody::new(body, limits)), back: Some(back) };
    let mut response = next.run(request.map(|body| Body::new(lend(body)))).await;
    // A body that was too slow for the handler is not drained.
    let is_read = response.status() != ApiError::upload_stalled().status()
        && match { left }.try_recv() {
            Ok(body) if body.is_end_stream() => true,
            Ok(body) if waits_to_send && body.received == 0 => false,
            Ok(body) => {
                let drained = drain(body, state.max_photo_bytes as u64);
                timeout(patience, drained).await.unwrap_or_default()
            }
            // The body has not been dropped: something still reads it to its end.
            Err(_) => true,
        };
    if !is_read {
        // Otherwise the rest of the body would be read as the next request, or waited for.
        response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
    }
    response
}

/// How long the rest of a body may pause. A refused client waits that long for its response; a client that keeps
/// sending pauses for less.
const LONGEST_PAUSE: Duration = Duration::from_millis(500);

/// Reads and discards a body. Returns whether it ended within `limit` bytes and without a long pause.
async fn drain(mut body: HurriedBody, limit: u64) -> bool {
    // The announced length exceeds the limit: no need to read at all.
    if body.size_hint().lower() > limit {
        return false;
    }
    let end = body.received.saturating_add(limit);
    loop {
        match timeout(LONGEST_PAUSE, poll_fn(|cx| Pin::new(&mut body).poll_frame(cx))).await {
            Ok(None) => return true,
            Ok(Some(Ok(_))) if body.received <= end => {}
            Ok(Some(_)) | Err(_) => return false,
        }
    }
}

/// A body that, when dropped, sends itself back through the channel.
struct LentBody {
    /// `None` once sent back.
    body: Option<HurriedBody>,
    back: Option<oneshot::Sender<HurriedBody>>,
}

impl Drop for LentBody {
    fn drop(&mut self) {
        if let (Some(body), Some(back)) = (self.body.take(), self.back.take()) {
            // The receiver is dropped if the connection has ended.
            let _ = back.send(body);
        }
    }
}

impl HttpBody for LentBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        match &mut self.body {
            Some(body) => Pin::new(body).poll_frame(cx),
            None => Poll::Ready(None),
        }
    }

    fn is_end_stream(&self) -> bool {
        self.body.as_ref().is_none_or(HttpBody::is_end_stream)
    }

    fn size_hint(&self) -> SizeHint {
        self.body.as_ref().map(HttpBody::size_hint).unwrap_or_default()
    }
}

/// A body with a deadline that grows with the bytes received.
///
/// Only the time in which we waited for data counts, so neither slow processing between two frames nor a client
/// that sends without a pause can miss the deadline.
struct HurriedBody {
    inner: Body,
    limits: ConnectionLimits,
    received: u64,
    /// Total time waited, without the current wait.
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

/// How long we wait for a body in total, after `received` bytes.
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
        // The timer starts only if there is nothing to read, so that a body without pauses costs none.
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
