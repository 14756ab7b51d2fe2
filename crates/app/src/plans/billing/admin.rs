use partsight_domain::{
    CancellationRequest, CancellationRequestId, CancellationState, EmailAddress, Subscription, messages,
};
use partsight_store::BillingClaim;

use super::{Billing, mails};
use crate::error::Entity;
use crate::{Error, Result};

impl Billing {
    /// Approves a cancellation request: cancels the subscription at the end of its period, and confirms it by mail, with
    /// a link if `public_url` is given. Returns the subscription; `None` if there is none that can be cancelled.
    ///
    /// # Errors
    /// [`Error::NotFound`]; [`Error::Conflict`] for a request that is already closed; [`Error::PaymentsNotOffered`] and
    /// [`Error::PaymentProvider`].
    pub(crate) async fn approve_cancellation(
        &self,
        id: CancellationRequestId,
        public_url: Option<&str>,
    ) -> Result<Option<Subscription>> {
        let request = self.store.find_cancellation(id).await?;
        let request = request.ok_or(Error::NotFound { entity: Entity::CancellationRequest })?;
        if request.state != CancellationState::Open {
            return Err(Error::Conflict { field: "id", message: messages::CANCELLATION_CLOSED });
        }
        self.end_with_period(&request, public_url).await
    }

    /// Cancels the requester's subscription at the end of its period, while holding the billing claim.
    async fn end_with_period(
        &self,
        request: &CancellationRequest,
        public_url: Option<&str>,
    ) -> Result<Option<Subscription>> {
        self.provider()?;
        let claim = self.claim(request.user_id).await?;
        let result = self.end_claimed(&claim, request, public_url).await;
        self.release(&claim, &result).await;
        result
    }

    async fn end_claimed(
        &self,
        claim: &BillingClaim,
        request: &CancellationRequest,
        public_url: Option<&str>,
    ) -> Result<Option<Subscription>> {
        // The request may have been withdrawn before the claim was taken.
        let open = self.store.find_open_cancellation(request.user_id).await?;
        if open.is_none_or(|open| open.id != request.id) {
            return Err(Error::Conflict { field: "id", message: messages::CANCELLATION_CLOSED });
        }
        let current = self.refresh(request.user_id, None).await?;
        let subscription = match current.filter(|current| current.status.can_be_cancelled()) {
            Some(current) if !current.cancel_at_period_end => {
                let record = self.record(request.user_id).await?;
                let key = format!("{}-cancel", claim.attempt_id);
                let answer =
                    self.provider()?.set_cancel_at_period_end(&key, &current.provider_id, true).await?;
                Some(self.save_answer(&record, &answer).await?)
            }
            current => current,
        };
        let mail = subscription.as_ref().map(|subscription| {
            mails::cancellation_approved(&EmailAddress::kept(request.email.clone()), subscription, public_url)
        });
        // Last, so that the request stays open if the provider fails.
        self.store
            .close_cancellation(request.user_id, CancellationState::Approved, mail.as_slice(), self.now())
            .await?;
        Ok(subscription)
    }
}
