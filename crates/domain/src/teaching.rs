//! Parts that people teach with their own photographs, and calibration by their feedback.
//!
//! Begin with `taught_part`; the dial, which trades coverage for error rate, is in `dial`.

mod dial;
mod learning;
mod look_alike;
mod taught_part;

pub use dial::{Dial, DialMark, ErrorRate, VerdictCounts};
pub use learning::{CalibrationFigures, FeedbackDoubt, LearningChoice, RefitOutcome, TenantCalibration};
pub use look_alike::{LookAlike, MAX_LOOK_ALIKES};
pub use taught_part::{ReferenceKind, TaughtPartType};
