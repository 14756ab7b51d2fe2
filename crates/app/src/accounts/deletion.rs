use partsight_domain::{Password, User};
use partsight_store::{Error as StoreError, Store};

use super::{Caller, CurrentSession};
use crate::billing::Billing;
use crate::{App, Result};

impl App {
    /// Deletes the account for good, and everything that its tenant owns when nobody else is in it. Its
    /// subscription ends at once. A company of theirs that nobody else is in goes too.
    ///
    /// # Errors
    /// [`Error::Conflict`](crate::Error::Conflict) for the owner of a company with other members, who would lose
    /// what they share;
    /// [`Error::Invalid`](crate::Error::Invalid) for a wrong password,
    /// [`Error::FreshSignInNeeded`](crate::Error::FreshSignInNeeded) for an account without one,
    /// [`Error::TooManyAttempts`](crate::Error::TooManyAttempts), and
    /// [`Error::PaymentProvider`](crate::Error::PaymentProvider) when its subscription could not be ended; the
    /// account stays then.
    pub async fn delete_account(
        &self,
        current: &CurrentSession,
        password: Option<Password>,
        caller: &Caller,
    ) -> Result<()> {
        self.confirm_identity(current, password, "password", caller).await?;
        delete_for_good(&self.store, &self.billing, &current.user).await
    }
}

/// Deletes the account and ends its subscription: nobody pays for an account that they no longer have. The owner of
/// a company with others in it is refused before anything ends.
pub(super) async fn delete_for_good(store: &Store, billing: &Billing, user: &User) -> Result<()> {
    if let Some(company) = store.find_company_of(user.id).await?
        && company.owner_id == user.id
        && store.list_company_members(company.id).await?.len() > 1
    {
        return Err(StoreError::OwnsCompany.into());
    }
    let claim = billing.end_for_good(user.id).await?;
    let deleted = store.delete_user(user.id, user.tenant_id).await;
    if let (Err(_), Some(claim)) = (&deleted, claim) {
        billing.account_stays(&claim).await;
    }
    deleted?;
    Ok(())
}
