use partsight_app::binomial_at_most;
use serde::Serialize;

use super::Share;

/// Outcomes of two models on the same photographs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PairedOutcomes {
    /// Both right.
    pub both_right: usize,
    /// Only the first right.
    pub only_first: usize,
    /// Only the second right.
    pub only_second: usize,
    /// Both wrong.
    pub both_wrong: usize,
}

impl PairedOutcomes {
    /// Counts one photograph.
    pub fn add(&mut self, first_is_right: bool, second_is_right: bool) {
        match (first_is_right, second_is_right) {
            (true, true) => self.both_right += 1,
            (true, false) => self.only_first += 1,
            (false, true) => self.only_second += 1,
            (false, false) => self.both_wrong += 1,
        }
    }

    /// Number of all photographs.
    pub fn total(&self) -> usize {
        self.both_right + self.only_first + self.only_second + self.both_wrong
    }

    /// Accuracy of the second minus that of the first, in -1..=1; `None` without photographs.
    pub fn difference(&self) -> Option<f64> {
        let second = Share { count: self.both_right + self.only_second, total: self.total() };
        let first = Share { count: self.both_right + self.only_first, total: self.total() };
        Some(second.value()? - first.value()?)
    }
}

/// Two-sided p-value of `McNemar`'s exact test (1947): the probability of a split of the discordant photographs at
/// least as uneven as this one, if both models have the same accuracy. 1 without discordant photographs.
pub fn mcnemar_exact(outcomes: &PairedOutcomes) -> f64 {
    let n_discordant = outcomes.only_first + outcomes.only_second;
    let fewer = outcomes.only_first.min(outcomes.only_second);
    (2.0 * binomial_at_most(fewer as u64, n_discordant as u64, 0.5)).min(1.0)
}

/// The 95% interval of [`PairedOutcomes::difference`]: method 10 of Newcombe, "Improved confidence intervals for the
/// difference between binomial proportions based on paired data" (1998). `None` without photographs.
pub fn difference_interval(outcomes: &PairedOutcomes) -> Option<[f64; 2]> {
    let total = outcomes.total();
    let share = |only: usize| Share { count: outcomes.both_right + only, total };
    let (first, second) = (share(outcomes.only_first), share(outcomes.only_second));
    let (p_first, p_second) = (first.value()?, second.value()?);
    let ([low_first, high_first], [low_second, high_second]) = (first.interval(), second.interval());
    let correlation = correlation(outcomes);
    let length = |one: f64, two: f64| (one * one - 2.0 * correlation * one * two + two * two).max(0.0).sqrt();
    let difference = p_second - p_first;
    Some([
        difference - length(p_second - low_second, high_first - p_first),
        difference + length(high_second - p_second, p_first - low_first),
    ])
}

/// Newcombe's estimate of phi, with his continuity correction.
fn correlation(outcomes: &PairedOutcomes) -> f64 {
    let [a, b, c, d] = [outcomes.both_right, outcomes.only_first, outcomes.only_second, outcomes.both_wrong]
        .map(|count| count as f64);
    let product = (a + b) * (c + d) * (a + c) * (b + d);
    if product <= 0.0 {
        return 0.0;
    }
    let agreement = a * d - b * c;
    let corrected = if agreement > 0.0 { (agreement - (a + b + c + d) / 2.0).max(0.0) } else { agreement };
    corrected / product.sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::assert_near;

    fn outcomes(counts: [usize; 4]) -> PairedOutcomes {
        let [both_right, only_first, only_second, both_wrong] = counts;
        PairedOutcomes { both_right, only_first, only_second, both_wrong }
    }

    #[test]
    fn the_exact_test_is_a_binomial_one_on_the_discordant_pairs() {
        // 1 and 5 of 6: 2 * (1 + 6) / 64.
        assert_near(mcnemar_exact(&outcomes([40, 1, 5, 3])), 14.0 / 64.0);
        // 0 of 10: 2 / 1024.
        assert_near(mcnemar_exact(&outcomes([0, 10, 0, 0])), 2.0 / 1024.0);
        assert_near(mcnemar_exact(&outcomes([40, 3, 3, 3])), 1.0);
        assert_near(mcnemar_exact(&outcomes([40, 0, 0, 3])), 1.0);
    }

    #[test]
    fn thousands_of_discordant_pairs_do_not_underflow() {
        // The normal approximation: z = (30600 - 30000 - 0.5) / sqrt(15000) = 4.895.
        let p = mcnemar_exact(&outcomes([0, 29_400, 30_600, 0]));
        assert!((9.0e-7..1.1e-6).contains(&p), "{p}");
    }

    #[test]
    fn the_interval_is_newcombes() {
        // His example (20, 12, 2, 16): difference 0.2, method 10 gives 0.0562 to 0.3290; ours is second less first.
        let [low, high] = difference_interval(&outcomes([20, 12, 2, 16])).unwrap();
        assert!((low + 0.3290).abs() < 5e-4 && (high + 0.0562).abs() < 5e-4, "{low} {high}");
        let [low, high] = difference_interval(&outcomes([5, 0, 0, 5])).unwrap();
        assert!(low < 0.0 && high > 0.0);
        assert_eq!(difference_interval(&outcomes([0; 4])), None);
    }

    #[test]
    fn outcomes_are_counted_and_compared() {
        let mut found = PairedOutcomes::default();
        for (first, second) in [(true, true), (true, false), (false, true), (false, true), (false, false)] {
            found.add(first, second);
        }
        assert_eq!(found, outcomes([1, 1, 2, 1]));
        assert_near(found.difference().unwrap(), 0.2);
    }
}
