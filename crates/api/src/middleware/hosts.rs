//! Refuses requests that call this server by a name that is not its own.

use std::net::SocketAddr;

use axum::extract::{ConnectInfo, Request, State};
use axum::http::header::HOST;
use axum::http::{HeaderMap, Uri, Version};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use crate::allowed_hosts::AllowedHosts;
use crate::{ApiError, ApiState};

/// Refuses requests that call this server by a name that is not its own.
pub(crate) async fn check_host(State(state): State<ApiState>, request: Request, next: Next) -> Response {
    let peer = request.extensions().get::<ConnectInfo<SocketAddr>>();
    let is_local = peer.is_some_and(|ConnectInfo(peer)| peer.ip().to_canonical().is_loopback());
    let is_allowed = match named_host(request.uri(), request.headers()) {
        Named::Once(host) => state.hosts.allow(host, request.uri().path(), is_local),
        // HTTP/1.0 requires no `Host` header. No browser uses it.
        Named::Never => request.version() < Version::HTTP_11 || state.hosts == AllowedHosts::All,
        Named::Twice => false,
    };
    if is_allowed {
        return next.run(request).await;
    }
    let public_url = match &state.hosts {
        AllowedHosts::Public { url, .. } => Some(url.as_str()),
        AllowedHosts::ThisMachine | AllowedHosts::All => None,
    };
    ApiError::wrong_host(public_url).into_response()
}

enum Named<'a> {
    Never,
    Once(&'a str),
    /// Or a value that is not text. A proxy could read one name and we another.
    Twice,
}

fn named_host<'a>(uri: &'a Uri, headers: &'a HeaderMap) -> Named<'a> {
    // The authority in the request line takes precedence over the header (RFC 9112, section 3.2.2).
    if let Some(authority) = uri.authority() {
        return Named::Once(authority.as_str());
    }
    let mut values = headers.get_all(HOST).iter();
    match (values.next().map(|value| value.to_str()), values.next()) {
        (None, _) => Named::Never,
        (Some(Ok(host)), None) => Named::Once(host),
        _ => Named::Twice,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_names_are_none() {
        let uri = Uri::from_static("/");
        let headers = |values: &[&'static str]| -> HeaderMap {
            values.iter().map(|value| (HOST, value.parse().unwrap())).collect()
        };
        assert!(matches!(named_host(&uri, &headers(&[])), Named::Never));
        assert!(matches!(named_host(&uri, &headers(&["a"])), Named::Once("a")));
        assert!(matches!(named_host(&uri, &headers(&["a", "a"])), Named::Twice));
        let absolute = Uri::from_static("http://b/");
        assert!(matches!(named_host(&absolute, &headers(&["a"])), Named::Once("b")));
    }
}
