use partsight_domain::Password;

use super::{Caller, CurrentSession};
use crate::{App, Result};

impl App {
    /// Deletes the account for good, and everything that its tenant owns when nobody else is in it. A company of
    /// theirs that nobody else is in goes too, and its subscription ends at once.
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
        // Nobody pays for an account that they no longer have.
        let claim = self.billing.end_for_good(current.user.id).await?;
        let deleted = self.store.delete_user(current.user.id, current.user.tenant_id).await;
        if let (Err(_), Some(claim)) = (&deleted, claim) {
            self.billing.account_stays(&claim).await;
        }
        deleted?;
        Ok(())
    }
}
