//! Price lists of a shop: uploaded as CSV, listed, deleted and restored.
//!
//! A file is read while it arrives, so that half a million rows take no more memory than some thousand. What it holds
//! is saved where nobody sees it, and published by one transaction at the end, in place of the list of its name.

mod columns;
mod report;
mod rows;
mod upload;

use jiff::SignedDuration;
use partsight_domain::{Feature, PRICE_LIST_RESTORABLE, PriceList, PriceListId, TenantId, User, messages};
use partsight_store::Error as StoreError;

use crate::parts::Parts;
use crate::{Entity, Error, Result};

pub use report::{PreviewedRow, PriceCounts, PriceListReport};
pub(super) use rows::shown;
pub use upload::{PriceListOptions, PriceListRows, PriceListUpload};

/// Price lists that may arrive at a time, of two people. Each writes without pause, and others want to write, too.
pub(crate) const PRICE_LISTS_AT_A_TIME: usize = 2;
/// A list that was not published for this long is one whose upload ended early.
const GIVEN_UP_AFTER: SignedDuration = SignedDuration::from_hours(2);

impl Parts {
    /// The price lists of the user's shop, the newest first; deleted ones that can be restored among them.
    pub async fn list_price_lists(&self, user: &User) -> Result<Vec<PriceList>> {
        Ok(self.store.list_price_lists(user.shop_tenant()).await?)
    }

    /// Deletes a price list of the user's shop; it can be restored for 30 days.
    ///
    /// # Errors
    /// [`Error::NotFound`] for one that is not there, is not theirs, or is deleted already; [`Error::Forbidden`] for
    /// a member of a company who is no manager.
    pub async fn delete_price_list(&self, user: &User, id: PriceListId) -> Result<()> {
        let tenant_id = managed_tenant(user)?;
        let is_deleted = self.store.set_list_deleted(tenant_id, id, Some(self.clock.now())).await?;
        is_deleted.then_some(()).ok_or(Error::NotFound { entity: Entity::PriceList })
    }

    /// Brings a deleted or replaced price list of the user's shop back.
    ///
    /// # Errors
    /// [`Error::NotFound`] for one that is not there any more, is not theirs, or is not deleted; [`Error::Conflict`]
    /// where there is a newer one of its name; [`Error::Forbidden`] for those who may not upload one.
    pub async fn restore_price_list(&self, user: &User, id: PriceListId) -> Result<()> {
        let tenant_id = managed_tenant(user)?;
        if !self.accounts.effective_plan(user).includes(Feature::SupplierIntegration) {
            return Err(Error::Forbidden { message: messages::PRICE_LIST_PLAN_NEEDED });
        }
        match self.store.set_list_deleted(tenant_id, id, None).await {
            Ok(true) => Ok(()),
            Ok(false) => Err(Error::NotFound { entity: Entity::PriceList }),
            Err(StoreError::Constraint { .. }) => {
                Err(Error::Conflict { field: "name", message: messages::PRICE_LIST_NAME_TAKEN })
            }
            Err(other) => Err(other.into()),
        }
    }

    /// Deletes for good what was deleted more than 30 days ago and what never arrived, and returns how many lists.
    pub async fn purge_price_lists(&self) -> Result<u64> {
        let now = self.clock.now();
        Ok(self.store.purge_lists::<PriceListId>(now - PRICE_LIST_RESTORABLE, now - GIVEN_UP_AFTER).await?)
    }
}

/// Who owns the price lists and cross-references that a user may change.
///
/// # Errors
/// [`Error::Forbidden`] for a member of a company who is no manager.
pub(super) fn managed_tenant(user: &User) -> Result<TenantId> {
    match &user.company {
        Some(company) if !company.may_manage() => {
            Err(Error::Forbidden { message: messages::COMPANY_MANAGERS_ONLY })
        }
        _ => Ok(user.shop_tenant()),
    }
}
