use serde::Serialize;

/// One threshold of a receiver operating characteristic.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RocPoint {
    /// Scores at or above it count as positive.
    pub threshold: f32,
    /// True positive rate: share of the positives at or above the threshold, in 0..=1.
    pub true_positive_rate: f64,
    /// False positive rate: share of the negatives at or above the threshold, in 0..=1.
    pub false_positive_rate: f64,
}

/// The points of the curve, one for each score that occurs, the highest threshold first; empty unless both sides have a
/// score.
pub fn roc_curve(positive: &[f32], negative: &[f32]) -> Vec<RocPoint> {
    if positive.is_empty() || negative.is_empty() {
        return Vec::new();
    }
    let mut scores: Vec<(f32, bool)> = positive.iter().map(|&score| (score, true)).collect();
    scores.extend(negative.iter().map(|&score| (score, false)));
    scores.sort_by(|one, two| two.0.total_cmp(&one.0));
    let (mut n_positive, mut n_negative) = (0_usize, 0_usize);
    scores
        // Equal scores pass a threshold together, so they are one point.
        .chunk_by(|one, two| one.0.total_cmp(&two.0).is_eq())
        .map(|ties| {
            let n_ties = ties.iter().filter(|(_, is_positive)| *is_positive).count();
            n_positive += n_ties;
            n_negative += ties.len() - n_ties;
            RocPoint {
                threshold: ties[0].0,
                true_positive_rate: n_positive as f64 / positive.len() as f64,
                false_positive_rate: n_negative as f64 / negative.len() as f64,
            }
        })
        .collect()
}

/// The area under the curve: the probability that a positive scores above a negative, with ties counted half (Mann and
/// Whitney, 1947). `None` unless both sides have a score.
pub fn auroc(positive: &[f32], negative: &[f32]) -> Option<f64> {
    let curve = roc_curve(positive, negative);
    if curve.is_empty() {
        return None;
    }
    let (mut x, mut y, mut area) = (0.0, 0.0, 0.0);
    for point in curve {
        // A tie of a positive and a negative is a sloped step, whose area counts it half.
        area += (point.false_positive_rate - x) * f64::midpoint(y, point.true_positive_rate);
        (x, y) = (point.false_positive_rate, point.true_positive_rate);
    }
    Some(area)
}

/// The 95% interval of an AUROC of `n_positive` against `n_negative` scores (Newcombe 2006, method 5): all values for
/// which `area` lies within 1.96 standard deviations, each with its own deviation by Hanley and `McNeil` (1982). Unlike
/// an interval with one deviation around the estimate, it stays within 0..=1 and is not empty for an estimate of 1.
pub fn auroc_interval(area: f64, n_positive: usize, n_negative: usize) -> [f64; 2] {
    let (m, n) = (n_positive as f64, n_negative as f64);
    let others = f64::midpoint(m, n) - 1.0;
    let deviation = |truth: f64| {
        let spread = 1.0 + others * (1.0 - truth) / (2.0 - truth) + others * truth / (1.0 + truth);
        (truth * (1.0 - truth) * spread.max(0.0) / (m * n)).sqrt()
    };
    let end = |direction: f64| {
        // Bisection between the estimate, which is inside the interval, and the limit 0 or 1.
        let (mut inside, mut outside) = (area, if direction < 0.0 { 0.0 } else { 1.0 });
        for _ in 0..60 {
            let middle = f64::midpoint(inside, outside);
            if (middle - area).abs() <= 1.96 * deviation(middle) {
                inside = middle;
            } else {
                outside = middle;
            }
        }
        inside
    };
    [end(-1.0), end(1.0)]
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::testing::assert_near;

    #[test]
    fn the_area_counts_pairs() {
        // 3 of the 4 pairs are in order.
        assert_near(auroc(&[0.9, 0.4], &[0.5, 0.1]).unwrap(), 0.75);
        assert_near(auroc(&[0.9, 0.8], &[0.1]).unwrap(), 1.0);
        assert_near(auroc(&[0.1], &[0.9]).unwrap(), 0.0);
        // One pair in order, one tie.
        assert_near(auroc(&[0.5], &[0.5, 0.2]).unwrap(), 0.75);
        assert_near(auroc(&[0.3; 5], &[0.3; 7]).unwrap(), 0.5);
    }

    #[test]
    fn one_side_alone_has_no_area() {
        assert_eq!(auroc(&[0.5], &[]), None);
        assert_eq!(auroc(&[], &[0.5]), None);
        assert_eq!(roc_curve(&[], &[]), []);
    }

    #[test]
    fn the_curve_ends_in_the_upper_right_corner() {
        let curve = roc_curve(&[0.9, 0.4, 0.4], &[0.5, 0.4]);
        let rates: Vec<_> =
            curve.iter().map(|point| (point.false_positive_rate, point.true_positive_rate)).collect();
        assert_eq!(rates, [(0.0, 1.0 / 3.0), (0.5, 1.0 / 3.0), (1.0, 1.0)]);
        assert_eq!(curve[2].threshold.to_bits(), 0.4_f32.to_bits());
    }

    #[test]
    fn the_interval_is_newcombes() {
        for (case, area, n, inside, outside) in [
            // By hand: at 0.827 the deviation by Hanley and McNeil of 50 against 50 is 0.0417; (0.9 - 0.827) / 0.0417 = 1.75.
            ("half way", 0.9, 50, [0.827, 0.94], [0.80, 0.96]),
            ("all pairs in order", 1.0, 20, [0.90, 1.0], [0.82, 1.01]),
            ("by chance", 0.5, 30, [0.38, 0.62], [0.33, 0.67]),
        ] {
            let [low, high] = auroc_interval(area, n, n);
            assert!((outside[0]..=inside[0]).contains(&low), "{case}: from {low}");
            assert!((inside[1] - 1e-9..=outside[1]).contains(&high), "{case}: to {high}");
        }
        let [narrow, _] = auroc_interval(0.9, 5000, 5000);
        assert!(narrow > 0.89, "{narrow}");
    }

    proptest! {
        #[test]
        fn the_area_is_the_mean_over_all_pairs(
            positive in prop::collection::vec(0_u8..12, 1..30),
            negative in prop::collection::vec(0_u8..12, 1..30),
        ) {
            let pairs = positive.iter().flat_map(|one| negative.iter().map(move |two| (one, two)));
            let wins: f64 = pairs.map(|(one, two)| match one.cmp(two) {
                std::cmp::Ordering::Greater => 1.0,
                std::cmp::Ordering::Equal => 0.5,
                std::cmp::Ordering::Less => 0.0,
            }).sum();
            let expected = wins / (positive.len() * negative.len()) as f64;
            let scores = |values: &[u8]| values.iter().map(|&value| f32::from(value) / 12.0).collect::<Vec<_>>();
            let found = auroc(&scores(&positive), &scores(&negative)).unwrap();
            prop_assert!((found - expected).abs() < 1e-9, "{found} {expected}");
        }
    }
}
