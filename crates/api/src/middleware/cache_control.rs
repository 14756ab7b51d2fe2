//! Headers that keep responses out of caches and browsers on https.

use axum::extract::{Request, State};
use axum::http::HeaderValue;
use axum::http::header::{CACHE_CONTROL, STRICT_TRANSPORT_SECURITY};
use axum::middleware::Next;
use axum::response::Response;

use crate::ApiState;

/// Browsers use only https for a year after each visit. Without `includeSubDomains`: subdomains are not ours to
/// decide on.
const HTTPS_ALONE: &str = "max-age=31536000";

/// Adds `no-store` to responses of the API whose handler sets no `Cache-Control`, and HSTS if the server is reached
/// by https.
pub(crate) async fn keep_private(State(state): State<ApiState>, request: Request, next: Next) -> Response {
    let is_call = request.uri().path().starts_with("/api/");
    let mut response = next.run(request).await;
    if is_call {
        // The strict header is the default, so that a new call whose author forgot caches keeps its responses
        // private.
        response.headers_mut().entry(CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    }
    if state.is_https() {
        response.headers_mut().insert(STRICT_TRANSPORT_SECURITY, HeaderValue::from_static(HTTPS_ALONE));
    }
    response
}
