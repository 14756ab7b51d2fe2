//! The signed-in user's account.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use axum_extra::extract::CookieJar;
use partsight_app::App;
use partsight_domain::{Password, PersonName};
use serde::Deserialize;
use utoipa::ToSchema;

use super::User;
use super::sign_in::close_session;
use crate::caller::FromCaller;
use crate::extract::{JsonBody, SignedIn, SignedInSession};
use crate::{ApiError, Problem};

/// The names of a person.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Names {
    /// At most 80 characters; may be empty.
    #[serde(default)]
    #[schema(required, example = "Ann")]
    first_name: String,
    /// At most 80 characters; may be empty.
    #[serde(default)]
    #[schema(required, example = "Lee")]
    last_name: String,
}

/// The proof that the owner of an account is there.
#[derive(Default, Deserialize, ToSchema)]
pub(crate) struct Confirmation {
    /// Not needed within ten minutes of a sign-in with the provider.
    #[serde(default)]
    #[schema(example = "correct horse")]
    password: Option<String>,
}

/// The signed-in user.
#[utoipa::path(get, path = "/api/auth/user", tag = "auth", responses(
    (status = OK, body = User),
    (status = UNAUTHORIZED, body = Problem, content_type = "application/problem+json"),
    (status = SERVICE_UNAVAILABLE, body = Problem, content_type = "application/problem+json"),
))]
pub(crate) async fn get_user(State(app): State<App>, SignedIn(user): SignedIn) -> Json<User> {
    Json(User::new(&app, user))
}

/// Changes the names of the signed-in user.
#[utoipa::path(put, path = "/api/auth/user", tag = "auth", request_body = Names, responses(
    (status = OK, body = User),
    (status = UNAUTHORIZED, body = Problem, content_type = "application/problem+json"),
    (status = FORBIDDEN, body = Problem, content_type = "application/problem+json"),
    (status = PAYLOAD_TOO_LARGE, body = Problem, content_type = "application/problem+json"),
    (status = UNSUPPORTED_MEDIA_TYPE, body = Problem, content_type = "application/problem+json"),
    (status = UNPROCESSABLE_ENTITY, body = Problem, content_type = "application/problem+json"),
    (status = SERVICE_UNAVAILABLE, body = Problem, content_type = "application/problem+json"),
))]
pub(crate) async fn update_user(
    State(app): State<App>,
    SignedIn(user): SignedIn,
    JsonBody(body): JsonBody<Names>,
) -> Result<Json<User>, ApiError> {
    let first = PersonName::new("firstName", &body.first_name)?;
    let last = PersonName::new("lastName", &body.last_name)?;
    let user = app.rename_user(&user, &first, &last).await?;
    Ok(Json(User::new(&app, user)))
}

/// Notes that the signed-in user accepts the terms as they are now.
#[utoipa::path(post, path = "/api/auth/user/accept-terms", tag = "auth", responses(
    (status = OK, body = User),
    (status = UNAUTHORIZED, body = Problem, content_type = "application/problem+json"),
    (status = FORBIDDEN, body = Problem, content_type = "application/problem+json"),
    (status = SERVICE_UNAVAILABLE, body = Problem, content_type = "application/problem+json"),
))]
pub(crate) async fn accept_terms(
    State(app): State<App>,
    SignedIn(user): SignedIn,
) -> Result<Json<User>, ApiError> {
    let user = app.accept_terms(&user).await?;
    Ok(Json(User::new(&app, user)))
}

/// Deletes the account for good, with all vehicles, records and scans that nobody else shares.
#[utoipa::path(delete, path = "/api/auth/user", tag = "auth", request_body = Option<Confirmation>, responses(
    (status = NO_CONTENT, description = "Deleted and signed out."),
    (status = UNAUTHORIZED, body = Problem, content_type = "application/problem+json"),
    (status = FORBIDDEN, body = Problem, content_type = "application/problem+json", description = "Another site's page, or an account without a password whose sign-in was more than ten minutes ago."),
    (status = PAYLOAD_TOO_LARGE, body = Problem, content_type = "application/problem+json"),
    (status = UNSUPPORTED_MEDIA_TYPE, body = Problem, content_type = "application/problem+json"),
    (status = UNPROCESSABLE_ENTITY, body = Problem, content_type = "application/problem+json", description = "The password is wrong."),
    (status = TOO_MANY_REQUESTS, body = Problem, content_type = "application/problem+json"),
    (status = SERVICE_UNAVAILABLE, body = Problem, content_type = "application/problem+json"),
))]
pub(crate) async fn delete_user(
    State(app): State<App>,
    FromCaller(caller): FromCaller,
    SignedInSession(current): SignedInSession,
    jar: CookieJar,
    body: Option<JsonBody<Confirmation>>,
) -> Result<(StatusCode, CookieJar), ApiError> {
    let JsonBody(body) = body.unwrap_or_default();
    // One that breaks the rules cannot be the password; it is refused as any wrong one.
    let password = body.password.and_then(|password| Password::new(password).ok());
    app.delete_account(&current, password, &caller).await?;
    Ok((StatusCode::NO_CONTENT, close_session(jar)))
}
