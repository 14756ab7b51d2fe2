//! Price lists of a shop: uploaded as CSV, listed, deleted and restored.
//!
//! A file is parsed as a stream, so that memory does not grow with its rows, up to half a million. Its rows are saved
//! unpublished; one transaction at the end publishes them and replaces the list of the same name.

mod columns;
mod report;
mod rows;
mod upload;

use jiff::SignedDuration;
use partsight_domain::{Feature, PRICE_LIST_RESTORABLE, PriceList, PriceListId, User, messages};
use partsight_store::Error as StoreError;

use crate::accounts::owner::shop_to_change;
use crate::parts::Parts;
use crate::{Entity, Error, Result};

pub use report::{PreviewedRow, PriceCounts, PriceListReport};
pub(super) use rows::shown;
pub use upload::{PriceListOptions, PriceListRows, PriceListUpload};

/// Concurrent uploads, at most one per person. Few, because each writes to the database without pause.
pub(crate) const PRICE_LISTS_AT_A_TIME: usize = 2;
/// An unpublished list of this age belongs to an upload that was aborted.
const GIVEN_UP_AFTER: SignedDuration = SignedDuration::from_hours(2);

impl Parts {
    /// The price lists of the user's shop, newest first, including deleted ones that can be restored.
    pub async fn list_price_lists(&self, user: &User) -> Result<Vec<PriceList>> {
        Ok(self.store.list_price_lists(user.shop_tenant()).await?)
    }

    /// Deletes a price list of the user's shop; it can be restored for 30 days.
    ///
    /// # Errors
    /// [`Error::NotFound`] for a list that does not exist, is not theirs, or is already deleted; [`Error::Forbidden`]
    /// for a member of a company who is no manager.
    pub async fn delete_price_list(&self, user: &User, id: PriceListId) -> Result<()> {
        let tenant_id = shop_to_change(user)?;
        let is_deleted = self.store.set_list_deleted(tenant_id, id, Some(self.clock.now())).await?;
        is_deleted.then_some(()).ok_or(Error::NotFound { entity: Entity::PriceList })
    }

    /// Restores a deleted or replaced price list of the user's shop.
    ///
    /// # Errors
    /// [`Error::NotFound`] for a list that was purged, is not theirs, or is not deleted; [`Error::Conflict`] if there
    /// is a newer list of this name; [`Error::Forbidden`] for a user who may not upload price lists.
    pub async fn restore_price_list(&self, user: &User, id: PriceListId) -> Result<()> {
        let tenant_id = shop_to_change(user)?;
        if !self.accounts.effective_plan(user).includes(Feature::SupplierIntegration) {
            return Err(Error::Forbidden { message: messages::PRICE_LIST_PLAN_NEEDED });
        }
        match self.store.set_list_deleted(tenant_id, id, None).await {
            Ok(true) => Ok(()),
            Ok(false) => Err(Error::NotFound { entity: Entity::PriceList }),
            Err(StoreError::Constraint(_)) => {
                Err(Error::Conflict { field: "name", message: messages::PRICE_LIST_NAME_TAKEN })
            }
            Err(other) => Err(other.into()),
        }
    }

    /// Purges lists that were deleted more than 30 days ago, and those of aborted uploads; returns their number.
    pub async fn purge_price_lists(&self) -> Result<u64> {
        let now = self.clock.now();
        Ok(self.store.purge_lists::<PriceListId>(now - PRICE_LIST_RESTORABLE, now - GIVEN_UP_AFTER).await?)
    }
}
