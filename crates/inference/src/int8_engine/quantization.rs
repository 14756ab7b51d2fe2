//! Quantization as in ONNX (`QuantizeLinear`): `number = scale * (byte - zero_point)`.

use super::aligned::Aligned;
use crate::simd::Simd;

/// Scale and zero point of a tensor.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Quantization {
    pub(super) scale: f32,
    pub(super) zero_point: u8,
}

impl Quantization {
    /// The representable value nearest to `number`.
    pub(super) fn rounded(self, number: f32) -> f32 {
        let zero_point = f32::from(self.zero_point);
        let byte = (number / self.scale).round_ties_even() + zero_point;
        self.scale * (byte.clamp(0.0, 255.0) - zero_point)
    }
}

/// The correction of a sum of products with these weights if bytes are multiplied as `byte - 128`.
pub(super) fn taken_off<S: Simd>(weights: &[i8]) -> i32 {
    let sum: i32 = weights.iter().map(|weight| i32::from(*weight)).sum();
    if S::SIGNED_BYTES { 128 * sum } else { 0 }
}

/// Converts sums of products to bytes: `round((sum + bias) * scale + zero_point)`, per output channel.
pub(super) struct Requantization {
    /// i32, zero-padded; includes the contribution of the input's zero point.
    pub(super) bias: Aligned,
    /// f32, zero-padded.
    pub(super) scale: Aligned,
    pub(super) zero_point: f32,
}

impl Requantization {
    /// `bias` and `scale` are in the channel order of the kernel.
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
