//! Accounts named by e-mail address on the command line.

use partsight_app::{Owner, Store};
use partsight_domain::EmailAddress;

/// Parses an argument of the command line.
pub(crate) fn email(text: &str) -> Result<EmailAddress, String> {
    EmailAddress::new(text).map_err(|error| error.message)
}

/// The owner of the parts of an account.
///
/// # Errors
/// If there is no account with this address.
pub(crate) async fn owner(store: &Store, email: &EmailAddress) -> anyhow::Result<Owner> {
    let found = store.find_user_by_email(email.as_str()).await?;
    let found = found
        .ok_or_else(|| anyhow::anyhow!("there is no account with the e-mail address {}", email.as_str()))?;
    Ok(Owner::of(&found.user))
}
