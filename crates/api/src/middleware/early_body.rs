//! Reads the body of a write before anybody's rights are looked up.

use axum::body::{Body, Bytes, HttpBody};
use axum::extract::Request;
use axum::http::Method;
use axum::middleware::Next;
use axum::response::Response;
use futures_util::{StreamExt as _, stream};

use crate::body_limit::MAX_BODY_BYTES;
use crate::files::media_type;

/// Receives a small body whole before the layers and extractors that look up session, key and role.
///
/// Otherwise a client that holds back the last byte would act with rights that were taken from it meanwhile. Forms and
/// bodies beyond [`MAX_BODY_BYTES`] need a place among the uploads first, which only an account has: their handlers look
/// the rights up again ([`Sender`](crate::sender::Sender)).
pub(crate) async fn receive_body(request: Request, next: Next) -> Response {
    let reads = matches!(*request.method(), Method::GET | Method::HEAD | Method::OPTIONS);
    let is_form = media_type(request.headers()).starts_with("multipart/");
    if reads || is_form || request.body().size_hint().lower() > MAX_BODY_BYTES as u64 {
        return next.run(request).await;
    }
    let (parts, body) = request.into_parts();
    next.run(Request::from_parts(parts, received(body).await)).await
}

/// The same body, received up to its end, an error, or a little more than [`MAX_BODY_BYTES`]. Errors are left to the
/// handler, which knows what it refuses first.
async fn received(body: Body) -> Body {
    let (mut start, mut rest) = (Vec::new(), body.into_data_stream());
    while start.len() <= MAX_BODY_BYTES {
        match rest.next().await {
            Some(Ok(chunk)) => start.extend_from_slice(&chunk),
            Some(Err(error)) => {
                return Body::from_stream(stream::iter([Ok(Bytes::from(start)), Err(error)]));
            }
            None => return Body::from(start),
        }
    }
    Body::from_stream(stream::iter([Ok(Bytes::from(start))]).chain(rest))
}

#[cfg(test)]
mod tests {
    use axum::body::to_bytes;

    use super::*;

    #[tokio::test]
    async fn a_body_stays_the_same() {
        for n_bytes in [0, 1, MAX_BODY_BYTES, MAX_BODY_BYTES + 1, 3 * MAX_BODY_BYTES] {
            let sent: Vec<u8> = (0..=250).cycle().take(n_bytes).collect();
            let chunks: Vec<_> =
                sent.chunks(1000).map(|chunk| Ok::<_, axum::Error>(chunk.to_vec())).collect();
            let body = received(Body::from_stream(stream::iter(chunks))).await;
            assert_eq!(body.size_hint().exact().is_some(), n_bytes <= MAX_BODY_BYTES, "{n_bytes}");
            assert_eq!(to_bytes(body, usize::MAX).await.unwrap(), sent, "{n_bytes}");
        }
        let broken = [Ok("half"), Err(std::io::Error::other("cut off"))];
        let body = received(Body::from_stream(stream::iter(broken))).await;
        assert!(to_bytes(body, usize::MAX).await.is_err());
    }
}
