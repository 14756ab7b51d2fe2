//! Reads the bits of a scan, most significant first (ITU-T T.81, F.2.2.5).

/// Bytes that the reader loads at once.
const WORD_BYTES: usize = size_of::<u64>();

/// The coded bytes of a scan without stuffed zeros after 0xFF and without markers: checking for them at each step
/// would take longer than this copy.
pub(super) struct CodedBytes {
    bytes: Vec<u8>,
    /// End offset of each restart interval, except for the last.
    restarts: Vec<u32>,
    /// Whether only the end of the picture, or of the file, follows.
    is_whole: bool,
}

impl CodedBytes {
    /// From the data after the header of a scan, up to the first marker that is not one of `n_restarts`.
    pub(super) fn new(mut data: &[u8], n_restarts: usize) -> Self {
        let mut bytes = Vec::with_capacity(data.len());
        let mut restarts = Vec::new();
        let is_whole = loop {
            let Some(at) = memchr::memchr(0xFF, data) else {
                bytes.extend_from_slice(data);
                break true;
            };
            match data.get(at + 1) {
                Some(0) => {
                    bytes.extend_from_slice(&data[..=at]);
                }
                // In cyclic order, and as many as expected: other files are left to the full decoder.
                Some(&marker)
                    if usize::from(marker) == 0xD0 + restarts.len() % 8 && restarts.len() < n_restarts =>
                {
                    bytes.extend_from_slice(&data[..at]);
                    restarts.push(bytes.len() as u32);
                }
                _ => {
                    bytes.extend_from_slice(&data[..at]);
                    let marker = data[at..].iter().find(|&&byte| byte != 0xFF);
                    break matches!(marker, None | Some(0xD9));
                }
            }
            data = &data[at + 2..];
        };
        Self { bytes, restarts, is_whole }
    }

    pub(super) fn reader(&self) -> BitReader<'_> {
        BitReader { bytes: &self.bytes, at: 0, reservoir: 0, n_bits: 0 }
    }

    /// Whether `reader` has consumed bits beyond the end.
    pub(super) fn is_past_end(&self, reader: &BitReader<'_>) -> bool {
        reader.n_taken() > 8 * self.bytes.len()
    }

    /// Whether `reader` has reached the end, and only the end of the picture follows.
    pub(super) fn is_at_end_of_picture(&self, reader: &BitReader<'_>) -> bool {
        self.is_whole && reader.at > self.bytes.len()
    }

    /// Continues after the restart marker with this index; false if it does not come next.
    pub(super) fn restart(&self, index: usize, reader: &mut BitReader<'_>) -> bool {
        let Some(&end) = self.restarts.get(index) else { return false };
        let end = end as usize;
        // The last byte before a marker is padded with up to seven bits.
        let padding = (8 * end).checked_sub(reader.n_taken());
        let is_next = padding.is_some_and(|n_bits| n_bits < 8);
        if is_next {
            *reader = BitReader { at: end, reservoir: 0, n_bits: 0, ..*reader };
        }
        is_next
    }
}

/// Reads ahead of the consumed bits. Small and `Copy`, so that a loop can keep it in registers.
#[derive(Clone, Copy)]
pub(super) struct BitReader<'a> {
    bytes: &'a [u8],
    /// The next byte that is not completely in the reservoir.
    at: usize,
    /// The next bits, most significant first. Bits beyond the first `n_bits` are those that follow, or zeros.
    reservoir: u64,
    n_bits: u32,
}

impl BitReader<'_> {
    /// Ensures at least 56 bits, enough for a code of 16 bits and a value of 15. Zeros follow after the end, which
    /// [`is_past_end`](CodedBytes::is_past_end) detects.
    #[expect(
        clippy::inline_always,
        reason = "its fields stay in registers only within the loop that calls it"
    )]
    #[inline(always)]
    pub(super) fn refill(&mut self) {
        // Unconditional: whether it is needed varies from code to code, and a mispredicted branch costs more.
        let word = self.bytes.get(self.at..).and_then(<[u8]>::first_chunk::<WORD_BYTES>);
        let word = match word {
            Some(bytes) => u64::from_be_bytes(*bytes),
            None => self.last_word(),
        };
        self.reservoir |= word >> self.n_bits;
        // Only whole bytes count. Bits of the next byte were shifted in too; the next refill sets the same bits
        // again.
        let n_bytes = (63 - self.n_bits) / 8;
        self.at += n_bytes as usize;
        self.n_bits += 8 * n_bytes;
    }

    #[cold]
    #[inline(never)]
    fn last_word(self) -> u64 {
        let mut word = [0; WORD_BYTES];
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        word[..rest.len()].copy_from_slice(rest);
        u64::from_be_bytes(word)
    }

    /// The next `N` bits, 1 to 32, without consuming them.
    #[expect(clippy::inline_always, reason = "as above")]
    #[inline(always)]
    pub(super) fn peek<const N: u32>(&self) -> usize {
        (self.reservoir >> (64 - N)) as usize
    }

    /// The `size` bits after the next `skipped` bits, decoded as a signed difference (F.2.2.1); 0 if `size` is 0.
    #[expect(clippy::inline_always, reason = "as above")]
    #[inline(always)]
    pub(super) fn peek_value(&self, skipped: u32, size: u32) -> i32 {
        value(self.reservoir, skipped, size)
    }

    /// Consumes bits that [`refill`](Self::refill) has ensured.
    #[expect(clippy::inline_always, reason = "as above")]
    #[inline(always)]
    pub(super) fn take(&mut self, n_bits: u32) {
        self.reservoir <<= n_bits;
        self.n_bits -= n_bits;
    }

    /// Bits consumed since the beginning.
    fn n_taken(&self) -> usize {
        8 * self.at - self.n_bits as usize
    }
}

/// Like [`BitReader::peek_value`], for bits given most significant first.
#[expect(clippy::inline_always, reason = "as above")]
#[inline(always)]
pub(super) fn value(bits: u64, skipped: u32, size: u32) -> i32 {
    let bits = bits << skipped;
    // All ones if the first bit is 0: then it is a negative difference, with the inverted bits of its absolute value
    // (table F.1).
    let sign = !(bits.cast_signed() >> 63);
    // Shifted twice, since `size` may be 0 and a shift by 64 would overflow.
    let absolute = (bits ^ sign.cast_unsigned()) >> 1 >> (63 - size);
    (absolute as i32 ^ sign as i32) - sign as i32
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes_read(data: &[u8], n_bytes: usize) -> (Vec<u8>, bool) {
        let coded = CodedBytes::new(data, 0);
        let mut bits = coded.reader();
        let read = (0..n_bytes).map(|_| {
            // In two steps, so that the reservoir is left with every number of bits.
            bits.refill();
            let high = bits.peek::<3>() << 5;
            bits.take(3);
            bits.refill();
            let low = bits.peek::<5>();
            bits.take(5);
            (high | low) as u8
        });
        (read.collect(), coded.is_past_end(&bits))
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
    fn behind_the_end_come_zeros() {
        let (read, is_past_end) = bytes_read(&[0xAA], 30);
        assert_eq!((read[0], &read[1..], is_past_end), (0xAA, &[0; 29][..], true));
    }

    #[test]
    fn the_end_of_a_picture_is_told_from_another_marker() {
        for (data, expected) in [
            (&[0xAA][..], true),
            (&[0xAA, 0xFF], true),
            (&[0xAA, 0xFF, 0xD9], true),
            (&[0xAA, 0xFF, 0xFF, 0xD9], true),
            (&[0xAA, 0xFF, 0xDA], false),
            (&[0xAA, 0xFF, 0xD0], false),
        ] {
            let coded = CodedBytes::new(data, 0);
            let mut bits = coded.reader();
            bits.refill();
            assert_eq!(coded.is_at_end_of_picture(&bits), expected, "{data:X?}");
        }
    }

    #[test]
    fn values_are_differences_of_both_signs() {
        // Table F.1: for size 3 the bits 000 to 011 are -7 to -4, and 100 to 111 are 4 to 7.
        for (bits, size, expected) in
            [(0b000, 3, -7), (0b011, 3, -4), (0b100, 3, 4), (0b111, 3, 7), (0, 1, -1), (1, 1, 1), (0, 0, 0)]
        {
            // After two bits that are skipped.
            let first_byte = 0b1100_0000_u64 | bits << (6 - size);
            assert_eq!(value(first_byte << 56, 2, size), expected, "{bits:b} of size {size}");
        }
    }

    #[test]
    fn a_restart_needs_its_own_marker_right_behind_the_data() {
        for (case, data, expected) in [
            ("its marker", &[0xAA, 0xFF, 0xD0, 0x55][..], true),
            ("another", &[0xAA, 0xFF, 0xD4, 0x55], false),
            ("a byte between", &[0xAA, 0xBB, 0xFF, 0xD0, 0x55], false),
            ("none", &[0xAA], false),
        ] {
            let coded = CodedBytes::new(data, 1);
            let mut bits = coded.reader();
            bits.refill();
            bits.take(6);
            assert_eq!(coded.restart(0, &mut bits), expected, "{case}");
            bits.refill();
            assert!(!expected || bits.peek::<8>() == 0x55, "{case}");
        }
    }

    #[test]
    fn no_more_restarts_are_noted_than_there_should_be() {
        let data: Vec<u8> = (0..100).flat_map(|at| [0xAA, 0xFF, 0xD0 + at % 8]).collect();
        let coded = CodedBytes::new(&data, 10);
        assert_eq!((coded.restarts.len(), coded.bytes.len(), coded.is_whole), (10, 11, false));
    }
}
