//! Evaluations: labelled photographs on which the model is measured once, and the results. Begin with `queue.rs` for
//! how one is claimed.

mod drift;
mod jobs;
mod queue;

pub use drift::{RawScanScores, ScanSpan};
pub use jobs::NewEvaluation;
pub use queue::{ClaimedEvaluation, EvaluationOutcome, MeasuredEvaluation};
