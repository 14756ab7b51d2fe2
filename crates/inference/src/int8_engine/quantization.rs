//! From numbers to bytes and back, as ONNX quantizes (`QuantizeLinear`): `number = scale * (byte - zero_point)`.

use super::aligned::Aligned;
use crate::simd::Simd;

/// How the bytes of a tensor are to be read.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Quantization {
    pub(super) scale: f32,
    pub(super) zero_point: u8,
}

impl Quantization {
    /// The number that a byte stands for which is nearest to `number`.
    pub(super) fn rounded(self, number: f32) -> f32 {
        let zero_point = f32::from(self.zero_point);
        let byte = (number / self.scale).round_ties_even() + zero_point;
        self.scale * (byte.clamp(0.0, 255.0) - zero_point)
    }
}

/// What a sum of products with these weights lacks where bytes are multiplied less 128.
pub(super) fn taken_off<S: Simd>(weights: &[i8]) -> i32 {
    let sum: i32 = weights.iter().map(|weight| i32::from(*weight)).sum();
    if S::SIGNED_BYTES { 128 * sum } else { 0 }
}

/// From sums of products to bytes: `round((sum + bias) * scale + zero_point)`, by output channel.
pub(super) struct Requantization {
    /// i32, filled up with zeros; holds what the zero point of the input adds as well.
    pub(super) bias: Aligned,
    /// f32, filled up with zeros.
    pub(super) scale: Aligned,
    pub(super) zero_point: f32,
}

impl Requantization {
    /// `bias` and `scale` in the order in which a kernel has its channels.
    pub(super) fn new(
        bias: impl ExactSizeIterator<Item = i32>,
        scale: impl ExactSizeIterator<Item = f32>,
        zero_point: u8,
    ) -> Self {
        Self {
            bias: Aligned::of_numbers(bias.map(i32::to_le_bytes)),
            scale: Aligned::of_numbers(scale.map(f32::to_le_bytes)),
            zero_point: f32::from(zero_point),
        }
    }
}
