//! Questions to a vision LLM, and how its answers are weighed.
//!
//! Begin with `judgement`; generated texts for missing catalogue data are in `fill`.

mod fill;
mod judge_consent;
mod judgement;

pub use fill::{AI_LABEL, FillQuestion, Filled, FilledOil, FitmentNotes, OilAnswer, filled_guide};
pub use judge_consent::ConsentToJudge;
pub use judgement::{JudgeBudgetChoice, Judgement, NotJudged, VerdictPath, WeighedVerdict, weigh_judgement};
