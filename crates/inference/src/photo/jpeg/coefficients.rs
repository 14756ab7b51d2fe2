//! Decodes the coefficients of a block, as far as they are needed (ITU-T T.81, F.2.2).

use super::bits::BitReader;
use super::huffman::{Codes, CoefficientCodes, MOST_ADVANCED, N_COEFFICIENTS, Step};

/// Row-major: rows are vertical frequencies, columns horizontal ones. Values are as coded, not dequantised. The
/// last element receives values that belong to no coefficient.
pub(super) type Block = [i16; N_COEFFICIENTS + 1];

/// Row and column of each coefficient in the order in which they are coded (figure A.6).
pub(super) const ZIGZAG: [(usize, usize); 64] = zigzag();

const fn zigzag() -> [(usize, usize); 64] {
    let mut order = [(0, 0); 64];
    let (mut row, mut column, mut at) = (0_usize, 0_usize, 0);
    while at < 64 {
        order[at] = (row, column);
        let goes_up = (row + column) % 2 == 0;
        // Along a diagonal, and from its end to the start of the next.
        match (goes_up, row, column) {
            (true, _, 7) | (false, 0..7, 0) => row += 1,
            (true, 0, _) | (false, 7, _) => column += 1,
            (true, _, _) => {
                row -= 1;
                column += 1;
            }
            (false, _, _) => {
                row += 1;
                column -= 1;
            }
        }
        at += 1;
    }
    order
}

/// Index of each coefficient in a [`Block`], by zigzag position; positions beyond the block map to the extra
/// element.
const PLACES: [u8; 2 * N_COEFFICIENTS] = {
    let mut places = [N_COEFFICIENTS as u8; 2 * N_COEFFICIENTS];
    let mut at = 0;
    while at < N_COEFFICIENTS {
        let (row, column) = ZIGZAG[at];
        places[at] = (8 * row + column) as u8;
        at += 1;
    }
    places
};

/// Before this position, the first of two codes of a [`Step`] is never the last of its block, so that the second
/// belongs to the block as well.
const STEPS_END: usize = N_COEFFICIENTS - 2 * MOST_ADVANCED;

/// How the blocks of a component are coded, and which of their coefficients are needed.
pub(super) struct BlockReader<'a> {
    pub(super) difference_codes: &'a Codes,
    pub(super) coefficient_codes: &'a CoefficientCodes,
    /// One beyond the last needed coefficient, in zigzag order.
    pub(super) needed_end: usize,
}

impl BlockReader<'_> {
    /// Reads one block: needed coefficients into `block`, others are skipped. `mean` is the DC value of the
    /// previous block of this component, and is updated to that of this one. Returns the number of coefficients up
    /// to the last one read, in zigzag order; `None` for invalid bits.
    #[expect(clippy::inline_always, reason = "is compiled with the instructions of its caller")]
    #[inline(always)]
    pub(super) fn read(
        &self,
        reader: &mut BitReader<'_>,
        mean: &mut i32,
        block: &mut Block,
    ) -> Option<usize> {
        // In a local variable, which stays in registers.
        let mut bits = *reader;
        let n_read = self.read_local(&mut bits, mean, block);
        *reader = bits;
        n_read
    }

    #[expect(clippy::inline_always, reason = "a reader passed by reference would not stay in registers")]
    #[inline(always)]
    fn read_local(&self, bits: &mut BitReader<'_>, mean: &mut i32, block: &mut Block) -> Option<usize> {
        bits.refill();
        let symbol = self.difference_codes.next(bits)?;
        let size = symbol.size();
        // Wraps for hostile data; the sample is clamped at the end, and no index depends on it.
        *mean = mean.wrapping_add(bits.peek_value(symbol.n_bits() - size, size));
        bits.take(symbol.n_bits());
        *block = [0; N_COEFFICIENTS + 1];
        block[0] = *mean as i16;
        let mut next = 1;
        let steps_end = self.needed_end.min(STEPS_END);
        while next < steps_end {
            bits.refill();
            let step = self.coefficient_codes.step(bits);
            if step.is_none() {
                self.read_one(bits, &mut next, block)?;
                continue;
            }
            apply(step, bits, &mut next, block);
            if next >= steps_end {
                break;
            }
            // A refill is enough for two steps.
            let step = self.coefficient_codes.step(bits);
            if !step.is_none() {
                apply(step, bits, &mut next, block);
            }
        }
        while next < self.needed_end {
            bits.refill();
            self.read_one(bits, &mut next, block)?;
        }
        if let Some(n_read) = next.checked_sub(N_COEFFICIENTS).filter(|&n_read| n_read > 0) {
            // The end-of-block code advances beyond all coefficients.
            return Some(n_read);
        }
        let n_read = next.min(self.needed_end);
        while next < N_COEFFICIENTS {
            bits.refill();
            // Unneeded coefficients are skipped several codes at a time: only the number of bits matters.
            let leap = self.coefficient_codes.leap(bits);
            if next + leap.advance() < N_COEFFICIENTS {
                bits.take(leap.n_bits());
                next += leap.advance();
                if leap.ends_block() {
                    break;
                }
                continue;
            }
            // The code is too long for the table, or the end of the block is near.
            let symbol = self.coefficient_codes.codes.next(bits)?;
            bits.take(symbol.n_bits());
            if symbol.ends_block() {
                break;
            }
            next += symbol.advance();
            if next > N_COEFFICIENTS {
                return None;
            }
        }
        Some(n_read)
    }

    /// Reads one code with its value, after a refill; `None` for invalid bits.
    #[expect(clippy::inline_always, reason = "as above")]
    #[inline(always)]
    fn read_one(&self, bits: &mut BitReader<'_>, next: &mut usize, block: &mut Block) -> Option<()> {
        let symbol = self.coefficient_codes.codes.next(bits)?;
        let size = symbol.size();
        let value = bits.peek_value(symbol.n_bits() - size, size);
        bits.take(symbol.n_bits());
        *next += symbol.advance();
        set(block, *next - 1, value as i16);
        (*next <= N_COEFFICIENTS || symbol.ends_block()).then_some(())
    }
}

/// Sets one or two coefficients without checking how many, or whether the block ends: such branches, mispredicted half
/// the time, took most of the decoding time of a photograph.
#[expect(clippy::inline_always, reason = "as above")]
#[inline(always)]
fn apply(step: Step, bits: &mut BitReader<'_>, next: &mut usize, block: &mut Block) {
    let size = step.last_size();
    let value = bits.peek_value(step.n_bits() - size, size);
    bits.take(step.n_bits());
    let [first, all] = step.advances();
    set(block, *next + first - 1, step.first_value());
    *next += all;
    set(block, *next - 1, value as i16);
}

#[expect(clippy::inline_always, reason = "it is four instructions in the innermost loop")]
#[inline(always)]
fn set(block: &mut Block, at: usize, value: i16) {
    // The mask has no effect except that the compiler omits the bounds check.
    block[usize::from(PLACES[at & (PLACES.len() - 1)])] = value;
}

/// One beyond the last coefficient, in zigzag order, that is needed for `across` x `down` samples of a block.
pub(super) fn needed_end(across: usize, down: usize) -> usize {
    1 + ZIGZAG.iter().rposition(|&(row, column)| row < down && column < across).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_zigzag_is_that_of_the_standard() {
        // Figure A.6: the zigzag positions of the first two rows of a block.
        let place = |row, column| ZIGZAG.iter().position(|&at| at == (row, column));
        let rows = [[0, 1, 5, 6, 14, 15, 27, 28], [2, 4, 7, 13, 16, 26, 29, 42]];
        for (row, places) in rows.iter().enumerate() {
            for (column, expected) in places.iter().enumerate() {
                assert_eq!(place(row, column), Some(*expected), "{row} {column}");
            }
        }
        assert_eq!(place(7, 7), Some(63));
        assert_eq!(place(7, 0), Some(35));
    }

    #[test]
    fn few_coefficients_are_needed_for_few_samples() {
        for (across, down, expected) in [(1, 1, 1), (2, 2, 5), (4, 4, 25), (8, 8, 64), (2, 1, 2), (4, 8, 50)]
        {
            assert_eq!(needed_end(across, down), expected, "{across} x {down}");
        }
    }
}
