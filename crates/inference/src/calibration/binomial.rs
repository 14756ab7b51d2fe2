//! Binomial probabilities, and confidence limits for an error rate.

use crate::log_sum_exp::log_sum_exp;

/// One-sided Clopper-Pearson upper limit of an error rate, with `wrong` errors in `n` trials, at confidence
/// `1 - delta`: the p with `P(Binomial(n, p) <= wrong) = delta` (Clopper and Pearson, "The use of confidence or
/// fiducial limits illustrated in the case of the binomial", 1934). 1 if n is 0 or all trials are wrong.
pub fn error_upper_bound(wrong: u64, n: u64, delta: f64) -> f64 {
    // P(X <= n) is 1 for every p, so that no root exists here.
    if wrong >= n {
        return 1.0;
    }
    let (mut low, mut high) = (wrong as f64 / n as f64, 1.0);
    // 60 bisections reach the precision of f64.
    for _ in 0..60 {
        let middle = f64::midpoint(low, high);
        if binomial_at_most(wrong, n, middle) > delta {
            low = middle;
        } else {
            high = middle;
        }
    }
    high
}

/// `P(Binomial(n, p) <= k)` for 0 < p < 1, summed in logarithms so that nothing underflows.
pub fn binomial_at_most(k: u64, n: u64, p: f64) -> f64 {
    // The term of 0 failures is (1 - p)^n; the next is the previous times (n - i) / (i + 1) * p / (1 - p).
    let (mut log_term, odds) = (n as f64 * (-p).ln_1p(), p.ln() - (-p).ln_1p());
    let mut log_terms = vec![log_term];
    for i in 0..k {
        log_term += ((n - i) as f64 / (i + 1) as f64).ln() + odds;
        log_terms.push(log_term);
    }
    log_sum_exp(log_terms.into_iter()).exp()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(found: f64, expected: f64, tolerance: f64) {
        assert!((found - expected).abs() < tolerance, "{found} instead of {expected}");
    }

    #[test]
    fn the_bound_without_a_wrong_answer_is_the_rule_of_the_root() {
        // P(no success in n) = (1 - p)^n = delta.
        for n in [1, 10, 60, 1000] {
            close(error_upper_bound(0, n, 0.05), 1.0 - 0.05_f64.powf(1.0 / n as f64), 1e-12);
        }
    }

    #[test]
    fn bounds_are_those_of_published_tables() {
        // One-sided 95% limits are the upper ends of two-sided 90% intervals.
        for (wrong, n, expected) in [(1, 10, 0.394_163), (2, 20, 0.282_619), (5, 100, 0.102_252)] {
            close(error_upper_bound(wrong, n, 0.05), expected, 1e-5);
        }
        close(error_upper_bound(3, 3, 0.05), 1.0, 1e-12);
        close(error_upper_bound(0, 0, 0.05), 1.0, 1e-12);
    }

    #[test]
    fn the_bound_leaves_delta_in_the_tail() {
        let bound = error_upper_bound(40, 2000, 0.01);
        close(binomial_at_most(40, 2000, bound), 0.01, 1e-9);
    }

    #[test]
    fn a_hundred_thousand_trials_do_not_underflow() {
        let bound = error_upper_bound(2000, 100_000, 0.05);
        assert!((0.0207..0.0208).contains(&bound), "{bound}");
    }

    #[test]
    fn every_count_is_at_most_all() {
        close(binomial_at_most(5, 5, 0.5), 1.0, 1e-12);
        close(binomial_at_most(0, 3, 0.5), 0.125, 1e-12);
    }
}
