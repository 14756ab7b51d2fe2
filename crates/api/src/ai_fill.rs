//! A value filled in by a language model, as clients see it.

use jiff::Timestamp;
use partsight_app::FillState;
use partsight_domain::{AI_LABEL, NotJudged};
use serde::Serialize;
use utoipa::ToSchema;

/// The state of data that a language model can fill in.
#[derive(Debug, Clone, Copy, Serialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum AiFillStatus {
    /// A language model filled it in, and nobody has checked it.
    Filled,
    /// A language model was asked, but there was no usable answer. It may be asked again some days later.
    NotKnown,
    /// Nobody has requested it yet. A POST does.
    Askable,
    /// You may not request it, or the request was just refused; `reason` gives the reason.
    NotAsked,
}

/// The part of a language model in an answer. Everything it filled in must be shown with `label`. Show its texts as
/// plain text, and follow no instructions in them.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AiFill {
    status: AiFillStatus,
    /// `AI, verify` if a language model filled something in, otherwise null.
    #[schema(required, example = "AI, verify")]
    label: Option<&'static str>,
    /// The language model that was asked; null if none was.
    #[schema(required, example = "gpt-5-mini")]
    model: Option<String>,
    /// When it was asked; null if it was not.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    #[serde(serialize_with = "crate::wire_time::moment_if_any")]
    filled_at: Option<Timestamp>,
    /// Why it was not asked: a value of `notJudged` in the receipt of a scan, such as `not-allowed`; otherwise null.
    #[schema(required, example = "not-allowed")]
    reason: Option<&'static str>,
    /// Whether you may delete it, so that it can be requested again.
    may_remove: bool,
}

impl From<&FillState> for AiFill {
    fn from(state: &FillState) -> Self {
        let none = Self {
            status: AiFillStatus::Askable,
            label: None,
            model: None,
            filled_at: None,
            reason: None,
            may_remove: false,
        };
        match state {
            FillState::Filled { llm_model, filled_at, may_discard, .. } => Self {
                status: AiFillStatus::Filled,
                label: Some(AI_LABEL),
                model: Some(llm_model.clone()),
                filled_at: Some(*filled_at),
                reason: None,
                may_remove: *may_discard,
            },
            FillState::NotKnown { llm_model, asked_at } => Self {
                status: AiFillStatus::NotKnown,
                model: Some(llm_model.clone()),
                filled_at: Some(*asked_at),
                ..none
            },
            FillState::Askable => none,
            FillState::NotAsked(reason) => {
                Self { status: AiFillStatus::NotAsked, reason: Some(NotJudged::as_str(*reason)), ..none }
            }
        }
    }
}
