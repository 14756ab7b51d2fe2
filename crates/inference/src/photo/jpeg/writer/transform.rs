//! The discrete cosine transform of a block, and its quantisation (ITU-T T.81, A.3.3 and A.3.4).

use super::super::coefficients::ZIGZAG;
use super::super::huffman::N_COEFFICIENTS;

/// Samples on a side of a block.
pub(super) const BLOCK: usize = 8;

/// Samples of a block minus 128, `[row][column]`; or its coefficients.
pub(super) type Block = [[f32; BLOCK]; BLOCK];

/// Index of each coefficient in a [`Block`] whose rows are horizontal frequencies, in the order in which coefficients
/// are coded.
static PLACES: [usize; N_COEFFICIENTS] = {
    let mut places = [0; N_COEFFICIENTS];
    let mut at = 0;
    while at < N_COEFFICIENTS {
        let (row, column) = ZIGZAG[at];
        places[at] = BLOCK * column + row;
        at += 1;
    }
    places
};

/// Table K.1, row-major.
const LUMA: [u8; N_COEFFICIENTS] = [
    16, 11, 10, 16, 24, 40, 51, 61, 12, 12, 14, 19, 26, 58, 60, 55, 14, 13, 16, 24, 40, 57, 69, 56, 14, 17,
    22, 29, 51, 87, 80, 62, 18, 22, 37, 56, 68, 109, 103, 77, 24, 35, 55, 64, 81, 104, 113, 92, 49, 64, 78,
    87, 103, 121, 120, 101, 72, 92, 95, 98, 112, 100, 103, 99,
];

/// Table K.2, row-major.
const CHROMA: [u8; N_COEFFICIENTS] = [
    17, 18, 24, 47, 99, 99, 99, 99, 18, 21, 26, 66, 99, 99, 99, 99, 24, 26, 56, 99, 99, 99, 99, 99, 47, 66,
    99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99,
    99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99,
];

/// Quantised coefficients of a block, in the order in which they are coded.
pub(super) struct Coefficients {
    pub(super) values: [i16; N_COEFFICIENTS],
    /// Bit `k` is set if `values[k]` is not 0.
    pub(super) non_zero: u64,
}

/// The quantisation of one kind of component.
pub(super) struct Quantisation {
    /// Quantisation steps, 1 to 255, in the order in which coefficients are coded.
    steps: [u8; N_COEFFICIENTS],
    /// The scale of each result of [`transformed`], divided by the step.
    factors: Block,
}

impl Quantisation {
    /// `quality` is 1 to 100.
    pub(super) fn luma(quality: u8) -> Self {
        Self::new(&LUMA, quality)
    }

    /// `quality` is 1 to 100.
    pub(super) fn chroma(quality: u8) -> Self {
        Self::new(&CHROMA, quality)
    }

    fn new(table: &[u8; N_COEFFICIENTS], quality: u8) -> Self {
        let quality = u32::from(quality.clamp(1, 100));
        // The scale of libjpeg (`jpeg_quality_scaling`).
        let percent = if quality < 50 { 5000 / quality } else { 200 - 2 * quality };
        let step = |of: u8| ((u32::from(of) * percent + 50) / 100).clamp(1, 255) as u8;
        let steps = ZIGZAG.map(|(row, column)| step(table[BLOCK * row + column]));
        let mut factors = [[0.0; BLOCK]; BLOCK];
        for (&step, (row, column)) in steps.iter().zip(ZIGZAG) {
            factors[column][row] = SCALES[row] * SCALES[column] / f32::from(step);
        }
        Self { steps, factors }
    }

    /// 1 to 255, in the order in which coefficients are coded.
    pub(super) fn steps(&self) -> &[u8; N_COEFFICIENTS] {
        &self.steps
    }

    #[expect(clippy::inline_always, reason = "is compiled with the instructions of its caller")]
    #[inline(always)]
    pub(super) fn quantised(&self, samples: &Block) -> Coefficients {
        let mut rounded = [[0_i16; BLOCK]; BLOCK];
        for ((to, values), factors) in rounded.iter_mut().zip(&transformed(samples)).zip(&self.factors) {
            for ((to, value), factor) in to.iter_mut().zip(values).zip(factors) {
                *to = rounded_to_i16(value * factor);
            }
        }
        let rounded = rounded.as_flattened();
        // The mask has no effect except that the compiler omits the bounds check.
        let values = PLACES.map(|place| rounded[place & (N_COEFFICIENTS - 1)]);
        // A variable of its own stays in a register.
        let mut non_zero = 0;
        for (at, &value) in values.iter().enumerate() {
            non_zero |= u64::from(value != 0) << at;
        }
        Coefficients { values, non_zero }
    }
}

/// Rounds a value between -32,768 and 32,767, ties to even.
#[inline(always)]
fn rounded_to_i16(value: f32) -> i16 {
    // Around this value f32 holds whole numbers only, in the low bits of the mantissa: the addition rounds.
    const WHOLE: f32 = 12_582_912.0;
    (value + WHOLE).to_bits() as i16
}

/// By frequency, the factor that [`butterflies`] omits.
const SCALES: [f32; BLOCK] = [
    0.353_553_4,
    0.254_897_8,
    0.270_598_05,
    0.300_672_44,
    0.353_553_4,
    0.449_988_1,
    0.653_281_48,
    1.281_457_7,
];

/// The transform in both directions without [`SCALES`]; its rows are horizontal frequencies.
#[expect(clippy::inline_always, reason = "as above")]
#[inline(always)]
fn transformed(samples: &Block) -> Block {
    butterflies(&transposed(&butterflies(samples)))
}

#[expect(clippy::inline_always, reason = "as above")]
#[inline(always)]
fn transposed(block: &Block) -> Block {
    let mut to = [[0.0; BLOCK]; BLOCK];
    for row in 0..BLOCK {
        for column in 0..BLOCK {
            to[column][row] = block[row][column];
        }
    }
    to
}

/// Transforms each column with five products (Arai, Agui and Nakajima, "A fast DCT-SQ scheme for images", 1988).
#[expect(clippy::inline_always, reason = "as above")]
#[inline(always)]
fn butterflies(rows: &Block) -> Block {
    let mut to = [[0.0; BLOCK]; BLOCK];
    for at in 0..BLOCK {
        let sum = |a: usize, b: usize| rows[a][at] + rows[b][at];
        let difference = |a: usize, b: usize| rows[a][at] - rows[b][at];
        let (s07, s16, s25, s34) = (sum(0, 7), sum(1, 6), sum(2, 5), sum(3, 4));
        let (d07, d16, d25, d34) = (difference(0, 7), difference(1, 6), difference(2, 5), difference(3, 4));
        // Even frequencies.
        let (outer, inner) = (s07 + s34, s16 + s25);
        to[0][at] = outer + inner;
        to[4][at] = outer - inner;
        let (outer, inner) = (s07 - s34, s16 - s25);
        let turned = (inner + outer) * 0.707_106_77;
        to[2][at] = outer + turned;
        to[6][at] = outer - turned;
        // Odd frequencies.
        let (first, middle, last) = (d34 + d25, d25 + d16, d16 + d07);
        let common = (first - last) * 0.382_683_43;
        let (low, high) = (0.541_196_1 * first + common, 1.306_563 * last + common);
        let middle = middle * 0.707_106_77;
        let (plus, minus) = (d07 + middle, d07 - middle);
        to[5][at] = minus + low;
        to[3][at] = minus - low;
        to[1][at] = plus + high;
        to[7][at] = plus - high;
    }
    to
}

#[cfg(test)]
mod tests {
    use std::f64::consts::PI;

    use super::*;

    /// The formula of A.3.3.
    fn expected(samples: &Block, v: usize, u: usize) -> f64 {
        let scale = |k: usize| if k == 0 { 0.5_f64.sqrt() } else { 1.0 };
        let wave = |k: usize, at: usize| ((2 * at + 1) as f64 * k as f64 * PI / 16.0).cos();
        let mut sum = 0.0;
        for (y, row) in samples.iter().enumerate() {
            for (x, &sample) in row.iter().enumerate() {
                sum += f64::from(sample) * wave(v, y) * wave(u, x);
            }
        }
        scale(u) * scale(v) * sum / 4.0
    }

    #[test]
    fn the_transform_is_the_formula() {
        let mut samples = [[0.0; BLOCK]; BLOCK];
        for (at, sample) in samples.as_flattened_mut().iter_mut().enumerate() {
            *sample = ((at * at * 31 + at * 7) % 256) as f32 - 128.0;
        }
        let values = transformed(&samples);
        for v in 0..BLOCK {
            for u in 0..BLOCK {
                let (found, expected) = (values[u][v] * SCALES[v] * SCALES[u], expected(&samples, v, u));
                assert!((f64::from(found) - expected).abs() < 1e-3, "{v} {u}: {found} {expected}");
            }
        }
    }
}
