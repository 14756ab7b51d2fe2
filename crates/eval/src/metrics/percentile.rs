/// The nearest-rank percentile of `sorted` values, `percent` in 0..=100: the smallest value that at least so
/// many percent of them do not exceed. `None` of nothing.
pub fn percentile(sorted: &[f32], percent: f64) -> Option<f32> {
    let rank = (percent / 100.0 * sorted.len() as f64).ceil() as usize;
    sorted.get(rank.saturating_sub(1)).copied()
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
}
