//! Webhooks: the addresses to which an account sends its events.

use axum::Json;
use axum::http::StatusCode;
use axum::http::header::{CACHE_CONTROL, HeaderName};
use jiff::Timestamp;
use partsight_app::App;
use partsight_domain::{NewWebhook, User};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::extract::{JsonBody, PathSegment, SignedIn, null_as_absent};
use crate::ids::webhook_id;
use crate::{ApiError, problems};

/// An event type.
#[derive(Debug, Clone, Copy, Serialize, ToSchema)]
pub(crate) enum EventKind {
    #[serde(rename = "scan.answered")]
    ScanAnswered,
    #[serde(rename = "batch.finished")]
    BatchFinished,
    #[serde(rename = "batch.stopped")]
    BatchStopped,
    #[serde(rename = "batch.item-failed")]
    BatchItemFailed,
    #[serde(rename = "reminder.due")]
    ReminderDue,
}

impl From<partsight_domain::EventKind> for EventKind {
    fn from(kind: partsight_domain::EventKind) -> Self {
        use partsight_domain::EventKind as Kind;
        match kind {
            Kind::ScanAnswered => Self::ScanAnswered,
            Kind::BatchFinished => Self::BatchFinished,
            Kind::BatchStopped => Self::BatchStopped,
            Kind::BatchItemFailed => Self::BatchItemFailed,
            Kind::ReminderDue => Self::ReminderDue,
        }
    }
}

/// A webhook, without the secret of its signatures.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Webhook {
    #[schema(example = "019a7c3e-5b1e-7c44-9d0a-3f2b8c1d4e5f")]
    id: String,
    #[schema(example = "https://shop.example.com/hooks/partsight")]
    url: String,
    events: Vec<EventKind>,
    /// Whether it is enabled. It is disabled automatically after three days of failed tries, and when its receiver
    /// answers 410 (Gone).
    enabled: bool,
    /// Since when deliveries fail; null if the last try succeeded.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    #[serde(serialize_with = "crate::wire_time::moment_if_any")]
    failing_since: Option<Timestamp>,
    /// Why nothing is sent although it is enabled: the plan that includes webhooks has ended. Null if deliveries are
    /// sent.
    #[schema(required)]
    paused: Option<&'static str>,
    /// Number of deliveries that wait for their next try.
    waiting: u64,
    /// Number of deliveries that were given up; they can be sent again.
    dead: u64,
    #[schema(value_type = String, format = DateTime)]
    #[serde(serialize_with = "crate::wire_time::moment")]
    created_at: Timestamp,
}

impl Webhook {
    /// `paused` says why nothing is sent to the user's webhooks, if so.
    pub(crate) fn new(webhook: partsight_domain::Webhook, paused: Option<&'static str>) -> Self {
        Self {
            id: webhook.id.to_string(),
            url: webhook.url,
            events: webhook.events.into_iter().map(EventKind::from).collect(),
            enabled: webhook.is_enabled,
            failing_since: webhook.failing_since,
            paused: paused.filter(|_| webhook.is_enabled),
            waiting: webhook.n_waiting,
            dead: webhook.n_dead,
            created_at: webhook.created_at,
        }
    }
}

/// A webhook with its new secret.
#[derive(Serialize, ToSchema)]
pub(crate) struct WebhookWithSecret {
    #[serde(flatten)]
    webhook: Webhook,
    /// The secret with which deliveries are signed. It is returned only once.
    #[schema(example = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD")]
    secret: String,
}

/// A webhook to create or change.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct WebhookForm {
    /// An `https` address. Private addresses are accepted only if the setting `webhook_private_addresses` of the server
    /// allows them.
    #[serde(default, deserialize_with = "null_as_absent")]
    #[schema(required, example = "https://shop.example.com/hooks/partsight")]
    url: String,
    /// At least one of `scan.answered`, `batch.finished`, `batch.stopped`, `batch.item-failed` and `reminder.due`.
    #[serde(default, deserialize_with = "null_as_absent")]
    #[schema(required, example = json!(["scan.answered", "batch.finished"]))]
    events: Vec<String>,
    /// `false` to disable it. By default a new webhook is enabled, and a change leaves the state as it is.
    #[serde(default)]
    #[schema(example = true)]
    enabled: Option<bool>,
}

/// The result of a test.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct WebhookTest {
    delivered: bool,
    /// HTTP status of the answer; null if there was none.
    #[schema(required, example = 200)]
    status: Option<u16>,
    /// Why it failed; null if it succeeded.
    #[schema(required)]
    problem: Option<String>,
    duration_ms: u64,
}

type Created = (StatusCode, [(HeaderName, &'static str); 1], Json<WebhookWithSecret>);

/// Lists your webhooks, the oldest first.
#[utoipa::path(get, path = "/api/webhooks", tag = "events",
    responses((status = OK, body = Vec<Webhook>), problems::SignedIn))]
pub(crate) async fn list_webhooks(SignedIn { app, user }: SignedIn) -> Result<Json<Vec<Webhook>>, ApiError> {
    let paused = app.events.lapsed(&user);
    let webhooks = app.events.webhooks(&user).await?;
    Ok(Json(webhooks.into_iter().map(|webhook| Webhook::new(webhook, paused)).collect()))
}

/// Creates a webhook: later events of your account are sent to its address. Needs the Business plan; at most 10
/// webhooks.
///
/// Each delivery is a `POST` of JSON, signed as the Standard Webhooks specification says, with the headers
/// `webhook-id`, `webhook-timestamp` and `webhook-signature`. Delivery is at least once: a repeated delivery has the
/// same `webhook-id`.
#[utoipa::path(post, path = "/api/webhooks", tag = "events", request_body = WebhookForm, responses(
    (status = CREATED, body = WebhookWithSecret),
    problems::Write, problems::Body,
    (status = CONFLICT, description = "The account already has 10 webhooks."),
))]
pub(crate) async fn create_webhook(
    SignedIn { app, user }: SignedIn,
    JsonBody(form): JsonBody<WebhookForm>,
) -> Result<Created, ApiError> {
    let new = NewWebhook::new(&form.url, &form.events)?;
    let created = app.events.create_webhook(&user, &new, form.enabled.unwrap_or(true)).await?;
    Ok(with_secret(&app, &user, created))
}

fn with_secret(app: &App, user: &User, created: partsight_app::CreatedWebhook) -> Created {
    let webhook = Webhook::new(created.webhook, app.events.lapsed(user));
    let body = Json(WebhookWithSecret { webhook, secret: created.secret });
    (StatusCode::CREATED, [(CACHE_CONTROL, "no-store")], body)
}

/// Returns one webhook.
#[utoipa::path(get, path = "/api/webhooks/{id}", tag = "events",
    params(("id" = String, Path, description = "The id of the webhook.")),
    responses((status = OK, body = Webhook), problems::SignedIn, problems::NotFound))]
pub(crate) async fn get_webhook(
    SignedIn { app, user }: SignedIn,
    PathSegment(id): PathSegment,
) -> Result<Json<Webhook>, ApiError> {
    let webhook = app.events.webhook(&user, webhook_id(&id)?).await?;
    Ok(Json(Webhook::new(webhook, app.events.lapsed(&user))))
}

/// Changes, enables or disables a webhook. Deliveries that wait while it is disabled are sent when it is enabled.
#[utoipa::path(put, path = "/api/webhooks/{id}", tag = "events", request_body = WebhookForm,
    params(("id" = String, Path, description = "The id of the webhook.")),
    responses((status = OK, body = Webhook), problems::Write, problems::NotFound, problems::Body))]
pub(crate) async fn update_webhook(
    SignedIn { app, user }: SignedIn,
    PathSegment(id): PathSegment,
    JsonBody(form): JsonBody<WebhookForm>,
) -> Result<Json<Webhook>, ApiError> {
    let id = webhook_id(&id)?;
    // A webhook of somebody else is treated as missing, whatever the body contains.
    let before = app.events.webhook(&user, id).await?;
    let new = NewWebhook::new(&form.url, &form.events)?;
    let is_enabled = form.enabled.unwrap_or(before.is_enabled);
    let webhook = app.events.update_webhook(&user, id, &new, is_enabled).await?;
    Ok(Json(Webhook::new(webhook, app.events.lapsed(&user))))
}

/// Deletes a webhook with its deliveries.
#[utoipa::path(delete, path = "/api/webhooks/{id}", tag = "events",
    params(("id" = String, Path, description = "The id of the webhook.")),
    responses((status = NO_CONTENT), problems::Write, problems::NotFound))]
pub(crate) async fn delete_webhook(
    SignedIn { app, user }: SignedIn,
    PathSegment(id): PathSegment,
) -> Result<StatusCode, ApiError> {
    app.events.delete_webhook(&user, webhook_id(&id)?).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Replaces the secret of a webhook. From then on all deliveries are signed with the new secret only.
#[utoipa::path(post, path = "/api/webhooks/{id}/secret", tag = "events",
    params(("id" = String, Path, description = "The id of the webhook.")),
    responses((status = CREATED, body = WebhookWithSecret), problems::Write, problems::NotFound))]
pub(crate) async fn renew_webhook_secret(
    SignedIn { app, user }: SignedIn,
    PathSegment(id): PathSegment,
) -> Result<Created, ApiError> {
    let created = app.events.renew_webhook_secret(&user, webhook_id(&id)?).await?;
    Ok(with_secret(&app, &user, created))
}

/// Sends a message of type `webhook.test` at once and returns the result. Works for a disabled webhook too.
#[utoipa::path(post, path = "/api/webhooks/{id}/test", tag = "events",
    params(("id" = String, Path, description = "The id of the webhook.")),
    responses(
        (status = OK, body = WebhookTest),
        problems::Write, problems::NotFound,
        (status = TOO_MANY_REQUESTS, description = "Too many tests: ten in a short time, or more than one in ten seconds over a longer time; `Retry-After` has the seconds to wait."),
    ))]
pub(crate) async fn test_webhook(
    SignedIn { app, user }: SignedIn,
    PathSegment(id): PathSegment,
) -> Result<Json<WebhookTest>, ApiError> {
    let test = app.events.test_webhook(&user, webhook_id(&id)?).await?;
    Ok(Json(WebhookTest {
        delivered: test.problem.is_none(),
        status: test.status,
        problem: test.problem.map(str::to_owned),
        duration_ms: u64::try_from(test.took.as_millis()).unwrap_or(u64::MAX),
    }))
}
