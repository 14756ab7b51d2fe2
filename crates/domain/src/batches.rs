//! Many photographs as one job: its states, those of its items, and its limits.
//!
//! Begin with `batch`.

mod batch;
mod item;

pub use batch::{
    BATCH_NAME_MAX_CHARS, Batch, BatchCounts, BatchState, MAX_BATCH_PHOTOS, MAX_OPEN_BATCHES, batch_name,
};
pub use item::{
    BatchItem, BatchItemState, BatchSort, ITEM_KEY_MAX_CHARS, ItemPosition, MAX_ITEM_ATTEMPTS, doubt_of,
};
