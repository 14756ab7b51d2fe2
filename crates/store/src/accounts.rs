//! People, how they sign in, what else gives access to their account, and their usage.
//! Begin with `users.rs`; `user_rows.rs` is how every query here reads a user.

mod api_keys;
mod identities;
mod mailed_links;
mod outgoing_mails;
mod past_allowances;
mod profile_pictures;
mod sessions;
mod sign_in_attempts;
mod usage;
mod user_rows;
mod users;

pub use api_keys::ApiKeyRow;
pub use identities::{Identity, NewExternalUser};
pub use outgoing_mails::{ClaimedMail, MailLease, MailLink, NewMail};
pub use profile_pictures::ProfilePicture;
pub(crate) use sessions::lock_session;
pub use sessions::{NewSession, OpenSession};
pub use sign_in_attempts::SignInAttempt;
pub(crate) use usage::count_usage;
pub(crate) use user_rows::{select_users, user_from_row};
pub(crate) use users::{CLOSING_AT_MOST, lock_open_account, lock_user};
pub use users::{SessionRenewal, StoredUser};
