//! Cross-references of a shop: lists uploaded as CSV, deleted and restored, and numbers followed through them.
//!
//! A list arrives as a price list does (see `list_upload.rs`).

mod rows;
mod upload;

use jiff::SignedDuration;
use partsight_domain::{
    CROSS_REFERENCE_RESTORABLE, CrossNumber, CrossReferenceList, CrossReferenceListId, CrossWalk, Feature,
    User, messages,
};
use partsight_store::Error as StoreError;

use crate::accounts::owner::shop_to_change;
use crate::parts::Parts;
use crate::{Entity, Error, Result};

pub use upload::{CrossReferenceOptions, CrossReferenceReport, CrossReferenceRows, CrossReferenceUpload};

/// An unpublished list older than this is from an interrupted upload.
const GIVEN_UP_AFTER: SignedDuration = SignedDuration::from_hours(2);

impl Parts {
    /// The lists of the user's shop, the newest first, including deleted ones that can be restored.
    pub async fn list_cross_reference_lists(&self, user: &User) -> Result<Vec<CrossReferenceList>> {
        Ok(self.store.list_cross_reference_lists(user.shop_tenant()).await?)
    }

    /// Deletes a list of the user's shop; it can be restored for 30 days.
    ///
    /// # Errors
    /// [`Error::NotFound`] for a list that does not exist, is not theirs, or is already deleted; [`Error::Forbidden`]
    /// for a member of a company who is no manager.
    pub async fn delete_cross_reference_list(&self, user: &User, id: CrossReferenceListId) -> Result<()> {
        let tenant_id = shop_to_change(user)?;
        let now = Some(self.clock.now());
        let is_deleted = self.store.set_list_deleted(tenant_id, id, now).await?;
        is_deleted.then_some(()).ok_or(Error::NotFound { entity: Entity::CrossReferenceList })
    }

    /// Restores a deleted or replaced list of the user's shop.
    ///
    /// # Errors
    /// [`Error::NotFound`] for a list that no longer exists, is not theirs, or is not deleted; [`Error::Conflict`] if a
    /// newer list has its name; [`Error::Forbidden`] for users who may not upload one.
    pub async fn restore_cross_reference_list(&self, user: &User, id: CrossReferenceListId) -> Result<()> {
        let tenant_id = shop_to_change(user)?;
        if !self.has_cross_references(user) {
            return Err(Error::Forbidden { message: messages::CROSS_REFERENCE_PLAN_NEEDED });
        }
        match self.store.set_list_deleted(tenant_id, id, None).await {
            Ok(true) => Ok(()),
            Ok(false) => Err(Error::NotFound { entity: Entity::CrossReferenceList }),
            Err(StoreError::Constraint(_)) => {
                Err(Error::Conflict { field: "name", message: messages::CROSS_REFERENCE_NAME_TAKEN })
            }
            Err(other) => Err(other.into()),
        }
    }

    /// Permanently deletes lists that were deleted more than 30 days ago, and interrupted uploads; returns how many
    /// lists.
    pub async fn purge_cross_reference_lists(&self) -> Result<u64> {
        let now = self.clock.now();
        let (deleted_before, made_before) = (now - CROSS_REFERENCE_RESTORABLE, now - GIVEN_UP_AFTER);
        Ok(self.store.purge_lists::<CrossReferenceListId>(deleted_before, made_before).await?)
    }

    /// The numbers that are equal to this one, replace it or are replaced by it, according to the user's lists; equal
    /// ones first. Empty if the plan includes no lists.
    pub(crate) async fn cross_numbers(&self, user: &User, number: &str) -> Result<Vec<CrossNumber>> {
        if !self.has_cross_references(user) {
            return Ok(Vec::new());
        }
        let mut walk = CrossWalk::new(number);
        // Breadth-first search, one query a level; `CrossWalk` bounds it. See
        // docs/decisions/0122-cross-references.md.
        loop {
            let wanted = walk.wanted();
            if wanted.is_empty() {
                return Ok(walk.found());
            }
            let rows = self.store.find_cross_references(user.shop_tenant(), &wanted).await?;
            walk.take(&rows);
        }
    }

    /// Whether the user's plan includes cross-references: any plan with price lists.
    pub(super) fn has_cross_references(&self, user: &User) -> bool {
        self.accounts.effective_plan(user).includes(Feature::SupplierIntegration)
    }
}
