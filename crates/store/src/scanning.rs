//! Scans with their pictures, the feedback on their answers, and idempotent calls.
//! Begin with `saving.rs`.

mod clearing;
mod feedback;
mod idempotency;
mod photo_objects;
mod readings;
mod regions;
mod saving;
mod scans;

pub(crate) use feedback::features_from_row;
pub use feedback::{FeedbackCounts, KnownScan, ReplacedFeedback, ScanFeatures};
pub use idempotency::{Claim, IdempotentCall, StaleCalls};
pub use photo_objects::{KeptPhoto, PhotoObject, PhotoToMove};
pub use saving::NewScan;
pub(crate) use saving::save_scans_in;
pub(crate) use scans::SHOWN_LABEL;
pub use scans::ScanFilter;
