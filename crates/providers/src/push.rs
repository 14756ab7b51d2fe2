//! Sends notifications to browsers, through the push service of each browser's maker (RFC 8030).
//!
//! The browser names the address of its push service, so it is called as a webhook is: through
//! [`GuardedCalls`](crate::webhooks::GuardedCalls). The push service sees when a message is sent and how long it is;
//! only the browser can decrypt it.

mod encryption;
mod settings;
mod vapid;

use std::time::Duration;

use jiff::Timestamp;
use reqwest::StatusCode;
use reqwest::header::{AUTHORIZATION, CONTENT_ENCODING, CONTENT_TYPE};

use crate::Error;
use crate::http::retry_after;
use crate::webhooks::{GuardedCalls, WebhookFailure, WebhookSettings};
use encryption::BrowserKeys;

pub use settings::PushSettings;
pub use vapid::VapidKey;

/// How long a push service keeps a message for a browser that is offline: over a weekend.
const KEPT_FOR: Duration = Duration::from_hours(72);

/// A browser's push subscription. Without `Debug`: all of it is secret.
#[derive(Clone, Copy)]
pub struct PushTarget<'a> {
    /// The URL at the push service; with it and our key, messages can be sent to the browser.
    pub endpoint: &'a str,
    /// The browser's public key, in base64url.
    pub p256dh: &'a str,
    /// The secret that the browser shares with us, in base64url.
    pub auth: &'a str,
}

/// Why a push subscription cannot be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PushTargetFault {
    /// Its address is not allowed.
    Endpoint,
    /// Its keys are malformed.
    Keys,
}

/// Why a message was not accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PushFailure {
    /// The subscription has ended.
    Gone,
    /// It may be accepted later; with the wait that the push service asks for, if any.
    Later(Option<Duration>),
    /// It will never be accepted. With the status of the answer, if there was one.
    Refused(Option<u16>),
}

/// Sends messages to browsers. Cheap to clone.
#[derive(Debug, Clone)]
pub struct PushSender {
    calls: GuardedCalls,
    contact: String,
}

impl PushSender {
    /// `contact` is a `mailto:` or `https:` address of the server's operator, which is sent to push services. Makes
    /// no connection.
    ///
    /// # Errors
    /// [`Error::HttpClient`] when no client can be built.
    pub fn new(webhooks: &WebhookSettings, contact: String) -> Result<Self, Error> {
        Ok(Self { calls: GuardedCalls::new(webhooks)?, contact })
    }

    /// Checks a browser's address and keys as far as possible without a connection.
    ///
    /// # Errors
    /// What is wrong with them.
    pub fn check(&self, target: PushTarget<'_>) -> Result<(), PushTargetFault> {
        self.calls.parse(target.endpoint).map_err(|_| PushTargetFault::Endpoint)?;
        BrowserKeys::parse(target.p256dh, target.auth).map(drop).ok_or(PushTargetFault::Keys)
    }

    /// Sends a message once.
    ///
    /// # Errors
    /// Why it was not accepted.
    pub async fn send(
        &self,
        key: &VapidKey,
        target: PushTarget<'_>,
        message: &[u8],
        now: Timestamp,
    ) -> Result<(), PushFailure> {
        // Checked for each message: the setting may have changed since the address was saved.
        let url = self.calls.parse(target.endpoint).map_err(|_| PushFailure::Refused(None))?;
        let browser = BrowserKeys::parse(target.p256dh, target.auth).ok_or(PushFailure::Refused(None))?;
        let body = encryption::encrypt(message, &browser).ok_or(PushFailure::Refused(None))?;
        let authorization = key.authorization(&url.origin().ascii_serialization(), &self.contact, now);
        let call = self.calls.post(url, |request| {
            request
                .header(AUTHORIZATION, authorization)
                .header(CONTENT_ENCODING, "aes128gcm")
                .header(CONTENT_TYPE, "application/octet-stream")
                .header("ttl", KEPT_FOR.as_secs())
                .header("urgency", "normal")
                .body(body)
        });
        let (status, headers) = match call.await {
            Ok(answer) => answer,
            Err(WebhookFailure::TimedOut | WebhookFailure::NoConnection | WebhookFailure::NoAnswer) => {
                return Err(PushFailure::Later(None));
            }
            Err(failure) => return Err(PushFailure::Refused(failure.status())),
        };
        match status {
            status if status.is_success() => Ok(()),
            StatusCode::NOT_FOUND | StatusCode::GONE => Err(PushFailure::Gone),
            status if status == StatusCode::TOO_MANY_REQUESTS || status.is_server_error() => {
                Err(PushFailure::Later(retry_after(&headers)))
            }
            // A redirect too: it could lead anywhere.
            status => Err(PushFailure::Refused(Some(status.as_u16()))),
        }
    }
}
