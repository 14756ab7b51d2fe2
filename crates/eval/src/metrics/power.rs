/// Normal quantiles of a two-sided 5% level and of 80% power.
const Z_SIGNIFICANCE: f64 = 1.959_964;
const Z_POWER: f64 = 0.841_621;
/// Five discordant photographs are never significant: 2 * 0.5^5 = 0.0625.
const LEAST_DISCORDANT: f64 = 6.0;

/// Number of photographs that `McNemar`'s test needs to detect a `difference` in accuracy (two-sided 5% level, 80%
/// power). `discordant` is the share of photographs that only one model gets right, at least `difference`; both in
/// 0..=1.
///
/// Connor, "Sample size for testing differences in proportions for the paired-sample design" (1987).
pub fn photographs_needed(difference: f64, discordant: f64) -> f64 {
    let spread = (discordant - difference * difference).max(0.0).sqrt();
    ((Z_SIGNIFICANCE * discordant.sqrt() + Z_POWER * spread) / difference).powi(2)
}

/// The minimum detectable difference in accuracy, in 0..=1, with `n` photographs (two-sided 5% level, 80% power);
/// `None` if no difference can be detected.
///
/// `discordant` is the expected share of photographs that only one model gets right. For larger differences, the
/// difference is used in its place.
pub fn smallest_difference(n: usize, discordant: f64) -> Option<f64> {
    let n = n as f64;
    // The discordant share is at least the difference in accuracy.
    let is_shown = |difference: f64| photographs_needed(difference, discordant.max(difference)) <= n;
    if n < LEAST_DISCORDANT || !is_shown(1.0) {
        return None;
    }
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..50 {
        let middle = f64::midpoint(low, high);
        if is_shown(middle) {
            high = middle;
        } else {
            low = middle;
        }
    }
    // The formula is an approximation; in the exact test, fewer than six discordant photographs are never significant.
    Some(high.max(LEAST_DISCORDANT / n))
}

/// The share of photographs that only one of two models of this accuracy gets right, if their errors are independent.
/// Errors of models for the same task overlap, so this overestimates the share.
pub fn independent_discordance(accuracy: f64) -> f64 {
    2.0 * accuracy * (1.0 - accuracy)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::assert_near;

    #[test]
    fn the_number_of_photographs_is_connors() {
        // (z * sqrt(psi) + z_b * sqrt(psi - d^2))^2 / d^2 with scipy's norm.ppf(0.975) and norm.ppf(0.8).
        for (difference, discordant, expected) in
            [(0.1, 0.3, 233.0945), (0.05, 0.15, 468.568), (0.01, 0.05, 3922.0812)]
        {
            let found = photographs_needed(difference, discordant);
            assert!((found - expected).abs() < 0.01, "{found} is not {expected}");
        }
    }

    #[test]
    fn the_smallest_difference_needs_just_so_many_photographs() {
        // By scipy.optimize.brentq on the same formula. Summed over all outcomes (scipy.stats.binom), the exact test
        // shows them with a power of 0.787, 0.776, 0.775 and 0.774: its level is below 5%.
        for (n, discordant, expected) in
            [(100, 0.1, 0.087_553), (250, 0.07, 0.046_659), (1000, 0.05, 0.019_787), (233, 0.3, 0.100_020)]
        {
            let found = smallest_difference(n, discordant).unwrap();
            assert!((found - expected).abs() < 2e-6, "{found} is not {expected}");
        }
        // All discordant photographs are part of the drop.
        assert_near(smallest_difference(100, 0.0).unwrap(), 0.076_656);
        assert_near(smallest_difference(20, 0.0).unwrap(), 0.348_316);
    }

    #[test]
    fn a_handful_of_photographs_shows_nothing() {
        assert_eq!(smallest_difference(0, 0.1), None);
        assert_eq!(smallest_difference(5, 0.1), None);
        assert_near(smallest_difference(6, 0.0).unwrap(), 1.0);
    }

    #[test]
    fn independent_errors_are_discordant_by_the_product() {
        assert_near(independent_discordance(0.9), 0.18);
        assert_near(independent_discordance(1.0), 0.0);
    }
}
