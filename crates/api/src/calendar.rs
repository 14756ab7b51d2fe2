//! The private calendar feed.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use jiff::Timestamp;
use partsight_app::{App, SecretToken};
use partsight_domain::messages;
use serde::Serialize;
use utoipa::ToSchema;

use crate::extract::{PathSegment, SignedIn};
use crate::{ApiError, ApiState, Problem};

/// A new calendar address. It is shown this once.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CalendarAddress {
    /// On this server. Whoever knows it can read the calendar.
    #[schema(example = "/api/calendar/0123456789abcdef.ics")]
    path: String,
    /// With the server's name, where it is set.
    #[schema(required)]
    url: Option<String>,
}

/// Whether there is a calendar address.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CalendarStatus {
    /// When it was made; null without one.
    #[schema(value_type = Option<String>, format = DateTime, required)]
    created_at: Option<Timestamp>,
}

/// Whether the user has a calendar address, and since when.
#[utoipa::path(get, path = "/api/calendar", tag = "maintenance", responses(
    (status = OK, body = CalendarStatus),
    (status = UNAUTHORIZED, body = Problem, content_type = "application/problem+json"),
))]
pub(crate) async fn get_calendar(
    State(app): State<App>,
    SignedIn(user): SignedIn,
) -> Result<Json<CalendarStatus>, ApiError> {
    Ok(Json(CalendarStatus { created_at: app.calendar_since(&user).await? }))
}

/// Makes a private calendar address. The one before ends.
#[utoipa::path(post, path = "/api/calendar", tag = "maintenance", responses(
    (status = CREATED, body = CalendarAddress),
    (status = UNAUTHORIZED, body = Problem, content_type = "application/problem+json"),
    (status = FORBIDDEN, body = Problem, content_type = "application/problem+json"),
))]
pub(crate) async fn create_calendar(
    State(state): State<ApiState>,
    SignedIn(user): SignedIn,
) -> Result<(StatusCode, Json<CalendarAddress>), ApiError> {
    let token = state.app.create_calendar(&user).await?;
    let path = format!("/api/calendar/{}.ics", token.as_str());
    let url = state.public_origin.as_ref().map(|origin| format!("{origin}{path}"));
    Ok((StatusCode::CREATED, Json(CalendarAddress { path, url })))
}

/// Ends the calendar address.
#[utoipa::path(delete, path = "/api/calendar", tag = "maintenance", responses(
    (status = NO_CONTENT),
    (status = UNAUTHORIZED, body = Problem, content_type = "application/problem+json"),
    (status = FORBIDDEN, body = Problem, content_type = "application/problem+json"),
))]
pub(crate) async fn delete_calendar(
    State(app): State<App>,
    SignedIn(user): SignedIn,
) -> Result<StatusCode, ApiError> {
    app.delete_calendar(&user).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// What is due, as a file for calendar programs. No sign-in: the secret in the address is enough.
#[utoipa::path(get, path = "/api/calendar/{file}", tag = "maintenance",
    params(("file" = String, Path, description = "The secret, and `.ics`.")),
    responses(
        (status = OK, body = String, content_type = "text/calendar"),
        (status = NOT_FOUND, body = Problem, content_type = "application/problem+json"),
    ))]
pub(crate) async fn get_calendar_file(
    State(app): State<App>,
    PathSegment(file): PathSegment,
) -> Result<Response, ApiError> {
    let secret =
        file.strip_suffix(".ics").ok_or_else(|| ApiError::not_found(messages::CALENDAR_NOT_FOUND))?;
    let calendar = app.calendar_file(&SecretToken::from_text(secret)).await?;
    let headers = [(CONTENT_TYPE, "text/calendar; charset=utf-8"), (CACHE_CONTROL, "private, max-age=900")];
    Ok((headers, calendar).into_response())
}
