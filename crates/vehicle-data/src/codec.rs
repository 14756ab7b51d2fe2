//! The encoding that the embedded binary files share: a header (magic, version, checksum), then variable-length
//! integers and texts.

use crate::FormatError;

/// Magic, version, checksum.
const MAGIC_BYTES: usize = 4;
const HEADER_BYTES: usize = MAGIC_BYTES + 1 + 8;

/// FNV-1a, 64 bits. It detects damage and is not a signature. Source: Fowler, Noll and Vo, draft-eastlake-fnv.
fn checksum(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}

/// A complete file with this payload.
pub(crate) fn seal(magic: [u8; MAGIC_BYTES], version: u8, payload: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(HEADER_BYTES + payload.len());
    bytes.extend_from_slice(&magic);
    // Not covered by the checksum, so that a file of another version is reported as such and not as damaged.
    bytes.push(version);
    bytes.extend_from_slice(&checksum(payload).to_le_bytes());
    bytes.extend_from_slice(payload);
    bytes
}

/// The payload of a file, after its magic, version and checksum were verified.
pub(crate) fn open(magic: [u8; MAGIC_BYTES], version: u8, bytes: &[u8]) -> Result<Reader<'_>, FormatError> {
    let rest = bytes.strip_prefix(&magic).ok_or(FormatError::NotOurs)?;
    let (found, rest) = rest.split_first().ok_or(FormatError::Checksum)?;
    if *found != version {
        return Err(FormatError::Version { found: *found, expected: version });
    }
    let (sum, payload) = rest.split_first_chunk::<8>().ok_or(FormatError::Checksum)?;
    // Verified before anything is parsed, so that damage has the same error wherever it is.
    if u64::from_le_bytes(*sum) != checksum(payload) {
        return Err(FormatError::Checksum);
    }
    Ok(Reader { bytes: payload, offset: 0 })
}

/// Writes the contents of a file.
#[derive(Default)]
pub(crate) struct Writer {
    pub(crate) bytes: Vec<u8>,
}

impl Writer {
    /// LEB128: seven bits a byte, the lowest first; the top bit is set if more bytes follow.
    pub(crate) fn number(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.bytes.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.bytes.push(number as u8);
    }

    /// 0 for `None`, otherwise the number plus one.
    pub(crate) fn optional(&mut self, number: Option<u64>) {
        // Plus one, so that `None` needs no byte of its own.
        self.number(number.map_or(0, |number| number + 1));
    }

    pub(crate) fn text(&mut self, text: &str) {
        self.number(text.len() as u64);
        self.bytes.extend_from_slice(text.as_bytes());
    }

    pub(crate) fn sorted_texts(&mut self, texts: &[&str]) {
        self.number(texts.len() as u64);
        let mut before = "";
        for text in texts {
            let mut shared = before.bytes().zip(text.bytes()).take_while(|(a, b)| a == b).count();
            // The shared prefix may end inside a multi-byte character, but the rest must be valid UTF-8 by itself.
            while !text.is_char_boundary(shared) {
                shared -= 1;
            }
            self.number(shared as u64);
            self.text(&text[shared..]);
            before = text;
        }
    }
}

/// Parses a payload; every length and index in it is checked.
pub(crate) struct Reader<'a> {
    bytes: &'a [u8],
    offset: usize,
}

impl Reader<'_> {
    pub(crate) fn damaged(&self) -> FormatError {
        FormatError::Damaged { offset: self.offset }
    }

    pub(crate) fn number(&mut self) -> Result<u64, FormatError> {
        let mut number = 0_u64;
        // At most ten bytes: a longer run of set top bits would overflow the shift.
        for shift in (0..64).step_by(7) {
            let byte = *self.bytes.get(self.offset).ok_or_else(|| self.damaged())?;
            self.offset += 1;
            number |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Ok(number);
            }
        }
        Err(self.damaged())
    }

    /// A number that must fit the type `T`.
    pub(crate) fn small<T: TryFrom<u64>>(&mut self) -> Result<T, FormatError> {
        let number = self.number()?;
        T::try_from(number).map_err(|_| self.damaged())
    }

    pub(crate) fn optional<T: TryFrom<u64>>(&mut self) -> Result<Option<T>, FormatError> {
        match self.number()? {
            0 => Ok(None),
            more => T::try_from(more - 1).map(Some).map_err(|_| self.damaged()),
        }
    }

    /// The number of items that follow: at most `most`, and at most the bytes left, since each item has at least
    /// one.
    pub(crate) fn count(&mut self, most: usize) -> Result<usize, FormatError> {
        let count: usize = self.small()?;
        if count > most || count > self.bytes.len() - self.offset { Err(self.damaged()) } else { Ok(count) }
    }

    pub(crate) fn text(&mut self) -> Result<String, FormatError> {
        // `count` limits it to the bytes left, so the slice below cannot panic.
        let length = self.count(usize::MAX)?;
        let bytes = &self.bytes[self.offset..self.offset + length];
        let text = std::str::from_utf8(bytes).map_err(|_| self.damaged())?.to_owned();
        self.offset += length;
        Ok(text)
    }

    pub(crate) fn sorted_texts(&mut self) -> Result<Vec<String>, FormatError> {
        let mut texts: Vec<String> = Vec::new();
        for _ in 0..self.count(usize::MAX)? {
            let shared: usize = self.small()?;
            let before = texts.last().map_or("", String::as_str);
            // `get`, because the file may state a length inside a character or beyond the text.
            let shared = before.get(..shared).ok_or_else(|| self.damaged())?.to_owned();
            texts.push(shared + &self.text()?);
        }
        Ok(texts)
    }

    pub(crate) fn listed<'t>(&mut self, texts: &'t [String]) -> Result<&'t String, FormatError> {
        let index: usize = self.small()?;
        texts.get(index).ok_or_else(|| self.damaged())
    }

    pub(crate) fn optional_listed(&mut self, texts: &[String]) -> Result<Option<u32>, FormatError> {
        let index: Option<u32> = self.optional()?;
        if index.is_some_and(|index| index as usize >= texts.len()) { Err(self.damaged()) } else { Ok(index) }
    }

    /// To be called after the last value: trailing bytes are an error.
    pub(crate) fn end(&self) -> Result<(), FormatError> {
        if self.offset == self.bytes.len() { Ok(()) } else { Err(self.damaged()) }
    }
}
