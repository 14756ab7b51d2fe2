/// The two-sample Kolmogorov-Smirnov test.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
#[serde(rename_all = "camelCase")]
pub struct KolmogorovSmirnov {
    /// Maximum distance between the empirical distribution functions, in 0..=1.
    pub distance: f64,
    /// Asymptotic p-value (Smirnov, 1948), accurate for about 20 values per sample and more: probability of a distance
    /// at least as large if both samples have the same distribution.
    pub p_value: f64,
}

/// Compares two samples; `None` if one is empty.
pub fn kolmogorov_smirnov(one: &[f64], other: &[f64]) -> Option<KolmogorovSmirnov> {
    if one.is_empty() || other.is_empty() {
        return None;
    }
    let sorted = |values: &[f64]| {
        let mut values = values.to_vec();
        values.sort_by(f64::total_cmp);
        values
    };
    let (one, other) = (sorted(one), sorted(other));
    let share_up_to = |values: &[f64], limit: f64| {
        values.partition_point(|value| *value <= limit) as f64 / values.len() as f64
    };
    // The maximum is at one of the values, because both are step functions.
    let distance = one
        .iter()
        .chain(&other)
        .map(|&value| (share_up_to(&one, value) - share_up_to(&other, value)).abs())
        .fold(0.0, f64::max);
    let (n, m) = (one.len() as f64, other.len() as f64);
    Some(KolmogorovSmirnov { distance, p_value: kolmogorov_tail(distance * (n * m / (n + m)).sqrt()) })
}

/// `P(K > x)` of Kolmogorov's distribution: `2 * sum over k from 1 of (-1)^(k-1) exp(-2 k^2 x^2)`.
pub(super) fn kolmogorov_tail(x: f64) -> f64 {
    // The series converges slowly here, and the probability is 1 to 15 digits.
    if x < 0.15 {
        return 1.0;
    }
    let term = |k: i32| {
        let k_squared = f64::from(k) * f64::from(k);
        let value = (-2.0 * k_squared * x * x).exp();
        if k % 2 == 1 { value } else { -value }
    };
    // Sixty terms: for x of at least 0.15 the last ones are far below the precision of f64.
    (2.0 * (1..=60).map(term).sum::<f64>()).clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn assert_near(found: f64, expected: f64) {
        assert!((found - expected).abs() < 1e-5, "{found} is not {expected}");
    }

    #[test]
    fn distances_and_p_values_are_scipys() {
        // scipy.stats.ks_2samp(a, b).statistic, and kstwobign.sf(sqrt(60 * 50 / 110) * statistic).
        let one: Vec<f64> = (0..60).map(|i| f64::from((i * 37) % 101) / 100.0).collect();
        for (shift, distance, p_value) in [(0.12, 0.206_667, 0.194_471), (0.0, 0.09, 0.979_974)] {
            let other: Vec<f64> =
                (0..50).map(|i| (f64::from((i * 53) % 97) / 97.0).powf(0.8) + shift).collect();
            let found = kolmogorov_smirnov(&one, &other).unwrap();
            assert_near(found.distance, distance);
            assert_near(found.p_value, p_value);
        }
    }

    #[test]
    fn a_sample_is_like_itself_and_unlike_another_range() {
        let one: Vec<f64> = (0..40).map(f64::from).collect();
        let other: Vec<f64> = (100..140).map(f64::from).collect();
        let same = kolmogorov_smirnov(&one, &one).unwrap();
        assert_near(same.distance, 0.0);
        assert_near(same.p_value, 1.0);
        let apart = kolmogorov_smirnov(&one, &other).unwrap();
        assert!(apart.distance > 0.999 && apart.p_value < 1e-15, "{apart:?}");
        assert_eq!(kolmogorov_smirnov(&one, &[]), None);
    }
}
