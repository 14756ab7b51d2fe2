//! `reading.toml`: every fact about the three networks.

use serde::Deserialize;

use crate::{Error, Result, model::is_kebab_case};

/// The manifest's name in the folder of a reading model.
pub const READING_FILE: &str = "reading.toml";

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ReadingManifest {
    pub(super) name: String,
    pub(super) version: String,
    #[expect(dead_code, reason = "stands in the file for people")]
    source: String,
    #[expect(dead_code, reason = "stands in the file for people")]
    license: String,
    pub(super) glance: Glance,
    pub(super) detector: Detector,
    pub(super) recogniser: Recogniser,
}

/// A graph: its bytes, and the names in it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct GraphFile {
    pub(super) path: String,
    pub(super) size_bytes: u64,
    /// Lower-case hex.
    pub(super) sha256: String,
    pub(super) input: String,
    pub(super) output: String,
}

/// What decides whether there is text at all: a smaller network, to and from what the detector's is.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Glance {
    pub(super) graph: GraphFile,
    /// In the order of the input: blue, green, red.
    pub(super) mean: [f32; 3],
    pub(super) std: [f32; 3],
    /// Pixels of the first look, which set what a photograph without text costs.
    pub(super) pixels: u32,
    /// Where no pixel of the first look is as probably text, there is none.
    pub(super) probability: f32,
    /// Around pixels that are more probable than this goes the second look.
    pub(super) pixel_probability: f32,
}

/// What finds lines: f32 `[1, 3, h, w]`, blue, green, red, `(u8 / 255 - mean) / std`, to the probability of text
/// f32 `[1, 1, h, w]`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Detector {
    pub(super) graph: GraphFile,
    /// In the order of the input: blue, green, red.
    pub(super) mean: [f32; 3],
    pub(super) std: [f32; 3],
    /// Both sides of the input are multiples of it, also those of the first look.
    pub(super) side_multiple: u32,
    /// Pixels of the look that finds the lines, at most.
    pub(super) look_pixels: u32,
    /// By how much a photograph is enlarged at most.
    pub(super) largest_enlargement: f32,
    /// A pixel of text is more probable than this.
    pub(super) pixel_probability: f32,
    /// The mean probability in a line's rectangle is at least this.
    pub(super) line_probability: f32,
    /// The network marks the middle of a line: its rectangle grows on every side by this share of area over
    /// circumference.
    pub(super) unclip_ratio: f32,
    /// Most lines of one photograph, the largest first.
    pub(super) max_lines: usize,
}

/// What reads one line: f32 `[1, 3, height, w]`, as the detector's, to the probability of each class in each column
/// f32 `[1, t, c]`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Recogniser {
    pub(super) graph: GraphFile,
    pub(super) mean: f32,
    pub(super) std: f32,
    pub(super) height: u32,
    /// Of a line; a longer one is squeezed.
    pub(super) max_width: u32,
    /// From this confidence on, the other direction is not tried.
    pub(super) certain: f32,
    /// Less sure lines are left out.
    pub(super) line_confidence: f32,
    /// Less sure lines are left out even where their text is known; `line_confidence` where it is missing.
    #[serde(default)]
    pub(super) known_confidence: Option<f32>,
    /// Characters of the classes from 1 on; class 0 is the blank.
    pub(super) characters: String,
}

impl ReadingManifest {
    /// Reads and checks a manifest; `name` is its origin, for messages.
    pub(super) fn parse(name: &str, text: &str) -> Result<Self> {
        let manifest: Self = toml::from_str(text)
            .map_err(|source| Error::ParseManifest { name: name.to_owned(), source: Box::new(source) })?;
        manifest.validate()?;
        Ok(manifest)
    }

    /// Classes of the recogniser, the blank included.
    pub(super) fn n_classes(&self) -> usize {
        self.recogniser.characters.chars().count() + 1
    }

    fn validate(&self) -> Result<()> {
        let invalid = |field, found: String, expected| {
            Err(Error::InvalidManifest { model: self.name.clone(), field, found, expected })
        };
        if !is_kebab_case(&self.name) {
            return invalid("name", format!("`{}`", self.name), "lower-case words joined by `-`");
        }
        for (field, path) in [
            ("glance.graph.path", &self.glance.graph.path),
            ("detector.graph.path", &self.detector.graph.path),
            ("recogniser.graph.path", &self.recogniser.graph.path),
        ] {
            // A manifest from elsewhere must not make the program read files outside of its folder.
            if path.is_empty() || path.contains(['/', '\\']) || path.starts_with('.') {
                return invalid(field, format!("`{path}`"), "the name of a file beside the manifest");
            }
        }
        let (glance, detector, recogniser) = (&self.glance, &self.detector, &self.recogniser);
        for (field, found) in [
            ("glance.probability", glance.probability),
            ("glance.pixel_probability", glance.pixel_probability),
            ("detector.pixel_probability", detector.pixel_probability),
            ("detector.line_probability", detector.line_probability),
            ("recogniser.certain", recogniser.certain),
            ("recogniser.line_confidence", recogniser.line_confidence),
            ("recogniser.mean", recogniser.mean),
        ]
        .into_iter()
        .chain(recogniser.known_confidence.map(|confidence| ("recogniser.known_confidence", confidence)))
        .chain(glance.mean.map(|mean| ("glance.mean", mean)))
        .chain(detector.mean.map(|mean| ("detector.mean", mean)))
        {
            // NaN is in no range, and refused with the rest.
            if !(0.0..=1.0).contains(&found) {
                return invalid(field, found.to_string(), "0 to 1");
            }
        }
        for (field, found, largest) in [
            ("recogniser.std", recogniser.std, 1.0),
            ("detector.largest_enlargement", detector.largest_enlargement, 8.0),
            ("detector.unclip_ratio", detector.unclip_ratio, 8.0),
        ]
        .into_iter()
        .chain(glance.std.map(|std| ("glance.std", std, 1.0)))
        .chain(detector.std.map(|std| ("detector.std", std, 1.0)))
        {
            if !(found > 0.0 && found <= largest) {
                return invalid(
                    field,
                    found.to_string(),
                    "a positive number of at most 8, and at most 1 for `std`",
                );
            }
        }
        for (field, found) in [
            ("detector.side_multiple", detector.side_multiple),
            ("recogniser.height", recogniser.height),
            ("recogniser.max_width", recogniser.max_width),
        ] {
            if !(8..=4096).contains(&found) {
                return invalid(field, found.to_string(), "8 to 4096");
            }
        }
        for (field, found) in
            [("glance.pixels", glance.pixels), ("detector.look_pixels", detector.look_pixels)]
        {
            // What a look may cost in time and memory grows with its pixels.
            if !(1024..=4_194_304).contains(&found) {
                return invalid(field, found.to_string(), "1024 to 4194304");
            }
        }
        if !(1..=1000).contains(&detector.max_lines) {
            return invalid("detector.max_lines", detector.max_lines.to_string(), "1 to 1000");
        }
        Ok(())
    }
}
