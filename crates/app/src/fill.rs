//! Texts that a language model may fill in: the question, and the state of its answer.

use jiff::Timestamp;
use partsight_domain::{
    FillQuestion, Filled, FilledOil, FitmentNotes, InstallationGuide, NotJudged, TenantId,
};

/// The subject of a text to fill in, and its owner.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FillSubject {
    /// The only tenant that sees the answer, for example about a part that it taught; `None` for reference facts about
    /// vehicles, which all tenants share.
    pub(crate) owner: Option<TenantId>,
    /// The question.
    pub(crate) question: FillQuestion,
}

/// The state of a text that the language model can fill in.
#[derive(Debug, Clone, PartialEq)]
pub enum FillState {
    /// There is an answer.
    Filled {
        /// The answer.
        content: Filled,
        /// The model that answered.
        llm_model: String,
        /// When it was filled in.
        filled_at: Timestamp,
        /// Whether the user may discard it.
        may_discard: bool,
    },
    /// It was requested, but there was no usable answer.
    NotKnown {
        /// The model that was asked.
        llm_model: String,
        /// When it was asked.
        asked_at: Timestamp,
    },
    /// Nobody has requested it yet.
    Askable,
    /// The user may not request it, or the request was just refused.
    NotAsked(NotJudged),
}

impl FillState {
    /// The guide that was filled in.
    pub fn guide(&self) -> Option<&InstallationGuide> {
        match self {
            Self::Filled { content: Filled::Guide(guide), .. } => Some(guide),
            _ => None,
        }
    }

    /// The oil specification that was filled in.
    pub fn oil(&self) -> Option<&FilledOil> {
        match self {
            Self::Filled { content: Filled::Oil(oil), .. } => Some(oil),
            _ => None,
        }
    }

    /// The notes on fitment that were filled in.
    pub fn fitment(&self) -> Option<&FitmentNotes> {
        match self {
            Self::Filled { content: Filled::Fitment(notes), .. } => Some(notes),
            _ => None,
        }
    }

    /// The model and date of the answer, for a sentence: `judge-1, 2027-01-15`.
    pub(crate) fn by(&self) -> Option<String> {
        match self {
            Self::Filled { llm_model, filled_at, .. } => {
                Some(format!("{llm_model}, {}", filled_at.strftime("%Y-%m-%d")))
            }
            _ => None,
        }
    }
}
