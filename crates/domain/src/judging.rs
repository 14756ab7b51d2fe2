//! Questions to a vision LLM, and how its answers are weighed.
//!
//! Begin with `judgement`; texts that a language model writes where the catalogue has none are in `fill`.

mod fill;
mod judge_consent;
mod judgement;

pub use fill::{AI_LABEL, FillQuestion, Filled, FilledOil, FitmentNotes, OilAnswer, filled_guide};
pub use judge_consent::ConsentToJudge;
pub use judgement::{JudgeBudgetChoice, Judgement, NotJudged, VerdictPath, WeighedVerdict, weigh_judgement};
