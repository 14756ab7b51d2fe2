//! How well the model knows labelled photographs of a shop: the state of a measurement, its limits, and its figures.
//!
//! Begin with `evaluation`.

mod evaluation;
mod layout;
mod report;

pub use evaluation::{
    EVALUATION_NAME_MAX_CHARS, Evaluation, EvaluationState, MAX_EVALUATION_ATTEMPTS, MAX_EVALUATION_PHOTOS,
    MAX_EVALUATIONS, evaluation_name,
};
pub use layout::{LabelledLayout, NOT_A_PART_LABEL, labelled_layout};
pub use report::{
    ConfusedLabels, CoverageAtRisk, EvaluationDifference, EvaluationFailure, EvaluationMistake,
    EvaluationReport, EvaluationSlice, LabelFigures, Proportion, ThresholdOutcome, UnlikelyLabel,
};
