//! From the raw scores of photographs to one answer. Server, command line, evaluation, trial and the check of teaching
//! photographs all score here, by the same steps in the same order:
//!
//! 1. [`Scorer::photograph`] calibrates what the model says of one photograph, and fuses it with the references near to
//!    it (`calibration`, `references`).
//! 2. [`OpinionPool`] makes one opinion of several photographs of a part; of one photograph it is that photograph's
//!    (`pooling`).
//! 3. [`OpinionPool::decide`] divides by the temperature that a shop's feedback gave, weighs down what cannot be on the
//!    vehicle, and decides (`scores`, `vehicle_prior`, `decision`). What is not sure gets a `candidate_set`.
//!
//! The temperature and the vehicle come after the pooling because both are about the scan and not about a photograph:
//! the temperature is fitted to pooled answers, and what a receipt says of each photograph is without the vehicle.
//!
//! Raw scores and references are f32 and sums are f64; between two steps stand f32 probabilities, which is what is kept
//! and shown. Every figure that was fitted for a model comes from its manifest as an argument.

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

/// A model's classes, with what turns its raw scores into probabilities.
#[derive(Debug, Clone)]
pub struct Scorer {
    labels: Vec<PartLabel>,
    categories: Vec<Option<Category>>,
    calibration: ModelCalibration,
    references: Option<ReferenceCalibration>,
    sets: Option<SetCalibration>,
}

impl Scorer {
    /// `classes` `[c]` are the model's, in the order of its logits, each with where it belongs, when known.
    pub fn new(
        classes: impl IntoIterator<Item = (PartLabel, Option<Category>)>,
        calibration: ModelCalibration,
    ) -> Self {
        let (labels, categories) = classes.into_iter().unzip();
        Self { labels, categories, calibration, references: None, sets: None }
    }

    /// The same for a model that was measured for references, or was not.
    #[must_use]
    pub fn with_references(self, references: Option<ReferenceCalibration>) -> Self {
        Self { references, ..self }
    }

    /// The same for a model that was measured for candidate sets, or was not.
    #[must_use]
    pub fn with_sets(self, sets: Option<SetCalibration>) -> Self {
        Self { sets, ..self }
    }

    /// The classes, `[c]`.
    pub fn labels(&self) -> &[PartLabel] {
        &self.labels
    }

    /// How references are weighed; `None` for a model that was not measured for them.
    pub fn references(&self) -> Option<&ReferenceCalibration> {
        self.references.as_ref()
    }

    /// The rule of candidate sets; `None` for a model that was not measured for them.
    pub fn sets(&self) -> Option<SetRule<'_>> {
        self.sets.map(|calibration| SetRule { calibration, types: &self.labels })
    }

    /// When a taught part may be called identified; `None` for a model that was not measured for references.
    pub fn taught(&self) -> Option<TaughtRule<'_>> {
        let identification = self.references?.identification;
        Some(TaughtRule { identification, types: &self.labels })
    }

    /// What the model's raw scores of one photograph, `[c]` of the classes, say together with the references `near` to
    /// it; these count for nothing where the model was not measured for them.
    pub fn photograph(&self, raw: RawScores<'_>, near: &NearReferences) -> FusedScores {
        let classes = FusedScores {
            labels: self.labels.clone(),
            categories: self.categories.clone(),
            probabilities: Vec::new(),
            known_score: self.calibration.known_score(raw.known),
        };
        // Without figures for this model, a similarity is no probability, and references count for nothing.
        let taught = self.references.map(|references| references.taught_labels(near)).unwrap_or_default();
        fuse(classes, self.calibration.logits(raw.logits), taught)
    }

    /// What was said of a photograph before, out of what is kept of it: `ln p` `[c + t]` of the classes and then of
    /// `taught` `[t]`, and the known score in 0..=1. The taught labels have no categories. `None` where it is of other classes.
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

    /// What the references `near` to a photograph say without the model; `None` without any, or where the model was not
    /// measured for them.
    pub fn references_alone(&self, near: &NearReferences) -> Option<FusedScores> {
        let references = self.references.filter(|_| !near.references.is_empty())?;
        Some(fuse(FusedScores::default(), Vec::new(), references.taught_labels(near)))
    }
}
