//! Webhook events of the payment provider.

use axum::body::Bytes;
use axum::extract::State;
use axum::extract::rejection::BytesRejection;
use axum::http::{HeaderMap, StatusCode};
use partsight_app::App;

use crate::ApiError;

/// Largest event, in bytes. The largest are invoices with many lines; ours have two.
pub(crate) const MAX_EVENT_BYTES: usize = 512 * 1024;

const SIGNATURE: &str = "stripe-signature";

/// Receives a signed webhook event of Stripe.
///
/// The event only says whose subscription may have changed. The server then queries the subscription from Stripe, so
/// events may arrive late, twice and in any order. Events that change no subscription, or one of another system, are
/// accepted and ignored.
#[utoipa::path(post, path = "/api/stripe/webhook", tag = "subscription",
    params(("Stripe-Signature" = String, Header, description = "Stripe's signature: `t=` and the time in Unix seconds, `v1=` and the HMAC-SHA256 of time, full stop and body, in hexadecimal.")),
    request_body(content = String, content_type = "application/json", description = "The event as JSON, at most 512 KiB."),
    responses(
        (status = NO_CONTENT, description = "Accepted."),
        (status = BAD_REQUEST, description = "The signature is not valid for this server, or older than five minutes."),
        (status = PAYLOAD_TOO_LARGE),
        (status = SERVICE_UNAVAILABLE, description = "Payments are not set up on this server, or Stripe does not answer the query; Stripe sends the event again."),
    ))]
pub(crate) async fn take_payment_event(
    State(app): State<App>,
    headers: HeaderMap,
    body: Result<Bytes, BytesRejection>,
) -> Result<StatusCode, ApiError> {
    let body = body.map_err(|rejection| match rejection.status() {
        StatusCode::PAYLOAD_TOO_LARGE => {
            ApiError::too_large(format!("An event may have at most {MAX_EVENT_BYTES} bytes."))
        }
        _ => ApiError::upload_stalled(),
    })?;
    // The body is kept as bytes up to here: parsed and serialized again, it would not match its signature.
    let signature = headers.get(SIGNATURE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    // A body that is not UTF-8 was not signed by Stripe: the empty text fails the check.
    let payload = std::str::from_utf8(&body).unwrap_or_default();
    app.plans.take_payment_event(payload, signature).await?;
    Ok(StatusCode::NO_CONTENT)
}
