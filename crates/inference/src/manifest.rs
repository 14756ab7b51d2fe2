//! `model.toml`: the single source of every fact about a model.

use serde::{Deserialize, Deserializer, Serialize};

use crate::{Error, Result};

/// Everything that preprocessing, engines and calibration need to know of one model.
///
/// Parsed by [`Manifest::parse`], which also checks every range stated at the fields; a `Manifest` taken
/// apart and changed by hand is the caller's own responsibility.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// Kebab-case name, also the name of the folder.
    pub name: String,
    /// Version of the weights, `major.minor.patch`.
    pub version: String,
    /// What the model does, in a sentence.
    pub description: String,
    /// Licence of the weights, as an SPDX expression.
    pub licence: String,
    /// What the weights were started from and fitted on.
    pub source: String,
    /// Day of the export, `YYYY-MM-DD`.
    #[serde(deserialize_with = "date_as_text")]
    pub created_on: String,
    /// The graph's file.
    pub file: ModelFile,
    /// The graph's input.
    pub input: Input,
    /// How a photograph is brought to the input's size.
    pub resize: Resize,
    /// The embedding among the outputs.
    pub embedding: EmbeddingOutput,
    /// The class scores among the outputs.
    pub classes: Classes,
    /// The known-type score among the outputs.
    pub known: KnownOutput,
    /// From raw scores to probabilities.
    pub calibration: Calibration,
    /// Where the verdicts part.
    pub thresholds: Thresholds,
    /// Figures of the training run, for readers only.
    #[serde(default)]
    pub measured: toml::Table,
}

/// The ONNX file, and how to know that it is the right one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModelFile {
    /// File name inside the model's folder.
    pub path: String,
    /// SHA-256 of the file, 64 lower-case hex digits.
    pub sha256: String,
    /// Length of the file, in bytes; greater than 0.
    pub size_bytes: u64,
    /// ONNX operator set of the graph; greater than 0.
    pub opset: u32,
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
    /// Mean of each channel, of values in 0..=1.
    pub mean: [f32; 3],
    /// Standard deviation of each channel, of values in 0..=1; greater than 0.
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
    /// To the input's size, whatever the aspect.
    Squash {
        /// Interpolation.
        filter: Filter,
    },
    /// The shorter side to `shortest_side`, then the centre of the input's size.
    CenterCrop {
        /// Interpolation.
        filter: Filter,
        /// Length of the shorter side before the crop, in pixels; at least the input's larger side.
        shortest_side: u32,
    },
    /// The whole photograph inside the input's size, centred, the rest filled.
    Letterbox {
        /// Interpolation.
        filter: Filter,
        /// Grey value of the fill, of 255.
        pad: u8,
    },
}

impl Resize {
    /// The interpolation of every mode.
    pub fn filter(self) -> Filter {
        match self {
            Self::Squash { filter } | Self::CenterCrop { filter, .. } | Self::Letterbox { filter, .. } => {
                filter
            }
        }
    }
}

/// Kernel of the resize; its support is widened by the factor when shrinking (antialiasing).
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
    /// Length of each vector; greater than 0.
    pub dimension: usize,
    /// Whether each vector has L2 length 1.
    pub normalised: bool,
}

/// The output `[n, count]` f32 of raw logits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Classes {
    /// Name in the graph.
    pub output: String,
    /// File of labels inside the model's folder: one a line, the line's index is the class.
    pub labels: String,
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

/// From raw outputs to probabilities.
///
/// `confidence = softmax(logits / temperature)[argmax]`,
/// `known score = sigmoid(known_scale * known + known_bias)`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Calibration {
    /// Divisor of the logits; greater than 0.
    pub temperature: f64,
    /// Factor of the known logit; greater than 0, so that order is kept.
    pub known_scale: f64,
    /// Offset of the known logit.
    pub known_bias: f64,
    /// Which photographs, and how many, the values were fitted on.
    pub fitted_on: String,
}

/// Where the verdicts part; applied by the caller, in the order of the fields. All in 0..=1.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Thresholds {
    /// A known score below this says that no known type is shown.
    pub not_a_part_below: f64,
    /// An identification needs at least this known score; at least `not_a_part_below`.
    pub identified_known_score: f64,
    /// An identification needs at least this confidence.
    pub identified_confidence: f64,
    /// The rule that gave these values, and the wanted error rate.
    pub derived_by: String,
}

impl Manifest {
    /// Reads and checks a manifest; `name` is its origin, for messages.
    ///
    /// # Errors
    /// [`Error::ParseManifest`] when the text has another form, [`Error::InvalidManifest`] when a value is
    /// out of the range stated at its field.
    pub fn parse(name: &str, text: &str) -> Result<Self> {
        let manifest: Self = toml::from_str(text)
            .map_err(|source| Error::ParseManifest { name: name.to_owned(), source: Box::new(source) })?;
        manifest.validate()?;
        Ok(manifest)
    }

    /// Checks every range stated at the fields.
    ///
    /// # Errors
    /// [`Error::InvalidManifest`] for the first value out of range.
    pub fn validate(&self) -> Result<()> {
        self.validate_file()?;
        self.validate_input()?;
        self.validate_outputs()?;
        self.validate_scores()
    }

    /// Shape of one tensor, `[3, height, width]`.
    pub fn tensor_shape(&self) -> [usize; 3] {
        [3, self.input.height as usize, self.input.width as usize]
    }

    fn validate_file(&self) -> Result<()> {
        self.check(is_plain_name(&self.name), "name", &self.name, "lower-case letters, digits and hyphens")?;
        let digits = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
        let is_digest = self.file.sha256.len() == 64 && self.file.sha256.bytes().all(digits);
        self.check(is_digest, "file.sha256", &self.file.sha256, "64 lower-case hex digits")?;
        self.check(self.file.size_bytes > 0, "file.size_bytes", &self.file.size_bytes, "greater than 0")?;
        self.check(self.file.opset > 0, "file.opset", &self.file.opset, "greater than 0")?;
        for (field, file) in [("file.path", &self.file.path), ("classes.labels", &self.classes.labels)] {
            // A manifest that comes with a foreign model must not make the program read elsewhere.
            let is_inside = !file.is_empty() && !file.contains(['/', '\\']) && file != "..";
            self.check(is_inside, field, &file, "a file name without a folder")?;
        }
        Ok(())
    }

    fn validate_input(&self) -> Result<()> {
        let side = 1..=4096;
        self.check(side.contains(&self.input.width), "input.width", &self.input.width, "1 to 4096")?;
        self.check(side.contains(&self.input.height), "input.height", &self.input.height, "1 to 4096")?;
        for value in self.input.mean {
            self.check(value.is_finite(), "input.mean", &value, "a finite number")?;
        }
        for value in self.input.std {
            self.check(value.is_finite() && value > 0.0, "input.std", &value, "greater than 0")?;
        }
        if let Resize::CenterCrop { shortest_side, .. } = self.resize {
            let is_enough = shortest_side >= self.input.width.max(self.input.height) && shortest_side <= 8192;
            let expected = "the input's larger side to 8192";
            self.check(is_enough, "resize.shortest_side", &shortest_side, expected)?;
        }
        Ok(())
    }

    fn validate_outputs(&self) -> Result<()> {
        self.check(self.classes.count > 0, "classes.count", &self.classes.count, "greater than 0")?;
        let dimension = self.embedding.dimension;
        self.check(dimension > 0, "embedding.dimension", &dimension, "greater than 0")?;
        let names = [
            ("input.name", &self.input.name),
            ("embedding.output", &self.embedding.output),
            ("classes.output", &self.classes.output),
            ("known.output", &self.known.output),
        ];
        for (index, (field, name)) in names.iter().enumerate() {
            let is_new = !name.is_empty() && names[..index].iter().all(|(_, earlier)| earlier != name);
            self.check(is_new, field, &name, "a name of its own")?;
        }
        Ok(())
    }

    fn validate_scores(&self) -> Result<()> {
        let calibration = &self.calibration;
        for (field, value) in [
            ("calibration.temperature", calibration.temperature),
            ("calibration.known_scale", calibration.known_scale),
        ] {
            self.check(value.is_finite() && value > 0.0, field, &value, "greater than 0")?;
        }
        let bias = calibration.known_bias;
        self.check(bias.is_finite(), "calibration.known_bias", &bias, "a finite number")?;
        let thresholds = &self.thresholds;
        for (field, value) in [
            ("thresholds.not_a_part_below", thresholds.not_a_part_below),
            ("thresholds.identified_known_score", thresholds.identified_known_score),
            ("thresholds.identified_confidence", thresholds.identified_confidence),
        ] {
            self.check((0.0..=1.0).contains(&value), field, &value, "0 to 1")?;
        }
        self.check(
            thresholds.identified_known_score >= thresholds.not_a_part_below,
            "thresholds.identified_known_score",
            &thresholds.identified_known_score,
            "at least `thresholds.not_a_part_below`",
        )
    }

    fn check(
        &self,
        holds: bool,
        field: &'static str,
        found: &dyn ToString,
        expected: &'static str,
    ) -> Result<()> {
        if holds {
            return Ok(());
        }
        Err(Error::InvalidManifest { model: self.name.clone(), field, found: found.to_string(), expected })
    }
}

fn is_plain_name(name: &str) -> bool {
    !name.is_empty()
        && name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-')
}

fn date_as_text<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    let date = toml::value::Datetime::deserialize(deserializer)?;
    if date.date.is_none() || date.time.is_some() {
        return Err(serde::de::Error::custom("expected a day such as 2026-01-31"));
    }
    Ok(date.to_string())
}
