//! Depthwise convolutions over bytes: a filter of its own for each channel.
//!
//! One instruction sums four products, so four rows of the image are taken together: the bytes of a column, one below the
//! other, are the four factors. A filter of 3 rows leaves one of them free, one of 5 rows takes two groups and leaves
//! three free, so that the same factors, with the weights moved down, give the next rows of the output as well.

use super::{
    aligned::{Aligned, Padded},
    quantization::{Requantization, taken_off},
};
use crate::simd::{Kernel, Simd};

/// Rows that are taken together.
const GROUP: usize = 4;
/// Output columns that share the loading of weights.
const COLUMNS: usize = 4;
/// Channels come in multiples of this.
pub(super) const CHANNELS: usize = 16;

/// A depthwise convolution u8 `[height, width, channels]` -> u8 `[height / stride, width / stride, channels]`,
/// whose divisions leave no rest.
pub(super) struct Depthwise {
    channels: usize,
    filter: usize,
    stride: usize,
    /// Rows and columns of padding before the first.
    pad: usize,
    /// The byte that stands for 0 in the input.
    zero_point: u8,
    /// s8 `[chunk][row of the output][column][group][4][lanes, 4]`.
    weights: Aligned,
    to_bytes: Requantization,
    /// Channels of a chunk: bytes of a vector of the processor.
    chunk: usize,
}

/// What a [`Depthwise`] convolves.
pub(super) struct Image<'a> {
    /// Rows of `width * channels` bytes.
    pub(super) rows: Padded<'a>,
    /// The number of the first of them in the image.
    pub(super) first_row: usize,
    pub(super) width: usize,
}

/// What a convolution has in hand.
pub(super) struct Scratch {
    columns: Aligned,
    padding: Aligned,
}

impl Depthwise {
    /// Weights s8 `[channels, filter, filter]`; `bias` and `scale` by channel.
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
        let at = |channel: usize, row: usize, column: usize| {
            weights.get((channel * filter + row) * filter + column).copied().unwrap_or(0)
        };
        let (groups, outputs) = (groups(filter), outputs_at_once(filter, stride));
        let n_chunks = channels.div_ceil(chunk);
        let mut packed = Aligned::zeroed(n_chunks * outputs * filter * groups * GROUP * chunk);
        let mut bytes = packed.as_mut_slice().iter_mut();
        for first in (0..channels).step_by(chunk) {
            for output in 0..outputs {
                for column in 0..filter {
                    for group in 0..groups {
                        for channel in order(first, chunk) {
                            for row in 0..GROUP {
                                // Where the group's row lies in the filter of this row of the output.
                                let row = (GROUP * group + row).checked_sub(stride * output);
                                let inside = row.filter(|row| *row < filter && channel < channels);
                                if let Some(byte) = bytes.next() {
                                    *byte = inside.map_or(0, |row| at(channel, row, column)).cast_unsigned();
                                }
                            }
                        }
                    }
                }
            }
        }
        let ordered: Vec<usize> =
            (0..channels).step_by(chunk).flat_map(|first| order(first, chunk)).collect();
        let to_bytes = Requantization::new(
            ordered.iter().map(|channel| {
                let filter = weights.chunks_exact(filter * filter).nth(*channel).unwrap_or_default();
                bias.get(*channel).copied().unwrap_or(0).wrapping_add(taken_off::<S>(filter))
            }),
            ordered.iter().map(|channel| scale.get(*channel).copied().unwrap_or(0.0)),
            output_zero_point,
        );
        Self { channels, filter, stride, pad, zero_point, weights: packed, to_bytes, chunk }
    }

    /// Rows of the input that `output` rows, from number `first` on, need, within an image of `height` rows.
    pub(super) fn input_rows(&self, first: usize, n_rows: usize, height: usize) -> std::ops::Range<usize> {
        let start = (first * self.stride).saturating_sub(self.pad);
        let end = (first * self.stride + self.most_input_rows(n_rows)).saturating_sub(self.pad);
        start..end.min(height)
    }

    /// As many rows as `n_rows` of the output need where no padding takes the place of some.
    pub(super) fn most_input_rows(&self, n_rows: usize) -> usize {
        (n_rows - 1) * self.stride + self.filter
    }

    pub(super) fn channels(&self) -> usize {
        self.channels
    }

    pub(super) fn stride(&self) -> usize {
        self.stride
    }

    pub(super) fn scratch(&self, width: usize) -> Scratch {
        let columns = (width + self.filter) * groups(self.filter) * GROUP * self.chunk;
        let mut padding = Aligned::zeroed(width * self.channels);
        padding.as_mut_slice().fill(self.zero_point);
        Scratch { columns: Aligned::zeroed(columns), padding }
    }

    /// Output rows from number `first` on, as many as fit `output`.
    ///
    /// # Safety
    /// The processor has the instructions of `S`, which is the one of [`Depthwise::new`].
    pub(super) unsafe fn run<S: Simd>(
        &self,
        image: &Image<'_>,
        scratch: &mut Scratch,
        first: usize,
        output: &mut [u8],
    ) {
        let width = image.width / self.stride;
        let row_bytes = width * self.channels;
        let n_rows = output.len() / row_bytes;
        assert_eq!((self.chunk, output.len()), (4 * S::LANES, n_rows * row_bytes), "BUG: sizes");
        assert!(width.is_multiple_of(COLUMNS), "BUG: columns");
        assert!(scratch.padding.len() >= image.width * self.channels, "BUG: scratch of a narrower image");
        let at_once = outputs_at_once(self.filter, self.stride);
        for (index, rows) in output.chunks_mut(at_once * row_bytes).enumerate() {
            let n_outputs = rows.len() / row_bytes;
            let top = (first + index * at_once) * self.stride;
            // At most 8 rows. One outside the image holds the byte that stands for 0, and so does one that no output needs.
            let from: [*const u8; 2 * GROUP] = std::array::from_fn(|row| {
                let row = (top + row).checked_sub(self.pad + image.first_row);
                let bytes = row.map(|row| row * image.width * self.channels);
                bytes.filter(|start| *start < image.rows.len()).map_or(scratch.padding.as_ptr(), |start| {
                    image.rows.part(start..image.rows.len()).as_ptr()
                })
            });
            unsafe {
                let pass = Pass {
                    of: self,
                    from,
                    width: image.width,
                    columns: scratch.columns.as_mut_ptr(),
                    n_outputs,
                    output: rows.as_mut_ptr(),
                };
                S::run(pass);
            }
        }
    }
}

/// A square filter, how far it moves, and the padding before the first row and column.
#[derive(Clone, Copy)]
pub(super) struct Filter {
    pub(super) size: usize,
    pub(super) stride: usize,
    pub(super) pad: usize,
}

/// Groups of rows that a filter takes.
fn groups(filter: usize) -> usize {
    filter.div_ceil(GROUP)
}

/// Rows of the output that the rows of the groups hold all of.
fn outputs_at_once(filter: usize, stride: usize) -> usize {
    (GROUP * groups(filter) - filter) / stride + 1
}

/// The channels of a chunk in the order of [`Simd::transpose`].
fn order(first: usize, chunk: usize) -> impl Iterator<Item = usize> {
    (0..4).flat_map(move |vector| {
        (0..chunk / 16).flat_map(move |lane| (0..4).map(move |at| first + 16 * lane + 4 * vector + at))
    })
}

/// The rows of the output that one set of rows gives.
struct Pass<'a> {
    of: &'a Depthwise,
    from: [*const u8; 2 * GROUP],
    width: usize,
    columns: *mut u8,
    n_outputs: usize,
    output: *mut u8,
}

impl Kernel for Pass<'_> {
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

impl Pass<'_> {
    #[inline(always)]
    unsafe fn convolve<S: Simd, const FILTER: usize, const STRIDE: usize, const GROUPS: usize>(self) {
        let Depthwise { channels, weights, to_bytes, pad, zero_point, .. } = self.of;
        let (channels, vector) = (*channels, 4 * S::LANES);
        let outputs = outputs_at_once(FILTER, STRIDE);
        let width = self.width / STRIDE;
        let column_bytes = GROUPS * 4 * vector;
        unsafe {
            let zero = S::repeat_byte(*zero_point);
            // Padding before the first column and after the last.
            let after = (pad + self.width..self.width + FILTER)
                .flat_map(|column| (0..GROUPS * 4).map(move |at| (column, at)));
            let before = (0..*pad).flat_map(|column| (0..GROUPS * 4).map(move |at| (column, at)));
            for (column, at) in before.chain(after) {
                S::store(self.columns.add(column * column_bytes + at * vector), zero);
            }
            for (index, first) in (0..channels).step_by(vector).enumerate() {
                for column in 0..self.width {
                    let to = self.columns.add((column + pad) * column_bytes);
                    for group in 0..GROUPS {
                        let rows = std::array::from_fn(|row| {
                            S::load(self.from[GROUP * group + row].add(column * channels + first))
                        });
                        for (at, value) in S::transpose(rows).into_iter().enumerate() {
                            S::store(to.add((4 * group + at) * vector), value);
                        }
                    }
                }
                let n_bytes = (channels - first).min(vector);
                let bias: [S::Int; 4] =
                    std::array::from_fn(|at| S::load(to_bytes.bias.as_ptr().add((4 * index + at) * vector)));
                let scale: [S::Float; 4] = std::array::from_fn(|at| {
                    S::load_float(to_bytes.scale.floats().add((4 * index + at) * S::LANES))
                });
                let zero_point = S::repeat_float(to_bytes.zero_point);
                for row in 0..self.n_outputs {
                    let weights = weights.as_ptr().add((index * outputs + row) * FILTER * column_bytes);
                    let to = self.output.add(row * width * channels + first);
                    for column in (0..width).step_by(COLUMNS) {
                        let mut sums = [bias; COLUMNS];
                        for at in 0..FILTER {
                            for group in 0..GROUPS {
                                let place = (at * GROUPS + group) * 4 * vector;
                                let from = self.columns.add(column * STRIDE * column_bytes + place);
                                for part in 0..4 {
                                    let weights = S::load(weights.add(place + part * vector));
                                    for (offset, sums) in sums.iter_mut().enumerate() {
                                        let bytes =
                                            S::load(from.add(offset * STRIDE * column_bytes + part * vector));
                                        sums[part] = S::dot(sums[part], bytes, weights);
                                    }
                                }
                            }
                        }
                        for (offset, sums) in sums.into_iter().enumerate() {
                            let values = std::array::from_fn(|part| {
                                S::round(S::mul_add(S::to_float(sums[part]), scale[part], zero_point))
                            });
                            S::store_first(to.add((column + offset) * channels), S::pack(values), n_bytes);
                        }
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::int8_engine::{on_each, reference};

    fn filters_are_exact<S: Simd>() {
        // Channels with and without a rest beside whole vectors; as many rows as are taken at once, fewer, and more.
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
            let mut image = Aligned::zeroed(bytes.len());
            image.as_mut_slice().copy_from_slice(&bytes);
            let mut output = Aligned::zeroed(n_outputs * channels);
            let mut scratch = depthwise.scratch(width);
            let image = Image { rows: image.padded(0..image.len()), first_row: 0, width };
            // SAFETY: `on_each` asks the machine.
            unsafe { depthwise.run::<S>(&image, &mut scratch, 0, output.as_mut_slice()) };
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
