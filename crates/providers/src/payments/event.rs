use jiff::Timestamp;
use serde::Deserialize;
use serde_json::Value;
use stripe_webhook::{Webhook, WebhookError};
use tracing::subscriber::NoSubscriber;

use super::Payments;
use crate::Error;

/// Something that happened at the payment provider.
///
/// Events arrive late, twice and in any order, so an event only says which customer to query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PaymentEvent {
    /// Its id, the same however often it is sent.
    pub id: String,
    /// What happened, such as `customer.subscription.updated`.
    pub kind: String,
    /// When the provider created it.
    pub created_at: Timestamp,
    /// The customer whose subscription may have changed; `None` for an event that changes none.
    pub customer_id: Option<String>,
}

/// The fields of an event that are read. The others differ between API versions, and the version of an event is
/// chosen where the webhook is registered, not by us.
#[derive(Deserialize)]
struct Envelope {
    id: String,
    #[serde(rename = "type")]
    kind: String,
    created: i64,
    data: Data,
}

#[derive(Deserialize)]
struct Data {
    object: Value,
}

impl Payments {
    /// Verifies and parses an event that was received at `now`.
    ///
    /// # Errors
    /// [`Error::EventRefused`] for an event without a valid signature of the last five minutes, or that cannot be
    /// parsed.
    pub fn event(&self, payload: &str, signature: &str, now: Timestamp) -> Result<PaymentEvent, Error> {
        let refused = Error::EventRefused;
        // The library compares the signature in constant time, then checks the time, and only then parses the event,
        // which fails for an event of another API version. A test sends such an event with and without a valid
        // signature.
        let secret = self.webhook_secret.reveal();
        let read = || Webhook::construct_event_with_timestamp(payload, signature, secret, now.as_second());
        // The library logs a failed parse as an error, which it is not here.
        match tracing::subscriber::with_default(NoSubscriber::default(), read) {
            Ok(_) | Err(WebhookError::BadParse(_)) => {}
            Err(WebhookError::BadTimestamp(_)) => return Err(refused("its signature is too old or too new")),
            Err(_) => return Err(refused("its signature does not hold")),
        }
        // Only after the signature was verified: nothing of an unsigned payload is read.
        let envelope: Envelope = serde_json::from_str(payload).map_err(|_| refused("it is no event"))?;
        let concerns_subscription =
            envelope.kind.starts_with("customer.subscription.") || envelope.kind.starts_with("invoice.");
        Ok(PaymentEvent {
            customer_id: customer_id(&envelope.data.object).filter(|_| concerns_subscription),
            created_at: Timestamp::from_second(envelope.created).map_err(|_| refused("it is of no time"))?,
            id: envelope.id,
            kind: envelope.kind,
        })
    }
}

/// The customer of an object: an id, or the customer itself where it was expanded.
fn customer_id(object: &Value) -> Option<String> {
    let customer = object.get("customer")?;
    customer.as_str().or_else(|| customer.get("id")?.as_str()).map(str::to_owned)
}
