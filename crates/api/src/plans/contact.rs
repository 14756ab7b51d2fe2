//! Messages to support.

use axum::extract::State;
use axum::http::StatusCode;
use jiff::SignedDuration;
use partsight_app::{App, ContactForm};
use partsight_domain::NewContactMessage;
use serde::{Deserialize, Deserializer};
use serde_json::Value;
use utoipa::ToSchema;

use crate::caller::FromCaller;
use crate::extract::{JsonBody, MaybeSignedIn, null_as_absent};
use crate::{ApiError, problems};

/// A message to support.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct ContactMessage {
    /// 1 to 100 characters.
    #[serde(default, deserialize_with = "null_as_absent")]
    #[schema(required, example = "Ann Lee")]
    name: String,
    /// Address for the reply.
    #[serde(default, deserialize_with = "null_as_absent")]
    #[schema(required, example = "ann@example.com")]
    email: String,
    /// At most 200 characters.
    #[serde(default)]
    #[schema(example = "Scans")]
    subject: Option<String>,
    /// 1 to 5,000 characters; may have several lines.
    #[serde(default, deserialize_with = "null_as_absent")]
    #[schema(required, example = "How do I scan a brake pad?")]
    message: String,
    /// Honeypot field, hidden from people; a message that fills it is treated as spam.
    #[serde(default, deserialize_with = "null_as_absent")]
    #[schema(example = "")]
    website: String,
    /// Milliseconds from opening the form to sending it, if the page measures them.
    #[serde(default, deserialize_with = "milliseconds")]
    #[schema(example = 42_000)]
    elapsed_ms: Option<u32>,
}

/// Accepts any number of milliseconds, whole or not; any other value counts as absent. It is only a hint against
/// spam, so it must never make a person's message fail.
fn milliseconds<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u32>, D::Error> {
    let said = Value::deserialize(deserializer)?.as_f64();
    // Negative if the clock of the page was set back. The cast saturates at 49 days.
    Ok(said.filter(|ms| *ms >= 0.0).map(|ms| ms as u32))
}

/// Sends a message to support. Needs no sign-in.
///
/// The message is saved and mailed to the support address. If it looks like spam, the answer is the same, but the
/// message is only saved and marked.
#[utoipa::path(post, path = "/api/contact", tag = "support", request_body = ContactMessage, responses(
    (status = ACCEPTED, description = "Received."),
    problems::Body, problems::Unavailable, problems::Foreign,
    (status = UNPROCESSABLE_ENTITY, description = "A field is missing or invalid; `field` names it."),
    (status = TOO_MANY_REQUESTS, description = "Too many messages; `Retry-After` has the seconds to wait."),
))]
pub(crate) async fn send_contact_message(
    State(app): State<App>,
    FromCaller(caller): FromCaller,
    MaybeSignedIn(user): MaybeSignedIn,
    JsonBody(body): JsonBody<ContactMessage>,
) -> Result<StatusCode, ApiError> {
    let message = NewContactMessage::new(&body.name, &body.email, body.subject.as_deref(), &body.message)?;
    let form = ContactForm {
        message,
        // Hidden from people; programs that fill in every field fill it in.
        hidden_field: body.website,
        writing: body.elapsed_ms.map(|ms| SignedDuration::from_millis(ms.into())),
    };
    app.plans.contact_support(user.as_ref(), form, &caller).await?;
    Ok(StatusCode::ACCEPTED)
}
