//! Batches: many photographs as one job that several servers share. Begin with `queue.rs` for how items are claimed.

mod ends;
mod events;
mod grades;
mod groups;
mod items;
mod jobs;
mod queue;

pub use ends::{ItemEnd, ItemOutcome, ItemResult};
pub use grades::{GivenGrade, GradeRange};
pub use groups::{ArrangedItem, GroupDoubt, Regrouped};
pub use items::{ItemAdded, ItemFilter, NewBatchItem};
pub use jobs::NewBatch;
pub use queue::{ClaimedItem, HeldBatch, ItemLease};
