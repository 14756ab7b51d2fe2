/// `ln(sum_i exp(x_i))` of values in any range, in f64 with the largest taken out, so that no finite input overflows;
/// `-inf` for none.
///
/// The only one of the workspace. It stands here and not in `partsight-domain`, beside the softmax, because prototypes
/// and the fitting of calibrations need it and this crate must not know that one; scoring there does without.
pub(crate) fn log_sum_exp(values: impl Iterator<Item = f64> + Clone) -> f64 {
    // The largest becomes exp(0) = 1: no term overflows, and those that underflow to 0 would not have counted.
    let largest = values.clone().fold(f64::NEG_INFINITY, f64::max);
    let sum: f64 = values.map(|value| (value - largest).exp()).sum();
    largest + sum.ln()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_and_large_values_are_summed() {
        let sum = |values: &[f64]| log_sum_exp(values.iter().copied());
        assert!((sum(&[0.0, 0.0]) - 2.0_f64.ln()).abs() < 1e-12);
        assert!((sum(&[-1000.0, -1000.0]) - (2.0_f64.ln() - 1000.0)).abs() < 1e-9);
        assert!((sum(&[1e300, -1e300]) - 1e300).abs() < 1.0);
    }
}
