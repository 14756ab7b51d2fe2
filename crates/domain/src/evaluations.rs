//! Accuracy of the model on labelled photographs of a shop: states, limits and figures of a measurement; and drift of
//! unlabelled scans from the calibration photographs (`drift`).
//!
//! Begin with `evaluation`.

mod drift;
mod evaluation;
mod layout;
mod report;

pub use drift::{
    DRIFT_WINDOW, EmbeddingShift, FittedScores, KernelTest, KolmogorovSmirnov, MIN_DRIFT_SCANS, ModelScores,
    ScanDrift, ScoreShift, kernel_two_sample, kolmogorov_smirnov,
};
pub use evaluation::{
    Evaluation, EvaluationState, MAX_EVALUATION_ATTEMPTS, MAX_EVALUATION_PHOTOS, MAX_EVALUATIONS,
    evaluation_name,
};
pub use layout::{LabelledLayout, labelled_layout};
pub use report::{
    ConfusedLabels, CoverageAtRisk, EvaluationDifference, EvaluationFailure, EvaluationMistake,
    EvaluationReport, EvaluationSlice, LabelFigures, Proportion, ThresholdOutcome, UnknownLabel,
    UnlikelyLabel,
};
