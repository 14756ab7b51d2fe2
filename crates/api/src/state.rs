use axum::extract::FromRef;
use partsight_app::{App, Settings, TrustedProxies};

use crate::ConnectionLimits;
use crate::allowed_hosts::AllowedHosts;
use crate::public_settings::PublicSettings;
use crate::stream_places::StreamPlaces;
use crate::uploads::UploadPlaces;

/// Name of the session cookie of a server that browsers do not reach by https.
pub(crate) const SESSION_COOKIE: &str = "partsight_session";
/// Name of the session cookie with https. The other is not read there: under it a neighbouring site could put a session
/// of its own into a browser. See docs/decisions/0088-host-cookie.md.
pub(crate) const HOST_SESSION_COOKIE: &str = "__Host-partsight_session";

/// What every handler can reach.
#[derive(Clone)]
pub struct ApiState {
    pub(crate) app: App,
    /// Scheme, host and port that browsers use, where it is set and differs from the `Host` header.
    pub(crate) public_origin: Option<String>,
    pub(crate) max_photo_bytes: usize,
    pub(crate) uploads: UploadPlaces,
    pub(crate) streams: StreamPlaces,
    pub(crate) session_days: u32,
    pub(crate) trusted_proxies: TrustedProxies,
    pub(crate) public_settings: PublicSettings,
    pub(crate) metrics_public: bool,
    /// Whether a setting says that requests come through a proxy.
    pub(crate) has_proxy: bool,
    pub(crate) hosts: AllowedHosts,
    pub(crate) limits: ConnectionLimits,
}

impl ApiState {
    /// The state for `app` under these settings.
    pub fn new(app: App, settings: &Settings) -> Self {
        let (hosts, limits) = (AllowedHosts::new(settings), ConnectionLimits::new(settings));
        Self {
            app,
            // As browsers write an `Origin`: in lower case and without a path.
            public_origin: settings
                .server
                .public_url
                .as_deref()
                .map(|url| url.trim_end_matches('/').to_lowercase()),
            max_photo_bytes: settings.photos.max_bytes,
            uploads: UploadPlaces::new(settings),
            streams: StreamPlaces::new(&limits),
            session_days: settings.accounts.session_days,
            trusted_proxies: settings.server.trusted_proxies.clone(),
            public_settings: PublicSettings::new(settings),
            metrics_public: settings.monitoring.metrics_public,
            has_proxy: hosts.are_elsewhere() || !settings.server.trusted_proxies.is_empty(),
            hosts,
            limits,
        }
    }

    /// The same with other limits of connections.
    #[must_use]
    pub fn with_limits(self, limits: ConnectionLimits) -> Self {
        Self { streams: StreamPlaces::new(&limits), limits, ..self }
    }

    /// The limits of connections.
    pub fn limits(&self) -> &ConnectionLimits {
        &self.limits
    }

    /// The session cookie's name. A browser takes one that begins with `__Host-` only by https, for this host alone and
    /// for all paths: no other site below the same domain can put a session of its own into it.
    pub(crate) fn session_cookie(&self) -> &'static str {
        self.session_cookies()[0]
    }

    /// That name, and the one from before the server had https or kept its cookie to this host: a session under it
    /// opens nothing any more, and is ended by the next sign-in.
    pub(crate) fn session_cookies(&self) -> &'static [&'static str] {
        if self.is_https() { &[HOST_SESSION_COOKIE, SESSION_COOKIE] } else { &[SESSION_COOKIE] }
    }

    /// Whether browsers reach this server by https, so that the cookie may be kept to it.
    pub(crate) fn is_https(&self) -> bool {
        self.public_origin.as_deref().is_some_and(|origin| origin.starts_with("https://"))
    }
}

impl FromRef<ApiState> for App {
    fn from_ref(state: &ApiState) -> Self {
        state.app.clone()
    }
}

partsight_domain::debug_fields!(ApiState { public_origin });
