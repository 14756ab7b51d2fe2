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

/// The plan, by the name on the subscription pages.
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
    /// The billing interval of a plan.
    Interval from BillingInterval { Month, Year }
);

wire_enum!(
    /// The status of a subscription, by the names of the payment provider; `active` also for the free plan.
    StatusName from Status as "snake_case" {
        Active, Trialing, Incomplete, IncompleteExpired, PastDue, Unpaid, Canceled, Paused,
    }
);

/// The user's subscription.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[expect(clippy::struct_excessive_bools, reason = "each is an independent fact in JSON")]
pub(crate) struct SubscriptionStatus {
    /// The active plan on this server.
    plan: PlanName,
    /// The plan that the user pays for; null if there is none. The active plan may be higher, because of a company or a
    /// setting of the server.
    #[schema(required)]
    paid_plan: Option<PlanName>,
    /// Scans left; null if the plan is unlimited.
    #[schema(required)]
    scans_remaining: Option<u32>,
    /// End of the period that is paid or due, in Unix seconds; null without a subscription.
    #[schema(required)]
    current_period_end: Option<i64>,
    /// Whether the plan ends at `currentPeriodEnd` instead of being renewed.
    cancel_at_period_end: bool,
    status: StatusName,
    /// Whether there is a paid subscription that can be changed here.
    can_manage: bool,
    /// Whether there is a subscription whose cancellation can be requested. This includes an unpaid or paused one,
    /// which grants no plan.
    can_cancel: bool,
    /// The billing interval; null without a paid subscription.
    #[schema(required)]
    interval: Option<Interval>,
    /// A plan that is ordered or unpaid, and not active until it is paid; otherwise null.
    #[schema(required)]
    ordered: Option<OrderedPlan>,
    /// Whether a cancellation request is open.
    cancellation_requested: bool,
}

/// A plan that waits for its payment.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct OrderedPlan {
    plan: PlanName,
    interval: Interval,
}

/// Returns the active plan, the scans left, and the state of the subscription.
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

/// Returns the scan allowance of a user whose plan is unlimited. It changes nothing, since there is no limit to reset.
#[utoipa::path(post, path = "/api/force-scan-reset", tag = "subscription", responses(
    (status = OK, body = ScanLimits),
    problems::SignedIn,
    (status = FORBIDDEN, description = "The active plan has a scan limit."),
))]
pub(crate) async fn reset_scans(SignedIn { app, user }: SignedIn) -> Result<Json<ScanLimits>, ApiError> {
    Ok(Json(app.plans.reset_scans(&user).await?.into()))
}
