//! The layer `activation(x W^T + b)`, which takes nearly all of a transformer's time.
//!
//! On processors that `../simd.rs` supports it is computed by our own product (`processor.rs`), with weights packed
//! in the order in which it reads them; on GPUs and other processors by candle.

use candle_core::{Result as CandleResult, Tensor};
use candle_nn::{Linear, Module, ops};

use crate::network_config::Activation;

/// A linear layer and an optional activation.
#[derive(Debug)]
pub(crate) struct Dense {
    layer: Layer,
    activation: Option<Activation>,
}

#[derive(Debug)]
enum Layer {
    Packed(super::processor::Packed),
    Candle(Linear),
}

impl Dense {
    /// From weights `[out, in]` and a bias `[out]`, on the device of the weights.
    pub(crate) fn new(weights: Tensor, bias: Option<Tensor>) -> CandleResult<Self> {
        Ok(Self { layer: Layer::new(weights, bias)?, activation: None })
    }

    /// The same layer followed by this activation.
    pub(crate) fn then(self, activation: Activation) -> Self {
        Self { activation: Some(activation), ..self }
    }
}

impl Layer {
    fn new(weights: Tensor, bias: Option<Tensor>) -> CandleResult<Self> {
        if weights.device().is_cpu()
            && let Some(instructions) = crate::simd::Instructions::of_this_machine()
        {
            return Ok(Self::Packed(super::processor::Packed::new(&weights, bias.as_ref(), instructions)?));
        }
        Ok(Self::Candle(Linear::new(weights, bias)))
    }
}

impl Module for Dense {
    /// `[..., in]` to `[..., out]`.
    fn forward(&self, inputs: &Tensor) -> CandleResult<Tensor> {
        match &self.layer {
            Layer::Packed(packed) => packed.forward(inputs, self.activation),
            Layer::Candle(linear) => {
                let outputs = linear.forward(inputs)?;
                match self.activation {
                    Some(activation) => activated(&outputs, activation),
                    None => Ok(outputs),
                }
            }
        }
    }
}

/// Applies the activation to each value.
fn activated(values: &Tensor, activation: Activation) -> CandleResult<Tensor> {
    match activation {
        Activation::QuickGelu => values * ops::sigmoid(&(values * 1.702)?)?,
        Activation::Gelu => values.gelu_erf(),
        Activation::GeluTanh => values.gelu(),
        Activation::Silu => values.silu(),
        Activation::Relu => values.relu(),
    }
}

#[cfg(test)]
mod tests {
    use candle_core::Device;

    use super::*;

    #[test]
    fn both_ways_give_the_same() {
        let value = |index: usize| ((index * 37 % 101) as f32 - 50.0) / 40.0;
        let tensor = |shape: &[usize]| {
            let values = (0..shape.iter().product()).map(value).collect();
            Tensor::from_vec(values, shape, &Device::Cpu).unwrap()
        };
        for activation in [
            None,
            Some(Activation::QuickGelu),
            Some(Activation::Gelu),
            Some(Activation::GeluTanh),
            Some(Activation::Silu),
            Some(Activation::Relu),
        ] {
            // Fewer and more rows and columns than a tile has, and a number of outputs that is no multiple of a
            // vector.
            for (n_rows, n_in, n_out) in [(1, 1, 1), (5, 7, 33), (2 * 13, 48, 96), (3 * 100, 20, 70)] {
                let inputs = tensor(&[2, n_rows, n_in]);
                let (weights, bias) = (tensor(&[n_out, n_in]), tensor(&[n_out]));
                let candle = Dense {
                    layer: Layer::Candle(Linear::new(weights.clone(), Some(bias.clone()))),
                    activation,
                };
                let ours = Dense { activation, ..Dense::new(weights, Some(bias)).unwrap() };
                let [expected, found] = [&candle, &ours].map(|dense| dense.forward(&inputs).unwrap());
                assert_eq!(found.dims(), [2, n_rows, n_out]);
                let difference = (expected - found).unwrap().abs().unwrap().max_all().unwrap();
                assert!(
                    difference.to_scalar::<f32>().unwrap() < 2e-5,
                    "{activation:?} {n_rows} {difference}"
                );
            }
        }
    }
}
