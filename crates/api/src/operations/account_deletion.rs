//! Deleting one's account with all its data.

use axum::extract::State;
use axum::http::StatusCode;
use axum_extra::extract::CookieJar;
use partsight_domain::Password;
use serde::Deserialize;
use utoipa::ToSchema;

use crate::accounts::sign_in::close_session;
use crate::caller::FromCaller;
use crate::extract::{JsonBody, SignedInSession};
use crate::{ApiError, ApiState, problems};

/// Proof that the owner of the account makes this call.
#[derive(Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Confirmation {
    /// Not needed within ten minutes after a sign-in with the sign-in provider.
    #[serde(default)]
    #[schema(example = "correct horse")]
    password: Option<String>,
}

/// Deletes the account permanently, with all vehicles, records and scans that are not shared with other people.
#[utoipa::path(delete, path = "/api/auth/user", tag = "auth", request_body = Option<Confirmation>, responses(
    (status = NO_CONTENT, description = "Deleted, and the session has ended."),
    problems::SignedIn, problems::Body, problems::Unavailable, problems::Limited,
    (status = FORBIDDEN, description = "The call came from a page of another site, or the account has no password and its last sign-in was more than ten minutes ago."),
    (status = UNPROCESSABLE_ENTITY, description = "The password is wrong."),
))]
pub(crate) async fn delete_user(
    State(state): State<ApiState>,
    FromCaller(caller): FromCaller,
    SignedInSession(current): SignedInSession,
    jar: CookieJar,
    body: Option<JsonBody<Confirmation>>,
) -> Result<(StatusCode, CookieJar), ApiError> {
    // An account without a password confirms by a fresh sign-in, and needs no body.
    let JsonBody(body) = body.unwrap_or_default();
    // A password that breaks the rules cannot be the right one; it is refused like any wrong one.
    let password = body.password.and_then(|password| Password::new(password).ok());
    state.app.operations.delete_account(&current, password, &caller).await?;
    Ok((StatusCode::NO_CONTENT, close_session(&state, jar)))
}
