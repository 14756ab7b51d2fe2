//! A learned query that attends to all tokens, and a perceptron (Lee et al. 2018,
//! <https://arxiv.org/abs/1810.00825>).

use candle_core::{Result as CandleResult, Tensor};
use candle_nn::{LayerNorm, Module};

use super::{Attention, Dense, Perceptron, Scope};
use crate::{Result, network_config::LayerConfig};

/// Pools all tokens into one, as SigLIP does.
#[derive(Debug)]
pub(crate) struct AttentionPooling {
    query: Tensor, // [1, 1, width]
    attention: Attention,
    norm: LayerNorm,
    perceptron: Perceptron,
}

impl AttentionPooling {
    pub(crate) fn load(scope: &Scope<'_>, config: &LayerConfig) -> Result<Self> {
        let width = config.hidden_size;
        let attention = scope.at("attention");
        // One matrix [3 width, width] holds the projections of query, key and value.
        let weight = attention.tensor("in_proj_weight", &[3 * width, width])?;
        let bias = attention.tensor("in_proj_bias", &[3 * width])?;
        let part = |index: usize| {
            let dense = weight
                .narrow(0, index * width, width)
                .and_then(|weight| Dense::new(weight, Some(bias.narrow(0, index * width, width)?)));
            dense.map_err(|source| attention.compute_error(source))
        };
        Ok(Self {
            query: scope.tensor("probe", &[1, 1, width])?,
            attention: Attention {
                query: part(0)?,
                key: part(1)?,
                value: part(2)?,
                output: attention.linear("out_proj", width, width)?,
                n_heads: config.n_heads,
            },
            norm: scope.layer_norm("layernorm", width, config.layer_norm_eps)?,
            perceptron: Perceptron::load(&scope.at("mlp"), config)?,
        })
    }

    /// `[n, tokens, width]` to `[n, width]`.
    pub(crate) fn forward(&self, tokens: &Tensor) -> CandleResult<Tensor> {
        let queries = self.query.repeat((tokens.dim(0)?, 1, 1))?;
        let seen = self.attention.forward(&queries, tokens, None, None)?;
        let pooled = (&seen + self.perceptron.forward(&self.norm.forward(&seen)?)?)?;
        pooled.squeeze(1)
    }
}
