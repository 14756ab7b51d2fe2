//! Scans with their pictures, what was said of their answers, and calls that a client may send twice.
//! Begin with `scans.rs`.

mod feedback;
mod idempotency;
mod readings;
mod regions;
mod scans;

pub(crate) use feedback::features_from_row;
pub use feedback::{FeedbackCounts, KnownScan, ScanFeatures};
pub use idempotency::{Claim, IdempotentCall, StaleCalls};
pub(crate) use scans::save_scan_in;
pub use scans::{NewScan, ScanFilter};
