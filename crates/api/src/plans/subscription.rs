//! A user's subscription, and the orders that change it.

pub(crate) mod cancellation;
pub(crate) mod orders;

use axum::Json;
use partsight_domain::{BillingInterval, Plan, SubscriptionStatus as Status};
use serde::Serialize;
use utoipa::ToSchema;

use crate::accounts::allowance::ScanLimits;
use crate::extract::SignedIn;
use crate::wire_enum::wire_enum;
use crate::{ApiError, problems};

/// The plan as the subscription screens name it.
#[derive(Debug, Clone, Copy, Serialize, ToSchema)]
pub(crate) enum PlanName {
    Free,
    Pro,
    Business,
}

impl From<Plan> for PlanName {
    fn from(plan: Plan) -> Self {
        match plan {
            Plan::Basic => Self::Free,
            Plan::Pro => Self::Pro,
            Plan::Business => Self::Business,
        }
    }
}

wire_enum!(
    /// How often a plan is paid.
    Interval from BillingInterval { Month, Year }
);

wire_enum!(
    /// Where a subscription stands, in the words of the payment provider; `active` also for the free plan.
    StatusName from Status as "snake_case" {
        Active, Trialing, Incomplete, IncompleteExpired, PastDue, Unpaid, Canceled, Paused,
    }
);

/// The user's subscription.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[expect(clippy::struct_excessive_bools, reason = "each is an independent fact in JSON")]
pub(crate) struct SubscriptionStatus {
    /// The plan in force on this server.
    plan: PlanName,
    /// The plan that the user pays for; null without one. The one in force may be higher, by a company or the settings.
    #[schema(required)]
    paid_plan: Option<PlanName>,
    /// Null for an unlimited plan.
    #[schema(required)]
    scans_remaining: Option<u32>,
    /// End of the period that is paid or to be paid, in unix seconds; null without one.
    #[schema(required)]
    current_period_end: Option<i64>,
    /// Whether the plan ends there instead of being renewed.
    cancel_at_period_end: bool,
    status: StatusName,
    /// Whether there is a paid subscription to change here.
    can_manage: bool,
    /// Whether there is a subscription whose cancellation can be asked for: also an unpaid or paused one, which gives
    /// no plan.
    can_cancel: bool,
    /// How often it is paid; null without one.
    #[schema(required)]
    interval: Option<Interval>,
    /// What waits for its payment and gives no plan until then: an order, or a plan that was not paid for; null without.
    #[schema(required)]
    ordered: Option<OrderedPlan>,
    /// Whether its cancellation was asked for and nobody has seen to it yet.
    cancellation_requested: bool,
}

/// A plan that waits for its payment.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct OrderedPlan {
    plan: PlanName,
    interval: Interval,
}

/// The plan in force and what it leaves.
#[utoipa::path(get, path = "/api/subscription/status", tag = "subscription",
    responses((status = OK, body = SubscriptionStatus), problems::SignedIn))]
pub(crate) async fn get_subscription_status(
    SignedIn { app, user }: SignedIn,
) -> Result<Json<SubscriptionStatus>, ApiError> {
    let overview = app.plans.subscription_overview(&user).await?;
    let allowance = overview.allowance;
    let paid = overview.subscription.as_ref().filter(|subscription| subscription.status.grants_plan());
    let open = overview.subscription.as_ref().filter(|subscription| subscription.status.can_be_cancelled());
    let status = overview.subscription.as_ref().map_or(Status::Active, |subscription| subscription.status);
    Ok(Json(SubscriptionStatus {
        plan: overview.plan.into(),
        paid_plan: paid.map(|subscription| subscription.plan.into()),
        scans_remaining: (!allowance.is_unlimited()).then(|| allowance.remaining()),
        current_period_end: open.map(|subscription| subscription.current_period_end.as_second()),
        cancel_at_period_end: open.is_some_and(|subscription| subscription.cancel_at_period_end),
        status: status.into(),
        can_manage: overview.can_manage,
        can_cancel: overview.can_cancel,
        interval: paid.map(|subscription| subscription.interval.into()),
        ordered: overview.subscription.as_ref().filter(|ordered| waits(ordered.status)).map(|subscription| {
            OrderedPlan { plan: subscription.plan.into(), interval: subscription.interval.into() }
        }),
        cancellation_requested: overview.is_cancellation_requested,
    }))
}

/// Whether a subscription gives no plan until it is paid.
fn waits(status: Status) -> bool {
    status.is_open() && !status.grants_plan()
}

/// Resets the scan limits of a user on a paid plan to unlimited.
#[utoipa::path(post, path = "/api/force-scan-reset", tag = "subscription", responses(
    (status = OK, body = ScanLimits),
    problems::SignedIn,
    (status = FORBIDDEN, description = "The plan in force has a limit."),
))]
pub(crate) async fn reset_scans(SignedIn { app, user }: SignedIn) -> Result<Json<ScanLimits>, ApiError> {
    Ok(Json(app.plans.reset_scans(&user).await?.into()))
}
