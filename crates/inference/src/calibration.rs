//! From one row of raw outputs to calibrated probabilities, and the fitting of what that takes.

mod binomial;
mod fit;
mod selective;

pub use binomial::{binomial_at_most, error_upper_bound};
pub use fit::{
    Labelled, PlattScaling, expected_calibration_error, fit_platt, fit_temperature, negative_log_likelihood,
};
pub use selective::{
    GUARANTEE, WANTED_ERRORS, risk_threshold, threshold_with_share_above, threshold_with_share_below,
};

use crate::Calibration;

/// Calibrated class probabilities and known score of one photograph.
#[derive(Clone, Debug, PartialEq)]
pub struct Scores {
    /// Probability of each class, `[c]`, in 0..=1, summing to 1.
    pub probabilities: Vec<f32>,
    /// Probability that the photograph shows one of the known types at all, in 0..=1.
    pub known_score: f32,
}

impl Scores {
    /// Calibrates raw `logits` `[c]` and the raw `known` logit.
    ///
    /// `probabilities = softmax(logits / temperature)` (Guo et al., "On Calibration of Modern Neural
    /// Networks", 2017) and `known_score = 1 / (1 + exp(-(known_scale * known + known_bias)))` (Platt, 1999).
    /// Computed in f64 with the largest logit subtracted, so that no finite input overflows.
    pub fn new(calibration: &Calibration, logits: &[f32], known: f32) -> Self {
        let scaled = |logit: f32| f64::from(logit) / calibration.temperature;
        let largest = logits.iter().copied().map(scaled).fold(f64::NEG_INFINITY, f64::max);
        let weights: Vec<f64> = logits.iter().map(|&logit| (scaled(logit) - largest).exp()).collect();
        let total: f64 = weights.iter().sum();
        let probabilities = weights.iter().map(|weight| (weight / total) as f32).collect();
        let known_logit = calibration.known_scale.mul_add(f64::from(known), calibration.known_bias);
        let known_score = (1.0 / (1.0 + (-known_logit).exp())) as f32;
        Self { probabilities, known_score }
    }

    /// The `k` most probable classes, best first; equals come in class order.
    pub fn ranking(&self, k: usize) -> Vec<usize> {
        let mut classes: Vec<usize> = (0..self.probabilities.len()).collect();
        classes.sort_by(|&a, &b| self.probabilities[b].total_cmp(&self.probabilities[a]).then(a.cmp(&b)));
        classes.truncate(k);
        classes
    }

    /// The most probable class; `None` without classes.
    pub fn best(&self) -> Option<usize> {
        self.ranking(1).first().copied()
    }

    /// Probability of the most probable class, in 0..=1; 0 without classes.
    pub fn confidence(&self) -> f32 {
        self.best().map_or(0.0, |class| self.probabilities[class])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn calibration(temperature: f64) -> Calibration {
        Calibration { temperature, known_scale: 2.0, known_bias: -1.0, fitted_on: String::new() }
    }

    #[test]
    fn probabilities_are_the_softmax_of_scaled_logits() {
        let scores = Scores::new(&calibration(2.0), &[2.0, 0.0, -2.0], 0.5);
        let weights = [1.0_f64.exp(), 1.0, (-1.0_f64).exp()];
        let total: f64 = weights.iter().sum();
        for (found, weight) in scores.probabilities.iter().zip(weights) {
            assert!((f64::from(*found) - weight / total).abs() < 1e-6);
        }
        assert!((scores.known_score - 0.5).abs() < 1e-6, "2 * 0.5 - 1 = 0");
    }

    #[test]
    fn a_higher_temperature_lowers_confidence_and_keeps_the_order() {
        let logits = [1.0, 3.0, 2.0];
        let (sharp, soft) =
            (Scores::new(&calibration(0.5), &logits, 0.0), Scores::new(&calibration(5.0), &logits, 0.0));
        assert!(sharp.confidence() > soft.confidence());
        assert_eq!(sharp.ranking(3), [1, 2, 0]);
        assert_eq!(soft.ranking(2), [1, 2]);
    }

    #[test]
    fn extreme_logits_neither_overflow_nor_vanish() {
        let scores = Scores::new(&calibration(0.01), &[f32::MAX, f32::MIN, 0.0], f32::MIN);
        assert_eq!(scores.probabilities, [1.0, 0.0, 0.0]);
        assert!(scores.known_score.abs() < f32::EPSILON);
    }

    #[test]
    fn equals_rank_in_class_order() {
        assert_eq!(Scores::new(&calibration(1.0), &[1.0; 4], 0.0).ranking(9), [0, 1, 2, 3]);
    }

    #[test]
    fn without_classes_there_is_no_best() {
        let scores = Scores::new(&calibration(1.0), &[], 0.0);
        assert_eq!((scores.best(), scores.ranking(3).len()), (None, 0));
        assert!(scores.confidence().abs() < f32::EPSILON);
    }
}
