//! What happened in an account, and the programs that are told of it.
//!
//! Begin with `event`.

mod event;
mod webhook;

pub use event::{AccountEvent, EVENT_KEPT_FOR, EventKind, NewEvent};
pub use webhook::{
    DeliveryState, ENDPOINT_PATIENCE, MAX_WEBHOOKS, NewWebhook, Webhook, WebhookDelivery, next_try,
    rest_after,
};
