//! Shared by the readers of a `config.json`: architecture, sizes, activations, and errors that name a field.

use std::{
    fs,
    path::{Path, PathBuf},
};

use serde::{Deserialize, de::DeserializeOwned};

use crate::{Error, Result};

/// The largest size accepted for any field, far above any real model: it keeps products of two sizes within
/// `usize`.
const MAX_SIZE: usize = 1 << 20;

/// The field of a `config.json` that is read first.
#[derive(Deserialize)]
struct ModelType {
    model_type: Option<String>,
}

/// The `model_type` in the `config.json` of a folder; `None` without the file or the field.
///
/// # Errors
/// [`Error::ReadModel`], [`Error::InvalidModelFile`].
pub(crate) fn model_type(folder: &Path) -> Result<Option<String>> {
    if !folder.join("config.json").is_file() {
        return Ok(None);
    }
    let (_, ModelType { model_type }) = read(folder)?;
    Ok(model_type)
}

/// Parses the `config.json` of the folder; also returns the checker of its fields.
///
/// # Errors
/// [`Error::ReadModel`], [`Error::InvalidModelFile`].
pub(crate) fn read<T: DeserializeOwned>(folder: &Path) -> Result<(Fields, T)> {
    let path = folder.join("config.json");
    let bytes = fs::read(&path).map_err(|source| Error::ReadModel { path: path.clone(), source })?;
    let raw = serde_json::from_slice(&bytes)
        .map_err(|source| Error::InvalidModelFile { path: path.clone(), source: Box::new(source) })?;
    Ok((Fields { path }, raw))
}

/// The name of a model in messages: that of its folder.
pub(crate) fn model_name(folder: &Path) -> String {
    folder.file_name().unwrap_or(folder.as_os_str()).to_string_lossy().into_owned()
}

/// The layers of a transformer.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct LayerConfig {
    pub(crate) hidden_size: usize,
    pub(crate) intermediate_size: usize,
    pub(crate) n_layers: usize,
    pub(crate) n_heads: usize,
    pub(crate) activation: Activation,
    pub(crate) layer_norm_eps: f64,
}

/// The activation between the two layers of a perceptron.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Activation {
    /// `x * sigmoid(1.702 x)`.
    QuickGelu,
    /// `x * Phi(x)`, by the error function.
    Gelu,
    /// The approximation of GELU by the hyperbolic tangent.
    GeluTanh,
    /// `x * sigmoid(x)`.
    Silu,
    /// `max(x, 0)`.
    Relu,
}

/// A side in pixels, or height and width.
#[derive(Clone, Copy, Deserialize)]
#[serde(untagged)]
pub(crate) enum Side {
    /// The side of a square.
    Square(usize),
    /// Height and width.
    Pair([usize; 2]),
}

/// Checks raw values; it knows the path for the errors.
pub(crate) struct Fields {
    path: PathBuf,
}

impl Fields {
    /// The side of a square, from 1 to 2^20 pixels.
    pub(crate) fn side(&self, field: &str, found: Option<Side>, default: usize) -> Result<usize> {
        match found.unwrap_or(Side::Square(default)) {
            Side::Square(side) => self.size(field, Some(side), default),
            Side::Pair([height, width]) if height == width => self.size(field, Some(height), default),
            Side::Pair([height, width]) => {
                Err(self.invalid(field, &format!("{height} x {width}"), "the side of a square"))
            }
        }
    }

    /// A size from 1 to 2^20.
    pub(crate) fn size(&self, field: &str, found: Option<usize>, default: usize) -> Result<usize> {
        let size = found.unwrap_or(default);
        if (1..=MAX_SIZE).contains(&size) {
            Ok(size)
        } else {
            Err(self.invalid(field, &size, "from 1 to 1048576"))
        }
    }

    /// The number of heads, which must divide the hidden size.
    pub(crate) fn heads(
        &self,
        field: &str,
        found: Option<usize>,
        default: usize,
        hidden_size: usize,
    ) -> Result<usize> {
        let n_heads = self.size(field, found, default)?;
        if hidden_size.is_multiple_of(n_heads) {
            return Ok(n_heads);
        }
        Err(self.invalid(field, &n_heads, "a divisor of the hidden size"))
    }

    /// Parses the name of an activation in `transformers`.
    pub(crate) fn activation(&self, field: &str, found: Option<&str>, default: &str) -> Result<Activation> {
        match found.unwrap_or(default) {
            "quick_gelu" => Ok(Activation::QuickGelu),
            "gelu" => Ok(Activation::Gelu),
            "gelu_pytorch_tanh" | "gelu_new" => Ok(Activation::GeluTanh),
            "silu" | "swish" => Ok(Activation::Silu),
            "relu" => Ok(Activation::Relu),
            other => {
                let expected =
                    "`quick_gelu`, `gelu`, `gelu_new`, `gelu_pytorch_tanh`, `silu`, `swish` or `relu`";
                Err(self.invalid(field, &other, expected))
            }
        }
    }

    /// The epsilon of a layer norm.
    pub(crate) fn epsilon(&self, field: &str, found: Option<f64>, default: f64) -> Result<f64> {
        let epsilon = found.unwrap_or(default);
        if epsilon > 0.0 && epsilon < 1.0 {
            return Ok(epsilon);
        }
        Err(self.invalid(field, &epsilon, "above 0 and below 1"))
    }

    /// Accepts 3 channels only.
    pub(crate) fn channels(&self, field: &str, found: Option<usize>) -> Result<()> {
        match found.filter(|channels| *channels != 3) {
            Some(channels) => Err(self.invalid(field, &channels, "3")),
            None => Ok(()),
        }
    }

    /// The error for an unsupported architecture.
    pub(crate) fn unsupported(&self, found: &str) -> Error {
        Error::UnsupportedModelType { path: self.path.clone(), found: found.to_owned() }
    }

    /// The error for an invalid value.
    pub(crate) fn invalid(&self, field: &str, found: &dyn ToString, expected: &'static str) -> Error {
        Error::InvalidModelConfig {
            path: self.path.clone(),
            field: field.to_owned(),
            found: found.to_string(),
            expected,
        }
    }
}
