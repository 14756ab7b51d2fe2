//! What measures is handed in: the statistics and the report stand in a crate above this one.

use std::path::{Path, PathBuf};

use partsight_domain::EvaluationDifference;
use partsight_store::MeasuredEvaluation;

use crate::Identifier;

/// Measures a model on labelled photographs. Whatever it says is shown to people.
pub trait Assessor: Send + Sync {
    /// The paths that a list of labels names, as it writes them.
    ///
    /// # Errors
    /// What is wrong with the list, in a sentence with its line.
    fn list_paths(&self, list: &Path) -> Result<Vec<PathBuf>, String>;

    /// Measures on the calling thread and threads of its own; `None` where it was told to stop.
    ///
    /// # Errors
    /// Why the photographs cannot be measured, in a sentence.
    fn assess(&self, order: &Assessment<'_>) -> Result<Option<MeasuredEvaluation>, String>;

    /// Sets two measurements side by side, by their files `report.json`.
    ///
    /// # Errors
    /// Why that cannot be done, in a sentence.
    fn compare(&self, first: &[u8], second: &[u8]) -> Result<EvaluationDifference, String>;
}

/// What is to be measured.
pub struct Assessment<'a> {
    /// The model in use, whose engines everybody shares.
    pub identifier: &'a Identifier,
    /// The folder with one folder a label, or the list.
    pub source: &'a Path,
    /// What people call the photographs.
    pub name: &'a str,
    /// Confidences in 0..=1 for which the report says what answering from them on gives.
    pub thresholds: &'a [f32],
    /// Photographs at a time, at most.
    pub jobs: usize,
    /// When it is, as the report says it.
    pub written_at: &'a str,
    /// When to begin the next photograph.
    pub pace: &'a dyn AssessmentPace,
}

/// Lets others go first.
pub trait AssessmentPace: Sync {
    /// Waits until a piece of work may begin; false where the whole is to stop.
    fn begin(&self) -> bool;

    /// Says that a piece of work is done. There are two for each photograph: what the model says, and what the picture is
    /// like.
    fn end(&self);
}
