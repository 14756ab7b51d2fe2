//! Evaluations: labelled photographs that are measured once, and what came of them. Begin with `queue.rs` for how one
//! is claimed.

mod jobs;
mod queue;

pub use jobs::NewEvaluation;
pub use queue::{ClaimedEvaluation, EvaluationOutcome, MeasuredEvaluation};
