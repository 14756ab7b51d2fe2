//! For tests: random tensors, and the arithmetic of the kernels in plain loops.

use super::depthwise::Filter;

/// Pseudo-random numbers, the same on every machine.
pub(super) struct Random(u64);

impl Random {
    pub(super) fn new(seed: usize) -> Self {
        Self(seed as u64)
    }

    /// 32 bits of Knuth's MMIX generator.
    fn next(&mut self) -> u32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 32) as u32
    }

    pub(super) fn bytes(&mut self, n: usize) -> Vec<u8> {
        (0..n).map(|_| self.next() as u8).collect()
    }

    /// From -64 to 64.
    pub(super) fn weights(&mut self, n: usize) -> Vec<i8> {
        (0..n).map(|_| ((self.next() % 129).cast_signed() - 64) as i8).collect()
    }

    pub(super) fn biases(&mut self, n: usize) -> Vec<i32> {
        (0..n).map(|_| (self.next() % 20_000).cast_signed() - 10_000).collect()
    }

    /// Chosen so that sums of `n_products` products fill the range of a byte, and some exceed it.
    pub(super) fn scales(&mut self, n: usize, n_products: usize) -> Vec<f32> {
        let usual = 64.0 / (5000.0 * (n_products as f32).sqrt());
        (0..n).map(|_| usual * (0.5 + (self.next() % 100) as f32 / 100.0)).collect()
    }

    /// From `-most` to `most`.
    pub(super) fn floats(&mut self, n: usize, most: f32) -> Vec<f32> {
        (0..n).map(|_| most * ((self.next() % 2001) as f32 / 1000.0 - 1.0)).collect()
    }
}

pub(super) fn to_byte(sum: i32, scale: f32, zero_point: u8) -> u8 {
    (sum as f32).mul_add(scale, f32::from(zero_point)).round_ties_even().clamp(0.0, 255.0) as u8
}

/// A 1x1 convolution of pixels `[n, in]` with weights `[out, in]`.
pub(super) fn pointwise(
    pixels: &[u8],
    weights: &[i8],
    bias: &[i32],
    scale: &[f32],
    zero_point: u8,
) -> Vec<u8> {
    let n_in = weights.len() / bias.len();
    let of_pixel = |pixel: &[u8]| -> Vec<u8> {
        let rows = weights.chunks_exact(n_in).zip(bias).zip(scale);
        rows.map(|((row, bias), scale)| {
            let products = pixel.iter().zip(row).map(|(byte, weight)| i32::from(*byte) * i32::from(*weight));
            to_byte(bias + products.sum::<i32>(), *scale, zero_point)
        })
        .collect()
    };
    pixels.chunks_exact(n_in).flat_map(of_pixel).collect()
}

/// A depthwise convolution of an image `[height, width, channels]` with weights `[channels, size, size]`, padded
/// with the byte `zero`.
#[expect(clippy::too_many_arguments, reason = "these are the parameters of a convolution")]
pub(super) fn depthwise(
    image: &[u8],
    (height, width): (usize, usize),
    Filter { size, stride, pad }: Filter,
    weights: &[i8],
    zero: u8,
    bias: &[i32],
    scale: &[f32],
    zero_point: u8,
) -> Vec<u8> {
    let channels = bias.len();
    let (out_height, out_width) = (height / stride, width / stride);
    let value = |index: usize| {
        let (channel, x, y) = (index % channels, index / channels % out_width, index / channels / out_width);
        let taps = (0..size * size).map(|at| (at / size, at % size));
        let products = taps.map(|(row, column)| {
            let (from_y, from_x) =
                ((y * stride + row).checked_sub(pad), (x * stride + column).checked_sub(pad));
            let byte = match (from_y, from_x) {
                (Some(y), Some(x)) if y < height && x < width => image[(y * width + x) * channels + channel],
                _ => zero,
            };
            i32::from(byte) * i32::from(weights[(channel * size + row) * size + column])
        });
        to_byte(bias[channel] + products.sum::<i32>(), scale[channel], zero_point)
    };
    (0..out_height * out_width * channels).map(value).collect()
}
