//! References: photographs with which people taught parts, fused with the model's classes.

use crate::recognition::scoring::calibration::sigmoid;
use crate::recognition::scoring::softmax::log_softmax;
use crate::recognition::scoring::{FusedScores, softmax};
use crate::{Category, PartLabel};

/// Calibration of the similarity to references; measured for each model, and stated in its manifest.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ReferenceCalibration {
    /// Number of nearest references of a label that count; at least 1. With more, a label with many references, some of
    /// them of another side of the part, would score lower than one with few.
    pub nearest: usize,
    /// Factor of the similarity in the logit of a label, greater than 0.
    pub score_scale: f64,
    /// Factor of the similarity to the nearest class, which is subtracted from that logit, 0 or more: references are
    /// weak evidence for a photograph that is as near to a class.
    pub class_scale: f64,
    /// Factor of the logit of the model's own known score where that is above 0, which is subtracted from that logit, 0
    /// or more: references are weak evidence for a photograph that shows a class of the model.
    pub model_known_scale: f64,
    /// Offset of the logit of a label.
    pub score_bias: f64,
    /// Logit bias, 0 or more, that is subtracted for references of learnt labels: the model was trained on hundreds of
    /// photographs of them, so that a few more only matter if they are very similar to the scanned one.
    pub learnt_offset: f64,
    /// Factor of the similarity in the logit of "shows the part of the references", greater than 0.
    pub known_scale: f64,
    /// Factor of the similarity to the background, which is subtracted from that logit, 0 or more: some references are
    /// similar to everyday things too.
    pub background_scale: f64,
    /// Offset of that logit.
    pub known_bias: f64,
    /// When a taught part may be identified.
    pub identification: TaughtIdentification,
}

/// When a taught part that is no class of the model may be identified. The thresholds in force apply in any case.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum TaughtIdentification {
    /// By the same thresholds as a class of the model.
    AsLearnt,
    /// From this confidence, in 0..=1.
    From(f32),
    /// Never, because the error rate was not measured. For the same reason references of the model's classes are then
    /// ignored.
    Never,
}

impl TaughtIdentification {
    /// Whether a taught part of this confidence, in 0..=1, may be identified if the thresholds allow it.
    pub fn allows(self, confidence: f32) -> bool {
        match self {
            Self::AsLearnt => true,
            Self::From(least) => confidence >= least,
            Self::Never => false,
        }
    }
}

impl ReferenceCalibration {
    /// Probability in 0..=1 that a photograph shows the part of references to which it has the similarity `s` in -1..=1,
    /// beside the similarity `b` to the background, in -1..=1:
    /// `1 / (1 + exp(-(known_scale * s - background_scale * b + known_bias)))` (logistic regression, as Platt, 1999).
    pub fn known_score(&self, similarity: f64, background_similarity: f64) -> f64 {
        let offset = (-self.background_scale).mul_add(background_similarity, self.known_bias);
        sigmoid(self.known_scale.mul_add(similarity, offset))
    }

    /// Scores of the labels of the `near` references, in the order of their nearest ones.
    ///
    /// A label gets the logit `score_scale * s - class_scale * c - model_known_scale * max(k, 0) + score_bias`. `s`
    /// is the similarity to the mean direction of its nearest references, `c` that to the nearest class, and `k`
    /// the `known_logit`: the logit of the model's own known score, which counts only if positive, because a low
    /// one is no evidence for a taught part.
    pub(super) fn taught_labels(&self, near: &NearReferences, known_logit: f64) -> Vec<TaughtLabel> {
        // The same for all labels of a photograph, so that it is computed once.
        let of_classes = self
            .class_scale
            .mul_add(f64::from(near.class_similarity), self.model_known_scale * known_logit.max(0.0));
        let offset = self.score_bias - of_classes;
        let counts_beside_learnt = self.identification != TaughtIdentification::Never;
        let background = f64::from(near.background_similarity);
        let taught = |(reference, similarity): (&NearReference, f64)| {
            let logit = self.score_scale.mul_add(similarity, offset);
            TaughtLabel {
                label: reference.label.clone(),
                category: reference.category,
                logit,
                logit_beside_learnt: counts_beside_learnt.then_some(logit - self.learnt_offset),
                known_score: self.known_score(similarity, background) as f32,
            }
        };
        near.nearest_of_labels(self.nearest).map(taught).collect()
    }
}

/// The nearest references, class and everyday thing of a photograph in the embedding space of references.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct NearReferences {
    /// Sorted by similarity, the nearest first; empty if nothing was taught.
    pub references: Vec<NearReference>,
    /// Cosine similarity of the photograph with the mean embedding of the nearest class, in -1..=1.
    pub class_similarity: f32,
    /// Cosine similarity of the photograph with the nearest direction of everyday photographs, in -1..=1.
    pub background_similarity: f32,
}

impl NearReferences {
    /// The similarity of the photograph, in -1..=1, to the mean direction of the `nearest` references of each label, in
    /// the order of their nearest; `nearest` is at least 1.
    pub fn similarities(&self, nearest: usize) -> Vec<(&PartLabel, f64)> {
        self.nearest_of_labels(nearest)
            .map(|(reference, similarity)| (&reference.label, similarity))
            .collect()
    }

    /// The nearest reference of each label, and the similarity to the mean direction of its `nearest`.
    fn nearest_of_labels(&self, nearest: usize) -> impl Iterator<Item = (&NearReference, f64)> {
        let references = &self.references;
        let first_of_label = move |(index, reference): &(usize, &NearReference)| {
            references[..*index].iter().all(|earlier| earlier.label != reference.label)
        };
        references.iter().enumerate().filter(first_of_label).map(move |(index, reference)| {
            // From its own nearest on, because no earlier one has this label.
            (reference, similarity_to_mean(&references[index..], &reference.label, nearest))
        })
    }
}

/// A nearest reference.
#[derive(Debug, Clone, PartialEq)]
pub struct NearReference {
    /// The part type that it shows.
    pub label: PartLabel,
    /// Category of the type, if known.
    pub category: Option<Category>,
    /// Cosine similarity in -1..=1.
    pub score: f32,
    /// Its embedding, f32 `[d]` of L2 norm 1.
    pub embedding: Vec<f32>,
}

/// Scores of a label by its nearest references.
#[derive(Debug)]
pub(super) struct TaughtLabel {
    label: PartLabel,
    category: Option<Category>,
    /// Logit if the label is no class of the model.
    logit: f64,
    /// Logit if it is one; `None` if references of classes are ignored.
    logit_beside_learnt: Option<f64>,
    /// In 0..=1.
    known_score: f32,
}

/// Adds `taught` labels to the `classes`, whose calibrated `logits` `[c]` replace their probabilities.
///
/// The probabilities are the softmax of the log probabilities of the classes and the logits of the taught labels: a
/// logit of 0 equals all classes together. A class with references of its own has two logits, and its probability
/// is the sum of both, as if its logit were `ln(exp(l) + exp(z))`. If the best label was taught, the known score is
/// the greater of the model's own and [`ReferenceCalibration::known_score`], because the model's own is low for
/// parts that it has not learnt.
pub(super) fn fuse(classes: FusedScores, mut logits: Vec<f64>, taught: Vec<TaughtLabel>) -> FusedScores {
    let FusedScores { mut labels, mut categories, known_score, .. } = classes;
    let n_classes = labels.len();
    if !taught.is_empty() {
        // Converted to log probabilities first, because a network's logits have no common zero with those of taught
        // parts.
        logits = log_softmax(&logits);
    }
    // The label index of each logit.
    let mut owners: Vec<usize> = (0..n_classes).collect();
    let mut known_scores = vec![None; n_classes];
    for taught in taught {
        if let Some(class) = labels[..n_classes].iter().position(|label| *label == taught.label) {
            let Some(logit) = taught.logit_beside_learnt else { continue };
            logits.push(logit);
            owners.push(class);
            known_scores[class] = Some(taught.known_score);
        } else {
            logits.push(taught.logit);
            owners.push(labels.len());
            known_scores.push(Some(taught.known_score));
            labels.push(taught.label);
            categories.push(taught.category);
        }
    }
    let mut probabilities = vec![0.0; labels.len()];
    for (probability, owner) in softmax(&logits).into_iter().zip(owners) {
        probabilities[owner] += probability;
    }
    // The first of ties.
    let best = (0..labels.len())
        .max_by(|&a, &b| probabilities[a].total_cmp(&probabilities[b]).then(b.cmp(&a)))
        .and_then(|best| known_scores[best]);
    FusedScores {
        labels,
        categories,
        probabilities: probabilities.into_iter().map(|probability| probability as f32).collect(),
        known_score: known_score.max(best.unwrap_or(0.0)),
    }
}

/// Cosine similarity of the photograph with the mean direction of the `n` nearest references of `label`, of which there
/// is at least one; 0 if they cancel out.
///
/// The mean is normalised, so that dispersion of the references does not lower the similarity (prototypes of Snell et
/// al., "Prototypical Networks for Few-shot Learning", 2017, with cosines).
fn similarity_to_mean(near: &[NearReference], label: &PartLabel, n: usize) -> f64 {
    let own: Vec<&NearReference> =
        near.iter().filter(|reference| reference.label == *label).take(n).collect();
    let score: f64 = own.iter().map(|reference| f64::from(reference.score)).sum();
    let n_dimensions = own.first().map_or(0, |reference| reference.embedding.len());
    let square =
        |at: usize| own.iter().map(|reference| f64::from(reference.embedding[at])).sum::<f64>().powi(2);
    // Norm of the sum of unit vectors. The dot product with that sum is the sum of the cosines, so that the mean
    // itself is not needed.
    let length = (0..n_dimensions).map(square).sum::<f64>().sqrt();
    if length > 1e-6 { (score / length).clamp(-1.0, 1.0) } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CALIBRATION: ReferenceCalibration = ReferenceCalibration {
        nearest: 5,
        score_scale: 10.0,
        class_scale: 0.0,
        model_known_scale: 0.0,
        score_bias: -2.0,
        learnt_offset: 4.0,
        known_scale: 20.0,
        background_scale: 0.0,
        known_bias: -7.0,
        identification: TaughtIdentification::AsLearnt,
    };

    fn label(text: &str) -> PartLabel {
        PartLabel::new(text).unwrap()
    }

    fn near(text: &str, score: f32) -> NearReference {
        // On a circle, with the photograph at angle 0.
        let embedding = vec![score, (1.0 - score * score).sqrt()];
        NearReference { label: label(text), category: Some(Category::Engine), score, embedding }
    }

    fn fused(logits: [f64; 2], known_score: f32, near: &[NearReference]) -> FusedScores {
        let classes = FusedScores {
            labels: vec![label("rim"), label("piston")],
            categories: vec![Some(Category::Body), Some(Category::Engine)],
            probabilities: Vec::new(),
            known_score,
        };
        fuse(classes, logits.to_vec(), CALIBRATION.taught_labels(&beside(near, 0.0), 0.0))
    }

    fn beside(near: &[NearReference], class_similarity: f32) -> NearReferences {
        NearReferences { references: near.to_vec(), class_similarity, background_similarity: 0.0 }
    }

    #[test]
    fn without_references_the_model_has_its_own_way() {
        let fused = fused([1.0, 0.0], 0.3, &[]);
        let expected = (1.0_f64.exp() / (1.0_f64.exp() + 1.0)) as f32;
        assert!((fused.probabilities[0] - expected).abs() < 1e-6);
        assert_eq!((fused.labels.len(), fused.known_score.to_bits()), (2, 0.3_f32.to_bits()));
    }

    #[test]
    fn a_taught_part_that_the_model_does_not_know_wins_by_its_references() {
        let fused =
            fused([4.0, 3.0], 0.02, &[near("egr-valve", 0.8), near("egr-valve", 0.7), near("door", 0.1)]);
        let ranking = fused.ranking(9);
        let labels: Vec<&str> = ranking.iter().map(|candidate| candidate.label.as_str()).collect();
        assert_eq!(labels, ["egr-valve", "rim", "door", "piston"], "5.5, -0.3, -1 and -1.3");
        assert!(ranking[0].confidence > 0.99);
        assert!(fused.known_score > 0.99, "{}", fused.known_score);
        assert!((fused.probabilities.iter().sum::<f32>() - 1.0).abs() < 1e-6);
        assert_eq!(fused.categories[2..], [Some(Category::Engine); 2]);
    }

    #[test]
    fn references_far_away_leave_the_model_alone() {
        let fused = fused([12.0, 3.0], 0.9, &[near("egr-valve", 0.1)]);
        assert_eq!(fused.ranking(1)[0].label, label("rim"));
        assert_eq!(fused.known_score.to_bits(), 0.9_f32.to_bits());
    }

    #[test]
    fn references_of_a_class_speak_for_that_class() {
        let fused = fused([4.0, 4.0], 0.5, &[near("piston", 0.6)]);
        assert_eq!(fused.labels.len(), 2);
        assert_eq!(fused.ranking(1)[0].label, label("piston"));
    }

    #[test]
    fn references_of_a_class_weigh_less_than_what_the_model_has_learnt() {
        // Logit 3 by the references alone, -1 with the bias for a learnt label.
        let learnt = fused([6.0, 4.0], 0.5, &[near("piston", 0.5)]);
        assert_eq!(learnt.ranking(1)[0].label, label("rim"));
        let taught = fused([6.0, 4.0], 0.5, &[near("egr-valve", 0.5)]);
        assert_eq!(taught.ranking(1)[0].label, label("egr-valve"));
        // A nearly identical photograph outweighs the learnt classes.
        let same = fused([6.0, 4.0], 0.5, &[near("piston", 0.95)]);
        assert_eq!(same.ranking(1)[0].label, label("piston"));
    }

    #[test]
    fn references_that_were_not_measured_find_taught_parts_and_say_nothing_of_classes() {
        let never = ReferenceCalibration { identification: TaughtIdentification::Never, ..CALIBRATION };
        let classes = || FusedScores {
            labels: vec![label("rim"), label("piston")],
            categories: vec![None; 2],
            probabilities: Vec::new(),
            known_score: 0.3,
        };
        let of = |near: &[NearReference]| {
            fuse(classes(), vec![4.0, 3.0], never.taught_labels(&beside(near, 0.0), 0.0))
        };
        let found = of(&[near("egr-valve", 0.9)]);
        assert_eq!(found.ranking(1)[0].label, label("egr-valve"));
        assert!(found.known_score > 0.9);
        let beside_learnt = of(&[near("piston", 0.99)]);
        assert_eq!((beside_learnt.ranking(1)[0].label.as_str(), beside_learnt.known_score), ("rim", 0.3));
        assert!((beside_learnt.probabilities[1] - 1.0 / (1.0 + 1.0_f32.exp())).abs() < 1e-6);
    }

    #[test]
    fn similarities_are_those_that_are_scored() {
        let near = beside(&[near("egr-valve", 0.9), near("rim", 0.7), near("egr-valve", 0.6)], 0.0);
        let similarities = near.similarities(1);
        assert_eq!(similarities.len(), 2);
        assert_eq!((similarities[0].0.as_str(), similarities[1].0.as_str()), ("egr-valve", "rim"));
        assert!((similarities[0].1 - 0.9).abs() < 1e-6 && (similarities[1].1 - 0.7).abs() < 1e-6);
    }

    #[test]
    fn references_say_less_of_what_the_model_knows() {
        let calibration = ReferenceCalibration { class_scale: 9.0, model_known_scale: 2.0, ..CALIBRATION };
        let logit = |class_similarity, known_logit| {
            let near = beside(&[near("egr-valve", 0.6)], class_similarity);
            calibration.taught_labels(&near, known_logit)[0].logit
        };
        assert!((logit(0.0, 0.0) - 4.0).abs() < 1e-6);
        assert!((logit(0.6, 0.0) + 1.4).abs() < 1e-6);
        assert!((logit(0.0, 3.0) + 2.0).abs() < 1e-6);
        assert!((logit(0.0, -1.0) - 4.0).abs() < 1e-6);
    }

    #[test]
    fn references_that_are_similar_to_everyday_things_make_less_known() {
        let calibration = ReferenceCalibration { background_scale: 10.0, ..CALIBRATION };
        let known_score = |background_similarity| {
            let near = NearReferences { background_similarity, ..beside(&[near("egr-valve", 0.5)], 0.0) };
            calibration.taught_labels(&near, 0.0)[0].known_score
        };
        // 20 * 0.5 - 7 = 3, minus 10 * 0.3.
        assert!((known_score(0.0) - 0.952_574).abs() < 1e-6);
        assert!((known_score(0.3) - 0.5).abs() < 1e-6);
    }

    #[test]
    fn a_photograph_between_its_references_is_nearer_than_to_either() {
        let on_both_sides = [[0.8, 0.6], [0.8, -0.6]]
            .map(|embedding| NearReference { embedding: embedding.to_vec(), ..near("egr-valve", 0.8) });
        assert!((similarity_to_mean(&on_both_sides, &label("egr-valve"), 5) - 1.0).abs() < 1e-6);
        assert!((similarity_to_mean(&on_both_sides, &label("egr-valve"), 1) - 0.8).abs() < 1e-6);
        let opposite = [[1.0, 0.0], [-1.0, 0.0]].map(|embedding| NearReference {
            embedding: embedding.to_vec(),
            ..near("egr-valve", embedding[0])
        });
        assert_eq!(similarity_to_mean(&opposite, &label("egr-valve"), 5).to_bits(), 0.0_f64.to_bits());
    }

    #[test]
    fn only_the_five_nearest_of_a_label_count() {
        let mut many = vec![near("egr-valve", 0.8); 5];
        let few = fused([0.0, 0.0], 0.5, &many);
        many.extend(vec![near("egr-valve", -0.5); 20]);
        assert_eq!(fused([0.0, 0.0], 0.5, &many), few);
    }

    #[test]
    fn extreme_logits_neither_overflow_nor_vanish() {
        let fused = fused([1e6, -1e6], 0.5, &[near("rim", 1.0), near("piston", -1.0)]);
        assert_eq!(fused.probabilities[0].to_bits(), 1.0_f32.to_bits());
        assert!(fused.probabilities[1] < 1e-8);
    }
}
