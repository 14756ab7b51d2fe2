/// The softmax of `[n]` values, `exp(x_i) / sum_j exp(x_j)`: `[n]` in 0..=1, summing to 1; empty for no values.
///
/// In f64 with the largest value subtracted, so that no finite input overflows.
///
/// The only softmax of the workspace. `partsight-inference`, which must not depend on this crate, returns raw scores
/// and needs no probabilities; for prototypes it has its own log-sum-exp.
pub fn softmax(values: &[f64]) -> Vec<f64> {
    let (_, weights, total) = weigh(values);
    weights.iter().map(|weight| weight / total).collect()
}

/// The natural logarithms of the [`softmax`] of `[n]` values: `[n]`, at most 0. Finite for finite input, even if a
/// probability is too small for f64.
pub(super) fn log_softmax(values: &[f64]) -> Vec<f64> {
    let (largest, _, total) = weigh(values);
    values.iter().map(|value| value - largest - total.ln()).collect()
}

/// The largest value, `exp(x - largest)` of each, and their sum.
fn weigh(values: &[f64]) -> (f64, Vec<f64>, f64) {
    let largest = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let weights: Vec<f64> = values.iter().map(|value| (value - largest).exp()).collect();
    let total = weights.iter().sum();
    (largest, weights, total)
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
    fn logarithms_are_those_of_the_shares() {
        let values = [2.0, 0.5, -3.0];
        for (logarithm, share) in log_softmax(&values).into_iter().zip(softmax(&values)) {
            assert!((logarithm.exp() - share).abs() < 1e-12);
        }
        assert_eq!(log_softmax(&[0.0, -2000.0]), [0.0, -2000.0], "no probability of f64 is as small");
    }

    #[test]
    fn large_values_do_not_overflow() {
        assert_eq!(softmax(&[1e300, -1e300]), [1.0, 0.0]);
    }
}
