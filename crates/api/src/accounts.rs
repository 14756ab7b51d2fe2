//! Accounts: signing up and in, sessions, passwords, mailed links, API keys and usage. Begin with `sign_in.rs`.

pub(crate) mod allowance;
pub(crate) mod api_keys;
pub(crate) mod external_sign_in;
pub(crate) mod mailed_links;
pub(crate) mod password;
pub(crate) mod profile;
pub(crate) mod sessions;
pub(crate) mod sign_in;
pub(crate) mod usage;
pub(crate) mod user;
