use std::fmt;
use std::sync::Arc;

use axum::extract::FromRef;
use partsight_app::{App, Settings, TrustedProxies};
use partsight_domain::MAX_SCAN_PHOTOS;
use tokio::sync::Semaphore;

use crate::settings::PublicSettings;

/// What every handler can reach.
#[derive(Clone)]
pub struct ApiState {
    pub(crate) app: App,
    /// Scheme, host and port that browsers use, where it is set and differs from the `Host` header.
    pub(crate) public_origin: Option<String>,
    pub(crate) max_photo_bytes: usize,
    /// Photographs that may be received or worked on at a time. Each is held in memory whole, so this times
    /// the largest photograph bounds what uploads can take.
    pub(crate) uploads: Arc<Semaphore>,
    pub(crate) session_days: u32,
    pub(crate) trusted_proxies: TrustedProxies,
    pub(crate) public_settings: PublicSettings,
    pub(crate) metrics_public: bool,
}

impl ApiState {
    /// The state for `app` under these settings.
    pub fn new(app: App, settings: &Settings) -> Self {
        Self {
            app,
            public_origin: settings.public_url.as_deref().map(|url| url.trim_end_matches('/').to_lowercase()),
            max_photo_bytes: settings.max_photo_bytes,
            // Twice the queue: while as many are worked on as may be, as many again may arrive. And at least one scan
            // with all the photographs that it may have.
            uploads: Arc::new(Semaphore::new((2 * settings.queue_capacity).max(MAX_SCAN_PHOTOS))),
            session_days: settings.session_days,
            trusted_proxies: settings.trusted_proxies.clone(),
            public_settings: PublicSettings::new(settings),
            metrics_public: settings.metrics_public,
        }
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

impl fmt::Debug for ApiState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ApiState").field("public_origin", &self.public_origin).finish_non_exhaustive()
    }
}
