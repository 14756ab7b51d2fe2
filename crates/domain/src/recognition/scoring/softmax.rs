/// The softmax of `[n]` values, `exp(x_i) / sum_j exp(x_j)`: `[n]` in 0..=1, summing to 1; nothing for no values.
///
/// In f64 with the largest value subtracted, so that no finite input overflows.
///
/// The only softmax of the workspace. `partsight-inference`, which must not know this crate, hands out raw scores and
/// needs no probabilities; what it fits and scores by prototypes takes a log-sum-exp, which in turn is written there
/// alone: this crate adds probabilities where it could add logarithms.
pub fn softmax(values: &[f64]) -> Vec<f64> {
    let largest = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let weights: Vec<f64> = values.iter().map(|value| (value - largest).exp()).collect();
    let total: f64 = weights.iter().sum();
    weights.iter().map(|weight| weight / total).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_those_of_the_exponentials() {
        let shares = softmax(&[1.0, 0.0, -1.0]);
        let total = 1.0_f64.exp() + 1.0 + (-1.0_f64).exp();
        for (share, weight) in shares.iter().zip([1.0_f64.exp(), 1.0, (-1.0_f64).exp()]) {
            assert!((share - weight / total).abs() < 1e-12);
        }
        assert_eq!(softmax(&[]), Vec::<f64>::new());
    }

    #[test]
    fn large_values_do_not_overflow() {
        assert_eq!(softmax(&[1e300, -1e300]), [1.0, 0.0]);
    }
}
