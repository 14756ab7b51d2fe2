//! One row of brightness through a code, to its bars.

use rxing::common::BitArray;

/// Steps by which blur is undone.
const ITERATIONS: usize = 12;
/// An edge counts from this share of the row's contrast.
const LEAST_SWING: f32 = 0.12;
/// The least contrast between dark and light of a row, in levels.
const LEAST_CONTRAST: f32 = 16.0;

/// The row as it was before a Gaussian of `sigma` samples blurred it, as far as that can be known.
///
/// Source: van Cittert, Zum Einfluß der Spaltbreite auf die Intensitätsverteilung in Spektrallinien, 1931; the result stays
/// within the levels of the row, which keeps noise from growing.
pub(super) fn sharpened(row: &[f32], sigma: f32) -> Vec<f32> {
    let (low, high) =
        row.iter().fold((f32::MAX, f32::MIN), |(low, high), &level| (low.min(level), high.max(level)));
    let kernel = gaussian(sigma);
    let mut sharp = row.to_vec();
    let mut blurred = vec![0.0; row.len()];
    for _ in 0..ITERATIONS {
        blur(&sharp, &kernel, &mut blurred);
        for ((level, seen), blurred) in sharp.iter_mut().zip(row).zip(&blurred) {
            // What the estimate, blurred again, falls short of the row that was seen is added to it.
            *level = (*level + seen - blurred).clamp(low, high);
        }
    }
    sharp
}

/// One half of the kernel, from the middle on; its whole sum is 1.
fn gaussian(sigma: f32) -> Vec<f32> {
    let n = (2.5 * sigma).ceil() as usize;
    let mut kernel: Vec<f32> = (0..=n).map(|at| (-0.5 * (at as f32 / sigma).powi(2)).exp()).collect();
    // The middle is in both halves and counts once.
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

/// The bars of a row, and how many edges it has.
///
/// An edge lies half-way between the darkest place of a bar and the lightest of its neighbour, so that a narrow bar which
/// blur has made pale keeps its width.
pub(super) fn bars(row: &[f32]) -> Option<(BitArray, usize)> {
    let swing = LEAST_SWING * contrast(row)?;
    let extremes = extremes(row, swing);
    let mut bits = BitArray::with_size(row.len());
    let (&(first, first_is_dark), _) = extremes.split_first()?;
    // Between two extremes lies one edge: where the row crosses half of their levels. Bars run from edge to edge.
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

/// Between the darkest and the lightest twentieth.
fn contrast(row: &[f32]) -> Option<f32> {
    let mut sorted = row.to_vec();
    // Twentieths instead of the ends: one glint or one speck must not set the scale of all edges.
    sorted.sort_unstable_by(f32::total_cmp);
    let n = sorted.len();
    let contrast = sorted.get(n - 1 - n / 20)? - sorted.get(n / 20)?;
    (contrast >= LEAST_CONTRAST).then_some(contrast)
}

/// Darkest and lightest places in turn, each at least `swing` from the one before it, and whether it is a dark one.
fn extremes(row: &[f32], swing: f32) -> Vec<(usize, bool)> {
    let mut extremes = Vec::new();
    let (mut darkest, mut lightest) = (0, 0);
    // Whether a light place is looked for; unknown until the row has swung once.
    let mut seeks_light: Option<bool> = None;
    for (at, &level) in row.iter().enumerate() {
        if level < row[darkest] {
            darkest = at;
        }
        if level > row[lightest] {
            lightest = at;
        }
        // Turned down by more than `swing`: the lightest place so far was an extreme. Smaller swings are noise.
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
