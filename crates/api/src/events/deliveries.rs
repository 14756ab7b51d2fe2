//! The deliveries of a webhook, and their states.

use axum::Json;
use axum::http::{HeaderMap, StatusCode};
use jiff::Timestamp;
use partsight_app::Entity;
use partsight_domain::{DeliveryPage, InvalidInput, messages};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::{IntoParams, ToSchema};

use crate::extract::{PathSegment, PathSegments, QueryString, SignedIn};
use crate::ids::{parse_id, webhook_id};
use crate::wire_enum::wire_enum;
use crate::{ApiError, next_page, problems};

wire_enum!(
    /// The state of a delivery: waiting for the next try; accepted by the endpoint; or given up after the last try.
    DeliveryState from partsight_domain::DeliveryState { Waiting, Delivered, Dead }
);

/// The delivery of one event to one webhook.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct WebhookDelivery {
    /// The id of the event, which receivers get as `webhook-id`.
    event_id: String,
    /// The JSON that is sent.
    #[schema(value_type = Object)]
    payload: Value,
    state: DeliveryState,
    attempts: u32,
    /// When the next try is planned; null if there is none, and while nothing is sent because the webhook is disabled or
    /// paused.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    #[serde(serialize_with = "crate::wire_time::moment_if_any")]
    next_at: Option<Timestamp>,
    /// When the last try was made; null if there was none.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    #[serde(serialize_with = "crate::wire_time::moment_if_any")]
    tried_at: Option<Timestamp>,
    /// HTTP status of the last answer; null if there was none.
    #[schema(required, example = 500)]
    status: Option<u16>,
    /// Why the last try failed; null if it succeeded.
    #[schema(required)]
    problem: Option<String>,
}

impl From<partsight_domain::WebhookDelivery> for WebhookDelivery {
    fn from(delivery: partsight_domain::WebhookDelivery) -> Self {
        Self {
            event_id: delivery.event.id.to_string(),
            payload: delivery.event.payload(),
            state: delivery.state.into(),
            attempts: delivery.attempts,
            next_at: delivery.next_at,
            tried_at: delivery.tried_at,
            status: delivery.last_status,
            problem: delivery.problem,
        }
    }
}

/// The number of deliveries that are sent again.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Resent {
    count: u64,
}

#[derive(Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct DeliveriesQuery {
    /// Only deliveries in this state: `waiting`, `delivered` or `dead`.
    #[param(example = "dead")]
    state: Option<String>,
    /// Page size, 1 to 200; 100 by default.
    limit: Option<i64>,
    /// The value of the header `X-Next-Cursor` in the previous answer.
    before: Option<String>,
}

/// Lists the deliveries of a webhook, the newest event first. Successful deliveries are listed for three days, others
/// for thirty.
///
/// The list is paged: the headers `X-Next-Cursor` and `Link` lead to the next page.
#[utoipa::path(get, path = "/api/webhooks/{id}/deliveries", tag = "events",
    params(("id" = String, Path, description = "The id of the webhook."), DeliveriesQuery),
    responses(
        (status = OK, body = Vec<WebhookDelivery>, headers(
            ("X-Next-Cursor" = String, description = "Value of `before` for the next page; absent on the last page."),
            ("Link" = String, description = "Address of the next page, with `rel=\"next\"`; absent on the last page."),
        )),
        problems::SignedIn, problems::NotFound, problems::Invalid,
    ))]
pub(crate) async fn list_webhook_deliveries(
    SignedIn { app, user }: SignedIn,
    PathSegment(id): PathSegment,
    QueryString(query): QueryString<DeliveriesQuery>,
) -> Result<(HeaderMap, Json<Vec<WebhookDelivery>>), ApiError> {
    let id = webhook_id(&id)?;
    let page = DeliveryPage::new(query.limit, query.before.as_deref())?;
    let state = query.state.filter(|text| !text.is_empty());
    let state = state
        .map(|text| {
            text.parse::<partsight_domain::DeliveryState>()
                .map_err(|_| InvalidInput::new("state", messages::DELIVERY_STATE))
        })
        .transpose()?;
    // One more shows whether another page follows.
    let asked = DeliveryPage { limit: page.limit + 1, ..page };
    let mut deliveries = app.events.deliveries(&user, id, state, asked).await?;
    let has_more = deliveries.len() > page.limit as usize;
    deliveries.truncate(page.limit as usize);
    let mut headers = HeaderMap::new();
    if let Some(last) = deliveries.last().filter(|_| has_more) {
        let (last, limit) = (last.event.number, page.limit);
        let of_state = state.map(|state| format!("&state={}", state.as_str())).unwrap_or_default();
        let address = format!("/api/webhooks/{id}/deliveries?before={last}&limit={limit}{of_state}");
        headers = next_page::headers(last, &address);
    }
    Ok((headers, Json(deliveries.into_iter().map(WebhookDelivery::from).collect())))
}

/// Sends all dead deliveries of a webhook again, or, if it is disabled or paused, once it is not.
#[utoipa::path(post, path = "/api/webhooks/{id}/deliveries/retry", tag = "events",
    params(("id" = String, Path, description = "The id of the webhook.")),
    responses(
        (status = OK, body = Resent),
        problems::Write, problems::NotFound,
        (status = TOO_MANY_REQUESTS, description = "Ten in a short time, tests included, or more than one in ten seconds over a longer time; `Retry-After` has the seconds to wait."),
    ))]
pub(crate) async fn retry_webhook_deliveries(
    SignedIn { app, user }: SignedIn,
    PathSegment(id): PathSegment,
) -> Result<Json<Resent>, ApiError> {
    Ok(Json(Resent { count: app.events.resend_dead(&user, webhook_id(&id)?).await? }))
}

/// Sends one delivery again, whatever its state, or, if the webhook is disabled or paused, once it is not. It has the same `webhook-id`.
#[utoipa::path(post, path = "/api/webhooks/{id}/deliveries/{event}/retry", tag = "events",
    params(
        ("id" = String, Path, description = "The id of the webhook."),
        ("event" = String, Path, description = "The id of the event."),
    ),
    responses(
        (status = NO_CONTENT),
        problems::Write, problems::NotFound,
        (status = TOO_MANY_REQUESTS, description = "Ten in a short time, tests included, or more than one in ten seconds over a longer time; `Retry-After` has the seconds to wait."),
    ))]
pub(crate) async fn retry_webhook_delivery(
    SignedIn { app, user }: SignedIn,
    PathSegments(segments): PathSegments<2>,
) -> Result<StatusCode, ApiError> {
    let [id, event] = segments;
    let event = parse_id(&event, Entity::WebhookDelivery)?;
    app.events.resend(&user, webhook_id(&id)?, event).await?;
    Ok(StatusCode::NO_CONTENT)
}
