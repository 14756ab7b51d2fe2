use jiff::{SignedDuration, Timestamp};

use crate::accounts::Plan;
use crate::plans::BillingInterval;
use crate::{CancellationRequestId, UserId};

/// Longest that one change of a subscription takes; after it, the server that made it has died.
pub const PLAN_CHANGE_WAIT: SignedDuration = SignedDuration::from_mins(2);

/// How long after the end of a period the provider is asked what became of the subscription, where it has not
/// said so by itself.
const OVERDUE: SignedDuration = SignedDuration::from_hours(1);

named! {
    /// Where a subscription stands, in the words of the payment provider
    /// (<https://docs.stripe.com/billing/subscriptions/overview#subscription-statuses>).
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub enum SubscriptionStatus {
        /// Its first payment has not come yet.
        Incomplete = "incomplete",
        /// Its first payment did not come in time.
        IncompleteExpired = "incomplete_expired",
        /// On trial.
        Trialing = "trialing",
        /// Paid.
        Active = "active",
        /// A renewal was not paid, and the provider still tries.
        PastDue = "past_due",
        /// A renewal was not paid, and the provider has stopped trying.
        Unpaid = "unpaid",
        /// Ended.
        Canceled = "canceled",
        /// A trial has ended without a means of payment.
        Paused = "paused",
    }
}

impl SubscriptionStatus {
    /// Whether its owner has the plan: also while the provider still tries to have a renewal paid.
    pub const fn grants_plan(self) -> bool {
        // A card that fails once is no reason to take the plan away while the provider tries again.
        matches!(self, Self::Trialing | Self::Active | Self::PastDue)
    }

    /// Whether its owner can have it end with its period. One that was never paid for ends by itself.
    pub const fn can_be_cancelled(self) -> bool {
        self.is_open() && !matches!(self, Self::Incomplete)
    }

    /// Whether it can still cost its owner something, or come to do so.
    pub const fn is_open(self) -> bool {
        !matches!(self, Self::IncompleteExpired | Self::Canceled)
    }
}

/// A subscription as the provider last described it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Subscription {
    /// Its id at the provider.
    pub provider_id: String,
    /// Where it stands.
    pub status: SubscriptionStatus,
    /// What it pays for.
    pub plan: Plan,
    /// How often it is paid.
    pub interval: BillingInterval,
    /// The id of its price at the provider.
    pub price_id: String,
    /// The end of the period that is paid, or is to be paid.
    pub current_period_end: Timestamp,
    /// Whether it ends there instead of being renewed.
    pub cancel_at_period_end: bool,
}

impl Subscription {
    /// The plan that somebody with `plan` has once their subscription is this one instead of `before`.
    ///
    /// A plan is taken away only by the end of a subscription that gave it: one that whoever runs the server has
    /// given stays when an attempt to pay comes to nothing.
    pub fn plan_after(&self, before: Option<&Self>, plan: Plan) -> Plan {
        if self.status.grants_plan() {
            self.plan
        } else if before.is_some_and(|before| before.status.grants_plan()) {
            Plan::Basic
        } else {
            plan
        }
    }

    /// Whether it has come to a point at which the provider should have said more by `now`.
    pub fn is_overdue(&self, now: Timestamp) -> bool {
        match self.status {
            // Its payment may have come while the event about it was lost.
            SubscriptionStatus::Incomplete => true,
            status => status.grants_plan() && self.current_period_end + OVERDUE < now,
        }
    }
}

named! {
    /// What became of somebody's wish that their subscription ends.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum CancellationState {
        /// Nobody has seen to it.
        Open = "open",
        /// The subscription ends with its period.
        Approved = "approved",
        /// The subscription goes on: its owner has changed their mind.
        Withdrawn = "withdrawn",
    }
}

/// Somebody's wish that their subscription ends with its period.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CancellationRequest {
    /// Id of the request.
    pub id: CancellationRequestId,
    /// Who asked.
    pub user_id: UserId,
    /// Their address.
    pub email: String,
    /// When it was made.
    pub requested_at: Timestamp,
    /// What became of it.
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
            // Given by whoever runs the server.
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
