use super::Share;

/// Two-sided p-value of Fisher's exact test (1935) that two disjoint groups have the same share: the total probability
/// of the tables with the same margins that are at most as probable as this one. 1 if a group is empty.
pub fn fisher_exact(one: Share, other: Share) -> f64 {
    let (total, n_one) = (one.total + other.total, one.total);
    let n_right = one.count + other.count;
    // In logarithms, because factorials of a few hundred overflow f64.
    let log_factorial = log_factorials(total);
    let choose = |n: usize, k: usize| log_factorial[n] - log_factorial[k] - log_factorial[n - k];
    let log_probability =
        |k: usize| choose(n_right, k) + choose(total - n_right, n_one - k) - choose(total, n_one);
    // Probabilities that differ only by rounding count as equal; scipy and R use the same relative tolerance.
    let limit = log_probability(one.count) + 1e-7;
    let range = (n_one + n_right).saturating_sub(total)..=n_one.min(n_right);
    range.map(log_probability).filter(|&p| p <= limit).map(f64::exp).sum::<f64>().min(1.0)
}

/// `ln k!` for k in 0..=n.
fn log_factorials(n: usize) -> Vec<f64> {
    let mut logs = vec![0.0; n + 1];
    for k in 1..=n {
        logs[k] = logs[k - 1] + (k as f64).ln();
    }
    logs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn p_values_are_scipys() {
        // scipy.stats.fisher_exact of [[count, total - count], ...]; the first is Fisher's lady tasting tea.
        let cases = [
            ((3, 4), (1, 4), 0.485_714_285_7),
            ((8, 10), (1, 6), 0.034_965_034_97),
            ((90, 100), (160, 200), 0.032_424_549_08),
            ((0, 5), (20, 23), 0.000_569_800_569_8),
            ((950, 1000), (9100, 10_000), 6.528_232_152e-6),
            ((0, 0), (3, 7), 1.0),
            ((4, 4), (9, 9), 1.0),
        ];
        for (one, other, expected) in cases {
            let share = |(count, total)| Share { count, total };
            let found = fisher_exact(share(one), share(other));
            assert!((found / expected - 1.0).abs() < 1e-6, "{one:?} {other:?}: {found} is not {expected}");
        }
    }
}
