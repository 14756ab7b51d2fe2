use std::convert::Infallible;
use std::time::Duration;

use partsight_domain::{CompanyId, Password, User, messages};
use partsight_store::{DeletedCompany, Store};
use tokio::time::MissedTickBehavior;

use crate::accounts::past_allowances::remember_scans;
use crate::accounts::{Caller, CurrentSession};
use crate::operations::Operations;
use crate::plans::billing::Billing;
use crate::plans::companies::company_of;
use crate::{Entity, Error, Result, logged};

impl Operations {
    /// Permanently deletes the account, and everything that its tenant owns if it has no other user. Its subscription
    /// is cancelled at once. A company of theirs without other members is deleted too. The number of used scans stays
    /// for a month, under an HMAC of the address.
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
        self.accounts.confirm_identity(current, password, "password", caller).await?;
        delete_for_good(&self.store, &self.plans.billing, &current.user).await?;
        self.teaching.update_index().await;
        Ok(())
    }

    /// Erases what is left of deleted accounts, companies and batches, and of cleared histories, now and with this
    /// interval for as long as the server runs: the server that had begun may have stopped. Only reads if nothing is left.
    pub async fn run_erasure(&self, interval: Duration) -> Infallible {
        let mut looks = tokio::time::interval(interval);
        looks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            looks.tick().await;
            match self.erase_the_rest().await {
                Ok(0) => {}
                Ok(n_erased) => {
                    tracing::info!(
                        n_erased,
                        "erased the rest of deleted accounts, companies, batches or histories"
                    );
                    self.teaching.update_index().await;
                }
                Err(error) => tracing::warn!(
                    error = logged(&error),
                    "the rest of deleted accounts, companies, batches or histories could not be erased"
                ),
            }
        }
    }

    async fn erase_the_rest(&self) -> Result<u64> {
        self.store.erase_photos_of_ended_evaluations().await?;
        let n_histories = self.store.erase_cleared_histories().await?;
        Ok(n_histories + self.store.erase_deleted_tenants().await?)
    }
}

/// Deletes the account and cancels its subscription: nobody should pay for a deleted account. The owner of a company
/// with other members is refused before anything is cancelled, and nobody can join from then on.
pub(super) async fn delete_for_good(store: &Store, billing: &Billing, user: &User) -> Result<()> {
    let (store, owned, user) = (store.clone(), billing.clone(), user.clone());
    // Continues if the browser disconnects: once the subscription is cancelled, the account must be deleted too.
    billing
        .tasks
        .run(async move {
            // Closed first: cancelling a subscription takes seconds, in which somebody could join the owner's
            // company. See docs/decisions/0065-close-account-first.md.
            let closing_until = store.close_account(user.id, owned.now()).await?;
            let deleted = end_and_delete(&store, &owned, &user).await;
            if deleted.is_err()
                && let Err(error) = store.reopen_account(user.id, closing_until).await
            {
                // It opens by itself after two minutes.
                tracing::warn!(error = logged(&error), "an account that stays could not be opened");
            }
            deleted
        })
        .await
}

async fn end_and_delete(store: &Store, billing: &Billing, user: &User) -> Result<()> {
    // Before the rows are deleted, since nothing could name the subscription afterwards.
    let claim = billing.end_for_good(user.id).await?;
    if let Err(error) = remember_scans(store, user, billing.now()).await {
        // This must not prevent the deletion.
        tracing::warn!(
            error = logged(&error),
            "the scans of an account that is deleted could not be remembered"
        );
    }
    let deleted = store.delete_user(user.id, user.tenant_id).await;
    if let (Err(_), Some(claim)) = (&deleted, claim) {
        billing.account_stays(&claim).await;
    }
    deleted?;
    Ok(())
}

impl Operations {
    /// Deletes a company with everything that it shares, and returns how many members and invitations it had. Accounts
    /// and garages stay.
    ///
    /// # Errors
    /// [`Error::NotFound`], and [`Error::Forbidden`] for everybody except the owner.
    pub async fn delete_company(&self, user: &User, id: CompanyId) -> Result<DeletedCompany> {
        if !company_of(user, id)?.is_owner {
            return Err(Error::Forbidden { message: messages::COMPANY_OWNER_ONLY });
        }
        let deleted = self.store.delete_company(user.id, id).await?;
        self.teaching.update_index().await;
        deleted.ok_or(Error::NotFound { entity: Entity::Company })
    }
}
