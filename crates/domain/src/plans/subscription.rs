use jiff::{SignedDuration, Timestamp};

use crate::accounts::Plan;
use crate::plans::BillingInterval;
use crate::{CancellationRequestId, UserId};

/// Maximum duration of a change of a subscription; after it, the server that made it is presumed dead.
pub const PLAN_CHANGE_WAIT: SignedDuration = SignedDuration::from_mins(2);

/// How long after the end of a period the subscription is queried from the provider, if no event has come.
const OVERDUE: SignedDuration = SignedDuration::from_hours(1);

named! {
    /// Status of a subscription at the payment provider
    /// (<https://docs.stripe.com/billing/subscriptions/overview#subscription-statuses>).
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub enum SubscriptionStatus {
        /// Its first payment is pending.
        Incomplete = "incomplete",
        /// Its first payment was not made in time.
        IncompleteExpired = "incomplete_expired",
        /// On trial.
        Trialing = "trialing",
        /// Paid.
        Active = "active",
        /// A renewal was not paid; the provider retries.
        PastDue = "past_due",
        /// A renewal was not paid; the provider has stopped retrying.
        Unpaid = "unpaid",
        /// Ended.
        Canceled = "canceled",
        /// A trial ended without a payment method.
        Paused = "paused",
    }
}

impl SubscriptionStatus {
    /// Whether its owner has the plan, which includes the time in which the provider retries a renewal.
    pub const fn grants_plan(self) -> bool {
        // A failed payment does not end the plan while the provider retries.
        matches!(self, Self::Trialing | Self::Active | Self::PastDue)
    }

    /// Whether it can be cancelled at the end of its period. One that was never paid ends by itself.
    pub const fn can_be_cancelled(self) -> bool {
        self.is_open() && !matches!(self, Self::Incomplete)
    }

    /// Whether it may still cause payments.
    pub const fn is_open(self) -> bool {
        !matches!(self, Self::IncompleteExpired | Self::Canceled)
    }
}

/// A subscription as the provider last described it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Subscription {
    /// Its id at the provider.
    pub provider_id: String,
    /// Its status.
    pub status: SubscriptionStatus,
    /// The plan that it pays for.
    pub plan: Plan,
    /// How often it is paid.
    pub interval: BillingInterval,
    /// The id of its price at the provider.
    pub price_id: String,
    /// End of the current period, paid or to be paid.
    pub current_period_end: Timestamp,
    /// Whether it is cancelled at that time instead of renewed.
    pub cancel_at_period_end: bool,
}

impl Subscription {
    /// The new plan of a user with `plan`, when their subscription changes from `before` to this one.
    ///
    /// A plan ends only with the subscription that granted it: one that the server's operator has granted stays when a
    /// payment fails.
    pub fn plan_after(&self, before: Option<&Self>, plan: Plan) -> Plan {
        if self.status.grants_plan() {
            self.plan
        } else if before.is_some_and(|before| before.status.grants_plan()) {
            Plan::Basic
        } else {
            plan
        }
    }

    /// Whether an event of the provider is overdue at `now`.
    pub fn is_overdue(&self, now: Timestamp) -> bool {
        match self.status {
            // Its payment may have been made and the event lost.
            SubscriptionStatus::Incomplete => true,
            status => status.grants_plan() && self.current_period_end + OVERDUE < now,
        }
    }
}

named! {
    /// State of a cancellation request.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum CancellationState {
        /// Not handled yet.
        Open = "open",
        /// Approved: the subscription ends with its period.
        Approved = "approved",
        /// Withdrawn by the owner, or void because the subscription was changed or has ended.
        Withdrawn = "withdrawn",
    }
}

/// A request to cancel a subscription at the end of its period.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CancellationRequest {
    /// Id of the request.
    pub id: CancellationRequestId,
    /// The requester.
    pub user_id: UserId,
    /// Their address.
    pub email: String,
    /// When it was made.
    pub requested_at: Timestamp,
    /// Its state.
    pub state: CancellationState,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn subscription(status: SubscriptionStatus) -> Subscription {
        Subscription {
            provider_id: "sub_1".to_owned(),
            status,
            plan: Plan::Pro,
            interval: BillingInterval::Month,
            price_id: "price_1".to_owned(),
            current_period_end: Timestamp::from_second(1_800_000_000).unwrap(),
            cancel_at_period_end: false,
        }
    }

    #[test]
    fn a_plan_comes_with_a_payment_and_goes_with_its_subscription() {
        use SubscriptionStatus as Status;
        let cases = [
            (None, Status::Incomplete, Plan::Basic, Plan::Basic),
            (None, Status::Active, Plan::Basic, Plan::Pro),
            (Some(Status::Incomplete), Status::Active, Plan::Basic, Plan::Pro),
            (Some(Status::Incomplete), Status::IncompleteExpired, Plan::Basic, Plan::Basic),
            (Some(Status::Active), Status::PastDue, Plan::Pro, Plan::Pro),
            (Some(Status::PastDue), Status::Unpaid, Plan::Pro, Plan::Basic),
            (Some(Status::PastDue), Status::Canceled, Plan::Pro, Plan::Basic),
            (Some(Status::Active), Status::Canceled, Plan::Pro, Plan::Basic),
            (Some(Status::Trialing), Status::Paused, Plan::Pro, Plan::Basic),
            // Granted by the server's operator.
            (None, Status::Incomplete, Plan::Business, Plan::Business),
            (Some(Status::Incomplete), Status::IncompleteExpired, Plan::Business, Plan::Business),
            (Some(Status::Canceled), Status::Canceled, Plan::Business, Plan::Business),
        ];
        for (before, after, plan, expected) in cases {
            let before = before.map(subscription);
            let found = subscription(after).plan_after(before.as_ref(), plan);
            assert_eq!(found, expected, "{before:?} -> {after:?}");
        }
    }

    #[test]
    fn the_provider_is_asked_about_what_should_have_happened() {
        let end = subscription(SubscriptionStatus::Active).current_period_end;
        for (status, after_end, expected) in [
            (SubscriptionStatus::Active, 0, false),
            (SubscriptionStatus::Active, 61, true),
            (SubscriptionStatus::PastDue, 61, true),
            (SubscriptionStatus::Incomplete, -9999, true),
            (SubscriptionStatus::Canceled, 61, false),
        ] {
            let now = end + SignedDuration::from_mins(after_end);
            assert_eq!(subscription(status).is_overdue(now), expected, "{status:?} {after_end}");
        }
    }
}
