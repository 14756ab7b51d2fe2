//! Being asked into a company, and answering.

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

/// The secret of an invitation.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct InvitationToken {
    /// What stands behind `#invitation=` in the link.
    #[serde(default, deserialize_with = "null_as_absent")]
    #[schema(required, example = "8f14e45fceea167a5a36dedd4bea2543")]
    token: String,
}

/// Which invitation is answered: by the secret of its link, or by the id of one to one's own confirmed address.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct InvitationName {
    /// What stands behind `#invitation=` in the link.
    #[serde(default)]
    #[schema(example = "8f14e45fceea167a5a36dedd4bea2543")]
    token: Option<String>,
    /// As `GET /api/company/invitations` lists it.
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

/// What an invitation asks into.
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
    /// Whom it is for; lower case.
    #[schema(example = "bob@example.com")]
    email: String,
    role: Role,
    #[schema(value_type = String, format = DateTime)]
    #[serde(serialize_with = "crate::wire_time::moment")]
    expires_at: Timestamp,
    /// Where the company lets photographs of its members be sent that the model is not sure of, as host or host and
    /// port; null where they stay on this server. Each member may refuse it for their own, also before they join.
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

/// The open invitations to the confirmed address of one's account, the oldest first.
///
/// None is listed for an address that was never confirmed, which anybody can claim: such an account joins by the link.
#[utoipa::path(get, path = "/api/company/invitations", tag = "company",
    responses((status = OK, body = Vec<Invitation>), problems::SignedIn, problems::Unavailable))]
pub(crate) async fn list_own_invitations(
    SignedIn { app, user }: SignedIn,
) -> Result<Json<Vec<Invitation>>, ApiError> {
    Ok(Json(app.plans.invitations_to(&user).await?.into_iter().map(Invitation::from).collect()))
}

/// Says what a link invites to, before anybody has signed in.
///
/// It changes nothing, and is no GET so that the secret stands in no address and no log.
#[utoipa::path(post, path = "/api/company/invitations/show", tag = "company", request_body = InvitationToken,
    responses(
        (status = OK, body = Invitation),
        problems::Body, problems::Unavailable,
        (status = FORBIDDEN),
        (status = UNPROCESSABLE_ENTITY, description = "The invitation was answered, withdrawn, or is older than 14 days."),
    ))]
pub(crate) async fn show_invitation(
    State(app): State<App>,
    JsonBody(body): JsonBody<InvitationToken>,
) -> Result<Json<Invitation>, ApiError> {
    Ok(Json(app.plans.invitation(&SecretToken::from_text(body.token)).await?.into()))
}

/// Lets the signed-in user into the company that invites them, and answers with it. Nobody comes into a company by
/// anything else.
///
/// The link may be followed with an account of another address than the one that was invited. While the
/// company's Business plan has ended nobody can join; the invitation stays open.
#[utoipa::path(post, path = "/api/company/invitations/accept", tag = "company", request_body = InvitationName,
    responses(
        (status = OK, body = Company),
        problems::Write, problems::Body, problems::Unavailable,
        (status = CONFLICT, description = "The user is in a company; the invitation stays open."),
        (status = UNPROCESSABLE_ENTITY, description = "The invitation was answered, withdrawn, is older than 14 days, or is not to the confirmed address of the account."),
    ))]
pub(crate) async fn accept_invitation(
    SignedIn { app, user }: SignedIn,
    JsonBody(body): JsonBody<InvitationName>,
) -> Result<Json<Company>, ApiError> {
    let company = app.plans.accept_invitation(&user, &body.parse()?).await?;
    Ok(Json(company.into()))
}

/// Says no to an invitation. The company cannot ask the same address again for 30 days.
///
/// By the secret of the link nobody needs to be signed in.
#[utoipa::path(post, path = "/api/company/invitations/decline", tag = "company", request_body = InvitationName,
    responses(
        (status = NO_CONTENT),
        problems::Body, problems::Unavailable,
        (status = FORBIDDEN),
        (status = UNPROCESSABLE_ENTITY, description = "The invitation was answered, withdrawn, is older than 14 days, or is not to the confirmed address of the account."),
    ))]
pub(crate) async fn decline_invitation(
    State(app): State<App>,
    MaybeSignedIn(user): MaybeSignedIn,
    JsonBody(body): JsonBody<InvitationName>,
) -> Result<StatusCode, ApiError> {
    app.plans.decline_invitation(user.as_ref(), &body.parse()?).await?;
    Ok(StatusCode::NO_CONTENT)
}
