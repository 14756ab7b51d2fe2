//! Sends events to addresses that accounts name.
//!
//! Whoever has an account chooses the address, so it may lead anywhere: into the network that this server is in, to a
//! service that answers slowly or without end, or back to where only this machine may go. Names are looked up here and
//! only allowed addresses are connected to, so that a name cannot lead elsewhere between the check and the call; no
//! redirect is followed; the answer is read to a small limit and only its status is used.

mod addresses;
mod settings;
mod signature;

use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use reqwest::header::CONTENT_TYPE;
use reqwest::{Client, StatusCode, Url};

use crate::Error;
use crate::http::{CallOptions, client_builder};
use addresses::{AddressRule, AllowedAddresses, InsideAddress};

pub use settings::WebhookSettings;
pub use signature::{new_webhook_secret, sign_webhook};

/// How long a delivery may take in all.
const CALL_LIMIT: Duration = Duration::from_secs(10);
/// Bytes of an answer that are read, so that the connection of a short one can be used again.
const MAX_ANSWER_BYTES: usize = 4 * 1024;
/// Longest address, in bytes.
const MAX_URL_BYTES: usize = 2_000;
/// Says which try of a delivery this is, from 1.
const ATTEMPT_HEADER: &str = "partsight-attempt";

/// Why nothing can be sent to an address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WebhookAddressFault {
    /// It is no address, or has a part that it may not have.
    Malformed,
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
}

impl WebhookFailure {
    /// The status of the answer, where there was one.
    pub fn status(self) -> Option<u16> {
        match self {
            Self::Redirect(status) | Self::Status(status) => Some(status),
            Self::Address(_) | Self::TimedOut | Self::NoConnection => None,
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
    client: Client,
    rule: AddressRule,
}

impl WebhookSender {
    /// Must be called before anything is sent; connects nowhere.
    ///
    /// # Errors
    /// [`Error::HttpClient`] when no client can be built.
    pub fn new(settings: &WebhookSettings) -> Result<Self, Error> {
        let rule = AddressRule { allows_private: settings.private_addresses };
        // A proxy would look names up itself.
        let options =
            CallOptions { max_answer_bytes: MAX_ANSWER_BYTES, timeout: CALL_LIMIT, is_direct: true };
        let builder = client_builder(options).dns_resolver(Arc::new(AllowedAddresses(rule)));
        let client = builder.build().map_err(|source| Error::HttpClient { source })?;
        Ok(Self { client, rule })
    }

    /// Checks what can be seen of an address without looking its name up.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn check(&self, url: &str) -> Result<(), WebhookAddressFault> {
        self.parse(url).map(drop)
    }

    fn parse(&self, text: &str) -> Result<Url, WebhookAddressFault> {
        let url = Url::parse(text).ok().filter(|_| text.len() <= MAX_URL_BYTES);
        let url = url.ok_or(WebhookAddressFault::Malformed)?;
        let is_plain = url.username().is_empty() && url.password().is_none() && url.fragment().is_none();
        if !is_plain || !matches!(url.scheme(), "https" | "http") {
            return Err(WebhookAddressFault::Malformed);
        }
        let host = url.host_str().unwrap_or_default().trim_matches(['[', ']']);
        // A host that is an address is never looked up, so the resolver does not see it.
        if let Ok(address) = host.parse()
            && !self.rule.allows(address)
        {
            return Err(WebhookAddressFault::Inside);
        }
        // In a network of one's own few things have a certificate.
        if url.scheme() == "http" && !self.rule.allows_private {
            return Err(WebhookAddressFault::NotEncrypted);
        }
        Ok(url)
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
        let url = self.parse(url).map_err(WebhookFailure::Address)?;
        let seconds = now.as_second();
        let call = self
            .client
            .post(url)
            .header(CONTENT_TYPE, "application/json")
            .header("webhook-id", message.id)
            .header("webhook-timestamp", seconds)
            .header("webhook-signature", sign_webhook(secret, message.id, seconds, message.body))
            .header(ATTEMPT_HEADER, message.attempt)
            .body(message.body.to_owned());
        let mut answer = call.send().await.map_err(|error| failure(&error))?;
        let status = answer.status();
        let mut n_bytes = 0;
        // What is in it does not matter, nor whether it comes to an end.
        while let Ok(Some(chunk)) = answer.chunk().await {
            n_bytes += chunk.len();
            if n_bytes > MAX_ANSWER_BYTES {
                break;
            }
        }
        match status {
            status if status.is_success() => Ok(status.as_u16()),
            status if status.is_redirection() && status != StatusCode::NOT_MODIFIED => {
                Err(WebhookFailure::Redirect(status.as_u16()))
            }
            status => Err(WebhookFailure::Status(status.as_u16())),
        }
    }
}

fn failure(error: &reqwest::Error) -> WebhookFailure {
    let mut cause: Option<&(dyn std::error::Error + 'static)> = Some(error);
    while let Some(found) = cause {
        // The resolver's error comes back inside of the client's.
        if found.is::<InsideAddress>() {
            return WebhookFailure::Address(WebhookAddressFault::Inside);
        }
        cause = found.source();
    }
    if error.is_timeout() { WebhookFailure::TimedOut } else { WebhookFailure::NoConnection }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sender(private_addresses: bool) -> WebhookSender {
        WebhookSender::new(&WebhookSettings { private_addresses }).unwrap()
    }

    #[test]
    fn an_address_is_encrypted_and_leads_outside_unless_the_house_is_allowed() {
        use WebhookAddressFault::{Inside, Malformed, NotEncrypted};
        let cases = [
            ("https://shop.example.com/hooks?a=1", Ok(()), Ok(())),
            ("https://8.8.8.8:8443/", Ok(()), Ok(())),
            ("http://shop.example.com/", Err(NotEncrypted), Ok(())),
            ("https://127.0.0.1/", Err(Inside), Ok(())),
            ("http://10.0.0.7/", Err(Inside), Ok(())),
            // Other ways to write loopback.
            ("https://2130706433/", Err(Inside), Ok(())),
            ("https://0x7f.1/", Err(Inside), Ok(())),
            ("https://[::ffff:10.0.0.1]/", Err(Inside), Ok(())),
            ("https://[fe80::1]/", Err(Inside), Err(Inside)),
            ("https://169.254.169.254/latest", Err(Inside), Err(Inside)),
            ("https://0.0.0.0/", Err(Inside), Err(Inside)),
            ("https://ann@example.com/", Err(Malformed), Err(Malformed)),
            ("https://example.com/#x", Err(Malformed), Err(Malformed)),
            ("ftp://example.com/", Err(Malformed), Err(Malformed)),
            ("shop", Err(Malformed), Err(Malformed)),
            ("", Err(Malformed), Err(Malformed)),
        ];
        let (outside, house) = (sender(false), sender(true));
        for (url, expected, in_house) in cases {
            assert_eq!((outside.check(url), house.check(url)), (expected, in_house), "{url}");
        }
        let long = format!("https://example.com/{}", "x".repeat(MAX_URL_BYTES));
        assert_eq!(outside.check(&long), Err(Malformed));
    }
}
