//! The transformer that both towers of both families are made of: pre-norm layers, after Vaswani et
//! al. 2017, <https://arxiv.org/abs/1706.03762>, and Xiong et al. 2020, <https://arxiv.org/abs/2002.04745>.

use candle_core::{Result as CandleResult, Tensor};
use candle_nn::{LayerNorm, Linear, Module, ops};

use super::{
    config::{Activation, LayerConfig},
    weights::Scope,
};
use crate::Result;

/// The layers of a tower, in order.
#[derive(Debug)]
pub(super) struct Encoder {
    layers: Vec<Layer>,
}

#[derive(Debug)]
struct Layer {
    attention_norm: LayerNorm,
    attention: Attention,
    perceptron_norm: LayerNorm,
    perceptron: Perceptron,
}

impl Encoder {
    /// Reads `layers.0` and so on.
    pub(super) fn load(scope: &Scope<'_>, config: &LayerConfig) -> Result<Self> {
        let width = config.hidden_size;
        let layers = (0..config.n_layers)
            .map(|index| {
                let layer = scope.at(&format!("layers.{index}"));
                Ok(Layer {
                    attention_norm: layer.layer_norm("layer_norm1", width, config.layer_norm_eps)?,
                    attention: Attention::load(&layer.at("self_attn"), config)?,
                    perceptron_norm: layer.layer_norm("layer_norm2", width, config.layer_norm_eps)?,
                    perceptron: Perceptron::load(&layer.at("mlp"), config)?,
                })
            })
            .collect::<Result<_>>()?;
        Ok(Self { layers })
    }

    /// `[n, tokens, width]` to the same shape. The mask `[tokens, tokens]` is added to the attention's
    /// logits; row i says what token i sees.
    pub(super) fn forward(&self, tokens: Tensor, mask: Option<&Tensor>) -> CandleResult<Tensor> {
        self.layers.iter().try_fold(tokens, |tokens, layer| {
            let normed = layer.attention_norm.forward(&tokens)?;
            let tokens = (tokens + layer.attention.forward(&normed, &normed, mask)?)?;
            let normed = layer.perceptron_norm.forward(&tokens)?;
            tokens + layer.perceptron.forward(&normed)?
        })
    }
}

/// Attention in several heads.
#[derive(Debug)]
pub(super) struct Attention {
    pub(super) query: Linear,
    pub(super) key: Linear,
    pub(super) value: Linear,
    pub(super) output: Linear,
    pub(super) n_heads: usize,
}

impl Attention {
    fn load(scope: &Scope<'_>, config: &LayerConfig) -> Result<Self> {
        let width = config.hidden_size;
        Ok(Self {
            query: scope.linear("q_proj", width, width)?,
            key: scope.linear("k_proj", width, width)?,
            value: scope.linear("v_proj", width, width)?,
            output: scope.linear("out_proj", width, width)?,
            n_heads: config.n_heads,
        })
    }

    /// For each of the tokens `[n, q, width]` a mean of `seen` `[n, k, width]`, weighted by
    /// `softmax(Q K^T / sqrt(width / heads) + mask)`; `[n, q, width]`.
    pub(super) fn forward(
        &self,
        tokens: &Tensor,
        seen: &Tensor,
        mask: Option<&Tensor>,
    ) -> CandleResult<Tensor> {
        let (n, n_tokens, width) = tokens.dims3()?;
        let head_width = width / self.n_heads;
        let heads = |tensor: Tensor| {
            let n_tokens = tensor.dim(1)?;
            tensor.reshape((n, n_tokens, self.n_heads, head_width))?.transpose(1, 2)?.contiguous()
        };
        let scale = 1.0 / (head_width as f64).sqrt();
        // Scaled before the product: `[q, width]` numbers are multiplied instead of `[heads, q, k]`.
        let query = heads((self.query.forward(tokens)? * scale)?)?;
        let key = heads(self.key.forward(seen)?)?;
        let value = heads(self.value.forward(seen)?)?;

        let logits = query.matmul(&key.t()?)?; // [n, heads, q, k]
        let logits = match mask {
            Some(mask) => logits.broadcast_add(mask)?,
            None => logits,
        };
        let mixed = ops::softmax_last_dim(&logits)?.matmul(&value)?; // [n, heads, q, head width]
        self.output.forward(&mixed.transpose(1, 2)?.reshape((n, n_tokens, width))?)
    }
}

/// Two linear layers with an activation between them.
#[derive(Debug)]
pub(super) struct Perceptron {
    widen: Linear,
    narrow: Linear,
    activation: Activation,
}

impl Perceptron {
    pub(super) fn load(scope: &Scope<'_>, config: &LayerConfig) -> Result<Self> {
        let (width, inner_width) = (config.hidden_size, config.intermediate_size);
        Ok(Self {
            widen: scope.linear("fc1", width, inner_width)?,
            narrow: scope.linear("fc2", inner_width, width)?,
            activation: config.activation,
        })
    }

    /// `[n, tokens, width]` to the same shape.
    pub(super) fn forward(&self, tokens: &Tensor) -> CandleResult<Tensor> {
        let wide = self.widen.forward(tokens)?;
        let active = match self.activation {
            Activation::QuickGelu => (&wide * ops::sigmoid(&(&wide * 1.702)?)?)?,
            Activation::Gelu => wide.gelu_erf()?,
            Activation::GeluTanh => wide.gelu()?,
        };
        self.narrow.forward(&active)
    }
}
