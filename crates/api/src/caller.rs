//! The client that sent a request.

use std::convert::Infallible;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Once;

use axum::extract::{ConnectInfo, FromRequestParts};
use axum::http::header::USER_AGENT;
use axum::http::request::Parts;
use partsight_app::Caller;
use partsight_domain::browser_name;

use crate::ApiState;

pub(crate) const FORWARDED_FOR: &str = "x-forwarded-for";

/// The client's address and browser.
#[derive(Debug, Clone)]
pub(crate) struct FromCaller(pub(crate) Caller);

impl FromRequestParts<ApiState> for FromCaller {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, state: &ApiState) -> Result<Self, Infallible> {
        // If the server does not provide the peer's address, all clients count as one.
        let peer = parts
            .extensions
            .get::<ConnectInfo<SocketAddr>>()
            .map_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED), |ConnectInfo(peer)| peer.ip());
        // All values in order: a client can send a header of its own before that of the proxy. Proxies are counted
        // from the end.
        let forwarded = parts.headers.get_all(FORWARDED_FOR);
        let forwarded: Vec<&str> = forwarded.iter().map(|value| value.to_str().unwrap_or_default()).collect();
        if !forwarded.is_empty() && !state.trusted_proxies.contains(peer) {
            warn_of_unnamed_proxy(peer);
        }
        let user_agent = parts.headers.get(USER_AGENT).and_then(|value| value.to_str().ok());
        Ok(Self(Caller {
            address: state.trusted_proxies.client(peer, forwarded.into_iter()),
            browser: browser_name(user_agent.unwrap_or_default()),
        }))
    }
}

/// Logs once that a proxy of this machine or network is missing in the settings. From elsewhere the header is a
/// client's own invention.
fn warn_of_unnamed_proxy(peer: IpAddr) {
    static WARNED: Once = Once::new();
    let is_near = match peer.to_canonical() {
        IpAddr::V4(peer) => peer.is_loopback() || peer.is_private(),
        IpAddr::V6(peer) => peer.is_loopback() || peer.is_unique_local(),
    };
    if is_near {
        WARNED.call_once(|| {
            tracing::warn!(
                proxy = %peer.to_canonical(),
                "requests come through a proxy that `trusted_proxies` does not name: all its clients count as one address"
            );
        });
    }
}
