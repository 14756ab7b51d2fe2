//! Buffers for vector kernels: aligned to cache lines, and readable a little beyond their end.

use std::ops::Range;

/// Bytes that a kernel may read beyond the end of its input, and ignore.
const SLACK: usize = 64;

#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct Line([u8; 64]);

/// Bytes, zeroed at first.
#[derive(Default)]
pub(super) struct Aligned {
    lines: Vec<Line>,
    n_bytes: usize,
}

impl Aligned {
    pub(super) fn zeroed(n_bytes: usize) -> Self {
        Self { lines: vec![Line([0; 64]); (n_bytes + SLACK).div_ceil(64)], n_bytes }
    }

    pub(super) fn of_bytes(bytes: &[u8]) -> Self {
        let mut all = Self::zeroed(bytes.len());
        all.as_mut_slice().copy_from_slice(bytes);
        all
    }

    /// From numbers of four bytes each.
    pub(super) fn of_numbers(numbers: impl ExactSizeIterator<Item = [u8; 4]>) -> Self {
        let mut all = Self::zeroed(4 * numbers.len());
        for (to, number) in all.as_mut_slice().as_chunks_mut().0.iter_mut().zip(numbers) {
            *to = number;
        }
        all
    }

    pub(super) fn len(&self) -> usize {
        self.n_bytes
    }

    pub(super) fn as_ptr(&self) -> *const u8 {
        self.lines.as_ptr().cast()
    }

    pub(super) fn as_mut_ptr(&mut self) -> *mut u8 {
        self.lines.as_mut_ptr().cast()
    }

    /// A pointer to f32, for which lines are aligned.
    pub(super) fn floats(&self) -> *const f32 {
        self.as_ptr().cast()
    }

    pub(super) fn floats_mut(&mut self) -> *mut f32 {
        self.as_mut_ptr().cast()
    }

    pub(super) fn as_slice(&self) -> &[u8] {
        // SAFETY: this many bytes are allocated and initialised, and a byte needs no alignment.
        unsafe { std::slice::from_raw_parts(self.as_ptr(), self.n_bytes) }
    }

    pub(super) fn as_mut_slice(&mut self) -> &mut [u8] {
        let n_bytes = self.n_bytes;
        // SAFETY: as above.
        unsafe { std::slice::from_raw_parts_mut(self.as_mut_ptr(), n_bytes) }
    }

    /// A range that a kernel may read beyond.
    pub(super) fn padded(&self, range: Range<usize>) -> Padded<'_> {
        assert!(range.start <= range.end && range.end <= self.n_bytes, "BUG: a part beyond the end");
        Padded { of: self, range: (range.start, range.end) }
    }

    /// Grows to at least `n_bytes`; growing loses the contents.
    pub(super) fn reserve(&mut self, n_bytes: usize) {
        if self.n_bytes < n_bytes {
            *self = Self::zeroed(n_bytes);
        }
    }
}

/// A range of an [`Aligned`] that is readable for `SLACK` bytes beyond its end.
#[derive(Clone, Copy)]
pub(super) struct Padded<'a> {
    of: &'a Aligned,
    range: (usize, usize),
}

impl<'a> Padded<'a> {
    pub(super) fn len(self) -> usize {
        self.range.1 - self.range.0
    }

    pub(super) fn as_slice(self) -> &'a [u8] {
        &self.of.as_slice()[self.range.0..self.range.1]
    }

    pub(super) fn as_ptr(self) -> *const u8 {
        // SAFETY: the range lies within the buffer.
        unsafe { self.of.as_ptr().add(self.range.0) }
    }

    /// A subrange.
    pub(super) fn part(self, range: Range<usize>) -> Self {
        assert!(range.end <= self.len(), "BUG: a part beyond the end");
        self.of.padded(self.range.0 + range.start..self.range.0 + range.end)
    }
}
