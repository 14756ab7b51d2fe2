//! The files of a model, with their digests.

use serde::{Deserialize, Serialize};

/// The file of the network's weights, and further files that belong to it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModelFile {
    /// File name inside the model's folder.
    pub path: String,
    /// Format of the file, which determines the engine.
    #[serde(default)]
    pub format: FileFormat,
    /// SHA-256 of the file, 64 lower-case hex digits.
    pub sha256: String,
    /// Length of the file, in bytes; greater than 0.
    pub size_bytes: u64,
    /// ONNX operator set of the graph, greater than 0; for readers, and only with `format = "onnx"`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub opset: Option<u32>,
    /// Further files that the engine reads: configuration, tokenizer, shards, external weights of a graph.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<FilePart>,
}

impl ModelFile {
    /// Length of the file and its parts together, in bytes.
    pub fn total_bytes(&self) -> u64 {
        self.parts.iter().fold(self.size_bytes, |sum, part| sum.saturating_add(part.size_bytes))
    }
}

/// Format of the weights.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FileFormat {
    /// A graph, run by ONNX Runtime.
    #[default]
    Onnx,
    /// Tensors in Hugging Face format, run by candle: CLIP, `SigLIP`, `DINOv2`, `DINOv3` or `ConvNeXt`. The
    /// architecture is stated in `config.json` beside them.
    Safetensors,
}

impl FileFormat {
    /// The name in a manifest: `onnx`, `safetensors`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Onnx => "onnx",
            Self::Safetensors => "safetensors",
        }
    }
}

/// A further file of the model.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FilePart {
    /// File name inside the model's folder.
    pub path: String,
    /// SHA-256 of the file, 64 lower-case hex digits.
    pub sha256: String,
    /// Length of the file, in bytes; greater than 0.
    pub size_bytes: u64,
}

/// The vectors that represent the classes; see [`PrototypeHead`](crate::PrototypeHead).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Prototypes {
    /// Safetensors file inside the model's folder: f32 `prototypes` `[c, d]`, and optionally f32
    /// `background` `[b, d]`; rows of L2 length 1.
    pub path: String,
    /// SHA-256 of the file, 64 lower-case hex digits.
    pub sha256: String,
    /// Length of the file, in bytes; greater than 0.
    pub size_bytes: u64,
    /// Factor of the cosine similarities; greater than 0, usually the network's own logit scale.
    pub scale: f64,
}
