//! Thresholds for given error rates: when to answer, with a bound on the error.

use super::binomial::error_upper_bound;
use crate::RiskThreshold;

/// The error rates for which a manifest stores thresholds.
pub const WANTED_ERRORS: [f64; 4] = [0.01, 0.02, 0.05, 0.10];
/// Confidence with which the bounds of all candidates hold together.
pub const GUARANTEE: f64 = 0.95;
/// Number of candidate coverages: 1/20, 2/20, ... of the photographs. More candidates would be finer, but each
/// bound would be a little looser, since all must hold together.
const N_COVERAGES: usize = 20;
/// The highest threshold that a confidence can reach. A threshold of 1 means that nothing is answered, but
/// confidences in f32 round to 1.
const HIGHEST_REACHED: f64 = 1.0 - f32::EPSILON as f64 / 2.0;

/// The confidence threshold from which answers may be given so that at most `wanted_error` of them are wrong.
///
/// `answers` holds, for each photograph of a known type that can be answered, the calibrated confidence of the best
/// guess and whether it is correct. `n_photos` is n, the number of these plus the photographs that are never
/// answered, such as those below the threshold of the known score; at least the length of `answers`. After Geifman
/// and El-Yaniv, "Selective Classification for Deep Neural Networks", 2017, with a fixed set of candidates in place
/// of their binary search:
///
/// 1. Sort the answers by descending confidence. Candidate j of 1 to 20 is the confidence at rank
///    `ceil(j * n / 20)`, if there are that many answers; equal candidates count once, and m remain. They depend on
///    the confidences alone, not on which answers are correct.
/// 2. A candidate answers the k photographs at or above it, e of them wrong. Its bound is the one-sided
///    Clopper-Pearson upper limit of the error at level `1 - 0.05 / m`: the p at which a binomial of k trials has
///    at most e errors with probability `0.05 / m`. By the union bound all m hold together with probability 0.95,
///    for photographs from the same distribution.
/// 3. The lowest candidate whose bound is at most `wanted_error` is taken: the largest coverage that meets the
///    bound.
/// 4. If no bound is small enough, the threshold is the lowest confidence above those of all wrong answers. It may
///    be any of the distinct confidences, so its bound is at level `1 - 0.05 / (their number)`, and exceeds
///    `wanted_error` if there are too few photographs. If the most confident answer is wrong, or there is none,
///    nothing is answered: threshold 1, bound 1.
///
/// `None` without photographs.
pub fn risk_threshold(answers: &[(f64, bool)], n_photos: usize, wanted_error: f64) -> Option<RiskThreshold> {
    let ordered = by_falling_confidence(answers);
    // Photographs that are never answered count here: coverage is a fraction of all photographs.
    let n = n_photos.max(ordered.len());
    if n == 0 {
        return None;
    }
    let at = |threshold: f64| {
        let answered = ordered.iter().take_while(|(confidence, _)| *confidence >= threshold);
        answered.fold((0_u64, 0_u64), |(k, wrong), (_, is_right)| (k + 1, wrong + u64::from(!is_right)))
    };
    let mark = |confidence: f64, n_candidates: usize| {
        let threshold = confidence.min(HIGHEST_REACHED);
        let (answered, wrong) = at(threshold);
        RiskThreshold {
            wanted_error,
            identified_confidence: threshold,
            answered: answered as f64 / n as f64,
            error_upper_bound: error_upper_bound(wrong, answered, (1.0 - GUARANTEE) / n_candidates as f64),
            n: n as u64,
            identified: None,
            identified_wrong: None,
            not_sure: None,
        }
    };
    // Chosen by rank alone. A threshold that was chosen by its errors would need a bound over all thresholds.
    let ranks = (1..=N_COVERAGES).map(|j| (j * n).div_ceil(N_COVERAGES));
    let mut candidates: Vec<f64> =
        ranks.filter_map(|rank| ordered.get(rank - 1)).map(|(confidence, _)| *confidence).collect();
    // Equal confidences are answered together, so they are one candidate; fewer candidates give tighter bounds.
    candidates.dedup();
    // In ascending order, so that the largest coverage is found first.
    let kept = candidates.iter().rev().map(|&threshold| mark(threshold, candidates.len()));
    if let Some(kept) = kept.into_iter().find(RiskThreshold::is_met) {
        return Some(kept);
    }
    // With so few photographs no bound is small enough, so only what is above every wrong answer is answered.
    let mut distinct: Vec<f64> = ordered.iter().map(|(confidence, _)| *confidence).collect();
    distinct.dedup();
    let surest_wrong = ordered.iter().find(|(_, is_right)| !is_right).map(|(confidence, _)| *confidence);
    let above =
        distinct.iter().rev().find(|confidence| surest_wrong.is_none_or(|wrong| **confidence > wrong));
    Some(match above {
        Some(&threshold) => mark(threshold, distinct.len()),
        None => RiskThreshold {
            wanted_error,
            identified_confidence: 1.0,
            answered: 0.0,
            error_upper_bound: 1.0,
            n: n as u64,
            identified: None,
            identified_wrong: None,
            not_sure: None,
        },
    })
}

/// The mark of [`risk_threshold`] for each of `wanted_errors`, in ascending order of the error; empty without
/// photographs.
///
/// No mark has a lower threshold than a laxer one. Where a bound cannot be met, step 4 of the rule may choose a
/// threshold below that of a laxer mark, which is met with some answers wrong or with fewer of them; the laxer mark's
/// threshold, counts and bound then hold for the stricter one too.
pub fn risk_thresholds(
    answers: &[(f64, bool)],
    n_photos: usize,
    wanted_errors: &[f64],
) -> Vec<RiskThreshold> {
    let mut wanted_errors = wanted_errors.to_vec();
    // From lax to strict, since each depends on the laxer one.
    wanted_errors.sort_by(|one, other| other.total_cmp(one));
    let mut marks: Vec<RiskThreshold> = Vec::new();
    for wanted_error in wanted_errors {
        let found = risk_threshold(answers, n_photos, wanted_error);
        let laxer = marks.last().map(|laxer| RiskThreshold { wanted_error, ..*laxer });
        let is_laxer_still = |mark: &RiskThreshold| {
            laxer.is_some_and(|laxer| mark.identified_confidence < laxer.identified_confidence)
        };
        marks.extend(found.filter(|mark| !is_laxer_still(mark)).or(laxer));
    }
    marks.reverse();
    marks
}

/// The highest threshold with at most the fraction `share` of these scores below it: the score of rank
/// `floor(share * n)` in ascending order, counted from 0. 0 without scores.
///
/// For "at most 3% of photographs of known types are rejected as not a part", with their known scores.
pub fn threshold_with_share_below(scores: &[f64], share: f64) -> f64 {
    let mut scores = scores.to_vec();
    scores.sort_by(f64::total_cmp);
    let rank = (share * scores.len() as f64) as usize;
    scores.get(rank).or(scores.last()).copied().unwrap_or(0.0)
}

/// The lowest threshold that at most the fraction `share` of these scores reach: just above the score of rank
/// `floor(share * n)` in descending order, counted from 0; at most 1. 0 if that fraction is all of them.
///
/// For "at most 1.5% of photographs without a known type are reported as identified", with their known scores.
pub fn threshold_with_share_above(scores: &[f64], share: f64) -> f64 {
    let mut scores = scores.to_vec();
    scores.sort_by(|a, b| b.total_cmp(a));
    let rank = (share * scores.len() as f64) as usize;
    // Serving compares scores as f32, where the next f64 would round back to this score.
    scores.get(rank).map_or(0.0, |&score| f64::from((score as f32).next_up()).min(1.0))
}

fn by_falling_confidence(answers: &[(f64, bool)]) -> Vec<(f64, bool)> {
    let mut ordered = answers.to_vec();
    ordered.sort_by(|a, b| b.0.total_cmp(&a.0));
    ordered
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn close(found: f64, expected: f64, tolerance: f64) {
        assert!((found - expected).abs() < tolerance, "{found} instead of {expected}");
    }

    /// `n` photographs with confidences falling from 1; the answer of a rank is wrong if `is_wrong` is true for it.
    fn answers(n: usize, is_wrong: impl Fn(usize) -> bool) -> Vec<(f64, bool)> {
        (0..n).map(|rank| (1.0 - rank as f64 / n as f64, !is_wrong(rank))).collect()
    }

    #[test]
    fn the_largest_coverage_that_keeps_the_promise_is_taken() {
        // The more confident half is all correct, the rest is all wrong.
        let answers = answers(1000, |rank| rank >= 500);
        let mark = risk_threshold(&answers, answers.len(), 0.05).expect("photographs");
        assert!(mark.is_met(), "{mark:?}");
        close(mark.answered, 0.5, 1e-9);
        close(mark.identified_confidence, 1.0 - 499.0 / 1000.0, 1e-9);
        close(mark.error_upper_bound, error_upper_bound(0, 500, 0.05 / 20.0), 1e-12);
        let next = error_upper_bound(50, 550, 0.05 / 20.0);
        assert!(next > 0.05, "the next coverage would break the promise: {next}");
    }

    #[test]
    fn a_stricter_mark_answers_no_more_than_a_laxer_one() {
        // At most 2% wrong can be promised at rank 300, of 1,000; at most 1% at none. The first wrong answer is at
        // rank 350, so the lowest threshold above every wrong one is laxer than that of the 2%.
        let answers = answers(1000, |rank| rank >= 349);
        let alone = |wanted| risk_threshold(&answers, 1000, wanted).expect("photographs");
        assert!(alone(0.02).is_met() && !alone(0.01).is_met());
        assert!(alone(0.01).identified_confidence < alone(0.02).identified_confidence, "{:?}", alone(0.01));

        let marks = risk_thresholds(&answers, 1000, &WANTED_ERRORS);
        assert_eq!(marks.iter().map(|mark| mark.wanted_error).collect::<Vec<_>>(), WANTED_ERRORS);
        assert!(marks.is_sorted_by(|strict, lax| strict.identified_confidence >= lax.identified_confidence));
        assert_eq!(marks[1..], [0.02, 0.05, 0.1].map(alone));
        let [strict, lax] = [marks[0], marks[1]];
        assert_eq!(strict, RiskThreshold { wanted_error: 0.01, ..lax });
        close(strict.answered, 0.3, 1e-9);
        assert!(!strict.is_met() && lax.is_met());
        assert_eq!(risk_thresholds(&[], 0, &WANTED_ERRORS), []);
    }

    proptest! {
        #[test]
        fn marks_never_fall(
            answers in prop::collection::vec((0_u8..50, prop::bool::weighted(0.9)), 0..400), more in 0_usize..100,
        ) {
            let answers: Vec<_> =
                answers.into_iter().map(|(confidence, is_right)| (f64::from(confidence) / 50.0, is_right)).collect();
            let marks = risk_thresholds(&answers, answers.len() + more, &WANTED_ERRORS);
            prop_assert!(
                marks.is_sorted_by(|strict, lax| strict.identified_confidence >= lax.identified_confidence)
            );
            // What can be promised is not given up for that.
            for mark in &marks {
                let alone = risk_threshold(&answers, answers.len() + more, mark.wanted_error).expect("photographs");
                prop_assert_eq!(mark.is_met(), alone.is_met());
            }
        }
    }

    #[test]
    fn everything_is_answered_when_everything_is_right() {
        let mark = risk_threshold(&answers(1000, |_| false), 1000, 0.01).expect("photographs");
        close(mark.answered, 1.0, 1e-9);
        assert!(mark.is_met());
    }

    #[test]
    fn too_few_photographs_give_the_strictest_threshold_and_say_so() {
        let answers = answers(20, |rank| rank == 5 || rank == 15);
        let mark = risk_threshold(&answers, answers.len(), 0.01).expect("photographs");
        assert!(!mark.is_met(), "{mark:?}");
        close(mark.answered, 5.0 / 20.0, 1e-9);
        close(mark.identified_confidence, 1.0 - 4.0 / 20.0, 1e-9);
        close(mark.error_upper_bound, 1.0 - (0.05_f64 / 20.0).powf(1.0 / 5.0), 1e-9);
    }

    #[test]
    fn confidences_that_were_rounded_to_1_are_answered_below_1() {
        let mark = risk_threshold(&[(1.0, true); 1000], 1000, 0.05).expect("photographs");
        assert!(mark.identified_confidence < 1.0 && (mark.identified_confidence as f32) < 1.0, "{mark:?}");
        close(mark.answered, 1.0, 1e-12);
        assert!(mark.is_met());
    }

    #[test]
    fn nothing_is_answered_when_the_surest_answer_is_wrong() {
        let mark = risk_threshold(&answers(20, |rank| rank == 0), 20, 0.01).expect("photographs");
        close(mark.answered, 0.0, 1e-12);
        close(mark.error_upper_bound, 1.0, 1e-12);
    }

    #[test]
    fn equal_confidences_are_answered_together() {
        let mark = risk_threshold(&[(0.7, true), (0.7, false), (0.7, true)], 3, 0.9).expect("photographs");
        close(mark.answered, 1.0, 1e-12);
        close(mark.error_upper_bound, error_upper_bound(1, 3, 0.05), 1e-12);
    }

    #[test]
    fn without_photographs_there_is_no_threshold() {
        assert_eq!(risk_threshold(&[], 0, 0.05), None);
    }

    #[test]
    fn photographs_that_are_never_answered_count_in_the_share_and_not_in_the_bound() {
        let answers = answers(500, |_| false);
        let mark = risk_threshold(&answers, 1000, 0.05).expect("photographs");
        close(mark.answered, 0.5, 1e-9);
        assert_eq!(mark.n, 1000);
        // Ten of the twenty ranks are beyond the last answer, so only ten bounds must hold together.
        close(mark.error_upper_bound, error_upper_bound(0, 500, 0.05 / 10.0), 1e-12);
    }

    #[test]
    fn nothing_is_answered_where_no_photograph_can_be() {
        let mark = risk_threshold(&[], 10, 0.05).expect("photographs");
        assert_eq!((mark.n, mark.is_met()), (10, false));
        close(mark.identified_confidence, 1.0, 1e-12);
        close(mark.answered, 0.0, 1e-12);
    }

    #[test]
    fn a_share_below_and_a_share_above_are_kept() {
        let scores: Vec<f64> = (0..100).map(f64::from).map(|score| score / 100.0).collect();
        let below = threshold_with_share_below(&scores, 0.03);
        assert_eq!(scores.iter().filter(|score| **score < below).count(), 3);
        let above = threshold_with_share_above(&scores, 0.015);
        assert_eq!(scores.iter().filter(|score| **score as f32 >= above as f32).count(), 1);
        close(threshold_with_share_below(&[], 0.03), 0.0, 1e-12);
        close(threshold_with_share_above(&[], 0.03), 0.0, 1e-12);
        close(threshold_with_share_above(&[1.0], 0.0), 1.0, 1e-12);
    }
}
