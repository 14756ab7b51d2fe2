pub(crate) mod companies;
mod company_deletions;
mod company_invitations;
mod contact_messages;
mod departures;
mod subscriptions;
