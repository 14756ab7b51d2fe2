//! The plan that a user has, and how they get another one.

use axum::Json;
use axum::extract::State;
use jiff::Timestamp;
use partsight_app::{App, Checkout};
use partsight_domain::{
    BillingInterval, InvalidInput, PaidPlan, Plan, Subscription, SubscriptionStatus as Status, messages,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use crate::auth::PlanType;
use crate::extract::{JsonBody, SignedIn};
use crate::scans::ScanLimits;
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

/// How often a plan is paid.
#[derive(Debug, Clone, Copy, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Interval {
    Month,
    Year,
}

impl From<BillingInterval> for Interval {
    fn from(interval: BillingInterval) -> Self {
        match interval {
            BillingInterval::Month => Self::Month,
            BillingInterval::Year => Self::Year,
        }
    }
}

/// Where a subscription stands, in the words of the payment provider; `active` also for the free plan.
#[derive(Debug, Clone, Copy, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum StatusName {
    Active,
    Trialing,
    /// The first payment has not come yet.
    Incomplete,
    /// It did not come in time.
    IncompleteExpired,
    /// A renewal was not paid; the plan stays while the provider still tries.
    PastDue,
    Unpaid,
    Canceled,
    Paused,
}

impl From<Status> for StatusName {
    fn from(status: Status) -> Self {
        match status {
            Status::Active => Self::Active,
            Status::Trialing => Self::Trialing,
            Status::Incomplete => Self::Incomplete,
            Status::IncompleteExpired => Self::IncompleteExpired,
            Status::PastDue => Self::PastDue,
            Status::Unpaid => Self::Unpaid,
            Status::Canceled => Self::Canceled,
            Status::Paused => Self::Paused,
        }
    }
}

/// The user's subscription.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SubscriptionStatus {
    /// The plan in force on this server.
    plan: PlanName,
    /// Null for an unlimited plan.
    #[schema(required)]
    scans_remaining: Option<u32>,
    /// End of the paid period, in unix seconds; null without one.
    #[schema(required)]
    current_period_end: Option<i64>,
    /// Whether the plan ends there instead of being renewed.
    cancel_at_period_end: bool,
    status: StatusName,
    /// Whether there is a paid subscription to change or cancel here.
    can_manage: bool,
    /// How often it is paid; null without one.
    #[schema(required)]
    interval: Option<Interval>,
    /// Whether its cancellation was asked for and nobody has seen to it yet.
    cancellation_requested: bool,
}

/// The plan in force and what it leaves.
#[utoipa::path(get, path = "/api/subscription/status", tag = "subscription", responses(
    (status = OK, body = SubscriptionStatus),
    (status = UNAUTHORIZED, body = Problem, content_type = "application/problem+json"),
))]
pub(crate) async fn get_subscription_status(
    State(app): State<App>,
    SignedIn(user): SignedIn,
) -> Result<Json<SubscriptionStatus>, ApiError> {
    let overview = app.subscription_overview(&user).await?;
    let allowance = overview.allowance;
    let paid = overview.subscription.as_ref().filter(|subscription| subscription.status.grants_plan());
    let status = overview.subscription.as_ref().map_or(Status::Active, |subscription| subscription.status);
    Ok(Json(SubscriptionStatus {
        plan: overview.plan.into(),
        scans_remaining: (!allowance.is_unlimited()).then(|| allowance.remaining()),
        current_period_end: paid.map(|subscription| subscription.current_period_end.as_second()),
        cancel_at_period_end: paid.is_some_and(|subscription| subscription.cancel_at_period_end),
        status: status.into(),
        can_manage: overview.can_manage,
        interval: paid.map(|subscription| subscription.interval.into()),
        cancellation_requested: overview.is_cancellation_requested,
    }))
}

/// What somebody wants to buy, as the page showed it.
#[derive(Debug, Deserialize, ToSchema)]
pub(crate) struct SubscriptionOrder {
    /// `pro` or `business`.
    #[schema(example = "pro")]
    plan: String,
    /// The price that was shown, in dollars, as a number or as text; another than the server's is refused.
    #[schema(value_type = f64, example = 4.99)]
    price: Value,
    /// `month` or `year`.
    #[schema(example = "month")]
    interval: String,
}

impl SubscriptionOrder {
    fn offer(&self) -> Result<PaidPlan, InvalidInput> {
        // A number has the fewest digits that lead back to it, so 4.99 is 4.99; what is neither fits no price.
        let price = self.price.as_str().map_or_else(|| self.price.to_string(), str::to_owned);
        PaidPlan::order(&self.plan, &self.interval, &price)
    }
}

/// What became of an order.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct OrderedSubscription {
    /// With which the page confirms the payment at Stripe; null where no payment is needed any more.
    #[schema(required, example = "pi_3MtwBwLkdIwHu7ix28a3tqPa_secret_YrKJUKribcBjcG8HVhfZluoGH")]
    client_secret: Option<String>,
    /// What happened and what to do, for people.
    message: &'static str,
    /// The plan of the subscription; it comes into force with the payment.
    plan: PlanType,
    interval: Interval,
    status: StatusName,
}

impl From<Checkout> for OrderedSubscription {
    fn from(checkout: Checkout) -> Self {
        let waits = checkout.client_secret.is_some();
        Self {
            message: if waits { messages::PAYMENT_TO_CONFIRM } else { messages::PLAN_CHANGED },
            client_secret: checkout.client_secret,
            plan: checkout.subscription.plan.into(),
            interval: checkout.subscription.interval.into(),
            status: checkout.subscription.status.into(),
        }
    }
}

/// Orders a plan.
///
/// The answer has the secret with which the page confirms the payment; the plan comes into force once Stripe says
/// that it is paid. Ordering again takes up the order that waits for its payment, and an active subscription is
/// changed as by `POST /api/subscription/change`: there is never more than one.
#[utoipa::path(post, path = "/api/create-subscription", tag = "subscription", request_body = SubscriptionOrder, responses(
    (status = OK, body = OrderedSubscription),
    (status = UNAUTHORIZED, body = Problem, content_type = "application/problem+json"),
    (status = PAYMENT_REQUIRED, body = Problem, content_type = "application/problem+json", description = "The card was declined; `detail` says what the bank said."),
    (status = FORBIDDEN, body = Problem, content_type = "application/problem+json"),
    (status = CONFLICT, body = Problem, content_type = "application/problem+json", description = "The user has this plan, or it ends, or its last payment is due."),
    (status = PAYLOAD_TOO_LARGE, body = Problem, content_type = "application/problem+json"),
    (status = UNSUPPORTED_MEDIA_TYPE, body = Problem, content_type = "application/problem+json"),
    (status = UNPROCESSABLE_ENTITY, body = Problem, content_type = "application/problem+json", description = "`field` is `plan`, `price` or `interval`."),
    (status = SERVICE_UNAVAILABLE, body = Problem, content_type = "application/problem+json", description = "Plans are not for sale here (the code is `payments-not-offered`), or the payment provider does not answer (`payment-provider`)."),
))]
pub(crate) async fn create_subscription(
    State(app): State<App>,
    SignedIn(user): SignedIn,
    JsonBody(order): JsonBody<SubscriptionOrder>,
) -> Result<Json<OrderedSubscription>, ApiError> {
    let checkout = app.create_subscription(&user, order.offer()?).await?;
    Ok(Json(checkout.into()))
}

/// Changes an active subscription to another plan or interval, up or down.
///
/// What is left of the present period is set off against the new price and the difference is charged at once, to
/// the card of the first payment. Where that needs the customer, the answer has a secret to confirm the payment
/// with, and the present plan stays until then.
#[utoipa::path(post, path = "/api/subscription/change", tag = "subscription", request_body = SubscriptionOrder, responses(
    (status = OK, body = OrderedSubscription),
    (status = UNAUTHORIZED, body = Problem, content_type = "application/problem+json"),
    (status = PAYMENT_REQUIRED, body = Problem, content_type = "application/problem+json", description = "The card was declined; `detail` says what the bank said."),
    (status = FORBIDDEN, body = Problem, content_type = "application/problem+json"),
    (status = CONFLICT, body = Problem, content_type = "application/problem+json", description = "There is no active subscription, it is for this plan, or it ends."),
    (status = PAYLOAD_TOO_LARGE, body = Problem, content_type = "application/problem+json"),
    (status = UNSUPPORTED_MEDIA_TYPE, body = Problem, content_type = "application/problem+json"),
    (status = UNPROCESSABLE_ENTITY, body = Problem, content_type = "application/problem+json", description = "`field` is `plan`, `price` or `interval`."),
    (status = SERVICE_UNAVAILABLE, body = Problem, content_type = "application/problem+json", description = "Plans are not for sale here (the code is `payments-not-offered`), or the payment provider does not answer (`payment-provider`)."),
))]
pub(crate) async fn change_subscription(
    State(app): State<App>,
    SignedIn(user): SignedIn,
    JsonBody(order): JsonBody<SubscriptionOrder>,
) -> Result<Json<OrderedSubscription>, ApiError> {
    let checkout = app.change_subscription(&user, order.offer()?).await?;
    Ok(Json(checkout.into()))
}

/// A subscription that goes on after all.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ReactivatedSubscription {
    /// What happened, for people.
    message: &'static str,
    /// When it is renewed, in unix seconds.
    current_period_end: i64,
    cancel_at_period_end: bool,
}

impl From<Subscription> for ReactivatedSubscription {
    fn from(subscription: Subscription) -> Self {
        Self {
            message: messages::SUBSCRIPTION_REACTIVATED,
            current_period_end: subscription.current_period_end.as_second(),
            cancel_at_period_end: subscription.cancel_at_period_end,
        }
    }
}

/// Lets a subscription go on that was set to end with its period. Nothing is charged before its renewal.
#[utoipa::path(post, path = "/api/subscription/reactivate", tag = "subscription", responses(
    (status = OK, body = ReactivatedSubscription),
    (status = UNAUTHORIZED, body = Problem, content_type = "application/problem+json"),
    (status = FORBIDDEN, body = Problem, content_type = "application/problem+json"),
    (status = CONFLICT, body = Problem, content_type = "application/problem+json", description = "It is not set to end."),
    (status = SERVICE_UNAVAILABLE, body = Problem, content_type = "application/problem+json"),
))]
pub(crate) async fn reactivate_subscription(
    State(app): State<App>,
    SignedIn(user): SignedIn,
) -> Result<Json<ReactivatedSubscription>, ApiError> {
    Ok(Json(app.reactivate_subscription(&user).await?.into()))
}

/// A wish that a subscription ends.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RequestedCancellation {
    #[schema(example = "019a7c3e-5b1e-7c44-9d0a-3f2b8c1d4e5f")]
    id: String,
    /// When it was asked for first.
    #[schema(value_type = String, format = DateTime)]
    requested_at: Timestamp,
    /// What happens next, for people.
    message: &'static str,
}

/// Asks support to let the subscription end with its period.
///
/// The wish is kept and mailed to support and to the user. Asking again while nobody has seen to it changes
/// nothing.
#[utoipa::path(post, path = "/api/subscription/request-cancellation", tag = "subscription", responses(
    (status = OK, body = RequestedCancellation),
    (status = UNAUTHORIZED, body = Problem, content_type = "application/problem+json"),
    (status = FORBIDDEN, body = Problem, content_type = "application/problem+json"),
    (status = CONFLICT, body = Problem, content_type = "application/problem+json", description = "There is no subscription, or it is set to end already."),
))]
pub(crate) async fn request_cancellation(
    State(app): State<App>,
    SignedIn(user): SignedIn,
) -> Result<Json<RequestedCancellation>, ApiError> {
    let request = app.request_cancellation(&user).await?;
    Ok(Json(RequestedCancellation {
        id: request.id.to_string(),
        requested_at: request.requested_at,
        message: messages::CANCELLATION_REQUESTED,
    }))
}

/// Gives a user of a paid plan the unlimited scans of that plan. They follow from the plan: this says them anew.
#[utoipa::path(post, path = "/api/force-scan-reset", tag = "subscription", responses(
    (status = OK, body = ScanLimits),
    (status = UNAUTHORIZED, body = Problem, content_type = "application/problem+json"),
    (status = FORBIDDEN, body = Problem, content_type = "application/problem+json", description = "The plan in force has a limit."),
))]
pub(crate) async fn reset_scans(
    State(app): State<App>,
    SignedIn(user): SignedIn,
) -> Result<Json<ScanLimits>, ApiError> {
    Ok(Json(app.reset_scans(&user).await?.into()))
}
