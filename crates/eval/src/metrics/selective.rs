use serde::Serialize;

use super::Share;
use super::bootstrap::{bootstrap, percentile_interval};

/// Minimum number of photographs for an interval of the coverage: among fewer, an error rate of a few percent is decided
/// by one or two mistakes, and resampling cannot draw those that did not happen.
const LEAST_PHOTOS: usize = 100;

/// One point of the curve: the result of answering only from a threshold on.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct SelectivePoint {
    /// Scores at or above it are answered.
    pub threshold: f32,
    /// Number of photographs answered.
    pub answered: usize,
    /// Wrong answers among them.
    pub wrong: usize,
}

impl SelectivePoint {
    /// Selective risk: the share of wrong answers among the answers.
    pub fn risk(&self) -> Share {
        Share { count: self.wrong, total: self.answered }
    }
}

/// The risk-coverage curve (El-Yaniv and Wiener, "On the Foundations of Noise-free Selective Classification", 2010).
#[derive(Debug, Clone, PartialEq)]
pub struct SelectiveCurve {
    /// A point for each score that occurs, the highest threshold first.
    pub points: Vec<SelectivePoint>,
    /// Number of all photographs, including those without a score, which are never answered.
    pub total: usize,
}

impl SelectiveCurve {
    /// The curve over `total` photographs. `answers` has the score of each answerable photograph and whether its answer
    /// is right.
    pub fn new(mut answers: Vec<(f32, bool)>, total: usize) -> Self {
        answers.sort_by(|one, two| two.0.total_cmp(&one.0));
        let (mut answered, mut wrong) = (0, 0);
        let points = answers
            .chunk_by(|one, two| one.0.total_cmp(&two.0).is_eq())
            .map(|ties| {
                answered += ties.len();
                wrong += ties.iter().filter(|(_, is_right)| !is_right).count();
                SelectivePoint { threshold: ties[0].0, answered, wrong }
            })
            .collect();
        Self { points, total }
    }

    /// Coverage at a point: the answered share of all photographs, in 0..=1; 0 without photographs.
    pub fn coverage(&self, point: &SelectivePoint) -> f64 {
        Share { count: point.answered, total: self.total }.value().unwrap_or(0.0)
    }

    /// AURC: the mean risk of answering the 1, 2, 3... most confident photographs; lower is better. Tied photographs
    /// share their wrong answers evenly. `None` without answers.
    pub fn area(&self) -> Option<f64> {
        let n_scored = self.points.last()?.answered;
        let (mut before, mut wrong_before, mut sum) = (0, 0, 0.0);
        for point in &self.points {
            let wrong_each = (point.wrong - wrong_before) as f64 / (point.answered - before) as f64;
            // Equal scores have no order, so each carries the same part of their errors.
            for tie in 1..=point.answered - before {
                sum += (wrong_each * tie as f64 + wrong_before as f64) / (before + tie) as f64;
            }
            (before, wrong_before) = (point.answered, point.wrong);
        }
        Some(sum / n_scored as f64)
    }

    /// The point with the largest coverage whose selective risk is at most `max_risk`; `None` if there is no such
    /// point.
    pub fn at_most(&self, max_risk: f64) -> Option<SelectivePoint> {
        let fits = |point: &&SelectivePoint| point.wrong as f64 <= max_risk * point.answered as f64;
        // Searched from the end, because risk may rise and fall again: the largest coverage is required.
        self.points.iter().rev().find(fits).copied()
    }

    /// The 95% bootstrap interval of the coverage at `max_risk`. The threshold is chosen again in each sample, because
    /// that choice causes most of the uncertainty. `None` for fewer than 100 photographs, and if all samples agree, as
    /// they do without any mistake: the bootstrap then knows no uncertainty, and an interval would claim that there is
    /// none.
    pub fn coverage_interval(&self, max_risk: f64) -> Option<[f64; 2]> {
        if self.total < LEAST_PHOTOS {
            return None;
        }
        // For each answer, the index of its point and whether it is wrong. Items beyond the end are photographs that
        // are never answered.
        let mut answers = Vec::new();
        let mut before = (0, 0);
        for (index, point) in self.points.iter().enumerate() {
            let n_wrong = point.wrong - before.1;
            let n_right = point.answered - before.0 - n_wrong;
            answers.extend(std::iter::repeat_n((index, false), n_right));
            answers.extend(std::iter::repeat_n((index, true), n_wrong));
            before = (point.answered, point.wrong);
        }
        let values = bootstrap(self.total, |drawn| {
            let mut counts = vec![(0_usize, 0_usize); self.points.len()];
            // A photograph that is never answered counts only in the total.
            for &(index, is_wrong) in drawn.iter().filter_map(|&item| answers.get(item)) {
                counts[index].0 += 1;
                counts[index].1 += usize::from(is_wrong);
            }
            let (mut answered, mut wrong, mut most) = (0, 0, 0);
            for (n_answered, n_wrong) in counts {
                answered += n_answered;
                wrong += n_wrong;
                if wrong as f64 <= max_risk * answered as f64 {
                    most = answered;
                }
            }
            Some(most as f64 / self.total as f64)
        });
        percentile_interval(&values).filter(|[low, high]| low < high)
    }

    /// The point at a given threshold.
    pub fn at_threshold(&self, threshold: f32) -> SelectivePoint {
        let above = self.points.iter().take_while(|point| point.threshold >= threshold).last();
        let (answered, wrong) = above.map_or((0, 0), |point| (point.answered, point.wrong));
        SelectivePoint { threshold, answered, wrong }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::assert_near;

    fn curve() -> SelectiveCurve {
        let answers = vec![(0.6, false), (0.9, true), (0.8, true), (0.7, false), (0.8, false)];
        SelectiveCurve::new(answers, 10)
    }

    #[test]
    fn points_count_answers_and_mistakes_from_the_surest_on() {
        let found: Vec<_> = curve().points.iter().map(|point| (point.answered, point.wrong)).collect();
        assert_eq!(found, [(1, 0), (3, 1), (4, 2), (5, 3)]);
        assert_near(curve().coverage(&curve().points[1]), 0.3);
    }

    #[test]
    fn the_most_answers_within_a_risk_are_found_past_a_worse_stretch() {
        let later = SelectiveCurve::new(vec![(0.9, false), (0.8, true), (0.7, true), (0.6, true)], 4);
        assert_eq!(later.at_most(0.25).map(|point| point.answered), Some(4));
        assert_eq!(later.at_most(0.2), None);
        assert_eq!(curve().at_most(0.0).map(|point| point.answered), Some(1));
    }

    #[test]
    fn the_area_averages_the_risk() {
        // Most confident first: right, then two ties of which one is wrong, wrong, wrong.
        // Risks 0, 0.5/2, 1/3, 2/4, 3/5.
        assert_near(curve().area().unwrap(), (0.25 + 1.0 / 3.0 + 0.5 + 0.6) / 5.0);
        assert_eq!(SelectiveCurve::new(Vec::new(), 3).area(), None);
        assert_near(SelectiveCurve::new(vec![(0.5, true); 4], 4).area().unwrap(), 0.0);
    }

    #[test]
    fn a_stated_threshold_takes_all_scores_at_or_above_it() {
        let cases = [(0.95, (0, 0)), (0.9, (1, 0)), (0.75, (3, 1)), (0.0, (5, 3))];
        for (threshold, expected) in cases {
            let point = curve().at_threshold(threshold);
            assert_eq!((point.answered, point.wrong), expected, "{threshold}");
        }
    }

    #[test]
    fn the_interval_of_a_coverage_is_drawn_again_with_its_threshold() {
        // Half are answered and right, half have no score: 1.96 * sqrt(0.25 / 400) = 0.049 either side.
        let answers = (0..200).map(|index| (0.5 + index as f32 / 1000.0, true)).collect();
        let [low, high] = SelectiveCurve::new(answers, 400).coverage_interval(0.02).unwrap();
        assert!((low - 0.451).abs() < 0.015 && (high - 0.549).abs() < 0.015, "{low} {high}");
        // The most confident is wrong, then 120 are right: with it, 121 is too few for 0.5%; without it, all are
        // answered.
        let answers = (0..=120).map(|index| (1.0 - index as f32 / 200.0, index > 0)).collect();
        let curve = SelectiveCurve::new(answers, 121);
        assert_eq!(curve.at_most(0.005), None);
        let [low, high] = curve.coverage_interval(0.005).unwrap();
        assert!(low < 1e-9 && high > 0.999, "{low} {high}");
    }

    #[test]
    fn a_coverage_that_no_sample_can_move_has_no_interval() {
        let all_right = |n: usize| {
            SelectiveCurve::new((0..n).map(|index| (0.5 + index as f32 / 1000.0, true)).collect(), n)
        };
        for n in [0, 20, 99, 400] {
            assert_eq!(all_right(n).coverage_interval(0.02), None, "{n}");
        }
        // A mistake in every tenth: sixty photographs would have an interval that is too narrow.
        let some_wrong = |n: usize| {
            SelectiveCurve::new(
                (0..n).map(|index| (0.5 + index as f32 / 1000.0, index % 10 > 0)).collect(),
                n,
            )
        };
        assert_eq!(some_wrong(60).coverage_interval(0.1), None);
        assert!(some_wrong(200).coverage_interval(0.1).is_some());
    }
}
