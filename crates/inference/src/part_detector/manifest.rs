//! `detector.toml`: every fact about the part detector.

use serde::Deserialize;

use crate::{Error, Result, model::is_kebab_case};

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct DetectorManifest {
    pub(super) name: String,
    pub(super) version: String,
    #[expect(dead_code, reason = "only for readers of the file")]
    description: String,
    #[expect(dead_code, reason = "only for readers of the file")]
    licence: String,
    #[expect(dead_code, reason = "only for readers of the file")]
    source: String,
    #[expect(dead_code, reason = "only for readers of the file")]
    created_on: toml::value::Datetime,
    pub(super) file: GraphFile,
    pub(super) input: Input,
    pub(super) output: Output,
    pub(super) choice: Choice,
    #[serde(default)]
    #[expect(dead_code, reason = "only for readers of the file")]
    measured: toml::Table,
}

/// The graph's file.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct GraphFile {
    pub(super) path: String,
    /// Lower-case hex.
    pub(super) sha256: String,
    pub(super) size_bytes: u64,
    #[expect(dead_code, reason = "only for readers of the file")]
    opset: u32,
}

/// f32 `[1, 3, h, w]`, red, green, blue, `(u8 / 255 - mean) / std`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Input {
    pub(super) name: String,
    /// The input's longer side, in pixels.
    pub(super) longer_side: u32,
    /// Both sides are multiples of this.
    pub(super) side_multiple: u32,
    pub(super) mean: [f32; 3],
    pub(super) std: [f32; 3],
}

/// One cell for each square of `stride` pixels of the input.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Output {
    /// f32 `[1, 1, h / stride, w / stride]`: score that the centre of a part is in the cell, in 0..=1.
    pub(super) score: String,
    /// f32 `[1, 4, h / stride, w / stride]`: distances from the cell's centre to the part's left, top, right and
    /// bottom edge, in pixels of the input.
    pub(super) sides: String,
    pub(super) stride: u32,
}

/// Thresholds for the cells that are parts.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Choice {
    /// A part has at least this score.
    pub(super) least_score: f32,
    /// Of two boxes with a higher intersection over union, the one with the higher score is kept.
    pub(super) most_overlap: f32,
    /// Of two boxes whose intersection is a larger fraction of the smaller one, the one with the higher score is
    /// kept.
    pub(super) most_containment: f32,
}

impl DetectorManifest {
    /// Reads and checks a manifest; `name` is its origin, for messages.
    pub(super) fn parse(name: &str, text: &str) -> Result<Self> {
        let manifest: Self = toml::from_str(text)
            .map_err(|source| Error::ParseManifest { name: name.to_owned(), source: Box::new(source) })?;
        manifest.validate()?;
        Ok(manifest)
    }

    fn validate(&self) -> Result<()> {
        let invalid = |field, found: String, expected| {
            Err(Error::InvalidManifest { model: self.name.clone(), field, found, expected })
        };
        if !is_kebab_case(&self.name) {
            return invalid("name", format!("`{}`", self.name), "lower-case words joined by `-`");
        }
        let Input { longer_side, side_multiple, .. } = self.input;
        // Time and memory of a run grow with the square of the side.
        if !(64..=2048).contains(&longer_side) {
            return invalid("input.longer_side", longer_side.to_string(), "64 to 2048");
        }
        if !(8..=256).contains(&side_multiple) {
            return invalid("input.side_multiple", side_multiple.to_string(), "8 to 256");
        }
        if self.output.stride == 0 || !side_multiple.is_multiple_of(self.output.stride) {
            return invalid(
                "output.stride",
                self.output.stride.to_string(),
                "a divisor of the side's multiple",
            );
        }
        if let Some(std) = self.input.std.into_iter().find(|&std| !(std > 0.0 && std <= 1.0)) {
            return invalid("input.std", std.to_string(), "greater than 0, at most 1");
        }
        let Choice { least_score, most_overlap, most_containment } = self.choice;
        for (field, found) in [
            ("choice.least_score", least_score),
            ("choice.most_overlap", most_overlap),
            ("choice.most_containment", most_containment),
        ] {
            // NaN is in no range, so it is refused too.
            if !(0.0..=1.0).contains(&found) {
                return invalid(field, found.to_string(), "0 to 1");
            }
        }
        Ok(())
    }
}
