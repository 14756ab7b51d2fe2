//! Layers around all calls: who may send them, within which limits, and which headers responses carry.

pub(crate) mod body_deadline;
pub(crate) mod cache_control;
pub(crate) mod early_body;
pub(crate) mod hosts;
pub(crate) mod idempotency;
pub(crate) mod key_access;
pub(crate) mod origin;
pub(crate) mod read_turn;
pub(crate) mod requests;
