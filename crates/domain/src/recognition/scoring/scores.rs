//! The scores that all steps use.

use crate::recognition::Candidate;
use crate::recognition::scoring::softmax;
use crate::{Category, PartLabel};

/// Scores of the classes and the taught labels.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct FusedScores {
    /// The classes in their order, then taught labels in the order of their nearest reference.
    pub labels: Vec<PartLabel>,
    /// Category of each label, if known.
    pub categories: Vec<Option<Category>>,
    /// Probability of each label, in 0..=1, summing to 1.
    pub probabilities: Vec<f32>,
    /// Probability in 0..=1 that the photograph shows one of them.
    pub known_score: f32,
}

impl FusedScores {
    /// Applies a temperature greater than 0: each probability `p` becomes `p^(1 / temperature)`, normalised to the sum
    /// 1 (Guo et al., "On Calibration of Modern Neural Networks", 2017). Ranking and known score do not change.
    #[must_use]
    pub fn with_temperature(mut self, temperature: f64) -> Self {
        let logarithms = self.log_probabilities();
        // Subtracted before the division, so that the most probable label is at exactly 0.
        let largest = logarithms.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let scaled: Vec<f64> =
            logarithms.iter().map(|logarithm| (logarithm - largest) / temperature).collect();
        self.probabilities = softmax(&scaled).into_iter().map(|probability| probability as f32).collect();
        self
    }

    /// `ln p` of each label, at least -69.
    pub fn log_probabilities(&self) -> Vec<f64> {
        // A probability that underflowed to 0 in f32 would be minus infinity, which pooling could not recover from.
        self.probabilities.iter().map(|&probability| f64::from(probability).max(1e-30).ln()).collect()
    }

    /// The probability of a label, in 0..=1; 0 for one that is not among them.
    pub(super) fn confidence_of(&self, label: &PartLabel) -> f32 {
        let at = self.labels.iter().position(|known| known == label);
        at.and_then(|at| self.probabilities.get(at)).copied().unwrap_or(0.0)
    }

    /// The `k` most probable labels, best first; ties in the order of the labels.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_temperature_changes_how_sure_it_is_and_not_of_what() {
        let label = |text: &str| PartLabel::new(text).unwrap();
        let total = 2.0 + (-2.0_f64).exp();
        let cold = FusedScores {
            labels: ["rim", "egr-valve", "piston"].map(label).to_vec(),
            categories: vec![None; 3],
            probabilities: [1.0, 1.0, (-2.0_f64).exp()].map(|weight| (weight / total) as f32).to_vec(),
            known_score: 0.5,
        };
        let same = cold.clone().with_temperature(1.0);
        for (one, other) in cold.probabilities.iter().zip(&same.probabilities) {
            assert!((one - other).abs() < 1e-6);
        }
        let warm = cold.clone().with_temperature(2.0);
        let expected = 1.0 / (2.0 + (-1.0_f64).exp());
        assert!((f64::from(warm.probabilities[0]) - expected).abs() < 1e-6, "{:?}", warm.probabilities);
        assert!(warm.probabilities[0] < cold.probabilities[0]);
        assert!((warm.probabilities.iter().sum::<f32>() - 1.0).abs() < 1e-6);
        assert_eq!((warm.labels, warm.known_score.to_bits()), (cold.labels, cold.known_score.to_bits()));
    }
}
