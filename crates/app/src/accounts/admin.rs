use std::fmt;

use partsight_domain::{EmailAddress, NewUser, Password, Plan, User, UserId, messages};
use partsight_store::{Error as StoreError, Store};
use uuid::Uuid;

use crate::app::Clock;
use crate::error::Entity;
use crate::passwords::Passwords;
use crate::{Error, Result};

/// What whoever runs the server can do with accounts, without a model and beside a running server.
#[derive(Clone)]
pub struct AccountAdmin {
    store: Store,
    passwords: Passwords,
    clock: Clock,
}

impl fmt::Debug for AccountAdmin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AccountAdmin").finish_non_exhaustive()
    }
}

impl AccountAdmin {
    /// Over the accounts in `store`.
    pub fn new(store: Store, clock: Clock) -> Result<Self> {
        Ok(Self { store, passwords: Passwords::start()?, clock })
    }

    /// All accounts, the oldest first.
    pub async fn list(&self) -> Result<Vec<User>> {
        Ok(self.store.list_users().await?)
    }

    /// The account of this address.
    ///
    /// # Errors
    /// [`Error::NotFound`].
    pub async fn find(&self, email: &EmailAddress) -> Result<User> {
        let stored = self.store.find_user_by_email(email.as_str()).await?;
        stored.map(|stored| stored.user).ok_or(Error::NotFound { entity: Entity::User })
    }

    /// Makes an account. No mail is sent.
    ///
    /// # Errors
    /// [`Error::Conflict`] when the e-mail has one.
    pub async fn create(&self, new: &NewUser, plan: Plan) -> Result<User> {
        let hash = self.passwords.hash(new.password.clone()).await?;
        let id = UserId(Uuid::now_v7());
        let created = self.store.create_user_without_session(id, new, &hash, (self.clock)()).await;
        created.map_err(|error| match error {
            StoreError::Constraint { .. } => {
                Error::Conflict { field: "email", message: messages::EMAIL_IN_USE }
            }
            other => other.into(),
        })?;
        Ok(self.store.set_plan(id, plan).await?)
    }

    /// Gives the account another password and ends its sessions.
    ///
    /// # Errors
    /// [`Error::NotFound`].
    pub async fn set_password(&self, email: &EmailAddress, password: Password) -> Result<()> {
        let user = self.find(email).await?;
        let hash = self.passwords.hash(password).await?;
        Ok(self.store.change_password(user.id, &hash, None).await?)
    }

    /// Gives the account another plan.
    ///
    /// # Errors
    /// [`Error::NotFound`].
    pub async fn set_plan(&self, email: &EmailAddress, plan: Plan) -> Result<User> {
        let user = self.find(email).await?;
        Ok(self.store.set_plan(user.id, plan).await?)
    }

    /// Deletes the account, and everything that its tenant owns when nobody else is in it.
    ///
    /// # Errors
    /// [`Error::NotFound`].
    pub async fn delete(&self, email: &EmailAddress) -> Result<()> {
        let user = self.find(email).await?;
        self.store.delete_user(user.id, user.tenant_id).await?;
        Ok(())
    }

    /// Closes the database.
    pub async fn close(&self) {
        self.store.close().await;
    }
}
