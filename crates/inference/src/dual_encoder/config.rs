//! Reads `config.json` of a CLIP or SigLIP folder.
//!
//! Published configurations leave out whatever equals the default of `transformers`, so the defaults
//! here are that library's (`CLIPTextConfig`, `CLIPVisionConfig`, `SiglipTextConfig`,
//! `SiglipVisionConfig`).

use std::path::Path;

use serde::Deserialize;

use super::Family;
use crate::{
    Result,
    network_config::{self, Fields, LayerConfig, Side},
};

/// The wrong `eos_token_id` of CLIP configurations from before `transformers` 4.31, which the library still
/// supports: for these, the end token is found as the highest id.
const OLD_END_TOKEN: u32 = 2;

/// The configuration of both towers.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Config {
    pub(super) family: Family,
    pub(super) vision: VisionConfig,
    pub(super) text: TextConfig,
    /// Length d of an embedding in the shared space.
    pub(super) dimension: usize,
}

/// The vision tower.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct VisionConfig {
    pub(super) layers: LayerConfig,
    /// Side of the square input, in pixels.
    pub(super) image_size: usize,
    /// Side of a square patch, in pixels; at most `image_size`.
    pub(super) patch_size: usize,
}

impl VisionConfig {
    /// Number of patches of an image; remaining pixels at the right and bottom edges are ignored.
    pub(super) fn n_patches(&self) -> usize {
        (self.image_size / self.patch_size).pow(2)
    }
}

/// The text tower.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct TextConfig {
    pub(super) layers: LayerConfig,
    /// Rows of the token embedding.
    pub(super) vocabulary_size: usize,
    /// Maximum number of tokens of a text, start and end tokens included.
    pub(super) context: usize,
    pub(super) pooling: Pooling,
    /// Padding token if the tokenizer's own settings name none.
    pub(super) pad_token: u32,
}

/// Which position of a text is its embedding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pooling {
    /// The first of the highest token id: CLIP with `eos_token_id` 2, as in the first published folders.
    HighestToken,
    /// The first of this token: CLIP with any other `eos_token_id`.
    FirstOf(u32),
    /// The last position of the context: SigLIP.
    LastPosition,
}

#[derive(Deserialize)]
struct RawConfig {
    model_type: Option<String>,
    projection_dim: Option<usize>,
    text_config: Option<RawTower>,
    vision_config: Option<RawTower>,
    // Folders from before 2023 have these too, and `transformers` prefers them.
    text_config_dict: Option<RawTower>,
    vision_config_dict: Option<RawTower>,
}

#[derive(Default, Deserialize)]
struct RawTower {
    hidden_size: Option<usize>,
    intermediate_size: Option<usize>,
    num_hidden_layers: Option<usize>,
    num_attention_heads: Option<usize>,
    hidden_act: Option<String>,
    layer_norm_eps: Option<f64>,
    image_size: Option<Side>,
    patch_size: Option<Side>,
    num_channels: Option<usize>,
    vision_use_head: Option<bool>,
    vocab_size: Option<usize>,
    max_position_embeddings: Option<usize>,
    eos_token_id: Option<u32>,
    pad_token_id: Option<u32>,
    projection_size: Option<usize>,
}

impl Config {
    /// Reads and checks `config.json` of the folder.
    ///
    /// # Errors
    /// `ReadModel`, `InvalidModelFile`, `UnsupportedModelType` and `InvalidModelConfig` of [`Error`](crate::Error).
    pub(super) fn read(folder: &Path) -> Result<Self> {
        let (fields, raw) = network_config::read(folder)?;
        Reader { fields }.config(raw)
    }
}

/// Turns the raw values into checked ones.
struct Reader {
    fields: Fields,
}

impl Reader {
    fn config(&self, raw: RawConfig) -> Result<Config> {
        let family = match raw.model_type.as_deref() {
            Some("clip") => Family::Clip,
            Some("siglip") => Family::Siglip,
            Some(other) => {
                return Err(self.fields.unsupported(other));
            }
            None => return Err(self.fields.invalid("model_type", &"nothing", "`clip` or `siglip`")),
        };
        // A missing section means that every value is the default.
        let raw_vision = raw.vision_config_dict.or(raw.vision_config).unwrap_or_default();
        let raw_text = raw.text_config_dict.or(raw.text_config).unwrap_or_default();
        let vision = self.vision(family, &raw_vision)?;
        let text = self.text(family, &raw_text)?;
        let dimension = match family {
            Family::Clip => self.fields.size("projection_dim", raw.projection_dim, 512)?,
            Family::Siglip => vision.layers.hidden_size,
        };
        if family == Family::Siglip {
            let text_dimension = raw_text.projection_size.unwrap_or(text.layers.hidden_size);
            if text_dimension != dimension {
                return Err(self.fields.invalid(
                    "text_config.projection_size",
                    &text_dimension,
                    "the hidden size of the vision tower",
                ));
            }
        }
        Ok(Config { family, vision, text, dimension })
    }

    fn vision(&self, family: Family, raw: &RawTower) -> Result<VisionConfig> {
        let layers = self.layers(family, raw, "vision_config", [768, 3072, 12, 12])?;
        let default_patch = if family == Family::Clip { 32 } else { 16 };
        let image_size = self.fields.side("vision_config.image_size", raw.image_size, 224)?;
        let patch_size = self.fields.side("vision_config.patch_size", raw.patch_size, default_patch)?;
        if patch_size > image_size {
            return Err(self.fields.invalid(
                "vision_config.patch_size",
                &patch_size,
                "at most the image size",
            ));
        }
        self.fields.channels("vision_config.num_channels", raw.num_channels)?;
        if family == Family::Siglip && raw.vision_use_head == Some(false) {
            return Err(self.fields.invalid("vision_config.vision_use_head", &false, "true"));
        }
        Ok(VisionConfig { layers, image_size, patch_size })
    }

    fn text(&self, family: Family, raw: &RawTower) -> Result<TextConfig> {
        let (sizes, vocabulary, context) = match family {
            Family::Clip => ([512, 2048, 12, 8], 49_408, 77),
            Family::Siglip => ([768, 3072, 12, 12], 32_000, 64),
        };
        let pooling = match (family, raw.eos_token_id.unwrap_or(49_407)) {
            (Family::Siglip, _) => Pooling::LastPosition,
            (Family::Clip, OLD_END_TOKEN) => Pooling::HighestToken,
            (Family::Clip, end_token) => Pooling::FirstOf(end_token),
        };
        Ok(TextConfig {
            layers: self.layers(family, raw, "text_config", sizes)?,
            vocabulary_size: self.fields.size("text_config.vocab_size", raw.vocab_size, vocabulary)?,
            context: self.fields.size(
                "text_config.max_position_embeddings",
                raw.max_position_embeddings,
                context,
            )?,
            pooling,
            pad_token: raw.pad_token_id.unwrap_or(1),
        })
    }

    /// `defaults` are hidden size, intermediate size, layers and heads.
    fn layers(
        &self,
        family: Family,
        raw: &RawTower,
        tower: &str,
        defaults: [usize; 4],
    ) -> Result<LayerConfig> {
        let name = |field: &str| format!("{tower}.{field}");
        let hidden_size = self.fields.size(&name("hidden_size"), raw.hidden_size, defaults[0])?;
        let n_heads = self.fields.heads(
            &name("num_attention_heads"),
            raw.num_attention_heads,
            defaults[3],
            hidden_size,
        )?;
        let (default_activation, default_eps) = match family {
            Family::Clip => ("quick_gelu", 1e-5),
            Family::Siglip => ("gelu_pytorch_tanh", 1e-6),
        };
        let hidden_act = raw.hidden_act.as_deref();
        Ok(LayerConfig {
            hidden_size,
            intermediate_size: self.fields.size(
                &name("intermediate_size"),
                raw.intermediate_size,
                defaults[1],
            )?,
            n_layers: self.fields.size(&name("num_hidden_layers"), raw.num_hidden_layers, defaults[2])?,
            n_heads,
            activation: self.fields.activation(&name("hidden_act"), hidden_act, default_activation)?,
            layer_norm_eps: self.fields.epsilon(&name("layer_norm_eps"), raw.layer_norm_eps, default_eps)?,
        })
    }
}
