//! Cross-references of a shop: lists uploaded as CSV, and numbers followed through them.
//!
//! A list arrives, is deleted and is restored as a price list is (see `list_upload.rs`).

mod rows;
mod upload;

use partsight_domain::{CrossNumber, CrossReferenceList, CrossWalk, User};

use crate::Result;
use crate::parts::Parts;

pub use upload::{CrossReferenceOptions, CrossReferenceReport, CrossReferenceRows, CrossReferenceUpload};

impl Parts {
    /// The lists of the user's shop, the newest first, including deleted ones that can be restored.
    pub async fn list_cross_reference_lists(&self, user: &User) -> Result<Vec<CrossReferenceList>> {
        Ok(self.store.list_cross_reference_lists(user.shop_tenant()).await?)
    }

    /// The numbers that are equal to this one, replace it or are replaced by it, according to the user's lists; equal
    /// ones first. Empty if the plan includes no lists.
    pub(crate) async fn cross_numbers(&self, user: &User, number: &str) -> Result<Vec<CrossNumber>> {
        if !self.has_lists(user) {
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
}
