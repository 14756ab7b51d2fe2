//! From the raw scores of photographs to one answer. Server, command line, evaluation, trial and the check of teaching
//! photographs all use these steps in this order:
//!
//! 1. [`Scorer::photograph`] calibrates the model's scores of one photograph, and fuses them with the nearest
//!    references (`calibration`, `references`).
//! 2. [`OpinionPool`] pools the scores of several photographs of a part; those of one photograph stay the same
//!    (`pooling`).
//! 3. [`OpinionPool::decide`] applies the temperature of the shop's feedback and the vehicle prior, and decides
//!    (`scores`, `vehicle_prior`, `decision`). An answer that is not sure gets a `candidate_set`.
//!
//! Temperature and vehicle come after pooling, because both apply to the scan and not to a photograph: the temperature
//! is fitted to pooled answers, and a receipt has the scores of each photograph without the vehicle.
//!
//! Raw scores and references are f32, sums f64; the probabilities between two steps are f32, as stored and shown. All
//! values that are fitted for a model are arguments, from its manifest.

mod calibration;
mod candidate_set;
mod decision;
mod look_alikes;
mod pooling;
mod references;
mod scores;
mod softmax;
mod vehicle_prior;

use crate::{Category, PartLabel};
use references::fuse;

pub use calibration::{CalibratedScores, ModelCalibration, RawScores};
pub use candidate_set::{CandidateSet, SetCalibration, SetRule};
pub use decision::{Conditions, Decision, TaughtRule};
pub use look_alikes::{LookAlikePair, LookAlikes};
pub use pooling::OpinionPool;
pub use references::{NearReference, NearReferences, ReferenceCalibration, TaughtIdentification};
pub use scores::FusedScores;
pub use softmax::softmax;
pub use vehicle_prior::UNFIT_PRIOR;

/// A model's classes, with the calibration of its raw scores.
#[derive(Debug, Clone)]
pub struct Scorer {
    labels: Vec<PartLabel>,
    categories: Vec<Option<Category>>,
    calibration: ModelCalibration,
    references: Option<ReferenceCalibration>,
    sets: Option<SetCalibration>,
}

impl Scorer {
    /// `classes` `[c]` are the model's, in the order of its logits, each with its category, if known.
    pub fn new(
        classes: impl IntoIterator<Item = (PartLabel, Option<Category>)>,
        calibration: ModelCalibration,
    ) -> Self {
        let (labels, categories) = classes.into_iter().unzip();
        Self { labels, categories, calibration, references: None, sets: None }
    }

    /// Adds the calibration of references, if it was measured for the model.
    #[must_use]
    pub fn with_references(self, references: Option<ReferenceCalibration>) -> Self {
        Self { references, ..self }
    }

    /// Adds the calibration of candidate sets, if it was measured for the model.
    #[must_use]
    pub fn with_sets(self, sets: Option<SetCalibration>) -> Self {
        Self { sets, ..self }
    }

    /// The classes, `[c]`.
    pub fn labels(&self) -> &[PartLabel] {
        &self.labels
    }

    /// Calibration of references; `None` if it was not measured for the model.
    pub fn references(&self) -> Option<&ReferenceCalibration> {
        self.references.as_ref()
    }

    /// The rule of candidate sets; `None` if it was not measured for the model.
    pub fn sets(&self) -> Option<SetRule<'_>> {
        self.sets.map(|calibration| SetRule { calibration, types: &self.labels })
    }

    /// When a taught part may be identified; `None` if references were not measured for the model.
    pub fn taught(&self) -> Option<TaughtRule<'_>> {
        let identification = self.references?.identification;
        Some(TaughtRule { identification, types: &self.labels })
    }

    /// Fuses the model's raw scores of one photograph, `[c]` of the classes, with the references `near` to it, which
    /// are ignored if they were not measured for the model.
    pub fn photograph(&self, raw: RawScores<'_>, near: &NearReferences) -> FusedScores {
        let classes = FusedScores {
            labels: self.labels.clone(),
            categories: self.categories.clone(),
            probabilities: Vec::new(),
            known_score: self.calibration.known_score(raw.known),
        };
        // Without a calibration a similarity cannot be converted to a probability, so references are ignored.
        let known_logit = self.calibration.known_logit(raw.known);
        let taught = self.references.map(|references| references.taught_labels(near, known_logit));
        fuse(classes, self.calibration.logits(raw.logits), taught.unwrap_or_default())
    }

    /// Restores the scores of a photograph from stored values: `ln p` `[c + t]` of the classes and then of `taught`
    /// `[t]`, and the known score in 0..=1. The taught labels have no categories. `None` if the number of classes
    /// differs.
    pub fn restore(
        &self,
        log_probabilities: &[f32],
        taught: &[PartLabel],
        known_score: f32,
    ) -> Option<FusedScores> {
        if log_probabilities.len() != self.labels.len() + taught.len() {
            return None;
        }
        let mut categories = self.categories.clone();
        categories.resize(log_probabilities.len(), None);
        Some(FusedScores {
            labels: self.labels.iter().chain(taught).cloned().collect(),
            categories,
            probabilities: log_probabilities.iter().map(|logarithm| logarithm.exp()).collect(),
            known_score,
        })
    }

    /// The scores by the references `near` to a photograph, without the model; `None` without references or their
    /// calibration.
    pub fn references_alone(&self, near: &NearReferences) -> Option<FusedScores> {
        let references = self.references.filter(|_| !near.references.is_empty())?;
        // Without the model's own known score. It would shift all labels alike.
        Some(fuse(FusedScores::default(), Vec::new(), references.taught_labels(near, 0.0)))
    }
}
