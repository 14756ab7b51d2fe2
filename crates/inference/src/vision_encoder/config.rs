//! Reads `config.json` of an image encoder.
//!
//! Published configurations leave out whatever equals the default of `transformers`, so the defaults here are that
//! library's (`Dinov2Config`, `Dinov2WithRegistersConfig`, `DINOv3ViTConfig`, `ConvNextConfig`, `ConvNextV2Config`).
//! Fields that only training uses (dropout, initial values, shifts of positions) are not read.

use std::path::Path;

use serde::Deserialize;
use serde_json::Value;

use crate::{
    Result,
    network_config::{self, Activation, Fields, LayerConfig, Side},
};

/// The configuration of an encoder.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum EncoderConfig {
    Dino(DinoConfig),
    ConvNext(ConvNextConfig),
}

/// A vision transformer with a class token.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct DinoConfig {
    pub(super) layers: LayerConfig,
    /// Side of a square patch, in pixels.
    pub(super) patch_size: usize,
    pub(super) n_registers: usize,
    pub(super) positions: Positions,
    pub(super) perceptron: PerceptronKind,
    pub(super) biases: Biases,
}

/// How positions are encoded.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Positions {
    /// Learned vectors for `grid` x `grid` patches, `DINOv2`; with `antialias`, low-pass filtered when resized to
    /// fewer patches.
    Learned { grid: usize, antialias: bool },
    /// Rotary positions, with this base of the periods: `DINOv3`.
    Turned { theta: f64 },
}

/// The two layers after attention.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PerceptronKind {
    Plain,
    Gated,
}

/// Which of the linear layers have a bias.
#[expect(clippy::struct_excessive_bools, reason = "each is a field of the configuration")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Biases {
    pub(super) query: bool,
    pub(super) key: bool,
    pub(super) value: bool,
    pub(super) output: bool,
    pub(super) perceptron: bool,
}

/// A convolutional network in stages.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ConvNextConfig {
    /// Side of a square patch, in pixels.
    pub(super) patch_size: usize,
    /// Channels and blocks of each stage; at least one.
    pub(super) stages: Vec<(usize, usize)>,
    pub(super) activation: Activation,
    /// Of the last norm; the others have 1e-6.
    pub(super) layer_norm_eps: f64,
    /// Whether each block scales its output: the first version.
    pub(super) has_scale: bool,
    /// Whether each block has a global response norm: the second version.
    pub(super) has_response_norm: bool,
}

impl ConvNextConfig {
    /// Length d of an embedding.
    pub(super) fn dimension(&self) -> usize {
        self.stages.last().map_or(0, |(channels, _)| *channels)
    }

    /// Side of the smallest image for which the last stage is not empty, in pixels.
    pub(super) fn smallest_image(&self) -> usize {
        self.patch_size << self.stages.len().saturating_sub(1)
    }
}

#[derive(Deserialize)]
struct RawConfig {
    model_type: Option<String>,
    hidden_size: Option<usize>,
    num_attention_heads: Option<usize>,
    // In ConvNeXt this is another name for the number of stages.
    num_hidden_layers: Option<usize>,
    head_dim: Option<usize>,
    mlp_ratio: Option<f64>,
    intermediate_size: Option<usize>,
    hidden_act: Option<String>,
    layer_norm_eps: Option<f64>,
    image_size: Option<Side>,
    patch_size: Option<Side>,
    num_channels: Option<usize>,
    qkv_bias: Option<bool>,
    query_bias: Option<bool>,
    key_bias: Option<bool>,
    value_bias: Option<bool>,
    proj_bias: Option<bool>,
    mlp_bias: Option<bool>,
    use_swiglu_ffn: Option<bool>,
    use_gated_mlp: Option<bool>,
    num_register_tokens: Option<usize>,
    rope_theta: Option<f64>,
    rope_parameters: Option<Value>,
    rope_scaling: Option<Value>,
    num_stages: Option<usize>,
    hidden_sizes: Option<Vec<usize>>,
    depths: Option<Vec<usize>>,
    layer_scale_init_value: Option<f64>,
}

impl EncoderConfig {
    /// Reads and checks `config.json` of the folder.
    ///
    /// # Errors
    /// [`Error::ReadModel`](crate::Error::ReadModel), [`Error::InvalidModelFile`](crate::Error::InvalidModelFile),
    /// [`Error::UnsupportedModelType`](crate::Error::UnsupportedModelType),
    /// [`Error::InvalidModelConfig`](crate::Error::InvalidModelConfig).
    pub(super) fn read(folder: &Path) -> Result<Self> {
        let (fields, raw) = network_config::read::<RawConfig>(folder)?;
        fields.channels("num_channels", raw.num_channels)?;
        match raw.model_type.as_deref() {
            Some("dinov2") => dinov2(&fields, &raw, false).map(Self::Dino),
            Some("dinov2_with_registers") => dinov2(&fields, &raw, true).map(Self::Dino),
            Some("dinov3_vit") => dinov3(&fields, &raw).map(Self::Dino),
            Some("convnext") => convnext(&fields, &raw, false).map(Self::ConvNext),
            Some("convnextv2") => convnext(&fields, &raw, true).map(Self::ConvNext),
            Some(other) => Err(fields.unsupported(other)),
            None => Err(fields.invalid("model_type", &"nothing", "the name of an architecture")),
        }
    }
}

fn dinov2(fields: &Fields, raw: &RawConfig, with_registers: bool) -> Result<DinoConfig> {
    let hidden_size = fields.size("hidden_size", raw.hidden_size, 768)?;
    let patch_size = fields.side("patch_size", raw.patch_size, if with_registers { 16 } else { 14 })?;
    let grid = fields.side("image_size", raw.image_size, 224)? / patch_size;
    if grid == 0 {
        return Err(fields.invalid("patch_size", &patch_size, "at most the image size"));
    }
    let ratio = raw.mlp_ratio.unwrap_or(4.0);
    let inner = (hidden_size as f64 * ratio) as usize;
    let is_ratio = ratio.is_finite() && ratio > 0.0 && inner > 0;
    if !is_ratio {
        return Err(fields.invalid("mlp_ratio", &ratio, "above 0"));
    }
    let is_gated = raw.use_swiglu_ffn == Some(true);
    // Two thirds of the plain size, rounded up to a multiple of 8, so that three matrices are as large as two.
    let inner = if is_gated { (inner * 2 / 3).next_multiple_of(8) } else { inner };
    let activation = fields.activation("hidden_act", raw.hidden_act.as_deref(), "gelu")?;
    let has_bias = raw.qkv_bias != Some(false);
    Ok(DinoConfig {
        layers: LayerConfig {
            hidden_size,
            intermediate_size: fields.size("mlp_ratio", Some(inner), inner)?,
            n_layers: fields.size("num_hidden_layers", raw.num_hidden_layers, 12)?,
            n_heads: heads(fields, raw, 12, hidden_size)?,
            // The gate of DINOv2 always has this activation, whatever `hidden_act` states.
            activation: if is_gated { Activation::Silu } else { activation },
            layer_norm_eps: fields.epsilon("layer_norm_eps", raw.layer_norm_eps, 1e-6)?,
        },
        patch_size,
        n_registers: if with_registers { registers(fields, raw, 4)? } else { 0 },
        positions: Positions::Learned { grid, antialias: with_registers },
        perceptron: if is_gated { PerceptronKind::Gated } else { PerceptronKind::Plain },
        biases: Biases { query: has_bias, key: has_bias, value: has_bias, output: true, perceptron: true },
    })
}

fn dinov3(fields: &Fields, raw: &RawConfig) -> Result<DinoConfig> {
    let hidden_size = fields.size("hidden_size", raw.hidden_size, 384)?;
    let n_heads = heads(fields, raw, 6, hidden_size)?;
    if !(hidden_size / n_heads).is_multiple_of(4) {
        let expected = "such that a head has a multiple of 4 values, two for each of two axes";
        return Err(fields.invalid("num_attention_heads", &n_heads, expected));
    }
    for (field, value) in [("rope_parameters", &raw.rope_parameters), ("rope_scaling", &raw.rope_scaling)] {
        if let Some(value) = value {
            return Err(fields.invalid(field, value, "absent: only the base `rope_theta` is known here"));
        }
    }
    let theta = raw.rope_theta.unwrap_or(100.0);
    let is_base = theta.is_finite() && theta > 0.0;
    if !is_base {
        return Err(fields.invalid("rope_theta", &theta, "above 0"));
    }
    let is_gated = raw.use_gated_mlp == Some(true);
    Ok(DinoConfig {
        layers: LayerConfig {
            hidden_size,
            intermediate_size: fields.size("intermediate_size", raw.intermediate_size, 1536)?,
            n_layers: fields.size("num_hidden_layers", raw.num_hidden_layers, 12)?,
            n_heads,
            activation: fields.activation("hidden_act", raw.hidden_act.as_deref(), "gelu")?,
            layer_norm_eps: fields.epsilon("layer_norm_eps", raw.layer_norm_eps, 1e-5)?,
        },
        patch_size: fields.side("patch_size", raw.patch_size, 16)?,
        n_registers: registers(fields, raw, 0)?,
        positions: Positions::Turned { theta },
        perceptron: if is_gated { PerceptronKind::Gated } else { PerceptronKind::Plain },
        biases: Biases {
            query: raw.query_bias != Some(false),
            key: raw.key_bias == Some(true),
            value: raw.value_bias != Some(false),
            output: raw.proj_bias != Some(false),
            perceptron: raw.mlp_bias != Some(false),
        },
    })
}

fn convnext(fields: &Fields, raw: &RawConfig, is_second: bool) -> Result<ConvNextConfig> {
    let channels = raw.hidden_sizes.clone().unwrap_or_else(|| vec![96, 192, 384, 768]);
    let depths = raw.depths.clone().unwrap_or_else(|| vec![3, 3, 9, 3]);
    let n_stages = fields.size("num_stages", raw.num_stages.or(raw.num_hidden_layers), 4)?;
    if n_stages > 8 {
        return Err(fields.invalid("num_stages", &n_stages, "at most 8"));
    }
    for (field, sizes) in [("hidden_sizes", &channels), ("depths", &depths)] {
        if sizes.len() != n_stages {
            let found = format!("a list of {}", sizes.len());
            return Err(fields.invalid(field, &found, "a list of one number a stage (`num_stages`)"));
        }
        for size in sizes {
            fields.size(field, Some(*size), 1)?;
        }
    }
    let scale = raw.layer_scale_init_value.unwrap_or(1e-6);
    Ok(ConvNextConfig {
        patch_size: fields.side("patch_size", raw.patch_size, 4)?,
        stages: channels.into_iter().zip(depths).collect(),
        activation: fields.activation("hidden_act", raw.hidden_act.as_deref(), "gelu")?,
        layer_norm_eps: fields.epsilon("layer_norm_eps", raw.layer_norm_eps, 1e-12)?,
        has_scale: !is_second && scale > 0.0,
        has_response_norm: is_second,
    })
}

fn heads(fields: &Fields, raw: &RawConfig, default: usize, hidden_size: usize) -> Result<usize> {
    let n_heads = fields.heads("num_attention_heads", raw.num_attention_heads, default, hidden_size)?;
    if let Some(width) = raw.head_dim.filter(|width| width * n_heads != hidden_size) {
        return Err(fields.invalid("head_dim", &width, "the hidden size divided by the number of heads"));
    }
    Ok(n_heads)
}

fn registers(fields: &Fields, raw: &RawConfig, default: usize) -> Result<usize> {
    let n_registers = raw.num_register_tokens.unwrap_or(default);
    if n_registers > 64 {
        return Err(fields.invalid("num_register_tokens", &n_registers, "at most 64"));
    }
    Ok(n_registers)
}
