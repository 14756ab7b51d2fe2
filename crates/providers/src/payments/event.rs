use jiff::Timestamp;
use serde::Deserialize;
use serde_json::Value;
use stripe_webhook::{Webhook, WebhookError};
use tracing::subscriber::NoSubscriber;

use super::Payments;
use crate::Error;

/// Something that happened at the payment provider.
///
/// Events come late, twice and in any order, so one says only whom to ask about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PaymentEvent {
    /// Its id, the same however often it is sent.
    pub id: String,
    /// What happened, such as `customer.subscription.updated`.
    pub kind: String,
    /// When the provider made it.
    pub created_at: Timestamp,
    /// The customer whose subscription it may have changed; none where it changed none.
    pub customer_id: Option<String>,
}

/// What we read of an event. The rest differs between versions of the provider's interface, and the version of
/// an event is chosen where its address is registered, not by us.
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
    /// Reads an event that was sent to us at `now`.
    ///
    /// # Errors
    /// [`Error::EventRefused`] for one that the provider has not signed for us in the last five minutes, or that
    /// is no event.
    pub fn event(&self, payload: &str, signature: &str, now: Timestamp) -> Result<PaymentEvent, Error> {
        let refused = |reason| Error::EventRefused { reason };
        // The library compares the signature in constant time, then the time, and only then reads the event,
        // which it cannot when that is of another version than its own. A test sends such an event with and
        // without a good signature.
        let secret = self.webhook_secret.reveal();
        let read = || Webhook::construct_event_with_timestamp(payload, signature, secret, now.as_second());
        // It logs as an error that it cannot read an event, which is none here.
        match tracing::subscriber::with_default(NoSubscriber::default(), read) {
            Ok(_) | Err(WebhookError::BadParse(_)) => {}
            Err(WebhookError::BadTimestamp(_)) => return Err(refused("its signature is too old or too new")),
            Err(_) => return Err(refused("its signature does not hold")),
        }
        // Only behind the signature: nothing of an unsigned payload is read.
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
