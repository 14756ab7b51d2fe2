//! Calls that a client may send twice: the second sending gets the answer of the first.

use axum::body::{Body, to_bytes};
use axum::extract::{FromRequestParts, Request, State};
use axum::http::header::{CONTENT_TYPE, HeaderName};
use axum::http::{HeaderValue, Method, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use partsight_app::{App, Claim, IDEMPOTENCY_KEY, IdempotentCall, idempotent_call};
use partsight_domain::{InvalidInput, User, messages};
use tracing::Instrument as _;

use crate::body_limit::body_too_large;
use crate::error::is_stalled;
use crate::extract::SignedIn;
use crate::{ApiError, ApiState};

/// The header of an answer that was given before.
pub(crate) const REPLAYED: HeaderName = HeaderName::from_static("idempotency-replayed");
const KEY_MAX_BYTES: usize = 255;

/// The paths whose POST makes something new of a small body. A scan, whose body is large and differs each time it is
/// sent, is answered once by its handler.
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
/// Largest answer of one that is kept, in bytes: what was sent comes back with ids and defaults, and escaped otherwise.
const MAX_ANSWER_BYTES: usize = 16 * MAX_BYTES;

/// Runs a call that has a key once, and answers its repetitions with what it answered.
///
/// Only answers of success are kept: after a refusal the same key may be sent again. A call that was cut off
/// by a crash of the server between the saving of its record and that of its answer can run a second time,
/// one minute later.
pub(crate) async fn answer_once(State(state): State<ApiState>, request: Request, next: Next) -> Response {
    let names_call = request.method() == Method::POST
        && request.headers().contains_key(IDEMPOTENCY_KEY)
        && IDEMPOTENT_PATHS.iter().any(|known| is_of(known, request.uri().path()));
    if !names_call {
        return next.run(request).await;
    }
    run_once(&state, request, next).await.unwrap_or_else(IntoResponse::into_response)
}

/// Whether a path is the one of `known`, in which any segment may stand for one in braces.
fn is_of(known: &str, path: &str) -> bool {
    let (mut known, mut segments) = (known.split('/'), path.split('/'));
    known.by_ref().zip(segments.by_ref()).all(|(known, found)| known.starts_with('{') || known == found)
        && known.next().is_none()
        && segments.next().is_none()
}

async fn run_once(state: &ApiState, request: Request, next: Next) -> Result<Response, ApiError> {
    let (mut parts, body) = request.into_parts();
    // Keys belong to an account: the same key of two people names two calls.
    let SignedIn { user, .. } = SignedIn::from_request_parts(&mut parts, state).await?;
    let key = key(parts.headers.get(IDEMPOTENCY_KEY))?;
    // The whole body is read, because its hash tells a repetition from another call under the same key.
    let body = to_bytes(body, MAX_BYTES).await.map_err(|error| {
        if is_stalled(&error) { ApiError::upload_stalled() } else { body_too_large(MAX_BYTES) }
    })?;
    let call = idempotent_call(parts.uri.path(), key, &body);
    let app = state.app.clone();
    let request = Request::from_parts(parts, Body::from(body));
    // To the end, also when the client goes away, and from the claim on: sent again, the call would else be refused as
    // running until its claim is stale (see `StaleCalls`), or make a second record.
    let work = async move { Ok(answer(&app, &user, &call, request, next).await) };
    state.app.to_the_end(work.in_current_span()).await?
}

/// Claims the call and runs it, or answers what it was answered before.
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

/// What a client names its call.
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

/// Keeps an answer of success, and gives the key back otherwise.
async fn finish(
    app: &App,
    user: &User,
    call: &IdempotentCall,
    response: Response,
) -> Result<Response, ApiError> {
    if !response.status().is_success() {
        if let Err(error) = app.scanning.release_call(user, call).await {
            // What was refused, and why, is what its client must hear. The key is free in a minute.
            tracing::warn!(
                error = &error as &dyn std::error::Error,
                "the key of a call could not be given back"
            );
        }
        return Ok(response);
    }
    let (parts, body) = response.into_parts();
    let body = to_bytes(body, MAX_ANSWER_BYTES).await.map_err(ApiError::internal)?;
    let kept =
        // JSON, so nothing of it is lost as text.
        app.scanning.finish_call(user, call, parts.status.as_u16(), &String::from_utf8_lossy(&body)).await;
    if let Err(error) = kept {
        // What the call made is saved: its client must hear of that rather than of this.
        tracing::warn!(error = &error as &dyn std::error::Error, "the answer of a call could not be kept");
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
