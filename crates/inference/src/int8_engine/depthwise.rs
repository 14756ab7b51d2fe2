//! Depthwise convolutions over bytes: each channel has its own filter.
//!
//! One instruction sums four products, so four rows of the image are processed together: the four bytes of a column
//! are the four factors. A filter of 3 rows leaves one of the four unused; a filter of 5 rows needs two groups and
//! leaves three unused. So the same factors, with the weights moved down, also give the next rows of the output.

use std::{
    ops::Range,
    sync::atomic::{Ordering, compiler_fence},
};

use super::{
    aligned::Aligned,
    layout::Layout,
    quantization::{Requantization, taken_off},
};
use crate::simd::{Kernel, Simd};

/// Rows that are processed together.
const GROUP: usize = 4;
/// Output columns that share a load of weights.
const COLUMNS: usize = 4;
/// Output columns whose input is in the L1 cache at a time.
const NEAR: usize = 16;
/// The number of channels must be a multiple of this.
pub(super) const CHANNELS: usize = 16;

/// A depthwise convolution u8 `[height, width, channels]` -> u8 `[height / stride, width / stride, channels]`; both
/// divisions must be exact.
pub(super) struct Depthwise {
    channels: usize,
    filter: usize,
    stride: usize,
    /// Rows and columns of padding before the first.
    pad: usize,
    /// The byte that represents 0 in the input.
    zero_point: u8,
    /// s8 `[chunk][row of the output][column][group][4][lanes, 4]`.
    weights: Aligned,
    to_bytes: Requantization,
    /// Channels of a chunk: the bytes of a vector of the processor.
    chunk: usize,
    /// Channels of the last chunk, which may fit in a vector of half the width.
    last: usize,
}

/// The input of a [`Depthwise`].
pub(super) struct Image<'a> {
    pub(super) bytes: &'a [u8],
    /// The layout of [`Depthwise::layout`].
    pub(super) layout: Layout,
    /// The rows of the image that it holds.
    pub(super) rows: Range<usize>,
    pub(super) width: usize,
}

/// Buffers of a convolution.
pub(super) struct Scratch {
    columns: Aligned,
    padding: Aligned,
}

impl Depthwise {
    /// Weights s8 `[channels, filter, filter]`; `bias` and `scale` per channel.
    pub(super) fn new<S: Simd>(
        weights: &[i8],
        shape: Filter,
        zero_point: u8,
        bias: &[i32],
        scale: &[f32],
        output_zero_point: u8,
    ) -> Self {
        let Filter { size: filter, stride, pad } = shape;
        let (channels, chunk) = (bias.len(), 4 * S::LANES);
        let half = 4 * <S::Half as Simd>::LANES;
        let last = if (1..=half).contains(&(channels % chunk)) { half } else { chunk };
        let at = |channel: usize, row: usize, column: usize| {
            weights.get((channel * filter + row) * filter + column).copied().unwrap_or(0)
        };
        let (groups, outputs) = (groups(filter), outputs_at_once(filter, stride));
        let chunks = || {
            let firsts = (0..channels).step_by(chunk);
            firsts.map(move |first| order(first, if first + chunk < channels { chunk } else { last }))
        };
        let mut packed = Vec::new();
        for chunk in chunks() {
            for output in 0..outputs {
                for column in 0..filter {
                    for group in 0..groups {
                        for channel in chunk.clone() {
                            for row in 0..GROUP {
                                // The filter row at this row of the group, for this row of the output.
                                let row = (GROUP * group + row).checked_sub(stride * output);
                                let inside = row.filter(|row| *row < filter && channel < channels);
                                packed.push(inside.map_or(0, |row| at(channel, row, column)).cast_unsigned());
                            }
                        }
                    }
                }
            }
        }
        let ordered: Vec<usize> = chunks().flatten().collect();
        let to_bytes = Requantization::new(
            ordered.iter().map(|channel| {
                let filter = weights.chunks_exact(filter * filter).nth(*channel).unwrap_or_default();
                bias.get(*channel).copied().unwrap_or(0).wrapping_add(taken_off::<S>(filter))
            }),
            ordered.iter().map(|channel| scale.get(*channel).copied().unwrap_or(0.0)),
            output_zero_point,
        );
        let weights = Aligned::of_bytes(&packed);
        Self { channels, filter, stride, pad, zero_point, weights, to_bytes, chunk, last }
    }

    /// Rows of the input needed for `n_rows` rows of the output from `first` on, in an image of `height` rows.
    pub(super) fn input_rows(&self, first: usize, n_rows: usize, height: usize) -> Range<usize> {
        let start = (first * self.stride).saturating_sub(self.pad);
        let end = (first * self.stride + self.most_input_rows(n_rows)).saturating_sub(self.pad);
        start..end.min(height)
    }

    /// Rows of the input needed for `n_rows` rows of the output if none of them is padding.
    pub(super) fn most_input_rows(&self, n_rows: usize) -> usize {
        (n_rows - 1) * self.stride + self.filter
    }

    /// Layout of the input in memory for `n_pixels`.
    pub(super) fn layout(&self, n_pixels: usize) -> Layout {
        Layout::grouped(self.channels, self.chunk, self.last, n_pixels)
    }

    pub(super) fn weights(&self) -> &[u8] {
        self.weights.as_slice()
    }

    pub(super) fn stride(&self) -> usize {
        self.stride
    }

    pub(super) fn scratch(&self, width: usize) -> Scratch {
        let mut padding = Aligned::zeroed(width * self.chunk);
        padding.as_mut_slice().fill(self.zero_point);
        Scratch { columns: Aligned::zeroed(self.column_bytes()), padding }
    }

    /// Bytes of the columns needed for `NEAR` columns of the output.
    fn column_bytes(&self) -> usize {
        ((NEAR - 1) * self.stride + self.filter) * groups(self.filter) * GROUP * self.chunk
    }

    /// Computes rows of the output, `[rows, width, channels]`.
    ///
    /// # Safety
    /// The processor has the instructions of `S`, which is the one given to [`Depthwise::new`].
    pub(super) unsafe fn run<S: Simd>(
        &self,
        image: &Image<'_>,
        scratch: &mut Scratch,
        rows: Range<usize>,
        output: &mut [u8],
    ) {
        let width = image.width / self.stride;
        assert_eq!(self.chunk, 4 * S::LANES, "BUG: packed for another processor");
        assert!(image.layout.is_of(self.channels, self.chunk, self.last), "BUG: layouts");
        let n_pixels = image.rows.len() * image.width;
        assert!(image.bytes.len() >= image.layout.n_bytes(n_pixels), "BUG: sizes");
        assert_eq!(output.len(), rows.len() * width * self.channels, "BUG: sizes");
        assert!(width.is_multiple_of(COLUMNS), "BUG: columns");
        assert!(scratch.padding.len() >= image.width * self.chunk, "BUG: scratch of a narrower image");
        assert!(scratch.columns.len() >= self.column_bytes(), "BUG: scratch of another filter");
        let Scratch { columns, padding } = scratch;
        let (columns, padding, output) = (columns.as_mut_ptr(), padding.as_ptr(), output.as_mut_ptr());
        unsafe { S::run(Convolution { of: self, image, columns, padding, rows, output }) }
    }
}

/// Size of a square filter, its stride, and the padding before the first row and column.
#[derive(Clone, Copy)]
pub(super) struct Filter {
    pub(super) size: usize,
    pub(super) stride: usize,
    pub(super) pad: usize,
}

/// Groups of rows needed for a filter.
fn groups(filter: usize) -> usize {
    filter.div_ceil(GROUP)
}

/// Rows of the output that can be computed from the rows of the groups.
fn outputs_at_once(filter: usize, stride: usize) -> usize {
    (GROUP * groups(filter) - filter) / stride + 1
}

/// The channels of a chunk in the order of [`Simd::transpose`].
fn order(first: usize, chunk: usize) -> impl Iterator<Item = usize> + Clone {
    (0..4).flat_map(move |vector| {
        (0..chunk / 16).flat_map(move |lane| (0..4).map(move |at| first + 16 * lane + 4 * vector + at))
    })
}

/// One call of [`Depthwise::run`].
struct Convolution<'a> {
    of: &'a Depthwise,
    image: &'a Image<'a>,
    /// Pointers into [`Scratch`].
    columns: *mut u8,
    padding: *const u8,
    rows: Range<usize>,
    output: *mut u8,
}

impl Kernel for Convolution<'_> {
    #[inline(always)]
    unsafe fn run<S: Simd>(self) {
        unsafe {
            match (self.of.filter, self.of.stride) {
                (3, 1) => self.convolve::<S, 3, 1, 1>(),
                (3, _) => self.convolve::<S, 3, 2, 1>(),
                (_, 1) => self.convolve::<S, 5, 1, 2>(),
                (_, _) => self.convolve::<S, 5, 2, 2>(),
            }
        }
    }
}

impl Convolution<'_> {
    #[inline(always)]
    unsafe fn convolve<S: Simd, const FILTER: usize, const STRIDE: usize, const GROUPS: usize>(self) {
        let Depthwise { channels, chunk, last, .. } = *self.of;
        for first in (0..channels).step_by(chunk) {
            unsafe {
                if first + chunk >= channels && last < chunk {
                    self.chunk::<S::Half, FILTER, STRIDE, GROUPS>(first);
                } else {
                    self.chunk::<S, FILTER, STRIDE, GROUPS>(first);
                }
            }
        }
    }

    /// Convolves the channels of one vector, from `first` on.
    #[inline(always)]
    unsafe fn chunk<S: Simd, const FILTER: usize, const STRIDE: usize, const GROUPS: usize>(
        &self,
        first: usize,
    ) {
        let Depthwise { channels, weights, to_bytes, pad, zero_point, .. } = self.of;
        let (vector, width) = (4 * S::LANES, self.image.width);
        let n_bytes = vector.min(channels - first);
        let at_once = outputs_at_once(FILTER, STRIDE);
        let (out_width, column_bytes) = (width / STRIDE, GROUPS * 4 * vector);
        unsafe {
            let zero = S::repeat_byte(*zero_point);
            let bias = to_bytes.bias.as_ptr().add(4 * first);
            let scale = to_bytes.scale.floats().add(first);
            let how = ToBytes {
                bias: std::array::from_fn(|part| S::load(bias.add(part * vector))),
                scale: std::array::from_fn(|part| S::load_float(scale.add(part * S::LANES))),
                zero_point: S::repeat_float(to_bytes.zero_point),
            };
            let weights = weights.as_ptr().add(first * at_once * FILTER * GROUPS * GROUP);
            for top in self.rows.clone().step_by(at_once) {
                let from = self.input_rows(first, top * STRIDE);
                let n_rows = at_once.min(self.rows.end - top);
                let pixel = (top - self.rows.start) * out_width;
                for start in (0..out_width).step_by(NEAR) {
                    let end = out_width.min(start + NEAR);
                    // The first and the last column may lie in the padding.
                    let needed = start * STRIDE..(end - 1) * STRIDE + FILTER;
                    for (place, column) in needed.enumerate() {
                        let to = self.columns.add(place * column_bytes);
                        match column.checked_sub(*pad).filter(|column| *column < width) {
                            Some(column) => transpose::<S, GROUPS>(from, column, to),
                            None => (0..GROUPS * 4).for_each(|at| S::store(to.add(at * vector), zero)),
                        }
                    }
                    for column in (start..end).step_by(COLUMNS) {
                        let from = self.columns.add((column - start) * STRIDE * column_bytes);
                        for row in 0..n_rows {
                            let weights = weights.add(row * FILTER * column_bytes);
                            let pixel = pixel + row * out_width + column;
                            let to = self.output.add(pixel * channels + first);
                            tile::<S, FILTER, STRIDE, GROUPS>(from, weights, &how, (to, *channels, n_bytes));
                        }
                    }
                }
            }
        }
    }

    /// The rows of a chunk that are needed for an output whose first input row, without padding, is `top`. Rows
    /// outside the image, or not needed, are `zero_point`.
    #[inline(always)]
    fn input_rows(&self, first: usize, top: usize) -> [*const u8; 2 * GROUP] {
        let Image { bytes, layout, rows, width } = self.image;
        std::array::from_fn(|row| {
            let row = (top + row).checked_sub(self.of.pad).filter(|row| rows.contains(row));
            row.map_or(self.padding, |row| {
                bytes[layout.channel(first) + (row - rows.start) * width * layout.pixel(first)..].as_ptr()
            })
        })
    }
}

/// Transposes a column of `GROUPS` times four rows, so that the four bytes of a group are adjacent.
#[inline(always)]
unsafe fn transpose<S: Simd, const GROUPS: usize>(from: [*const u8; 2 * GROUP], column: usize, to: *mut u8) {
    let vector = 4 * S::LANES;
    for group in 0..GROUPS {
        unsafe {
            let rows = std::array::from_fn(|row| S::load(from[GROUP * group + row].add(column * vector)));
            for (part, value) in S::transpose(rows).into_iter().enumerate() {
                S::store(to.add((group * 4 + part) * vector), value);
            }
        }
    }
}

/// How the sums of a chunk are converted to bytes.
struct ToBytes<S: Simd> {
    bias: [S::Int; 4],
    scale: [S::Float; 4],
    zero_point: S::Float,
}

/// Convolves transposed columns to `COLUMNS` pixels of a row of the output: `n_bytes` bytes per pixel, and pixels
/// `distance` bytes apart.
#[inline(always)]
unsafe fn tile<S: Simd, const FILTER: usize, const STRIDE: usize, const GROUPS: usize>(
    from: *const u8,
    weights: *const u8,
    how: &ToBytes<S>,
    (to, distance, n_bytes): (*mut u8, usize, usize),
) {
    let vector = 4 * S::LANES;
    unsafe {
        // Half of the channels at a time: the sums stay in registers, and one half is converted to bytes while the
        // other is summed.
        let halves: [[S::Int; COLUMNS]; 2] = std::array::from_fn(|half| {
            // Otherwise the compiler interleaves the halves and keeps sums in memory.
            compiler_fence(Ordering::SeqCst);
            let parts = [2 * half, 2 * half + 1];
            let mut sums = [parts.map(|part| how.bias[part]); COLUMNS];
            for at in 0..FILTER {
                for group in 0..GROUPS {
                    for (side, part) in parts.into_iter().enumerate() {
                        let place = ((at * GROUPS + group) * 4 + part) * vector;
                        let weights = S::load(weights.add(place));
                        for (column, sums) in sums.iter_mut().enumerate() {
                            let bytes = S::load(from.add(column * STRIDE * GROUPS * 4 * vector + place));
                            sums[side] = S::dot(sums[side], bytes, weights);
                        }
                    }
                }
            }
            sums.map(|sums| {
                let [one, other] = std::array::from_fn(|side| {
                    let sum = S::to_float(sums[side]);
                    S::round(S::mul_add(sum, how.scale[parts[side]], how.zero_point))
                });
                S::pack_halves(one, other)
            })
        });
        let [first, second] = halves;
        for (column, (first, second)) in first.into_iter().zip(second).enumerate() {
            S::store_first(to.add(column * distance), S::pack_bytes(first, second), n_bytes);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::int8_engine::{on_each, reference};

    fn filters_are_exact<S: Simd>() {
        // Channels that are and are not a multiple of the vector; as many rows as are computed at once, fewer, and
        // more.
        for (size, stride, pad, channels, height, width) in [
            (3, 1, 1, 64, 8, 8),
            (3, 1, 1, 144, 5, 16),
            (3, 2, 0, 96, 16, 16),
            (5, 1, 2, 48, 9, 8),
            (5, 1, 2, 16, 3, 4),
            (5, 2, 1, 144, 16, 8),
        ] {
            let mut random = reference::Random::new(size * channels + stride);
            let weights = random.weights(size * size * channels);
            let bytes = random.bytes(height * width * channels);
            let (bias, scale) = (random.biases(channels), random.scales(channels, size * size));
            let filter = Filter { size, stride, pad };
            let depthwise = Depthwise::new::<S>(&weights, filter, 3, &bias, &scale, 11);
            let n_outputs = (height / stride) * (width / stride);
            let layout = depthwise.layout(height * width);
            let image = layout.laid_out(&bytes);
            let mut output = Aligned::zeroed(n_outputs * channels);
            let mut scratch = depthwise.scratch(width);
            let image = Image { bytes: image.as_slice(), layout, rows: 0..height, width };
            // SAFETY: `on_each` checks the machine.
            unsafe { depthwise.run::<S>(&image, &mut scratch, 0..height / stride, output.as_mut_slice()) };
            let expected =
                reference::depthwise(&bytes, (height, width), filter, &weights, 3, &bias, &scale, 11);
            assert_eq!(output.as_slice(), expected, "{size}x{size} by {stride}, {channels} channels");
        }
    }

    #[test]
    fn filters_are_exact_on_each_processor() {
        on_each!(filters_are_exact);
    }
}
