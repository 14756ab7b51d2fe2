//! Calibration: from a model's raw scores of one photograph to probabilities.

use crate::recognition::scoring::softmax;

/// A model's scores of one photograph, before calibration.
#[derive(Debug, Clone, Copy)]
pub struct RawScores<'a> {
    /// Logits of the classes, f32 `[c]`, finite.
    pub logits: &'a [f32],
    /// Logit of "the photograph shows one of the classes at all", finite.
    pub known: f32,
}

/// Calibration of a model's raw scores; fitted for each model, and stated in its manifest.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ModelCalibration {
    /// Divisor of the logits, greater than 0.
    pub temperature: f64,
    /// Factor of the known logit, greater than 0.
    pub known_scale: f64,
    /// Offset of the known logit.
    pub known_bias: f64,
}

impl ModelCalibration {
    /// Calibrated logits `[c]`: `logits / temperature` (Guo et al., "On Calibration of Modern Neural Networks", 2017).
    /// Their softmax are the probabilities of the classes.
    pub fn logits(&self, logits: &[f32]) -> Vec<f64> {
        // In f64 from here on, because sums of exponentials lose precision in f32.
        logits.iter().map(|&logit| f64::from(logit) / self.temperature).collect()
    }

    /// Probability in 0..=1 that the photograph shows one of the classes at all:
    /// `1 / (1 + exp(-(known_scale * known + known_bias)))` (Platt, 1999).
    pub fn known_score(&self, known: f32) -> f32 {
        sigmoid(self.known_logit(known)) as f32
    }

    /// The logit of the known score.
    pub(super) fn known_logit(&self, known: f32) -> f64 {
        self.known_scale.mul_add(f64::from(known), self.known_bias)
    }
}

/// `1 / (1 + exp(-logit))`, in 0..=1.
pub(super) fn sigmoid(logit: f64) -> f64 {
    1.0 / (1.0 + (-logit).exp())
}

/// A photograph's calibrated scores by class index, for uses that only need the model: verification, import, and the
/// decision on a second look.
#[derive(Debug, Clone, PartialEq)]
pub struct CalibratedScores {
    /// Probability of each class, `[c]`, in 0..=1, summing to 1.
    pub probabilities: Vec<f32>,
    /// Probability that the photograph shows one of the classes at all, in 0..=1.
    pub known_score: f32,
}

impl CalibratedScores {
    /// Calibrates the raw scores of one photograph.
    pub fn new(calibration: &ModelCalibration, raw: RawScores<'_>) -> Self {
        let probabilities = softmax(&calibration.logits(raw.logits));
        Self {
            probabilities: probabilities.into_iter().map(|probability| probability as f32).collect(),
            known_score: calibration.known_score(raw.known),
        }
    }

    /// The most probable class, the first of ties; `None` without classes.
    pub fn best(&self) -> Option<usize> {
        let classes = 0..self.probabilities.len();
        classes.max_by(|&a, &b| self.probabilities[a].total_cmp(&self.probabilities[b]).then(b.cmp(&a)))
    }

    /// Probability of the most probable class, in 0..=1; 0 without classes.
    pub fn confidence(&self) -> f32 {
        self.best().map_or(0.0, |class| self.probabilities[class])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scores(temperature: f64, logits: &[f32], known: f32) -> CalibratedScores {
        let calibration = ModelCalibration { temperature, known_scale: 2.0, known_bias: -1.0 };
        CalibratedScores::new(&calibration, RawScores { logits, known })
    }

    #[test]
    fn probabilities_are_the_softmax_of_scaled_logits() {
        let scores = scores(2.0, &[2.0, 0.0, -2.0], 0.5);
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
        let (sharp, soft) = (scores(0.5, &logits, 0.0), scores(5.0, &logits, 0.0));
        assert!(sharp.confidence() > soft.confidence());
        assert_eq!((sharp.best(), soft.best()), (Some(1), Some(1)));
    }

    #[test]
    fn extreme_logits_neither_overflow_nor_vanish() {
        let scores = scores(0.01, &[f32::MAX, f32::MIN, 0.0], f32::MIN);
        assert_eq!(scores.probabilities, [1.0, 0.0, 0.0]);
        assert_eq!(scores.known_score.to_bits(), 0.0_f32.to_bits());
    }

    #[test]
    fn of_equal_classes_the_first_is_the_best() {
        assert_eq!(scores(1.0, &[1.0; 4], 0.0).best(), Some(0));
    }

    #[test]
    fn without_classes_there_is_no_best() {
        let scores = scores(1.0, &[], 0.0);
        assert_eq!((scores.best(), scores.confidence().to_bits()), (None, 0));
    }
}
