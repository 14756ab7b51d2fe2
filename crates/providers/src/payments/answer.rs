use jiff::Timestamp;
use partsight_domain::{PaidPlan, Subscription, SubscriptionStatus};
use stripe_billing::InvoiceStatus;

use super::failure::PaymentFailure;
use crate::Error;

/// A subscription as the provider has it. Its `Debug` output does not show the client secret.
#[derive(Clone, PartialEq, Eq)]
pub struct BilledSubscription {
    /// Id of the subscription at the provider.
    pub id: String,
    /// Whose it is.
    pub customer_id: String,
    /// Where it stands.
    pub status: SubscriptionStatus,
    /// The id of the price that it pays.
    pub price_id: String,
    /// What that price is for; none for a price that is not in our settings.
    pub offer: Option<PaidPlan>,
    /// When it began.
    pub created_at: Timestamp,
    /// The end of the period that is paid, or is to be paid.
    pub current_period_end: Timestamp,
    /// Whether it ends there instead of being renewed.
    pub cancel_at_period_end: bool,
    /// What it changes to once that is paid; none where no change waits for a payment.
    pub pending_offer: Option<PaidPlan>,
    /// With which a browser confirms the payment that it waits for, where it waits for one.
    pub client_secret: Option<String>,
    /// The one line of it, which a change of its plan names.
    pub item_id: String,
}

partsight_domain::debug_fields!(BilledSubscription { id, status, price_id });

impl BilledSubscription {
    pub(super) fn read(
        answer: stripe_billing::Subscription,
        prices: &[(PaidPlan, String)],
    ) -> Result<Self, Error> {
        let bad = |what| Error::Payments { failure: PaymentFailure::Answer { what } };
        let moment = |second| Timestamp::from_second(second).map_err(|_| bad("a moment is out of range"));
        let status = SubscriptionStatus::from_name(answer.status.as_str())
            .ok_or_else(|| bad("the status of a subscription is unknown"))?;
        // Each of our subscriptions has one line.
        let item =
            answer.items.data.into_iter().next().ok_or_else(|| bad("a subscription pays for nothing"))?;
        let price_id = item.price.id.as_str().to_owned();
        let offer_of = |price_id: &str| prices.iter().find(|(_, id)| id == price_id).map(|(offer, _)| *offer);
        let pending_items = answer.pending_update.and_then(|update| update.subscription_items);
        let pending_offer = pending_items.and_then(|items| offer_of(items.first()?.price.id.as_str()));
        let invoice = match answer.latest_invoice {
            Some(invoice) => invoice.into_object(),
            None => None,
        };
        // Only what is still to be paid can be confirmed.
        let client_secret = invoice
            .filter(|invoice| invoice.status == Some(InvoiceStatus::Open))
            .and_then(|invoice| invoice.confirmation_secret)
            .map(|secret| secret.client_secret);
        Ok(Self {
            id: answer.id.as_str().to_owned(),
            customer_id: answer.customer.id().as_str().to_owned(),
            status,
            offer: offer_of(&price_id),
            price_id,
            created_at: moment(answer.created)?,
            current_period_end: moment(item.current_period_end)?,
            cancel_at_period_end: answer.cancel_at_period_end,
            pending_offer,
            client_secret,
            item_id: item.id.as_str().to_owned(),
        })
    }

    /// What is kept of it.
    ///
    /// A price that is not in our settings was one once, where `before` is this very subscription with it; then
    /// its plan stays what it was. Otherwise the subscription is for something that is not ours, and none is kept.
    pub fn subscription(&self, before: Option<&Subscription>) -> Option<Subscription> {
        let known = self.offer.map(|offer| (offer.plan(), offer.interval()));
        let (plan, interval) = known.or_else(|| {
            let before = before.filter(|before| before.provider_id == self.id)?;
            Some((before.plan, before.interval))
        })?;
        Some(Subscription {
            provider_id: self.id.clone(),
            status: self.status,
            plan,
            interval,
            price_id: self.price_id.clone(),
            current_period_end: self.current_period_end,
            cancel_at_period_end: self.cancel_at_period_end,
        })
    }
}
