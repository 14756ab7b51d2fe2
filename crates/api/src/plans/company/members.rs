//! The people of a company.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use jiff::Timestamp;
use partsight_app::Entity;
use partsight_domain::{CompanyInvitation, CompanyRole, NewMember, UserId};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

use super::Company;
use crate::caller::FromCaller;
use crate::extract::{JsonBody, PathSegment, PathSegments, SignedIn, null_as_absent};
use crate::ids::{company_id, parse_id};
use crate::wire_enum::wire_enum;
use crate::{ApiError, ApiState, problems};

wire_enum!(
    /// The role of a member.
    Role from CompanyRole { Member, Manager }
);

/// A member of a company, or an invited person who has not answered.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CompanyMember {
    #[schema(example = "019a7c3e-5b1e-7c44-9d0a-3f2b8c1d4e5f")]
    id: String,
    /// Null while `pending`.
    #[schema(required, example = "019a7c3e-5b1e-7c44-9d0a-3f2b8c1d4e60")]
    user_id: Option<String>,
    role: Role,
    /// Name of the member in the company, until they change the name of their account.
    #[schema(example = "Bob Lee")]
    display_name: String,
    /// Address of the account, or the invited address; lower case.
    #[schema(example = "bob@example.com")]
    email: String,
    /// Null while `pending`.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    #[serde(serialize_with = "crate::wire_time::moment_if_any")]
    joined_at: Option<Timestamp>,
    /// Whether the person is invited and has not answered.
    pending: bool,
    /// When an open invitation expires; null for a member.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    #[serde(serialize_with = "crate::wire_time::moment_if_any")]
    expires_at: Option<Timestamp>,
    /// The account; null while `pending`.
    #[schema(required)]
    user: Option<MemberAccount>,
}

/// The data of an account that other members see.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct MemberAccount {
    #[schema(example = "019a7c3e-5b1e-7c44-9d0a-3f2b8c1d4e60")]
    id: String,
    #[schema(example = "bob@example.com")]
    email: String,
    #[schema(example = "Bob")]
    first_name: String,
    #[schema(example = "Lee")]
    last_name: String,
    /// As in `User`.
    #[schema(required)]
    profile_image_url: Option<String>,
}

impl From<partsight_domain::CompanyMember> for CompanyMember {
    fn from(member: partsight_domain::CompanyMember) -> Self {
        Self {
            id: member.id.to_string(),
            user_id: Some(member.user_id.to_string()),
            role: member.role.into(),
            display_name: member.display_name,
            email: member.email.clone(),
            joined_at: Some(member.joined_at),
            pending: false,
            expires_at: None,
            user: Some(MemberAccount {
                id: member.user_id.to_string(),
                email: member.email,
                first_name: member.first_name,
                last_name: member.last_name,
                profile_image_url: member.picture,
            }),
        }
    }
}

impl From<CompanyInvitation> for CompanyMember {
    fn from(invitation: CompanyInvitation) -> Self {
        Self {
            id: invitation.id.to_string(),
            user_id: None,
            role: invitation.role.into(),
            display_name: invitation.display_name,
            email: invitation.email,
            joined_at: None,
            pending: true,
            expires_at: Some(invitation.expires_at),
            user: None,
        }
    }
}

/// A new invitation.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct InvitedMember {
    #[serde(flatten)]
    member: CompanyMember,
    /// The link to join, if no mail is set up: give it to the person; it is returned only once. Anybody who has it can
    /// join. Only a path if the setting `public_url` is missing. Null if the link was mailed.
    #[schema(
        required,
        example = "https://parts.example.com/profile#invitation=8f14e45fceea167a5a36dedd4bea2543"
    )]
    link: Option<String>,
}

/// A person to invite.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct MemberForm {
    #[serde(default, deserialize_with = "null_as_absent")]
    #[schema(required, example = "bob@example.com")]
    user_email: String,
    /// 1 to 100 characters.
    #[serde(default, deserialize_with = "null_as_absent")]
    #[schema(required, example = "Bob Lee")]
    user_name: String,
    /// `member` (the default) or `manager`.
    #[serde(default)]
    #[schema(example = "member")]
    role: Option<String>,
}

/// The new role of a member.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RoleForm {
    /// `member` or `manager`.
    #[serde(default, deserialize_with = "null_as_absent")]
    #[schema(required, example = "manager")]
    role: String,
}

/// Lists the members of the user's company, the owner first, then the invited people.
#[utoipa::path(get, path = "/api/company/{id}/members", tag = "company", params(("id" = String, Path)), responses(
    (status = OK, body = Vec<CompanyMember>),
    problems::SignedIn, problems::NotFound, problems::Unavailable,
))]
pub(crate) async fn list_company_members(
    SignedIn { app, user }: SignedIn,
    PathSegment(id): PathSegment,
) -> Result<Json<Vec<CompanyMember>>, ApiError> {
    let people = app.plans.company_members(&user, company_id(&id)?).await?;
    let members = people.members.into_iter().map(CompanyMember::from);
    Ok(Json(members.chain(people.invitations.into_iter().map(CompanyMember::from)).collect()))
}

/// Invites somebody to a company. Only for the owner and managers.
///
/// The member is `pending` until they accept, for at most 14 days. They accept with the mailed link, or on their
/// account page if their address is verified. If no mail is set up, the answer contains the link. To create another
/// link, remove the invitation and invite again. The answer is the same whether or not the address has an account. A
/// person who declines cannot be invited again by the same company for 30 days.
#[utoipa::path(post, path = "/api/company/{id}/members", tag = "company", request_body = MemberForm,
    params(("id" = String, Path)),
    responses(
        (status = CREATED, body = InvitedMember),
        problems::SignedIn, problems::NotFound, problems::Body, problems::Unavailable, problems::Limited,
        (status = FORBIDDEN, description = "The user is neither owner nor manager, the company's plan is not active, or the call came from a page of another site."),
        (status = CONFLICT, description = "The person is already a member or invited, or declined in the last 30 days; or the company has reached its limit of members."),
    ))]
pub(crate) async fn add_company_member(
    State(state): State<ApiState>,
    FromCaller(caller): FromCaller,
    SignedIn { app, user }: SignedIn,
    PathSegment(id): PathSegment,
    JsonBody(form): JsonBody<MemberForm>,
) -> Result<(StatusCode, Json<InvitedMember>), ApiError> {
    let new = NewMember::new(&form.user_email, &form.user_name, form.role.as_deref())?;
    let invited = app.plans.invite_to_company(&user, company_id(&id)?, &new, &caller).await?;
    let origin = state.public_origin.as_deref().unwrap_or_default();
    let link = invited.token.map(|token| format!("{origin}/profile#invitation={}", token.as_str()));
    Ok((StatusCode::CREATED, Json(InvitedMember { member: invited.invitation.into(), link })))
}

/// The new owner of a company.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct NewOwner {
    /// The user id of a member who has a Business plan of their own.
    #[schema(example = "019a7c3e-5b1e-7c44-9d0a-3f2b8c1d4e60")]
    user_id: String,
}

/// Makes a member the owner. Only for the owner, who becomes a manager.
///
/// From then on the plan of the new owner applies to the company, so they need a Business plan of their own.
#[utoipa::path(put, path = "/api/company/{id}/owner", tag = "company", request_body = NewOwner,
    params(("id" = String, Path)),
    responses(
        (status = OK, body = Company),
        problems::SignedIn, problems::NotFound, problems::Body, problems::Unavailable,
        (status = FORBIDDEN, description = "The user is not the owner, the new owner has no Business plan, or the call came from a page of another site."),
        (status = CONFLICT, description = "This member is already the owner."),
    ))]
pub(crate) async fn hand_over_company(
    SignedIn { app, user }: SignedIn,
    PathSegment(id): PathSegment,
    JsonBody(body): JsonBody<NewOwner>,
) -> Result<Json<Company>, ApiError> {
    let id = company_id(&id)?;
    let company = app.plans.hand_over_company(&user, id, UserId(person_id(&body.user_id)?)).await?;
    Ok(Json(company.into()))
}

/// Changes the role of a member. Only for the owner and managers. The owner always stays a manager.
#[utoipa::path(put, path = "/api/company/{id}/members/{userId}", tag = "company", request_body = RoleForm,
    params(("id" = String, Path), ("userId" = String, Path)),
    responses(
        (status = OK, body = CompanyMember),
        problems::SignedIn, problems::NotFound, problems::Body, problems::Unavailable,
        (status = FORBIDDEN, description = "The user is neither owner nor manager, the member is the owner, or the call came from a page of another site."),
    ))]
pub(crate) async fn update_company_member(
    SignedIn { app, user }: SignedIn,
    PathSegments(ids): PathSegments<2>,
    JsonBody(form): JsonBody<RoleForm>,
) -> Result<Json<CompanyMember>, ApiError> {
    let [company, member] = ids;
    let company = company_id(&company)?;
    let role = CompanyRole::named(&form.role)?;
    let member = app.plans.set_company_role(&user, company, UserId(person_id(&member)?), role).await?;
    Ok(Json(member.into()))
}

/// Removes a member or an invitation. The owner and managers can remove everybody except the owner; every other member
/// can remove themselves.
///
/// `userId` is the user id of a member, or the `id` of a `pending` member, whose link then becomes invalid. The account
/// of the person and its garage stay.
#[utoipa::path(delete, path = "/api/company/{id}/members/{userId}", tag = "company",
    params(("id" = String, Path), ("userId" = String, Path)),
    responses(
        (status = NO_CONTENT, description = "Removed."),
        problems::SignedIn, problems::NotFound, problems::Unavailable,
        (status = FORBIDDEN, description = "The user is neither owner nor manager, the member is the owner, or the call came from a page of another site."),
    ))]
pub(crate) async fn remove_company_member(
    SignedIn { app, user }: SignedIn,
    PathSegments(ids): PathSegments<2>,
) -> Result<StatusCode, ApiError> {
    let [company, member] = ids;
    app.plans.remove_company_member(&user, company_id(&company)?, person_id(&member)?).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// The id of a user or an invitation; what is no id at all is somebody who is not in the company.
fn person_id(text: &str) -> Result<Uuid, ApiError> {
    parse_id(text, Entity::CompanyMember)
}
