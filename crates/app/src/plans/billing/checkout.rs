use partsight_domain::{
    CancellationState, PaidPlan, Subscription, SubscriptionStatus, User, UserId, messages,
};
use partsight_providers::{BilledSubscription, Error as ProviderError, PaymentFailure, Payments};
use partsight_store::{BillingClaim, BillingRecord};

use super::{Billing, what_counts};
use crate::plans::Plans;
use crate::{Error, Result};

/// The result of an order.
#[derive(Clone, PartialEq, Eq)]
pub struct Checkout {
    /// The subscription as it is now.
    pub subscription: Subscription,
    /// Secret with which the browser confirms a pending payment; `None` if there is none.
    pub client_secret: Option<String>,
}

partsight_domain::debug_fields!(Checkout { subscription });

/// Whether an order may start a subscription.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Order {
    /// It may start one, or change the existing one.
    New,
    /// It may only change an existing one.
    Change,
}

impl Plans {
    /// Orders a plan. An order with a pending payment is resumed, and an active subscription is changed: there is
    /// never more than one.
    ///
    /// # Errors
    /// [`Error::PaymentsNotOffered`], [`Error::Conflict`] if the plan is already active, is set to end, or is not paid,
    /// [`Error::PaymentDeclined`], [`Error::PaymentProvider`], and [`Error::TooManyAttempts`].
    pub async fn create_subscription(&self, user: &User, offer: PaidPlan) -> Result<Checkout> {
        self.order(user, offer, Order::New).await
    }

    /// Changes plan or interval of a user's active subscription.
    ///
    /// # Errors
    /// As [`Plans::create_subscription`], and [`Error::Conflict`] without an active subscription.
    pub async fn change_subscription(&self, user: &User, offer: PaidPlan) -> Result<Checkout> {
        self.order(user, offer, Order::Change).await
    }

    /// Cancels the scheduled end of a subscription.
    ///
    /// # Errors
    /// [`Error::PaymentsNotOffered`], [`Error::Conflict`] if it is not set to end, and [`Error::PaymentProvider`],
    /// [`Error::TooManyAttempts`].
    pub async fn reactivate_subscription(&self, user: &User) -> Result<Subscription> {
        self.billing.for_sale()?;
        self.accounts.services.limits.take_order(user.id, self.clock.steady())?;
        let (billing, user_id) = (self.billing.clone(), user.id);
        self.billing
            .tasks
            .run(async move {
                let claim = billing.claim(user_id).await?;
                let result = billing.reactivate(&claim).await;
                billing.release(&claim, &result).await;
                result
            })
            .await
    }

    async fn order(&self, user: &User, offer: PaidPlan, order: Order) -> Result<Checkout> {
        self.billing.for_sale()?;
        self.accounts.services.limits.take_order(user.id, self.clock.steady())?;
        self.billing.order(user, offer, order).await
    }
}

impl Billing {
    async fn order(&self, user: &User, offer: PaidPlan, order: Order) -> Result<Checkout> {
        self.for_sale()?;
        let (billing, user) = (self.clone(), user.clone());
        // Continues if the browser disconnects: after half an order it would be unknown what was bought. See
        // docs/decisions/0029-stripe-is-the-truth.md.
        self.tasks
            .run(async move {
                let claim = billing.claim(user.id).await?;
                let result = billing.place(&claim, &user, offer, order).await;
                billing.release(&claim, &result).await;
                result
            })
            .await
    }

    async fn place(
        &self,
        claim: &BillingClaim,
        user: &User,
        offer: PaidPlan,
        order: Order,
    ) -> Result<Checkout> {
        let payments = self.for_sale()?;
        let record = self.record(user.id).await?;
        // The provider is queried instead of the row, which a lost answer never reached.
        let all = match &record.customer_id {
            Some(customer_id) => payments.subscriptions(customer_id).await?,
            None => Vec::new(),
        };
        let before = record.subscription.as_ref();
        let current = what_counts(&all, before);
        // Not by the price, which may be one of earlier settings.
        let is_same_order = |current: &BilledSubscription| {
            let known = current.subscription(before);
            known.is_some_and(|known| (known.plan, known.interval) == (offer.plan(), offer.interval()))
        };
        // An active subscription is changed, a pending one is paid, and anything else starts a new one.
        match current.map(|current| (current.status, current)) {
            Some((SubscriptionStatus::Active | SubscriptionStatus::Trialing, current)) => {
                self.change(claim, &record, current, offer).await
            }
            Some((SubscriptionStatus::PastDue, current)) => {
                let due = current.client_secret.is_some() && is_same_order(current);
                // An overdue payment comes first, and repeating the order is the way to pay it.
                if !due || order == Order::Change {
                    return Err(conflict(messages::SUBSCRIPTION_UNPAID));
                }
                self.pay(&record, current).await
            }
            _ if order == Order::Change => Err(conflict(messages::SUBSCRIPTION_NONE)),
            // The same order again: its payment was started and not finished.
            Some((SubscriptionStatus::Incomplete, current))
                if is_same_order(current) && current.client_secret.is_some() =>
            {
                self.pay(&record, current).await
            }
            _ => self.begin(claim, user, offer, &all, before).await,
        }
    }

    /// Resumes an order with a pending payment.
    async fn pay(&self, record: &BillingRecord, current: &BilledSubscription) -> Result<Checkout> {
        let subscription = self.save_answer(record, current).await?;
        Ok(Checkout { subscription, client_secret: current.client_secret.clone() })
    }

    /// Starts a new subscription, after cancelling those of ours that were never paid.
    async fn begin(
        &self,
        claim: &BillingClaim,
        user: &User,
        offer: PaidPlan,
        all: &[BilledSubscription],
        before: Option<&Subscription>,
    ) -> Result<Checkout> {
        let payments = self.for_sale()?;
        check_price(payments, offer).await?;
        // Two pending ones could both be paid.
        let is_ours = |found: &&BilledSubscription| found.subscription(before).is_some();
        for unpaid in all.iter().filter(is_ours).filter(|found| found.status.is_open()) {
            payments.cancel_now(&unpaid.id).await?;
        }
        let customer_id = self.customer(claim, user).await?;
        // Read again, because a new customer has changed the row.
        let record = self.record(user.id).await?;
        // With the number of existing subscriptions: the same order after another one is not a repetition.
        let key = format!("{}-subscribe-{}-after-{}", claim.attempt_id, name(offer), all.len());
        let answer = match payments.subscribe(&key, &customer_id, offer).await {
            // The customer was deleted at the provider.
            Err(ProviderError::Payments(PaymentFailure::Missing)) => {
                let customer_id = self.new_customer(claim, user, "again").await?;
                payments.subscribe(&format!("{key}-again"), &customer_id, offer).await?
            }
            answer => answer?,
        };
        let subscription = self.save_answer(&record, &answer).await?;
        // Checked after saving: the subscription exists at the provider in any case.
        if answer.client_secret.is_none() && !answer.status.grants_plan() {
            return Err(unusable("a subscription that is not paid has nothing to pay"));
        }
        Ok(Checkout { subscription, client_secret: answer.client_secret })
    }

    /// Changes plan or interval of an active subscription.
    async fn change(
        &self,
        claim: &BillingClaim,
        record: &BillingRecord,
        current: &BilledSubscription,
        offer: PaidPlan,
    ) -> Result<Checkout> {
        if current.cancel_at_period_end {
            return Err(conflict(messages::SUBSCRIPTION_ENDING));
        }
        if current.offer == Some(offer) {
            // It may be known only at the provider, after a lost answer.
            self.save_answer(record, current).await?;
            return Err(conflict(messages::SUBSCRIPTION_EXISTS));
        }
        // This very change waits for its payment.
        if current.pending_offer == Some(offer) && current.client_secret.is_some() {
            return self.pay(record, current).await;
        }
        let payments = self.for_sale()?;
        check_price(payments, offer).await?;
        let key = format!("{}-change-{}", claim.attempt_id, name(offer));
        let answer = payments.change(&key, current, offer).await?;
        let subscription = self.save_answer(record, &answer).await?;
        // A user who changes the plan no longer wants it to end.
        self.store.close_cancellation(claim.user_id, CancellationState::Withdrawn, &[], self.now()).await?;
        let waits = answer.pending_offer.is_some();
        if waits && answer.client_secret.is_none() {
            return Err(unusable("a change that is not paid has nothing to pay"));
        }
        Ok(Checkout { subscription, client_secret: answer.client_secret.filter(|_| waits) })
    }

    async fn reactivate(&self, claim: &BillingClaim) -> Result<Subscription> {
        let current = self.refresh(claim.user_id, None).await?;
        let ending =
            current.filter(|current| current.status.can_be_cancelled() && current.cancel_at_period_end);
        let Some(ending) = ending else {
            return Err(conflict(messages::SUBSCRIPTION_NOT_ENDING));
        };
        let record = self.record(claim.user_id).await?;
        let key = format!("{}-reactivate", claim.attempt_id);
        let answer = self.provider()?.set_cancel_at_period_end(&key, &ending.provider_id, false).await?;
        let subscription = self.save_answer(&record, &answer).await?;
        // As in `change`.
        self.store.close_cancellation(claim.user_id, CancellationState::Withdrawn, &[], self.now()).await?;
        Ok(subscription)
    }

    /// The customer id of a user; created if there is none.
    async fn customer(&self, claim: &BillingClaim, user: &User) -> Result<String> {
        match self.record(user.id).await?.customer_id {
            Some(customer_id) => Ok(customer_id),
            None => self.new_customer(claim, user, "first").await,
        }
    }

    async fn new_customer(&self, claim: &BillingClaim, user: &User, which: &str) -> Result<String> {
        let key = format!("{}-customer-{which}", claim.attempt_id);
        let customer_id = self.provider()?.create_customer(&key, user.id, &user.email).await?;
        self.store.set_customer(user.id, &customer_id).await?;
        Ok(customer_id)
    }

    /// The stored payment data of a user whose subscription is claimed.
    pub(super) async fn record(&self, user_id: UserId) -> Result<BillingRecord> {
        let record = self.store.find_billing(user_id).await?;
        record.ok_or_else(|| Error::internal("a claimed subscription has no row"))
    }
}

/// A price that differs from ours is a mistake in the settings, and must not cost anybody anything.
async fn check_price(payments: &Payments, offer: PaidPlan) -> Result<()> {
    Ok(payments.check_price(offer).await?)
}

/// The name of an offer in the key of a call.
fn name(offer: PaidPlan) -> String {
    format!("{}-{}", offer.plan().as_str(), offer.interval().as_str())
}

fn conflict(message: &'static str) -> Error {
    Error::Conflict { field: "plan", message }
}

fn unusable(what: &'static str) -> Error {
    ProviderError::Payments(PaymentFailure::Answer(what)).into()
}
