use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use partsight_domain::{Plan, ScanAllowance, Subscription, SubscriptionStatus, User, messages};

use super::Billing;
use crate::plans::Plans;
use crate::{Error, Result, logged};

/// How long the plan page waits for the provider before it shows the stored state.
const ASK_LIMIT: Duration = Duration::from_secs(3);
/// Shortest time between two queries of the provider.
const ASK_PAUSE: SignedDuration = SignedDuration::from_secs(5);

/// The plan of a user, and its state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SubscriptionOverview {
    /// The active plan on this server.
    pub plan: Plan,
    /// Scans that the plan includes, and scans that were made.
    pub allowance: ScanAllowance,
    /// Their own subscription, even if it has ended.
    pub subscription: Option<Subscription>,
    /// Whether a request to cancel it is open.
    pub is_cancellation_requested: bool,
    /// Whether it can be changed to another plan here.
    pub can_manage: bool,
    /// Whether its cancellation can be requested here: also while it is unpaid and grants no plan.
    pub can_cancel: bool,
}

/// Stored data about a user who has ordered a plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BillingData {
    /// Their customer id at the payment provider.
    pub customer_id: Option<String>,
    /// Their subscription as the provider last described it.
    pub subscription: Option<Subscription>,
    /// When they requested cancellation, the oldest first.
    pub cancellations_requested_at: Vec<Timestamp>,
}

impl Plans {
    /// The subscription of a user. If the provider should have sent something by now and has not, it is queried.
    pub async fn subscription_overview(&self, user: &User) -> Result<SubscriptionOverview> {
        let subscription = self.billing.current(user).await?;
        // The query may have changed the plan since the session was read.
        let user = self.store.find_user(user.id).await?.map_or_else(|| user.clone(), |stored| stored.user);
        let is_cancellation_requested = self.store.find_open_cancellation(user.id).await?.is_some();
        let status = subscription.as_ref().filter(|_| self.billing.payments.is_some());
        let status = status.map(|subscription| subscription.status);
        Ok(SubscriptionOverview {
            plan: self.accounts.effective_plan(&user),
            allowance: self.accounts.scan_allowance(&user).await?,
            can_manage: status.is_some_and(SubscriptionStatus::grants_plan),
            can_cancel: status.is_some_and(SubscriptionStatus::can_be_cancelled),
            subscription,
            is_cancellation_requested,
        })
    }

    /// The stored payment data of a user; `None` for somebody who never ordered anything.
    pub async fn export_billing(&self, user: &User) -> Result<Option<BillingData>> {
        let Some(record) = self.store.find_billing(user.id).await? else { return Ok(None) };
        let requests = self.store.list_cancellations_of(user.id).await?;
        Ok(Some(BillingData {
            customer_id: record.customer_id,
            subscription: record.subscription,
            cancellations_requested_at: requests.into_iter().map(|request| request.requested_at).collect(),
        }))
    }

    /// Whether plans can be bought here.
    pub fn sells_plans(&self) -> bool {
        self.billing.for_sale().is_ok()
    }

    /// Returns the scan allowance of a user with an unlimited plan. It changes nothing, since the allowance follows
    /// from the plan.
    ///
    /// # Errors
    /// [`Error::Forbidden`] for a plan with a limit.
    pub async fn reset_scans(&self, user: &User) -> Result<ScanAllowance> {
        let overview = self.subscription_overview(user).await?;
        if !overview.allowance.is_unlimited() {
            return Err(Error::Forbidden { message: messages::SCAN_RESET_NEEDS_PLAN });
        }
        Ok(overview.allowance)
    }
}

impl Billing {
    async fn current(&self, user: &User) -> Result<Option<Subscription>> {
        let Some(record) = self.store.find_billing(user.id).await? else { return Ok(None) };
        let now = self.now();
        let is_due = self.payments.is_some()
            && record.subscription.as_ref().is_some_and(|subscription| subscription.is_overdue(now))
            && record.checked_at.is_none_or(|checked| checked + ASK_PAUSE <= now);
        if is_due {
            // May be dropped at any point: the result is saved in one transaction.
            match tokio::time::timeout(ASK_LIMIT, self.refresh(user.id, None)).await {
                Ok(Ok(subscription)) => return Ok(subscription),
                Ok(Err(error)) => {
                    tracing::warn!(error = logged(&error), "a subscription is shown as it was last known");
                }
                Err(_) => tracing::warn!("a subscription is shown as it was last known: no answer in time"),
            }
        }
        Ok(record.subscription)
    }
}
