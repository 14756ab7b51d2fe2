//! Mailed links: verifying an address, and setting a new password.

use axum::extract::State;
use axum::http::StatusCode;
use partsight_app::{App, SecretToken};
use partsight_domain::{EmailAddress, Password};
use serde::Deserialize;
use utoipa::ToSchema;

use crate::caller::FromCaller;
use crate::extract::{JsonBody, SignedIn, null_as_absent};
use crate::{ApiError, problems};

/// The proof that an address is one's own.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct VerifyEmail {
    /// The secret of the mailed link.
    #[serde(default, deserialize_with = "null_as_absent")]
    #[schema(required, example = "8f14e45fceea167a5a36dedd4bea2543")]
    token: String,
}

/// Whose password is forgotten.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ForgotPassword {
    #[serde(default, deserialize_with = "null_as_absent")]
    #[schema(required, example = "ann@example.com")]
    email: String,
}

/// A new password, with the proof that one may choose it.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct ResetPassword {
    /// The secret of the mailed link.
    #[serde(default, deserialize_with = "null_as_absent")]
    #[schema(required, example = "8f14e45fceea167a5a36dedd4bea2543")]
    token: String,
    /// At least 6 characters, and none of the passwords that are tried first.
    #[serde(default, deserialize_with = "null_as_absent")]
    #[schema(required, example = "correct horse")]
    password: String,
    /// `true` to end API keys and the calendar address too, which go on otherwise.
    #[serde(default, deserialize_with = "null_as_absent")]
    end_keys: bool,
}

/// Proves an e-mail address with a mailed link.
///
/// The link leads to `/profile#verify-email=<token>`, where a person confirms it, and is valid for 24 hours. To follow it
/// proves nothing: programs that look at mails do that too.
#[utoipa::path(post, path = "/api/auth/verify", tag = "auth", request_body = VerifyEmail, responses(
    (status = NO_CONTENT, description = "The address is proved."),
    problems::Body, problems::Unavailable,
    (status = FORBIDDEN),
    (status = UNPROCESSABLE_ENTITY, description = "The link was used before or is too old."),
    (status = TOO_MANY_REQUESTS),
))]
pub(crate) async fn verify_email(
    State(app): State<App>,
    FromCaller(caller): FromCaller,
    JsonBody(body): JsonBody<VerifyEmail>,
) -> Result<StatusCode, ApiError> {
    app.accounts.verify_email(&SecretToken::from_text(body.token), &caller).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Mails the link that proves the address once more.
///
/// Nothing is mailed where the address is proved, or where three links were asked for within an hour.
#[utoipa::path(post, path = "/api/auth/resend-verification", tag = "auth", responses(
    (status = ACCEPTED, description = "A mail is on its way, if one is needed."),
    problems::Write, problems::Unavailable,
    (status = TOO_MANY_REQUESTS),
))]
pub(crate) async fn resend_verification(
    State(app): State<App>,
    FromCaller(caller): FromCaller,
    SignedIn { user, .. }: SignedIn,
) -> Result<StatusCode, ApiError> {
    app.accounts.resend_verification(&user, &caller).await?;
    Ok(StatusCode::ACCEPTED)
}

/// Mails a link for a new password to whoever has this address.
///
/// The answer is the same, and takes the same time, whether or not anybody has an account with it. The link leads
/// to `/profile#reset-password=<token>` and is valid for one hour.
#[utoipa::path(post, path = "/api/auth/forgot-password", tag = "auth", request_body = ForgotPassword, responses(
    (status = ACCEPTED, description = "A mail is on its way, if the address has an account."),
    problems::Body, problems::Unavailable,
    (status = FORBIDDEN),
    (status = UNPROCESSABLE_ENTITY, description = "This is no e-mail address."),
    (status = TOO_MANY_REQUESTS),
))]
pub(crate) async fn forgot_password(
    State(app): State<App>,
    FromCaller(caller): FromCaller,
    JsonBody(body): JsonBody<ForgotPassword>,
) -> Result<StatusCode, ApiError> {
    // Done in the background, so that the response time does not reveal whether the address has an account.
    app.accounts.forgot_password(&EmailAddress::new(&body.email)?, &caller)?;
    Ok(StatusCode::ACCEPTED)
}

/// Sets a new password with a mailed link, and ends all sessions of the account.
#[utoipa::path(post, path = "/api/auth/reset-password", tag = "auth", request_body = ResetPassword, responses(
    (status = NO_CONTENT, description = "Sign in with the new password."),
    problems::Body, problems::Unavailable,
    (status = FORBIDDEN),
    (status = UNPROCESSABLE_ENTITY, description = "The password is too short, or the link was used before or is too old."),
    (status = TOO_MANY_REQUESTS),
))]
pub(crate) async fn reset_password(
    State(app): State<App>,
    FromCaller(caller): FromCaller,
    JsonBody(body): JsonBody<ResetPassword>,
) -> Result<StatusCode, ApiError> {
    let password = Password::new(body.password)?;
    app.accounts
        .reset_password(&SecretToken::from_text(body.token), password, body.end_keys, &caller)
        .await?;
    Ok(StatusCode::NO_CONTENT)
}
