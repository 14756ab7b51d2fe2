//! The first layers, in f32: a convolution over the image, a depthwise one, and a 1x1 convolution whose output is
//! quantized.

use super::{aligned::Aligned, depthwise::Filter, quantization::Quantization};
use crate::simd::{Kernel, Simd};

/// Output columns that share a load of weights.
const COLUMNS: usize = 8;
/// The bounds of `ReLU6`.
const RELU6: (f32, f32) = (0.0, 6.0);
/// Channels of the image.
const COLOURS: usize = 3;
const FILTER: usize = 3;

/// f32 `[3, height, width]` -> u8 `[height / 2, width / 2, out]`.
pub(super) struct Stem {
    /// Channels of the first two layers.
    channels: usize,
    n_out: usize,
    /// f32 `[3 colours][3 rows][3 columns][channels]`.
    first: Aligned,
    first_bias: Aligned,
    /// f32 `[3 rows][3 columns][channels]`.
    depthwise: Aligned,
    depthwise_bias: Aligned,
    /// f32 `[channels][out]`.
    pointwise: Aligned,
    pointwise_bias: Aligned,
    /// Padding before the first row and column of the image.
    pad: usize,
    output: Quantization,
}

/// Weights as in ONNX, output channels first.
pub(super) struct Weights<'a> {
    pub(super) values: &'a [f32],
    pub(super) bias: &'a [f32],
}

/// Buffers of the stem.
pub(super) struct Scratch {
    /// 9 rows of the image (3 per colour) with padding around them.
    image: Aligned,
    /// Three rows of the first layer, each with a column of padding before and after.
    first: Aligned,
    /// One row of the depthwise layer.
    second: Aligned,
}

impl Stem {
    /// Weights `[channels, 3, 3, 3]`, `[channels, 1, 3, 3]` and `[out, channels, 1, 1]`; channels is a multiple of
    /// 32, out of 16. The first layer has stride 2, the second stride 1 and padding 1.
    pub(super) fn new(
        first: &Weights<'_>,
        shape: Filter,
        depthwise: &Weights<'_>,
        pointwise: &Weights<'_>,
        output: Quantization,
    ) -> Self {
        Self {
            channels: first.bias.len(),
            n_out: pointwise.bias.len(),
            first: inputs_first(first),
            first_bias: numbers(first.bias),
            depthwise: inputs_first(depthwise),
            depthwise_bias: numbers(depthwise.bias),
            pointwise: inputs_first(pointwise),
            pointwise_bias: numbers(pointwise.bias),
            pad: shape.pad,
            output,
        }
    }

    pub(super) fn n_out(&self) -> usize {
        self.n_out
    }

    pub(super) fn scratch(&self, width: usize) -> Scratch {
        Scratch {
            image: Aligned::zeroed(4 * COLOURS * FILTER * (width + FILTER)),
            first: Aligned::zeroed(4 * 3 * (width / 2 + 2) * self.channels),
            second: Aligned::zeroed(4 * (width / 2) * self.channels),
        }
    }

    /// Computes an image `[3, height, width]`; height is even and width a multiple of 16.
    ///
    /// # Safety
    /// The processor has the instructions of `S`.
    pub(super) unsafe fn run<S: Simd>(
        &self,
        image: &[f32],
        width: usize,
        scratch: &mut Scratch,
        output: &mut [u8],
    ) {
        let height = image.len() / (COLOURS * width);
        assert_eq!(image.len(), COLOURS * height * width, "BUG: sizes");
        assert!(self.pad < FILTER, "BUG: padding");
        assert_eq!(output.len(), (height / 2) * (width / 2) * self.n_out, "BUG: sizes");
        assert!(width.is_multiple_of(2 * COLUMNS) && height.is_multiple_of(2), "BUG: sizes");
        assert!(scratch.second.len() >= 4 * (width / 2) * self.channels, "BUG: scratch of a narrower image");
        let Scratch { image: lines, first, second } = scratch;
        let (lines, first, second) = (lines.floats_mut(), first.floats_mut(), second.floats_mut());
        let output = output.as_mut_ptr();
        unsafe { S::run(Run { of: self, image, height, width, lines, first, second, output }) }
    }
}

/// Transposes `[out, in...]` to `[in..., out]`.
fn inputs_first(weights: &Weights<'_>) -> Aligned {
    let n_out = weights.bias.len();
    let n_in = weights.values.len() / n_out;
    let value = |index: usize| weights.values[(index % n_out) * n_in + index / n_out];
    Aligned::of_numbers((0..n_in * n_out).map(|index| value(index).to_le_bytes()))
}

fn numbers(values: &[f32]) -> Aligned {
    Aligned::of_numbers(values.iter().map(|value| value.to_le_bytes()))
}

struct Run<'a> {
    of: &'a Stem,
    image: &'a [f32],
    height: usize,
    width: usize,
    /// Pointers into [`Scratch`].
    lines: *mut f32,
    first: *mut f32,
    second: *mut f32,
    output: *mut u8,
}

impl Kernel for Run<'_> {
    #[inline(always)]
    unsafe fn run<S: Simd>(self) {
        let (n_rows, width) = (self.height / 2, self.width / 2);
        let row_bytes = width * self.of.n_out;
        unsafe {
            self.first_row::<S>(0);
            for row in 0..n_rows {
                if row + 1 < n_rows {
                    self.first_row::<S>(row + 1);
                }
                self.depthwise_row::<S>(row, n_rows);
                self.pointwise_row::<S>(self.output.add(row * row_bytes));
            }
        }
    }
}

impl Run<'_> {
    /// Address of a row of the first layer, including its padding.
    #[inline(always)]
    unsafe fn row_of_first(&self, row: usize) -> *mut f32 {
        let floats = (self.width / 2 + 2) * self.of.channels;
        unsafe { self.first.add((row % 3) * floats) }
    }

    #[inline(always)]
    unsafe fn first_row<S: Simd>(&self, row: usize) {
        let Stem { channels, pad, .. } = self.of;
        let (channels, pad, stride) = (*channels, *pad, self.width + FILTER);
        unsafe {
            let lines = self.lines;
            for colour in 0..COLOURS {
                for offset in 0..FILTER {
                    let line = lines.add((colour * FILTER + offset) * stride);
                    match (2 * row + offset).checked_sub(pad).filter(|row| *row < self.height) {
                        Some(row) => {
                            let from = self.image.as_ptr().add((colour * self.height + row) * self.width);
                            line.add(pad).copy_from_nonoverlapping(from, self.width);
                        }
                        None => line.add(pad).write_bytes(0, self.width),
                    }
                }
            }
            let to = self.row_of_first(row).add(channels);
            for channel in (0..channels).step_by(2 * S::LANES) {
                if S::WIDE {
                    self.first_tiles::<S, 8>(lines, to, channel);
                } else {
                    self.first_tiles::<S, 4>(lines, to, channel);
                }
            }
        }
    }

    /// Computes two vectors of channels of a row of the first layer, `TILE` columns at a time.
    #[inline(always)]
    unsafe fn first_tiles<S: Simd, const TILE: usize>(
        &self,
        lines: *const f32,
        to: *mut f32,
        channel: usize,
    ) {
        let Stem { channels, first, first_bias, .. } = self.of;
        let (channels, stride) = (*channels, self.width + FILTER);
        unsafe {
            let two = |from: *const f32| [S::load_float(from), S::load_float(from.add(S::LANES))];
            let bias = two(first_bias.floats().add(channel));
            for column in (0..self.width / 2).step_by(TILE) {
                let mut sums = [bias; TILE];
                for line in 0..COLOURS * FILTER {
                    let from = lines.add(line * stride + 2 * column);
                    let weights = first.floats().add(line * FILTER * channels + channel);
                    for at in 0..FILTER {
                        let weights = two(weights.add(at * channels));
                        for (offset, sums) in sums.iter_mut().enumerate() {
                            let value = S::repeat_float(*from.add(2 * offset + at));
                            *sums = [
                                S::mul_add(value, weights[0], sums[0]),
                                S::mul_add(value, weights[1], sums[1]),
                            ];
                        }
                    }
                }
                for (offset, sums) in sums.into_iter().enumerate() {
                    let to = to.add((column + offset) * channels + channel);
                    S::store_float(to, S::clamp(sums[0], RELU6.0, RELU6.1));
                    S::store_float(to.add(S::LANES), S::clamp(sums[1], RELU6.0, RELU6.1));
                }
            }
        }
    }

    #[inline(always)]
    unsafe fn depthwise_row<S: Simd>(&self, row: usize, n_rows: usize) {
        let Stem { channels, depthwise, depthwise_bias, .. } = self.of;
        let channels = *channels;
        unsafe {
            let to = self.second;
            for channel in (0..channels).step_by(S::LANES) {
                let bias = S::load_float(depthwise_bias.floats().add(channel));
                for column in (0..self.width / 2).step_by(COLUMNS) {
                    let mut sums = [bias; COLUMNS];
                    for offset in 0..FILTER {
                        // A row outside the image is all zeros and adds nothing.
                        let Some(row) = (row + offset).checked_sub(1).filter(|row| *row < n_rows) else {
                            continue;
                        };
                        let from = self.row_of_first(row).add(column * channels + channel);
                        let weights = depthwise.floats().add(offset * FILTER * channels + channel);
                        for at in 0..FILTER {
                            let weight = S::load_float(weights.add(at * channels));
                            for (index, sum) in sums.iter_mut().enumerate() {
                                *sum = S::mul_add(
                                    S::load_float(from.add((index + at) * channels)),
                                    weight,
                                    *sum,
                                );
                            }
                        }
                    }
                    for (index, sum) in sums.into_iter().enumerate() {
                        S::store_float(
                            to.add((column + index) * channels + channel),
                            S::clamp(sum, RELU6.0, RELU6.1),
                        );
                    }
                }
            }
        }
    }

    #[inline(always)]
    unsafe fn pointwise_row<S: Simd>(&self, to: *mut u8) {
        let Stem { channels, n_out, pointwise, pointwise_bias, output, .. } = self.of;
        let (channels, n_out) = (*channels, *n_out);
        unsafe {
            let from = self.second.cast_const();
            let (scale, zero_point) =
                (S::repeat_float(1.0 / output.scale), S::repeat_float(f32::from(output.zero_point)));
            for channel in (0..n_out).step_by(S::LANES) {
                let bias = S::load_float(pointwise_bias.floats().add(channel));
                for column in (0..self.width / 2).step_by(COLUMNS) {
                    let mut sums = [bias; COLUMNS];
                    for input in 0..channels {
                        let weight = S::load_float(pointwise.floats().add(input * n_out + channel));
                        for (offset, sum) in sums.iter_mut().enumerate() {
                            let value = S::repeat_float(*from.add((column + offset) * channels + input));
                            *sum = S::mul_add(value, weight, *sum);
                        }
                    }
                    for four in (0..COLUMNS).step_by(4) {
                        let values = std::array::from_fn(|offset| {
                            S::round(S::mul_add(sums[four + offset], scale, zero_point))
                        });
                        let place =
                            std::array::from_fn(|offset| to.add((column + four + offset) * n_out + channel));
                        S::store_rows(place, S::pack(values), true);
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

    /// The three layers in plain loops, with padding after the last row and column of the first one.
    fn expected(
        image: &[f32],
        side: usize,
        first: &Weights<'_>,
        depthwise: &Weights<'_>,
        pointwise: &Weights<'_>,
    ) -> Vec<f32> {
        let (channels, half) = (first.bias.len(), side / 2);
        let at = |colour: usize, y: usize, x: usize| {
            if y < side && x < side { image[(colour * side + y) * side + x] } else { 0.0 }
        };
        let mut one = vec![0.0; channels * half * half];
        let mut two = one.clone();
        for (index, value) in one.iter_mut().enumerate() {
            let (channel, y, x) = (index / half / half, index / half % half, index % half);
            let filter = &first.values[channel * 27..][..27];
            let products = filter
                .iter()
                .enumerate()
                .map(|(tap, weight)| weight * at(tap / 9, 2 * y + tap / 3 % 3, 2 * x + tap % 3));
            *value = (first.bias[channel] + products.sum::<f32>()).clamp(0.0, 6.0);
        }
        for (index, value) in two.iter_mut().enumerate() {
            let (channel, y, x) = (index / half / half, index / half % half, index % half);
            let mut sum = depthwise.bias[channel];
            for tap in 0..9 {
                let (y, x) = (y + tap / 3, x + tap % 3);
                if (1..=half).contains(&y) && (1..=half).contains(&x) {
                    sum += depthwise.values[channel * 9 + tap] * one[(channel * half + y - 1) * half + x - 1];
                }
            }
            *value = sum.clamp(0.0, 6.0);
        }
        let pixels = (0..half * half).flat_map(|pixel| {
            let two = &two;
            pointwise.bias.iter().enumerate().map(move |(out, bias)| {
                bias + (0..channels)
                    .map(|channel| {
                        pointwise.values[out * channels + channel] * two[channel * half * half + pixel]
                    })
                    .sum::<f32>()
            })
        });
        pixels.collect()
    }

    fn the_first_layers_are_right<S: Simd>() {
        let (side, channels, n_out) = (32, 32, 16);
        let mut random = reference::Random::new(5);
        let image = random.floats(3 * side * side, 2.0);
        let [first, depthwise, pointwise] =
            [27 * channels, 9 * channels, channels * n_out].map(|n| random.floats(n, 0.5));
        let biases = [channels, channels, n_out].map(|n| random.floats(n, 1.0));
        let weights = |values, bias| Weights { values, bias };
        let layers =
            [weights(&first, &biases[0]), weights(&depthwise, &biases[1]), weights(&pointwise, &biases[2])];
        let output = Quantization { scale: 0.1, zero_point: 128 };
        let filter = Filter { size: 3, stride: 2, pad: 0 };
        let stem = Stem::new(&layers[0], filter, &layers[1], &layers[2], output);
        let mut found = Aligned::zeroed(side * side / 4 * n_out);
        // Run twice: leftovers of the first image in the buffers must not change the second result.
        let mut scratch = stem.scratch(side);
        for image in [&vec![1.0; image.len()], &image] {
            // SAFETY: `on_each` checks the machine.
            unsafe { stem.run::<S>(image, side, &mut scratch, found.as_mut_slice()) };
        }
        let expected = expected(&image, side, &layers[0], &layers[1], &layers[2]);
        for (index, (byte, number)) in found.as_slice().iter().zip(expected).enumerate() {
            let exact = (number / output.scale + 128.0).clamp(0.0, 255.0);
            assert!((f32::from(*byte) - exact).abs() < 0.51, "value {index}: {byte}, not {exact}");
        }
        assert!(found.as_slice().iter().any(|byte| (1..255).contains(byte)), "bytes within the range");
    }

    #[test]
    fn the_first_layers_are_right_on_each_processor() {
        on_each!(the_first_layers_are_right);
    }
}
