pub(crate) mod companies;
mod contact_messages;
mod subscriptions;
