//! Quantisation to one byte per number, or half a byte, with a bound on the error.

use super::super::LENGTH_TOLERANCE;
use super::kernels::pack;

/// Added to each bound for the rounding errors of f32 sums of up to 4,096 products, which are below 1.6e-5.
const ROUNDING: f32 = 2e-5;

/// A vector `x` as bytes: `x[i]` is approximately `scale * values[i]`.
#[derive(Debug, Clone)]
pub(super) struct Quantised {
    /// i8 `[stride]` in -127..=127, zero-padded.
    pub(super) values: Vec<i8>,
    /// The scale and the error.
    pub(super) loss: Loss,
}

/// The scale of a quantised vector, and its error.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Loss {
    /// Size of a step; for bytes, the largest absolute number divided by 127.
    pub(super) scale: f32,
    /// L2 norm of the quantisation error: `|x - scale * values|`.
    pub(super) error: f32,
}

/// A vector `x` as half bytes: `x[i]` is approximately `scale * (halves[i] - 7.5)`.
#[derive(Debug, Clone)]
pub(super) struct Coarse {
    /// u4 `[stride]`, zero-padded, packed for [`Kernel::half_dots`](super::kernels::Kernel::half_dots).
    pub(super) packed: Vec<u8>,
    pub(super) loss: Loss,
}

/// The centre of the range of a half byte.
const MIDDLE: f32 = 7.5;
/// Factor from one candidate step to the next; the first and largest clips nothing.
const NARROWER: f32 = 0.85;
/// Number of candidate steps. For normally distributed numbers, of which the largest of 512 is about 3.3 standard
/// deviations, the best step clips at 2.6 (Max, "Quantizing for Minimum Distortion", 1960).
const WIDTHS: i32 = 6;

/// Bounds of the dot product of two vectors.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Bounds {
    pub(super) lower: f32,
    pub(super) upper: f32,
}

impl Quantised {
    /// Quantises a vector of L2 length 1, f32 `[d]` with d at most `stride`.
    pub(super) fn of(vector: &[f32], stride: usize) -> Self {
        let largest = vector.iter().fold(0.0_f32, |largest, x| largest.max(x.abs()));
        let scale = if largest > 0.0 { largest / 127.0 } else { 1.0 };
        let mut values = vec![0; stride];
        let mut squared_error = 0.0_f64;
        for (value, &x) in values.iter_mut().zip(vector) {
            // In -127..=127 by the choice of the scale, except for rounding.
            let step = (x / scale).round().clamp(-127.0, 127.0);
            *value = step as i8;
            // Measured for this row and not estimated, so that the bound is as narrow as possible.
            squared_error += f64::from(x - step * scale).powi(2);
        }
        Self { values, loss: Loss { scale, error: squared_error.sqrt() as f32 } }
    }

    /// The sum of the values.
    pub(super) fn sum(&self) -> i32 {
        self.values.iter().map(|&value| i32::from(value)).sum()
    }
}

impl Coarse {
    /// Quantises a vector of L2 length 1, f32 `[d]` with d at most `stride`, with the step of least error among
    /// those tried.
    pub(super) fn of(vector: &[f32], stride: usize) -> Self {
        let largest = vector.iter().fold(0.0_f32, |largest, x| largest.max(x.abs()));
        // For a vector of zeros any scale works.
        let widest = if largest > 0.0 { largest / MIDDLE } else { 1.0 };
        // Clamped to 0..=15: larger numbers are clipped, which counts as an error.
        let half = |x: f32, scale: f32| (x / scale + MIDDLE).round().clamp(0.0, 15.0);
        let error = |scale: f32| {
            let lost = |x: &f32| f64::from(x - scale * (half(*x, scale) - MIDDLE)).powi(2);
            vector.iter().map(lost).sum::<f64>().sqrt() as f32
        };
        let loss = (0..WIDTHS)
            .map(|times| widest * NARROWER.powi(times))
            .map(|scale| Loss { scale, error: error(scale) })
            .min_by(|a, b| a.error.total_cmp(&b.error))
            .unwrap_or(Loss { scale: widest, error: error(widest) });
        let mut halves = vec![0; stride];
        for (value, &x) in halves.iter_mut().zip(vector) {
            *value = half(x, loss.scale) as u8;
        }
        Self { packed: pack(&halves), loss }
    }
}

/// Computes bounds of scores for one query, from dot products of its bytes and half bytes.
#[derive(Debug, Clone, Copy)]
pub(super) struct CoarseBounds {
    query: Loss,
    /// The query's sum times the centre, in steps.
    middle: f32,
}

impl CoarseBounds {
    /// For scores with `query`.
    pub(super) fn of(query: &Quantised) -> Self {
        Self { query: query.loss, middle: MIDDLE * query.sum() as f32 }
    }

    /// Bounds of a row's score.
    #[inline]
    pub(super) fn of_row(&self, dot: i32, row: Loss) -> Bounds {
        // Half bytes are unsigned: 7.5 was added to each number, so 7.5 times the query's sum is subtracted here.
        let score = (dot as f32 - self.middle) * self.query.scale * row.scale;
        Bounds::around(score, self.query, row)
    }
}

impl Bounds {
    /// Bounds of `query . row`, both of L2 length 1 within [`LENGTH_TOLERANCE`], from the dot product of their bytes.
    ///
    /// With `q'` and `r'` as the dequantised vectors, `|q.r - q'.r'| = |q.(r - r') + (q - q').r'|`, which is at
    /// most `|r - r'| + |q - q'| (1 + |r - r'|)` by the Cauchy-Schwarz inequality, or longer by the tolerance.
    pub(super) fn of(dot: i32, query: Loss, row: Loss) -> Self {
        Self::around(dot as f32 * query.scale * row.scale, query, row)
    }

    #[inline]
    fn around(score: f32, query: Loss, row: Loss) -> Self {
        let off_by = (row.error + query.error * (1.0 + row.error)) * (1.0 + LENGTH_TOLERANCE) + ROUNDING;
        Self { lower: score - off_by, upper: score + off_by }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::kernels::{GROUP, Kernel};
    use super::*;

    fn unit(mut vector: Vec<f32>) -> Vec<f32> {
        let length = vector.iter().map(|x| f64::from(*x).powi(2)).sum::<f64>().sqrt() as f32;
        if length < 1e-3 {
            vector[0] = 1.0;
            vector[1..].fill(0.0);
        } else {
            for x in &mut vector {
                *x /= length;
            }
        }
        vector
    }

    proptest! {
        #[test]
        fn the_bounds_hold_the_true_score(
            pair in proptest::collection::vec((-1.0_f32..1.0, prop_oneof![-1.0_f32..1.0, Just(0.0), -1e-6_f32..1e-6]), 2..300)
        ) {
            let (query, row): (Vec<f32>, Vec<f32>) = pair.into_iter().unzip();
            let (query, row) = (unit(query), unit(row));
            let stride = query.len().next_multiple_of(GROUP);
            let (q, r) = (Quantised::of(&query, stride), Quantised::of(&row, stride));
            let dot = q.values.iter().zip(&r.values).map(|(&a, &b)| i32::from(a) * i32::from(b)).sum();
            let bounds = Bounds::of(dot, q.loss, r.loss);
            let score: f64 = query.iter().zip(&row).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum();
            prop_assert!(f64::from(bounds.lower) <= score && score <= f64::from(bounds.upper));
            // Wide bounds would be correct too, but useless.
            prop_assert!(bounds.upper - bounds.lower < 0.1 * (query.len() as f32).sqrt());

            let coarse = Coarse::of(&row, stride);
            let mut dots = [0];
            Kernel::detect().half_dots(&q.values, &coarse.packed, &mut dots);
            let bounds = CoarseBounds::of(&q).of_row(dots[0], coarse.loss);
            prop_assert!(f64::from(bounds.lower) <= score && score <= f64::from(bounds.upper));
        }
    }

    #[test]
    fn half_bytes_of_an_embedding_lose_about_a_ninth() {
        // Sums of four uniform numbers are close enough to normally distributed ones.
        let mut state = 1_u64;
        let mut uniform = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 40) as f32 / (1_u32 << 24) as f32 - 0.5
        };
        let vector = unit((0..512).map(|_| (0..4).map(|_| uniform()).sum()).collect());
        let error = Coarse::of(&vector, 512).loss.error;
        assert!((0.09..0.12).contains(&error), "{error}");
    }

    #[test]
    fn a_vector_of_one_number_loses_nothing() {
        let quantised = Quantised::of(&[0.0, -1.0, 0.0], 64);
        assert_eq!(quantised.values[..4], [0, -127, 0, 0]);
        assert!(quantised.loss.error < 1e-6, "{:?}", quantised.loss);
    }
}
