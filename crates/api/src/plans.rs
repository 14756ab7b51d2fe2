//! Plans and payments, companies with their members, and messages to support. Begin with `subscription.rs`.

pub(crate) mod company;
pub(crate) mod contact;
pub(crate) mod payment_events;
pub(crate) mod plan_list;
pub(crate) mod subscription;
