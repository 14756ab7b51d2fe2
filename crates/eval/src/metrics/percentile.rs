/// The nearest-rank percentile of ascending `sorted` values, `percent` in 0..=100: the smallest value such that at
/// least that percentage of the values does not exceed it. `None` without values.
pub fn percentile(sorted: &[f32], percent: f64) -> Option<f32> {
    let rank = (percent / 100.0 * sorted.len() as f64).ceil() as usize;
    sorted.get(rank.saturating_sub(1)).copied()
}

/// The distribution-free 95% interval of the median of ascending `sorted` values, by binomial ranks (normal
/// approximation; Conover, "Practical Nonparametric Statistics", 1999). `None` without values.
pub fn median_interval(sorted: &[f32]) -> Option<[f32; 2]> {
    let last = sorted.len().checked_sub(1)?;
    let n = sorted.len() as f64;
    let half = 1.96 * n.sqrt() / 2.0;
    let low = (n / 2.0 - half).floor().max(0.0) as usize;
    let high = (n / 2.0 + half).ceil() as usize;
    Some([sorted[low.min(last)], sorted[high.min(last)]])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_are_the_nearest() {
        let values = [15.0, 20.0, 35.0, 40.0, 50.0];
        let cases = [(0.0, 15.0), (5.0, 15.0), (30.0, 20.0), (40.0, 20.0), (50.0, 35.0), (100.0, 50.0)];
        for (percent, expected) in cases {
            assert_eq!(percentile(&values, percent), Some(expected), "{percent}");
        }
        assert_eq!(percentile(&[7.0], 99.0), Some(7.0));
        assert_eq!(percentile(&[], 50.0), None);
    }

    #[test]
    fn the_interval_of_a_median_lies_between_two_ranks() {
        // 100 values: 50 - 9.8 and 50 + 9.8, so the 41st and the 61st.
        let values: Vec<f32> = (1..=100).map(|value| value as f32).collect();
        assert_eq!(median_interval(&values), Some([41.0, 61.0]));
        assert_eq!(median_interval(&values[..3]), Some([1.0, 3.0]));
        assert_eq!(median_interval(&[7.0]), Some([7.0, 7.0]));
        assert_eq!(median_interval(&[]), None);
    }
}
