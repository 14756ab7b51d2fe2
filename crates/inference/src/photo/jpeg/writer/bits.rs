//! Writes coded blocks, most significant bits first (ITU-T T.81, F.1.2).

use super::super::huffman::N_COEFFICIENTS;
use super::codes::Table;
use super::transform::Coefficients;

/// Symbols without a value.
const END_OF_BLOCK: u8 = 0x00;
const SIXTEEN_ZEROS: u8 = 0xF0;

/// Appends bits to a JPEG.
pub(super) struct BitWriter {
    jpeg: Vec<u8>,
    /// Its lowest `n_bits` bits are not written yet; the others are, or are meaningless.
    reservoir: u64,
    /// Less than 32 between two codes.
    n_bits: u32,
}

impl BitWriter {
    pub(super) fn new(jpeg: Vec<u8>) -> Self {
        Self { jpeg, reservoir: 0, n_bits: 0 }
    }

    /// Writes the difference of two DC coefficients, at most 2,047.
    #[expect(clippy::inline_always, reason = "is compiled with the instructions of its caller")]
    #[inline(always)]
    pub(super) fn write_difference(&mut self, difference: i32, table: &Table) {
        let (size, bits) = sized(difference);
        self.write_code(table, size as u8, size, bits);
    }

    /// Writes all coefficients except the first; each is at most 1,023.
    #[expect(clippy::inline_always, reason = "as above")]
    #[inline(always)]
    pub(super) fn write_coefficients(&mut self, coefficients: &Coefficients, table: &Table) {
        let mut left = coefficients.non_zero & !1;
        let mut last = 0;
        while left != 0 {
            let at = left.trailing_zeros();
            left &= left - 1;
            let mut n_zeros = at - last - 1;
            while n_zeros > 15 {
                self.write_code(table, SIXTEEN_ZEROS, 0, 0);
                n_zeros -= 16;
            }
            let (size, bits) = sized(i32::from(coefficients.values[at as usize]));
            self.write_code(table, (n_zeros << 4 | size) as u8, size, bits);
            last = at;
        }
        if last as usize != N_COEFFICIENTS - 1 {
            self.write_code(table, END_OF_BLOCK, 0, 0);
        }
    }

    /// Writes the code of a symbol and the `size` bits of its value.
    #[expect(clippy::inline_always, reason = "as above")]
    #[inline(always)]
    fn write_code(&mut self, table: &Table, symbol: u8, size: u32, bits: u32) {
        let (code, length) = table.codes[usize::from(symbol)];
        // At most 27 bits: 16 of a code and 11 of a value.
        let n_bits = u32::from(length) + size;
        self.reservoir = self.reservoir << n_bits | u64::from(u32::from(code) << size | bits);
        self.n_bits += n_bits;
        if self.n_bits >= u32::BITS {
            self.n_bits -= u32::BITS;
            self.write_word((self.reservoir >> self.n_bits) as u32);
        }
    }

    #[expect(clippy::inline_always, reason = "as above")]
    #[inline(always)]
    fn write_word(&mut self, word: u32) {
        // Adding 1 to each byte clears the top bit of a 0xFF, and perhaps of others, for which it only takes longer.
        if word & !word.wrapping_add(0x0101_0101) & 0x8080_8080 == 0 {
            self.jpeg.extend_from_slice(&word.to_be_bytes());
        } else {
            for byte in word.to_be_bytes() {
                self.write_byte(byte);
            }
        }
    }

    fn write_byte(&mut self, byte: u8) {
        self.jpeg.push(byte);
        // Otherwise it would begin a marker (F.1.2.3).
        if byte == 0xFF {
            self.jpeg.push(0);
        }
    }

    /// Returns the JPEG, with ones up to the end of the last byte.
    pub(super) fn finish(mut self) -> Vec<u8> {
        while self.n_bits > 0 {
            let padded = self.reservoir << 8 | 0xFF;
            self.write_byte((padded >> self.n_bits) as u8);
            self.n_bits = self.n_bits.saturating_sub(8);
        }
        self.jpeg
    }
}

/// The size of a value, and its bits (tables F.1 and F.2).
#[expect(clippy::inline_always, reason = "as above")]
#[inline(always)]
fn sized(value: i32) -> (u32, u32) {
    let size = u32::BITS - value.unsigned_abs().leading_zeros();
    // A negative value is written minus 1.
    let bits = (value + (value >> 31)) as u32 & ((1 << size) - 1);
    (size, bits)
}
