use jiff::Timestamp;
use partsight_domain::{PaidPlan, Subscription, SubscriptionStatus};
use stripe_billing::InvoiceStatus;

use crate::{Error, PaymentFailure};

/// A subscription as the provider describes it. Its `Debug` output does not show the client secret.
#[derive(Clone, PartialEq, Eq)]
pub struct BilledSubscription {
    /// Id of the subscription at the provider.
    pub id: String,
    /// Id of its customer at the provider.
    pub customer_id: String,
    /// The status of the subscription.
    pub status: SubscriptionStatus,
    /// Id of its price.
    pub price_id: String,
    /// The plan and interval of that price; `None` for a price that is not in our settings.
    pub offer: Option<PaidPlan>,
    /// When it was created.
    pub created_at: Timestamp,
    /// The end of the period that is paid, or is to be paid.
    pub current_period_end: Timestamp,
    /// Whether it ends with that period instead of being renewed.
    pub cancel_at_period_end: bool,
    /// The plan to which it changes once that is paid; `None` if no change is pending.
    pub pending_offer: Option<PaidPlan>,
    /// Secret with which a browser confirms an open payment, if there is one.
    pub client_secret: Option<String>,
    /// Id of its only item, which a change of the plan needs.
    pub item_id: String,
}

partsight_domain::debug_fields!(BilledSubscription { id, status, price_id });

impl BilledSubscription {
    pub(super) fn read(
        answer: stripe_billing::Subscription,
        prices: &[(PaidPlan, String)],
    ) -> Result<Self, Error> {
        let bad = |what| Error::Payments(PaymentFailure::Answer(what));
        let moment = |second| Timestamp::from_second(second).map_err(|_| bad("a moment is out of range"));
        let status = SubscriptionStatus::from_name(answer.status.as_str())
            .ok_or_else(|| bad("the status of a subscription is unknown"))?;
        // Each of our subscriptions has exactly one item.
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
        // Only an open payment can be confirmed.
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

    /// The subscription as it is stored.
    ///
    /// If its price is no longer in our settings, the plan of `before` is kept if that is the same subscription.
    /// Otherwise the subscription is not one of ours, and the result is `None`.
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
