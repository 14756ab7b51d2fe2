//! A person with an account, and their plan, as clients see them.

use jiff::Timestamp;
use partsight_app::App;
use partsight_domain::Plan;
use serde::Serialize;
use utoipa::ToSchema;

use crate::ApiError;
use crate::wire_enum::wire_enum;

/// A person with an account.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct User {
    #[schema(example = "019a7c3e-5b1e-7c44-9d0a-3f2b8c1d4e5f")]
    id: String,
    /// Lower case.
    #[schema(example = "ann@example.com")]
    email: String,
    /// Whether the e-mail address is verified.
    email_verified: bool,
    #[schema(example = "Ann")]
    first_name: String,
    #[schema(example = "Lee")]
    last_name: String,
    /// A data URL of a PNG or JPEG: the picture from the sign-in provider, copied at each sign-in; null if there is
    /// none.
    #[schema(required)]
    profile_image_url: Option<String>,
    plan_type: PlanType,
    #[schema(value_type = String, format = DateTime)]
    #[serde(serialize_with = "crate::wire_time::moment")]
    created_at: Timestamp,
    /// Whether the current terms are accepted.
    terms_accepted: bool,
    /// Whether the account has a password. An account that was created by sign-in with a provider has none at first.
    has_password: bool,
}

wire_enum!(
    /// The plan that is active for the user on this server.
    PlanType from Plan { Basic, Pro, Business }
);

impl User {
    pub(crate) async fn new(app: &App, user: partsight_domain::User) -> Result<Self, ApiError> {
        Ok(Self {
            profile_image_url: app.accounts.profile_picture(&user).await?,
            plan_type: app.accounts.effective_plan(&user).into(),
            terms_accepted: user.has_accepted_terms(),
            id: user.id.to_string(),
            email: user.email,
            email_verified: user.email_verified_at.is_some(),
            first_name: user.first_name,
            last_name: user.last_name,
            created_at: user.created_at,
            has_password: user.has_password,
        })
    }
}
