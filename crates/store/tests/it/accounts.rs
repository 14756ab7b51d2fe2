pub(crate) mod api_keys;
mod identities;
mod mailed_links;
mod outgoing_mails;
mod past_allowances;
mod profile_pictures;
mod sessions;
mod users;
