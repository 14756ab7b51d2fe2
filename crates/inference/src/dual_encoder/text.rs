//! The text tower: embeds token ids.

use candle_core::{Result as CandleResult, Tensor};
use candle_nn::{LayerNorm, Module};

use super::{
    Family,
    config::{Config, Pooling},
};
use crate::{
    Result,
    layers::{Dense, Encoder, Weights},
    network_config::LayerConfig,
};

/// Token ids in, embeddings out.
#[derive(Debug)]
pub(super) struct TextTower {
    token_embedding: Tensor, // [vocabulary, width]
    positions: Tensor,       // [context, width]
    encoder: Encoder,
    norm_after: LayerNorm,
    head: Dense,
    pooling: Pooling,
    /// Whether a token attends only to itself and those before it: CLIP.
    causal: bool,
}

impl TextTower {
    /// Reads `text_model` and, for CLIP, `text_projection`.
    pub(super) fn load(weights: &Weights, config: &Config) -> Result<Self> {
        let scope = weights.at("text_model");
        let LayerConfig { hidden_size, layer_norm_eps, .. } = config.text.layers;
        let embeddings = scope.at("embeddings");
        let vocabulary_shape = [config.text.vocabulary_size, hidden_size];
        let position_shape = [config.text.context, hidden_size];
        let head = match config.family {
            Family::Clip => {
                let shape = [config.dimension, hidden_size];
                scope.dense(weights.at("text_projection").tensor("weight", &shape)?, None)?
            }
            Family::Siglip => scope.linear("head", hidden_size, config.dimension)?,
        };
        Ok(Self {
            token_embedding: embeddings.tensor("token_embedding.weight", &vocabulary_shape)?,
            positions: embeddings.tensor("position_embedding.weight", &position_shape)?,
            encoder: Encoder::load(&scope.at("encoder"), &config.text.layers)?,
            norm_after: scope.layer_norm("final_layer_norm", hidden_size, layer_norm_eps)?,
            head,
            pooling: config.text.pooling,
            causal: config.family == Family::Clip,
        })
    }

    /// Embeds n texts, each of 1 to `context` token ids, into `[n, d]`, not normalised.
    ///
    /// Shorter texts are padded at their ends. Under CLIP's causal mask no token attends to later ones, so the
    /// padding changes no result; SigLIP's tokenizer has already padded all texts to one length.
    pub(super) fn embed(&self, mut token_ids: Vec<Vec<u32>>) -> CandleResult<Tensor> {
        let (n_texts, device) = (token_ids.len(), self.token_embedding.device());
        let n_tokens = token_ids.iter().map(Vec::len).max().unwrap_or_default();
        let pooled_rows: Vec<u32> = token_ids
            .iter()
            .enumerate()
            // Found before the padding, which must not be mistaken for the end token.
            .map(|(index, ids)| (index * n_tokens + self.pooled_position(ids)) as u32)
            .collect();
        for ids in &mut token_ids {
            ids.resize(n_tokens, 0);
        }

        let ids = Tensor::from_vec(token_ids.concat(), n_texts * n_tokens, device)?;
        let tokens = self.token_embedding.index_select(&ids, 0)?.reshape((n_texts, n_tokens, ()))?;
        let tokens = tokens.broadcast_add(&self.positions.narrow(0, 0, n_tokens)?)?;
        let mask = if self.causal { Some(causal_mask(n_tokens, device)?) } else { None };
        let tokens = self.encoder.forward(tokens, mask.as_ref())?; // [n, tokens, width]

        // The norm treats each token separately, so only the pooled ones need it.
        let pooled = tokens.flatten(0, 1)?.index_select(&Tensor::new(pooled_rows, device)?, 0)?;
        self.head.forward(&self.norm_after.forward(&pooled)?)
    }

    /// The position whose token is pooled. `TextTokenizer::load` has checked that the end token is present.
    fn pooled_position(&self, ids: &[u32]) -> usize {
        let position = match self.pooling {
            Pooling::HighestToken => {
                let highest = ids.iter().max();
                ids.iter().position(|id| Some(id) == highest)
            }
            Pooling::FirstOf(end_token) => ids.iter().position(|id| *id == end_token),
            Pooling::LastPosition => Some(ids.len().saturating_sub(1)),
        };
        position.unwrap_or_default()
    }
}

/// `[n, n]`: 0 where column j is at most row i, minus infinity above.
fn causal_mask(n: usize, device: &candle_core::Device) -> CandleResult<Tensor> {
    let mask: Vec<f32> = (0..n)
        .flat_map(|row| (0..n).map(move |column| if column <= row { 0.0 } else { f32::NEG_INFINITY }))
        .collect();
    Tensor::from_vec(mask, (n, n), device)
}
