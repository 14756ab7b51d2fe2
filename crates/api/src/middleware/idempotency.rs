//! Calls that a client may repeat: a repetition gets the response of the first call.

use axum::body::{Body, to_bytes};
use axum::extract::{FromRequestParts, Request, State};
use axum::http::header::{CONTENT_TYPE, HeaderName};
use axum::http::{HeaderValue, Method, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use partsight_app::{App, Claim, IDEMPOTENCY_KEY, IdempotentCall, idempotent_call, logged};
use partsight_domain::{InvalidInput, User, messages};
use tracing::Instrument as _;

use crate::body_limit::body_too_large;
use crate::error::is_stalled;
use crate::extract::SignedIn;
use crate::{ApiError, ApiState};

/// Marks a stored response.
pub(crate) const REPLAYED: HeaderName = HeaderName::from_static("idempotency-replayed");
const KEY_MAX_BYTES: usize = 255;

/// The paths whose POST creates something from a small body. A scan is not among them: its body is large and
/// differs each time it is sent, so its handler recognises repetitions.
pub(crate) const IDEMPOTENT_PATHS: [&str; 7] = [
    "/api/vehicles",
    "/api/vehicles/{id}/odometer",
    "/api/vehicles/{id}/maintenance/{item}/done",
    "/api/oil-changes",
    "/api/repair-history",
    "/api/catalog/parts",
    "/api/batches",
];
/// Largest body of such a call, in bytes.
const MAX_BYTES: usize = 256 * 1024;
/// Largest response that is stored, in bytes: it repeats the request with ids, defaults and different escapes.
const MAX_ANSWER_BYTES: usize = 16 * MAX_BYTES;

/// Runs a call with an idempotency key once, and answers repetitions with the stored response.
///
/// Only responses of success are stored: after a refusal the same key may be sent again. If the server crashes
/// after saving the record and before storing the response, the call can run a second time.
pub(crate) async fn answer_once(State(state): State<ApiState>, request: Request, next: Next) -> Response {
    let names_call = request.method() == Method::POST
        && request.headers().contains_key(IDEMPOTENCY_KEY)
        && IDEMPOTENT_PATHS.iter().any(|known| is_of(known, request.uri().path()));
    if !names_call {
        return next.run(request).await;
    }
    run_once(&state, request, next).await.unwrap_or_else(IntoResponse::into_response)
}

/// Whether a path matches `known`, in which a segment in braces matches any segment.
fn is_of(known: &str, path: &str) -> bool {
    let (mut known, mut segments) = (known.split('/'), path.split('/'));
    known.by_ref().zip(segments.by_ref()).all(|(known, found)| known.starts_with('{') || known == found)
        && known.next().is_none()
        && segments.next().is_none()
}

async fn run_once(state: &ApiState, request: Request, next: Next) -> Result<Response, ApiError> {
    let (mut parts, body) = request.into_parts();
    // Keys belong to an account: the same key of two accounts means two calls.
    let SignedIn { user, .. } = SignedIn::from_request_parts(&mut parts, state).await?;
    let key = key(parts.headers.get(IDEMPOTENCY_KEY))?;
    // The whole body is read, because its hash distinguishes a repetition from another call with the same key.
    let body = to_bytes(body, MAX_BYTES).await.map_err(|error| {
        if is_stalled(&error) { ApiError::upload_stalled() } else { body_too_large(MAX_BYTES) }
    })?;
    let call = idempotent_call(parts.uri.path(), key, &body);
    let app = state.app.clone();
    let request = Request::from_parts(parts, Body::from(body));
    // Runs to the end even if the client disconnects, beginning with the claim. Otherwise a repetition would be
    // refused as running until the claim is stale (see `StaleCalls`), or would create a second record.
    let work = async move { Ok(answer(&app, &user, &call, request, next).await) };
    state.app.to_the_end(work.in_current_span()).await?
}

/// Claims the call and runs it, or returns the stored response.
async fn answer(
    app: &App,
    user: &User,
    call: &IdempotentCall,
    request: Request,
    next: Next,
) -> Result<Response, ApiError> {
    match app.scanning.claim_call(user, call).await? {
        Claim::Running => Err(ApiError::call_is_running()),
        Claim::OtherRequest => {
            Err(InvalidInput::new(IDEMPOTENCY_KEY, messages::IDEMPOTENCY_KEY_REUSED).into())
        }
        Claim::Answered { status, body } => replay(status, body),
        Claim::New => finish(app, user, call, next.run(request).await).await,
    }
}

/// The idempotency key in a header: 1 to 255 visible ASCII characters.
pub(crate) fn key(header: Option<&HeaderValue>) -> Result<String, InvalidInput> {
    header
        .and_then(|value| value.to_str().ok())
        .filter(|key| {
            (1..=KEY_MAX_BYTES).contains(&key.len()) && key.bytes().all(|byte| byte.is_ascii_graphic())
        })
        .map(str::to_owned)
        .ok_or_else(|| InvalidInput::new(IDEMPOTENCY_KEY, messages::IDEMPOTENCY_KEY_INVALID))
}

fn replay(status: u16, body: String) -> Result<Response, ApiError> {
    let status = StatusCode::from_u16(status).map_err(ApiError::internal)?;
    let headers = [
        (CONTENT_TYPE, HeaderValue::from_static("application/json")),
        (REPLAYED, HeaderValue::from_static("true")),
    ];
    Ok((status, headers, body).into_response())
}

/// Stores a response of success; releases the key otherwise.
async fn finish(
    app: &App,
    user: &User,
    call: &IdempotentCall,
    response: Response,
) -> Result<Response, ApiError> {
    if !response.status().is_success() {
        if let Err(error) = app.scanning.release_call(user, call).await {
            // The client must get the refusal and its reason. The key becomes free in a minute.
            tracing::warn!(error = logged(&error), "the key of a call could not be given back");
        }
        return Ok(response);
    }
    let (parts, body) = response.into_parts();
    let body = to_bytes(body, MAX_ANSWER_BYTES).await.map_err(ApiError::internal)?;
    let kept =
        // JSON is UTF-8, so the conversion loses nothing.
        app.scanning.finish_call(user, call, parts.status.as_u16(), &String::from_utf8_lossy(&body)).await;
    if let Err(error) = kept {
        // What the call created is saved: the client must get that response, not this error.
        tracing::warn!(error = logged(&error), "the answer of a call could not be kept");
    }
    Ok(Response::from_parts(parts, Body::from(body)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_visible_ascii_of_limited_length() {
        let longest = "x".repeat(255);
        for good in ["1", "0190a0a0-0000-7000-8000-000000000000", longest.as_str()] {
            assert_eq!(key(Some(&HeaderValue::from_str(good).unwrap())).unwrap(), good);
        }
        for bad in [String::new(), "a b".to_owned(), "x".repeat(256), "\t".to_owned()] {
            assert!(key(Some(&HeaderValue::from_str(&bad).unwrap())).is_err(), "{bad:?}");
        }
        assert!(key(Some(&HeaderValue::from_bytes("é".as_bytes()).unwrap())).is_err());
        assert!(key(None).is_err());
    }
}
