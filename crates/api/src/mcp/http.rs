//! The protocol over HTTP: its streamable transport, with one JSON answer a message and no session.

use axum::body::{HttpBody, to_bytes};
use axum::extract::{FromRequestParts, Request, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use axum::{Json, Router};
use partsight_app::{Error, KeyCaller};
use partsight_domain::messages;
use serde_json::Value;

use super::{MAX_MCP_MESSAGE_BYTES, McpCaller, McpServer, Origin, authorization, protocol};
use crate::caller::FromCaller;
use crate::error::is_stalled;
use crate::middleware::origin::is_own_origin;
use crate::{ApiError, ApiState};

/// Largest message that needs no place among the uploads, in bytes: one without a photograph.
const SMALL_MESSAGE_BYTES: u64 = 64 * 1024;

/// The header in which a client repeats the negotiated version.
const VERSION_HEADER: &str = "mcp-protocol-version";

/// `/mcp` over these calls.
pub(crate) fn routes(calls: Router, state: ApiState) -> Router {
    Router::new()
        .route("/mcp", post(take_message))
        .method_not_allowed_fallback(|| async { ApiError::method_not_allowed() })
        // Only POST: without sessions there is no stream to GET and nothing to DELETE.
        .with_state((McpServer::over(calls, state.max_photo_bytes), state))
}

async fn take_message(
    State((server, state)): State<(McpServer, ApiState)>,
    request: Request,
) -> Result<Response, ApiError> {
    // The protocol requires it of every server, even with a key: a page that somebody opened must not reach a server on
    // their own machine.
    if !is_own_origin(request.headers(), state.public_origin.as_deref()) {
        return Err(ApiError::cross_origin());
    }
    let key = request.extensions().get::<KeyCaller>().cloned();
    let (Some(key), Some(authorization)) = (key, authorization(&request)) else {
        // A session cookie gives no access here, because a page of another site could make the browser send it.
        return Err(Error::NotSignedIn.into());
    };
    // The protocol requires this status for a version that we do not support. A missing header is not refused.
    if request.headers().get(VERSION_HEADER).is_some_and(|version| !protocol::speaks(version.as_bytes())) {
        let refusal = protocol::write(&Value::Null, Err(protocol::Refusal::unspoken_version()));
        return Ok((StatusCode::BAD_REQUEST, Json(refusal)).into_response());
    }
    let (mut parts, body) = request.into_parts();
    // A body without a stated length may have any length.
    let is_small = body.size_hint().upper().is_some_and(|n_bytes| n_bytes <= SMALL_MESSAGE_BYTES);
    let message = {
        // Held while the message arrives; the inner call with its photograph takes its own places.
        let _upload = if is_small {
            None
        } else {
            let Ok(FromCaller(caller)) = FromCaller::from_request_parts(&mut parts, &state).await;
            let place = state.uploads.take(&key.user, &caller)?;
            Some((place, state.uploads.take_memory((&key.user).into(), body.size_hint().exact())?))
        };
        to_bytes(body, MAX_MCP_MESSAGE_BYTES).await.map_err(|error| {
            if is_stalled(&error) {
                ApiError::upload_stalled()
            } else {
                ApiError::too_large(messages::MCP_MESSAGE_TOO_LARGE)
            }
        })?
    };
    // A path would be a path on this server.
    let caller = McpCaller { authorization, key, origin: Origin::of(&parts), reads_files: false };
    Ok(match server.answer(&message, &caller).await {
        Some(answer) => Json(answer).into_response(),
        None => StatusCode::ACCEPTED.into_response(),
    })
}
