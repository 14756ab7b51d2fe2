//! Antialiased resize of RGB pixels in fixed point, bit for bit as in Pillow.
//!
//! Two passes with 8-bit values between them: first the rows; or first the columns if the height shrinks, by more
//! than twice as many pixels as the width does. A pass computes, for output position `i` of `n_out` from `n_in`
//! input positions,
//!
//! ```text
//! scale   = n_in / n_out             factor  = max(scale, 1)
//! centre  = (i + 0.5) * scale        reach   = support * factor
//! first   = max(0, floor(centre - reach + 0.5))
//! end     = min(n_in, floor(centre + reach + 0.5))
//! w[j]    = kernel((j - centre + 0.5) / factor)     for j in first..end
//! k[j]    = round(w[j] / sum(w) * 2^22)             halves away from zero
//! out[i]  = clamp((2^21 + sum(k[j] * in[j])) >> 22, 0, 255)
//! ```
//!
//! in f64 up to `k`, and in i32 afterwards. Pillow does the same in `Resample.c`, since release 13 with that order
//! of passes. The models are trained with it, and every other library rounds differently in the last bit.

mod passes;

use std::ops::Range;

use crate::Filter;
use passes::{resize_columns, resize_rows};

/// Fraction bits of a weight: 8 bits of the pixel and 2 of overshoot use the rest of an i32.
const PRECISION_BITS: u32 = 22;
const HALF: i32 = 1 << (PRECISION_BITS - 1);

/// The weights of one pass: the input positions for each output position.
pub(crate) struct Axis {
    n_in: usize,
    /// Output positions of the whole resize; `taps` may have only a part of them.
    n_full: usize,
    taps: Vec<Taps>,
    weights: Vec<i32>,
}

struct Taps {
    first: usize,
    weights: Range<usize>,
}

impl Axis {
    /// Weights for resizing `n_in` positions to `n_out`; only those in `kept` are computed.
    pub(crate) fn new(n_in: u32, n_out: u32, kept: Range<u32>, filter: Filter) -> Self {
        let scale = f64::from(n_in) / f64::from(n_out);
        let factor = scale.max(1.0);
        let reach = support(filter) * factor;
        let inverse = 1.0 / factor;
        let mut axis = Self {
            n_in: n_in as usize,
            n_full: n_out as usize,
            taps: Vec::with_capacity(kept.len()),
            weights: Vec::new(),
        };
        let mut raw = Vec::new();
        for i in kept {
            let centre = (f64::from(i) + 0.5) * scale;
            // Saturating cast: a negative start becomes 0.
            let first = (centre - reach + 0.5) as usize;
            let end = ((centre + reach + 0.5) as usize).min(axis.n_in);
            raw.clear();
            raw.extend((first..end).map(|j| kernel(filter, (j as f64 - centre + 0.5) * inverse)));
            let sum: f64 = raw.iter().sum();
            let start = axis.weights.len();
            // Divided by their sum: at the border positions are missing, and the weights of the others must still
            // sum to 1.
            axis.weights.extend(raw.iter().map(|weight| fixed_point(weight / sum)));
            axis.taps.push(Taps { first, weights: start..axis.weights.len() });
        }
        axis
    }

    /// Whether rows or columns of `n` pixels stay as they are.
    fn is_identity(&self, n: usize) -> bool {
        [self.n_in, self.n_full, self.taps.len()] == [n; 3]
    }

    /// Number of output positions.
    fn n_out(&self) -> usize {
        self.taps.len()
    }

    /// The input positions that are needed for any output position.
    fn needed(&self) -> Range<usize> {
        let first = self.taps.first().map_or(0, |taps| taps.first);
        let end = self.taps.last().map_or(0, |taps| taps.first + taps.weights.len());
        first..end
    }

    /// The same weights for an input without its first `skipped` positions.
    fn shifted(mut self, skipped: usize) -> Self {
        for taps in &mut self.taps {
            taps.first -= skipped;
        }
        self
    }

    /// The same weights for an input with `skipped` more positions in front, which have no weight.
    pub(crate) fn behind(mut self, skipped: u32) -> Self {
        for taps in &mut self.taps {
            taps.first += skipped as usize;
        }
        self
    }

    /// First input position and weights of each output position.
    fn taps(&self) -> impl Iterator<Item = (usize, &[i32])> {
        self.taps.iter().map(|taps| (taps.first, &self.weights[taps.weights.clone()]))
    }
}

/// Resizes `rgb` `[h, width, 3]` u8 to `[vertical, horizontal, 3]` u8. `width` is that of the rows, of which the
/// axis may use a part.
pub(super) fn resize(rgb: &[u8], width: u32, horizontal: &Axis, vertical: Axis) -> Vec<u8> {
    let width = width as usize;
    // As in Pillow, and with the same result.
    if horizontal.is_identity(width) {
        return resize_columns(rgb, 3 * width, &vertical);
    }
    if vertical.is_identity(rgb.len() / (3 * width)) {
        return resize_rows(rgb, width, horizontal);
    }
    if is_vertical_first(horizontal, &vertical) {
        // Rounded to bytes between the passes, as in Pillow, so the order of the passes affects the result.
        let low = resize_columns(rgb, 3 * width, &vertical);
        return resize_rows(&low, width, horizontal);
    }
    // Rows that are not needed are not resized: a crop may need only few of them.
    let rows = vertical.needed();
    let narrow = resize_rows(&rgb[3 * width * rows.start..3 * width * rows.end], width, horizontal);
    resize_columns(&narrow, 3 * horizontal.n_out(), &vertical.shifted(rows.start))
}

/// A heuristic for the cheaper order; it must be the same as Pillow's.
fn is_vertical_first(horizontal: &Axis, vertical: &Axis) -> bool {
    let saved = vertical.n_in.saturating_sub(vertical.n_full);
    saved > 0 && saved > 2 * horizontal.n_in.saturating_sub(horizontal.n_full)
}

// Adding 0.5 and truncating rounds ties away from zero, as Pillow's cast does.
fn fixed_point(weight: f64) -> i32 {
    let scaled = weight * f64::from(1 << PRECISION_BITS);
    (if scaled < 0.0 { scaled - 0.5 } else { scaled + 0.5 }) as i32
}

fn support(filter: Filter) -> f64 {
    match filter {
        Filter::Bilinear => 1.0,
        Filter::Bicubic => 2.0,
        Filter::Lanczos3 => 3.0,
    }
}

/// Value of the kernel at distance `x` from its centre, in output pixels (input pixels when enlarging).
fn kernel(filter: Filter, x: f64) -> f64 {
    match filter {
        Filter::Bilinear => (1.0 - x.abs()).max(0.0),
        Filter::Bicubic => cubic(x.abs()),
        Filter::Lanczos3 => {
            if (-3.0..3.0).contains(&x) {
                sinc(x) * sinc(x / 3.0)
            } else {
                0.0
            }
        }
    }
}

/// Keys, "Cubic convolution interpolation for digital image processing", 1981, with a = -0.5.
// As separate operations: a fused multiply-add would round once less than Pillow does.
#[expect(clippy::suboptimal_flops, reason = "must round where Pillow rounds")]
fn cubic(x: f64) -> f64 {
    const A: f64 = -0.5;
    if x < 1.0 {
        ((A + 2.0) * x - (A + 3.0)) * x * x + 1.0
    } else if x < 2.0 {
        (((x - 5.0) * x + 8.0) * x - 4.0) * A
    } else {
        0.0
    }
}

fn sinc(x: f64) -> f64 {
    if x == 0.0 {
        return 1.0;
    }
    let x = x * std::f64::consts::PI;
    x.sin() / x
}
