//! Reads numbers from a slice; reading beyond its end is [`Problem::EndsEarly`].

use super::Problem;

/// A position in a file.
#[derive(Clone, Copy)]
pub(super) struct Cursor<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    /// The same bytes, from another position.
    pub(super) fn seek(bytes: &'a [u8], at: u64) -> Self {
        // An offset beyond the end is not an error yet: only reading there is.
        Self { bytes, at: usize::try_from(at).unwrap_or(usize::MAX) }
    }

    pub(super) fn position(&self) -> usize {
        self.at
    }

    pub(super) fn rest(&self) -> &'a [u8] {
        self.bytes.get(self.at..).unwrap_or_default()
    }

    pub(super) fn take(&mut self, length: u64) -> Result<&'a [u8], Problem> {
        let length = usize::try_from(length).map_err(|_| Problem::EndsEarly)?;
        let end = self.at.checked_add(length).ok_or(Problem::EndsEarly)?;
        let taken = self.bytes.get(self.at..end).ok_or(Problem::EndsEarly)?;
        self.at = end;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], Problem> {
        let taken = self.take(N as u64)?;
        taken.try_into().map_err(|_| Problem::EndsEarly)
    }

    pub(super) fn u8(&mut self) -> Result<u8, Problem> {
        Ok(self.array::<1>()?[0])
    }

    pub(super) fn kind(&mut self) -> Result<[u8; 4], Problem> {
        self.array()
    }

    pub(super) fn u16_be(&mut self) -> Result<u16, Problem> {
        Ok(u16::from_be_bytes(self.array()?))
    }

    pub(super) fn u32_be(&mut self) -> Result<u32, Problem> {
        Ok(u32::from_be_bytes(self.array()?))
    }

    pub(super) fn u16_le(&mut self) -> Result<u16, Problem> {
        Ok(u16::from_le_bytes(self.array()?))
    }

    pub(super) fn u32_le(&mut self) -> Result<u32, Problem> {
        Ok(u32::from_le_bytes(self.array()?))
    }

    /// A big-endian number of 0 to 8 bytes.
    pub(super) fn sized_be(&mut self, length: u8) -> Result<u64, Problem> {
        Ok(self.take(u64::from(length))?.iter().fold(0, |sum, &byte| sum << 8 | u64::from(byte)))
    }
}
