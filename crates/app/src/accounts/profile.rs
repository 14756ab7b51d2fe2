use partsight_domain::{PersonName, User};

use crate::Result;
use crate::accounts::Accounts;

impl Accounts {
    /// Gives the user these names; either may be empty.
    pub async fn rename_user(&self, user: &User, first: &PersonName, last: &PersonName) -> Result<User> {
        Ok(self.store.rename_user(user.id, first, last).await?)
    }

    /// The sign-in providers that a user has an account with, by their addresses.
    pub async fn list_identities(&self, user: &User) -> Result<Vec<String>> {
        Ok(self.store.list_identities(user.id).await?)
    }
}
