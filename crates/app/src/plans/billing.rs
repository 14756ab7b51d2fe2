//! Subscriptions: saving what the provider says about them, and ending them.
//!
//! The provider is the source of truth, and the row is a copy. Whenever something may have changed (an order, an
//! event, an overdue payment), all subscriptions of the customer are queried from the provider, and the one that
//! counts is saved. So late, repeated and reordered events all lead to the same row.

mod admin;
mod cancellation;
mod checkout;
mod events;
mod mails;
mod overview;

use std::time::Duration;

use jiff::Timestamp;
use partsight_domain::{Subscription, SubscriptionStatus, UserId, messages};
use partsight_providers::{BilledSubscription, Payments};
use partsight_store::{BillingClaim, BillingRecord, PaymentEventRow, Store};
use uuid::Uuid;

use crate::clock::Clock;
use crate::detached_tasks::DetachedTasks;
use crate::{Error, Result, Settings, logged};

pub use checkout::Checkout;
pub use overview::{BillingData, SubscriptionOverview};

/// How often and how long an order waits for another one of the same person to end.
const CLAIM_PAUSE: Duration = Duration::from_millis(200);
const CLAIM_TRIES: u32 = 100;
/// How often an answer may be overtaken by a newer one before the call fails.
const SAVE_TRIES: u32 = 5;

/// Payments and what is known of them. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Billing {
    store: Store,
    clock: Clock,
    payments: Option<Payments>,
    /// Whether plans are for sale: not if the server sets one plan for everybody.
    sells: bool,
    /// Changes continue if the browser that started them disconnects.
    pub(crate) tasks: DetachedTasks,
}

partsight_domain::debug_fields!(Billing { payments });

impl Billing {
    pub(crate) fn new(store: Store, clock: Clock, settings: &Settings, tasks: DetachedTasks) -> Result<Self> {
        let payments = Payments::new(&settings.payments)?;
        Ok(Self { store, clock, payments, sells: settings.server.plan.is_none(), tasks })
    }

    /// The provider, for a new order.
    fn for_sale(&self) -> Result<&Payments> {
        self.payments.as_ref().filter(|_| self.sells).ok_or(Error::PaymentsNotOffered(None))
    }

    /// The provider, for an existing subscription.
    fn provider(&self) -> Result<&Payments> {
        self.payments.as_ref().ok_or(Error::PaymentsNotOffered(None))
    }

    pub(crate) fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// Claims the subscription of a user for one change, after waiting for a running one.
    async fn claim(&self, user_id: UserId) -> Result<BillingClaim> {
        // Prefix of the idempotency keys of this change. If the outcome of an earlier change is unknown, the store
        // returns that change's prefix instead, so that the provider does nothing twice.
        let attempt_id = Uuid::now_v7().to_string();
        // For 20 s at most: a change is a few calls to the provider.
        for _ in 0..CLAIM_TRIES {
            if let Some(claim) = self.store.claim_billing(user_id, &attempt_id, self.now()).await? {
                return Ok(claim);
            }
            tokio::time::sleep(CLAIM_PAUSE).await;
        }
        Err(Error::Conflict { field: "plan", message: messages::SUBSCRIPTION_CHANGING })
    }

    /// Releases a claim. A change with an unknown outcome is continued by the next claim.
    async fn release<T>(&self, claim: &BillingClaim, result: &Result<T>) {
        // The outcome is unknown only if the provider did not answer; the next change then uses the same keys.
        let is_settled = match result {
            Err(Error::PaymentProvider(source)) => !source.is_outcome_unknown(),
            _ => true,
        };
        if let Err(error) = self.store.release_billing(claim, is_settled).await {
            // The claim expires in two minutes; the change itself is complete.
            tracing::warn!(error = logged(&error), "a claim could not be given back");
        }
    }

    /// Queries the provider for somebody's subscriptions, and saves the one that counts.
    async fn refresh(
        &self,
        user_id: UserId,
        event: Option<&PaymentEventRow<'_>>,
    ) -> Result<Option<Subscription>> {
        for _ in 0..SAVE_TRIES {
            let Some(record) = self.store.find_billing(user_id).await? else { return Ok(None) };
            let Some(customer_id) = &record.customer_id else { return Ok(None) };
            // Queried after the row was read: if the row changes meanwhile, `save` refuses, and the provider is
            // queried again.
            let all = self.provider()?.subscriptions(customer_id).await?;
            let found = what_counts(&all, record.subscription.as_ref());
            let subscription = match found {
                Some(found) => {
                    warn_of_unknown_price(found);
                    found.subscription(record.subscription.as_ref())
                }
                None => record.subscription.clone().map(ended),
            };
            if self.save(&record, subscription.as_ref(), event).await? {
                return Ok(subscription);
            }
        }
        Err(Error::Busy)
    }

    /// Returns whether it was saved: false if something else was saved since `record` was read.
    async fn save(
        &self,
        record: &BillingRecord,
        subscription: Option<&Subscription>,
        event: Option<&PaymentEventRow<'_>>,
    ) -> Result<bool> {
        let saved = self.store.save_subscription(record, subscription, event, self.now()).await?;
        let before = record.subscription.as_ref().map(|before| before.status);
        if let Some(subscription) = subscription.filter(|_| saved)
            && before != Some(subscription.status)
        {
            tracing::info!(
                user.id = %record.user_id,
                subscription.status = subscription.status.as_str(),
                subscription.plan = subscription.plan.as_str(),
                "a subscription changed"
            );
        }
        Ok(saved)
    }

    /// Saves an answer of the provider that was requested after `record` was read.
    async fn save_answer(&self, record: &BillingRecord, answer: &BilledSubscription) -> Result<Subscription> {
        if let Some(subscription) = answer.subscription(record.subscription.as_ref())
            && self.save(record, Some(&subscription), None).await?
        {
            return Ok(subscription);
        }
        let subscription = self.refresh(record.user_id, None).await?;
        subscription.ok_or_else(|| Error::internal("a subscription is gone from the provider"))
    }

    /// Cancels somebody's subscription at once, because their account is being deleted. The claim blocks orders until
    /// then.
    ///
    /// # Errors
    /// [`Error::Conflict`] if payments are no longer configured, and [`Error::PaymentProvider`].
    pub(crate) async fn end_for_good(&self, user_id: UserId) -> Result<Option<BillingClaim>> {
        if self.store.find_billing(user_id).await?.is_none() {
            return Ok(None);
        }
        let claim = self.claim(user_id).await?;
        let result = self.delete_customer(user_id).await;
        if result.is_err() {
            self.release(&claim, &result).await;
        }
        result.map(|()| Some(claim))
    }

    async fn delete_customer(&self, user_id: UserId) -> Result<()> {
        let record = self.store.find_billing(user_id).await?;
        let Some((customer_id, subscription)) =
            record.and_then(|record| Some((record.customer_id?, record.subscription)))
        else {
            return Ok(());
        };
        match &self.payments {
            // Stripe cancels all subscriptions of a deleted customer.
            Some(payments) => Ok(payments.delete_customer(&customer_id).await?),
            // Nobody can cancel it here, so the account stays: otherwise somebody would continue to pay for nothing.
            None if subscription.is_some_and(|subscription| subscription.status.is_open()) => {
                Err(Error::Conflict { field: "subscription", message: messages::SUBSCRIPTION_KEEPS_ACCOUNT })
            }
            None => Ok(()),
        }
    }

    /// Releases the claim of [`Billing::end_for_good`] if the account stays after all.
    pub(crate) async fn account_stays(&self, claim: &BillingClaim) {
        self.release(claim, &Ok(())).await;
    }
}

/// The subscription that determines the plan: one that grants a plan before one that waits for its payment, and that
/// before one that has ended; then the more expensive plan, then the newer one.
///
/// A subscription whose price is in no setting is not ours and does not count, unless it is the one that counted
/// before.
fn what_counts<'a>(
    all: &'a [BilledSubscription],
    before: Option<&Subscription>,
) -> Option<&'a BilledSubscription> {
    all.iter().filter(|found| found.subscription(before).is_some()).max_by_key(|found| {
        let price = found.offer.map_or(0, partsight_domain::PaidPlan::price_cents);
        (found.status.grants_plan(), found.status.is_open(), price, found.created_at)
    })
}

fn warn_of_unknown_price(found: &BilledSubscription) {
    if found.offer.is_none() && found.status.is_open() {
        tracing::warn!(
            subscription.id = found.id,
            price.id = found.price_id,
            "a subscription has a price that is in no `stripe_price` setting; its plan stays what it was"
        );
    }
}

/// Marks a subscription as ended that the provider no longer knows.
fn ended(mut subscription: Subscription) -> Subscription {
    subscription.status = SubscriptionStatus::Canceled;
    subscription
}

#[cfg(test)]
mod tests;
