//! Operating the server, and what concerns all modules: exporting and deleting an account. Begin with `health.rs`.

pub(crate) mod account_deletion;
pub(crate) mod account_export;
pub(crate) mod health;
pub(crate) mod metrics;
pub(crate) mod ready;
pub(crate) mod settings;
