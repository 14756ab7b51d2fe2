//! Joining a company.

use axum::Json;
use axum::extract::State;
use jiff::Timestamp;
use partsight_app::{App, SecretToken};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::Company;
use super::members::Role;
use crate::extract::{JsonBody, SignedIn};
use crate::{ApiError, Problem};

/// The secret of an invitation.
#[derive(Deserialize, ToSchema)]
pub(crate) struct InvitationToken {
    /// What stands behind `#invitation=` in the mailed link.
    #[serde(default)]
    #[schema(required, example = "8f14e45fceea167a5a36dedd4bea2543")]
    token: String,
}

/// What an invitation asks into.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Invitation {
    #[schema(example = "Lee's Garage")]
    company_name: String,
    /// Where the link went; lower case.
    #[schema(example = "bob@example.com")]
    email: String,
    role: Role,
    #[schema(value_type = String, format = DateTime)]
    expires_at: Timestamp,
}

/// Says what a mailed link invites to, before anybody has signed in.
///
/// It changes nothing, and is no GET so that the secret stands in no address and no log.
#[utoipa::path(post, path = "/api/company/invitations/show", tag = "company", request_body = InvitationToken,
    responses(
        (status = OK, body = Invitation),
        (status = FORBIDDEN, body = Problem, content_type = "application/problem+json"),
        (status = PAYLOAD_TOO_LARGE, body = Problem, content_type = "application/problem+json"),
        (status = UNSUPPORTED_MEDIA_TYPE, body = Problem, content_type = "application/problem+json"),
        (status = UNPROCESSABLE_ENTITY, body = Problem, content_type = "application/problem+json", description = "The invitation was used, withdrawn, or is older than 14 days."),
        (status = SERVICE_UNAVAILABLE, body = Problem, content_type = "application/problem+json"),
    ))]
pub(crate) async fn show_invitation(
    State(app): State<App>,
    JsonBody(body): JsonBody<InvitationToken>,
) -> Result<Json<Invitation>, ApiError> {
    let invitation = app.invitation(&SecretToken::from_text(body.token)).await?;
    Ok(Json(Invitation {
        company_name: invitation.company_name,
        email: invitation.email,
        role: invitation.role.into(),
        expires_at: invitation.expires_at,
    }))
}

/// Lets the signed-in user into the company that a mailed link invites to, and answers with it.
///
/// The link may be followed with an account of another address than the one that it was mailed to.
#[utoipa::path(post, path = "/api/company/invitations/accept", tag = "company", request_body = InvitationToken,
    responses(
        (status = OK, body = Company),
        (status = UNAUTHORIZED, body = Problem, content_type = "application/problem+json"),
        (status = FORBIDDEN, body = Problem, content_type = "application/problem+json"),
        (status = CONFLICT, body = Problem, content_type = "application/problem+json", description = "The user is in a company; the invitation stays open."),
        (status = PAYLOAD_TOO_LARGE, body = Problem, content_type = "application/problem+json"),
        (status = UNSUPPORTED_MEDIA_TYPE, body = Problem, content_type = "application/problem+json"),
        (status = UNPROCESSABLE_ENTITY, body = Problem, content_type = "application/problem+json", description = "The invitation was used, withdrawn, or is older than 14 days."),
        (status = SERVICE_UNAVAILABLE, body = Problem, content_type = "application/problem+json"),
    ))]
pub(crate) async fn accept_invitation(
    State(app): State<App>,
    SignedIn(user): SignedIn,
    JsonBody(body): JsonBody<InvitationToken>,
) -> Result<Json<Company>, ApiError> {
    let company = app.accept_invitation(&user, &SecretToken::from_text(body.token)).await?;
    Ok(Json(company.into()))
}
