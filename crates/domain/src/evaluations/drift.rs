//! Drift: whether scans are distributed like the calibration photographs.
//!
//! [`ScoreShift`] compares confidences and known scores with those of the calibration photographs, whose distributions
//! are in the model's manifest. [`EmbeddingShift`] compares embeddings with those of earlier scans, because embeddings
//! of the calibration photographs are not part of a model.
//!
//! A small p-value alone is no alert: with thousands of scans it is small even for differences that change no answer.
//! An alert also needs a minimum effect size.

mod kernel;
mod kolmogorov;

pub use kernel::{KernelTest, kernel_two_sample};
pub use kolmogorov::{KolmogorovSmirnov, kolmogorov_smirnov};

use jiff::{SignedDuration, Timestamp};
use kolmogorov::kolmogorov_tail;

/// Window of the scans that are tested.
pub const DRIFT_WINDOW: SignedDuration = SignedDuration::from_hours(7 * 24);
/// Minimum of scans for a test: fewer only show shifts that are obvious without one.
pub const MIN_DRIFT_SCANS: usize = 50;
/// Maximum p-value of an alert: in a week of daily tests of three comparisons, a false alert has a probability of at
/// most 5% (Bonferroni, 0.05 / 21).
const DRIFT_MAX_P_VALUE: f64 = 0.05 / 21.0;
/// Minimum distance of two curves for an alert. Each of the three sets that `partsight-50` 3.1.0 was calibrated on
/// is within 0.151 of their mixture; photographs of unknown parts are at 0.65 and more, so that it is reached if about
/// a quarter of the scans show unknown parts.
const DRIFT_MIN_DISTANCE: f64 = 0.2;
/// Minimum squared MMD of embeddings for an alert. Between any two sets of photographs of car parts it was at most
/// 0.020 in our measurements; between everyday photographs and these sets at least 0.034.
const DRIFT_MIN_MMD_SQUARED: f64 = 0.03;

/// Distributions of the scores of the calibration photographs.
#[derive(Debug, Clone, PartialEq)]
pub struct FittedScores {
    /// Effective number of these photographs, which may have unequal weights.
    pub effective_n: f64,
    /// Marks in 0..=1, rising, `[k]`.
    pub at: Vec<f64>,
    /// Share of the photographs whose confidence is at most each mark, `[k]`, in 0..=1.
    pub confidence: Vec<f64>,
    /// Share of the photographs whose known score is at most each mark, `[k]`, in 0..=1.
    pub known_score: Vec<f64>,
}

/// Confidence and known score of a scan by the model alone, without taught parts, feedback and vehicle.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ModelScores {
    /// In 0..=1.
    pub confidence: f32,
    /// In 0..=1.
    pub known_score: f32,
}

/// Distribution of one score over scans, compared with that over the calibration photographs.
///
/// A Kolmogorov-Smirnov test at the marks only. Its distance is at most that over all values, so that the p-value is at
/// least as large: the test is conservative.
#[derive(Debug, Clone, PartialEq)]
pub struct ScoreShift {
    /// Share of the calibration photographs with at most each mark, `[k]`, in 0..=1.
    pub fitted: Vec<f64>,
    /// Share of the scans with at most each mark, `[k]`, in 0..=1.
    pub now: Vec<f64>,
    /// The mark at which the two are farthest apart.
    pub at: f64,
    /// Signed difference there, in -1..=1: positive if more scans are at or below the mark, so that scores are lower.
    pub difference: f64,
    /// Asymptotic p-value: probability of a distance at least as large if both have the same distribution.
    pub p_value: f64,
}

impl ScoreShift {
    /// Compares `scores` with a curve of `effective_n` photographs, `fitted` `[k]` at the marks `at` `[k]`; `None`
    /// without scores or marks.
    pub fn new(at: &[f64], fitted: &[f64], effective_n: f64, scores: &[f32]) -> Option<Self> {
        if scores.is_empty() {
            return None;
        }
        let n = scores.len() as f64;
        // Compared in f32, the type of the scores: 0.9 in f64 differs from 0.9 in f32.
        let share = |mark: &f64| scores.iter().filter(|&&score| score <= *mark as f32).count() as f64 / n;
        let now: Vec<f64> = at.iter().map(share).collect();
        let gaps = at.iter().zip(&now).zip(fitted).map(|((&at, now), fitted)| (at, now - fitted));
        let (at, difference) = gaps.max_by(|one, other| one.1.abs().total_cmp(&other.1.abs()))?;
        let n_effective = n * effective_n / (n + effective_n);
        let p_value = kolmogorov_tail(difference.abs() * n_effective.sqrt());
        Some(Self { fitted: fitted.to_vec(), now, at, difference, p_value })
    }

    /// Distance of the curves, in 0..=1.
    pub fn distance(&self) -> f64 {
        self.difference.abs()
    }

    /// Whether the shift is both significant and large.
    pub fn is_alert(&self) -> bool {
        self.p_value <= DRIFT_MAX_P_VALUE && self.distance() >= DRIFT_MIN_DISTANCE
    }
}

/// Embeddings of scans, compared with those of earlier scans of the same model.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EmbeddingShift {
    /// Earlier scans that were compared.
    pub n_before: usize,
    /// Scans of the window that were compared.
    pub n_now: usize,
    /// As [`KernelTest::mmd_squared`].
    pub mmd_squared: f64,
    /// As [`KernelTest::p_value`].
    pub p_value: f64,
}

impl EmbeddingShift {
    /// Compares embeddings; `None` if either sample has fewer than [`MIN_DRIFT_SCANS`].
    pub fn new(before: &[Vec<f32>], now: &[Vec<f32>]) -> Option<Self> {
        if before.len().min(now.len()) < MIN_DRIFT_SCANS {
            return None;
        }
        let KernelTest { mmd_squared, p_value, .. } = kernel_two_sample(before, now)?;
        Some(Self { n_before: before.len(), n_now: now.len(), mmd_squared, p_value })
    }

    /// Whether the shift is both significant and large.
    pub fn is_alert(&self) -> bool {
        self.p_value <= DRIFT_MAX_P_VALUE && self.mmd_squared >= DRIFT_MIN_MMD_SQUARED
    }
}

/// Result of a drift test of the scans in the window.
#[derive(Debug, Clone, PartialEq)]
pub struct ScanDrift {
    /// Time of the test.
    pub looked_at: Timestamp,
    /// Number of tested scans in the window, by the model in use.
    pub n_scans: usize,
    /// The marks of the curves, `[k]`; empty if the model's manifest has none.
    pub at: Vec<f64>,
    /// `None` for too few scans, or if the model's manifest has no curve.
    pub confidence: Option<ScoreShift>,
    /// As `confidence`.
    pub known_score: Option<ScoreShift>,
    /// `None` for too few scans, in the window or before it.
    pub embedding: Option<EmbeddingShift>,
}

impl ScanDrift {
    /// Compares the scans of a window with the calibration photographs, and their embeddings with earlier ones.
    pub fn new(
        looked_at: Timestamp,
        fitted: Option<&FittedScores>,
        scores: &[ModelScores],
        [before, now]: [&[Vec<f32>]; 2],
    ) -> Self {
        let shift = |curve: fn(&FittedScores) -> &[f64], score: fn(&ModelScores) -> f32| {
            let fitted = fitted.filter(|_| scores.len() >= MIN_DRIFT_SCANS)?;
            let scores: Vec<f32> = scores.iter().map(score).collect();
            ScoreShift::new(&fitted.at, curve(fitted), fitted.effective_n, &scores)
        };
        Self {
            looked_at,
            n_scans: scores.len(),
            at: fitted.map(|fitted| fitted.at.clone()).unwrap_or_default(),
            confidence: shift(|fitted| &fitted.confidence, |scores| scores.confidence),
            known_score: shift(|fitted| &fitted.known_score, |scores| scores.known_score),
            embedding: EmbeddingShift::new(before, now),
        }
    }

    /// Whether the scores have drifted. Embeddings do not count, because a week of other parts shifts them, while the
    /// confidence may still be calibrated.
    pub fn is_alert(&self) -> bool {
        [&self.confidence, &self.known_score].into_iter().flatten().any(ScoreShift::is_alert)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fitted() -> FittedScores {
        FittedScores {
            effective_n: 400.0,
            at: vec![0.25, 0.5, 0.75],
            confidence: vec![0.1, 0.2, 0.4],
            known_score: vec![0.25, 0.5, 0.75],
        }
    }

    /// `n` scores in 0..1, evenly spaced.
    fn even(n: usize) -> Vec<ModelScores> {
        (0..n)
            .map(|i| {
                let score = (i as f32 + 0.5) / n as f32;
                ModelScores { confidence: score, known_score: score }
            })
            .collect()
    }

    fn drift(scores: &[ModelScores]) -> ScanDrift {
        ScanDrift::new(Timestamp::UNIX_EPOCH, Some(&fitted()), scores, [&[], &[]])
    }

    #[test]
    fn the_largest_gap_is_named_with_its_direction() {
        let found = drift(&even(200));
        let confidence = found.confidence.as_ref().unwrap();
        assert_eq!(confidence.now, [0.25, 0.5, 0.75]);
        assert!((confidence.difference - 0.35).abs() < 1e-9, "{confidence:?}");
        assert!((confidence.at - 0.75).abs() < 1e-9, "{confidence:?}");
        assert!(confidence.is_alert() && found.is_alert());
        let known_score = found.known_score.unwrap();
        assert!(known_score.difference.abs() < 1e-9 && !known_score.is_alert(), "{known_score:?}");
        let high = vec![ModelScores { confidence: 1.0, known_score: 1.0 }; 200];
        let confidence = drift(&high).confidence.unwrap();
        assert!((confidence.difference + 0.4).abs() < 1e-9, "scores that rose: {confidence:?}");
    }

    #[test]
    fn a_score_at_a_mark_is_at_most_that_mark() {
        let found = ScoreShift::new(&[0.9], &[0.5], 100.0, &[0.9, 0.900_001]).unwrap();
        assert_eq!(found.now, [0.5]);
    }

    #[test]
    fn an_alert_is_beyond_chance_and_large() {
        let shift = |difference, p_value| ScoreShift {
            fitted: vec![0.5],
            now: vec![0.5 + difference],
            at: 0.5,
            difference,
            p_value,
        };
        for (difference, p_value, expected) in
            [(0.3, 0.001, true), (-0.3, 0.001, true), (0.3, 0.01, false), (0.1, 1e-9, false)]
        {
            assert_eq!(shift(difference, p_value).is_alert(), expected, "{difference} {p_value}");
        }
        let embedding =
            |mmd_squared, p_value| EmbeddingShift { n_before: 99, n_now: 99, mmd_squared, p_value };
        assert!(embedding(0.05, 0.001).is_alert());
        assert!(!embedding(0.01, 0.001).is_alert() && !embedding(0.05, 0.01).is_alert());
    }

    #[test]
    fn few_scans_and_a_model_without_curves_say_nothing() {
        let few = drift(&even(MIN_DRIFT_SCANS - 1));
        assert_eq!((few.n_scans, few.confidence, few.known_score), (MIN_DRIFT_SCANS - 1, None, None));
        assert!(drift(&even(MIN_DRIFT_SCANS)).confidence.is_some());
        let without = ScanDrift::new(Timestamp::UNIX_EPOCH, None, &even(200), [&[], &[]]);
        assert_eq!((without.n_scans, without.confidence.is_none()), (200, true));
        assert!(!without.is_alert());
    }

    #[test]
    fn embeddings_are_compared_where_both_sides_have_enough() {
        let vectors = |n: usize, shift: f32| -> Vec<Vec<f32>> {
            (0..n).map(|i| vec![(i % 10) as f32 / 10.0 + shift, (i % 7) as f32 / 7.0]).collect()
        };
        let (before, now) = (vectors(60, 0.0), vectors(50, 2.0));
        let found = EmbeddingShift::new(&before, &now).unwrap();
        assert_eq!((found.n_before, found.n_now), (60, 50));
        assert!(found.is_alert(), "{found:?}");
        assert_eq!(EmbeddingShift::new(&before[..49], &now), None);
    }
}
