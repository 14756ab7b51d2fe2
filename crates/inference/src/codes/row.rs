//! Turns one row of brightness across a code into bars.

use rxing::common::BitArray;

/// Iterations of the deblurring.
const ITERATIONS: usize = 12;
/// Least change of brightness at an edge, as a fraction of the row's contrast.
const LEAST_SWING: f32 = 0.12;
/// Least contrast of a row, in grey levels.
const LEAST_CONTRAST: f32 = 16.0;

/// Estimates the row before it was blurred by a Gaussian with a sigma of `sigma` samples.
///
/// Source: van Cittert, Zum Einfluß der Spaltbreite auf die Intensitätsverteilung in Spektrallinien, 1931. The
/// result is clamped to the levels of the row, which keeps noise from growing.
pub(super) fn sharpened(row: &[f32], sigma: f32) -> Vec<f32> {
    let (low, high) =
        row.iter().fold((f32::MAX, f32::MIN), |(low, high), &level| (low.min(level), high.max(level)));
    let kernel = gaussian(sigma);
    let mut sharp = row.to_vec();
    let mut blurred = vec![0.0; row.len()];
    for _ in 0..ITERATIONS {
        blur(&sharp, &kernel, &mut blurred);
        for ((level, seen), blurred) in sharp.iter_mut().zip(row).zip(&blurred) {
            // Adds the difference between the row and the blurred estimate.
            *level = (*level + seen - blurred).clamp(low, high);
        }
    }
    sharp
}

/// One half of the kernel, from the centre outwards; the whole kernel sums to 1.
fn gaussian(sigma: f32) -> Vec<f32> {
    let n = (2.5 * sigma).ceil() as usize;
    let mut kernel: Vec<f32> = (0..=n).map(|at| (-0.5 * (at as f32 / sigma).powi(2)).exp()).collect();
    // The centre is in both halves but counts once.
    let sum = 2.0 * kernel.iter().sum::<f32>() - kernel[0];
    for weight in &mut kernel {
        *weight /= sum;
    }
    kernel
}

fn blur(row: &[f32], kernel: &[f32], out: &mut [f32]) {
    let n = kernel.len() - 1;
    let padded: Vec<f32> = std::iter::repeat_n(row[0], n)
        .chain(row.iter().copied())
        .chain(std::iter::repeat_n(row[row.len() - 1], n))
        .collect();
    for (at, out) in out.iter_mut().enumerate() {
        let middle = at + n;
        let sides: f32 = (1..=n).map(|off| kernel[off] * (padded[middle - off] + padded[middle + off])).sum();
        *out = kernel[0] * padded[middle] + sides;
    }
}

/// The bars of a row, and the number of its edges; `None` if its contrast is too low or it has no edges.
///
/// An edge lies where the row crosses the mean of the darkest level of a bar and the lightest of its neighbour, so
/// that a narrow bar that blur has made pale keeps its width.
pub(super) fn bars(row: &[f32]) -> Option<(BitArray, usize)> {
    let swing = LEAST_SWING * contrast(row)?;
    let extremes = extremes(row, swing);
    let mut bits = BitArray::with_size(row.len());
    let (&(first, first_is_dark), _) = extremes.split_first()?;
    // One edge lies between two extremes: where the row crosses the mean of their levels. Bars extend from edge to
    // edge.
    let mut start = 0;
    let mut is_dark = first_is_dark;
    let mut last = first;
    for &(place, place_is_dark) in &extremes[1..] {
        let middle = f32::midpoint(row[last], row[place]);
        let is_over = |level: f32| if place_is_dark { level < middle } else { level > middle };
        let edge = (last..place).find(|&at| is_over(row[at])).unwrap_or(place);
        if is_dark {
            (start..edge).for_each(|at| bits.set(at));
        }
        (start, is_dark, last) = (edge, place_is_dark, place);
    }
    if is_dark {
        (start..row.len()).for_each(|at| bits.set(at));
    }
    Some((bits, extremes.len() - 1))
}

/// The difference between the 95th and the 5th percentile; `None` if it is too low.
fn contrast(row: &[f32]) -> Option<f32> {
    let mut sorted = row.to_vec();
    // Percentiles instead of the extremes: one glint or one speck must not set the scale of all edges.
    sorted.sort_unstable_by(f32::total_cmp);
    let n = sorted.len();
    let contrast = sorted.get(n - 1 - n / 20)? - sorted.get(n / 20)?;
    (contrast >= LEAST_CONTRAST).then_some(contrast)
}

/// Alternating darkest and lightest positions, each at least `swing` from the previous, and whether each is dark.
fn extremes(row: &[f32], swing: f32) -> Vec<(usize, bool)> {
    let mut extremes = Vec::new();
    let (mut darkest, mut lightest) = (0, 0);
    // Whether the next extreme is a light one; unknown until the row has changed by `swing` once.
    let mut seeks_light: Option<bool> = None;
    for (at, &level) in row.iter().enumerate() {
        if level < row[darkest] {
            darkest = at;
        }
        if level > row[lightest] {
            lightest = at;
        }
        // The level fell by more than `swing`: the lightest position so far was an extreme. Smaller changes are
        // noise.
        if seeks_light != Some(false) && level < row[lightest] - swing {
            extremes.push((lightest, false));
            (seeks_light, darkest) = (Some(false), at);
        } else if seeks_light != Some(true) && level > row[darkest] + swing {
            extremes.push((darkest, true));
            (seeks_light, lightest) = (Some(true), at);
        }
    }
    match seeks_light {
        Some(true) => extremes.push((lightest, false)),
        Some(false) => extremes.push((darkest, true)),
        None => {}
    }
    extremes
}
