//! Buying a plan, changing it, and undoing its cancellation.

use axum::Json;
use partsight_app::Checkout;
use partsight_domain::{InvalidInput, PaidPlan, Subscription, messages};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use super::{Interval, StatusName};
use crate::accounts::user::PlanType;
use crate::extract::{JsonBody, SignedIn};
use crate::{ApiError, problems};

/// An order of a plan, as the page showed it.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SubscriptionOrder {
    /// `pro` or `business`.
    #[schema(example = "pro")]
    plan: String,
    /// The price that was shown, in US dollars, as a number or as text. An order with a price that differs from the
    /// server's is refused.
    #[schema(value_type = f64, example = 4.99)]
    price: Value,
    /// `month` or `year`.
    #[schema(example = "month")]
    interval: String,
}

impl SubscriptionOrder {
    fn offer(&self) -> Result<PaidPlan, InvalidInput> {
        // Numbers print in the shortest form that parses to the same value, so 4.99 is `4.99`. Any other JSON
        // matches no price.
        let price = self.price.as_str().map_or_else(|| self.price.to_string(), str::to_owned);
        // The price is only compared with the server's: nobody pays another price than the page has shown.
        PaidPlan::order(&self.plan, &self.interval, &price)
    }
}

/// The result of an order.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct OrderedSubscription {
    /// The secret with which the page confirms the payment at Stripe; null if no payment is needed.
    #[schema(required, example = "pi_3MtwBwLkdIwHu7ix28a3tqPa_secret_YrKJUKribcBjcG8HVhfZluoGH")]
    client_secret: Option<String>,
    /// What happened and what to do, for people.
    message: &'static str,
    /// The plan of the subscription. It becomes active with the payment.
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
/// The answer contains the secret with which the page confirms the payment at Stripe. The plan becomes active when
/// Stripe reports the payment. If an order is already waiting for its payment, it is continued. If a subscription is
/// active, it is changed as by `POST /api/subscription/change`. There is never more than one subscription.
#[utoipa::path(post, path = "/api/create-subscription", tag = "subscription", request_body = SubscriptionOrder, responses(
    (status = OK, body = OrderedSubscription),
    problems::Write, problems::Body, problems::Order,
    (status = CONFLICT, description = "The user already has this plan, or the subscription is set to end, or its last payment is overdue."),
))]
pub(crate) async fn create_subscription(
    SignedIn { app, user }: SignedIn,
    JsonBody(order): JsonBody<SubscriptionOrder>,
) -> Result<Json<OrderedSubscription>, ApiError> {
    let checkout = app.plans.create_subscription(&user, order.offer()?).await?;
    Ok(Json(checkout.into()))
}

/// Changes an active subscription to a higher or lower plan, or to another interval.
///
/// The unused part of the current period is credited against the new price, and the difference is charged at once to
/// the card of the first payment. If the customer must confirm the payment, the answer contains a secret for it, and
/// the current plan stays until they have.
#[utoipa::path(post, path = "/api/subscription/change", tag = "subscription", request_body = SubscriptionOrder, responses(
    (status = OK, body = OrderedSubscription),
    problems::Write, problems::Body, problems::Order,
    (status = CONFLICT, description = "There is no active subscription, or it already has this plan and interval, or it is set to end."),
))]
pub(crate) async fn change_subscription(
    SignedIn { app, user }: SignedIn,
    JsonBody(order): JsonBody<SubscriptionOrder>,
) -> Result<Json<OrderedSubscription>, ApiError> {
    let checkout = app.plans.change_subscription(&user, order.offer()?).await?;
    Ok(Json(checkout.into()))
}

/// A subscription that continues.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ReactivatedSubscription {
    /// What happened, for people.
    message: &'static str,
    /// When it is renewed, in Unix seconds.
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

/// Continues a subscription that was set to end with its period. Nothing is charged before its renewal.
#[utoipa::path(post, path = "/api/subscription/reactivate", tag = "subscription", responses(
    (status = OK, body = ReactivatedSubscription),
    problems::Write, problems::Unavailable,
    (status = CONFLICT, description = "The subscription is not set to end."),
    (status = TOO_MANY_REQUESTS, description = "More than 20 orders in a short time; `Retry-After` has the seconds to wait."),
))]
pub(crate) async fn reactivate_subscription(
    SignedIn { app, user }: SignedIn,
) -> Result<Json<ReactivatedSubscription>, ApiError> {
    Ok(Json(app.plans.reactivate_subscription(&user).await?.into()))
}
