//! The inverse discrete cosine transform of a block, to fewer samples than it was coded from.
//!
//! A block is reduced to `H` x `V` samples by the inverse transform of that size of its lowest `H` x `V`
//! coefficients (Natarajan and Bhaskaran, "A fast approximate algorithm for scaling down digital images in the DCT
//! domain", 1995):
//!
//! ```text
//! out[y][x] = 128 + sum over v < V, u < H of a(V, v, y) a(H, u, x) F[v][u]
//! a(N, 0, n) = sqrt(1/8)        a(N, k, n) = cos((2 n + 1) k pi / 2 N) / 2
//! ```
//!
//! It is computed as two matrix products in f32, vectorised by the compiler, with a fixed order of sums, so that
//! all machines produce the same samples.

use super::coefficients::{Block, ZIGZAG};
use super::huffman::N_COEFFICIENTS;

/// Level shift, subtracted from samples before the transform (ITU-T T.81, A.3.1).
const LEVEL: f32 = 128.0;

/// Dequantisation factors, in the layout of a block.
pub(super) type Factors = [[f32; 8]; 8];

/// Converts factors from zigzag order.
pub(super) fn factors(quantisation: &[f32; 64]) -> Factors {
    let mut factors = [[0.0; 8]; 8];
    for (&factor, (row, column)) in quantisation.iter().zip(ZIGZAG) {
        factors[row][column] = factor;
    }
    factors
}

/// Writes the unrounded samples of a block, whose coefficients after the first `n_read` are 0, to rows that are
/// `stride` apart.
pub(super) type Inverse = fn(block: &Block, factors: &Factors, n_read: usize, to: &mut [f32], stride: usize);

/// The transform to `across` x `down` samples, each 1, 2, 4 or 8; `None` for other sizes.
pub(super) fn inverse(across: usize, down: usize) -> Option<Inverse> {
    macro_rules! sizes {
        ($($across:literal, $down:literal;)*) => {
            match (across, down) {
                $(($across, $down) => Some(fastest::<$across, $down>()),)*
                _ => None,
            }
        };
    }
    sizes! {
        1, 1; 1, 2; 1, 4; 1, 8;
        2, 1; 2, 2; 2, 4; 2, 8;
        4, 1; 4, 2; 4, 4; 4, 8;
        8, 1; 8, 2; 8, 4; 8, 8;
    }
}

/// With the best instructions of this machine; the samples are the same.
fn fastest<const ACROSS: usize, const DOWN: usize>() -> Inverse {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx2") {
        return |block, factors, n_read, to, stride| {
            #[expect(unsafe_code, reason = "the compiler cannot know which machine the program will run on")]
            // SAFETY: the machine has AVX2.
            unsafe {
                transform_avx2::<ACROSS, DOWN>(block, factors, n_read, to, stride);
            }
        };
    }
    transform::<ACROSS, DOWN>
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn transform_avx2<const ACROSS: usize, const DOWN: usize>(
    block: &Block,
    factors: &Factors,
    n_read: usize,
    to: &mut [f32],
    stride: usize,
) {
    transform::<ACROSS, DOWN>(block, factors, n_read, to, stride);
}

#[expect(clippy::inline_always, reason = "is compiled with the instructions of its caller")]
#[inline(always)]
fn transform<const ACROSS: usize, const DOWN: usize>(
    block: &Block,
    factors: &Factors,
    n_read: usize,
    to: &mut [f32],
    stride: usize,
) {
    // Coefficients beyond are 0 and are omitted, in a few sizes, so that the loops have fixed lengths. The order of
    // sums is kept, so that the samples stay the same.
    match EXTENTS[n_read - 1] {
        _ if ACROSS == 1 && DOWN == 1 => transform_mean::<ACROSS, DOWN>(block, factors, to, stride),
        // So small that choosing a size would take longer.
        _ if ACROSS <= 4 && DOWN <= 4 => transform_first::<ACROSS, DOWN, 4>(block, factors, to, stride),
        1 => transform_mean::<ACROSS, DOWN>(block, factors, to, stride),
        2 => transform_first::<ACROSS, DOWN, 2>(block, factors, to, stride),
        3 | 4 => transform_first::<ACROSS, DOWN, 4>(block, factors, to, stride),
        _ => transform_first::<ACROSS, DOWN, 8>(block, factors, to, stride),
    }
}

/// The mean alone, as in most blocks of a smooth surface.
#[expect(clippy::inline_always, reason = "as above")]
#[inline(always)]
fn transform_mean<const ACROSS: usize, const DOWN: usize>(
    block: &Block,
    factors: &Factors,
    to: &mut [f32],
    stride: usize,
) {
    let sample = LEVEL + f32::from(block[0]) * factors[0][0] / 8.0;
    for row in to.chunks_mut(stride).take(DOWN) {
        row[..ACROSS].fill(sample);
    }
}

/// From the first `N` coefficients of the first `N` rows.
#[expect(clippy::inline_always, reason = "as above")]
#[inline(always)]
fn transform_first<const ACROSS: usize, const DOWN: usize, const N: usize>(
    block: &Block,
    factors: &Factors,
    to: &mut [f32],
    stride: usize,
) {
    let (across, down) = const { (waves::<ACROSS>(), waves::<DOWN>()) };
    let mut columns = [[0.0; ACROSS]; DOWN];
    // First the columns, then the rows: two products of N steps instead of one of N x N.
    for row in 0..N.min(DOWN) {
        let mut coefficients = [0.0; ACROSS];
        for column in 0..N.min(ACROSS) {
            coefficients[column] = f32::from(block[8 * row + column]) * factors[row][column];
        }
        for (sums, &factor) in columns.iter_mut().zip(&down[row]) {
            for (sum, coefficient) in sums.iter_mut().zip(&coefficients) {
                *sum += factor * coefficient;
            }
        }
    }
    for (at, column) in columns.iter().enumerate() {
        let mut samples = [LEVEL; ACROSS];
        for (&factor, wave) in column.iter().zip(&across).take(N) {
            for (sample, height) in samples.iter_mut().zip(wave) {
                *sample += factor * height;
            }
        }
        to[at * stride..][..ACROSS].copy_from_slice(&samples);
    }
}

/// Rows or columns, whichever are more, that contain all coefficients up to a zigzag position.
const EXTENTS: [usize; N_COEFFICIENTS] = {
    let mut extents = [1; N_COEFFICIENTS];
    let mut at = 1;
    while at < N_COEFFICIENTS {
        let (row, column) = ZIGZAG[at];
        let most = if row > column { row } else { column };
        extents[at] = if most < extents[at - 1] { extents[at - 1] } else { most + 1 };
        at += 1;
    }
    extents
};

/// `[frequency][sample]`: the factors a(N, k, n).
const fn waves<const N: usize>() -> [[f32; N]; N] {
    let mut waves = [[0.0; N]; N];
    let mut frequency = 0;
    while frequency < N {
        let mut sample = 0;
        while sample < N {
            waves[frequency][sample] = if frequency == 0 {
                SQRT_EIGHTH
            } else {
                // Angle in units of pi / 16.
                half_cosine((2 * sample + 1) * frequency * (8 / N))
            };
            sample += 1;
        }
        frequency += 1;
    }
    waves
}

const SQRT_EIGHTH: f32 = 0.353_553_38;

/// Half the cosine of an angle in units of pi / 16.
const fn half_cosine(sixteenths: usize) -> f32 {
    /// From 0 to pi / 2.
    const QUARTER: [f32; 9] = [
        0.5,
        0.490_392_63,
        0.461_939_75,
        0.415_734_8,
        SQRT_EIGHTH,
        0.277_785_12,
        0.191_341_71,
        0.097_545_16,
        0.0,
    ];
    match sixteenths % 32 {
        at @ 0..=8 => QUARTER[at],
        at @ 9..=16 => -QUARTER[16 - at],
        at @ 17..=24 => -QUARTER[at - 16],
        at => QUARTER[32 - at],
    }
}

#[cfg(test)]
mod tests {
    use std::f64::consts::PI;

    use super::*;

    /// The formula in the module documentation.
    fn expected(block: &Block, factors: &Factors, across: usize, down: usize) -> Vec<f64> {
        let wave = |n: usize, k: usize, at: usize| {
            if k == 0 {
                0.125_f64.sqrt()
            } else {
                ((2 * at + 1) as f64 * k as f64 * PI / (2 * n) as f64).cos() / 2.0
            }
        };
        let coefficient = |v: usize, u: usize| f64::from(block[8 * v + u]) * f64::from(factors[v][u]);
        let sample = |y: usize, x: usize| {
            let pairs = (0..down).flat_map(|v| (0..across).map(move |u| (v, u)));
            128.0 + pairs.map(|(v, u)| wave(down, v, y) * wave(across, u, x) * coefficient(v, u)).sum::<f64>()
        };
        (0..down).flat_map(|y| (0..across).map(move |x| sample(y, x))).collect()
    }

    #[test]
    fn every_size_is_the_formula_for_every_number_of_coefficients() {
        let factors = factors(&std::array::from_fn(|at| 0.5 + at as f32 / 64.0));
        for across in [1, 2, 4, 8] {
            for down in [1, 2, 4, 8] {
                let fastest = inverse(across, down).unwrap();
                for n_read in 1..=64 {
                    let mut block = [0; N_COEFFICIENTS + 1];
                    for (&(row, column), at) in ZIGZAG.iter().zip(0_i16..).take(n_read) {
                        block[8 * row + column] = at * 37 % 101 - 50;
                    }
                    let mut found = vec![0.0; 10 * 8];
                    fastest(&block, &factors, n_read, &mut found, 10);
                    let rows = found.chunks(10).take(down).flat_map(|row| &row[..across]);
                    for (found, expected) in rows.zip(expected(&block, &factors, across, down)) {
                        let difference = (f64::from(*found) - expected).abs();
                        assert!(difference < 1e-3, "{across} x {down}, {n_read} coefficients: {difference}");
                    }
                }
            }
        }
    }

    #[test]
    fn there_is_none_for_other_sizes() {
        assert!(inverse(3, 1).is_none() && inverse(16, 8).is_none());
    }
}
