//! What happens around every request: its id, its log line, and the rendering of errors.

use std::time::Instant;

use axum::extract::{MatchedPath, Request};
use axum::http::HeaderValue;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use uuid::Uuid;

use crate::ApiError;

const REQUEST_ID: &str = "x-request-id";

/// Gives the request an id, renders an [`ApiError`] with it, and writes one log line.
///
/// The log line has the route pattern, not the path: ids and search words are nobody's business.
pub(crate) async fn observe(request: Request, next: Next) -> Response {
    let start = Instant::now();
    let request_id = Uuid::now_v7().to_string();
    let method = request.method().clone();
    let route = request
        .extensions()
        .get::<MatchedPath>()
        .map_or_else(|| "(web)".to_owned(), |path| path.as_str().to_owned());

    let mut response = next.run(request).await;
    if let Some(error) = response.extensions_mut().remove::<ApiError>() {
        let headers = std::mem::take(response.headers_mut());
        response = error.render(&request_id);
        // Such as the `Allow` of a refused method.
        for (name, value) in &headers {
            if !response.headers().contains_key(name) && name != "content-length" {
                response.headers_mut().insert(name, value.clone());
            }
        }
    }
    if let Ok(value) = HeaderValue::from_str(&request_id) {
        response.headers_mut().insert(REQUEST_ID, value);
    }
    tracing::debug!(
        request.id = request_id,
        http.method = %method,
        http.route = route,
        http.status = response.status().as_u16(),
        duration_ms = start.elapsed().as_secs_f32() * 1000.0,
        "answered"
    );
    response
}

/// The answer to a request whose handler panicked.
#[expect(clippy::needless_pass_by_value, reason = "the layer hands the payload over")]
pub(crate) fn panicked(payload: Box<dyn std::any::Any + Send>) -> Response {
    let text = payload
        .downcast_ref::<&str>()
        .map(ToString::to_string)
        .or_else(|| payload.downcast_ref::<String>().cloned())
        .unwrap_or_default();
    ApiError::internal(std::io::Error::other(format!("a handler panicked: {text}"))).into_response()
}
