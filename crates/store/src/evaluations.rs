//! Evaluations: labelled photographs that are measured once, and what came of them. Begin with `queue.rs` for how one
//! is claimed.

mod drift;
mod jobs;
mod queue;

pub use drift::{RawScanScores, ScanSpan};
pub use jobs::NewEvaluation;
pub use queue::{ClaimedEvaluation, EvaluationOutcome, MeasuredEvaluation};
