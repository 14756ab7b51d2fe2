use partsight_app::error_upper_bound;
use serde::Serialize;

/// The normal quantile of a two-sided 95% interval, rounded as in the training code.
const Z_95: f64 = 1.96;

/// `count` of `total`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Share {
    /// Number of items with the property.
    pub count: usize,
    /// Number of all items.
    pub total: usize,
}

impl Share {
    /// Counts the items that are true.
    pub fn of(items: impl IntoIterator<Item = bool>) -> Self {
        let mut share = Self { count: 0, total: 0 };
        for has_it in items {
            share.total += 1;
            share.count += usize::from(has_it);
        }
        share
    }

    /// The share in 0..=1; `None` without items.
    pub fn value(self) -> Option<f64> {
        (self.total > 0).then(|| self.count as f64 / self.total as f64)
    }

    /// The two-sided 95% score interval (Wilson, 1927); `[0, 1]` without items.
    pub fn interval(self) -> [f64; 2] {
        let Some(p) = self.value() else { return [0.0, 1.0] };
        let n = self.total as f64;
        let scale = 1.0 + Z_95 * Z_95 / n;
        let centre = (p + Z_95 * Z_95 / (2.0 * n)) / scale;
        let half = Z_95 / scale * (p * (1.0 - p) / n + Z_95 * Z_95 / (4.0 * n * n)).sqrt();
        [(centre - half).max(0.0), (centre + half).min(1.0)]
    }

    /// The one-sided 95% upper bound (Clopper and Pearson, 1934); 1 without items.
    pub fn upper_bound(self) -> f64 {
        error_upper_bound(self.count as u64, self.total as u64, 0.05)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::assert_near;

    #[test]
    fn wilson_intervals_match_hand_computed_ones() {
        // 8 of 10: centre (0.8 + 0.19208) / 1.38416, half 1.96 / 1.38416 * sqrt(0.016 + 0.009604).
        let [low, high] = Share { count: 8, total: 10 }.interval();
        assert_near(low, 0.490_16);
        assert_near(high, 0.943_32);
        // None of 5: 0 to z^2 / (n + z^2).
        let [low, high] = Share { count: 0, total: 5 }.interval();
        assert_near(low, 0.0);
        assert_near(high, 3.8416 / 8.8416);
        assert_near(Share { count: 5, total: 5 }.interval()[1], 1.0);
    }

    #[test]
    fn nothing_has_no_share_and_the_whole_interval() {
        let nothing = Share::of([]);
        assert_eq!(nothing.value(), None);
        assert_eq!(nothing.interval().map(|bound| bound as u8), [0, 1]);
        assert_near(nothing.upper_bound(), 1.0);
    }

    #[test]
    fn upper_bounds_match_closed_forms() {
        // No failure: 1 - 0.05^(1/n).
        for total in [1, 10, 59, 1000] {
            let expected = 1.0 - 0.05_f64.powf(1.0 / total as f64);
            assert_near(Share { count: 0, total }.upper_bound(), expected);
        }
        // All but one: (1 - 0.05)^(1/n).
        assert_near(Share { count: 9, total: 10 }.upper_bound(), 0.95_f64.powf(0.1));
        // Tabulated: 1 of 10 at 95%, one-sided, is 0.3942.
        assert_near(Share { count: 1, total: 10 }.upper_bound(), 0.394_16);
    }
}
