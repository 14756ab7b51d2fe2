//! The plan that a user has.

use axum::Json;
use axum::extract::State;
use partsight_app::App;
use partsight_domain::Plan;
use serde::Serialize;
use utoipa::ToSchema;

use crate::extract::SignedIn;
use crate::{ApiError, Problem};

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

/// The user's subscription.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SubscriptionStatus {
    plan: PlanName,
    /// Null for an unlimited plan.
    #[schema(required)]
    scans_remaining: Option<u32>,
    /// End of the paid period, in unix seconds; null without one.
    #[schema(required)]
    current_period_end: Option<i64>,
    cancel_at_period_end: bool,
    #[schema(example = "active")]
    status: &'static str,
    /// Whether there is a paid subscription to change or cancel here.
    can_manage: bool,
}

/// The plan in force and what it leaves.
///
/// No payment provider is connected, so no plan has a period and none can be managed here.
#[utoipa::path(get, path = "/api/subscription/status", tag = "subscription", responses(
    (status = OK, body = SubscriptionStatus),
    (status = UNAUTHORIZED, body = Problem, content_type = "application/problem+json"),
))]
pub(crate) async fn get_subscription_status(
    State(app): State<App>,
    SignedIn(user): SignedIn,
) -> Result<Json<SubscriptionStatus>, ApiError> {
    let allowance = app.scan_allowance(&user).await?;
    Ok(Json(SubscriptionStatus {
        plan: app.effective_plan(&user).into(),
        scans_remaining: (!allowance.is_unlimited()).then(|| allowance.remaining()),
        current_period_end: None,
        cancel_at_period_end: false,
        status: "active",
        can_manage: false,
    }))
}
