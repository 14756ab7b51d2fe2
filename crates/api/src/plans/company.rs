//! The user's company.

pub(crate) mod invitations;
pub(crate) mod members;

use axum::Json;
use axum::body::HttpBody as _;
use axum::extract::{FromRequest, Request, State};
use axum::http::StatusCode;
use jiff::Timestamp;
use partsight_app::FieldEdit;
use partsight_domain::{CompanyProfile, messages};
use serde::{Deserialize, Deserializer, Serialize};
use utoipa::ToSchema;

use crate::caller::FromCaller;
use crate::extract::{JsonBody, PathSegment, SignedIn, null_as_absent};
use crate::ids::company_id;
use crate::sender::Sender;
use crate::{ApiError, ApiState, problems};

/// Largest body of a company with its logo, in bytes: 5 MB are 7 in base64, and a sender of a little more gets the
/// error about the logo.
pub(crate) const MAX_COMPANY_BYTES: usize = 12 * 1024 * 1024;

/// A company: a team under one Business plan.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Company {
    #[schema(example = "019a7c3e-5b1e-7c44-9d0a-3f2b8c1d4e5f")]
    id: String,
    /// The user whose plan applies to all members.
    #[schema(example = "019a7c3e-5b1e-7c44-9d0a-3f2b8c1d4e60")]
    owner_id: String,
    #[schema(example = "Lee's Garage")]
    name: String,
    /// May have several lines; null if there is none.
    #[schema(required, example = "Brakes and exhausts since 1987.")]
    description: Option<String>,
    /// A data URL of a PNG or JPEG of at most 512 pixels a side; null if there is none.
    #[schema(required, example = "data:image/png;base64,iVBORw0KGgo=")]
    logo: Option<String>,
    #[schema(value_type = String, format = DateTime)]
    #[serde(serialize_with = "crate::wire_time::moment")]
    created_at: Timestamp,
}

impl From<partsight_domain::Company> for Company {
    fn from(company: partsight_domain::Company) -> Self {
        Self {
            id: company.id.to_string(),
            owner_id: company.owner_id.to_string(),
            name: company.profile.name,
            description: company.profile.description,
            logo: company.logo,
            created_at: company.created_at,
        }
    }
}

/// The details of a company.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct CompanyForm {
    /// 1 to 100 characters.
    #[serde(default, deserialize_with = "null_as_absent")]
    #[schema(required, example = "Lee's Garage")]
    name: String,
    /// At most 1,000 characters. In an edit, null removes it and absence keeps it.
    #[serde(default, deserialize_with = "field_edit")]
    #[schema(value_type = Option<String>, example = "Brakes and exhausts since 1987.")]
    description: FieldEdit,
    /// A data URL of a PNG, JPEG, WebP or GIF of at most 5 MB and 16 megapixels. The format is detected from the
    /// content, not from the declared type. It is re-encoded at no more than 512 pixels a side. In an edit, null
    /// removes it and absence keeps it.
    #[serde(default, deserialize_with = "field_edit")]
    #[schema(value_type = Option<String>, example = "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==")]
    logo: FieldEdit,
}

/// A field that is present, possibly null.
fn field_edit<'de, D: Deserializer<'de>>(deserializer: D) -> Result<FieldEdit, D::Error> {
    // Called only if the field is present: an absent field keeps its value, null removes it.
    let text: Option<String> = Option::deserialize(deserializer)?;
    Ok(text.filter(|text| !text.is_empty()).map_or(FieldEdit::Remove, FieldEdit::Set))
}

/// What was deleted with a company.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DeletedCompany {
    /// Former members, including the owner; their accounts and garages stay.
    members_removed: u64,
    /// Invitations that became invalid.
    invitations_withdrawn: u64,
}

/// Returns the company of the signed-in user, or null if they are in none.
#[utoipa::path(get, path = "/api/company", tag = "company",
    responses((status = OK, body = Option<Company>), problems::SignedIn, problems::Unavailable))]
pub(crate) async fn get_company(SignedIn { app, user }: SignedIn) -> Result<Json<Option<Company>>, ApiError> {
    Ok(Json(app.plans.company(&user).await?.map(Company::from)))
}

/// Creates a company and makes the signed-in user its owner. Needs the Business plan.
///
/// Members have the features of the Business plan as long as the owner has this plan.
#[utoipa::path(post, path = "/api/company", tag = "company", request_body = CompanyForm, responses(
    (status = CREATED, body = Company),
    problems::SignedIn, problems::Body, problems::Unavailable,
    (status = FORBIDDEN, description = "The plan does not include a company, or the call came from a page of another site."),
    (status = CONFLICT, description = "The user is already in a company."),
    (status = UNPROCESSABLE_ENTITY, description = "A field is invalid; `field` names it."),
))]
pub(crate) async fn create_company(
    State(state): State<ApiState>,
    sender: Sender,
    FromCaller(caller): FromCaller,
    request: Request,
) -> Result<(StatusCode, Json<Company>), ApiError> {
    let _logo = state.uploads.take_with_memory(&sender.user, &caller, request.body().size_hint().exact())?;
    let JsonBody(form) = read(request).await?;
    let user = sender.again().await?;
    let profile = CompanyProfile::new(&form.name, form.description.given().as_deref())?;
    let company = state.app.plans.create_company(&user, profile, form.logo.given()).await?;
    Ok((StatusCode::CREATED, Json(company.into())))
}

/// Changes the name, description and logo of a company. Only for the owner and managers.
#[utoipa::path(put, path = "/api/company/{id}", tag = "company", request_body = CompanyForm,
    params(("id" = String, Path)),
    responses(
        (status = OK, body = Company),
        problems::SignedIn, problems::NotFound, problems::Body, problems::Unavailable,
        (status = FORBIDDEN, description = "The user is neither owner nor manager, or the call came from a page of another site."),
    ))]
pub(crate) async fn update_company(
    State(state): State<ApiState>,
    sender: Sender,
    FromCaller(caller): FromCaller,
    PathSegment(id): PathSegment,
    request: Request,
) -> Result<Json<Company>, ApiError> {
    let _logo = state.uploads.take_with_memory(&sender.user, &caller, request.body().size_hint().exact())?;
    let JsonBody(form) = read(request).await?;
    let user = sender.again().await?;
    let (id, plans) = (company_id(&id)?, &state.app.plans);
    let company = plans.update_company(&user, id, &form.name, form.description, form.logo).await?;
    Ok(Json(company.into()))
}

/// Deletes a company with all shared data. Only for the owner.
///
/// The accounts and garages of its members stay. Members lose the plan that they had through the company.
#[utoipa::path(delete, path = "/api/company/{id}", tag = "company", params(("id" = String, Path)), responses(
    (status = OK, body = DeletedCompany),
    problems::SignedIn, problems::NotFound, problems::Unavailable,
    (status = FORBIDDEN, description = "The user is not the owner, or the call came from a page of another site."),
))]
pub(crate) async fn delete_company(
    SignedIn { app, user }: SignedIn,
    PathSegment(id): PathSegment,
) -> Result<Json<DeletedCompany>, ApiError> {
    let deleted = app.operations.delete_company(&user, company_id(&id)?).await?;
    Ok(Json(DeletedCompany {
        members_removed: deleted.n_members,
        invitations_withdrawn: deleted.n_invitations,
    }))
}

/// The form of a company; memory is reserved for it.
async fn read(request: Request) -> Result<JsonBody<CompanyForm>, ApiError> {
    <JsonBody<CompanyForm> as FromRequest<()>>::from_request(request, &()).await.map_err(|error| {
        // Only a logo makes a company's body so large.
        if error.status() == StatusCode::PAYLOAD_TOO_LARGE {
            return ApiError::field_too_large("logo", messages::LOGO_TOO_LARGE);
        }
        error
    })
}
