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
    #[expect(dead_code, reason = "only for readers of the file")]
    source: String,
    #[expect(dead_code, reason = "only for readers of the file")]
    license: String,
    pub(super) glance: Glance,
    pub(super) detector: Detector,
    pub(super) recogniser: Recogniser,
}

/// A graph file, and the names of its input and output.
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

/// The smaller network that decides whether there is text at all; its input and output are like the detector's.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Glance {
    pub(super) graph: GraphFile,
    /// In the channel order of the input: BGR.
    pub(super) mean: [f32; 3],
    pub(super) std: [f32; 3],
    /// Pixels of the first look, which determine the cost of a photograph without text.
    pub(super) pixels: u32,
    /// There is no text if no pixel of the first look has at least this probability.
    pub(super) probability: f32,
    /// The second look is taken around pixels with a higher probability than this.
    pub(super) pixel_probability: f32,
}

/// The network that finds lines: f32 `[1, 3, h, w]` in BGR order, `(u8 / 255 - mean) / std`, to the probability of
/// text, f32 `[1, 1, h, w]`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Detector {
    pub(super) graph: GraphFile,
    /// In the channel order of the input: BGR.
    pub(super) mean: [f32; 3],
    pub(super) std: [f32; 3],
    /// Both sides of the input are multiples of this, in both looks.
    pub(super) side_multiple: u32,
    /// Maximum number of pixels of the second look, which finds the lines.
    pub(super) look_pixels: u32,
    /// Maximum factor by which a photograph is enlarged.
    pub(super) largest_enlargement: f32,
    /// A text pixel has a higher probability than this.
    pub(super) pixel_probability: f32,
    /// Least mean probability of a line's pixels.
    pub(super) line_probability: f32,
    /// The network marks the centre of a line: its rectangle grows on each side by this factor of area divided by
    /// perimeter.
    pub(super) unclip_ratio: f32,
    /// Maximum number of legible lines in a photograph; the largest are read.
    pub(super) max_lines: usize,
}

/// The network that reads one line: f32 `[1, 3, height, width]`, as for the detector, to the probability of each
/// class in each column, f32 `[1, t, c]`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Recogniser {
    pub(super) graph: GraphFile,
    pub(super) mean: f32,
    pub(super) std: f32,
    pub(super) height: u32,
    /// Maximum input width; a longer line is compressed.
    pub(super) max_width: u32,
    /// Confidence from which the opposite direction is not tried.
    pub(super) certain: f32,
    /// Least confidence of a line.
    pub(super) line_confidence: f32,
    /// Least confidence of a line with a known text; `line_confidence` if absent.
    #[serde(default)]
    pub(super) known_confidence: Option<f32>,
    /// The characters of classes 1, 2, ...; class 0 is the blank.
    pub(super) characters: String,
}

impl ReadingManifest {
    /// Parses and checks a manifest; `name` is its origin, for messages.
    pub(super) fn parse(name: &str, text: &str) -> Result<Self> {
        let manifest: Self = toml::from_str(text)
            .map_err(|source| Error::ParseManifest { name: name.to_owned(), source: Box::new(source) })?;
        manifest.validate()?;
        Ok(manifest)
    }

    /// Number of classes of the recogniser, including the blank.
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
            // A manifest from elsewhere must not make the program read files outside its folder.
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
            // NaN is in no range, so it is refused too.
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
            // Time and memory of a look grow with its pixels.
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
