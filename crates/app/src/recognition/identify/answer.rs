//! What the outputs of the model and near references say together.

use partsight_domain::{Conditions, Decision, Embedding, NearReference, NearReferences, OpinionPool, Scorer};
use partsight_inference::{Fingerprint, Photo, ReferenceSimilarities};

use super::{Identification, Identifier, Predicted};
use crate::{Error, Result};

impl Identifier {
    /// An embedding as it is compared with those of references, f32 `[d]` of L2 length 1. `None` for a model that was not
    /// measured for references, or an embedding without a direction there.
    pub(crate) fn reference_embedding(&self, embedding: &[f32]) -> Option<Vec<f32>> {
        self.reference_space.as_ref()?.place(embedding)
    }

    /// References near to a photograph whose embedding, as references are compared, is f32 `[d]`.
    pub(crate) fn near_references(
        &self,
        references: Vec<NearReference>,
        embedding: &[f32],
    ) -> NearReferences {
        // The least cosine, so that no class counts as near where embeddings cannot be compared.
        let class_similarity =
            self.reference_space.as_ref().map_or(-1.0, |space| space.class_similarity(embedding));
        NearReferences { references, class_similarity }
    }

    /// Whether the model in use was measured for references.
    pub(crate) fn can_be_taught(&self) -> bool {
        self.reference_space.is_some()
    }

    /// How alike references of the model in use are that belong together.
    pub(crate) fn reference_similarities(&self) -> ReferenceSimilarities {
        self.manifest().references.as_ref().map(|references| references.similarities).unwrap_or_default()
    }

    /// What a photograph looks like, on the calling thread and without asking the model.
    pub fn fingerprint_blocking(&self, photo: &Photo) -> Fingerprint {
        Fingerprint::of(&self.preparer.preprocessor.resize_rgb(photo))
    }

    /// The answer to a photograph, with the `top` most probable types, among those that the model has learnt and
    /// those that `near` references show.
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

    /// The model's own conditions, where nothing else is known of a photograph.
    pub(super) fn conditions(&self, top: usize) -> Conditions<'_> {
        Conditions::of_model(self.thresholds(), top)
            .with_sets(self.scorer.sets())
            .with_taught(self.scorer.taught())
    }

    /// What turns raw scores into answers.
    pub fn scorer(&self) -> &Scorer {
        &self.scorer
    }

    /// What the model and `near` references say of a single photograph.
    pub(crate) fn pool_of_one(&self, predicted: &Predicted, near: &NearReferences) -> OpinionPool {
        OpinionPool::of_one(self.scorer.photograph(predicted.raw(), near))
    }

    /// The answer under these conditions.
    pub(crate) fn decide(pool: &OpinionPool, conditions: &Conditions<'_>) -> Result<Decision> {
        pool.decide(conditions).ok_or_else(|| Error::internal("the model has no classes"))
    }

    /// A decision with what else is known of the photograph that it is about.
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
