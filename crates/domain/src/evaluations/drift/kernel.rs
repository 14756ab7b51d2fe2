use crate::SeededRng;

/// Number of permutations for the p-value, whose minimum is 1/1,001.
const PERMUTATIONS: usize = 1000;
/// Fixed, so that the same vectors get the same p-value in each run; any value except 0.
const SEED: u64 = 0xd81f7;
/// Number of parallel partial sums, because the compiler may not reorder one floating-point sum.
const LANES: usize = 8;

/// The two-sample test by maximum mean discrepancy (Gretton, Borgwardt, Rasch, Schölkopf and Smola, "A Kernel
/// Two-Sample Test", 2012).
#[derive(Debug, Clone, PartialEq)]
pub struct KernelTest {
    /// The unbiased estimate of the squared MMD (their Lemma 6), less than 2. About 0, and often slightly negative, if
    /// both samples have the same distribution.
    pub mmd_squared: f64,
    /// p-value of a permutation test with 1,000 permutations, 1/1,001 to 1: probability of an estimate at least as
    /// large if both samples have the same distribution.
    pub p_value: f64,
    /// Similarity of each vector of the second sample to the first: the mean of the kernel over its vectors, 0 to 1.
    /// Outliers have the lowest values.
    pub likeness: Vec<f64>,
}

/// Compares two samples of vectors `[n, d]` and `[m, d]`, which need not be normalised; `None` if a sample has fewer
/// than two vectors.
///
/// The kernel is `exp(-|a - b|^2 / median)`, a Gaussian one whose bandwidth is the median heuristic: `median` is that of
/// all squared distances above 0 between two of the `n + m` vectors. The same vectors give the same answer in each run.
///
/// Takes memory for `(n + m)^2` f32, and time for `(n + m)^2 d / 2` steps and the permutations: at 1,000 vectors a side
/// 16 MB and a second or two.
pub fn kernel_two_sample(one: &[Vec<f32>], other: &[Vec<f32>]) -> Option<KernelTest> {
    if one.len() < 2 || other.len() < 2 {
        return None;
    }
    let gram = Gram::new(one, other);
    let (n, total) = (one.len(), gram.size);
    let mut order: Vec<usize> = (0..total).collect();
    let mmd_squared = gram.mmd_squared(&order, n);
    let mut rng = SeededRng::new(SEED);
    let n_as_large = (0..PERMUTATIONS)
        .filter(|_| {
            // Fisher-Yates shuffle: every order is equally probable.
            for last in (1..total).rev() {
                order.swap(last, rng.below(last + 1));
            }
            gram.mmd_squared(&order, n) >= mmd_squared
        })
        .count();
    let likeness = (n..total).map(|row| gram.row(row)[..n].iter().map(|&k| f64::from(k)).sum::<f64>());
    Some(KernelTest {
        mmd_squared,
        // The identity counts as one more permutation, so that the significance level holds.
        p_value: (1 + n_as_large) as f64 / (1 + PERMUTATIONS) as f64,
        likeness: likeness.map(|sum| sum / n as f64).collect(),
    })
}

/// The Gram matrix of the kernel; its diagonal is 0, because the estimate leaves it out.
struct Gram {
    /// f32 `[size, size]`, row-major.
    values: Vec<f32>,
    size: usize,
    /// Sum of each row, `[size]`.
    sums: Vec<f64>,
}

impl Gram {
    fn new(one: &[Vec<f32>], other: &[Vec<f32>]) -> Self {
        let vectors: Vec<&[f32]> = one.iter().chain(other).map(Vec::as_slice).collect();
        let size = vectors.len();
        let mut values = vec![0.0_f32; size * size];
        for row in 0..size {
            for column in 0..row {
                values[row * size + column] = squared_distance(vectors[row], vectors[column]);
            }
        }
        let below = |row: usize| row * size..row * size + row;
        let distances = (0..size).flat_map(|row| values[below(row)].iter().copied());
        let scale = median(distances.filter(|&distance| distance > 0.0).collect());
        for row in 0..size {
            for column in 0..row {
                let distance = f64::from(values[row * size + column]);
                // Without a scale all vectors are equal, so that the kernel is 1.
                let kernel = scale.map_or(1.0, |scale| (-distance / scale).exp()) as f32;
                values[row * size + column] = kernel;
                values[column * size + row] = kernel;
            }
        }
        let sum = |row: usize| values[row * size..(row + 1) * size].iter().map(|&k| f64::from(k)).sum();
        let sums = (0..size).map(sum).collect();
        Self { values, size, sums }
    }

    fn row(&self, row: usize) -> &[f32] {
        &self.values[row * self.size..(row + 1) * self.size]
    }

    /// The estimate if the first `n` of `order` are the first sample.
    fn mmd_squared(&self, order: &[usize], n: usize) -> f64 {
        let (first, second) = order.split_at(n);
        // Only pairs within the smaller sample are summed; the rest follows from the row sums.
        let (few, many) = if first.len() <= second.len() { (first, second) } else { (second, first) };
        // In memory order, because random access would dominate the run time.
        let mut few = few.to_vec();
        few.sort_unstable();
        let pairs_of = |(index, &row): (usize, &usize)| {
            let row = self.row(row);
            few[..index].iter().map(|&column| f64::from(row[column])).sum::<f64>()
        };
        let within = 2.0 * few.iter().enumerate().map(pairs_of).sum::<f64>();
        let between = few.iter().map(|&row| self.sums[row]).sum::<f64>() - within;
        let rest = many.iter().map(|&row| self.sums[row]).sum::<f64>() - between;
        let pairs = |n: usize| (n * (n - 1)) as f64;
        within / pairs(few.len()) + rest / pairs(many.len()) - 2.0 * between / (few.len() * many.len()) as f64
    }
}

fn squared_distance(one: &[f32], other: &[f32]) -> f32 {
    let mut lanes = [0.0_f32; LANES];
    let (ones, rest_of_one) = one.as_chunks::<LANES>();
    let (others, rest_of_other) = other.as_chunks::<LANES>();
    for (one, other) in ones.iter().zip(others) {
        for ((lane, one), other) in lanes.iter_mut().zip(one).zip(other) {
            *lane += (one - other) * (one - other);
        }
    }
    let rest = rest_of_one.iter().zip(rest_of_other).map(|(one, other)| (one - other) * (one - other));
    lanes.iter().sum::<f32>() + rest.sum::<f32>()
}

/// Median, for an even number the mean of the two middle values; `None` without values.
fn median(mut values: Vec<f32>) -> Option<f64> {
    if values.is_empty() {
        return None;
    }
    let (middle, is_even) = (values.len() / 2, values.len().is_multiple_of(2));
    let (below, &mut upper, _) = values.select_nth_unstable_by(middle, f32::total_cmp);
    let lower = below.iter().copied().max_by(f32::total_cmp).filter(|_| is_even);
    Some(f64::midpoint(lower.unwrap_or(upper).into(), upper.into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `[n, 4]`, reproducible in any language: `((i a + j b) mod 97) / 97`, and `shift` more in the first column.
    fn rows(n: usize, a: usize, b: usize, shift: f32) -> Vec<Vec<f32>> {
        let value = |i: usize, j: usize| ((i * a + j * b) % 97) as f32 / 97.0;
        (0..n).map(|i| (0..4).map(|j| value(i, j) + if j == 0 { shift } else { 0.0 }).collect()).collect()
    }

    #[test]
    fn the_estimate_is_that_of_the_plain_formula() {
        // Written out in numpy as sums over all pairs, with `numpy.median` of the squared distances.
        for (shift, mmd_squared, likeness) in [
            (0.0, 0.020_013, [0.410_116, 0.412_181]),
            (0.3, 0.087_963, [0.492_687, 0.485_095]),
            (1.0, 0.558_199, [0.456_219, 0.433_318]),
        ] {
            let found = kernel_two_sample(&rows(31, 37, 53, 0.0), &rows(20, 41, 29, shift)).unwrap();
            assert!((found.mmd_squared - mmd_squared).abs() < 1e-5, "{shift}: {}", found.mmd_squared);
            let ends = [found.likeness[0], found.likeness[19]];
            for (found, expected) in ends.into_iter().zip(likeness) {
                assert!((found - expected).abs() < 1e-5, "{shift}: {found} is not {expected}");
            }
        }
    }

    #[test]
    fn a_shift_is_found_and_each_run_says_the_same() {
        let (one, other) = (rows(31, 37, 53, 0.0), rows(20, 41, 29, 1.0));
        let found = kernel_two_sample(&one, &other).unwrap();
        assert!(found.p_value < 0.002, "{}", found.p_value);
        assert_eq!(kernel_two_sample(&one, &other).unwrap(), found);
    }

    #[test]
    fn samples_of_one_distribution_seldom_have_a_small_p_value() {
        let mut rng = SeededRng::new(11);
        let mut draw = |n: usize| -> Vec<Vec<f32>> {
            (0..n).map(|_| (0..3).map(|_| rng.normal() as f32).collect()).collect()
        };
        let p_values: Vec<f64> =
            (0..40).map(|_| kernel_two_sample(&draw(12), &draw(9)).unwrap().p_value).collect();
        let n_below = |limit: f64| p_values.iter().filter(|&&p| p <= limit).count();
        // 2 and 20 of 40 are expected; nine of ten such tests are within 0 to 4 and 14 to 26.
        assert!(n_below(0.05) <= 6, "{p_values:?}");
        assert!((10..=30).contains(&n_below(0.5)), "{p_values:?}");
    }

    #[test]
    fn the_vector_that_stands_out_is_the_least_alike() {
        let one = rows(31, 37, 53, 0.0);
        let mut other = rows(20, 41, 29, 0.0);
        other[7] = vec![3.0; 4];
        let likeness = kernel_two_sample(&one, &other).unwrap().likeness;
        let least = (0..likeness.len()).min_by(|&a, &b| likeness[a].total_cmp(&likeness[b]));
        assert_eq!(least, Some(7));
    }

    #[test]
    fn equal_vectors_do_not_differ_and_single_ones_do_not_compare() {
        let equal = vec![vec![0.5; 3]; 4];
        let found = kernel_two_sample(&equal, &equal).unwrap();
        assert!(found.mmd_squared.abs() < 1e-12, "{}", found.mmd_squared);
        assert!((found.p_value - 1.0).abs() < 1e-12, "{}", found.p_value);
        assert_eq!(kernel_two_sample(&equal, &equal[..1]), None);
        assert_eq!(kernel_two_sample(&[], &equal), None);
    }

    #[test]
    fn the_median_of_an_even_number_lies_between_the_two_in_the_middle() {
        for (values, expected) in [
            (vec![3.0, 1.0, 2.0], Some(2.0)),
            (vec![4.0, 1.0, 3.0, 2.0], Some(2.5)),
            (vec![7.0], Some(7.0)),
            (vec![], None),
        ] {
            assert_eq!(median(values.clone()), expected, "{values:?}");
        }
    }
}
