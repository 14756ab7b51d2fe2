//! Many photographs as one job: its states, those of its items, and its limits.
//!
//! Begin with `batch`.

mod batch;
mod grade;
mod grouping;
mod item;

pub use batch::{Batch, BatchCounts, BatchState, MAX_BATCH_PHOTOS, MAX_OPEN_BATCHES, batch_name};
pub use grade::{DEFAULT_GRADES, GradeTotal, ScanGrade, grade_scale};
pub use grouping::{GroupingPhoto, propose_groups};
pub use item::{
    BatchItem, BatchItemState, BatchSort, GroupedBy, ITEM_KEY_MAX_BYTES, ITEM_NAME_MAX_CHARS, ItemPosition,
    MAX_ITEM_ATTEMPTS, doubt_of, kept_item_name,
};
