//! The signed-in browsers of an account.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use axum_extra::extract::CookieJar;
use jiff::Timestamp;
use partsight_app::{App, CurrentSession, Entity, Error};
use serde::Serialize;
use utoipa::ToSchema;

use super::sign_in::close_session;
use crate::extract::{PathSegment, SignedIn, SignedInSession};
use crate::{ApiError, ApiState, problems};

/// A session: a signed-in browser.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Session {
    #[schema(example = "019a7c3e-5b1e-7c44-9d0a-3f2b8c1d4e5f")]
    id: String,
    /// Name of the browser, from its `User-Agent`, shortened; may be empty.
    #[schema(example = "Firefox on Windows")]
    browser: String,
    #[schema(value_type = String, format = DateTime)]
    #[serde(serialize_with = "crate::wire_time::moment")]
    created_at: Timestamp,
    /// When it was last used, accurate to five minutes.
    #[schema(value_type = String, format = DateTime)]
    #[serde(serialize_with = "crate::wire_time::moment")]
    last_seen_at: Timestamp,
    /// When it expires, even if it is used.
    #[schema(value_type = String, format = DateTime)]
    #[serde(serialize_with = "crate::wire_time::moment")]
    expires_at: Timestamp,
    /// `password`, or `provider` for the sign-in provider.
    #[schema(example = "password")]
    sign_in_method: &'static str,
    /// Whether it is the session of this call.
    is_current: bool,
}

impl Session {
    pub(crate) fn new(session: partsight_domain::Session, current: &CurrentSession) -> Self {
        Self {
            is_current: session.id == current.session.id,
            id: session.id.to_string(),
            browser: session.browser,
            created_at: session.created_at,
            last_seen_at: session.last_seen_at,
            expires_at: session.expires_at,
            sign_in_method: session.method.as_str(),
        }
    }
}

/// Lists the sessions (signed-in browsers) of the user, the most recently used first.
///
/// A user has at most 100; with one more, the one that was used least recently ends.
#[utoipa::path(get, path = "/api/auth/sessions", tag = "auth",
    responses((status = OK, body = Vec<Session>), problems::SignedIn, problems::Unavailable))]
pub(crate) async fn list_sessions(
    State(app): State<App>,
    SignedInSession(current): SignedInSession,
) -> Result<Json<Vec<Session>>, ApiError> {
    let sessions = app.accounts.list_sessions(&current.user).await?;
    Ok(Json(sessions.into_iter().map(|session| Session::new(session, &current)).collect()))
}

/// Ends one session of the user.
#[utoipa::path(delete, path = "/api/auth/sessions/{id}", tag = "auth",
    params(("id" = String, Path, description = "The id of the session.")), responses(
    (status = NO_CONTENT),
    problems::Write, problems::Unavailable,
    (status = NOT_FOUND, description = "No such session, or it belongs to another user."),
))]
pub(crate) async fn delete_session(
    SignedIn { app, user }: SignedIn,
    PathSegment(id): PathSegment,
) -> Result<StatusCode, ApiError> {
    let id = id.parse().map_err(|_| Error::NotFound { entity: Entity::Session })?;
    app.accounts.end_session(&user, id).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Ends all sessions of the user, including this one.
#[utoipa::path(post, path = "/api/auth/sign-out-everywhere", tag = "auth",
    responses((status = NO_CONTENT), problems::Write, problems::Unavailable))]
pub(crate) async fn sign_out_everywhere(
    State(state): State<ApiState>,
    SignedIn { user, .. }: SignedIn,
    jar: CookieJar,
) -> Result<(StatusCode, CookieJar), ApiError> {
    state.app.accounts.sign_out_everywhere(&user).await?;
    Ok((StatusCode::NO_CONTENT, close_session(&state, jar)))
}
