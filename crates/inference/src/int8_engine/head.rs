//! The last layers, which compute in f32: the mean of each channel, then embedding and scores.

use std::collections::HashMap;

use super::{plan::Unsupported, quantization::Quantization};
use crate::log_sum_exp::log_sum_exp;
use crate::simd::{Kernel, Simd};

/// Numbers of all rows together, at most: a row could be joined to itself, and copied, again and again.
const MOST_NUMBERS: usize = 1 << 20;

/// One operator of the head on rows of numbers, one row for each image.
pub(super) struct Step {
    pub(super) inputs: Vec<String>,
    pub(super) output: String,
    pub(super) operator: Operator,
}

pub(super) enum Operator {
    /// `[n, in]` -> `[n, out]`: weights `[out, in]`, and a bias of `out` numbers, or none.
    Linear {
        weights: Vec<f32>,
        bias: Vec<f32>,
        n_out: usize,
    },
    /// Of each row its length, the greatest, or the logarithm of the sum of exponentials.
    Length,
    Greatest,
    LogSumExp,
    /// No number below this.
    AtLeast(f32),
    /// Rows divided by one number each.
    Divide,
    /// Rows one after the other.
    Concatenate,
    /// The same under another name.
    Same,
    /// One number of each row.
    Column,
}

/// From the mean of each channel to the named outputs.
pub(super) struct Head {
    pub(super) input: String,
    pub(super) steps: Vec<Step>,
    /// How the bytes of the last convolution are to be read, and their means when they have become bytes.
    pub(super) pixels: Quantization,
    pub(super) means: Quantization,
}

impl Head {
    /// The named tensors of one image whose last convolution gave `pixels`, `[n, channels]`.
    ///
    /// # Safety
    /// The processor has the instructions of `S`.
    pub(super) unsafe fn run<S: Simd>(&self, pixels: &[u8], channels: usize) -> HashMap<&str, Vec<f32>> {
        let mut sums = vec![0_u32; channels];
        for pixel in pixels.chunks_exact(channels) {
            for (sum, byte) in sums.iter_mut().zip(pixel) {
                *sum += u32::from(*byte);
            }
        }
        let n_pixels = (pixels.len() / channels) as f32;
        let Quantization { scale, zero_point } = self.pixels;
        let means = sums.iter().map(|sum| scale * (*sum as f32 / n_pixels - f32::from(zero_point)));
        let means = means.map(|mean| self.means.rounded(mean)).collect();
        let mut values = HashMap::from([(self.input.as_str(), means)]);
        for step in &self.steps {
            let inputs: Vec<&[f32]> = step
                .inputs
                .iter()
                .map(|name| values.get(name.as_str()).map_or(&[][..], Vec::as_slice))
                .collect();
            let output = unsafe { step.operator.run::<S>(&inputs) };
            values.insert(&step.output, output);
        }
        values
    }

    /// The width of each tensor that the head has, by name.
    ///
    /// # Errors
    /// [`Unsupported`] when an operator is given what it does not take.
    pub(super) fn widths(&self, channels: usize) -> Result<HashMap<&str, usize>, Unsupported> {
        let mut widths = HashMap::from([(self.input.as_str(), channels)]);
        let mut n_numbers = channels;
        for step in &self.steps {
            let unknown = || Unsupported::new(format!("an input of `{}` comes from nowhere", step.output));
            let inputs: Option<Vec<usize>> =
                step.inputs.iter().map(|name| widths.get(name.as_str()).copied()).collect();
            let inputs = inputs.ok_or_else(unknown)?;
            let first = *inputs.first().ok_or_else(unknown)?;
            let width = match &step.operator {
                Operator::Linear { weights, n_out, .. } if weights.len() == n_out * first => *n_out,
                Operator::Length | Operator::Greatest | Operator::LogSumExp => 1,
                Operator::AtLeast(_) | Operator::Same => first,
                Operator::Column if first == 1 => 1,
                Operator::Divide if inputs.get(1) == Some(&1) => first,
                Operator::Concatenate => inputs.iter().sum(),
                _ => return Err(Unsupported::new(format!("the shapes of `{}`", step.output))),
            };
            n_numbers += width;
            if n_numbers > MOST_NUMBERS {
                return Err(Unsupported::new("a head of too many numbers"));
            }
            widths.insert(&step.output, width);
        }
        Ok(widths)
    }
}

impl Operator {
    unsafe fn run<S: Simd>(&self, inputs: &[&[f32]]) -> Vec<f32> {
        let first = inputs.first().copied().unwrap_or_default();
        match self {
            Self::Linear { weights, bias, n_out } => {
                let mut output = if bias.is_empty() { vec![0.0; *n_out] } else { bias.clone() };
                unsafe { S::run(Linear { weights, input: first, output: &mut output }) };
                output
            }
            Self::Length => vec![first.iter().map(|value| value * value).sum::<f32>().sqrt()],
            Self::Greatest => vec![first.iter().copied().fold(f32::NEG_INFINITY, f32::max)],
            Self::LogSumExp => vec![log_sum_exp(first.iter().map(|value| f64::from(*value))) as f32],
            Self::AtLeast(least) => first.iter().map(|value| value.max(*least)).collect(),
            Self::Divide => {
                let divisor = inputs.get(1).and_then(|divisor| divisor.first()).copied().unwrap_or(f32::NAN);
                first.iter().map(|value| value / divisor).collect()
            }
            Self::Concatenate => inputs.concat(),
            Self::Same | Self::Column => first.to_vec(),
        }
    }
}

struct Linear<'a> {
    weights: &'a [f32],
    input: &'a [f32],
    output: &'a mut [f32],
}

impl Kernel for Linear<'_> {
    #[inline(always)]
    unsafe fn run<S: Simd>(self) {
        /// Rows of weights that are multiplied side by side: one alone would wait for its own sum at each step.
        const ROWS: usize = 4;
        let n_in = self.input.len();
        let whole = n_in - n_in % S::LANES;
        let n_out = self.output.len();
        for first in (0..n_out).step_by(ROWS) {
            // The last rows are computed again where fewer are left.
            let rows: [&[f32]; ROWS] = std::array::from_fn(|row| {
                let row = (first + row).min(n_out - 1);
                &self.weights[row * n_in..][..n_in]
            });
            let mut sums = [unsafe { S::repeat_float(0.0) }; ROWS];
            for at in (0..whole).step_by(S::LANES) {
                unsafe {
                    let input = S::load_float(self.input.as_ptr().add(at));
                    for (sum, row) in sums.iter_mut().zip(rows) {
                        *sum = S::mul_add(input, S::load_float(row.as_ptr().add(at)), *sum);
                    }
                }
            }
            for ((to, sum), row) in self.output[first..].iter_mut().zip(sums).zip(rows) {
                let rest: f32 =
                    row[whole..].iter().zip(&self.input[whole..]).map(|(weight, value)| weight * value).sum();
                *to += unsafe { S::sum(sum) } + rest;
            }
        }
    }
}
