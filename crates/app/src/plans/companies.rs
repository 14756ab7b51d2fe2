//! Companies: teams that share one Business plan, and their members.

mod invitations;
mod mails;
mod members;

use partsight_domain::{
    Company, CompanyId, CompanyProfile, Feature, MemberId, Membership, Plan, TenantId, User, messages,
};
use partsight_store::Error as StoreError;
use uuid::Uuid;

use crate::drawn_picture;
use crate::error::Entity;
use crate::plans::Plans;
use crate::{Error, Result};

pub(crate) use invitations::JudgeElsewhere;
pub use invitations::{CompanyOffer, NamedInvitation};
pub use members::{CompanyMembers, Invited};

/// Longer side of a logo, in pixels: twice its size on screen, for high-density displays.
const LOGO_SIDE: u32 = 512;

/// Edit of an optional field.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum FieldEdit {
    /// Keeps the value.
    #[default]
    Keep,
    /// Clears the field.
    Remove,
    /// Replaces the value.
    Set(String),
}

impl FieldEdit {
    /// The new value, if one is set.
    pub fn given(self) -> Option<String> {
        match self {
            Self::Set(text) => Some(text),
            Self::Keep | Self::Remove => None,
        }
    }
}

impl Plans {
    /// The user's company, if they are a member of one.
    pub async fn company(&self, user: &User) -> Result<Option<Company>> {
        Ok(self.store.find_company_of(user.id).await?)
    }

    /// Creates a company with the user as owner and first member. `logo` is a data URL.
    ///
    /// # Errors
    /// [`Error::Forbidden`] if the plan does not include companies; [`Error::Conflict`] for a user who is a member of a
    /// company; [`Error::Invalid`] for a logo that cannot be used.
    pub async fn create_company(
        &self,
        user: &User,
        profile: CompanyProfile,
        logo: Option<String>,
    ) -> Result<Company> {
        if !self.accounts.effective_plan(user).includes(Feature::Company) {
            return Err(Error::Forbidden { message: messages::COMPANY_PLAN_NEEDED });
        }
        let exists = || Error::Conflict { field: "name", message: messages::COMPANY_EXISTS };
        // Checked before the logo is redrawn, which occupies a decoding thread.
        if user.company.is_some() {
            return Err(exists());
        }
        let logo = match logo {
            Some(url) => {
                Some(drawn_picture::redraw(url, LOGO_SIDE, user.into(), &self.on_decoding_threads).await?)
            }
            None => None,
        };
        let company = Company {
            id: CompanyId(Uuid::now_v7()),
            tenant_id: TenantId(Uuid::now_v7()),
            owner_id: user.id,
            profile,
            logo,
            created_at: self.clock.now(),
        };
        let created = self.store.create_company(&company, user, MemberId(Uuid::now_v7())).await;
        created.map_err(|error| match error {
            // The user created or joined a company in the meantime.
            StoreError::Constraint(_) => exists(),
            other => other.into(),
        })?;
        Ok(company)
    }

    /// Changes name, description and logo (a data URL) of a company.
    ///
    /// # Errors
    /// [`Error::NotFound`] if the user is not a member, [`Error::Forbidden`] for a member who is no manager,
    /// [`Error::Invalid`] for an invalid text or a logo that cannot be used.
    pub async fn update_company(
        &self,
        user: &User,
        id: CompanyId,
        name: &str,
        description: FieldEdit,
        logo: FieldEdit,
    ) -> Result<Company> {
        managed_company(user, id)?;
        let keeps_description = description == FieldEdit::Keep;
        let profile = CompanyProfile::new(name, description.given().as_deref())?;
        let missing = Error::NotFound { entity: Entity::Company };
        let logo = match logo {
            FieldEdit::Keep => None,
            FieldEdit::Remove => Some(None),
            // A form sends the unchanged logo back: re-encoding it on each save would degrade it.
            FieldEdit::Set(url) if self.has_logo(user, &url).await? => None,
            FieldEdit::Set(url) => Some(Some(
                drawn_picture::redraw(url, LOGO_SIDE, user.into(), &self.on_decoding_threads).await?,
            )),
        };
        let logo = logo.as_ref().map(Option::as_deref);
        let updated = self.store.update_company(user.id, id, &profile, keeps_description, logo).await?;
        updated.ok_or(missing)
    }

    async fn has_logo(&self, user: &User, url: &str) -> Result<bool> {
        let company = self.company(user).await?;
        Ok(company.and_then(|company| company.logo).as_deref() == Some(url))
    }

    /// Refuses to add people if the plan of the company's owner no longer includes companies.
    fn check_paid(&self, owner_plan: Plan) -> Result<()> {
        if self.accounts.plan_for_all.unwrap_or(owner_plan).includes(Feature::Company) {
            return Ok(());
        }
        Err(Error::Forbidden { message: messages::COMPANY_PLAN_LAPSED })
    }
}

/// The user's membership in a company; one that they are not a member of is not found.
pub(crate) fn company_of(user: &User, id: CompanyId) -> Result<&Membership> {
    let company = user.company.as_ref().filter(|company| company.company_id == id);
    company.ok_or(Error::NotFound { entity: Entity::Company })
}

/// As [`company_of`], for managers only.
fn managed_company(user: &User, id: CompanyId) -> Result<&Membership> {
    let company = company_of(user, id)?;
    company
        .may_manage()
        .then_some(company)
        .ok_or(Error::Forbidden { message: messages::COMPANY_MANAGERS_ONLY })
}
