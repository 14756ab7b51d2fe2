use partsight_store::PaymentEventRow;

use crate::Result;
use crate::plans::Plans;

impl Plans {
    /// Takes an event of the payment provider. One that was seen to, is about somebody unknown, or changes no
    /// subscription, does nothing.
    ///
    /// # Errors
    /// [`Error::EventRefused`](crate::Error::EventRefused) for one that the provider has not signed for us just
    /// now; [`Error::PaymentsNotOffered`](crate::Error::PaymentsNotOffered), and
    /// [`Error::PaymentProvider`](crate::Error::PaymentProvider) when it cannot be asked what happened. After
    /// these two the provider sends the event again.
    pub async fn take_payment_event(&self, payload: &str, signature: &str) -> Result<()> {
        let billing = &self.billing;
        let event = billing.provider()?.event(payload, signature, self.clock.now())?;
        let Some(customer_id) = &event.customer_id else {
            tracing::debug!(event.kind, "an event changes no subscription");
            return Ok(());
        };
        if self.store.is_payment_event_known(&event.id).await? {
            return Ok(());
        }
        let Some(record) = self.store.find_billing_by_customer(customer_id).await? else {
            tracing::debug!(event.kind, "an event is about nobody here");
            return Ok(());
        };
        let note = PaymentEventRow { id: &event.id, kind: &event.kind, created_at: event.created_at };
        // The id is saved with what the provider says, in one transaction: an event that fails half-way is
        // sent again.
        billing.refresh(record.user_id, Some(&note)).await?;
        Ok(())
    }
}
