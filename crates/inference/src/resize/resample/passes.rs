//! The two passes of a resize, compiled for the baseline of each architecture and again for AVX2.
//!
//! Baseline x86-64 has no instruction that multiplies several i32 at once. Both versions compute the same integers,
//! so the choice affects only the time.

#[cfg(target_arch = "x86_64")]
mod avx2;

use super::{Axis, HALF, PRECISION_BITS};

/// Columns whose sums stay in registers over all input rows.
const STRIP: usize = 32;

/// Resizes the rows of `rgb` `[h, width, 3]` to `[h, axis, 3]`.
pub(super) fn resize_rows(rgb: &[u8], width: usize, axis: &Axis) -> Vec<u8> {
    let mut narrow = vec![0; 3 * axis.n_out() * (rgb.len() / (3 * width))];
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        #[expect(unsafe_code, reason = "the compiler cannot know which machine the program will run on")]
        // SAFETY: the machine has AVX2.
        unsafe {
            avx2::rows(rgb, width, axis, &mut narrow);
        }
        return narrow;
    }
    rows(rgb, width, axis, &mut narrow);
    narrow
}

/// Resizes the columns of `rgb` `[h, row_bytes]` to `[axis, row_bytes]`.
pub(super) fn resize_columns(rgb: &[u8], row_bytes: usize, axis: &Axis) -> Vec<u8> {
    let mut low = vec![0; row_bytes * axis.n_out()];
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        #[expect(unsafe_code, reason = "the compiler cannot know which machine the program will run on")]
        // SAFETY: the machine has AVX2.
        unsafe {
            avx2::columns(rgb, row_bytes, axis, &mut low);
        }
        return low;
    }
    columns(rgb, row_bytes, axis, &mut low);
    low
}

#[expect(clippy::inline_always, reason = "is compiled with the instructions of its caller")]
#[inline(always)]
fn rows(rgb: &[u8], width: usize, axis: &Axis, narrow: &mut [u8]) {
    // One byte longer than a row, so that each pixel can be read as four bytes, the last of which is ignored.
    let mut line = vec![0; 3 * width + 1];
    for (row, narrow) in rgb.chunks_exact(3 * width).zip(narrow.chunks_exact_mut(3 * axis.n_out())) {
        line[..3 * width].copy_from_slice(row);
        for ((first, weights), to) in axis.taps().zip(narrow.as_chunks_mut::<3>().0) {
            let pixels = &line[3 * first..=3 * (first + weights.len())];
            let mut sums = [HALF; 4];
            for (at, &weight) in weights.iter().enumerate() {
                for (sum, &value) in sums.iter_mut().zip(&pixels[3 * at..3 * at + 4]) {
                    *sum += i32::from(value) * weight;
                }
            }
            let [red, green, blue, _] = sums.map(to_u8);
            *to = [red, green, blue];
        }
    }
}

#[expect(clippy::inline_always, reason = "as above")]
#[inline(always)]
fn columns(rgb: &[u8], row_bytes: usize, axis: &Axis, low: &mut [u8]) {
    for ((first, weights), to) in axis.taps().zip(low.chunks_exact_mut(row_bytes)) {
        let rows = &rgb[first * row_bytes..(first + weights.len()) * row_bytes];
        let (strips, rest) = to.as_chunks_mut::<STRIP>();
        for (strip, left) in strips.iter_mut().zip((0..).step_by(STRIP)) {
            // Adding one half makes the final shift round.
            let mut sums = [HALF; STRIP];
            for (row, &weight) in rows.chunks_exact(row_bytes).zip(weights) {
                for (sum, &value) in sums.iter_mut().zip(&row[left..left + STRIP]) {
                    *sum += i32::from(value) * weight;
                }
            }
            *strip = sums.map(to_u8);
        }
        // The remaining columns, at most 31, one by one.
        let left = row_bytes - rest.len();
        for (to, column) in rest.iter_mut().zip(left..) {
            let values = rows[column..].iter().step_by(row_bytes);
            *to = to_u8(
                values.zip(weights).fold(HALF, |sum, (&value, weight)| sum + i32::from(value) * weight),
            );
        }
    }
}

#[expect(clippy::inline_always, reason = "as above")]
#[inline(always)]
fn to_u8(sum: i32) -> u8 {
    (sum >> PRECISION_BITS).clamp(0, 255) as u8
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Filter;

    /// Pseudo-random values (Knuth's multiplicative hash).
    fn noise(n_bytes: usize) -> Vec<u8> {
        (0..n_bytes as u32).map(|at| (at.wrapping_mul(2_654_435_761) >> 23) as u8).collect()
    }

    /// The formula in plain loops.
    fn expected(values: &[u8], axis: &Axis, stride: usize, offset: usize) -> Vec<u8> {
        let sum = |(first, weights): (usize, &[i32])| {
            let products = weights.iter().enumerate();
            products.fold(HALF, |sum, (at, weight)| {
                sum + i32::from(values[offset + (first + at) * stride]) * weight
            })
        };
        axis.taps().map(|taps| to_u8(sum(taps))).collect()
    }

    #[test]
    fn passes_compute_the_formula_on_this_machine_and_on_every_other() {
        for filter in [Filter::Bilinear, Filter::Bicubic, Filter::Lanczos3] {
            for (width, height, to) in [(1, 1, 3), (7, 5, 4), (61, 40, 16), (33, 70, 90)] {
                let rgb = noise(3 * width * height);
                let row_bytes = 3 * width;
                let horizontal = Axis::new(width as u32, to, 0..to, filter);
                let vertical = Axis::new(height as u32, to, 0..to, filter);
                let mut narrow = vec![0; 3 * to as usize * height];
                rows(&rgb, width, &horizontal, &mut narrow);
                let mut low = vec![0; row_bytes * to as usize];
                columns(&rgb, row_bytes, &vertical, &mut low);
                assert_eq!(resize_rows(&rgb, width, &horizontal), narrow, "{filter:?} {width} to {to}");
                assert_eq!(resize_columns(&rgb, row_bytes, &vertical), low, "{filter:?} {height} to {to}");
                for (y, channel) in [(0, 0), (height - 1, 2)] {
                    let found: Vec<u8> = narrow
                        .iter()
                        .skip(3 * to as usize * y + channel)
                        .step_by(3)
                        .take(to as usize)
                        .copied()
                        .collect();
                    assert_eq!(found, expected(&rgb, &horizontal, 3, row_bytes * y + channel), "row {y}");
                }
                for column in [0, row_bytes - 1] {
                    let found: Vec<u8> = low.iter().skip(column).step_by(row_bytes).copied().collect();
                    assert_eq!(found, expected(&rgb, &vertical, row_bytes, column), "column {column}");
                }
            }
        }
    }
}
