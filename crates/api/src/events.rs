//! What happened in an account, as a stream and as webhooks.

pub(crate) mod deliveries;
pub(crate) mod stream;
pub(crate) mod webhooks;
