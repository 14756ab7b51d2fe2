use partsight_store::PaymentEventRow;

use crate::Result;
use crate::plans::Plans;

impl Plans {
    /// Handles a webhook event of the payment provider. An event that is already recorded, names an unknown customer,
    /// or changes no subscription is ignored.
    ///
    /// # Errors
    /// [`Error::EventRefused`](crate::Error::EventRefused) for an invalid or expired signature;
    /// [`Error::PaymentsNotOffered`](crate::Error::PaymentsNotOffered), and
    /// [`Error::PaymentProvider`](crate::Error::PaymentProvider) if the subscription cannot be queried. After these
    /// two the provider sends the event again.
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
            tracing::debug!(event.kind, "an event concerns no account of this server");
            return Ok(());
        };
        let note = PaymentEventRow { id: &event.id, kind: &event.kind, created_at: event.created_at };
        // The event id and the subscription are saved in one transaction, so that a failed event is processed
        // again when the provider resends it.
        billing.refresh(record.user_id, Some(&note)).await?;
        Ok(())
    }
}
