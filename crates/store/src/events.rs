//! What happened in an account, and its deliveries. Begin with `log.rs` for how an event is written beside what it
//! reports.

mod deliveries;
mod log;
mod webhooks;

pub use deliveries::{ClaimedDelivery, DeliveryLease, FailedTry};
pub(crate) use log::{append_event, append_events};
pub use webhooks::WebhookRow;
