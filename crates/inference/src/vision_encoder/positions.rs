//! Resizes learned positions to another number of patches, like PyTorch's bicubic interpolation.

/// Parameters of the cubic kernel (Keys 1981): PyTorch uses one without and the other with antialiasing.
const SHARP: f64 = -0.75;
const SMOOTH: f64 = -0.5;

/// Resizes positions of row-major `[from * from, width]` into `[to * to, width]`.
///
/// With `antialias` the kernel is widened by the factor of a reduction, as in
/// `interpolate(mode="bicubic", antialias=True)`; without it, the kernel covers four values for any factor.
pub(super) fn resize(positions: &[f32], from: usize, to: usize, antialias: bool) -> Vec<f32> {
    if from == to {
        return positions.to_vec();
    }
    let width = positions.len() / (from * from);
    let taps: Vec<Vec<(usize, f64)>> = (0..to).map(|place| taps(place, from, to, antialias)).collect();
    let mut resized = Vec::with_capacity(to * to * width);
    for rows in &taps {
        for columns in &taps {
            let mut sums = vec![0.0_f64; width];
            for &(row, row_weight) in rows {
                for &(column, column_weight) in columns {
                    let start = (row * from + column) * width;
                    for (sum, value) in sums.iter_mut().zip(&positions[start..start + width]) {
                        *sum += row_weight * column_weight * f64::from(*value);
                    }
                }
            }
            resized.extend(sums.into_iter().map(|sum| sum as f32));
        }
    }
    resized
}

/// The input positions of an output position, with their weights, which sum to 1.
fn taps(place: usize, from: usize, to: usize, antialias: bool) -> Vec<(usize, f64)> {
    let factor = from as f64 / to as f64;
    if !antialias {
        let centre = (place as f64 + 0.5) * factor - 0.5;
        let first = centre.floor();
        let last = from as f64 - 1.0;
        return [-1.0, 0.0, 1.0, 2.0]
            .map(|offset| {
                // Positions outside repeat the edge.
                let at = (first + offset).clamp(0.0, last) as usize;
                (at, cubic(centre - first - offset, SHARP))
            })
            .to_vec();
    }
    let stretch = factor.max(1.0);
    let (centre, reach) = ((place as f64 + 0.5) * factor, 2.0 * stretch);
    // Truncated towards 0, as in PyTorch.
    let begin = (centre - reach + 0.5).max(0.0) as usize;
    let end = ((centre + reach + 0.5) as usize).min(from);
    let weights: Vec<(usize, f64)> =
        (begin..end).map(|at| (at, cubic((at as f64 + 0.5 - centre) / stretch, SMOOTH))).collect();
    let sum: f64 = weights.iter().map(|(_, weight)| weight).sum();
    weights.into_iter().map(|(at, weight)| (at, weight / sum)).collect()
}

fn cubic(distance: f64, a: f64) -> f64 {
    let x = distance.abs();
    if x < 1.0 {
        ((a + 2.0) * x - (a + 3.0)) * x * x + 1.0
    } else if x < 2.0 {
        (((x - 5.0) * x + 8.0) * x - 4.0) * a
    } else {
        0.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_sum_to_one_whatever_the_sizes() {
        for (from, to) in [(37, 16), (16, 37), (14, 14), (3, 1), (1, 5), (2, 3)] {
            for antialias in [false, true] {
                for place in 0..to {
                    let sum: f64 = taps(place, from, to, antialias).iter().map(|(_, weight)| weight).sum();
                    assert!((sum - 1.0).abs() < 1e-9, "{from} to {to}, {place}: {sum}");
                }
            }
        }
    }

    #[test]
    fn a_flat_field_stays_flat() {
        for antialias in [false, true] {
            let resized = resize(&[0.25; 5 * 5 * 2], 5, 3, antialias);
            assert_eq!(resized.len(), 3 * 3 * 2);
            assert!(resized.iter().all(|value| (value - 0.25).abs() < 1e-6));
        }
    }

    #[test]
    fn the_same_size_changes_nothing() {
        let positions: Vec<f32> = (0..2 * 2 * 3).map(|value| value as f32).collect();
        assert_eq!(resize(&positions, 2, 2, true), positions);
    }
}
