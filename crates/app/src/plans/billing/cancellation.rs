use partsight_domain::{
    CancellationRequest, CancellationRequestId, CancellationState, EmailAddress, User, messages,
};
use uuid::Uuid;

use super::mails;
use crate::plans::Plans;
use crate::{Error, Result};

impl Plans {
    /// Asks support to cancel the user's subscription at the end of its period, with a mail to each. Does nothing if
    /// a request is already open.
    ///
    /// # Errors
    /// [`Error::Conflict`] if there is no subscription to cancel, or it is already cancelled; [`Error::TooManyAttempts`]:
    /// each request sends mails.
    pub async fn request_cancellation(&self, user: &User) -> Result<CancellationRequest> {
        let record = self.store.find_billing(user.id).await?;
        let subscription = record
            .and_then(|record| record.subscription)
            .filter(|subscription| subscription.status.can_be_cancelled())
            .ok_or_else(|| conflict(messages::CANCELLATION_NEEDS_SUBSCRIPTION))?;
        if subscription.cancel_at_period_end {
            return Err(conflict(messages::CANCELLATION_DONE));
        }
        if let Some(open) = self.store.find_open_cancellation(user.id).await? {
            return Ok(open);
        }
        self.accounts.services.limits.take_cancellation(user.id, self.clock.steady())?;
        let id = CancellationRequestId(Uuid::now_v7());
        let support = &self.accounts.services.support_email;
        let mails = [
            mails::cancellation_wanted(support, user, id, &subscription),
            mails::cancellation_received(&EmailAddress::kept(user.email.clone()), &subscription, support),
        ];
        self.store.request_cancellation(id, user.id, &mails, self.clock.now()).await?;
        let request = self.store.find_open_cancellation(user.id).await?;
        // A request that is no longer open was approved or withdrawn just now.
        request.ok_or_else(|| conflict(messages::CANCELLATION_DONE))
    }

    /// Withdraws the user's open cancellation request, and tells support by mail.
    ///
    /// # Errors
    /// [`Error::Conflict`] if none is open; [`Error::TooManyAttempts`].
    pub async fn withdraw_cancellation(&self, user: &User) -> Result<()> {
        let none = || conflict(messages::CANCELLATION_NONE_OPEN);
        let request = self.store.find_open_cancellation(user.id).await?.ok_or_else(none)?;
        self.accounts.services.limits.take_cancellation(user.id, self.clock.steady())?;
        let mail = mails::cancellation_withdrawn(&self.accounts.services.support_email, user, request.id);
        let (billing, user_id) = (self.billing.clone(), user.id);
        // The claim serialises this with an approval.
        let was_open = self
            .billing
            .tasks
            .run(async move {
                let claim = billing.claim(user_id).await?;
                let closed = billing
                    .store
                    .close_cancellation(user_id, CancellationState::Withdrawn, &[mail], billing.now())
                    .await
                    .map_err(Error::from);
                billing.release(&claim, &closed).await;
                closed
            })
            .await?;
        if !was_open {
            return Err(none());
        }
        Ok(())
    }
}

fn conflict(message: &'static str) -> Error {
    Error::Conflict { field: "subscription", message }
}
