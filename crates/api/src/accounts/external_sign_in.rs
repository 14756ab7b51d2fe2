//! Sign-in through an external provider.

use axum::extract::State;
use axum::response::Redirect;
use axum_extra::extract::CookieJar;
use axum_extra::extract::cookie::{Cookie, SameSite};
use partsight_app::{Error, ExternalSignInFailure, ProviderAnswer, SecretToken, with_causes};
use partsight_domain::ReturnPath;
use serde::Deserialize;
use utoipa::IntoParams;

use super::sign_in::open_session;
use crate::caller::FromCaller;
use crate::extract::QueryString;
use crate::{ApiError, ApiState, problems};

/// Ties a sign-in attempt to the browser that began it. Sent only to these calls.
const ATTEMPT_COOKIE: (&str, &str) = ("partsight_sign_in", "/api/login");
/// The cookie's name with https. The prefix protects from cookies of neighbouring sites, which could otherwise sign
/// somebody in to another person's account. It requires the path `/`.
const HOST_ATTEMPT_COOKIE: (&str, &str) = ("__Host-partsight_sign_in", "/");

/// Where to go after signing in.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub(crate) struct LoginQuery {
    /// The page to return to: a path on this server, such as `/vehicle`. Any other value leads to the home page.
    #[param(example = "/vehicle")]
    return_to: Option<String>,
}

/// What a sign-in provider sends a browser back with.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct CallbackQuery {
    /// The authorization code, which is exchanged for the identity of the person.
    code: Option<String>,
    /// The state parameter that was sent to the provider.
    state: Option<String>,
    /// Error code of the provider, if there is no `code`.
    error: Option<String>,
    /// Issuer identifier of the provider (RFC 9207).
    iss: Option<String>,
}

/// Redirects a browser to the place where it can sign in.
///
/// This is the sign-in provider (OpenID Connect) if one is set up, otherwise the account page. If the provider does not
/// answer, the browser is redirected to the account page with `sign-in=failed` and a `reason`.
#[utoipa::path(get, path = "/api/login", tag = "auth", params(LoginQuery), responses(
    (status = SEE_OTHER, description = "Redirect to the sign-in provider, or to the account page with its sign-in form."),
    problems::Invalid,
))]
pub(crate) async fn start_login(
    State(state): State<ApiState>,
    FromCaller(caller): FromCaller,
    QueryString(query): QueryString<LoginQuery>,
    jar: CookieJar,
) -> Result<(CookieJar, Redirect), ApiError> {
    if !state.app.accounts.has_external_sign_in() {
        return Ok((jar, Redirect::to("/profile")));
    }
    let return_path = ReturnPath::or_home(query.return_to.as_deref());
    match state.app.accounts.start_external_sign_in(&return_path, &caller).await {
        Ok(start) => {
            let mut cookie = attempt_cookie(state.is_https(), start.token.as_str().to_owned());
            cookie.set_http_only(true);
            // The provider's page redirects back with a link, and browsers send Lax cookies with it.
            cookie.set_same_site(SameSite::Lax);
            cookie.set_max_age(time::Duration::seconds(start.valid_for.as_secs()));
            Ok((jar.add(cookie), Redirect::to(&start.url)))
        }
        Err(failure) => Ok((jar, explain(&failure))),
    }
}

/// Handles the redirect back from the sign-in provider.
///
/// Redirects to the page where the sign-in began, or, after a failure, to the account page with `sign-in=failed` and a
/// `reason`: `cancelled`, `unknown-attempt`, `email-not-verified`, `provider-unavailable`, `not-trusted`, `not-set-up`,
/// `too-many-attempts` or `internal`.
#[utoipa::path(get, path = "/api/login/callback", tag = "auth", params(CallbackQuery), responses(
    (status = SEE_OTHER, description = "Redirect after the sign-in, or to the account page with the reason of the failure."),
    problems::Invalid,
))]
pub(crate) async fn finish_login(
    State(state): State<ApiState>,
    FromCaller(caller): FromCaller,
    QueryString(query): QueryString<CallbackQuery>,
    jar: CookieJar,
) -> Result<(CookieJar, Redirect), ApiError> {
    // Without the cookie the callback comes from another browser: somebody may have sent its user a link that signs
    // in to their own account.
    let (name, _) = attempt_cookie_of(state.is_https());
    let token = jar.get(name).map(|cookie| SecretToken::from_text(cookie.value()));
    let answer =
        ProviderAnswer { code: query.code, state: query.state, error: query.error, issuer: query.iss };
    let result = state.app.accounts.finish_external_sign_in(token.as_ref(), answer, &caller).await;
    // The attempt is used up in either case.
    let jar = jar.remove(attempt_cookie(state.is_https(), String::new()));
    match result {
        Ok((signed_in, return_path)) => {
            let jar = open_session(&state, jar, &signed_in.token).await;
            Ok((jar, Redirect::to(return_path.as_str())))
        }
        Err(failure) => Ok((jar, explain(&failure))),
    }
}

const fn attempt_cookie_of(is_https: bool) -> (&'static str, &'static str) {
    if is_https { HOST_ATTEMPT_COOKIE } else { ATTEMPT_COOKIE }
}

fn attempt_cookie(is_https: bool, value: String) -> Cookie<'static> {
    let (name, path) = attempt_cookie_of(is_https);
    Cookie::build((name, value)).path(path).secure(is_https).build()
}

/// Redirects to the page that explains why the sign-in failed. An error body would be of no use in a navigation.
fn explain(failure: &ExternalSignInFailure) -> Redirect {
    let reason = failure.reason();
    match failure {
        // Not logged: many attempts would fill the log.
        ExternalSignInFailure::Own(Error::TooManyAttempts { .. }) => {}
        ExternalSignInFailure::Own(error) => {
            tracing::error!(error = %with_causes(error), "a sign-in through the provider failed");
        }
        ExternalSignInFailure::Unavailable(error) | ExternalSignInFailure::NotTrusted(error) => {
            tracing::warn!(reason, error = %with_causes(error), "a sign-in through the provider failed");
        }
        _ => tracing::debug!(reason, "a sign-in through the provider came to nothing"),
    }
    // `reason` is one of our own codes, never the provider's text.
    Redirect::to(&format!("/profile?sign-in=failed&reason={reason}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_https_the_cookie_of_an_attempt_is_kept_to_this_host() {
        let by_https = attempt_cookie(true, "x".to_owned()).to_string();
        assert_eq!(by_https, "__Host-partsight_sign_in=x; Secure; Path=/");
        assert_eq!(attempt_cookie(false, "x".to_owned()).to_string(), "partsight_sign_in=x; Path=/api/login");
    }
}
