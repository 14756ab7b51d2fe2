//! The passes with AVX2.
//!
//! AVX2 multiplies i32 slowly, but pairs of i16 with their sum in one step. So a weight `k` is split into
//! `2^15 * high + low`, with `low` in `[0, 2^15)`, and
//!
//! ```text
//! sum(k[j] * in[j]) = 2^15 * sum(high[j] * in[j]) + sum(low[j] * in[j])
//! ```
//!
//! modulo 2^32, which is exact because the result fits in an i32. A step processes four positions of three
//! channels.

use std::arch::x86_64::{
    __m256i, _mm_cvtsi128_si32, _mm_set_epi64x, _mm256_add_epi32, _mm256_broadcastsi128_si256,
    _mm256_castsi256_si128, _mm256_extracti128_si256, _mm256_madd_epi16, _mm256_packs_epi32,
    _mm256_packus_epi16, _mm256_permute2x128_si256, _mm256_set1_epi32, _mm256_setr_epi8, _mm256_setr_epi32,
    _mm256_setzero_si256, _mm256_shuffle_epi8, _mm256_slli_epi32, _mm256_srai_epi32,
};
use std::ops::Range;

use super::super::{Axis, HALF, PRECISION_BITS};

/// Positions in one step, and bytes that it reads: 12, padded to a register.
const STEP: usize = 4;
const READ: usize = 16;
/// Bits of the low half of a weight.
const LOW_BITS: u32 = 15;

/// The weights of one step, as low and high parts.
struct Step {
    low: __m256i,
    high: __m256i,
}

/// The steps of one output position, and the offset of the first byte that they read.
struct Output {
    first_byte: usize,
    steps: Range<usize>,
}

#[target_feature(enable = "avx2")]
pub(super) fn rows(rgb: &[u8], width: usize, axis: &Axis, narrow: &mut [u8]) {
    let mut steps = Vec::new();
    let outputs: Vec<Output> = axis
        .taps()
        .map(|(first, weights)| {
            let start = steps.len();
            steps.extend(weights.chunks(STEP).map(|weights| step(weights)));
            Output { first_byte: 3 * first, steps: start..steps.len() }
        })
        .collect();
    let (row_bytes, narrow_bytes) = (3 * width, 3 * axis.n_out());
    // Long enough for the last step: the bytes beyond the row have no weight.
    let mut lines = [vec![0; row_bytes + 3 * STEP + READ], vec![0; row_bytes + 3 * STEP + READ]];
    // Two rows at a time share the weights. For a single last row, the result of the other line is ignored.
    for (rows, narrow) in rgb.chunks(2 * row_bytes).zip(narrow.chunks_mut(2 * narrow_bytes)) {
        for (line, row) in lines.iter_mut().zip(rows.chunks_exact(row_bytes)) {
            line[..row_bytes].copy_from_slice(row);
        }
        let (upper, lower) = narrow.split_at_mut(narrow_bytes);
        let mut lower = lower.as_chunks_mut::<3>().0.iter_mut();
        for (output, to) in outputs.iter().zip(upper.as_chunks_mut::<3>().0) {
            let bytes = [&lines[0][output.first_byte..], &lines[1][output.first_byte..]];
            let pixels = pixels(bytes, &steps[output.steps.clone()]);
            *to = pixels[0];
            if let Some(to) = lower.next() {
                *to = pixels[1];
            }
        }
    }
}

/// The weights of up to four positions; missing ones are 0.
#[target_feature(enable = "avx2")]
fn step(weights: &[i32]) -> Step {
    let at = |position: usize| weights.get(position).copied().unwrap_or(0);
    let low = |position| at(position) & ((1 << LOW_BITS) - 1);
    let high = |position| (at(position) >> LOW_BITS) & 0xffff;
    let lanes = |first: i32, second: i32| {
        _mm256_setr_epi32(first, first, first, first, second, second, second, second)
    };
    Step {
        low: lanes(low(0) | low(1) << 16, low(2) | low(3) << 16),
        high: lanes(high(0) | high(1) << 16, high(2) | high(3) << 16),
    }
}

/// One output pixel in each of two rows; the slices start at its first position.
#[target_feature(enable = "avx2")]
fn pixels(rows: [&[u8]; 2], steps: &[Step]) -> [[u8; 3]; 2] {
    // Pairs of positions in each channel: 0 and 1 in the lower half, 2 and 3 in the upper; -1 is a zero byte.
    let pairs = _mm256_setr_epi8(
        0, -1, 3, -1, 1, -1, 4, -1, 2, -1, 5, -1, -1, -1, -1, -1, //
        6, -1, 9, -1, 7, -1, 10, -1, 8, -1, 11, -1, -1, -1, -1, -1,
    );
    let mut halves = [[_mm256_setzero_si256(); 2]; 2];
    for (step, at) in steps.iter().zip((0..).step_by(3 * STEP)) {
        for (row, [low, high]) in rows.iter().zip(&mut halves) {
            let (words, _) = row[at..at + READ].as_chunks::<8>();
            let [first, second] = [words[0], words[1]].map(i64::from_le_bytes);
            let values =
                _mm256_shuffle_epi8(_mm256_broadcastsi128_si256(_mm_set_epi64x(second, first)), pairs);
            *low = _mm256_add_epi32(*low, _mm256_madd_epi16(values, step.low));
            *high = _mm256_add_epi32(*high, _mm256_madd_epi16(values, step.high));
        }
    }
    let [[upper_low, upper_high], [lower_low, lower_high]] = halves;
    let (upper, lower) = (whole(upper_low, upper_high), whole(lower_low, lower_high));
    // Each row has two partial sums: adds the first of both rows and the second of both rows.
    let sums = _mm256_add_epi32(
        _mm256_permute2x128_si256::<0x20>(upper, lower),
        _mm256_permute2x128_si256::<0x31>(upper, lower),
    );
    let rounded = _mm256_add_epi32(sums, _mm256_set1_epi32(HALF));
    let shifted = _mm256_srai_epi32::<{ PRECISION_BITS.cast_signed() }>(rounded);
    // Both instructions saturate.
    let words = _mm256_packs_epi32(shifted, shifted);
    let bytes = _mm256_packus_epi16(words, words);
    let [red, green, blue, _] = _mm_cvtsi128_si32(_mm256_castsi256_si128(bytes)).to_le_bytes();
    let upper = [red, green, blue];
    let [red, green, blue, _] = _mm_cvtsi128_si32(_mm256_extracti128_si256::<1>(bytes)).to_le_bytes();
    [upper, [red, green, blue]]
}

/// Combines the sums of the low and the high parts.
#[target_feature(enable = "avx2")]
fn whole(low: __m256i, high: __m256i) -> __m256i {
    _mm256_add_epi32(low, _mm256_slli_epi32::<{ LOW_BITS.cast_signed() }>(high))
}

#[target_feature(enable = "avx2")]
pub(super) fn columns(rgb: &[u8], row_bytes: usize, axis: &Axis, low: &mut [u8]) {
    super::columns(rgb, row_bytes, axis, low);
}
