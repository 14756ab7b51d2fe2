//! The server's metrics, for Prometheus.

use std::net::SocketAddr;

use axum::extract::{ConnectInfo, Extension, State};
use axum::http::header::{CONTENT_TYPE, HeaderMap, HeaderName};
use partsight_app::metrics::TEXT_FORMAT;
use partsight_domain::messages;

use crate::{ApiError, ApiState, problems};

/// Prefixes of headers that proxies add. A request with one of them comes from another machine, even if the peer is
/// local.
const FROM_ELSEWHERE: [&str; 6] = ["forwarded", "via", "x-forwarded-", "x-real-ip", "x-client-ip", "cf-"];

/// Metrics of requests, scans, stages, engines, the judge and resource use, in the format of Prometheus.
///
/// Only callers on the server itself, without a proxy, get an answer, unless the setting `metrics_public` is on; all
/// others get 404. If `public_url` or `trusted_proxies` is set, there is a proxy, and nobody gets an answer here,
/// because a proxy that adds no header looks like a local caller. The setting `metrics_listen` serves the metrics at a
/// separate address. No metric is about a single user.
#[utoipa::path(get, path = "/metrics", tag = "operations", responses(
    (status = OK, body = String, content_type = "application/openmetrics-text", example = "partsight_inference_queue_depth 0"),
    problems::NotFound,
))]
pub(crate) async fn get_metrics(
    State(state): State<ApiState>,
    peer: Option<Extension<ConnectInfo<SocketAddr>>>,
    headers: HeaderMap,
) -> Result<([(HeaderName, &'static str); 1], String), ApiError> {
    // Three conditions: a proxy on this machine also connects from it, and not every proxy adds a header.
    let is_local = peer.is_some_and(|Extension(ConnectInfo(peer))| peer.ip().to_canonical().is_loopback())
        && !state.has_proxy
        && !headers.keys().any(|name| FROM_ELSEWHERE.iter().any(|prefix| name.as_str().starts_with(prefix)));
    if !is_local && !state.metrics_public {
        // Not 403, which would reveal that the metrics exist.
        return Err(ApiError::not_found(messages::CALL_NOT_FOUND));
    }
    Ok(render_metrics(&state))
}

/// The current metrics.
pub(crate) fn render_metrics(state: &ApiState) -> ([(HeaderName, &'static str); 1], String) {
    ([(CONTENT_TYPE, TEXT_FORMAT)], state.app.operations.metrics().render(&state.app.operations.gauges()))
}
