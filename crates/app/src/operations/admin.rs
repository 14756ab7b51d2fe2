use partsight_domain::{
    CancellationRequest, CancellationRequestId, EmailAddress, NewUser, Password, Plan, Subscription, User,
    UserId, messages,
};
use partsight_store::{Error as StoreError, Store};
use uuid::Uuid;

use super::deletion::delete_for_good;
use crate::accounts::passwords::Passwords;
use crate::clock::Clock;
use crate::detached_tasks::DetachedTasks;
use crate::error::Entity;
use crate::plans::billing::Billing;
use crate::{Error, Result, Settings};

/// For whom passwords are hashed here.
const OPERATOR: &str = "operator";

/// Operations on accounts for the server's operator, without a model and beside a running server.
#[derive(Clone)]
pub struct AccountAdmin {
    store: Store,
    passwords: Passwords,
    clock: Clock,
    billing: Billing,
    public_url: Option<String>,
}

partsight_domain::debug_fields!(AccountAdmin {});

impl AccountAdmin {
    /// Operates on the accounts in `store`; must be called in a tokio runtime.
    ///
    /// # Errors
    /// [`Error::Provider`] for a payment provider that cannot be used.
    pub fn new(store: Store, clock: Clock, settings: &Settings) -> Result<Self> {
        Ok(Self {
            billing: Billing::new(store.clone(), clock.clone(), settings, DetachedTasks::default())?,
            public_url: settings.server.public_url.as_ref().map(|_| settings.server.effective_public_url()),
            passwords: Passwords::start()?,
            store,
            clock,
        })
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

    /// Creates an account. No mail is sent.
    ///
    /// # Errors
    /// [`Error::Conflict`] when an account with this e-mail exists, [`Error::Invalid`] for a password that is too
    /// easy to guess.
    pub async fn create(&self, new: &NewUser, plan: Plan) -> Result<User> {
        let password = new.password.clone().chosen_for(new.email.as_str())?;
        let hash = self.passwords.hash(password, OPERATOR.to_owned()).await?;
        let id = UserId(Uuid::now_v7());
        let created = self.store.create_user_without_session(id, new, &hash, self.clock.now()).await;
        created.map_err(|error| match error {
            StoreError::Constraint(_) => Error::Conflict { field: "email", message: messages::EMAIL_IN_USE },
            other => other.into(),
        })?;
        Ok(self.store.set_plan(id, plan).await?)
    }

    /// Sets another password for the account and ends its sessions.
    ///
    /// # Errors
    /// [`Error::NotFound`], and [`Error::Invalid`] for a password that is too easy to guess.
    pub async fn set_password(&self, email: &EmailAddress, password: Password) -> Result<()> {
        let user = self.find(email).await?;
        let hash = self.passwords.hash(password.chosen_for(email.as_str())?, OPERATOR.to_owned()).await?;
        Ok(self.store.change_password(user.id, &hash, None, false, &[], self.clock.now()).await?)
    }

    /// Sets another plan for the account.
    ///
    /// # Errors
    /// [`Error::NotFound`].
    pub async fn set_plan(&self, email: &EmailAddress, plan: Plan) -> Result<User> {
        let user = self.find(email).await?;
        Ok(self.store.set_plan(user.id, plan).await?)
    }

    /// Deletes the account, and everything that its tenant owns if it has no other user. Its subscription is
    /// cancelled at once.
    ///
    /// # Errors
    /// [`Error::NotFound`], and [`Error::PaymentProvider`] when its subscription could not be cancelled.
    pub async fn delete(&self, email: &EmailAddress) -> Result<()> {
        let user = self.find(email).await?;
        delete_for_good(&self.store, &self.billing, &user).await
    }

    /// All requests to cancel a subscription, the oldest first, handled ones included.
    pub async fn list_cancellations(&self) -> Result<Vec<CancellationRequest>> {
        Ok(self.store.list_cancellations().await?)
    }

    /// Approves the request of an owner to cancel a subscription at the end of its period, and queues a mail to the
    /// owner, which a server sends. Without a public address in the settings the mail has no link: the settings of this
    /// command may be others than the server's, so that its address is not known here.
    ///
    /// `None` if it has ended meanwhile: then the request is closed without a mail.
    ///
    /// # Errors
    /// [`Error::NotFound`], [`Error::Conflict`] for a request that was handled, [`Error::PaymentsNotOffered`] and
    /// [`Error::PaymentProvider`].
    pub async fn approve_cancellation(&self, id: CancellationRequestId) -> Result<Option<Subscription>> {
        self.billing.approve_cancellation(id, self.public_url.as_deref()).await
    }

    /// Closes the database.
    pub async fn close(&self) {
        self.store.close().await;
    }
}
