//! The last layers, in f32: the mean of each channel, then embedding and scores.

use std::collections::HashMap;

use super::{quantization::Quantization, unsupported::Unsupported};
use crate::log_sum_exp::log_sum_exp;
use crate::simd::{Kernel, Simd};

/// Maximum number of values in all rows: otherwise a graph could concatenate a row with itself without end.
const MOST_NUMBERS: usize = 1 << 20;

/// One operator of the head, on one row of numbers per image.
pub(super) struct Step {
    pub(super) inputs: Vec<String>,
    pub(super) output: String,
    pub(super) operator: Operator,
}

pub(super) enum Operator {
    /// `[n, in]` -> `[n, out]`.
    Linear(Linear),
    /// Reductions of each row to one value: L2 norm, maximum, log-sum-exp.
    Length,
    Greatest,
    LogSumExp,
    /// Clamps from below.
    AtLeast(f32),
    /// Divides each row by one number.
    Divide,
    /// Joins rows.
    Concatenate,
    /// Renames its input.
    Same,
    /// Takes one number of each row.
    Column,
}

/// Weights `[out, in]` and a bias of `out` numbers, or none.
///
/// Weights have 16 bits, with a scale per row: they do not fit in the caches of a core, so that a run waits for
/// them to be read.
pub(super) struct Linear {
    weights: Vec<i16>,
    scales: Vec<f32>,
    bias: Vec<f32>,
}

impl Linear {
    /// `n_out` rows of finite weights.
    pub(super) fn new(weights: &[f32], bias: &[f32], n_out: usize) -> Self {
        /// At this magnitude f32 has no fraction bits, so adding it rounds. `round` took 5% of the start-up time.
        const ROUND: f32 = 12_582_912.0;
        let rows = weights.chunks_exact(weights.len() / n_out);
        let scale = |row: &[f32]| {
            let largest = row.iter().fold(0.0_f32, |largest, weight| largest.max(weight.abs()));
            if largest > 0.0 { largest / f32::from(i16::MAX) } else { 1.0 }
        };
        let scales: Vec<f32> = rows.clone().map(scale).collect();
        let whole = |(row, scale): (&[f32], f32)| {
            row.iter().map(|weight| (weight / scale + ROUND - ROUND) as i16).collect::<Vec<_>>()
        };
        let weights = rows.zip(scales.iter().copied()).flat_map(whole).collect();
        Self { weights, scales, bias: bias.to_vec() }
    }

    fn bytes(&self) -> &[u8] {
        // SAFETY: an i16 is two bytes.
        unsafe { std::slice::from_raw_parts(self.weights.as_ptr().cast(), 2 * self.weights.len()) }
    }
}

/// Computes the named outputs from the mean of each channel.
pub(super) struct Head {
    pub(super) input: String,
    pub(super) steps: Vec<Step>,
    /// Quantization of the last convolution, and of the means after they are quantized again.
    pub(super) pixels: Quantization,
    pub(super) means: Quantization,
}

impl Head {
    /// The weights of all products, as bytes.
    pub(super) fn weights(&self) -> Vec<&[u8]> {
        let operators = self.steps.iter().map(|step| &step.operator);
        let weights = operators.filter_map(|operator| match operator {
            Operator::Linear(linear) => Some(linear.bytes()),
            _ => None,
        });
        weights.collect()
    }

    /// The named tensors of an image, from the output `pixels` of the last convolution, `[n, channels]`.
    ///
    /// # Safety
    /// The processor has the instructions of `S`.
    pub(super) unsafe fn run<S: Simd>(&self, pixels: &[u8], channels: usize) -> HashMap<&str, Vec<f32>> {
        let mut sums = vec![0_u32; channels];
        unsafe { S::run(Sums { pixels, sums: &mut sums }) };
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

    /// The width of each tensor of the head, by name.
    ///
    /// # Errors
    /// [`Unsupported`] if an operator's inputs have the wrong shapes.
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
                Operator::Linear(Linear { weights, scales, .. }) if weights.len() == scales.len() * first => {
                    scales.len()
                }
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
            Self::Linear(linear) => {
                let Linear { bias, scales, .. } = linear;
                let mut output = if bias.is_empty() { vec![0.0; scales.len()] } else { bias.clone() };
                unsafe { S::run(Product { of: linear, input: first, output: &mut output }) };
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

/// Sums pixels `[n, channels]` per channel.
struct Sums<'a> {
    pixels: &'a [u8],
    sums: &'a mut [u32],
}

impl Kernel for Sums<'_> {
    #[expect(
        clippy::inline_always,
        reason = "functions that are not inlined are compiled without the instructions"
    )]
    #[inline(always)]
    unsafe fn run<S: Simd>(self) {
        for pixel in self.pixels.chunks_exact(self.sums.len()) {
            for (sum, byte) in self.sums.iter_mut().zip(pixel) {
                *sum += u32::from(*byte);
            }
        }
    }
}

struct Product<'a> {
    of: &'a Linear,
    input: &'a [f32],
    output: &'a mut [f32],
}

impl Kernel for Product<'_> {
    #[inline(always)]
    unsafe fn run<S: Simd>(self) {
        /// Rows of weights that are multiplied together: a single one would wait for its own sum at each step.
        const ROWS: usize = 4;
        let n_in = self.input.len();
        let whole = n_in - n_in % S::LANES;
        let n_out = self.output.len();
        for first in (0..n_out).step_by(ROWS) {
            // If fewer rows are left, the last one is computed several times.
            let rows: [&[i16]; ROWS] = std::array::from_fn(|row| {
                let row = (first + row).min(n_out - 1);
                &self.of.weights[row * n_in..][..n_in]
            });
            let mut sums = [unsafe { S::repeat_float(0.0) }; ROWS];
            for at in (0..whole).step_by(S::LANES) {
                unsafe {
                    let input = S::load_float(self.input.as_ptr().add(at));
                    for (sum, row) in sums.iter_mut().zip(rows) {
                        *sum = S::mul_add(input, S::load_halves_as_float(row.as_ptr().add(at)), *sum);
                    }
                }
            }
            let scales = &self.of.scales[first..];
            for (((to, sum), row), scale) in self.output[first..].iter_mut().zip(sums).zip(rows).zip(scales) {
                let rest = row[whole..].iter().zip(&self.input[whole..]);
                let rest: f32 = rest.map(|(weight, value)| f32::from(*weight) * value).sum();
                *to += scale * (unsafe { S::sum(sum) } + rest);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::int8_engine::{on_each, reference};

    fn rows_are_multiplied<S: Simd>() {
        // Numbers of inputs and outputs that are no multiple of the vector; a row of zeros.
        for (n_in, n_out) in [(64, 8), (37, 5), (3, 1)] {
            let mut random = reference::Random::new(n_in);
            let mut weights = random.floats(n_in * n_out, 0.3);
            weights[..n_in].fill(0.0);
            let (input, bias) = (random.floats(n_in, 2.0), random.floats(n_out, 1.0));
            for bias in [&bias[..], &[]] {
                let linear = Operator::Linear(Linear::new(&weights, bias, n_out));
                // SAFETY: `on_each` checks the machine.
                let found = unsafe { linear.run::<S>(&[&input]) };
                assert_eq!(found.len(), n_out);
                for (row, (found, weights)) in found.iter().zip(weights.chunks_exact(n_in)).enumerate() {
                    let products = weights.iter().zip(&input).map(|(weight, value)| weight * value);
                    let exact = bias.get(row).copied().unwrap_or(0.0) + products.sum::<f32>();
                    assert!(
                        (found - exact).abs() < 3e-4,
                        "{n_in} to {n_out}, row {row}: {found}, not {exact}"
                    );
                }
            }
        }
    }

    #[test]
    fn rows_are_multiplied_on_each_processor() {
        on_each!(rows_are_multiplied);
    }
}
