//! The parts of a shop: part number, brand, fitments and price.
//!
//! Members of a company see the company's parts and their own. Their own parts stay theirs when they leave. The
//! company's parts are changed by its owner and managers only, and a part that they add belongs to the company.

mod import;
mod search;

use std::cmp::Reverse;
use std::collections::{BTreeSet, HashMap};

use jiff::SignedDuration;
use partsight_domain::{
    Fit, FitVerdict, FitmentSource, InvalidInput, MAX_SHOP_PARTS, NewShopPart, PartFitment, PartLabel, Plan,
    Quota, ShopPart, ShopPartForm, ShopPartId, TenantId, User, VehicleName, messages,
};
use partsight_store::{Error as StoreError, ShopPartRefusal};
use uuid::Uuid;

use crate::accounts::owner::shop_to_change;
use crate::parts::Parts;
use crate::parts::part_types::PartTypes;
use crate::{Entity, Error, Result};

pub use import::{MAX_PART_ROWS, PartFormat, PartImport, PartImportReport, PartRowReport, PartRowStatus};
pub use search::FoundPart;

/// How long a deleted part can be restored.
const RESTORABLE: SignedDuration = SignedDuration::from_hours(30 * 24);
/// Parts per page by default.
const DEFAULT_PAGE: u32 = 50;
/// Maximum of parts per page.
const MAX_PAGE: u32 = 200;

/// A page of the list of parts, newest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ShopPartPage {
    /// Maximum of parts, 1 to 200.
    pub limit: u32,
    /// The last part of the previous page; `None` for the first page.
    pub before: Option<ShopPartId>,
}

impl ShopPartPage {
    /// Parses the parameters of a query.
    ///
    /// # Errors
    /// Under the field `limit` or `before`.
    pub fn new(limit: Option<i64>, before: Option<&str>) -> Result<Self, InvalidInput> {
        let limit = limit.unwrap_or(DEFAULT_PAGE.into());
        let limit = u32::try_from(limit)
            .ok()
            .filter(|limit| (1..=MAX_PAGE).contains(limit))
            .ok_or_else(|| InvalidInput::new("limit", "Please ask for 1 to 200 parts at a time."))?;
        let before = before.map(str::parse).transpose().map_err(|_| {
            InvalidInput::new(
                "before",
                "This is no place in the list. Please use the value of the X-Next-Cursor header.",
            )
        })?;
        Ok(Self { limit, before })
    }
}

impl Parts {
    /// One page of the parts of the user and their company, newest first; only those of type `label` if given.
    pub async fn list_shop_parts(
        &self,
        user: &User,
        label: Option<&PartLabel>,
        page: ShopPartPage,
    ) -> Result<Vec<ShopPart>> {
        let mut parts = Vec::new();
        for tenant_id in user.visible_tenants() {
            // A full page of each owner, because one owner may fill the whole page.
            parts.extend(self.store.list_shop_parts(tenant_id, label, page.before, page.limit).await?);
        }
        // Ids are UUIDv7, so that descending ids are newest first.
        parts.sort_by_key(|part| Reverse(part.id));
        parts.truncate(page.limit as usize);
        Ok(parts)
    }

    /// All parts of the user and their company, newest first; only those of type `label` if given.
    pub(crate) async fn all_shop_parts(
        &self,
        user: &User,
        label: Option<&PartLabel>,
    ) -> Result<Vec<ShopPart>> {
        // The user and the company may have this many each.
        let page = ShopPartPage { limit: 2 * MAX_SHOP_PARTS, before: None };
        self.list_shop_parts(user, label, page).await
    }

    /// One part of the user or their company.
    ///
    /// # Errors
    /// [`Error::NotFound`] for one that does not exist, is deleted, or belongs to somebody else.
    pub async fn shop_part(&self, user: &User, id: ShopPartId) -> Result<ShopPart> {
        for tenant_id in user.visible_tenants() {
            if let Some(part) = self.store.find_shop_part(tenant_id, id).await? {
                return Ok(part);
            }
        }
        Err(Error::NotFound { entity: Entity::ShopPart })
    }

    /// As [`Parts::shop_part`], for a part that the user is going to change.
    ///
    /// # Errors
    /// [`Error::Forbidden`] for a part of a company that the user does not manage.
    pub(crate) async fn shop_part_to_change(&self, user: &User, id: ShopPartId) -> Result<ShopPart> {
        let part = self.shop_part(user, id).await?;
        if user.may_change(part.tenant_id) {
            return Ok(part);
        }
        Err(Error::Forbidden { message: messages::COMPANY_MANAGERS_ONLY })
    }

    /// Adds a part to the user's shop.
    ///
    /// # Errors
    /// [`Error::Invalid`] for an invalid field; [`Error::Conflict`] if the shop already has this number and brand;
    /// [`Error::QuotaReached`] for a full shop; [`Error::Forbidden`] for a member of a company who is no manager.
    pub async fn create_shop_part(&self, user: &User, form: &ShopPartForm) -> Result<ShopPart> {
        let tenant_id = shop_to_change(user)?;
        let details = self.check_shop_part(user, tenant_id, form, None).await?;
        let now = self.clock.now();
        let id = ShopPartId(Uuid::now_v7());
        let part = ShopPart { id, tenant_id, details, created_at: now, updated_at: now, revision: 1 };
        let labels = BTreeSet::from([part.details.label.clone()]);
        self.save_shop_parts(user, tenant_id, std::slice::from_ref(&part), &[], labels).await?;
        self.shop_part(user, id).await
    }

    /// Replaces the details of a part of the user or their company.
    ///
    /// # Errors
    /// As [`Parts::create_shop_part`]; [`Error::NotFound`] for an unknown part; [`Error::Conflict`] if it was changed
    /// at the same time.
    pub async fn update_shop_part(
        &self,
        user: &User,
        id: ShopPartId,
        form: &ShopPartForm,
    ) -> Result<ShopPart> {
        let old = self.shop_part_to_change(user, id).await?;
        let mut details = self.check_shop_part(user, old.tenant_id, form, Some(&old.details.label)).await?;
        // The form has no source of a fitment: an unchanged fitment keeps its source. Of several equal ones the first
        // counts.
        let what_it_says =
            |fitment: &PartFitment| (fitment.vehicles_key(), fitment.fits, fitment.note.clone());
        let sources: HashMap<_, FitmentSource> =
            // Reversed, because a map keeps the last of equal keys.
            old.details.fitments.iter().rev().map(|known| (what_it_says(known), known.source)).collect();
        for fitment in &mut details.fitments {
            if let Some(source) = sources.get(&what_it_says(fitment)) {
                fitment.source = *source;
            }
        }
        // The revision is that of `old`: saving is refused if the part was changed in between.
        let labels = BTreeSet::from_iter((details.label != old.details.label).then(|| details.label.clone()));
        let part = ShopPart { details, updated_at: self.clock.now(), ..old };
        self.save_shop_parts(user, part.tenant_id, &[], std::slice::from_ref(&part), labels).await?;
        self.shop_part(user, id).await
    }

    /// Deletes a part of the user or their company; it can be restored for 30 days.
    ///
    /// # Errors
    /// [`Error::NotFound`] for an unknown part, [`Error::Forbidden`] for a member who is no manager.
    pub async fn delete_shop_part(&self, user: &User, id: ShopPartId) -> Result<()> {
        let part = self.shop_part_to_change(user, id).await?;
        let is_deleted = self.store.delete_shop_part(part.tenant_id, id, self.clock.now()).await?;
        is_deleted.then_some(()).ok_or(Error::NotFound { entity: Entity::ShopPart })
    }

    /// Restores a deleted part of the user or their company.
    ///
    /// # Errors
    /// [`Error::NotFound`] for a part that is not deleted or was purged; [`Error::Conflict`] if the shop has its number
    /// again or its type is deleted; [`Error::QuotaReached`] for a full shop; [`Error::Forbidden`] for a member who is
    /// no manager.
    pub async fn restore_shop_part(&self, user: &User, id: ShopPartId) -> Result<ShopPart> {
        for tenant_id in user.visible_tenants().filter(|tenant_id| user.may_change(*tenant_id)) {
            let plan = self.accounts.effective_plan(user);
            let is_taught = |label: &PartLabel| self.catalog.get(label).is_none();
            let restored = self.store.restore_shop_part(tenant_id, user.id, id, most(plan), is_taught).await;
            if saved(restored, plan)? {
                return self.shop_part(user, id).await;
            }
        }
        // It may belong to the company: a member who is no manager gets `Forbidden`.
        shop_to_change(user)?;
        Err(Error::NotFound { entity: Entity::ShopPart })
    }

    /// Purges the parts that were deleted more than 30 days ago; returns their number.
    pub async fn purge_shop_parts(&self) -> Result<u64> {
        Ok(self.store.purge_shop_parts(self.clock.now() - RESTORABLE).await?)
    }

    /// The parts of type `label` of the user and their company that may fit `vehicle`: those with a fitment for it, or
    /// if there are none, those whose fitments neither include nor exclude it. Without a vehicle, all of the type.
    pub(crate) async fn shop_parts_for(
        &self,
        user: &User,
        label: &PartLabel,
        vehicle: Option<&VehicleName>,
    ) -> Result<Vec<ShopPart>> {
        let parts = self.all_shop_parts(user, Some(label)).await?;
        let Some(vehicle) = vehicle else { return Ok(parts) };
        let verdict = |part: &ShopPart| {
            Fit::of_fitments(&part.details.fitments, vehicle).map_or(FitVerdict::Unknown, |fit| fit.verdict)
        };
        let (fitting, rest): (Vec<_>, Vec<_>) =
            parts.into_iter().partition(|part| verdict(part) == FitVerdict::Fits);
        if fitting.is_empty() {
            return Ok(rest.into_iter().filter(|part| verdict(part) == FitVerdict::Unknown).collect());
        }
        Ok(fitting)
    }

    /// The types that parts of a shop may have. Those of a company must not have a type that only one member was taught:
    /// the others cannot see it.
    async fn types_for_shop_parts(&self, user: &User, tenant_id: TenantId) -> Result<PartTypes> {
        if tenant_id == user.tenant_id {
            return self.part_types(user).await;
        }
        self.part_types_of(std::iter::once(tenant_id)).await
    }

    /// Validates a form for a part of `tenant_id`. A part may keep its type `old` even if that type was deleted.
    async fn check_shop_part(
        &self,
        user: &User,
        tenant_id: TenantId,
        form: &ShopPartForm,
        old: Option<&PartLabel>,
    ) -> Result<NewShopPart> {
        let details = NewShopPart::from_form(form)?;
        if old != Some(&details.label)
            && !self.types_for_shop_parts(user, tenant_id).await?.has(&details.label)
        {
            let text =
                format!("There is no part type `{}`. Please choose one of the catalogue.", details.label);
            return Err(InvalidInput::new("label", text).into());
        }
        Ok(details)
    }

    /// Saves new and changed parts; `labels` are the types that were newly assigned to them.
    async fn save_shop_parts(
        &self,
        user: &User,
        tenant_id: TenantId,
        added: &[ShopPart],
        changed: &[ShopPart],
        labels: BTreeSet<PartLabel>,
    ) -> Result<()> {
        let plan = self.accounts.effective_plan(user);
        // The store checks taught types again, because one may have been deleted since it was looked up.
        let taught: Vec<PartLabel> =
            labels.into_iter().filter(|label| self.catalog.get(label).is_none()).collect();
        let most = most(plan);
        saved(self.store.save_shop_parts(tenant_id, user.id, added, changed, &taught, most).await, plan)
    }
}

/// Maximum of parts of a shop on this plan.
fn most(plan: Plan) -> u32 {
    u32::try_from(Quota::ShopParts.limit(plan)).unwrap_or(u32::MAX)
}

/// Maps the outcome of a save to the error that the user gets.
fn saved<T>(outcome: Result<Result<T, ShopPartRefusal>, StoreError>, plan: Plan) -> Result<T> {
    let conflict = |field, message| Error::Conflict { field, message };
    let outcome = outcome.map_err(|error| match error {
        StoreError::Constraint(_) => conflict("number", messages::SHOP_PART_EXISTS),
        other => other.into(),
    })?;
    outcome.map_err(|refusal| match refusal {
        ShopPartRefusal::Full => Error::QuotaReached { quota: Quota::ShopParts, plan },
        ShopPartRefusal::Changed => conflict("number", messages::SHOP_PART_CHANGED),
        ShopPartRefusal::TypeDeleted => conflict("label", messages::SHOP_PART_TYPE_DELETED),
        ShopPartRefusal::PhotoMissing => InvalidInput::new(
            "photos",
            "A photo of the list was not taught of this part type, or is deleted. Please choose among its photos.",
        )
        .into(),
        ShopPartRefusal::TypeMissing => {
            InvalidInput::new("label", "The part type was deleted meanwhile. Please choose another one.").into()
        }
    })
}
