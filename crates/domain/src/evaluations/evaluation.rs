use jiff::Timestamp;

use crate::text::required_text;
use crate::{EvaluationId, EvaluationReport, InvalidInput, messages};

/// Photographs in one evaluation: at 5,000 top-1 is known to within about one point.
pub const MAX_EVALUATION_PHOTOS: u64 = 5_000;
/// Evaluations that one account keeps.
pub const MAX_EVALUATIONS: u64 = 50;
/// How often one is begun whose server was gone before it ended: perhaps it took the server along.
pub const MAX_EVALUATION_ATTEMPTS: u32 = 3;
/// Characters in the name of an evaluation.
const EVALUATION_NAME_MAX_CHARS: usize = 100;

named! {
    /// How far an evaluation is.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub enum EvaluationState {
        /// Its photographs are arriving.
        Receiving = "receiving",
        /// Its turn has not come.
        Waiting = "waiting",
        /// A server is at it.
        Running = "running",
        /// Its report is there.
        Done = "done",
        /// It could not be made, and says why.
        Failed = "failed",
        /// Somebody ended it.
        Cancelled = "cancelled",
    }
}

impl EvaluationState {
    /// Whether nothing more comes of it; its photographs are gone by then.
    pub fn has_ended(self) -> bool {
        matches!(self, Self::Done | Self::Failed | Self::Cancelled)
    }
}

/// A measurement of the model on labelled photographs.
#[derive(Debug, Clone, PartialEq)]
pub struct Evaluation {
    /// Id of the evaluation.
    pub id: EvaluationId,
    /// As people call it.
    pub name: String,
    /// How far it is.
    pub state: EvaluationState,
    /// Why it failed, as people read it.
    pub problem: Option<String>,
    /// When it was asked for.
    pub created_at: Timestamp,
    /// When a server began with it.
    pub started_at: Option<Timestamp>,
    /// When it ended.
    pub ended_at: Option<Timestamp>,
    /// Photographs that came.
    pub n_photos: u64,
    /// Photographs that were measured.
    pub n_done: u64,
    /// Name and version of the model, once it is known.
    pub model: Option<String>,
    /// Photographs of labels that the model knows; none before it is done.
    pub n_known: Option<u64>,
    /// Right best guesses among them.
    pub n_right: Option<u64>,
    /// What was measured; none in a list, and none before it is done.
    pub report: Option<EvaluationReport>,
}

/// The name of an evaluation out of what somebody typed, or of what their file is called.
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

    #[test]
    fn a_name_is_one_line_of_at_most_a_hundred_characters() {
        assert_eq!(evaluation_name(" June.zip "), Ok("June.zip".to_owned()));
        for (wrong, part) in [
            ("", "a name of at most 100 characters"),
            ("  ", "a name of at most 100 characters"),
            ("a\nb", "control character"),
            ("a\u{202e}b", "control character"),
            ("x".repeat(101).as_str(), "101 characters"),
        ] {
            let error = evaluation_name(wrong).unwrap_err();
            assert_eq!(error.field, "name", "{wrong:?}");
            assert!(error.message.contains(part), "{wrong:?}: {}", error.message);
        }
    }
}
