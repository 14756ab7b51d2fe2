//! Changing the password of one's account.

use axum::extract::State;
use axum::http::StatusCode;
use axum_extra::extract::CookieJar;
use partsight_domain::Password;
use serde::Deserialize;
use utoipa::ToSchema;

use super::sign_in::set_session_cookie;
use crate::caller::FromCaller;
use crate::extract::{JsonBody, SignedInSession, null_as_absent};
use crate::{ApiError, ApiState, problems};

/// A new password, with the current one.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct ChangePassword {
    /// Not needed within ten minutes after a sign-in with the sign-in provider.
    #[serde(default)]
    #[schema(example = "correct horse")]
    current_password: Option<String>,
    /// At least 6 characters, and not one of the most common passwords.
    #[serde(default, deserialize_with = "null_as_absent")]
    #[schema(required, example = "battery staple")]
    new_password: String,
    /// `true` to revoke all API keys and the calendar address too; `false` by default.
    #[serde(default, deserialize_with = "null_as_absent")]
    end_keys: bool,
}

/// Changes the password of the signed-in user and ends the sessions of all their other browsers. API keys and the
/// calendar address stay valid unless `endKeys` is true.
#[utoipa::path(put, path = "/api/auth/password", tag = "auth", request_body = ChangePassword, responses(
    (status = NO_CONTENT, description = "Changed. This browser gets a new session cookie."),
    problems::SignedIn, problems::Body, problems::Unavailable, problems::Limited,
    (status = FORBIDDEN, description = "The call came from a page of another site, or the account has no password and its last sign-in was more than ten minutes ago."),
    (status = UNPROCESSABLE_ENTITY, description = "The current password is wrong, or the new one is too short or too easy to guess; `field` names which."),
))]
pub(crate) async fn change_password(
    State(state): State<ApiState>,
    FromCaller(caller): FromCaller,
    SignedInSession(current): SignedInSession,
    jar: CookieJar,
    JsonBody(body): JsonBody<ChangePassword>,
) -> Result<(StatusCode, CookieJar), ApiError> {
    let new = new_password(body.new_password)?;
    // A password that breaks the rules cannot be the current one; it is refused like any wrong one.
    let old = body.current_password.and_then(|password| Password::new(password).ok());
    let token = state.app.accounts.change_password(&current, old, new, body.end_keys, &caller).await?;
    Ok((StatusCode::NO_CONTENT, set_session_cookie(&state, jar, &token)))
}

fn new_password(text: String) -> Result<Password, partsight_domain::InvalidInput> {
    Password::new(text).map_err(|mut error| {
        error.field = "newPassword";
        error
    })
}
