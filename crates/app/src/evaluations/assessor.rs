//! The trait of an assessor, which measures a model. It is implemented in a crate above this one, with the statistics
//! and the report.

use std::path::{Path, PathBuf};

use partsight_domain::EvaluationDifference;
use partsight_store::MeasuredEvaluation;

use crate::Identifier;

/// Measures a model on labelled photographs. People see all its messages.
pub trait Assessor: Send + Sync {
    /// The paths that a list of labels names, as it writes them.
    ///
    /// # Errors
    /// What is wrong with the list, in a sentence with its line.
    fn list_paths(&self, list: &Path) -> Result<Vec<PathBuf>, String>;

    /// Measures on the calling thread and its own threads; `None` if it was stopped.
    ///
    /// # Errors
    /// Why the photographs cannot be measured, in a sentence.
    fn assess(&self, order: &Assessment<'_>) -> Result<Option<MeasuredEvaluation>, String>;

    /// Compares two measurements, by their files `report.json`.
    ///
    /// # Errors
    /// Why that cannot be done, in a sentence.
    fn compare(&self, first: &[u8], second: &[u8]) -> Result<EvaluationDifference, String>;
}

/// What is to be measured.
pub struct Assessment<'a> {
    /// The model in use, whose engines everybody shares.
    pub identifier: &'a Identifier,
    /// The folder with one subfolder per label, or the list.
    pub source: &'a Path,
    /// The name of the set of photographs, for people.
    pub name: &'a str,
    /// Confidence thresholds in 0..=1, for each of which the report states coverage and accuracy.
    pub thresholds: &'a [f32],
    /// Photographs at a time, at most.
    pub jobs: usize,
    /// Date and time for the report.
    pub written_at: &'a str,
    /// Decides when the next photograph may begin.
    pub pace: &'a dyn AssessmentPace,
}

/// Slows a measurement down, so that scans come first.
pub trait AssessmentPace: Sync {
    /// Waits until a step may begin; false if the measurement should stop.
    fn begin(&self) -> bool;

    /// Reports the end of a step. Each photograph has two: the model's output, and the quality of the picture.
    fn end(&self);
}
