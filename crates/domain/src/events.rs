//! Events of an account, and the webhooks that receive them.
//!
//! Begin with `event`.

mod event;
mod webhook;

pub use event::{AccountEvent, EVENT_KEPT_FOR, EventKind, NewEvent};
pub use webhook::{
    DeliveryPage, DeliveryState, ENDPOINT_PATIENCE, ENDPOINT_QUIET, MAX_WEBHOOKS, NewWebhook, Webhook,
    WebhookDelivery, next_try, rest_after,
};
