//! Requests to cancel a subscription.

use axum::Json;
use axum::http::StatusCode;
use jiff::Timestamp;
use partsight_domain::messages;
use serde::Serialize;
use utoipa::ToSchema;

use crate::extract::SignedIn;
use crate::{ApiError, problems};

/// A cancellation request.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RequestedCancellation {
    #[schema(example = "019a7c3e-5b1e-7c44-9d0a-3f2b8c1d4e5f")]
    id: String,
    /// When it was first requested.
    #[schema(value_type = String, format = DateTime)]
    #[serde(serialize_with = "crate::wire_time::moment")]
    requested_at: Timestamp,
    /// What happens next, for people.
    message: &'static str,
}

/// Requests from support that the subscription ends with its period.
///
/// The request is saved and mailed to support and to the user. While it is open, another request changes nothing.
#[utoipa::path(post, path = "/api/subscription/request-cancellation", tag = "subscription", responses(
    (status = OK, body = RequestedCancellation),
    problems::Write, problems::Limited,
    (status = CONFLICT, description = "There is no subscription, or it is already set to end."),
))]
pub(crate) async fn request_cancellation(
    SignedIn { app, user }: SignedIn,
) -> Result<Json<RequestedCancellation>, ApiError> {
    let request = app.plans.request_cancellation(&user).await?;
    Ok(Json(RequestedCancellation {
        id: request.id.to_string(),
        requested_at: request.requested_at,
        message: messages::CANCELLATION_REQUESTED,
    }))
}

/// Withdraws an open cancellation request. The subscription continues.
#[utoipa::path(delete, path = "/api/subscription/request-cancellation", tag = "subscription", responses(
    (status = NO_CONTENT, description = "Withdrawn; support is notified by mail."),
    problems::Write, problems::Limited,
    (status = CONFLICT, description = "There is no open request."),
))]
pub(crate) async fn withdraw_cancellation(SignedIn { app, user }: SignedIn) -> Result<StatusCode, ApiError> {
    app.plans.withdraw_cancellation(&user).await?;
    Ok(StatusCode::NO_CONTENT)
}
