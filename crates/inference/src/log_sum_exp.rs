/// `ln(sum_i exp(x_i))` in f64, with the maximum subtracted first, so that no finite input overflows; `-inf`
/// without values.
///
/// It is in this crate and not in `partsight-domain`, beside the softmax, because prototypes and calibration need
/// it here and this crate must not depend on that one; scoring there does not need it.
pub(crate) fn log_sum_exp(values: impl Iterator<Item = f64> + Clone) -> f64 {
    // The maximum becomes exp(0) = 1: no term overflows, and terms that underflow to 0 are negligible.
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
