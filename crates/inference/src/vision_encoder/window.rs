//! Depthwise convolution: combines each position with its neighbours, channel by channel.

use candle_core::{Result as CandleResult, Tensor};
use rayon::{
    iter::{IndexedParallelIterator, ParallelIterator},
    slice::ParallelSliceMut,
};

use crate::{Result, layers::Scope};

/// Side of the kernel, in positions.
const SIDE: usize = 7;
/// Positions on each side of the centre.
const REACH: usize = SIDE / 2;

/// A depthwise convolution with a kernel of 7 x 7.
#[derive(Debug)]
pub(super) struct Window {
    kernel: Tensor, // [channels, 1, 7, 7]
    bias: Tensor,   // [channels]
    /// The kernel as `[7 * 7, channels]`, and the bias, for the CPU.
    by_place: Vec<f32>,
    bias_values: Vec<f32>,
}

impl Window {
    pub(super) fn load(scope: &Scope<'_>, channels: usize) -> Result<Self> {
        let kernel = scope.tensor("weight", &[channels, 1, SIDE, SIDE])?;
        let bias = scope.tensor("bias", &[channels])?;
        Self::new(kernel, bias).map_err(|source| scope.compute_error(source))
    }

    fn new(kernel: Tensor, bias: Tensor) -> CandleResult<Self> {
        let by_place = kernel.flatten_from(1)?.t()?.contiguous()?.flatten_all()?.to_vec1()?;
        let bias_values = bias.to_vec1()?;
        Ok(Self { kernel, bias, by_place, bias_values })
    }

    /// `[n, rows, columns, channels]` to the same shape; zero-padded at the edges.
    pub(super) fn forward(&self, features: &Tensor) -> CandleResult<Tensor> {
        if features.device().is_cpu() { self.by_places(features) } else { self.by_channels(features) }
    }

    /// With candle: a grouped convolution with one group per channel.
    fn by_channels(&self, features: &Tensor) -> CandleResult<Tensor> {
        let channels = self.bias_values.len();
        let seen = channels_first(features)?.conv2d(&self.kernel, REACH, 1, 1, channels)?;
        channels_last(&seen)?.broadcast_add(&self.bias)
    }

    /// On a CPU, all channels of a position at once are far faster, since they are contiguous.
    fn by_places(&self, features: &Tensor) -> CandleResult<Tensor> {
        let (_, rows, columns, channels) = features.dims4()?;
        let values: Vec<f32> = features.flatten_all()?.to_vec1()?;
        let mut seen = vec![0.0; values.len()];
        seen.par_chunks_mut(columns * channels).enumerate().for_each(|(line, seen)| {
            // Rows of all images are numbered consecutively.
            let (first_row, row) = (line - line % rows, line % rows);
            for (column, place) in seen.chunks_mut(channels).enumerate() {
                place.copy_from_slice(&self.bias_values);
                for (index, kernel) in self.by_place.chunks(channels).enumerate() {
                    let (below, right) = (row + index / SIDE, column + index % SIDE);
                    let is_inside =
                        (REACH..rows + REACH).contains(&below) && (REACH..columns + REACH).contains(&right);
                    if !is_inside {
                        continue;
                    }
                    let begin = ((first_row + below - REACH) * columns + right - REACH) * channels;
                    let around = &values[begin..begin + channels];
                    for ((sum, value), factor) in place.iter_mut().zip(around).zip(kernel) {
                        *sum += value * factor;
                    }
                }
            }
        });
        Tensor::from_vec(seen, features.dims(), features.device())
    }
}

pub(super) fn channels_first(features: &Tensor) -> CandleResult<Tensor> {
    features.permute((0, 3, 1, 2))?.contiguous()
}

pub(super) fn channels_last(features: &Tensor) -> CandleResult<Tensor> {
    features.permute((0, 2, 3, 1))?.contiguous()
}

#[cfg(test)]
mod tests {
    use candle_core::Device;

    use super::*;

    fn tensor(shape: &[usize], step: f32) -> Tensor {
        let n_values: usize = shape.iter().product();
        let values: Vec<f32> = (0..n_values).map(|index| (index as f32 * step).sin()).collect();
        Tensor::from_vec(values, shape, &Device::Cpu).expect("a tensor")
    }

    #[test]
    fn both_ways_give_the_same() {
        let window = Window::new(tensor(&[5, 1, SIDE, SIDE], 0.7), tensor(&[5], 1.3)).expect("a window");
        for (rows, columns) in [(9, 12), (1, 1), (2, 3)] {
            let features = tensor(&[2, rows, columns, 5], 0.11);
            let one = window.by_places(&features).expect("numbers");
            let other = window.by_channels(&features).expect("numbers");
            assert_eq!(one.dims(), features.dims());
            let difference = (one - other)
                .and_then(|difference| difference.abs()?.flatten_all()?.max(0)?.to_scalar::<f32>());
            let difference = difference.expect("a number");
            assert!(difference < 1e-5, "{rows} x {columns}: {difference}");
        }
    }
}
