//! Scans with their pictures, what was said of their answers, and calls that a client may send twice.
//! Begin with `scans.rs`.

mod feedback;
mod idempotency;
mod readings;
mod regions;
mod scans;

pub use feedback::{FeedbackCounts, KnownScan, ScanFeatures};
pub(crate) use feedback::{features_from_row, save_features_of_new};
pub use idempotency::{Claim, IdempotentCall, StaleCalls};
pub(crate) use scans::save_scans_in;
pub use scans::{NewScan, ScanFilter};
