use jiff::Timestamp;

use crate::text::required_text;
use crate::{EvaluationId, EvaluationReport, InvalidInput, messages};

/// Maximum of photographs in an evaluation: with 5,000, top-1 accuracy is known to about one percentage point.
pub const MAX_EVALUATION_PHOTOS: u64 = 5_000;
/// Maximum of evaluations per account.
pub const MAX_EVALUATIONS: u64 = 50;
/// Maximum of attempts if the server crashes, because the evaluation may be the cause.
pub const MAX_EVALUATION_ATTEMPTS: u32 = 3;
/// Characters in the name of an evaluation.
const EVALUATION_NAME_MAX_CHARS: usize = 100;

named! {
    /// State of an evaluation.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub enum EvaluationState {
        /// Its photographs are being uploaded.
        Receiving = "receiving",
        /// It is queued.
        Waiting = "waiting",
        /// A server is measuring it.
        Running = "running",
        /// It has a report.
        Done = "done",
        /// It failed for the given reason.
        Failed = "failed",
        /// It was cancelled.
        Cancelled = "cancelled",
    }
}

impl EvaluationState {
    /// Whether it is in a final state, in which its photographs are deleted.
    pub fn has_ended(self) -> bool {
        matches!(self, Self::Done | Self::Failed | Self::Cancelled)
    }
}

/// A measurement of the model on labelled photographs.
#[derive(Debug, Clone, PartialEq)]
pub struct Evaluation {
    /// Id of the evaluation.
    pub id: EvaluationId,
    /// Name of the evaluation.
    pub name: String,
    /// State of the evaluation.
    pub state: EvaluationState,
    /// Why it failed, as a sentence.
    pub problem: Option<String>,
    /// When it was created.
    pub created_at: Timestamp,
    /// When a server began to measure it.
    pub started_at: Option<Timestamp>,
    /// When it ended.
    pub ended_at: Option<Timestamp>,
    /// Number of uploaded photographs.
    pub n_photos: u64,
    /// Number of measured photographs.
    pub n_done: u64,
    /// Name and version of the model, once it is known.
    pub model: Option<String>,
    /// Photographs with labels that the model knows; `None` before it is done.
    pub n_known: Option<u64>,
    /// Correct best guesses among them.
    pub n_right: Option<u64>,
    /// The figures; `None` in a list, and before it is done.
    pub report: Option<EvaluationReport>,
}

/// Validates the name of an evaluation, as typed or from a file name.
///
/// # Errors
/// For one that is empty or too long.
pub fn evaluation_name(text: &str) -> Result<String, InvalidInput> {
    required_text("name", "The name", text, EVALUATION_NAME_MAX_CHARS, messages::EVALUATION_NAME)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_evaluation_has_ended_where_nothing_more_comes_of_it() {
        use EvaluationState::{Cancelled, Done, Failed, Receiving, Running, Waiting};
        let cases = [
            (Receiving, false),
            (Waiting, false),
            (Running, false),
            (Done, true),
            (Failed, true),
            (Cancelled, true),
        ];
        assert_eq!(cases.map(|(state, _)| state), EvaluationState::ALL);
        for (state, has_ended) in cases {
            assert_eq!(state.has_ended(), has_ended, "{state}");
        }
    }
}
