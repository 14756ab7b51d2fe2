//! Sums of products in 16 bits, on processors without an instruction for four products in 32 bits.
//!
//! `vpmaddubsw` sums two products in each half of a lane; they fit, because no weight is beyond 64. Two such pairs
//! are added, modulo 2^16, before both halves are added to the 32 bits of the lane. If their sum may overflow,
//! there are two methods:
//!
//! - Corrections: two of the four weights are removed, and added in a separate step. It costs half of two steps,
//!   but only where it is needed.
//! - Offsets: a byte in 0..=255 is treated as one in -128..=127 plus 128. A sum that starts at minus 128 times its
//!   four weights, which the bias restores, fits unless all four are 64. It costs an addition each time.

use super::aligned::Aligned;
use crate::simd::Simd;

/// Output channels whose weights are stored together: 16 of four input channels are 64 bytes.
pub(super) const BLOCK: usize = 16;
/// Input channels per instruction.
pub(super) const STEP: usize = 4;
/// Bytes of the weights of one step.
pub(super) const STEP_BYTES: usize = BLOCK * STEP;

/// Parameters for summing two steps of a matrix product at a time.
pub(super) struct SixteenBits {
    /// Start values of the halves of each lane, i16 `[out / 16, n_in / 8, 16, 2]`; `None` if corrections are
    /// cheaper.
    pub(super) offsets: Option<Aligned>,
    /// The weights that were removed, per block of output channels.
    pub(super) corrections: Vec<Vec<Correction>>,
}

/// Weights of one step for the channels of a block.
#[repr(C, align(64))]
pub(super) struct Correction {
    pub(super) weights: [u8; STEP_BYTES],
    pub(super) step: usize,
}

impl SixteenBits {
    /// Prepares weights s8 `[out / 16, in / 4, 16, 4]`, removing some, and their bias, i32 per channel.
    pub(super) fn new(weights: &mut [u8], n_in: usize, bias: &mut [u8]) -> Self {
        let block_bytes = n_in / STEP * STEP_BYTES;
        let two_steps =
            || weights.chunks_exact(block_bytes).flat_map(|block| block.chunks_exact(2 * STEP_BYTES));
        let overflows = |two: &&[u8]| (0..2 * BLOCK).any(|half| !fits(of_half(two, half)));
        // A correction takes three instructions, an offset one.
        let by_offsets = 3 * two_steps().filter(overflows).count() > two_steps().count();
        let fits = if by_offsets { fits_with_offset } else { fits };
        let corrections = weights
            .chunks_exact_mut(block_bytes)
            .map(|block| {
                let two_steps = block.chunks_exact_mut(2 * STEP_BYTES).enumerate();
                two_steps.filter_map(|(index, two)| take_out(two, 2 * index + 1, fits)).collect()
            })
            .collect();
        let offsets = by_offsets.then(|| offsets(weights, n_in, bias));
        Self { offsets, corrections }
    }
}

/// The four weights that are summed in one half of a lane.
fn of_half(two_steps: &[u8], half: usize) -> [i32; 4] {
    let (first, second) = (2 * half, STEP_BYTES + 2 * half);
    [first, first + 1, second, second + 1].map(|at| i32::from(two_steps[at].cast_signed()))
}

/// Whether any sum of products of bytes with these weights fits in 16 bits.
fn fits(weights: [i32; 4]) -> bool {
    let positive: i32 = weights.into_iter().filter(|weight| *weight > 0).sum();
    let negative: i32 = weights.into_iter().filter(|weight| *weight < 0).sum();
    positive <= 128 && negative >= -128
}

/// The same for bytes minus 128.
fn fits_with_offset(weights: [i32; 4]) -> bool {
    weights.into_iter().map(i32::abs).sum::<i32>() <= 255
}

/// Removes weights from the second of two steps, which has the index `step`, if a sum would overflow.
fn take_out(two_steps: &mut [u8], step: usize, fits: fn([i32; 4]) -> bool) -> Option<Correction> {
    let mut correction = Correction { weights: [0; STEP_BYTES], step };
    for half in (0..2 * BLOCK).filter(|half| !fits(of_half(two_steps, *half))).collect::<Vec<_>>() {
        let taken = &mut two_steps[STEP_BYTES + 2 * half..][..2];
        correction.weights[2 * half..2 * half + 2].swap_with_slice(taken);
    }
    correction.weights.iter().any(|weight| *weight != 0).then_some(correction)
}

/// The start values of the halves of the lanes; the bias is adjusted to cancel them.
fn offsets(weights: &[u8], n_in: usize, bias: &mut [u8]) -> Aligned {
    let n_twice = n_in / STEP / 2;
    let mut offsets = Aligned::zeroed(weights.len() / (n_in / STEP) * n_twice);
    let mut all = offsets.as_mut_slice().as_chunks_mut::<2>().0.iter_mut();
    let blocks = weights.chunks_exact(n_in / STEP * STEP_BYTES).zip(bias.chunks_mut(4 * BLOCK));
    for (block, bias) in blocks {
        for two_steps in block.chunks_exact(2 * STEP_BYTES) {
            for half in 0..2 * BLOCK {
                let sum: i32 = of_half(two_steps, half).into_iter().sum();
                if let Some(offset) = all.next() {
                    *offset = ((-128 * sum) as i16).to_le_bytes();
                }
                // The last block may have more channels than exist. The addition wraps, as do the sums of the
                // kernels.
                if let Some(bias) = bias.get_mut(4 * (half / 2)..).and_then(|bias| bias.first_chunk_mut()) {
                    *bias = i32::from_le_bytes(*bias).wrapping_add(128 * sum).to_le_bytes();
                }
            }
        }
    }
    offsets
}

/// Adds the products of two steps to the sums of a tile: pixels are `distance` bytes apart, and each vector of
/// output channels has the address of its weights and, with `OFFSETS`, of its offsets.
///
/// # Safety
/// The processor has the instructions of `S`.
#[inline(always)]
pub(super) unsafe fn add_two_steps<S: Simd, const ROWS: usize, const COLUMNS: usize, const OFFSETS: bool>(
    sums: &mut [[S::Int; COLUMNS]; ROWS],
    pixels: *const u8,
    distance: usize,
    weights: [*const u8; COLUMNS],
    offsets: [*const u8; COLUMNS],
) {
    unsafe {
        for (row, sums) in sums.iter_mut().enumerate() {
            let pixel = pixels.add(row * distance);
            let pixel = [S::repeat(pixel), S::repeat(pixel.add(STEP))];
            for ((sum, weights), offsets) in sums.iter_mut().zip(weights).zip(offsets) {
                let weights = [S::load(weights), S::load(weights.add(STEP_BYTES))];
                let mut pairs = S::pairs(pixel[0], weights[0]);
                if OFFSETS {
                    pairs = S::add_halves(pairs, S::load(offsets));
                }
                pairs = S::add_halves(pairs, S::pairs(pixel[1], weights[1]));
                *sum = S::add_pairs(*sum, pairs);
            }
        }
    }
}
