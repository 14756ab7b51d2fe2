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

/// What somebody wants to buy, as the page showed it.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
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
        // Numbers print in the shortest form that parses to the same value, so 4.99 is `4.99`. Any other JSON
        // matches no price.
        let price = self.price.as_str().map_or_else(|| self.price.to_string(), str::to_owned);
        // The price is only compared with the server's: nobody pays another price than the page has shown.
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
    problems::Write, problems::Body,
    (status = PAYMENT_REQUIRED, description = "The card was declined; `detail` says what the bank said."),
    (status = CONFLICT, description = "The user has this plan, or it is set to end, or its last payment is due."),
    (status = UNPROCESSABLE_ENTITY, description = "`field` is `plan`, `price` or `interval`."),
    (status = TOO_MANY_REQUESTS, description = "More than 20 orders at once; `Retry-After` says when to go on."),
    (status = SERVICE_UNAVAILABLE, description = "Plans are not for sale here (the code is `payments-not-offered`), or the payment provider does not answer (`payment-provider`)."),
))]
pub(crate) async fn create_subscription(
    SignedIn { app, user }: SignedIn,
    JsonBody(order): JsonBody<SubscriptionOrder>,
) -> Result<Json<OrderedSubscription>, ApiError> {
    let checkout = app.plans.create_subscription(&user, order.offer()?).await?;
    Ok(Json(checkout.into()))
}

/// Changes an active subscription to another plan or interval, up or down.
///
/// What is left of the present period is set off against the new price and the difference is charged at once, to
/// the card of the first payment. Where that needs the customer, the answer has a secret to confirm the payment
/// with, and the present plan stays until then.
#[utoipa::path(post, path = "/api/subscription/change", tag = "subscription", request_body = SubscriptionOrder, responses(
    (status = OK, body = OrderedSubscription),
    problems::Write, problems::Body,
    (status = PAYMENT_REQUIRED, description = "The card was declined; `detail` says what the bank said."),
    (status = CONFLICT, description = "There is no active subscription, it is for this plan, or it is set to end."),
    (status = UNPROCESSABLE_ENTITY, description = "`field` is `plan`, `price` or `interval`."),
    (status = TOO_MANY_REQUESTS, description = "More than 20 orders at once; `Retry-After` says when to go on."),
    (status = SERVICE_UNAVAILABLE, description = "Plans are not for sale here (the code is `payments-not-offered`), or the payment provider does not answer (`payment-provider`)."),
))]
pub(crate) async fn change_subscription(
    SignedIn { app, user }: SignedIn,
    JsonBody(order): JsonBody<SubscriptionOrder>,
) -> Result<Json<OrderedSubscription>, ApiError> {
    let checkout = app.plans.change_subscription(&user, order.offer()?).await?;
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
    problems::Write, problems::Unavailable,
    (status = CONFLICT, description = "It is not set to end."),
    (status = TOO_MANY_REQUESTS, description = "More than 20 orders at once; `Retry-After` says when to go on."),
))]
pub(crate) async fn reactivate_subscription(
    SignedIn { app, user }: SignedIn,
) -> Result<Json<ReactivatedSubscription>, ApiError> {
    Ok(Json(app.plans.reactivate_subscription(&user).await?.into()))
}
