//! `model.toml`: the single source of every fact about a model.

mod check;
mod defaults;
mod drift;
mod file;
mod judging;
mod references;
mod second_look;
mod sets;
mod thresholds;
mod token_pool;

pub use drift::Drift;
pub use file::{FileFormat, FilePart, ModelFile, Prototypes};
pub use judging::Judging;
pub use references::{ReferenceSimilarities, References, TaughtIdentified};
pub use second_look::{SecondLook, View};
pub use sets::Sets;
pub use thresholds::{RejectionBound, RiskThreshold, Thresholds, UnknownKind};
pub use token_pool::TokenPool;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::{Error, Result};

/// Everything that preprocessing, engines and calibration need to know about a model.
///
/// Parsed by [`Manifest::parse`], which also checks every range stated at the fields. Code that changes a
/// `Manifest` afterwards must keep to these ranges itself, or call [`Manifest::validate`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// Kebab-case name, also the name of the folder.
    pub name: String,
    /// Version of the weights, `major.minor.patch`.
    pub version: String,
    /// What the model does, in one sentence.
    pub description: String,
    /// Licence of the weights, as an SPDX expression.
    pub licence: String,
    /// Pretrained weights and training data.
    pub source: String,
    /// Date of the export, `YYYY-MM-DD`.
    #[serde(deserialize_with = "date_as_text", serialize_with = "date_as_toml")]
    pub created_on: String,
    /// The network's file.
    pub file: ModelFile,
    /// The network's input.
    pub input: Input,
    /// How a photograph is resized to the input.
    pub resize: Resize,
    /// The embedding among the outputs.
    pub embedding: EmbeddingOutput,
    /// The classes, and their scores among the outputs.
    pub classes: Classes,
    /// The known-type score among the outputs; absent with `prototypes`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub known: Option<KnownOutput>,
    /// Vectors to compare the embedding with, for a network without scores of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prototypes: Option<Prototypes>,
    /// Converts raw scores to probabilities.
    pub calibration: Calibration,
    /// How unsure photographs are run again with more views; absent for a model with a single look.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub second_look: Option<SecondLook>,
    /// How embeddings are compared with references; absent if that was not measured for this model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub references: Option<References>,
    /// When photographs share one judgement; if absent, [`Judging::default`] applies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judging: Option<Judging>,
    /// Verdict thresholds, each in 0..=1.
    pub thresholds: Thresholds,
    /// Which types an unsure answer lists as candidates; absent if that was not measured for this model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sets: Option<Sets>,
    /// Distribution of the answers to the calibration photographs; absent if it was not measured for this model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub drift: Option<Drift>,
    /// Measurements of the training run, for readers only.
    #[serde(default)]
    pub measured: toml::Table,
}

/// The input tensor: `(u8 / 255 - mean) / std` per channel, f32.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Name in the graph.
    pub name: String,
    /// Width in pixels, 1 to 4096.
    pub width: u32,
    /// Height in pixels, 1 to 4096.
    pub height: u32,
    /// Order of the axes.
    pub layout: Layout,
    /// Order of the channels.
    pub channels: Channels,
    /// Mean of each channel, for values in 0..=1.
    pub mean: [f32; 3],
    /// Standard deviation of each channel, for values in 0..=1; greater than 0.
    pub std: [f32; 3],
}

/// Order of the axes of the input tensor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Layout {
    /// `[n, 3, h, w]`, row-major.
    Nchw,
}

/// Order of the channels of the input tensor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Channels {
    /// Red, green, blue.
    Rgb,
}

/// How a photograph of any size becomes `width` x `height` pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "mode", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Resize {
    /// Resizes to the input's size, ignoring the aspect ratio.
    Squash {
        /// Interpolation.
        filter: Filter,
        /// Side of a square to which the photograph is resized first, in pixels; 1 to 4096.
        ///
        /// Without it, a photograph that already has the input's size would be sharper than all others.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        through: Option<u32>,
    },
    /// Resizes the shorter side to `shortest_side`, then crops the centre.
    CenterCrop {
        /// Interpolation.
        filter: Filter,
        /// Length of the shorter side before the crop, in pixels; from the input's larger side to 8192.
        shortest_side: u32,
    },
    /// Fits the whole photograph inside the input's size, centred, and fills the rest.
    Letterbox {
        /// Interpolation.
        filter: Filter,
        /// Grey value of the fill, 0 to 255.
        pad: u8,
    },
}

impl std::fmt::Display for Resize {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let filter = match self.filter() {
            Filter::Bilinear => "bilinear",
            Filter::Bicubic => "bicubic",
            Filter::Lanczos3 => "Lanczos 3",
        };
        match self {
            Self::Squash { through: None, .. } => write!(f, "squashed"),
            Self::Squash { through: Some(side), .. } => write!(f, "squashed by way of {side} px"),
            Self::CenterCrop { shortest_side, .. } => {
                write!(f, "the centre of the photograph at {shortest_side} px for its shorter side")
            }
            Self::Letterbox { pad, .. } => write!(f, "the whole photograph on grey {pad}"),
        }?;
        write!(f, ", {filter}")
    }
}

impl Resize {
    /// The interpolation of every mode.
    pub fn filter(self) -> Filter {
        match self {
            Self::Squash { filter, .. }
            | Self::CenterCrop { filter, .. }
            | Self::Letterbox { filter, .. } => filter,
        }
    }
}

/// Kernel of the resize; when shrinking, its support is widened by the scale factor (antialiasing).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Filter {
    /// Triangle, support 1.
    Bilinear,
    /// Keys cubic with a = -0.5, support 2.
    Bicubic,
    /// Windowed sinc, support 3.
    Lanczos3,
}

/// The output `[n, dimension]` f32.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EmbeddingOutput {
    /// Name in the graph.
    pub output: String,
    /// How an output `[n, tokens, dimension]` becomes `[n, dimension]`; absent if it already has that shape. Only
    /// with `format = "onnx"` and `prototypes`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pool: Option<TokenPool>,
    /// Length of each vector; greater than 0.
    pub dimension: usize,
    /// Whether each vector has L2 length 1. With `prototypes` the engine normalises the vectors itself, so this
    /// must be `true` whatever the graph returns.
    pub normalised: bool,
}

/// The classes, and the output `[n, count]` f32 of their raw logits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Classes {
    /// Name in the graph; absent with `prototypes`, which give the logits instead.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<String>,
    /// File of labels inside the model's folder: one per line; the index of the line is the class.
    pub labels: String,
    /// SHA-256 of that file, 64 lower-case hex digits; absent in manifests of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub labels_sha256: Option<String>,
    /// Number of classes; greater than 0.
    pub count: usize,
}

/// The output `[n]` f32: raw logit of "the photograph shows one of the known types".
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KnownOutput {
    /// Name in the graph.
    pub output: String,
}

/// Converts raw outputs to probabilities.
///
/// `confidence = softmax(logits / temperature)[argmax]`,
/// `known score = sigmoid(known_scale * known + known_bias)`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Calibration {
    /// Divisor of the logits; greater than 0.
    pub temperature: f64,
    /// Factor of the known logit; greater than 0, so that the order is kept.
    pub known_scale: f64,
    /// Offset of the known logit.
    pub known_bias: f64,
    /// The photographs on which the values were fitted, and their number.
    pub fitted_on: String,
}

impl Manifest {
    /// Parses and checks a manifest; `name` is its origin, for messages.
    ///
    /// # Errors
    /// [`Error::ParseManifest`] for invalid text, [`Error::InvalidManifest`] if a value is out of the range stated
    /// at its field, or two values contradict each other.
    pub fn parse(name: &str, text: &str) -> Result<Self> {
        let manifest: Self = toml::from_str(text)
            .map_err(|source| Error::ParseManifest { name: name.to_owned(), source: Box::new(source) })?;
        manifest.validate()?;
        Ok(manifest)
    }

    /// When photographs share one judgement: the manifest's value or the default.
    pub fn judging(&self) -> Judging {
        self.judging.unwrap_or_default()
    }

    /// Shape of one tensor, `[3, height, width]`.
    pub fn tensor_shape(&self) -> [usize; 3] {
        [3, self.input.height as usize, self.input.width as usize]
    }

    /// Serialises the manifest as a `model.toml`.
    ///
    /// # Errors
    /// [`Error::WriteManifest`] if a value has no form in TOML.
    pub fn to_toml(&self) -> Result<String> {
        toml::to_string(self)
            .map_err(|source| Error::WriteManifest { model: self.name.clone(), source: Box::new(source) })
    }

    /// Name of the logits: the graph's output, or `logits` if prototypes compute them.
    pub fn logits_name(&self) -> &str {
        self.classes.output.as_deref().unwrap_or("logits")
    }

    /// Name of the known score: the graph's output, or `known` if prototypes compute it.
    pub fn known_name(&self) -> &str {
        self.known.as_ref().map_or("known", |known| &known.output)
    }
}

fn date_as_toml<S: Serializer>(day: &str, serializer: S) -> Result<S::Ok, S::Error> {
    let date: toml::value::Datetime = day.parse().map_err(serde::ser::Error::custom)?;
    // As a TOML date and not as a string, as training writes the manifests.
    date.serialize(serializer)
}

fn date_as_text<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    let date = toml::value::Datetime::deserialize(deserializer)?;
    if date.date.is_none() || date.time.is_some() {
        return Err(serde::de::Error::custom("expected a day such as 2026-01-31"));
    }
    Ok(date.to_string())
}
