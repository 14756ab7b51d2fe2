//! Invitations to a company, and answers to them.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use jiff::Timestamp;
use partsight_app::{App, CompanyOffer, NamedInvitation, SecretToken};
use partsight_domain::{InvalidInput, messages};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::Company;
use super::members::Role;
use crate::extract::{JsonBody, MaybeSignedIn, SignedIn, null_as_absent};
use crate::{ApiError, problems};

/// The token of an invitation.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct InvitationToken {
    /// The part of the link after `#invitation=`.
    #[serde(default, deserialize_with = "null_as_absent")]
    #[schema(required, example = "8f14e45fceea167a5a36dedd4bea2543")]
    token: String,
}

/// The invitation to answer: by `token`, or by the `id` of one to the verified address of your account.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct InvitationName {
    /// The part of the link after `#invitation=`.
    #[serde(default)]
    #[schema(example = "8f14e45fceea167a5a36dedd4bea2543")]
    token: Option<String>,
    /// The id in `GET /api/company/invitations`.
    #[serde(default)]
    #[schema(example = "019a7c3e-5b1e-7c44-9d0a-3f2b8c1d4e5f")]
    id: Option<String>,
}

impl InvitationName {
    /// What is neither secret nor id is an invitation that is not open.
    fn parse(self) -> Result<NamedInvitation, ApiError> {
        let not_valid = || InvalidInput::new("token", messages::INVITATION_NOT_VALID);
        match (self.token, self.id) {
            (Some(token), None) => Ok(NamedInvitation::Link(SecretToken::from_text(token))),
            (None, Some(id)) => Ok(NamedInvitation::Id(id.parse().map_err(|_| not_valid())?)),
            // Both or neither: which one is meant must not be guessed.
            _ => Err(not_valid().into()),
        }
    }
}

/// The details of an invitation to a company.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Invitation {
    #[schema(example = "019a7c3e-5b1e-7c44-9d0a-3f2b8c1d4e5f")]
    id: String,
    #[schema(example = "Lee's Garage")]
    company_name: String,
    /// Name of the inviter.
    #[schema(example = "Ann Lee")]
    invited_by: String,
    /// E-mail address of the inviter; lower case.
    #[schema(example = "ann@example.com")]
    inviter_email: String,
    /// The invited address; lower case.
    #[schema(example = "bob@example.com")]
    email: String,
    role: Role,
    #[schema(value_type = String, format = DateTime)]
    #[serde(serialize_with = "crate::wire_time::moment")]
    expires_at: Timestamp,
    /// If the company allows the judge: the server to which photographs of members are sent when the model is not sure,
    /// as host or host and port. Null if they stay on this server. Each member may refuse it for themselves, even
    /// before joining.
    #[schema(required, example = "api.openai.com")]
    photos_go_to: Option<String>,
}

impl From<CompanyOffer> for Invitation {
    fn from(offer: CompanyOffer) -> Self {
        let CompanyOffer { invitation, photos_go_to } = offer;
        Self {
            id: invitation.id.to_string(),
            company_name: invitation.company_name,
            invited_by: invitation.invited_by,
            inviter_email: invitation.inviter_email,
            email: invitation.email,
            role: invitation.role.into(),
            expires_at: invitation.expires_at,
            photos_go_to,
        }
    }
}

/// Lists the open invitations to the verified e-mail address of your account, the oldest first.
///
/// The list is empty if the address is not verified, because anybody can enter any address. Such an account can join
/// with the mailed link.
#[utoipa::path(get, path = "/api/company/invitations", tag = "company",
    responses((status = OK, body = Vec<Invitation>), problems::SignedIn, problems::Unavailable))]
pub(crate) async fn list_own_invitations(
    SignedIn { app, user }: SignedIn,
) -> Result<Json<Vec<Invitation>>, ApiError> {
    Ok(Json(app.plans.invitations_to(&user).await?.into_iter().map(Invitation::from).collect()))
}

/// Returns the details of an invitation, without a sign-in.
///
/// Changes nothing. It is not a GET, so that the token is not part of an address or a log.
#[utoipa::path(post, path = "/api/company/invitations/show", tag = "company", request_body = InvitationToken,
    responses(
        (status = OK, body = Invitation),
        problems::Body, problems::Unavailable, problems::Foreign,
        (status = UNPROCESSABLE_ENTITY, description = "The invitation was answered or withdrawn, or has expired after 14 days."),
    ))]
pub(crate) async fn show_invitation(
    State(app): State<App>,
    JsonBody(body): JsonBody<InvitationToken>,
) -> Result<Json<Invitation>, ApiError> {
    Ok(Json(app.plans.invitation(&SecretToken::from_text(body.token)).await?.into()))
}

/// Accepts an invitation: the signed-in user joins the company, which is returned. There is no other way to join a
/// company.
///
/// The link can be used by an account with a different address than the invited one. Nobody can join while the
/// company's Business plan is not active; the invitation then stays open.
#[utoipa::path(post, path = "/api/company/invitations/accept", tag = "company", request_body = InvitationName,
    responses(
        (status = OK, body = Company),
        problems::Write, problems::Body, problems::Unavailable,
        (status = CONFLICT, description = "The user is already in a company; the invitation stays open."),
        (status = UNPROCESSABLE_ENTITY, description = "The invitation was answered or withdrawn, has expired after 14 days, or is not for the verified address of the account."),
    ))]
pub(crate) async fn accept_invitation(
    SignedIn { app, user }: SignedIn,
    JsonBody(body): JsonBody<InvitationName>,
) -> Result<Json<Company>, ApiError> {
    let company = app.plans.accept_invitation(&user, &body.parse()?).await?;
    Ok(Json(company.into()))
}

/// Declines an invitation. The company cannot invite the same address again for 30 days.
///
/// With the token of the link, no sign-in is needed.
#[utoipa::path(post, path = "/api/company/invitations/decline", tag = "company", request_body = InvitationName,
    responses(
        (status = NO_CONTENT),
        problems::Body, problems::Unavailable, problems::Foreign,
        (status = UNPROCESSABLE_ENTITY, description = "The invitation was answered or withdrawn, has expired after 14 days, or is not for the verified address of the account."),
    ))]
pub(crate) async fn decline_invitation(
    State(app): State<App>,
    MaybeSignedIn(user): MaybeSignedIn,
    JsonBody(body): JsonBody<InvitationName>,
) -> Result<StatusCode, ApiError> {
    app.plans.decline_invitation(user.as_ref(), &body.parse()?).await?;
    Ok(StatusCode::NO_CONTENT)
}
