//! The vision tower: patches of a picture to one embedding.
//!
//! The towers of both families are a vision transformer (Dosovitskiy et al. 2020,
//! <https://arxiv.org/abs/2010.11929>). They differ in how its tokens become one vector: CLIP projects a
//! token of its own, SigLIP lets a learned query attend to all of them.

use candle_core::{Result as CandleResult, Tensor};
use candle_nn::{LayerNorm, Linear, Module};

use super::{
    Family,
    config::{Config, LayerConfig, VisionConfig},
    transformer::{Attention, Encoder, Perceptron},
    weights::{Scope, Weights},
};
use crate::Result;

/// Pixels in, embeddings out.
#[derive(Debug)]
pub(super) struct VisionTower {
    patches: PatchEmbedding,
    /// CLIP only.
    norm_before: Option<LayerNorm>,
    encoder: Encoder,
    norm_after: LayerNorm,
    head: Head,
}

#[derive(Debug)]
enum Head {
    /// CLIP: the class token, through a matrix.
    Projection(Linear),
    /// SigLIP: what a learned query sees.
    Pooling(Box<AttentionPooling>),
}

impl VisionTower {
    /// Reads `vision_model` and, for CLIP, `visual_projection`.
    pub(super) fn load(weights: &Weights, config: &Config) -> Result<Self> {
        let scope = weights.at("vision_model");
        let LayerConfig { hidden_size, layer_norm_eps, .. } = config.vision.layers;
        let is_clip = config.family == Family::Clip;
        // CLIP's tensors bear this name, misspelt as it is.
        let norm_before =
            is_clip.then(|| scope.layer_norm("pre_layrnorm", hidden_size, layer_norm_eps)).transpose()?;
        let head = if is_clip {
            let shape = [config.dimension, hidden_size];
            let projection = weights.at("visual_projection").tensor("weight", &shape)?;
            Head::Projection(Linear::new(projection, None))
        } else {
            Head::Pooling(Box::new(AttentionPooling::load(&scope.at("head"), &config.vision.layers)?))
        };
        Ok(Self {
            patches: PatchEmbedding::load(&scope.at("embeddings"), config.family, &config.vision)?,
            norm_before,
            encoder: Encoder::load(&scope.at("encoder"), &config.vision.layers)?,
            norm_after: scope.layer_norm("post_layernorm", hidden_size, layer_norm_eps)?,
            head,
        })
    }

    /// Embeds n images of row-major `[n, 3, image_size, image_size]` into `[n, d]`, of any length.
    pub(super) fn embed(&self, pixels: &[f32], n_images: usize) -> CandleResult<Tensor> {
        let tokens = self.patches.forward(pixels, n_images)?;
        let tokens = match &self.norm_before {
            Some(norm) => norm.forward(&tokens)?,
            None => tokens,
        };
        let tokens = self.encoder.forward(tokens, None)?; // [n, tokens, width]
        match &self.head {
            Head::Projection(projection) => {
                // The norm treats each token alone, so that only the class token needs it.
                let class_token = tokens.narrow(1, 0, 1)?.squeeze(1)?.contiguous()?;
                projection.forward(&self.norm_after.forward(&class_token)?)
            }
            Head::Pooling(pooling) => pooling.forward(&self.norm_after.forward(&tokens)?),
        }
    }
}

/// Cuts a picture into patches and embeds each with its position.
#[derive(Debug)]
struct PatchEmbedding {
    kernel: Tensor,              // [width, 3, patch, patch]
    bias: Option<Tensor>,        // [width]; SigLIP only
    class_token: Option<Tensor>, // [width]; CLIP only
    positions: Tensor,           // [tokens, width]
    image_size: usize,
    patch_size: usize,
}

impl PatchEmbedding {
    fn load(scope: &Scope<'_>, family: Family, config: &VisionConfig) -> Result<Self> {
        let width = config.layers.hidden_size;
        let patch = config.patch_size;
        let kernel = scope.tensor("patch_embedding.weight", &[width, 3, patch, patch])?;
        let (class_token, bias) = match family {
            Family::Clip => (Some(scope.tensor("class_embedding", &[width])?), None),
            Family::Siglip => (None, Some(scope.tensor("patch_embedding.bias", &[width])?)),
        };
        let n_tokens = config.n_patches() + usize::from(class_token.is_some());
        Ok(Self {
            kernel,
            bias,
            class_token,
            positions: scope.tensor("position_embedding.weight", &[n_tokens, width])?,
            image_size: config.image_size,
            patch_size: patch,
        })
    }

    /// `[n, 3, image_size, image_size]` to `[n, tokens, width]`.
    fn forward(&self, pixels: &[f32], n_images: usize) -> CandleResult<Tensor> {
        let shape = (n_images, 3, self.image_size, self.image_size);
        // A convolution whose stride is its kernel: each patch is seen once, and patches do not overlap.
        let images = Tensor::from_slice(pixels, shape, self.kernel.device())?;
        let patches = images.conv2d(&self.kernel, 0, self.patch_size, 1, 1)?; // [n, width, rows, columns]
        let patches = patches.flatten_from(2)?.transpose(1, 2)?.contiguous()?;
        let patches = match &self.bias {
            Some(bias) => patches.broadcast_add(bias)?,
            None => patches,
        };
        let tokens = match &self.class_token {
            Some(class_token) => {
                let class_tokens = class_token.reshape((1, 1, ()))?.repeat((n_images, 1, 1))?;
                Tensor::cat(&[class_tokens, patches], 1)?
            }
            None => patches,
        };
        tokens.broadcast_add(&self.positions)
    }
}

/// A learned query that attends to all tokens, and a perceptron (Lee et al. 2018,
/// <https://arxiv.org/abs/1810.00825>).
#[derive(Debug)]
struct AttentionPooling {
    query: Tensor, // [1, 1, width]
    attention: Attention,
    norm: LayerNorm,
    perceptron: Perceptron,
}

impl AttentionPooling {
    fn load(scope: &Scope<'_>, config: &LayerConfig) -> Result<Self> {
        let width = config.hidden_size;
        let attention = scope.at("attention");
        // One matrix [3 width, width] holds the projections of query, key and value.
        let weight = attention.tensor("in_proj_weight", &[3 * width, width])?;
        let bias = attention.tensor("in_proj_bias", &[3 * width])?;
        let part = |index: usize| {
            let linear = weight
                .narrow(0, index * width, width)
                .and_then(|weight| Ok(Linear::new(weight, Some(bias.narrow(0, index * width, width)?))));
            linear.map_err(|source| attention.compute_error(source))
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
    fn forward(&self, tokens: &Tensor) -> CandleResult<Tensor> {
        let queries = self.query.repeat((tokens.dim(0)?, 1, 1))?;
        let seen = self.attention.forward(&queries, tokens, None)?;
        let pooled = (&seen + self.perceptron.forward(&self.norm.forward(&seen)?)?)?;
        pooled.squeeze(1)
    }
}
