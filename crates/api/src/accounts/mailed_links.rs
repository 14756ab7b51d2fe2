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

/// The token that verifies an e-mail address.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct VerifyEmail {
    /// The token in the mailed link.
    #[serde(default, deserialize_with = "null_as_absent")]
    #[schema(required, example = "8f14e45fceea167a5a36dedd4bea2543")]
    token: String,
}

/// A request for a link to set a new password.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ForgotPassword {
    #[serde(default, deserialize_with = "null_as_absent")]
    #[schema(required, example = "ann@example.com")]
    email: String,
}

/// A new password, with the token of the mailed link.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct ResetPassword {
    /// The token in the mailed link.
    #[serde(default, deserialize_with = "null_as_absent")]
    #[schema(required, example = "8f14e45fceea167a5a36dedd4bea2543")]
    token: String,
    /// At least 6 characters, and not one of the most common passwords.
    #[serde(default, deserialize_with = "null_as_absent")]
    #[schema(required, example = "correct horse")]
    password: String,
    /// `true` to revoke all API keys and the calendar address too; `false` by default.
    #[serde(default, deserialize_with = "null_as_absent")]
    end_keys: bool,
}

/// Verifies an e-mail address with the token of a mailed link.
///
/// The link leads to `/profile#verify-email=<token>`, where the person confirms it, and is valid for 24 hours. Opening
/// the link alone does not verify the address, because mail scanners open links too.
#[utoipa::path(post, path = "/api/auth/verify", tag = "auth", request_body = VerifyEmail, responses(
    (status = NO_CONTENT, description = "The address is verified."),
    problems::Body, problems::Unavailable, problems::Limited, problems::Foreign,
    (status = UNPROCESSABLE_ENTITY, description = "The link has been used or has expired."),
))]
pub(crate) async fn verify_email(
    State(app): State<App>,
    FromCaller(caller): FromCaller,
    JsonBody(body): JsonBody<VerifyEmail>,
) -> Result<StatusCode, ApiError> {
    app.accounts.verify_email(&SecretToken::from_text(body.token), &caller).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Sends another mail with the link that verifies the e-mail address.
///
/// No mail is sent if the address is already verified, or if three links were requested within the last hour.
#[utoipa::path(post, path = "/api/auth/resend-verification", tag = "auth", responses(
    (status = ACCEPTED, description = "Accepted. A mail is sent if one is needed."),
    problems::Write, problems::Unavailable, problems::Limited,
))]
pub(crate) async fn resend_verification(
    State(app): State<App>,
    FromCaller(caller): FromCaller,
    SignedIn { user, .. }: SignedIn,
) -> Result<StatusCode, ApiError> {
    app.accounts.resend_verification(&user, &caller).await?;
    Ok(StatusCode::ACCEPTED)
}

/// Mails a link for setting a new password, if an account has this address.
///
/// The answer and its timing are the same whether or not such an account exists. The link leads to
/// `/profile#reset-password=<token>` and is valid for one hour.
#[utoipa::path(post, path = "/api/auth/forgot-password", tag = "auth", request_body = ForgotPassword, responses(
    (status = ACCEPTED, description = "Accepted. A mail is sent if an account has this address."),
    problems::Body, problems::Unavailable, problems::Limited, problems::Foreign,
    (status = UNPROCESSABLE_ENTITY, description = "The address is not a valid e-mail address."),
))]
pub(crate) async fn forgot_password(
    State(app): State<App>,
    FromCaller(caller): FromCaller,
    JsonBody(body): JsonBody<ForgotPassword>,
) -> Result<StatusCode, ApiError> {
    app.accounts.forgot_password(&EmailAddress::new(&body.email)?, &caller).await?;
    Ok(StatusCode::ACCEPTED)
}

/// Sets a new password with the token of a mailed link, and ends all sessions of the account.
#[utoipa::path(post, path = "/api/auth/reset-password", tag = "auth", request_body = ResetPassword, responses(
    (status = NO_CONTENT, description = "Changed. Sign in with the new password."),
    problems::Body, problems::Unavailable, problems::Limited, problems::Foreign,
    (status = UNPROCESSABLE_ENTITY, description = "The password is too short, or the link has been used or has expired."),
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
