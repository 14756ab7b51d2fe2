//! The signed-in user's account.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use partsight_app::{App, Error};
use partsight_domain::PersonName;
use serde::Deserialize;
use utoipa::{IntoParams, ToSchema};

use super::user::User;
use crate::extract::{JsonBody, MaybeSignedIn, QueryString, SignedIn};
use crate::{ApiError, problems};

/// The name of a person.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Names {
    /// At most 80 characters; may be empty.
    #[schema(example = "Ann")]
    first_name: String,
    /// At most 80 characters; may be empty.
    #[schema(example = "Lee")]
    last_name: String,
}

/// How a browser that is not signed in is answered.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct UserQuery {
    /// `true` to answer 204 instead of 401 if nobody is signed in. Browsers list a 401 among the errors of a page.
    optional: Option<bool>,
}

/// Returns the signed-in user.
#[utoipa::path(get, path = "/api/auth/user", tag = "auth", params(UserQuery), responses(
    (status = OK, body = User),
    (status = NO_CONTENT, description = "Nobody is signed in, and `optional` is true."),
    problems::SignedIn, problems::Invalid, problems::Unavailable,
))]
pub(crate) async fn get_user(
    State(app): State<App>,
    MaybeSignedIn(user): MaybeSignedIn,
    QueryString(query): QueryString<UserQuery>,
) -> Result<Response, ApiError> {
    match user {
        Some(user) => Ok(Json(User::new(&app, user).await?).into_response()),
        None if query.optional == Some(true) => Ok(StatusCode::NO_CONTENT.into_response()),
        None => Err(Error::NotSignedIn.into()),
    }
}

/// Changes the name of the signed-in user.
#[utoipa::path(put, path = "/api/auth/user", tag = "auth", request_body = Names,
    responses((status = OK, body = User), problems::Write, problems::Body, problems::Unavailable))]
pub(crate) async fn update_user(
    SignedIn { app, user }: SignedIn,
    JsonBody(body): JsonBody<Names>,
) -> Result<Json<User>, ApiError> {
    let first = PersonName::new("firstName", &body.first_name)?;
    let last = PersonName::new("lastName", &body.last_name)?;
    let user = app.accounts.rename_user(&user, &first, &last).await?;
    Ok(Json(User::new(&app, user).await?))
}

/// Records that the signed-in user accepts the current terms.
#[utoipa::path(post, path = "/api/auth/user/accept-terms", tag = "auth",
    responses((status = OK, body = User), problems::Write, problems::Unavailable))]
pub(crate) async fn accept_terms(SignedIn { app, user }: SignedIn) -> Result<Json<User>, ApiError> {
    let user = app.accounts.accept_terms(&user).await?;
    Ok(Json(User::new(&app, user).await?))
}
