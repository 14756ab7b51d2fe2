//! The protocol over HTTP: its streamable transport, with one JSON answer a message and no session.

use axum::body::to_bytes;
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use axum::{Json, Router};
use partsight_app::{Error, KeyCaller};
use partsight_domain::messages;

use super::{MAX_MCP_MESSAGE_BYTES, McpCaller, McpServer, authorization};
use crate::ApiError;

/// `/mcp` over these calls.
pub(crate) fn routes(calls: Router, max_photo_bytes: usize) -> Router {
    Router::new()
        .route("/mcp", post(take_message))
        .method_not_allowed_fallback(|| async { ApiError::method_not_allowed() })
        .with_state(McpServer::over(calls, max_photo_bytes))
}

async fn take_message(State(server): State<McpServer>, request: Request) -> Result<Response, ApiError> {
    let key = request.extensions().get::<KeyCaller>().cloned();
    let (Some(key), Some(authorization)) = (key, authorization(&request)) else {
        return Err(Error::NotSignedIn.into());
    };
    let caller = McpCaller { authorization, key, reads_files: false };
    let message = to_bytes(request.into_body(), MAX_MCP_MESSAGE_BYTES).await;
    let message = message.map_err(|_| ApiError::too_large(messages::MCP_MESSAGE_TOO_LARGE))?;
    Ok(match server.answer(&message, &caller).await {
        Some(answer) => Json(answer).into_response(),
        None => StatusCode::ACCEPTED.into_response(),
    })
}
