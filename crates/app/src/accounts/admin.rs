use std::fmt;
use std::sync::Arc;

use partsight_domain::{EmailAddress, NewUser, Password, Plan, User, UserId, messages};
use partsight_store::{Error as StoreError, Store};
use uuid::Uuid;

use super::AccountParts;
use crate::app::Clock;
use crate::billing::Billing;
use crate::error::Entity;
use crate::passwords::Passwords;
use crate::{Error, Result, Settings};

/// What whoever runs the server can do with accounts, without a model and beside a running server.
#[derive(Clone)]
pub struct AccountAdmin {
    store: Store,
    passwords: Passwords,
    clock: Clock,
    billing: Billing,
    parts: Arc<AccountParts>,
}

impl fmt::Debug for AccountAdmin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AccountAdmin").finish_non_exhaustive()
    }
}

impl AccountAdmin {
    /// Over the accounts in `store`; must be called in a tokio runtime.
    ///
    /// # Errors
    /// [`Error::Provider`] for a mail server or payment provider that cannot be used.
    pub fn new(store: Store, clock: Clock, settings: &Settings) -> Result<Self> {
        Ok(Self {
            billing: Billing::new(store.clone(), Arc::clone(&clock), settings)?,
            parts: Arc::new(AccountParts::start(settings)?),
            passwords: Passwords::start()?,
            store,
            clock,
        })
    }

    pub(crate) fn store(&self) -> &Store {
        &self.store
    }

    pub(crate) fn billing(&self) -> &Billing {
        &self.billing
    }

    pub(crate) fn parts(&self) -> &AccountParts {
        &self.parts
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

    /// Deletes the account, and everything that its tenant owns when nobody else is in it. Its subscription ends
    /// at once.
    ///
    /// # Errors
    /// [`Error::NotFound`], and [`Error::PaymentProvider`] when its subscription could not be ended.
    pub async fn delete(&self, email: &EmailAddress) -> Result<()> {
        let user = self.find(email).await?;
        let claim = self.billing.end_for_good(user.id).await?;
        let deleted = self.store.delete_user(user.id, user.tenant_id).await;
        if let (Err(_), Some(claim)) = (&deleted, claim) {
            self.billing.account_stays(&claim).await;
        }
        deleted?;
        Ok(())
    }

    /// Lets waiting mails leave and closes the database.
    pub async fn close(&self) {
        self.parts.close().await;
        self.store.close().await;
    }
}
