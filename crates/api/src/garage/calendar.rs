//! The private calendar feed.

use axum::Json;
use axum::extract::State;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, ETAG, IF_NONE_MATCH};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use jiff::Timestamp;
use partsight_app::{App, Entity, SecretToken};
use serde::Serialize;
use utoipa::ToSchema;

use crate::caller::FromCaller;
use crate::extract::{PathSegment, SignedIn};
use crate::{ApiError, ApiState, problems};

/// A new calendar address, which is returned only once.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CalendarAddress {
    /// The path on this server. It is a secret: anybody who knows it can read the calendar.
    #[schema(example = "/api/calendar/0123456789abcdef.ics")]
    path: String,
    /// The full address; null if the setting `public_url` is missing.
    #[schema(required)]
    url: Option<String>,
}

/// Whether there is a calendar address.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CalendarStatus {
    /// When it was created; null if there is none.
    #[schema(value_type = Option<String>, format = DateTime, required)]
    #[serde(serialize_with = "crate::wire_time::moment_if_any")]
    created_at: Option<Timestamp>,
}

/// Returns whether the user has a calendar address, and when it was created.
#[utoipa::path(get, path = "/api/calendar", tag = "maintenance",
    responses((status = OK, body = CalendarStatus), problems::SignedIn))]
pub(crate) async fn get_calendar(SignedIn { app, user }: SignedIn) -> Result<Json<CalendarStatus>, ApiError> {
    Ok(Json(CalendarStatus { created_at: app.garage.calendar_since(&user).await? }))
}

/// Creates a private calendar address. A previous address becomes invalid.
#[utoipa::path(post, path = "/api/calendar", tag = "maintenance",
    responses((status = CREATED, body = CalendarAddress), problems::Write))]
pub(crate) async fn create_calendar(
    State(state): State<ApiState>,
    SignedIn { user, .. }: SignedIn,
) -> Result<(StatusCode, Json<CalendarAddress>), ApiError> {
    let token = state.app.garage.create_calendar(&user).await?;
    let path = format!("/api/calendar/{}.ics", token.as_str());
    let url = state.public_origin.as_ref().map(|origin| format!("{origin}{path}"));
    Ok((StatusCode::CREATED, Json(CalendarAddress { path, url })))
}

/// Deletes the calendar address; it becomes invalid.
#[utoipa::path(delete, path = "/api/calendar", tag = "maintenance",
    responses((status = NO_CONTENT), problems::Write))]
pub(crate) async fn delete_calendar(SignedIn { app, user }: SignedIn) -> Result<StatusCode, ApiError> {
    app.garage.delete_calendar(&user).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Returns maintenance that is due, as an iCalendar file. Needs no sign-in: the address contains a secret.
///
/// The content may be up to five minutes old. A client that sends its last `ETag` as `If-None-Match` gets 304 if
/// nothing has changed.
#[utoipa::path(get, path = "/api/calendar/{file}", tag = "maintenance",
    params(("file" = String, Path, description = "The secret, followed by `.ics`.")),
    responses(
        (status = OK, body = String, content_type = "text/calendar"),
        (status = NOT_MODIFIED, description = "Not changed since the version in `If-None-Match`."),
        problems::NotFound,
        (status = TOO_MANY_REQUESTS, description = "Read repeatedly, more often than once in ten seconds; `Retry-After` has the seconds to wait."),
    ))]
pub(crate) async fn get_calendar_file(
    State(app): State<App>,
    FromCaller(caller): FromCaller,
    headers: HeaderMap,
    PathSegment(file): PathSegment,
) -> Result<Response, ApiError> {
    // Calendar programs recognise a feed by the extension `.ics`.
    let secret = file.strip_suffix(".ics").ok_or_else(|| ApiError::missing(Entity::CalendarFeed))?;
    let calendar = app.garage.calendar_file(&SecretToken::from_text(secret), &caller).await?;
    let etag = format!("\"{}\"", calendar.sha256);
    let is_known = is_named(&headers, &etag);
    let lasting = [(CACHE_CONTROL, "private, max-age=900".to_owned()), (ETAG, etag)];
    if is_known {
        return Ok((StatusCode::NOT_MODIFIED, lasting).into_response());
    }
    let content = calendar.content.as_bytes().to_vec();
    Ok((lasting, [(CONTENT_TYPE, "text/calendar; charset=utf-8")], content).into_response())
}

/// Whether `If-None-Match` contains this `ETag` (RFC 9110, section 13.1.2: weak comparison).
fn is_named(headers: &HeaderMap, etag: &str) -> bool {
    let named = headers.get_all(IF_NONE_MATCH).into_iter().filter_map(|value| value.to_str().ok());
    named
        .flat_map(|value| value.split(','))
        .map(str::trim)
        .any(|named| named == "*" || named.strip_prefix("W/").unwrap_or(named) == etag)
}
