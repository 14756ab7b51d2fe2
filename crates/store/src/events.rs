//! The events of an account, and their deliveries to webhooks. Begin with `log.rs` for how an event is written in the
//! transaction that it reports.

mod deliveries;
mod log;
mod webhooks;

pub use deliveries::{ClaimedDelivery, DeliveryLease, FailedTry, FailureRecord};
pub use webhooks::WebhookRow;
