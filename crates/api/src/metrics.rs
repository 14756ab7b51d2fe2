//! The server's counters, for Prometheus.

use std::net::SocketAddr;

use axum::extract::{ConnectInfo, Extension, State};
use axum::http::header::{CONTENT_TYPE, FORWARDED, HeaderMap, HeaderName};
use partsight_domain::messages;

use crate::{ApiError, ApiState, Problem};

/// Prometheus' text format.
const TEXT_FORMAT: &str = "text/plain; version=0.0.4; charset=utf-8";
/// Headers that a proxy adds. A request with one of them comes from elsewhere, whoever handed it over.
const FROM_ELSEWHERE: [HeaderName; 3] =
    [FORWARDED, HeaderName::from_static("x-forwarded-for"), HeaderName::from_static("x-real-ip")];

/// Counters of scans, stages and the judge in Prometheus' text format.
///
/// Answers only callers on the server itself without a proxy between, unless the setting `metrics_public` is on;
/// for all others there is no such call. No figure is of a single user.
#[utoipa::path(get, path = "/metrics", tag = "operations", responses(
    (status = OK, body = String, content_type = "text/plain", example = "partsight_queue_depth 0"),
    (status = NOT_FOUND, body = Problem, content_type = "application/problem+json"),
))]
pub(crate) async fn get_metrics(
    State(state): State<ApiState>,
    peer: Option<Extension<ConnectInfo<SocketAddr>>>,
    headers: HeaderMap,
) -> Result<([(HeaderName, &'static str); 1], String), ApiError> {
    let is_local = peer.is_some_and(|Extension(ConnectInfo(peer))| peer.ip().to_canonical().is_loopback())
        && !FROM_ELSEWHERE.iter().any(|name| headers.contains_key(name));
    if !is_local && !state.metrics_public {
        return Err(ApiError::not_found(messages::CALL_NOT_FOUND));
    }
    Ok(([(CONTENT_TYPE, TEXT_FORMAT)], state.app.metrics().render(&state.app.gauges())))
}
