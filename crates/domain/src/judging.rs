//! What a vision-LLM may be asked, and what its answers are worth.
//!
//! Begin with `judgement`; what a language model fills in where the catalogue has nothing is in `fill`.

mod fill;
mod judge_consent;
mod judgement;

pub use fill::{AI_LABEL, FillQuestion, Filled, FilledOil, FitmentNotes, OilAnswer, filled_guide};
pub use judge_consent::ConsentToJudge;
pub use judgement::{JudgeBudgetChoice, Judgement, NotJudged, VerdictPath, WeighedVerdict, weigh_judgement};
