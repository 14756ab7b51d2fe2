//! The vision towers: a vision transformer for both families.
//!
//! They differ in how the tokens become one vector: CLIP projects a class token, SigLIP attends to all tokens with
//! a learned query.

use super::{
    Family,
    config::{Config, VisionConfig},
};
use crate::{
    Result,
    layers::{AttentionPooling, Encoder, Head, PatchEmbedding, Scope, VisionTransformer, Weights},
    network_config::LayerConfig,
};

/// Reads `vision_model` and, for CLIP, `visual_projection`.
pub(super) fn load(weights: &Weights, config: &Config) -> Result<VisionTransformer> {
    let scope = weights.at("vision_model");
    let LayerConfig { hidden_size, layer_norm_eps, .. } = config.vision.layers;
    let is_clip = config.family == Family::Clip;
    // CLIP's tensors have this misspelt name.
    let norm_before =
        is_clip.then(|| scope.layer_norm("pre_layrnorm", hidden_size, layer_norm_eps)).transpose()?;
    let head = if is_clip {
        let shape = [config.dimension, hidden_size];
        let projection = weights.at("visual_projection").tensor("weight", &shape)?;
        Head::Projection(scope.dense(projection, None)?)
    } else {
        Head::Pooling(Box::new(AttentionPooling::load(&scope.at("head"), &config.vision.layers)?))
    };
    Ok(VisionTransformer {
        patches: patches(&scope.at("embeddings"), config.family, &config.vision)?,
        norm_before,
        encoder: Encoder::load(&scope.at("encoder"), &config.vision.layers)?,
        norm_after: scope.layer_norm("post_layernorm", hidden_size, layer_norm_eps)?,
        head,
    })
}

fn patches(scope: &Scope<'_>, family: Family, config: &VisionConfig) -> Result<PatchEmbedding> {
    let width = config.layers.hidden_size;
    let patch_size = config.patch_size;
    let (class_token, bias) = match family {
        Family::Clip => (Some(scope.tensor("class_embedding", &[width])?), None),
        Family::Siglip => (None, Some(scope.tensor("patch_embedding.bias", &[width])?)),
    };
    let n_tokens = config.n_patches() + usize::from(class_token.is_some());
    Ok(PatchEmbedding {
        projection: scope.at("patch_embedding").patch_projection(patch_size, width, bias)?,
        device: scope.device().clone(),
        class_token,
        registers: None,
        positions: Some(scope.tensor("position_embedding.weight", &[n_tokens, width])?),
        image_size: config.image_size,
        patch_size,
    })
}
