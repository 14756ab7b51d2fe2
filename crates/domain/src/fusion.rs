//! One answer from what a model has learnt and from what people taught.

use crate::{Candidate, Category, PartLabel};

/// References of one label that count: its nearest. More would let a label with many references, some of them of
/// another side of the part, fall behind one with few.
const NEAREST_OF_LABEL: usize = 5;

/// What is taken off the logit of references where the model has learnt their label: it has seen hundreds of its
/// photographs, and a few more say little beside them unless they are very like the one that is asked about.
///
/// Measured with `partsight-50` 3.0.0 on 351 photographs, 1, 3 or 5 references for 10 or all 50 of its types, five draws
/// each: 94.9% are right without references. With nothing taken off 91.3 to 93.3% are, with 2 less 93.2 to 94.5%, with 4
/// less 94.6 to 94.9%, and from 5 on 94.9%, where the references have no word any more.
const LEARNT_OFFSET: f64 = 4.0;

/// How the similarity to references becomes a score beside a model's own; measured for each model.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ReferenceCalibration {
    /// Factor of the similarity in the logit of a label.
    pub score_scale: f64,
    /// Offset of the logit of a label.
    pub score_bias: f64,
    /// Factor of the similarity in the logit of "shows the part of the references".
    pub known_scale: f64,
    /// Offset of that logit.
    pub known_bias: f64,
}

impl ReferenceCalibration {
    /// Probability in 0..=1 that a photograph shows the part of references to which it has a similarity in -1..=1:
    /// `1 / (1 + exp(-(known_scale * s + known_bias)))` (Platt, 1999).
    pub fn known_score(&self, similarity: f64) -> f64 {
        1.0 / (1.0 + (-self.known_scale.mul_add(similarity, self.known_bias)).exp())
    }
}

/// A reference near to the photograph.
#[derive(Debug, Clone, PartialEq)]
pub struct NearReference {
    /// What it shows.
    pub label: PartLabel,
    /// Where that belongs, when known.
    pub category: Option<Category>,
    /// Cosine similarity in -1..=1.
    pub score: f32,
}

/// What a model says by itself: `[c]` labels, their categories, and their logits divided by the temperature.
#[derive(Debug, Clone, Copy)]
pub struct ClassScores<'a> {
    /// The classes.
    pub labels: &'a [PartLabel],
    /// Where each belongs, when known.
    pub categories: &'a [Option<Category>],
    /// Calibrated logits: their softmax are the probabilities of the classes.
    pub logits: &'a [f64],
    /// Probability in 0..=1 that the photograph shows one of the classes at all.
    pub known_score: f32,
}

/// The classes and the taught labels together.
#[derive(Debug, Clone, PartialEq)]
pub struct FusedScores {
    /// The classes in their order, then taught labels in the order of their nearest reference.
    pub labels: Vec<PartLabel>,
    /// Of each label.
    pub categories: Vec<Option<Category>>,
    /// Of each label, in 0..=1, summing to 1.
    pub probabilities: Vec<f32>,
    /// Probability in 0..=1 that the photograph shows one of them.
    pub known_score: f32,
}

impl FusedScores {
    /// Adds what the nearest references say; `near` has the nearest first, and may be empty.
    ///
    /// A label with references gets the logit `z = score_scale * s + score_bias`, where `s` is the mean similarity
    /// of its up to five nearest. For a class, `z` and its own logit become one: `ln(exp(l) + exp(z - 4))`. The
    /// probabilities are the softmax of all. Where the best label has references, the known score is the greater of
    /// the model's own and [`ReferenceCalibration::known_score`]: a model knows of no part that it has not learnt, so
    /// its own says nothing of a taught one.
    pub fn new(
        classes: &ClassScores<'_>,
        near: &[NearReference],
        calibration: &ReferenceCalibration,
    ) -> Self {
        let mut labels = classes.labels.to_vec();
        let mut categories = classes.categories.to_vec();
        let mut logits = classes.logits.to_vec();
        let mut similarities = vec![None; labels.len()];
        for (index, reference) in near.iter().enumerate() {
            if near[..index].iter().any(|earlier| earlier.label == reference.label) {
                continue;
            }
            let similarity = mean_similarity(&near[index..], &reference.label);
            let logit = calibration.score_scale.mul_add(similarity, calibration.score_bias);
            if let Some(class) = classes.labels.iter().position(|label| *label == reference.label) {
                logits[class] = ln_sum_exp(logits[class], logit - LEARNT_OFFSET);
                similarities[class] = Some(similarity);
            } else {
                labels.push(reference.label.clone());
                categories.push(reference.category);
                logits.push(logit);
                similarities.push(Some(similarity));
            }
        }
        let largest = logits.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let weights: Vec<f64> = logits.iter().map(|logit| (logit - largest).exp()).collect();
        let total: f64 = weights.iter().sum();
        let best = (0..logits.len()).max_by(|&a, &b| logits[a].total_cmp(&logits[b]).then(b.cmp(&a)));
        let taught = best.and_then(|best| similarities[best]);
        let taught = taught.map(|similarity| calibration.known_score(similarity) as f32);
        Self {
            labels,
            categories,
            probabilities: weights.iter().map(|weight| (weight / total) as f32).collect(),
            known_score: classes.known_score.max(taught.unwrap_or(0.0)),
        }
    }

    /// Takes the labels that cannot be on the vehicle down: their probabilities count `factor` times as much as those
    /// of the rest, `p_i' = w_i p_i / sum_j w_j p_j` with `w` the factor for them and 1 for the rest. That is a prior
    /// on what is on the vehicle, and no veto: a label that is sure enough stays first.
    ///
    /// Returns those that had a probability of at least `noted` before, the most probable first.
    pub fn sink(&mut self, is_unfit: impl Fn(&PartLabel) -> bool, factor: f32, noted: f32) -> Vec<Candidate> {
        let unfit: Vec<bool> = self.labels.iter().map(is_unfit).collect();
        let weighed = |(probability, unfit): (&f32, &bool)| {
            f64::from(*probability) * if *unfit { f64::from(factor) } else { 1.0 }
        };
        let weights: Vec<f64> = self.probabilities.iter().zip(&unfit).map(weighed).collect();
        let total: f64 = weights.iter().sum();
        if !unfit.contains(&true) || total <= 0.0 {
            return Vec::new();
        }
        let mut sunk: Vec<Candidate> = (0..self.labels.len())
            .filter(|&at| unfit[at] && self.probabilities[at] >= noted)
            .map(|at| Candidate { label: self.labels[at].clone(), confidence: self.probabilities[at] })
            .collect();
        sunk.sort_by(|one, other| other.confidence.total_cmp(&one.confidence));
        self.probabilities = weights.iter().map(|weight| (weight / total) as f32).collect();
        sunk
    }

    /// The same with other confidences: each probability `p` becomes `p^(1 / temperature)`, all brought to the sum 1
    /// (Guo et al., "On Calibration of Modern Neural Networks", 2017). The order of the labels and the known score
    /// stay. `temperature` is greater than 0.
    #[must_use]
    pub fn with_temperature(mut self, temperature: f64) -> Self {
        let logarithms = self.log_probabilities();
        let largest = logarithms.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let weights: Vec<f64> =
            logarithms.iter().map(|logarithm| ((logarithm - largest) / temperature).exp()).collect();
        let total: f64 = weights.iter().sum();
        self.probabilities = weights.iter().map(|weight| (weight / total) as f32).collect();
        self
    }

    /// `ln p` of each label, at least -69.
    pub fn log_probabilities(&self) -> Vec<f64> {
        self.probabilities.iter().map(|&probability| f64::from(probability).max(1e-30).ln()).collect()
    }

    /// The `k` most probable labels, best first; equals come in the order of the labels.
    pub fn ranking(&self, k: usize) -> Vec<Candidate> {
        let mut order: Vec<usize> = (0..self.labels.len()).collect();
        order.sort_by(|&a, &b| self.probabilities[b].total_cmp(&self.probabilities[a]).then(a.cmp(&b)));
        order.truncate(k);
        order
            .into_iter()
            .map(|at| Candidate { label: self.labels[at].clone(), confidence: self.probabilities[at] })
            .collect()
    }
}

/// The mean similarity of the nearest references of `label`, of which there is at least one.
fn mean_similarity(near: &[NearReference], label: &PartLabel) -> f64 {
    let own = near.iter().filter(|reference| reference.label == *label).take(NEAREST_OF_LABEL);
    let (sum, n) = own.fold((0.0, 0.0), |(sum, n), reference| (sum + f64::from(reference.score), n + 1.0));
    sum / n
}

fn ln_sum_exp(a: f64, b: f64) -> f64 {
    let (larger, smaller) = (a.max(b), a.min(b));
    larger + (smaller - larger).exp().ln_1p()
}

#[cfg(test)]
mod tests {
    use super::*;

    const CALIBRATION: ReferenceCalibration =
        ReferenceCalibration { score_scale: 10.0, score_bias: 2.0, known_scale: 20.0, known_bias: -7.0 };

    fn label(text: &str) -> PartLabel {
        PartLabel::new(text).unwrap()
    }

    fn near(text: &str, score: f32) -> NearReference {
        NearReference { label: label(text), category: Some(Category::Engine), score }
    }

    fn fused(logits: [f64; 2], known_score: f32, near: &[NearReference]) -> FusedScores {
        let labels = [label("rim"), label("piston")];
        let categories = [Some(Category::Body), Some(Category::Engine)];
        let classes = ClassScores { labels: &labels, categories: &categories, logits: &logits, known_score };
        FusedScores::new(&classes, near, &CALIBRATION)
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
        assert_eq!(labels, ["egr-valve", "rim", "piston", "door"], "9.5, 4, 3 and 3");
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
        // 8 by the references alone.
        let learnt = fused([6.0, 4.0], 0.5, &[near("piston", 0.6)]);
        assert_eq!(learnt.ranking(1)[0].label, label("rim"));
        let taught = fused([6.0, 4.0], 0.5, &[near("egr-valve", 0.6)]);
        assert_eq!(taught.ranking(1)[0].label, label("egr-valve"));
        // A photograph that is nearly the same is stronger than what was learnt.
        let same = fused([6.0, 4.0], 0.5, &[near("piston", 0.95)]);
        assert_eq!(same.ranking(1)[0].label, label("piston"));
    }

    #[test]
    fn a_temperature_changes_how_sure_it_is_and_not_of_what() {
        let cold = fused([3.0, 1.0], 0.5, &[near("egr-valve", 0.1)]);
        let same = cold.clone().with_temperature(1.0);
        for (one, other) in cold.probabilities.iter().zip(&same.probabilities) {
            assert!((one - other).abs() < 1e-6);
        }
        let warm = cold.clone().with_temperature(2.0);
        // 3, 3 and 1 halved.
        let expected = 1.0 / (2.0 + (-1.0_f64).exp());
        assert!((f64::from(warm.probabilities[0]) - expected).abs() < 1e-6, "{:?}", warm.probabilities);
        assert!(warm.probabilities[0] < cold.probabilities[0]);
        assert!((warm.probabilities.iter().sum::<f32>() - 1.0).abs() < 1e-6);
        assert_eq!((warm.labels, warm.known_score.to_bits()), (cold.labels, cold.known_score.to_bits()));
    }

    #[test]
    fn only_the_five_nearest_of_a_label_count() {
        let mut many = vec![near("egr-valve", 0.8); 5];
        let few = fused([0.0, 0.0], 0.5, &many);
        many.extend(vec![near("egr-valve", -0.5); 20]);
        assert_eq!(fused([0.0, 0.0], 0.5, &many), few);
    }

    #[test]
    fn what_cannot_be_on_the_vehicle_sinks_and_is_named() {
        let mut scores = fused([1.0, 0.0], 0.9, &[]);
        let before = scores.clone();
        let sunk = scores.sink(|label| *label == PartLabel::new("rim").unwrap(), 0.02, 0.05);
        assert_eq!(sunk, [Candidate { label: label("rim"), confidence: before.probabilities[0] }]);
        assert_eq!(scores.ranking(1)[0].label, label("piston"));
        let odds = |scores: &FusedScores| scores.probabilities[0] / scores.probabilities[1];
        assert!((odds(&scores) / odds(&before) - 0.02).abs() < 1e-4);
        assert!((scores.probabilities.iter().sum::<f32>() - 1.0).abs() < 1e-6);

        // One that is sure enough stays first.
        let mut sure = fused([12.0, 0.0], 0.9, &[]);
        assert_eq!(sure.sink(|found| *found == label("rim"), 0.02, 0.05).len(), 1);
        assert_eq!(sure.ranking(1)[0].label, label("rim"));
        // Nothing is changed, to the last bit, where all can be there.
        let mut untouched = before.clone();
        assert!(untouched.sink(|_| false, 0.02, 0.05).is_empty());
        assert_eq!(untouched, before);
        // And of those that hardly were in question nothing is said.
        assert!(fused([0.0, 9.0], 0.9, &[]).sink(|found| *found == label("rim"), 0.02, 0.05).is_empty());
    }

    #[test]
    fn extreme_logits_neither_overflow_nor_vanish() {
        let fused = fused([1e6, -1e6], 0.5, &[near("rim", 1.0), near("piston", -1.0)]);
        assert_eq!(fused.probabilities, [1.0, 0.0]);
    }
}
