//! Batches: many photographs as one job that several servers share. Begin with `queue.rs` for how one is claimed.

mod events;
mod items;
mod jobs;
mod queue;

pub use items::{ItemAdded, ItemFilter, NewBatchItem};
pub use jobs::NewBatch;
pub use queue::{ClaimedItem, ItemLease, ItemOutcome};
