//! Price lists of a shop: uploaded as CSV, and listed. `list_upload.rs` deletes and restores them.
//!
//! A file is parsed as a stream, so that memory does not grow with its rows, up to half a million. Its rows are saved
//! unpublished; one transaction at the end publishes them and replaces the list of the same name.

mod columns;
mod report;
mod rows;
mod upload;

use partsight_domain::{PriceList, User};

use crate::Result;
use crate::parts::Parts;

pub use report::{PreviewedRow, PriceCounts, PriceListReport};
pub(super) use rows::shown;
pub use upload::{PriceListOptions, PriceListRows, PriceListUpload};

/// Concurrent uploads, at most one per person. Few, because each writes to the database without pause.
pub(crate) const PRICE_LISTS_AT_A_TIME: usize = 2;

impl Parts {
    /// The price lists of the user's shop, newest first, including deleted ones that can be restored.
    pub async fn list_price_lists(&self, user: &User) -> Result<Vec<PriceList>> {
        Ok(self.store.list_price_lists(user.shop_tenant()).await?)
    }
}
