/// P-values adjusted for multiple comparisons (Benjamini and Hochberg, 1995), in the same order. If all results with an
/// adjusted value of at most `q` are called significant, the expected share of false discoveries among them is at most
/// `q`.
pub fn false_discovery_rates(p_values: &[f64]) -> Vec<f64> {
    let n = p_values.len();
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|&one, &other| p_values[other].total_cmp(&p_values[one]));
    let mut adjusted = vec![1.0; n];
    let mut least: f64 = 1.0;
    for (from_last, index) in order.into_iter().enumerate() {
        let rank = (n - from_last) as f64;
        // From the largest p-value down, so that the adjusted values keep the order.
        least = least.min(p_values[index] * n as f64 / rank);
        adjusted[index] = least;
    }
    adjusted
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::assert_near;

    #[test]
    fn rates_are_scipys() {
        // scipy.stats.false_discovery_control.
        let found = false_discovery_rates(&[0.01, 0.04, 0.03, 0.005, 0.2, 0.9]);
        for (found, expected) in found.iter().zip([0.03, 0.06, 0.06, 0.03, 0.24, 0.9]) {
            assert_near(*found, expected);
        }
        assert!(false_discovery_rates(&[]).is_empty());
    }
}
