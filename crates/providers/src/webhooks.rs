//! Sends events to the addresses that accounts configure.
//!
//! Any account can choose an address, so it may be in this server's network, at a service that answers slowly or
//! endlessly, or on this machine. Names are resolved here and only allowed addresses are connected to, so that a
//! name cannot change its address between check and connection. No redirect is followed; the answer is read up to a
//! small limit, and only its status is used.

mod addresses;
mod calls;
mod settings;
mod signature;

use std::time::Duration;

use jiff::Timestamp;
use reqwest::StatusCode;
use reqwest::header::CONTENT_TYPE;
use signature::sign_webhook;

use crate::Error;

pub(crate) use calls::GuardedCalls;
pub use settings::WebhookSettings;
pub use signature::new_webhook_secret;

/// The header with the number of this attempt, from 1.
const ATTEMPT_HEADER: &str = "partsight-attempt";

/// Why an address cannot be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WebhookAddressFault {
    /// It cannot be parsed, or has a part that is not allowed.
    Malformed,
    /// It is too long.
    TooLong,
    /// It is not encrypted.
    NotEncrypted,
    /// It leads to this machine or into its network.
    Inside,
}

/// Why a delivery failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WebhookFailure {
    /// The address cannot be used.
    Address(WebhookAddressFault),
    /// The answer is a redirect.
    Redirect(u16),
    /// The answer has an error status.
    Status(u16),
    /// There was no answer in time.
    TimedOut,
    /// There was no connection.
    NoConnection,
    /// The connection ended without an answer, or the answer was not HTTP.
    NoAnswer,
}

impl WebhookFailure {
    /// The status of the answer, if there was one.
    pub fn status(self) -> Option<u16> {
        match self {
            Self::Redirect(status) | Self::Status(status) => Some(status),
            Self::Address(_) | Self::TimedOut | Self::NoConnection | Self::NoAnswer => None,
        }
    }
}

/// One delivery.
#[derive(Debug, Clone, Copy)]
pub struct WebhookMessage<'a> {
    /// The same for every attempt.
    pub id: &'a str,
    /// Number of this attempt, from 1.
    pub attempt: u32,
    /// The payload, as JSON.
    pub body: &'a str,
}

/// Sends events. Cheap to clone.
#[derive(Debug, Clone)]
pub struct WebhookSender {
    calls: GuardedCalls,
}

impl WebhookSender {
    /// Create it before anything is sent; it makes no connection.
    ///
    /// # Errors
    /// [`Error::HttpClient`] when no client can be built.
    pub fn new(settings: &WebhookSettings) -> Result<Self, Error> {
        Ok(Self { calls: GuardedCalls::new(settings)? })
    }

    /// Replaces the time limit of a delivery, ten seconds. For tests.
    #[must_use]
    pub fn with_limit(self, limit: Duration) -> Self {
        Self { calls: self.calls.with_limit(limit) }
    }

    /// Checks an address as far as possible without resolving its name.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn check(&self, url: &str) -> Result<(), WebhookAddressFault> {
        self.calls.parse(url).map(drop)
    }

    /// Sends a message signed with `secret`, once, and returns the status of a successful answer.
    ///
    /// # Errors
    /// Why it failed.
    pub async fn send(
        &self,
        url: &str,
        secret: &str,
        message: WebhookMessage<'_>,
        now: Timestamp,
    ) -> Result<u16, WebhookFailure> {
        // Checked for each delivery: the setting may have changed since the address was saved.
        let url = self.calls.parse(url).map_err(WebhookFailure::Address)?;
        let seconds = now.as_second();
        let call = self.calls.post(url, |request| {
            request
                .header(CONTENT_TYPE, "application/json")
                .header("webhook-id", message.id)
                .header("webhook-timestamp", seconds)
                .header("webhook-signature", sign_webhook(secret, message.id, seconds, message.body))
                .header(ATTEMPT_HEADER, message.attempt)
                .body(message.body.to_owned())
        });
        let (status, _) = call.await?;
        match status {
            status if status.is_success() => Ok(status.as_u16()),
            status if status.is_redirection() && status != StatusCode::NOT_MODIFIED => {
                Err(WebhookFailure::Redirect(status.as_u16()))
            }
            status => Err(WebhookFailure::Status(status.as_u16())),
        }
    }
}
