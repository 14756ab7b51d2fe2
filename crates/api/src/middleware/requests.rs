//! What happens around every request: its id, trace span, metrics, log line, and the rendering of errors.

use std::net::SocketAddr;
use std::time::Instant;

use axum::extract::{ConnectInfo, MatchedPath, Request, State};
use axum::http::{HeaderName, HeaderValue};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use partsight_app::continue_trace;
use tracing::field::Empty;
use tracing::{Instrument as _, Span};
use uuid::Uuid;

use crate::{ApiError, ApiState};

const REQUEST_ID: &str = "x-request-id";
const SERVER_TIMING: HeaderName = HeaderName::from_static("server-timing");

/// Gives the request an id, renders an [`ApiError`] with it, times it, and writes one log line.
///
/// The log line has the route pattern, not the path: ids and search words are private.
pub(crate) async fn observe(State(state): State<ApiState>, request: Request, next: Next) -> Response {
    let start = Instant::now();
    let request_id = Uuid::now_v7().to_string();
    let method = request.method().clone();
    let route = request
        .extensions()
        .get::<MatchedPath>()
        // One name for everything that is not a call: paths that strangers make up must not create new series in
        // the metrics.
        .map_or_else(|| "(web)".to_owned(), |path| path.as_str().to_owned());

    let span = request_span(&state, &request, &route, &request_id);
    let mut response = next.run(request).instrument(span.clone()).await;
    if let Some(error) = response.extensions_mut().remove::<ApiError>() {
        // Keep the headers that inner layers added to the response that is replaced here.
        let headers = std::mem::take(response.headers_mut());
        response = error.render(&request_id);
        // For example `Allow` of a 405.
        for (name, value) in &headers {
            if !response.headers().contains_key(name) && name != "content-length" {
                response.headers_mut().insert(name, value.clone());
            }
        }
    }
    if let Ok(value) = HeaderValue::from_str(&request_id) {
        response.headers_mut().insert(REQUEST_ID, value);
    }
    let took = start.elapsed();
    span.record("http.response.status_code", response.status().as_u16());
    if response.status().is_server_error() {
        span.record("otel.status_code", "ERROR");
    }
    // Ended here: the log line below is not part of the call's duration.
    drop(span);
    state.app.operations.metrics().observe_request(method.as_str(), &route, response.status().as_u16(), took);
    if route.starts_with("/api/") {
        // In addition to the stages that a handler reports.
        let total = format!("total;dur={:.2}", took.as_secs_f64() * 1000.0);
        if let Ok(value) = HeaderValue::from_str(&total) {
            response.headers_mut().append(SERVER_TIMING, value);
        }
    }
    tracing::debug!(
        request.id = request_id,
        http.method = %method,
        http.route = route,
        http.status = response.status().as_u16(),
        duration_ms = took.as_secs_f32() * 1000.0,
        "answered"
    );
    response
}

/// The span of a call, named by `OpenTelemetry`'s conventions for HTTP servers. It continues a trace only if one of
/// our trusted proxies sent it. Files of the web app and probes have no span: they would be most of the traces and
/// say nothing.
fn request_span(state: &ApiState, request: &Request, route: &str, request_id: &str) -> Span {
    if !route.starts_with("/api/") {
        return Span::none();
    }
    let span = tracing::debug_span!(
        "request",
        otel.name = format!("{} {route}", request.method()),
        otel.kind = "server",
        otel.status_code = Empty,
        http.request.method = %request.method(),
        http.route = route,
        http.response.status_code = Empty,
        request.id = request_id,
    );
    let peer = request.extensions().get::<ConnectInfo<SocketAddr>>().map(|ConnectInfo(peer)| peer.ip());
    if !span.is_disabled()
        && peer.is_some_and(|peer| state.trusted_proxies.contains(peer))
        && let Some(parent) = request.headers().get("traceparent").and_then(|value| value.to_str().ok())
    {
        continue_trace(&span, parent);
    }
    span
}

/// The response to a request whose handler panicked.
#[expect(clippy::needless_pass_by_value, reason = "the layer passes the payload by value")]
pub(crate) fn panicked(payload: Box<dyn std::any::Any + Send>) -> Response {
    let text = payload
        .downcast_ref::<&str>()
        .map(ToString::to_string)
        .or_else(|| payload.downcast_ref::<String>().cloned())
        .unwrap_or_default();
    ApiError::internal(std::io::Error::other(format!("a handler panicked: {text}"))).into_response()
}
