//! The headers that keep answers from staying where others find them.

use axum::extract::{Request, State};
use axum::http::HeaderValue;
use axum::http::header::{CACHE_CONTROL, STRICT_TRANSPORT_SECURITY};
use axum::middleware::Next;
use axum::response::Response;

use crate::ApiState;

/// Browsers come by https alone for a year after each visit. Other names below ours are not ours to decide on.
const HTTPS_ALONE: &str = "max-age=31536000";

/// Lets no cache keep an answer of the API, unless its handler says that it may, and keeps browsers to https where
/// they come by it.
pub(crate) async fn keep_private(State(state): State<ApiState>, request: Request, next: Next) -> Response {
    let is_call = request.uri().path().starts_with("/api/");
    let mut response = next.run(request).await;
    if is_call {
        // The default is the strict one, so that a call that is added without a thought for caches keeps its answers
        // private.
        response.headers_mut().entry(CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    }
    if state.is_https() {
        response.headers_mut().insert(STRICT_TRANSPORT_SECURITY, HeaderValue::from_static(HTTPS_ALONE));
    }
    response
}
