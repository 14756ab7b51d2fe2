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

use super::User;
use crate::caller::FromCaller;
use crate::extract::{JsonBody, SESSION_COOKIE, session_token};
use crate::origin::is_own_origin;
use crate::{ApiError, ApiState, Problem};

/// What signing up takes.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SignUp {
    #[serde(default)]
    #[schema(required, example = "ann@example.com")]
    email: String,
    /// At least 6 characters.
    #[serde(default)]
    #[schema(required, example = "correct horse")]
    password: String,
    #[serde(default)]
    #[schema(example = "Ann")]
    first_name: String,
    #[serde(default)]
    #[schema(example = "Lee")]
    last_name: String,
}

/// What signing in takes.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Credentials {
    #[serde(default)]
    #[schema(required, example = "ann@example.com")]
    email: String,
    #[serde(default)]
    #[schema(required, example = "correct horse")]
    password: String,
}

/// Makes an account, signs it in with a session cookie, and mails a link that proves the address.
#[utoipa::path(post, path = "/api/auth/signup", tag = "auth", request_body = SignUp, responses(
    (status = CREATED, body = User),
    (status = FORBIDDEN, body = Problem, content_type = "application/problem+json"),
    (status = CONFLICT, body = Problem, content_type = "application/problem+json", description = "The e-mail has an account."),
    (status = PAYLOAD_TOO_LARGE, body = Problem, content_type = "application/problem+json"),
    (status = UNSUPPORTED_MEDIA_TYPE, body = Problem, content_type = "application/problem+json"),
    (status = UNPROCESSABLE_ENTITY, body = Problem, content_type = "application/problem+json"),
    (status = TOO_MANY_REQUESTS, body = Problem, content_type = "application/problem+json", description = "Too many sign-ups from this address; `Retry-After` says when to go on."),
    (status = SERVICE_UNAVAILABLE, body = Problem, content_type = "application/problem+json"),
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
    let signed_in = state.app.sign_up(new, &caller).await?;
    let jar = open_session(&state, jar, &signed_in.token).await;
    Ok((StatusCode::CREATED, jar, Json(User::new(&state.app, signed_in.user))))
}

/// Signs in with a session cookie.
#[utoipa::path(post, path = "/api/auth/login", tag = "auth", request_body = Credentials, responses(
    (status = OK, body = User),
    (status = UNAUTHORIZED, body = Problem, content_type = "application/problem+json", description = "Wrong e-mail or password; it does not say which."),
    (status = FORBIDDEN, body = Problem, content_type = "application/problem+json"),
    (status = PAYLOAD_TOO_LARGE, body = Problem, content_type = "application/problem+json"),
    (status = UNSUPPORTED_MEDIA_TYPE, body = Problem, content_type = "application/problem+json"),
    (status = UNPROCESSABLE_ENTITY, body = Problem, content_type = "application/problem+json"),
    (status = TOO_MANY_REQUESTS, body = Problem, content_type = "application/problem+json", description = "Too many failed sign-ins; `Retry-After` says when to go on."),
    (status = SERVICE_UNAVAILABLE, body = Problem, content_type = "application/problem+json"),
))]
pub(crate) async fn sign_in(
    State(state): State<ApiState>,
    FromCaller(caller): FromCaller,
    jar: CookieJar,
    JsonBody(body): JsonBody<Credentials>,
) -> Result<(CookieJar, Json<User>), ApiError> {
    let email = EmailAddress::new(&body.email)?;
    let signed_in = state.app.sign_in(&email, Password::new(body.password)?, &caller).await?;
    let jar = open_session(&state, jar, &signed_in.token).await;
    Ok((jar, Json(User::new(&state.app, signed_in.user))))
}

/// Ends the session and leads a browser home.
///
/// A link on another site's page ends no session in a browser that says where it comes from: it only leads
/// home.
#[utoipa::path(get, path = "/api/logout", tag = "auth", responses(
    (status = SEE_OTHER, description = "Home, signed out."),
    (status = SERVICE_UNAVAILABLE, body = Problem, content_type = "application/problem+json"),
))]
pub(crate) async fn sign_out(
    State(state): State<ApiState>,
    headers: HeaderMap,
    jar: CookieJar,
) -> Result<(CookieJar, Redirect), ApiError> {
    let home = Redirect::to("/");
    if !is_own_origin(&headers, state.public_origin.as_deref()) {
        return Ok((jar, home));
    }
    if let Some(token) = session_token(&jar) {
        state.app.sign_out(&token).await?;
    }
    Ok((close_session(jar), home))
}

/// Puts the new secret into the cookie and ends the session that the browser had before.
pub(super) async fn open_session(state: &ApiState, jar: CookieJar, token: &SecretToken) -> CookieJar {
    if let Some(old) = session_token(&jar)
        && let Err(error) = state.app.sign_out(&old).await
    {
        // The new session stands and its secret must reach the browser; the old one ends when it expires.
        tracing::warn!(%error, "the previous session could not be ended");
    }
    set_session_cookie(state, jar, token)
}

/// Puts a secret into the cookie.
pub(super) fn set_session_cookie(state: &ApiState, jar: CookieJar, token: &SecretToken) -> CookieJar {
    let cookie = Cookie::build((SESSION_COOKIE, token.as_str().to_owned()))
        .path("/")
        .http_only(true)
        .same_site(SameSite::Lax)
        .secure(state.is_https())
        .max_age(time::Duration::days(i64::from(state.session_days)))
        .build();
    jar.add(cookie)
}

/// Takes the secret out of the browser.
pub(super) fn close_session(jar: CookieJar) -> CookieJar {
    jar.remove(Cookie::build(SESSION_COOKIE).path("/").build())
}
