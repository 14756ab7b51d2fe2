pub(crate) mod api_keys;
mod identities;
mod mailed_links;
mod sessions;
mod users;
