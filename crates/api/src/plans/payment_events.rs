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

/// Takes an event of Stripe, signed by it for this server.
///
/// It names whose subscription may have changed; what it is now is asked at Stripe, so events may come late, twice
/// and in any order. Events that change no subscription, or one that is not ours, are taken and do nothing.
#[utoipa::path(post, path = "/api/stripe/webhook", tag = "subscription",
    params(("Stripe-Signature" = String, Header, description = "`t=` and the moment in unix seconds, `v1=` and the HMAC-SHA256 of moment, full stop and body, in hex.")),
    request_body(content = String, content_type = "application/json", description = "The event, at most 512 KiB."),
    responses(
        (status = NO_CONTENT, description = "Taken."),
        (status = BAD_REQUEST, description = "Not signed for this server, or more than five minutes ago."),
        (status = PAYLOAD_TOO_LARGE),
        (status = SERVICE_UNAVAILABLE, description = "No payments are set up here, or Stripe cannot be asked what happened; it sends the event again."),
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
