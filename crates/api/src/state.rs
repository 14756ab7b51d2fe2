use axum::extract::FromRef;
use partsight_app::{App, Settings, TrustedProxies};

use crate::ConnectionLimits;
use crate::allowed_hosts::AllowedHosts;
use crate::answer_memory::AnswerMemory;
use crate::public_settings::PublicSettings;
use crate::stream_places::StreamPlaces;
use crate::uploads::UploadPlaces;

/// Name of the session cookie if browsers reach the server by http.
pub(crate) const SESSION_COOKIE: &str = "partsight_session";
/// Name of the session cookie with https. The other name is ignored there: a neighbouring site could set a cookie
/// of that name, with a session of its own. See docs/decisions/0088-host-cookie.md.
pub(crate) const HOST_SESSION_COOKIE: &str = "__Host-partsight_session";

/// The shared state of all handlers.
#[derive(Clone)]
pub struct ApiState {
    pub(crate) app: App,
    /// Scheme, host and port of the public URL, if it is set: behind a proxy they may differ from the `Host`
    /// header.
    pub(crate) public_origin: Option<String>,
    pub(crate) max_photo_bytes: usize,
    pub(crate) uploads: UploadPlaces,
    pub(crate) streams: StreamPlaces,
    pub(crate) answers: AnswerMemory,
    pub(crate) session_days: u32,
    pub(crate) trusted_proxies: TrustedProxies,
    pub(crate) public_settings: PublicSettings,
    pub(crate) metrics_public: bool,
    /// Whether the settings show that requests come through a proxy.
    pub(crate) has_proxy: bool,
    pub(crate) hosts: AllowedHosts,
    pub(crate) limits: ConnectionLimits,
}

impl ApiState {
    /// The state for `app` with these settings.
    pub fn new(app: App, settings: &Settings) -> Self {
        let (hosts, limits) = (AllowedHosts::new(settings), ConnectionLimits::new(settings));
        Self {
            app,
            // In the form of the `Origin` header: in lower case and without a path.
            public_origin: settings
                .server
                .public_url
                .as_deref()
                .map(|url| url.trim_end_matches('/').to_lowercase()),
            max_photo_bytes: settings.photos.max_bytes,
            uploads: UploadPlaces::new(settings),
            streams: StreamPlaces::new(&limits),
            answers: AnswerMemory::default(),
            session_days: settings.accounts.session_days,
            trusted_proxies: settings.server.trusted_proxies.clone(),
            public_settings: PublicSettings::new(settings),
            metrics_public: settings.monitoring.metrics_public,
            has_proxy: hosts.are_elsewhere() || !settings.server.trusted_proxies.is_empty(),
            hosts,
            limits,
        }
    }

    /// The same state with other connection limits.
    #[must_use]
    pub fn with_limits(self, limits: ConnectionLimits) -> Self {
        Self { streams: StreamPlaces::new(&limits), limits, ..self }
    }

    /// The connection limits.
    pub fn limits(&self) -> &ConnectionLimits {
        &self.limits
    }

    /// The session cookie's name. A browser accepts a cookie whose name begins with `__Host-` only by https, for
    /// this host only and for all paths: no other site of the same domain can set it.
    pub(crate) fn session_cookie(&self) -> &'static str {
        self.session_cookies()[0]
    }

    /// That name, and with https also the name used without it: a session under that name is no longer accepted,
    /// and the next sign-in ends it.
    pub(crate) fn session_cookies(&self) -> &'static [&'static str] {
        if self.is_https() { &[HOST_SESSION_COOKIE, SESSION_COOKIE] } else { &[SESSION_COOKIE] }
    }

    /// Whether browsers reach this server by https, which the `__Host-` cookie requires.
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
