//! From a model's raw scores of photographs to one answer.
//!
//! The raw scores are computed outside of this crate. `scoring` derives the answer from them, step by step; begin
//! there.

mod embedding;
mod regions;
mod roll_up;
mod scoring;
mod verdict;

pub use embedding::Embedding;
pub use regions::{MAX_PROPOSED_REGIONS, MAX_REGIONS, MIN_REGION_SIDE, RegionBox, RegionLook, RegionRule};
pub use roll_up::CategoryGuess;
pub use scoring::{
    CalibratedScores, CandidateSet, Conditions, Decision, FusedScores, LookAlikePair, LookAlikes,
    ModelCalibration, NearReference, NearReferences, OpinionPool, RawScores, ReferenceCalibration, Scorer,
    SetCalibration, SetRule, TaughtIdentification, TaughtRule, UNFIT_PRIOR, softmax,
};
pub use verdict::{Candidate, Verdict, VerdictThresholds};
