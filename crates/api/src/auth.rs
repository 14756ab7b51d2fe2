//! Accounts and sessions.

use axum::Json;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::Redirect;
use axum_extra::extract::CookieJar;
use axum_extra::extract::cookie::{Cookie, SameSite};
use jiff::Timestamp;
use partsight_app::{App, SessionToken};
use partsight_domain::{EmailAddress, NewUser, Password, PersonName, Plan};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::extract::{JsonBody, SESSION_COOKIE, SignedIn, session_token};
use crate::origin::is_own_origin;
use crate::{ApiError, ApiState, Problem};

/// A person with an account.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct User {
    id: String,
    /// Lower case.
    email: String,
    first_name: String,
    last_name: String,
    /// A picture of the person, where the sign-in provider has one.
    #[schema(required)]
    profile_image_url: Option<String>,
    plan_type: PlanType,
    #[schema(value_type = String, format = DateTime)]
    created_at: Timestamp,
    /// Whether the terms have been accepted.
    terms_accepted: bool,
}

/// The plan that holds for the user on this server.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum PlanType {
    Basic,
    Pro,
    Business,
}

impl From<Plan> for PlanType {
    fn from(plan: Plan) -> Self {
        match plan {
            Plan::Basic => Self::Basic,
            Plan::Pro => Self::Pro,
            Plan::Business => Self::Business,
        }
    }
}

impl User {
    fn new(app: &App, user: partsight_domain::User) -> Self {
        let plan = app.effective_plan(&user);
        Self {
            id: user.id.to_string(),
            email: user.email,
            first_name: user.first_name,
            last_name: user.last_name,
            profile_image_url: None,
            plan_type: plan.into(),
            created_at: user.created_at,
            terms_accepted: user.terms_accepted_at.is_some(),
        }
    }
}

/// What signing up takes.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SignUp {
    #[serde(default)]
    #[schema(required, example = "ann@example.com")]
    email: String,
    /// At least 6 characters.
    #[serde(default)]
    #[schema(required)]
    password: String,
    #[serde(default)]
    first_name: String,
    #[serde(default)]
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
    #[schema(required)]
    password: String,
}

/// Makes an account and signs it in with a session cookie.
#[utoipa::path(post, path = "/api/auth/signup", tag = "auth", request_body = SignUp, responses(
    (status = CREATED, body = User),
    (status = FORBIDDEN, body = Problem, content_type = "application/problem+json"),
    (status = CONFLICT, body = Problem, content_type = "application/problem+json", description = "The e-mail has an account."),
    (status = UNPROCESSABLE_ENTITY, body = Problem, content_type = "application/problem+json"),
))]
pub(crate) async fn sign_up(
    State(state): State<ApiState>,
    jar: CookieJar,
    JsonBody(body): JsonBody<SignUp>,
) -> Result<(StatusCode, CookieJar, Json<User>), ApiError> {
    let new = NewUser {
        email: EmailAddress::new(&body.email)?,
        password: Password::new(body.password)?,
        first_name: PersonName::new("firstName", &body.first_name)?,
        last_name: PersonName::new("lastName", &body.last_name)?,
    };
    let signed_in = state.app.sign_up(new).await?;
    let jar = open_session(&state, jar, &signed_in.token).await?;
    Ok((StatusCode::CREATED, jar, Json(User::new(&state.app, signed_in.user))))
}

/// Signs in with a session cookie.
#[utoipa::path(post, path = "/api/auth/login", tag = "auth", request_body = Credentials, responses(
    (status = OK, body = User),
    (status = UNAUTHORIZED, body = Problem, content_type = "application/problem+json", description = "Wrong e-mail or password; it does not say which."),
    (status = FORBIDDEN, body = Problem, content_type = "application/problem+json"),
    (status = UNPROCESSABLE_ENTITY, body = Problem, content_type = "application/problem+json"),
))]
pub(crate) async fn sign_in(
    State(state): State<ApiState>,
    jar: CookieJar,
    JsonBody(body): JsonBody<Credentials>,
) -> Result<(CookieJar, Json<User>), ApiError> {
    let email = EmailAddress::new(&body.email)?;
    let signed_in = state.app.sign_in(&email, Password::new(body.password)?).await?;
    let jar = open_session(&state, jar, &signed_in.token).await?;
    Ok((jar, Json(User::new(&state.app, signed_in.user))))
}

/// The signed-in user.
#[utoipa::path(get, path = "/api/auth/user", tag = "auth", responses(
    (status = OK, body = User),
    (status = UNAUTHORIZED, body = Problem, content_type = "application/problem+json"),
))]
pub(crate) async fn get_user(State(app): State<App>, SignedIn(user): SignedIn) -> Json<User> {
    Json(User::new(&app, user))
}

/// Notes that the signed-in user accepts the terms.
#[utoipa::path(post, path = "/api/auth/user/accept-terms", tag = "auth", responses(
    (status = OK, body = User),
    (status = UNAUTHORIZED, body = Problem, content_type = "application/problem+json"),
    (status = FORBIDDEN, body = Problem, content_type = "application/problem+json"),
))]
pub(crate) async fn accept_terms(
    State(app): State<App>,
    SignedIn(user): SignedIn,
) -> Result<Json<User>, ApiError> {
    let user = app.accept_terms(&user).await?;
    Ok(Json(User::new(&app, user)))
}

/// Leads a browser to where it can sign in.
#[utoipa::path(get, path = "/api/login", tag = "auth", responses(
    (status = SEE_OTHER, description = "To the account page, which has the sign-in form."),
))]
pub(crate) async fn start_login() -> Redirect {
    Redirect::to("/profile")
}

/// Ends the session and leads a browser home.
///
/// A link on another site's page ends no session in a browser that says where it comes from: it only leads
/// home.
#[utoipa::path(get, path = "/api/logout", tag = "auth", responses(
    (status = SEE_OTHER, description = "Home, signed out."),
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
    Ok((jar.remove(Cookie::build(SESSION_COOKIE).path("/").build()), home))
}

/// Puts the new secret into the cookie and ends the session that the browser had before.
async fn open_session(state: &ApiState, jar: CookieJar, token: &SessionToken) -> Result<CookieJar, ApiError> {
    if let Some(old) = session_token(&jar)
        && let Err(error) = state.app.sign_out(&old).await
    {
        // The new session stands and its secret must reach the browser; the old one ends when it expires.
        tracing::warn!(%error, "the previous session could not be ended");
    }
    let cookie = Cookie::build((SESSION_COOKIE, token.as_str().to_owned()))
        .path("/")
        .http_only(true)
        .same_site(SameSite::Lax)
        .secure(state.is_https())
        .max_age(time::Duration::days(i64::from(state.session_days)))
        .build();
    Ok(jar.add(cookie))
}
