//! One byte a number, with a bound on what that loses.

/// Added to each bound for the rounding of f32 sums of up to 4,096 products, which stays below 1.6e-5.
const ROUNDING: f32 = 2e-5;

/// A vector `x` as bytes: `x[i]` is about `scale * values[i]`.
#[derive(Debug, Clone)]
pub(super) struct Quantised {
    /// i8 `[stride]` in -127..=127: the numbers, then zeros.
    pub(super) values: Vec<i8>,
    /// What a step of one byte is worth, and what was lost.
    pub(super) loss: Loss,
}

/// How a vector was quantised.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Loss {
    /// What a step of one byte is worth: the largest absolute number divided by 127.
    pub(super) scale: f32,
    /// L2 length of what the bytes do not say: `|x - scale * values|`.
    pub(super) error: f32,
}

/// Between which numbers the dot product of two vectors lies.
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
            // In -127..=127 by the choice of the scale; the clamp is for its rounding.
            let step = (x / scale).round().clamp(-127.0, 127.0);
            *value = step as i8;
            squared_error += f64::from(x - step * scale).powi(2);
        }
        Self { values, loss: Loss { scale, error: squared_error.sqrt() as f32 } }
    }
}

impl Bounds {
    /// Of `query . row`, both of L2 length 1, from the dot product of their bytes.
    ///
    /// With `q'` and `r'` what the bytes say, `|q.r - q'.r'| = |q.(r - r') + (q - q').r'|`, which is at most
    /// `|r - r'| + |q - q'| (1 + |r - r'|)` by Cauchy and Schwarz.
    pub(super) fn of(dot: i32, query: Loss, row: Loss) -> Self {
        let score = dot as f32 * query.scale * row.scale;
        let off_by = row.error + query.error * (1.0 + row.error) + ROUNDING;
        Self { lower: score - off_by, upper: score + off_by }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

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
            let stride = query.len().next_multiple_of(64);
            let (q, r) = (Quantised::of(&query, stride), Quantised::of(&row, stride));
            let dot = q.values.iter().zip(&r.values).map(|(&a, &b)| i32::from(a) * i32::from(b)).sum();
            let bounds = Bounds::of(dot, q.loss, r.loss);
            let score: f64 = query.iter().zip(&row).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum();
            prop_assert!(f64::from(bounds.lower) <= score && score <= f64::from(bounds.upper));
            // Wide bounds would be right as well, and useless.
            prop_assert!(bounds.upper - bounds.lower < 0.1 * (query.len() as f32).sqrt());
        }
    }

    #[test]
    fn a_vector_of_one_number_loses_nothing() {
        let quantised = Quantised::of(&[0.0, -1.0, 0.0], 64);
        assert_eq!(quantised.values[..4], [0, -127, 0, 0]);
        assert!(quantised.loss.error < 1e-6, "{:?}", quantised.loss);
    }
}
