//! Signing up, in and out with e-mail and password.

use axum::Json;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::Redirect;
use axum_extra::extract::CookieJar;
use axum_extra::extract::cookie::{Cookie, SameSite};
use partsight_app::SecretToken;
use partsight_domain::{EmailAddress, NewUser, Password, PersonName};
use serde::Deserialize;
use utoipa::ToSchema;

use super::user::User;
use crate::caller::FromCaller;
use crate::extract::{JsonBody, null_as_absent, session_token, token_in};
use crate::middleware::origin::is_own_origin;
use crate::{ApiError, ApiState, problems};

/// A new account.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct SignUp {
    #[serde(default, deserialize_with = "null_as_absent")]
    #[schema(required, example = "ann@example.com")]
    email: String,
    /// At least 6 characters, and not one of the most common passwords.
    #[serde(default, deserialize_with = "null_as_absent")]
    #[schema(required, example = "correct horse")]
    password: String,
    #[serde(default, deserialize_with = "null_as_absent")]
    #[schema(example = "Ann")]
    first_name: String,
    #[serde(default, deserialize_with = "null_as_absent")]
    #[schema(example = "Lee")]
    last_name: String,
}

/// E-mail address and password.
// Unknown fields are ignored: by specification 2, section 7, a client may send the fields of signing up.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Credentials {
    #[serde(default, deserialize_with = "null_as_absent")]
    #[schema(required, example = "ann@example.com")]
    email: String,
    #[serde(default, deserialize_with = "null_as_absent")]
    #[schema(required, example = "correct horse")]
    password: String,
}

/// Creates an account, signs it in with a session cookie, and mails a link that verifies the e-mail address.
#[utoipa::path(post, path = "/api/auth/signup", tag = "auth", request_body = SignUp, responses(
    (status = CREATED, body = User),
    problems::Body, problems::Unavailable, problems::Foreign,
    (status = CONFLICT, description = "An account with this e-mail address exists."),
    (status = TOO_MANY_REQUESTS, description = "Too many sign-ups from this network address; `Retry-After` has the seconds to wait."),
))]
pub(crate) async fn sign_up(
    State(state): State<ApiState>,
    FromCaller(caller): FromCaller,
    jar: CookieJar,
    JsonBody(body): JsonBody<SignUp>,
) -> Result<(StatusCode, CookieJar, Json<User>), ApiError> {
    let new = NewUser {
        email: EmailAddress::new(&body.email)?,
        password: Password::new(body.password)?,
        first_name: PersonName::new("firstName", &body.first_name)?,
        last_name: PersonName::new("lastName", &body.last_name)?,
    };
    let signed_in = state.app.accounts.sign_up(new, &caller).await?;
    let jar = open_session(&state, jar, &signed_in.token).await;
    Ok((StatusCode::CREATED, jar, Json(User::new(&state.app, signed_in.user).await?)))
}

/// Signs in and sets the session cookie.
#[utoipa::path(post, path = "/api/auth/login", tag = "auth", request_body = Credentials, responses(
    (status = OK, body = User),
    problems::Body, problems::Unavailable, problems::Foreign,
    (status = UNAUTHORIZED, description = "The e-mail address or the password is wrong; the answer does not say which."),
    (status = TOO_MANY_REQUESTS, description = "Too many failed sign-ins; `Retry-After` has the seconds to wait."),
))]
pub(crate) async fn sign_in(
    State(state): State<ApiState>,
    FromCaller(caller): FromCaller,
    jar: CookieJar,
    JsonBody(body): JsonBody<Credentials>,
) -> Result<(CookieJar, Json<User>), ApiError> {
    let email = EmailAddress::new(&body.email)?;
    let signed_in = state.app.accounts.sign_in(&email, Password::new(body.password)?, &caller).await?;
    let jar = open_session(&state, jar, &signed_in.token).await;
    Ok((jar, Json(User::new(&state.app, signed_in.user).await?)))
}

/// Ends the session and redirects to the home page.
///
/// If the browser states that the link is on a page of another site, the session does not end and the browser is only
/// redirected.
#[utoipa::path(get, path = "/api/logout", tag = "auth",
    responses((status = SEE_OTHER, description = "Redirect to the home page; the session has ended."), problems::Unavailable))]
pub(crate) async fn sign_out(
    State(state): State<ApiState>,
    headers: HeaderMap,
    jar: CookieJar,
) -> Result<(CookieJar, Redirect), ApiError> {
    let home = Redirect::to("/");
    if !is_own_origin(&headers, state.public_origin.as_deref()) {
        return Ok((jar, home));
    }
    // The cookie is removed even if its session is not valid.
    if let Some(token) = session_token(&state, &jar) {
        state.app.accounts.sign_out(&token).await?;
    }
    Ok((close_session(&state, jar), home))
}

/// Sets the session cookie and ends the browser's previous session.
pub(super) async fn open_session(state: &ApiState, jar: CookieJar, token: &SecretToken) -> CookieJar {
    for name in state.session_cookies() {
        if let Some(old) = token_in(name, &jar)
            && let Err(error) = state.app.accounts.sign_out(&old).await
        {
            // The new session exists and its secret must reach the browser; the old one ends when it expires.
            tracing::warn!(%error, "the previous session could not be ended");
        }
    }
    // The old cookie may have another name, if the server has got https since.
    let jar = close_session(state, jar);
    set_session_cookie(state, jar, token)
}

/// Sets the session cookie.
pub(super) fn set_session_cookie(state: &ApiState, jar: CookieJar, token: &SecretToken) -> CookieJar {
    let cookie = Cookie::build((state.session_cookie(), token.as_str().to_owned()))
        .path("/")
        .http_only(true)
        // Lax and not Strict: a link in a mail must open our pages signed in. Writes from other sites are refused
        // by their origin.
        .same_site(SameSite::Lax)
        .secure(state.is_https())
        .max_age(time::Duration::days(i64::from(state.session_days)))
        .build();
    jar.add(cookie)
}

/// Removes the session cookie from the browser.
pub(crate) fn close_session(state: &ApiState, jar: CookieJar) -> CookieJar {
    // A browser changes a cookie whose name begins with `__Host-` only if the change is Secure too.
    state
        .session_cookies()
        .iter()
        .fold(jar, |jar, name| jar.remove(Cookie::build(*name).path("/").secure(state.is_https()).build()))
}
