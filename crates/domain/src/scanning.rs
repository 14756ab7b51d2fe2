//! A scan from its photographs to the answer that is kept, with its receipt and what people say of it.
//!
//! Begin with `scan`.

mod feedback;
mod scan;

pub use feedback::{FeedbackKind, ScanFeedback};
pub use scan::{
    JudgingReceipt, MAX_SCAN_PHOTOS, PhotoFinding, PhotoKeeping, PhotoSize, Receipt, Scan, ScanPhoto,
    ScanPosition, StageTimings, VehicleDoubt,
};
