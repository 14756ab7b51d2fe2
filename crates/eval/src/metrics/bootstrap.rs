//! The bootstrap (Efron, 1979), for intervals of figures without a formula.

use partsight_domain::SeededRng;

/// Fixed, so that the same photographs get the same interval in each run.
const SEED: u64 = 0x5eed;
/// Maximum number of samples: the ends of a 95% interval are the 25th values from either side.
const MOST_SAMPLES: usize = 1000;
/// Minimum number of samples, for large sets: their intervals are narrow, and 5 values beyond either end suffice.
const LEAST_SAMPLES: usize = 200;
/// Approximate total number of drawn items, which takes some tenths of a second.
const DRAWS: usize = 20_000_000;

/// Values of a statistic over bootstrap samples of `n` items, in ascending order. `statistic` gets the indices of the
/// drawn items and returns `None` if it is undefined for them.
pub(crate) fn bootstrap(n: usize, mut statistic: impl FnMut(&[usize]) -> Option<f64>) -> Vec<f64> {
    if n == 0 {
        return Vec::new();
    }
    let mut rng = SeededRng::new(SEED);
    let mut drawn = vec![0; n];
    // Fewer samples for larger sets, so that 100,000 items take no longer than a few thousand.
    let n_samples = (DRAWS / n).clamp(LEAST_SAMPLES, MOST_SAMPLES);
    let mut values: Vec<f64> = (0..n_samples)
        .filter_map(|_| {
            drawn.fill_with(|| rng.below(n));
            statistic(&drawn)
        })
        .collect();
    values.sort_by(f64::total_cmp);
    values
}

/// The 2.5th and 97.5th percentiles of ascending `values`; `None` without values.
pub(crate) fn percentile_interval(values: &[f64]) -> Option<[f64; 2]> {
    let last = values.len().checked_sub(1)?;
    let at = |share: f64| values[(share * last as f64).round() as usize];
    Some([at(0.025), at(0.975)])
}

/// The basic bootstrap (Davison and Hinkley, 1997): the percentiles mirrored at `estimate`, for a statistic that
/// resampling overstates by as much as the estimate overstates the truth. `None` without values.
pub(crate) fn basic_interval(estimate: f64, values: &[f64]) -> Option<[f64; 2]> {
    percentile_interval(values).map(|[low, high]| [2.0 * estimate - high, 2.0 * estimate - low])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::assert_near;

    #[test]
    fn the_interval_of_a_mean_is_that_of_the_normal_distribution() {
        let mut rng = SeededRng::new(3);
        let items: Vec<f64> = (0..400).map(|_| rng.normal()).collect();
        let mean = |drawn: &[usize]| Some(drawn.iter().map(|&item| items[item]).sum::<f64>() / 400.0);
        let estimate = items.iter().sum::<f64>() / 400.0;
        let values = bootstrap(items.len(), mean);
        for interval in [percentile_interval(&values), basic_interval(estimate, &values)] {
            let [low, high] = interval.unwrap();
            // 1.96 / sqrt(400) = 0.098 either side, and the luck of 400 items and 1,000 samples.
            assert!((low - (estimate - 0.098)).abs() < 0.02, "{low} {estimate}");
            assert!((high - (estimate + 0.098)).abs() < 0.02, "{high} {estimate}");
        }
        assert_eq!(bootstrap(items.len(), mean), values, "each run draws the same");
    }

    #[test]
    fn mirrored_ends_change_places() {
        let values: Vec<f64> = (0..=1000).map(|value| f64::from(value) / 1000.0).collect();
        let [low, high] = basic_interval(0.4, &values).unwrap();
        assert_near(low, 0.8 - 0.975);
        assert_near(high, 0.8 - 0.025);
    }

    #[test]
    fn nothing_has_no_interval() {
        assert!(bootstrap(0, |_| Some(1.0)).is_empty());
        assert_eq!(percentile_interval(&[]), None);
        assert_eq!(basic_interval(0.5, &bootstrap(3, |_| None)), None);
    }
}
