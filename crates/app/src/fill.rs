//! Texts that a language model may fill in: the question, and the state of its answer.

use jiff::Timestamp;
use partsight_domain::{
    FillQuestion, Filled, FilledOil, FitmentNotes, InstallationGuide, NotJudged, TenantId,
};

/// The subject of a text to fill in, and its owner.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FillSubject {
    /// The tenant that alone sees the answer, such as one about a part that it taught; `None` for facts about
    /// vehicles of the market, which all tenants share.
    pub(crate) owner: Option<TenantId>,
    /// What is asked.
    pub(crate) question: FillQuestion,
}

/// The state of a text that the language model can fill in.
#[derive(Debug, Clone, PartialEq)]
pub enum FillState {
    /// It was filled in.
    Filled {
        /// With this.
        content: Filled,
        /// By this model.
        llm_model: String,
        /// When it was filled in.
        filled_at: Timestamp,
        /// Whether the user may throw it away.
        may_discard: bool,
    },
    /// It was requested, and there was no usable answer.
    NotKnown {
        /// From this model.
        llm_model: String,
        /// When it was asked for.
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
