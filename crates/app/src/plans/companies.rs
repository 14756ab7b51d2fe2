//! Companies: a team under one Business plan, and who is in it.

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
pub use members::CompanyMembers;

/// Longer side of a logo, in pixels: twice what its page shows.
const LOGO_SIDE: u32 = 512;

/// What an edit does to a field that may be empty.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum FieldEdit {
    /// It stays.
    #[default]
    Keep,
    /// It is empty from then on.
    Remove,
    /// This takes its place.
    Set(String),
}

impl FieldEdit {
    /// What takes the field's place.
    pub fn given(self) -> Option<String> {
        match self {
            Self::Set(text) => Some(text),
            Self::Keep | Self::Remove => None,
        }
    }
}

impl Plans {
    /// The company that the user is in.
    pub async fn company(&self, user: &User) -> Result<Option<Company>> {
        Ok(self.store.find_company_of(user.id).await?)
    }

    /// Makes a company of the user's, who becomes its first member. `logo` is a data URL.
    ///
    /// # Errors
    /// [`Error::Forbidden`] without the plan for it; [`Error::Conflict`] for somebody who is in a company;
    /// [`Error::Invalid`] for a logo that cannot be used.
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
        // Before the logo is drawn, which takes a turn of the decoding threads.
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
            // Another call of theirs, or an invitation that they accepted, was first.
            StoreError::Constraint { .. } => exists(),
            other => other.into(),
        })?;
        Ok(company)
    }

    /// Gives a company another name, description and logo, which is a data URL.
    ///
    /// # Errors
    /// [`Error::NotFound`] for a company that the user is not in, [`Error::Forbidden`] for a member who is no
    /// manager, [`Error::Invalid`] for a text that breaks its rule and a logo that cannot be used.
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
            // A form sends back what it was given: drawing it again would blur it a little more each time.
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

    /// Refuses to add people where the plan of a company's owner includes no company any more.
    fn check_paid(&self, owner_plan: Plan) -> Result<()> {
        if self.accounts.plan_for_all.unwrap_or(owner_plan).includes(Feature::Company) {
            return Ok(());
        }
        Err(Error::Forbidden { message: messages::COMPANY_PLAN_LAPSED })
    }
}

/// The user's place in the company of this id; a company that they are not in does not exist for them.
pub(crate) fn company_of(user: &User, id: CompanyId) -> Result<&Membership> {
    let company = user.company.as_ref().filter(|company| company.company_id == id);
    company.ok_or(Error::NotFound { entity: Entity::Company })
}

/// As [`company_of`], for those who may manage it.
fn managed_company(user: &User, id: CompanyId) -> Result<&Membership> {
    let company = company_of(user, id)?;
    company
        .may_manage()
        .then_some(company)
        .ok_or(Error::Forbidden { message: messages::COMPANY_MANAGERS_ONLY })
}
