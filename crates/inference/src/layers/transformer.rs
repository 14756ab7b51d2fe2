//! The transformer of all networks with attention: pre-norm layers, after Vaswani et al. 2017,
//! <https://arxiv.org/abs/1706.03762>, and Xiong et al. 2020, <https://arxiv.org/abs/2002.04745>.

use candle_core::{D, Result as CandleResult, Tensor};
use candle_nn::{LayerNorm, Module, ops};

use super::{Dense, Scope};
use crate::{Result, network_config::LayerConfig};

/// The layers, in order.
#[derive(Debug)]
pub(crate) struct Encoder {
    pub(crate) layers: Vec<Layer>,
    /// Rotation of the queries and keys of every layer, for networks with rotary positions.
    pub(crate) rotation: Option<Rotation>,
}

/// One layer: attention and a perceptron, each with a residual connection.
#[derive(Debug)]
pub(crate) struct Layer {
    pub(crate) attention_norm: LayerNorm,
    pub(crate) attention: Attention,
    /// Factors `[width]` of the attention's output.
    pub(crate) attention_scale: Option<Tensor>,
    pub(crate) perceptron_norm: LayerNorm,
    pub(crate) perceptron: Perceptron,
    /// Factors `[width]` of the perceptron's output.
    pub(crate) perceptron_scale: Option<Tensor>,
}

impl Encoder {
    /// Reads `layers.0` and so on, with the names of CLIP and SigLIP.
    pub(crate) fn load(scope: &Scope<'_>, config: &LayerConfig) -> Result<Self> {
        let width = config.hidden_size;
        let layers = (0..config.n_layers)
            .map(|index| {
                let layer = scope.at(&format!("layers.{index}"));
                Ok(Layer {
                    attention_norm: layer.layer_norm("layer_norm1", width, config.layer_norm_eps)?,
                    attention: Attention::load(&layer.at("self_attn"), config)?,
                    attention_scale: None,
                    perceptron_norm: layer.layer_norm("layer_norm2", width, config.layer_norm_eps)?,
                    perceptron: Perceptron::load(&layer.at("mlp"), config)?,
                    perceptron_scale: None,
                })
            })
            .collect::<Result<_>>()?;
        Ok(Self { layers, rotation: None })
    }

    /// `[n, tokens, width]` to the same shape. The mask `[tokens, tokens]` is added to the attention's logits; row
    /// i masks the tokens that token i attends to.
    pub(crate) fn forward(&self, tokens: Tensor, mask: Option<&Tensor>) -> CandleResult<Tensor> {
        self.layers.iter().try_fold(tokens, |tokens, layer| {
            let normed = layer.attention_norm.forward(&tokens)?;
            let added = layer.attention.forward(&normed, &normed, mask, self.rotation.as_ref())?;
            let tokens = (tokens + scaled(added, layer.attention_scale.as_ref())?)?;
            let normed = layer.perceptron_norm.forward(&tokens)?;
            let added = layer.perceptron.forward(&normed)?;
            tokens + scaled(added, layer.perceptron_scale.as_ref())?
        })
    }
}

fn scaled(added: Tensor, scale: Option<&Tensor>) -> CandleResult<Tensor> {
    match scale {
        Some(scale) => added.broadcast_mul(scale),
        None => Ok(added),
    }
}

/// Rotary position embedding: each pair of values of a query or key is rotated by the angle of its patch (Su et al.
/// 2021, <https://arxiv.org/abs/2104.09864>).
#[derive(Debug)]
pub(crate) struct Rotation {
    /// Cosines `[patches, head width]`.
    pub(crate) cos: Tensor,
    /// Sines `[patches, head width]`.
    pub(crate) sin: Tensor,
    /// Tokens before the patches, which have no position.
    pub(crate) n_before: usize,
}

impl Rotation {
    /// `[n, heads, tokens, head width]` to the same shape. Value i is paired with value i + head width / 2.
    fn turn(&self, tokens: &Tensor) -> CandleResult<Tensor> {
        let n_patches = self.cos.dim(0)?;
        let half = tokens.dim(D::Minus1)? / 2;
        let patches = tokens.narrow(2, self.n_before, n_patches)?;
        let first = patches.narrow(D::Minus1, 0, half)?;
        let second = patches.narrow(D::Minus1, half, half)?;
        let across = Tensor::cat(&[second.neg()?, first], D::Minus1)?;
        let turned = (patches.broadcast_mul(&self.cos)? + across.broadcast_mul(&self.sin)?)?;
        Tensor::cat(&[tokens.narrow(2, 0, self.n_before)?, turned], 2)?.contiguous()
    }
}

/// Multi-head attention.
#[derive(Debug)]
pub(crate) struct Attention {
    pub(crate) query: Dense,
    pub(crate) key: Dense,
    pub(crate) value: Dense,
    pub(crate) output: Dense,
    pub(crate) n_heads: usize,
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
    pub(crate) fn forward(
        &self,
        tokens: &Tensor,
        seen: &Tensor,
        mask: Option<&Tensor>,
        rotation: Option<&Rotation>,
    ) -> CandleResult<Tensor> {
        let (query, key, value) =
            (self.query.forward(tokens)?, self.key.forward(seen)?, self.value.forward(seen)?);
        if mask.is_none()
            && rotation.is_none()
            && tokens.device().is_cpu()
            && let Some(instructions) = crate::simd::Instructions::of_this_machine()
        {
            let mixed = super::processor::attend([&query, &key, &value], self.n_heads, instructions)?;
            return self.output.forward(&mixed);
        }
        let (n, n_tokens, width) = tokens.dims3()?;
        let head_width = width / self.n_heads;
        let heads = |tensor: Tensor| {
            let n_tokens = tensor.dim(1)?;
            tensor.reshape((n, n_tokens, self.n_heads, head_width))?.transpose(1, 2)?.contiguous()
        };
        let scale = 1.0 / (head_width as f64).sqrt();
        let query = heads((query * scale)?)?;
        let (key, value) = (heads(key)?, heads(value)?);
        let (query, key) = match rotation {
            Some(rotation) => (rotation.turn(&query)?, rotation.turn(&key)?),
            None => (query, key),
        };

        let logits = query.matmul(&key.t()?)?; // [n, heads, q, k]
        let logits = match mask {
            Some(mask) => logits.broadcast_add(mask)?,
            None => logits,
        };
        let mixed = ops::softmax_last_dim(&logits)?.matmul(&value)?; // [n, heads, q, head width]
        self.output.forward(&mixed.transpose(1, 2)?.reshape((n, n_tokens, width))?)
    }
}

/// Two linear layers with an activation between them, optionally gated (Shazeer 2020,
/// <https://arxiv.org/abs/2002.05202>).
#[derive(Debug)]
pub(crate) struct Perceptron {
    /// Has the activation, unless there is a gate.
    pub(crate) widen: Dense,
    /// If present, it has the activation, and its output is multiplied with that of `widen`.
    pub(crate) gate: Option<Dense>,
    pub(crate) narrow: Dense,
}

impl Perceptron {
    /// Reads `fc1` and `fc2`.
    pub(crate) fn load(scope: &Scope<'_>, config: &LayerConfig) -> Result<Self> {
        let (width, inner_width) = (config.hidden_size, config.intermediate_size);
        Ok(Self {
            widen: scope.linear("fc1", width, inner_width)?.then(config.activation),
            gate: None,
            narrow: scope.linear("fc2", inner_width, width)?,
        })
    }

    /// `[n, tokens, width]` to the same shape.
    pub(crate) fn forward(&self, tokens: &Tensor) -> CandleResult<Tensor> {
        let wide = self.widen.forward(tokens)?;
        let active = match &self.gate {
            Some(gate) => (gate.forward(tokens)? * wide)?,
            None => wide,
        };
        self.narrow.forward(&active)
    }
}
