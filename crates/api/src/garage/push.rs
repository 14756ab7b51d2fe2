//! Push notifications about what is due.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use jiff::Timestamp;
use partsight_app::{App, Entity, Error, NewPushSubscription, PushStatus};
use partsight_domain::PushSubscriptionId;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::extract::{JsonBody, PathSegment, SignedIn, SignedInSession};
use crate::{ApiError, problems};

/// Whether notifications are available, and the browsers that have them.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PushNotifications {
    /// The VAPID public key for subscribing (`applicationServerKey`), in base64url; null if this server sends no
    /// notifications.
    #[schema(
        required,
        example = "BP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A8"
    )]
    public_key: Option<String>,
    /// The newest first, at most 20.
    subscriptions: Vec<PushSubscription>,
}

impl From<PushStatus> for PushNotifications {
    fn from(status: PushStatus) -> Self {
        Self {
            public_key: status.public_key,
            subscriptions: status.subscriptions.into_iter().map(Into::into).collect(),
        }
    }
}

/// A browser that gets notifications, without its address at the push service.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PushSubscription {
    /// SHA-256 of its address at the push service, in hexadecimal.
    #[schema(example = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")]
    id: String,
    /// Name of the browser, from its `User-Agent`, shortened; may be empty.
    #[schema(example = "Firefox on Windows")]
    browser: String,
    /// When it was last turned on.
    #[schema(value_type = String, format = DateTime)]
    #[serde(serialize_with = "crate::wire_time::moment")]
    created_at: Timestamp,
}

impl From<partsight_domain::PushSubscription> for PushSubscription {
    fn from(subscription: partsight_domain::PushSubscription) -> Self {
        Self {
            id: subscription.id.to_string(),
            browser: subscription.browser,
            created_at: subscription.created_at,
        }
    }
}

/// The `PushSubscription` of a browser.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct PushSubscriptionForm {
    /// Its address at the push service, with `https`; at most 2,000 bytes.
    #[schema(example = "https://push.example.net/push/JzLQ3raZJfFBR0aqvOMsLrt54w4rJUsV")]
    endpoint: String,
    /// Its public key `p256dh`, in base64url.
    #[schema(
        example = "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"
    )]
    p256dh: String,
    /// Its secret `auth`, in base64url.
    #[schema(example = "BTBZMqHH6r4Tts7J_aSIgg")]
    auth: String,
}

/// Returns whether browser notifications are available, and the browsers that have them.
#[utoipa::path(get, path = "/api/reminders/push", tag = "maintenance",
    responses((status = OK, body = PushNotifications), problems::SignedIn))]
pub(crate) async fn get_push_notifications(
    SignedIn { app, user }: SignedIn,
) -> Result<Json<PushNotifications>, ApiError> {
    Ok(Json(app.garage.push_status(&user).await?.into()))
}

/// Turns on notifications about maintenance that is due in this browser. They end when the browser signs out. At most
/// 20 browsers; with one more, the oldest is removed.
#[utoipa::path(put, path = "/api/reminders/push", tag = "maintenance", request_body = PushSubscriptionForm,
    responses((status = OK, body = PushSubscription), problems::Write, problems::Body))]
pub(crate) async fn set_push_subscription(
    State(app): State<App>,
    SignedInSession(current): SignedInSession,
    JsonBody(form): JsonBody<PushSubscriptionForm>,
) -> Result<Json<PushSubscription>, ApiError> {
    let new = NewPushSubscription { endpoint: form.endpoint, p256dh: form.p256dh, auth: form.auth };
    Ok(Json(app.garage.subscribe_push(&current, &new).await?.into()))
}

/// Turns off the notifications of one of your browsers.
#[utoipa::path(delete, path = "/api/reminders/push/{id}", tag = "maintenance",
    params(("id" = String, Path, description = "The id of the browser: SHA-256 of its address at the push service.")),
    responses((status = NO_CONTENT), problems::Write, problems::NotFound))]
pub(crate) async fn delete_push_subscription(
    SignedIn { app, user }: SignedIn,
    PathSegment(id): PathSegment,
) -> Result<StatusCode, ApiError> {
    let id: PushSubscriptionId =
        id.parse().map_err(|_| Error::NotFound { entity: Entity::PushSubscription })?;
    app.garage.unsubscribe_push(&user, &id).await?;
    Ok(StatusCode::NO_CONTENT)
}
