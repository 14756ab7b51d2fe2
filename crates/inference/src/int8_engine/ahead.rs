//! Prefetches weights into the cache.

use std::cell::Cell;

use crate::simd::Simd;

/// Bytes of a cache line.
const LINE: usize = 64;

/// Prefetches the weights of the next layer, tile by tile: a run reads the weights of the whole network, which do
/// not fit in the caches of a core, so that layers with few pixels would wait for their weights.
pub(super) struct Ahead<'a> {
    left: Cell<&'a [&'a [u8]]>,
    /// Bytes of the first remaining part that were prefetched.
    at: Cell<usize>,
    tile_bytes: usize,
}

impl<'a> Ahead<'a> {
    /// Prefetches `parts`, spread over `n_tiles` tiles.
    pub(super) fn new(parts: &'a [&'a [u8]], n_tiles: usize) -> Self {
        let n_bytes: usize = parts.iter().map(|part| part.len()).sum();
        Self { left: Cell::new(parts), at: Cell::new(0), tile_bytes: n_bytes.div_ceil(n_tiles.max(1)) }
    }

    /// Prefetches the share of one tile.
    #[inline(always)]
    pub(super) fn tile<S: Simd>(&self) {
        let Some((part, rest)) = self.left.get().split_first() else {
            return;
        };
        let start = self.at.get();
        let end = start + self.tile_bytes;
        for at in (start..end).step_by(LINE) {
            S::prefetch(part.as_ptr().wrapping_add(at));
        }
        self.at.set(end);
        if end >= part.len() {
            self.left.set(rest);
            self.at.set(0);
        }
    }
}
