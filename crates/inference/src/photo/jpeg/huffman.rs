//! Huffman codes as look-up tables indexed by the next bits (ITU-T T.81, annex C).

use super::bits::{self, BitReader};

/// Bits of an index: nearly all codes of a photograph are shorter, and the tables of two components, 16 KiB each, stay
/// in the L1 cache.
const WINDOW: u32 = 11;
const N_WINDOWS: usize = 1 << WINDOW;

/// Maximum number of bits of a step, which is stored in five bits.
const MAX_BITS: u32 = 31;

/// Coefficients of a block.
pub(super) const N_COEFFICIENTS: usize = 64;

/// Advance of an end-of-block code: beyond all coefficients.
const TO_END: u32 = N_COEFFICIENTS as u32;

/// Maximum advance of all other codes.
pub(super) const MOST_ADVANCED: usize = 16;

/// A code with its value: the bits of both, the bits of the value, and the number of coefficients to advance.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Symbol(u16);

impl Symbol {
    /// No code starts with these bits.
    const NONE: Self = Self(0);

    fn new(n_bits: u32, size: u32, advance: u32) -> Self {
        Self((n_bits | size << 5 | advance << 9) as u16)
    }

    /// Bits of code and value, 1 to 31.
    pub(super) fn n_bits(self) -> u32 {
        u32::from(self.0) & 31
    }

    /// Bits of the value, 0 to 15.
    pub(super) fn size(self) -> u32 {
        u32::from(self.0) >> 5 & 15
    }

    /// Coefficients up to and including this one, 1 to [`MOST_ADVANCED`]; [`TO_END`] for the end of a block.
    pub(super) fn advance(self) -> usize {
        usize::from(self.0) >> 9
    }

    pub(super) fn ends_block(self) -> bool {
        self.advance() == N_COEFFICIENTS
    }
}

/// Huffman codes and their symbols.
pub(super) struct Codes {
    /// Indexed by the next [`WINDOW`] bits; [`Symbol::NONE`] for longer codes.
    short: [Symbol; N_WINDOWS],
    /// For each length from 0 to 16: the next 16 bits are below this for a code of at most that length.
    ends: [usize; 17],
    /// For each length, added to a code to get its index in `symbols`; wraps around.
    offsets: [usize; 17],
    /// In the order of the codes.
    symbols: Vec<Symbol>,
}

impl Codes {
    /// Codes for the sizes of differences, from `lengths` and `values` of a DHT segment; `None` for an invalid
    /// table.
    pub(super) fn of_differences(lengths: &[u8; 16], values: &[u8]) -> Option<Self> {
        Self::new(lengths, values, |value| (value <= 15).then_some((u32::from(value), 1)))
    }

    /// The same for coefficients: the upper four bits of a value are the number of zeros before it.
    fn of_coefficients(lengths: &[u8; 16], values: &[u8]) -> Option<Self> {
        Self::new(lengths, values, |value| match (value >> 4, value & 15) {
            (0, 0) => Some((0, TO_END)),
            (15, 0) => Some((0, 16)),
            (_, 0) => None,
            (zeros, size) => Some((u32::from(size), u32::from(zeros) + 1)),
        })
    }

    /// `meaning` returns size and advance; a value without them is a code that must not occur.
    fn new(lengths: &[u8; 16], values: &[u8], meaning: impl Fn(u8) -> Option<(u32, u32)>) -> Option<Self> {
        let mut codes = Self {
            short: [Symbol::NONE; N_WINDOWS],
            ends: [0; 17],
            offsets: [0; 17],
            symbols: Vec::with_capacity(values.len()),
        };
        let mut values = values.iter();
        let mut code = 0_usize;
        for (length, &n_codes) in (1_u32..).zip(lengths) {
            code <<= 1;
            // Codes of one length are consecutive numbers, so the difference of a code and its index is constant.
            codes.offsets[length as usize] = codes.symbols.len().wrapping_sub(code);
            for _ in 0..n_codes {
                // Without this check, more codes than a length allows would be written beyond the table.
                if code >= 1 << length {
                    return None;
                }
                let symbol = meaning(*values.next()?)
                    .map_or(Symbol::NONE, |(size, advance)| Symbol::new(length + size, size, advance));
                codes.symbols.push(symbol);
                if length <= WINDOW {
                    let first = code << (WINDOW - length);
                    codes.short[first..first + (1 << (WINDOW - length))].fill(symbol);
                }
                code += 1;
            }
            // Shifted to 16 bits, so that one comparison per length is enough.
            codes.ends[length as usize] = code << (16 - length);
        }
        Some(codes)
    }

    /// The next symbol; `None` for invalid bits.
    #[expect(
        clippy::inline_always,
        reason = "the reader stays in registers only within the loop that calls it"
    )]
    #[inline(always)]
    pub(super) fn next(&self, bits: &BitReader<'_>) -> Option<Symbol> {
        let symbol = self.short[bits.peek::<WINDOW>()];
        let symbol = if symbol == Symbol::NONE { self.long(bits.peek::<16>()) } else { symbol };
        (symbol != Symbol::NONE).then_some(symbol)
    }

    #[cold]
    #[inline(never)]
    fn long(&self, next_16: usize) -> Symbol {
        let length = (1..=16).find(|&length| next_16 < self.ends[length]);
        let index = length.map(|length| (next_16 >> (16 - length)).wrapping_add(self.offsets[length]));
        index.and_then(|index| self.symbols.get(index)).copied().unwrap_or(Symbol::NONE)
    }
}

/// Several codes with their values: their total bits and advance, and whether they end the block.
#[derive(Clone, Copy)]
pub(super) struct Leap(u16);

impl Leap {
    /// Advances beyond every block, so that no separate check is needed.
    const NONE: Self = Self(127 << 5);

    pub(super) fn n_bits(self) -> u32 {
        u32::from(self.0) & 31
    }

    pub(super) fn advance(self) -> usize {
        usize::from(self.0) >> 5 & 127
    }

    pub(super) fn ends_block(self) -> bool {
        self.0 >> 15 == 1
    }
}

/// One or two codes with their values. The last value may end behind the window and is read from the bits; that of a
/// first of two is stored here.
#[derive(Clone, Copy)]
pub(super) struct Step(u32);

impl Step {
    /// The next code is longer than the window.
    const NONE: Self = Self(0);

    /// `advances` as in [`Step::advances`].
    fn new(n_bits: u32, last_size: u32, advances: [u32; 2], first_value: i8) -> Self {
        let [first, all] = advances;
        Self(n_bits | last_size << 5 | first << 9 | all << 16 | u32::from(first_value.cast_unsigned()) << 24)
    }

    pub(super) fn is_none(self) -> bool {
        self.0 == 0
    }

    /// Bits of all codes and values, at most 26.
    pub(super) fn n_bits(self) -> u32 {
        self.0 & 31
    }

    /// Bits of the last value, as in [`Symbol::size`].
    pub(super) fn last_size(self) -> u32 {
        self.0 >> 5 & 15
    }

    /// As [`Symbol::advance`], of the first code and of all. They are equal if there is only one: its place then gets
    /// the first value, which means nothing, and after it the last one.
    pub(super) fn advances(self) -> [usize; 2] {
        [9, 16].map(|shift| (self.0 >> shift & 127) as usize)
    }

    pub(super) fn first_value(self) -> i16 {
        (self.0.cast_signed() >> 24) as i16
    }
}

/// The codes of coefficients.
pub(super) struct CoefficientCodes {
    pub(super) codes: Codes,
    /// Indexed by the next [`WINDOW`] bits, for coefficients that are needed.
    steps: [Step; N_WINDOWS],
    /// Indexed by the next [`WINDOW`] bits: as many codes as fit completely in them, for coefficients that are not
    /// needed, whose values may lie beyond the window.
    leaps: [Leap; N_WINDOWS],
}

impl CoefficientCodes {
    /// As for [`Codes::of_differences`].
    pub(super) fn new(lengths: &[u8; 16], values: &[u8]) -> Option<Self> {
        let codes = Codes::of_coefficients(lengths, values)?;
        let mut leaps = [Leap::NONE; N_WINDOWS];
        for (window, leap) in leaps.iter_mut().enumerate() {
            *leap = leap_of(&codes, window);
        }
        let mut steps = [Step::NONE; N_WINDOWS];
        for (window, step) in steps.iter_mut().enumerate() {
            *step = step_of(&codes, window);
        }
        Some(Self { codes, steps, leaps })
    }

    /// The next one or two codes with their values.
    #[expect(clippy::inline_always, reason = "as above")]
    #[inline(always)]
    pub(super) fn step(&self, bits: &BitReader<'_>) -> Step {
        self.steps[bits.peek::<WINDOW>()]
    }

    /// The next codes; an advance beyond every block if they must be decoded singly.
    #[expect(clippy::inline_always, reason = "as above")]
    #[inline(always)]
    pub(super) fn leap(&self, bits: &BitReader<'_>) -> Leap {
        self.leaps[bits.peek::<WINDOW>()]
    }
}

fn step_of(codes: &Codes, window: usize) -> Step {
    let one_behind = |n_skipped: u32| {
        let symbol = codes.short[window << n_skipped & (N_WINDOWS - 1)];
        // Zeros were shifted in after the window: a code that includes them may be another one.
        let is_whole = symbol != Symbol::NONE && n_skipped + symbol.n_bits() - symbol.size() <= WINDOW;
        is_whole.then_some(symbol)
    };
    let Some(first) = one_behind(0) else { return Step::NONE };
    let (n_bits, size, advance) = (first.n_bits(), first.size(), first.advance() as u32);
    let alone = Step::new(n_bits, size, [advance; 2], 0);
    // After the end of a block, another block with its own codes begins.
    if first.ends_block() || n_bits > WINDOW {
        return alone;
    }
    let bits = (window as u64) << (u64::BITS - WINDOW);
    let value = i8::try_from(bits::value(bits, n_bits - size, size));
    let (Some(second), Ok(value)) = (one_behind(n_bits), value) else { return alone };
    Step::new(n_bits + second.n_bits(), second.size(), [advance, advance + second.advance() as u32], value)
}

fn leap_of(codes: &Codes, window: usize) -> Leap {
    let (mut n_bits, mut advance, mut ends) = (0, 0, false);
    while n_bits < WINDOW && !ends {
        let symbol = codes.short[window << n_bits & (N_WINDOWS - 1)];
        let code_bits = symbol.n_bits() - symbol.size();
        // Zeros were shifted in after the window: a code that includes them may be another one.
        let is_whole = symbol != Symbol::NONE && n_bits + code_bits <= WINDOW;
        let own_advance = if symbol.ends_block() { 0 } else { symbol.advance() };
        if !is_whole || n_bits + symbol.n_bits() > MAX_BITS || advance + own_advance >= N_COEFFICIENTS {
            break;
        }
        n_bits += symbol.n_bits();
        advance += own_advance;
        ends = symbol.ends_block();
    }
    if n_bits == 0 {
        return Leap::NONE;
    }
    Leap((n_bits | (advance as u32) << 5 | u32::from(ends) << 15) as u16)
}

#[cfg(test)]
mod tests {
    use super::super::bits::CodedBytes;
    use super::*;

    /// Codes 00, 01, 100, 101 and 1100 0000 0000 1.
    const LENGTHS: [u8; 16] = [0, 2, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0];
    /// End of block, one bit immediately, two bits after one zero, sixteen zeros, one bit after two zeros.
    const VALUES: [u8; 5] = [0x00, 0x01, 0x12, 0xF0, 0x21];

    fn padded(bits: &str) -> Vec<u8> {
        let bits: Vec<u8> = bits.bytes().filter(|bit| *bit != b' ').map(|bit| bit - b'0').collect();
        let mut bytes: Vec<u8> = bits
            .chunks(8)
            .map(|byte| (0..8).fold(0, |sum, at| sum << 1 | byte.get(at).unwrap_or(&0)))
            .collect();
        bytes.extend([0; 8]);
        bytes
    }

    #[test]
    fn codes_of_every_length_are_found() {
        let codes = Codes::of_coefficients(&LENGTHS, &VALUES).unwrap();
        for (bits, expected) in [
            ("00", Some((2, 0, 64))),
            ("01 1", Some((3, 1, 1))),
            ("100 10", Some((5, 2, 2))),
            ("101", Some((3, 0, 16))),
            ("1100000000000 1", Some((14, 1, 3))),
            ("1100000000001 1", None),
            ("111", None),
        ] {
            let data = padded(bits);
            let scan = CodedBytes::new(&data, 0);
            let mut reader = scan.reader();
            reader.refill();
            let found = codes.next(&reader).map(|next| (next.n_bits(), next.size(), next.advance()));
            assert_eq!(found, expected, "{bits}");
        }
    }

    #[test]
    fn a_leap_takes_whole_codes_and_stops_at_the_end_of_a_block() {
        let codes = CoefficientCodes::new(&LENGTHS, &VALUES).unwrap();
        for (case, bits, expected) in [
            ("three and the end", "01 1 01 0 100 11 00", Some((11, 4, false))),
            ("up to the end", "01 1 00 01 1", Some((5, 1, true))),
            ("a code that ends behind the window", "01 1 01 1 01 1 100 11", Some((9, 3, false))),
            ("a value behind the window", "101 101 01 1 01 1", Some((12, 34, false))),
            ("too long a code", "1100000000000 1", None),
        ] {
            let data = padded(bits);
            let scan = CodedBytes::new(&data, 0);
            let mut reader = scan.reader();
            reader.refill();
            let leap = codes.leap(&reader);
            let found = (leap.n_bits() > 0).then(|| (leap.n_bits(), leap.advance(), leap.ends_block()));
            assert_eq!(found, expected, "{case}");
        }
    }

    /// Bits, advances and values of the step at the start of `bits`.
    fn step(codes: &CoefficientCodes, bits: &str) -> (u32, [usize; 2], [i32; 2]) {
        let data = padded(bits);
        let scan = CodedBytes::new(&data, 0);
        let mut reader = scan.reader();
        reader.refill();
        let step = codes.step(&reader);
        let last = reader.peek_value(step.n_bits() - step.last_size(), step.last_size());
        assert_eq!(step.is_none(), step.n_bits() == 0, "{bits}");
        (step.n_bits(), step.advances(), [step.first_value().into(), last])
    }

    #[test]
    fn a_step_is_one_or_two_codes_that_are_whole_in_the_window() {
        let codes = CoefficientCodes::new(&LENGTHS, &VALUES).unwrap();
        for (case, bits, expected) in [
            ("two", "01 1 100 10 01 1", (8, [1, 3], [1, 2])),
            ("of either sign", "100 01 01 0", (8, [2, 3], [-2, -1])),
            ("one and the end", "01 1 00 01 1", (5, [1, 65], [1, 0])),
            ("the end alone, whatever is behind", "00 01 1", (2, [64; 2], [0, 0])),
            ("sixteen zeros twice", "101 101 100 10 01 1", (6, [16, 32], [0, 0])),
            ("one, and a code that is longer than the window", "01 0 1100000000000", (3, [1; 2], [0, -1])),
            ("too long a code", "1100000000000 1", (0, [0; 2], [0, 0])),
            ("no code", "111", (0, [0; 2], [0, 0])),
        ] {
            assert_eq!(step(&codes, bits), expected, "{case}");
        }
    }

    #[test]
    fn the_last_value_of_a_step_may_end_behind_the_window() {
        // 0 ends a block; values of 8, 1 and 10 bits follow after 10, 110 and 111.
        let mut lengths = [0; 16];
        lengths[..3].copy_from_slice(&[1, 1, 2]);
        let codes = CoefficientCodes::new(&lengths, &[0x00, 0x08, 0x01, 0x0A]).unwrap();
        for (case, bits, expected) in [
            ("of one", "111 1000000001 0", (13, [1; 2], [0, 513])),
            ("of two", "110 1 111 1000000001 0", (17, [1, 2], [1, 513])),
            ("a first value that is stored", "10 01111111 0", (11, [1, 65], [-128, 0])),
            ("one that is too large for that", "10 10000000 0", (10, [1; 2], [0, 128])),
        ] {
            assert_eq!(step(&codes, bits), expected, "{case}");
        }
    }

    #[test]
    fn tables_that_are_no_code_are_refused() {
        let mut too_many = [0; 16];
        too_many[0] = 3;
        assert!(Codes::of_differences(&too_many, &[0, 1, 2]).is_none());
        assert!(Codes::of_differences(&LENGTHS, &VALUES[..4]).is_none(), "fewer values than codes");
    }
}
