//! The bits of a scan, the most significant of each byte first, without the zeros that are stuffed in behind 0xFF
//! (ITU-T T.81, F.2.2.5).

/// Bits that are there after [`BitReader::refill`]: the longest code, 16 bits, and the longest value, 15.
const LEAST_BITS: u32 = 32;

/// Reads ahead of what is taken. Small and copied freely, so that a loop can keep it in registers.
#[derive(Clone, Copy)]
pub(super) struct BitReader<'a> {
    data: &'a [u8],
    /// The next byte that is not in the reservoir as a whole.
    at: usize,
    /// The next bits, the first one the most significant. Behind the `n_bits` that count, it holds zeros or what
    /// follows in the data.
    reservoir: u64,
    n_bits: u32,
    /// Zeros in the reservoir, or taken from it, that the data did not hold.
    n_made_up: u32,
}

impl<'a> BitReader<'a> {
    /// Over `data`, which ends with the first marker or where the file does.
    pub(super) fn new(data: &'a [u8]) -> Self {
        Self { data, at: 0, reservoir: 0, n_bits: 0, n_made_up: 0 }
    }

    /// Makes sure that a code and its value can be taken. Behind the end come zeros, which
    /// [`is_past_end`](Self::is_past_end) tells.
    #[expect(
        clippy::inline_always,
        reason = "its fields stay in registers only within the loop that calls it"
    )]
    #[inline(always)]
    pub(super) fn refill(&mut self) {
        if self.n_bits >= LEAST_BITS {
            return;
        }
        if let Some(bytes) = self.data.get(self.at..).and_then(<[u8]>::first_chunk::<8>) {
            let word = u64::from_be_bytes(*bytes);
            if !has_ff(word) {
                self.reservoir |= word >> self.n_bits;
                // Only whole bytes count. Bits of the next one were shifted in as well; the next refill sets the
                // same bits again.
                let n_bytes = (63 - self.n_bits) / 8;
                self.at += n_bytes as usize;
                self.n_bits += 8 * n_bytes;
                return;
            }
        }
        // By value: were its address taken, the reader could not stay in registers.
        *self = self.refilled_bytewise();
    }

    #[cold]
    #[inline(never)]
    fn refilled_bytewise(mut self) -> Self {
        while self.n_bits <= 56 {
            let byte = match (self.data.get(self.at), self.data.get(self.at + 1)) {
                (Some(0xFF), Some(0)) => {
                    self.at += 2;
                    0xFF
                }
                // A marker, or the end: it stays, and zeros stand in for what is missing.
                (Some(0xFF) | None, _) => {
                    self.n_made_up += 8;
                    0
                }
                (Some(&byte), _) => {
                    self.at += 1;
                    byte
                }
            };
            self.reservoir |= u64::from(byte) << (56 - self.n_bits);
            self.n_bits += 8;
        }
        self
    }

    /// The next `N` bits, 1 to 32 of them, without taking them.
    #[expect(clippy::inline_always, reason = "as above")]
    #[inline(always)]
    pub(super) fn peek<const N: u32>(&self) -> usize {
        (self.reservoir >> (64 - N)) as usize
    }

    /// The `size` bits behind the next `skipped` ones, as the difference that they stand for (F.2.2.1); 0 for none.
    #[expect(clippy::inline_always, reason = "as above")]
    #[inline(always)]
    pub(super) fn peek_value(&self, skipped: u32, size: u32) -> i32 {
        // Shifted twice, since a shift by 64 is none.
        let value = (self.reservoir << skipped >> 1 >> (63 - size)) as i32;
        // A value whose first bit is 0 stands for a negative difference (table F.1).
        let is_negative = value < (1 << size) >> 1;
        value + if is_negative { 1 - (1 << size) } else { 0 }
    }

    /// Takes bits that [`refill`](Self::refill) made sure of.
    #[expect(clippy::inline_always, reason = "as above")]
    #[inline(always)]
    pub(super) fn take(&mut self, n_bits: u32) {
        self.reservoir <<= n_bits;
        self.n_bits -= n_bits;
    }

    /// Whether nothing follows what is in the reservoir but the end of the picture.
    pub(super) fn is_at_end_of_picture(&self) -> bool {
        let rest = self.data.get(self.at..).unwrap_or_default();
        let marker = rest.iter().find(|&&byte| byte != 0xFF);
        self.n_made_up > 0 && matches!(marker, None | Some(0xD9))
    }

    /// Whether bits were taken that the data does not hold.
    pub(super) fn is_past_end(&self) -> bool {
        // Those made up are the last ones in the reservoir.
        self.n_bits < self.n_made_up
    }

    /// Goes on behind the restart marker of this number, 0 to 7; false where it does not come next.
    pub(super) fn restart(&mut self, number: u8) -> bool {
        *self = self.refilled_bytewise();
        // Up to seven bits of padding fill the last byte before a marker.
        let is_at_marker = self.n_bits - self.n_made_up.min(self.n_bits) < 8;
        let follows = self.data.get(self.at..).is_some_and(|rest| rest.starts_with(&[0xFF, 0xD0 + number]));
        if is_at_marker && follows && !self.is_past_end() {
            *self = Self { at: self.at + 2, ..Self::new(self.data) };
            return true;
        }
        false
    }
}

/// Whether any of the eight bytes is 0xFF.
fn has_ff(word: u64) -> bool {
    // A byte of `!word` is zero (Mycroft's test): subtracting one borrows into its top bit.
    let (ones, tops) = (u64::from_ne_bytes([0x01; 8]), u64::from_ne_bytes([0x80; 8]));
    (!word).wrapping_sub(ones) & word & tops != 0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes_read(data: &[u8], n_bytes: usize) -> (Vec<u8>, bool) {
        let mut bits = BitReader::new(data);
        let read = (0..n_bytes).map(|_| {
            // In two pieces, so that the reservoir is left at every number of bits.
            bits.refill();
            let high = bits.peek::<3>() << 5;
            bits.take(3);
            bits.refill();
            let low = bits.peek::<5>();
            bits.take(5);
            (high | low) as u8
        });
        (read.collect(), bits.is_past_end())
    }

    #[test]
    fn stuffed_zeros_are_left_out_wherever_they_stand() {
        for at in 0..20 {
            let mut expected: Vec<u8> = (1..=20).collect();
            expected[at] = 0xFF;
            let mut data = expected.clone();
            data.insert(at + 1, 0);
            data.extend([0xFF, 0xD9]);
            assert_eq!(bytes_read(&data, 20), (expected.clone(), false), "{at}");
            assert!(bytes_read(&data, 21).1, "{at}: nothing is read past the marker");
        }
    }

    #[test]
    fn every_byte_of_ff_is_seen() {
        for at in 0..8 {
            for rest in [0x00, 0x7F, 0x80, 0xFE] {
                let mut bytes = [rest; 8];
                assert!(!has_ff(u64::from_be_bytes(bytes)));
                bytes[at] = 0xFF;
                assert!(has_ff(u64::from_be_bytes(bytes)), "{bytes:?}");
            }
        }
    }

    #[test]
    fn values_are_differences_of_both_signs() {
        // Table F.1: of size 3 the bits 000 to 011 are -7 to -4, and 100 to 111 are 4 to 7.
        for (bits, size, expected) in
            [(0b000, 3, -7), (0b011, 3, -4), (0b100, 3, 4), (0b111, 3, 7), (0, 1, -1), (1, 1, 1), (0, 0, 0)]
        {
            // Behind two bits that are skipped.
            let data = [0b1100_0000 | (bits << (6 - size)) as u8, 0, 0, 0, 0, 0, 0, 0, 0];
            let mut reader = BitReader::new(&data);
            reader.refill();
            assert_eq!(reader.peek_value(2, size), expected, "{bits:b} of size {size}");
        }
    }

    #[test]
    fn a_restart_needs_its_own_marker_right_behind_the_data() {
        for (case, data, expected) in [
            ("its marker", &[0xAA, 0xFF, 0xD3, 0x55][..], true),
            ("another", &[0xAA, 0xFF, 0xD4, 0x55], false),
            ("a byte between", &[0xAA, 0xBB, 0xFF, 0xD3, 0x55], false),
            ("none", &[0xAA], false),
        ] {
            let mut bits = BitReader::new(data);
            bits.refill();
            bits.take(6);
            assert_eq!(bits.restart(3), expected, "{case}");
            bits.refill();
            assert!(!expected || bits.peek::<8>() == 0x55, "{case}");
        }
    }
}
