//! Inverted residual blocks: a 1x1 convolution to many channels, a depthwise one, and a 1x1 convolution back to few.
//!
//! The many channels are computed for a strip of rows at a time, which stays in the processor's cache.

use super::{
    aligned::Aligned,
    depthwise::{self, Depthwise, Image},
    pointwise::{Pointwise, Residual},
    simd::Simd,
};

/// Bytes of the widened rows in hand, about.
const STRIP_BYTES: usize = 128 * 1024;
/// Pixels of a tile of a matrix product.
const TILE: usize = 8;

pub(super) struct Block {
    pub(super) widen: Pointwise,
    pub(super) depthwise: Depthwise,
    pub(super) narrow: Pointwise,
    /// How the input is added to the output.
    pub(super) residual: Option<Residual>,
}

/// What a block has in hand, as large as the block with the most needs.
#[derive(Default)]
pub(super) struct Scratch {
    strip: Aligned,
    filtered: Aligned,
}

impl Block {
    /// Bytes `[height, width, in]` to `[height / stride, width / stride, out]`.
    ///
    /// # Safety
    /// The processor has the instructions of `S`.
    pub(super) unsafe fn run<S: Simd>(
        &self,
        input: &[u8],
        (height, width): (usize, usize),
        scratch: &mut Scratch,
        columns: &mut depthwise::Scratch,
        output: &mut [u8],
    ) {
        let Self { widen, depthwise, narrow, residual } = self;
        let (channels, stride) = (depthwise.channels(), depthwise.stride());
        let (out_height, out_width) = (height / stride, width / stride);
        let row_bytes = width * channels;
        let n_rows = rows_of_strip(row_bytes * stride, out_height, out_width);
        let mut strip_rows = 0..0;
        scratch.strip.reserve(depthwise.most_input_rows(n_rows).min(height) * row_bytes);
        scratch.filtered.reserve(n_rows * out_width * channels);
        for first in (0..out_height).step_by(n_rows) {
            let n_rows = n_rows.min(out_height - first);
            let rows = depthwise.input_rows(first, n_rows, height);
            let strip = scratch.strip.as_mut_slice();
            // Rows that the strip before had as well are moved up, not computed again.
            let kept = rows.start.min(strip_rows.end)..strip_rows.end;
            if !kept.is_empty() {
                let from = (kept.start - strip_rows.start) * row_bytes;
                strip.copy_within(from..from + kept.len() * row_bytes, 0);
            }
            let new = rows.start + kept.len()..rows.end;
            let pixels = &input[new.start * width * widen.n_in()..new.end * width * widen.n_in()];
            let to = &mut strip[kept.len() * row_bytes..][..new.len() * row_bytes];
            unsafe { widen.run::<S>(pixels, None, to) };
            strip_rows = rows.clone();

            let filtered = &mut scratch.filtered.as_mut_slice()[..n_rows * out_width * channels];
            let image = Image {
                rows: &scratch.strip.as_slice()[..rows.len() * row_bytes],
                first_row: rows.start,
                width,
            };
            unsafe { depthwise.run::<S>(&image, columns, first, filtered) };

            let of_output = first * out_width * narrow.n_out()..(first + n_rows) * out_width * narrow.n_out();
            // A residual has the shape of the output.
            let residual = residual.map(|residual| (residual, &input[of_output.clone()]));
            unsafe { narrow.run::<S>(filtered, residual, &mut output[of_output]) };
        }
    }
}

/// Rows of the output that are computed at once: as many as the strip has room for, in whole tiles, at least 4 where the
/// image has them.
fn rows_of_strip(row_bytes: usize, height: usize, width: usize) -> usize {
    let tiles = TILE.div_ceil(width);
    (STRIP_BYTES / row_bytes).max(4).next_multiple_of(tiles).min(height)
}
