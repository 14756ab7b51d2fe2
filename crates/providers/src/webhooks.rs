//! Sends events to addresses that accounts name.
//!
//! Whoever has an account chooses the address, so it may lead anywhere: into the network that this server is in, to a
//! service that answers slowly or without end, or back to where only this machine may go. Names are looked up here and
//! only allowed addresses are connected to, so that a name cannot lead elsewhere between the check and the call; no
//! redirect is followed; the answer is read to a small limit and only its status is used.

mod addresses;
mod calls;
mod settings;
mod signature;

use jiff::Timestamp;
use reqwest::StatusCode;
use reqwest::header::CONTENT_TYPE;
use signature::sign_webhook;

use crate::Error;

pub(crate) use calls::GuardedCalls;
pub use settings::WebhookSettings;
pub use signature::new_webhook_secret;

/// Says which try of a delivery this is, from 1.
const ATTEMPT_HEADER: &str = "partsight-attempt";

/// Why nothing can be sent to an address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WebhookAddressFault {
    /// It is no address, or has a part that it may not have.
    Malformed,
    /// It has more bytes than it may have.
    TooLong,
    /// It is not encrypted.
    NotEncrypted,
    /// It leads into this machine or its network.
    Inside,
}

/// Why a delivery did not arrive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WebhookFailure {
    /// Nothing can be sent to the address.
    Address(WebhookAddressFault),
    /// The answer is a redirect.
    Redirect(u16),
    /// The answer has another status than success.
    Status(u16),
    /// There was no answer in time.
    TimedOut,
    /// There was no connection.
    NoConnection,
    /// There was one, which ended without an answer, or on which something else came than HTTP.
    NoAnswer,
}

impl WebhookFailure {
    /// The status of the answer, where there was one.
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
    /// The same each time that this is sent.
    pub id: &'a str,
    /// Which try this is, from 1.
    pub attempt: u32,
    /// JSON.
    pub body: &'a str,
}

/// Sends events. Cheap to clone.
#[derive(Debug, Clone)]
pub struct WebhookSender {
    calls: GuardedCalls,
}

impl WebhookSender {
    /// Must be called before anything is sent; connects nowhere.
    ///
    /// # Errors
    /// [`Error::HttpClient`] when no client can be built.
    pub fn new(settings: &WebhookSettings) -> Result<Self, Error> {
        Ok(Self { calls: GuardedCalls::new(settings)? })
    }

    /// Checks what can be seen of an address without looking its name up.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn check(&self, url: &str) -> Result<(), WebhookAddressFault> {
        self.calls.parse(url).map(drop)
    }

    /// Sends a message signed with `secret`, once, and returns the status of an answer that says success.
    ///
    /// # Errors
    /// Why it did not arrive.
    pub async fn send(
        &self,
        url: &str,
        secret: &str,
        message: WebhookMessage<'_>,
        now: Timestamp,
    ) -> Result<u16, WebhookFailure> {
        // Again at each delivery: the setting may have changed since the address was saved.
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
