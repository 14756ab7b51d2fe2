use serde::Serialize;

use super::Share;
use super::bootstrap::{basic_interval, bootstrap};

/// Number of equal-width confidence bins, as in Guo et al., "On Calibration of Modern Neural Networks" (2017); the
/// training code uses the same.
pub const CALIBRATION_BINS: usize = 15;

/// The answers whose confidence is in one bin, `low < confidence <= high`; the first bin includes 0.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CalibrationBin {
    /// Lower edge, in 0..1.
    pub low: f64,
    /// Upper edge, in 0..=1.
    pub high: f64,
    /// Accuracy of the answers in the bin.
    pub right: Share,
    /// Mean confidence; `None` in an empty bin.
    pub mean_confidence: Option<f64>,
    /// Variance of the accuracy if the model is perfectly calibrated; 0 in an empty bin.
    #[serde(skip)]
    pub variance: f64,
}

impl CalibrationBin {
    /// Mean confidence minus accuracy: above 0, the model is overconfident.
    pub fn gap(&self) -> Option<f64> {
        Some(self.mean_confidence? - self.right.value()?)
    }
}

/// Sorts answers, each a confidence in 0..=1 and whether it was right, into [`CALIBRATION_BINS`].
pub fn calibration_bins(answers: &[(f32, bool)]) -> Vec<CalibrationBin> {
    let mut sums = [(0.0_f64, 0.0_f64, Share { count: 0, total: 0 }); CALIBRATION_BINS];
    for &(confidence, is_right) in answers {
        let (sum, spread, right) = &mut sums[bin_of(confidence)];
        *sum += f64::from(confidence);
        // Variance of a single answer that is right with this probability.
        *spread += f64::from(confidence) * (1.0 - f64::from(confidence));
        right.total += 1;
        right.count += usize::from(is_right);
    }
    let edge = |index: usize| index as f64 / CALIBRATION_BINS as f64;
    sums.iter()
        .enumerate()
        .map(|(index, &(sum, spread, right))| CalibrationBin {
            low: edge(index),
            high: edge(index + 1),
            right,
            mean_confidence: (right.total > 0).then(|| sum / right.total as f64),
            variance: if right.total > 0 { spread / (right.total as f64).powi(2) } else { 0.0 },
        })
        .collect()
}

fn bin_of(confidence: f32) -> usize {
    // A bin includes its upper edge, so 1 is in the last bin; 0 is clamped into the first.
    let above = (f64::from(confidence) * CALIBRATION_BINS as f64).ceil() as usize;
    above.saturating_sub(1).min(CALIBRATION_BINS - 1)
}

/// The 95% interval of [`expected_calibration_error`] over these answers, in 0..=1, by the basic bootstrap, because
/// resampling overstates ECE. With few answers the whole interval may lie below the estimate; then it is extended to
/// the estimate. `None` without answers.
pub fn calibration_error_interval(answers: &[(f32, bool)]) -> Option<[f64; 2]> {
    let estimate = expected_calibration_error(&calibration_bins(answers))?;
    // Binned once: only the counts change from sample to sample.
    let binned: Vec<(usize, f64)> = answers
        .iter()
        .map(|&(confidence, is_right)| {
            (bin_of(confidence), f64::from(confidence) - f64::from(u8::from(is_right)))
        })
        .collect();
    let values = bootstrap(answers.len(), |drawn| {
        // The gap of a bin times its size is the sum of the gaps of its answers.
        let mut gaps = [0.0; CALIBRATION_BINS];
        for &item in drawn {
            let (bin, gap) = binned[item];
            gaps[bin] += gap;
        }
        Some(gaps.iter().map(|gap: &f64| gap.abs()).sum::<f64>() / drawn.len() as f64)
    });
    let [low, high] = basic_interval(estimate, &values)?;
    Some([low.min(estimate), high.max(estimate)].map(|end| end.clamp(0.0, 1.0)))
}

/// ECE: the mean of `|confidence - accuracy|` over the bins, weighted by their size, in 0..=1; `None` without answers.
pub fn expected_calibration_error(bins: &[CalibrationBin]) -> Option<f64> {
    let total: usize = bins.iter().map(|bin| bin.right.total).sum();
    let weighted = |bin: &CalibrationBin| bin.gap().map_or(0.0, |gap| gap.abs() * bin.right.total as f64);
    (total > 0).then(|| bins.iter().map(weighted).sum::<f64>() / total as f64)
}

/// The expected ECE of a perfectly calibrated model with these confidences, which is above 0 because the number of
/// answers is finite. For each bin, the mean absolute deviation of a normal variable: `sqrt(2 / pi)` standard
/// deviations. `None` without answers.
pub fn calibration_error_by_chance(bins: &[CalibrationBin]) -> Option<f64> {
    let total: usize = bins.iter().map(|bin| bin.right.total).sum();
    let distance =
        |bin: &CalibrationBin| (bin.variance * std::f64::consts::FRAC_2_PI).sqrt() * bin.right.total as f64;
    (total > 0).then(|| bins.iter().map(distance).sum::<f64>() / total as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::assert_near;
    use partsight_domain::SeededRng;

    #[test]
    fn the_error_is_the_weighted_mean_gap() {
        // Two answers at 0.9, one right: gap 0.4; two at 0.5, both right: gap 0.5.
        let bins = calibration_bins(&[(0.9, true), (0.9, false), (0.5, true), (0.5, true)]);
        assert_near(expected_calibration_error(&bins).unwrap(), (0.4 * 2.0 + 0.5 * 2.0) / 4.0);
    }

    #[test]
    fn edges_belong_to_the_bin_below() {
        let bins = calibration_bins(&[(0.0, false), (0.2, true), (0.21, true), (1.0, true)]);
        let sizes: Vec<_> = bins.iter().map(|bin| bin.right.total).collect();
        // 0.2 as f32 lies a hair above three fifteenths, as it does in training.
        assert_eq!((sizes[0], sizes[2] + sizes[3], sizes[14]), (1, 2, 1));
        assert_eq!(sizes.iter().sum::<usize>(), 4);
    }

    #[test]
    fn right_as_often_as_sure_is_no_error() {
        let answers: Vec<_> = (0..100).map(|index| (0.75, index % 4 != 0)).collect();
        assert_near(expected_calibration_error(&calibration_bins(&answers)).unwrap(), 0.0);
    }

    #[test]
    fn luck_alone_gives_what_the_formula_says() {
        // One hundred answers at 0.8: the share right has the deviation sqrt(0.16 / 100) = 0.04.
        let bins = calibration_bins(&[(0.8, true); 100]);
        let expected = 0.04 * std::f64::consts::FRAC_2_PI.sqrt();
        assert!((calibration_error_by_chance(&bins).unwrap() - expected).abs() < 1e-6);
        // Four times the photographs, half the expected error.
        let more = calibration_bins(&[(0.8, true); 400]);
        assert!((calibration_error_by_chance(&more).unwrap() - expected / 2.0).abs() < 1e-6);
        assert_near(calibration_error_by_chance(&calibration_bins(&[(1.0, true); 9])).unwrap(), 0.0);
    }

    #[test]
    fn of_nothing_there_is_no_error() {
        assert_eq!(expected_calibration_error(&calibration_bins(&[])), None);
        assert_eq!(calibration_error_by_chance(&calibration_bins(&[])), None);
    }

    #[test]
    fn the_interval_of_the_error_holds_the_truth_and_shrinks_with_more_answers() {
        // Confidence 0.8, accuracy 0.6: the error is 0.2.
        let answers = |n: usize| -> Vec<(f32, bool)> {
            let mut rng = SeededRng::new(11);
            (0..n).map(|_| (0.8, rng.uniform() < 0.6)).collect()
        };
        let width = |n: usize| {
            let [low, high] = calibration_error_interval(&answers(n)).unwrap();
            assert!(low < 0.2 && 0.2 < high, "{n}: {low} to {high}");
            high - low
        };
        // 2 * 1.96 * sqrt(0.24 / n).
        assert!((width(400) - 0.096).abs() < 0.015, "{}", width(400));
        assert!(width(4000) < 0.04);
        assert_eq!(calibration_error_interval(&[]), None);
    }
}
