//! Turns the model's outputs and near references into an answer.

use partsight_domain::{Conditions, Decision, Embedding, NearReference, NearReferences, OpinionPool, Scorer};
use partsight_inference::{Fingerprint, Photo, ReferenceSimilarities};

use super::{Identification, Identifier, Predicted};
use crate::{Error, Result};

impl Identifier {
    /// An embedding in the space of references, f32 `[d]`, L2-normalised. `None` for a model without fitted
    /// references, or a zero vector in that space.
    pub fn reference_embedding(&self, embedding: &[f32]) -> Option<Vec<f32>> {
        self.reference_space.as_ref()?.place(embedding)
    }

    /// References near to a photograph whose embedding, as references are compared, is f32 `[d]`.
    pub(crate) fn near_references(
        &self,
        references: Vec<NearReference>,
        embedding: &[f32],
    ) -> NearReferences {
        // The lowest cosine, so that nothing counts as near if embeddings cannot be compared.
        let (class_similarity, background_similarity) =
            self.reference_space.as_ref().map_or((-1.0, -1.0), |space| {
                (space.class_similarity(embedding), space.background_similarity(embedding))
            });
        NearReferences { references, class_similarity, background_similarity }
    }

    /// Whether the model in use has fitted references.
    pub(crate) fn can_be_taught(&self) -> bool {
        self.reference_space.is_some()
    }

    /// The similarity thresholds of the model in use.
    pub(crate) fn reference_similarities(&self) -> ReferenceSimilarities {
        self.manifest().references.as_ref().map(|references| references.similarities).unwrap_or_default()
    }

    /// The fingerprint of a photograph, on the calling thread and without running the model.
    pub fn fingerprint_blocking(&self, photo: &Photo) -> Fingerprint {
        Fingerprint::of(&self.preparer.preprocessor.resize_rgb(photo))
    }

    /// The answer to a photograph, with the `top` most probable types among those that the model has learnt and those
    /// of `near` references.
    pub(crate) fn answer(
        &self,
        predicted: &Predicted,
        top: usize,
        near: &NearReferences,
    ) -> Result<Identification> {
        let pool = self.pool_of_one(predicted, near);
        let decision = Self::decide(&pool, &self.conditions(top))?;
        Ok(Self::identification(predicted, decision))
    }

    /// The conditions of the model itself, if nothing else is known about a photograph.
    pub(super) fn conditions(&self, top: usize) -> Conditions<'_> {
        Conditions::of_model(self.thresholds(), top)
            .with_sets(self.scorer.sets())
            .with_taught(self.scorer.taught())
    }

    /// The scorer, which turns raw scores into answers.
    pub fn scorer(&self) -> &Scorer {
        &self.scorer
    }

    /// The pool of a single photograph, from the model's output and `near` references.
    pub(crate) fn pool_of_one(&self, predicted: &Predicted, near: &NearReferences) -> OpinionPool {
        OpinionPool::of_one(self.scorer.photograph(predicted.raw(), near))
    }

    /// The answer under these conditions.
    pub(crate) fn decide(pool: &OpinionPool, conditions: &Conditions<'_>) -> Result<Decision> {
        pool.decide(conditions).ok_or_else(|| Error::internal("the model has no classes"))
    }

    /// Combines a decision with the other facts about its photograph.
    pub(crate) fn identification(predicted: &Predicted, decision: Decision) -> Identification {
        Identification {
            verdict: decision.verdict,
            best: decision.best,
            alternatives: decision.alternatives,
            category: decision.category,
            candidate_set: decision.candidate_set,
            known_score: decision.known_score,
            vehicle_doubts: Vec::new(),
            fingerprint: predicted.notes.fingerprint,
            embedding: Embedding::new(predicted.prediction.embedding.clone()),
            read: None,
            regions: None,
            timings_ms: predicted.timings(),
        }
    }
}
