//! Reads the text on a part: detects lines of text and recognises them.

mod crop;
mod detector;
mod geometry;
mod known;
mod manifest;
mod recogniser;

use std::{
    borrow::Cow,
    fmt,
    fs::File,
    io::{self, Read},
    path::Path,
    sync::{Mutex, PoisonError},
};

use ort::session::Session;

use crate::{Error, OnnxRuntime, Photo, Result, model, onnx_graph::Graph, ort_engine};
use geometry::Rectangle;
pub use known::KnownTexts;
pub use manifest::READING_FILE;
use manifest::{GraphFile, ReadingManifest};
use recogniser::Reading;

/// Largest graph that is read from a folder: published ones have 11 MB.
const LARGEST_GRAPH_BYTES: u64 = 64 << 20;

/// Most lines of a photograph that are tried, as a multiple of those that may be legible.
const TRIES: usize = 2;
/// Greatest height of a text of two letters or digits, as a fraction of the photograph's shorter side.
const HIGHEST_SHORT_TEXT: f32 = 0.35;

/// One line of text in a photograph.
#[derive(Clone, Debug, PartialEq)]
pub struct TextLine {
    /// The recognised text; at least two letters or digits.
    pub text: String,
    /// Mean of `characters`, in 0..=1.
    pub confidence: f32,
    /// The probability of each character of `text`, in order.
    pub characters: Vec<f32>,
    /// Corners in pixels of the upright photograph, in reading direction: top left, top right, bottom right, bottom
    /// left.
    pub corners: [[f32; 2]; 4],
}

/// Finds and reads text, with a detector and a recogniser in the style of PP-OCR.
///
/// A small detector first decides whether there is any text, so that a photograph without text costs little. The
/// lines and pixels read in a photograph are bounded. Any number of threads may read at the same time: each uses
/// its own sessions, and as many are kept as were ever in use at once.
///
/// Sources: Liao et al., Real-time Scene Text Detection with Differentiable Binarization, 2019 (the detector's
/// regions); Graves et al., Connectionist Temporal Classification, 2006 (the recogniser's columns).
pub struct Reader {
    manifest: ReadingManifest,
    runtime: OnnxRuntime,
    graphs: Graphs,
    idle: Mutex<Vec<Networks>>,
}

/// The ONNX files of the networks.
struct Graphs {
    glance: Cow<'static, [u8]>,
    detector: Cow<'static, [u8]>,
    recogniser: Cow<'static, [u8]>,
}

/// The sessions of one thread.
struct Networks {
    glance: Session,
    detector: Session,
    recogniser: Session,
}

impl Reader {
    /// The embedded networks.
    ///
    /// # Errors
    /// As [`Reader::open`], without [`Error::ReadModel`]; an error means that the build mixed files of two
    /// versions.
    pub fn embedded(runtime: &OnnxRuntime) -> Result<Self> {
        let manifest = ReadingManifest::parse(
            "the built-in reading model",
            include_str!("../../../models/reading/reading.toml"),
        )?;
        let graphs = Graphs {
            glance: Cow::Borrowed(include_bytes!("../../../models/reading/glance.onnx")),
            detector: Cow::Borrowed(include_bytes!("../../../models/reading/detector.onnx")),
            recogniser: Cow::Borrowed(include_bytes!("../../../models/reading/recogniser.onnx")),
        };
        Self::new(runtime, manifest, graphs)
    }

    /// Loads `reading.toml` in `folder` and its three graphs, and runs each once.
    ///
    /// # Errors
    /// [`Error::ReadModel`] for a missing file, [`Error::ParseManifest`] and [`Error::InvalidManifest`] for the
    /// manifest, [`Error::WrongModelSize`] and [`Error::WrongModelHash`] for a graph, [`Error::BuildSession`],
    /// [`Error::GraphMismatch`] and [`Error::Run`] if ONNX Runtime cannot run it as the manifest states.
    pub fn open(runtime: &OnnxRuntime, folder: &Path) -> Result<Self> {
        let path = folder.join(READING_FILE);
        let text = String::from_utf8_lossy(&read_bounded(&path)?).into_owned();
        let manifest = ReadingManifest::parse(&path.display().to_string(), &text)?;
        let read = |graph: &GraphFile| read_bounded(&folder.join(&graph.path)).map(Cow::Owned);
        let graphs = Graphs {
            glance: read(&manifest.glance.graph)?,
            detector: read(&manifest.detector.graph)?,
            recogniser: read(&manifest.recogniser.graph)?,
        };
        Self::new(runtime, manifest, graphs)
    }

    fn new(runtime: &OnnxRuntime, manifest: ReadingManifest, graphs: Graphs) -> Result<Self> {
        verify(&manifest, &manifest.glance.graph, &graphs.glance)?;
        verify(&manifest, &manifest.detector.graph, &graphs.detector)?;
        verify(&manifest, &manifest.recogniser.graph, &graphs.recogniser)?;
        let idle = Mutex::new(Vec::new());
        let reader = Self { manifest, runtime: runtime.clone(), graphs, idle };
        let mut networks = reader.networks()?;
        // Detects here, and not with a photograph, that a graph's inputs, outputs or classes differ from the
        // manifest.
        detector::check(&mut networks.glance, &mut networks.detector, &reader.manifest)?;
        recogniser::check(&mut networks.recogniser, &reader.manifest)?;
        reader.put_back(networks);
        Ok(reader)
    }

    /// Name and version, for display: `pp-ocr-v6-latin 2.0.0`.
    pub fn describe(&self) -> String {
        format!("{} {}", self.manifest.name, self.manifest.version)
    }

    /// The lines of text in a photograph, from the top; empty if there are none. Of more lines than the manifest allows
    /// the largest are read; illegible ones do not count.
    ///
    /// A line is also read upside down if the first reading is uncertain, since a part may lie upside down. Lines
    /// with too low a confidence are omitted.
    ///
    /// # Errors
    /// [`Error::Run`] and [`Error::NotFinite`] if a network fails, [`Error::BuildSession`] if more sessions are
    /// needed and cannot be built.
    pub fn read(&self, photo: &Photo) -> Result<Vec<TextLine>> {
        self.read_known(photo, &KnownTexts::NONE)
    }

    /// Like [`Reader::read`], with known texts: a known text needs less confidence, and one on two lines is joined
    /// to a single line.
    ///
    /// # Errors
    /// As [`Reader::read`].
    pub fn read_known(&self, photo: &Photo, known: &KnownTexts<'_>) -> Result<Vec<TextLine>> {
        let mut networks = self.networks()?;
        // After an error the sessions are not kept, because their state is unknown.
        let lines = self.read_with(&mut networks, photo, known)?;
        self.put_back(networks);
        Ok(lines)
    }

    fn read_with(
        &self,
        networks: &mut Networks,
        photo: &Photo,
        known: &KnownTexts<'_>,
    ) -> Result<Vec<TextLine>> {
        let settings = &self.manifest.recogniser;
        let known_confidence = settings.known_confidence.unwrap_or(settings.line_confidence);
        let mut lines = Vec::new();
        let Networks { glance, detector, recogniser } = networks;
        let found = detector::find(glance, detector, &self.manifest, photo)?;
        let mut read = |rectangle: &Rectangle| {
            let tensor = crop::tensor(photo, rectangle, settings);
            recogniser::read(recogniser, &self.manifest, &tensor)
        };
        let limits = (self.manifest.detector.max_lines, known_confidence);
        let legible = read_legible(found, limits, |rectangle| {
            // The direction is found by reading both ways; a network for it, as others use, would be one more file.
            let upright = read(&rectangle)?;
            if upright.confidence() >= settings.certain {
                return Ok((upright, rectangle));
            }
            let turned = rectangle.turned();
            let upside_down = read(&turned)?;
            let is_upside_down = upside_down.confidence() > upright.confidence();
            Ok(if is_upside_down { (upside_down, turned) } else { (upright, rectangle) })
        })?;
        for (reading, rectangle) in legible {
            let confidence = reading.confidence();
            let is_sure = |text: &str| {
                confidence >= settings.line_confidence
                    || (confidence >= known_confidence && (known.is_known)(text))
            };
            let side = photo.width().min(photo.height()) as f32;
            let is_line = |text: &String| {
                says_something(text) && !is_shape(text, rectangle.height() / side) && is_sure(text)
            };
            let Some(text) = reading.text().filter(is_line) else {
                continue;
            };
            let corners = rectangle.corners.map(|corner| inside(corner, photo));
            lines.push(TextLine { text, confidence, characters: reading.confidences, corners });
        }
        let top = |line: &TextLine| Rectangle { corners: line.corners }.top();
        lines.sort_by(|one, other| top(one).total_cmp(&top(other)));
        known::join(&mut lines, known);
        Ok(lines)
    }

    /// Idle sessions, or new ones.
    fn networks(&self) -> Result<Networks> {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        if let Some(networks) = idle {
            return Ok(networks);
        }
        self.runtime.start()?;
        let build = |onnx: &[u8]| {
            // One thread: several photographs are read at once, and these networks are too small to parallelise.
            ort_engine::session_for_any_shape(&self.runtime, Graph::Bytes(onnx))
                .map_err(|source| Error::BuildSession { model: self.manifest.name.clone(), source })
        };
        let Graphs { glance, detector, recogniser } = &self.graphs;
        Ok(Networks { glance: build(glance)?, detector: build(detector)?, recogniser: build(recogniser)? })
    }

    fn put_back(&self, networks: Networks) {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(networks);
    }
}

impl fmt::Debug for Reader {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Reader").field("model", &self.describe()).finish_non_exhaustive()
    }
}

/// Reads the rectangles in turn until `most` lines are legible, which have at least this confidence, or twice as many
/// were tried; returns the legible ones. Others, such as other scripts and patterns, take no place.
fn read_legible(
    found: Vec<Rectangle>,
    (most, least_confidence): (usize, f32),
    mut read: impl FnMut(Rectangle) -> Result<(Reading, Rectangle)>,
) -> Result<Vec<(Reading, Rectangle)>> {
    let mut legible = Vec::new();
    for rectangle in found.into_iter().take(TRIES * most) {
        if legible.len() == most {
            break;
        }
        let line = read(rectangle)?;
        if line.0.confidence() >= least_confidence {
            legible.push(line);
        }
    }
    Ok(legible)
}

fn inside([x, y]: [f32; 2], photo: &Photo) -> [f32; 2] {
    [x.clamp(0.0, photo.width() as f32), y.clamp(0.0, photo.height() as f32)]
}

fn read_bounded(path: &Path) -> Result<Vec<u8>> {
    let failure = |source| Error::ReadModel { path: path.to_owned(), source };
    let mut bytes = Vec::new();
    let file = File::open(path).map_err(failure)?;
    // One byte more than the limit, so that a longer file is detected without reading all of it.
    file.take(LARGEST_GRAPH_BYTES + 1).read_to_end(&mut bytes).map_err(failure)?;
    if bytes.len() as u64 > LARGEST_GRAPH_BYTES {
        return Err(failure(io::Error::from(io::ErrorKind::FileTooLarge)));
    }
    Ok(bytes)
}

/// Compares a graph with the manifest, before a session is built from it.
fn verify(manifest: &ReadingManifest, graph: &GraphFile, bytes: &[u8]) -> Result<()> {
    let (model, file) = (manifest.name.clone(), graph.path.clone());
    if bytes.len() as u64 != graph.size_bytes {
        let (expected_bytes, found_bytes) = (graph.size_bytes, bytes.len() as u64);
        return Err(Error::WrongModelSize { model, file, expected_bytes, found_bytes });
    }
    let found = model::sha256(bytes);
    if found != graph.sha256 {
        return Err(Error::WrongModelHash { model, file, expected: graph.sha256.clone(), found });
    }
    Ok(())
}

/// Whether a text has at least two letters or digits. A single one is often a misreading, such as the coil of a
/// spring or a bolt hole, and carries no information.
fn says_something(text: &str) -> bool {
    text.chars().filter(|character| character.is_alphanumeric()).take(2).count() == 2
}

/// Whether a text of at most two letters or digits is so high, as a fraction of the photograph's shorter side, that
/// it is the shape of the part itself: two arms of a spoiler, turns of a spring, the rim of a disc.
fn is_shape(text: &str, height: f32) -> bool {
    height > HIGHEST_SHORT_TEXT && text.chars().filter(|character| character.is_alphanumeric()).count() <= 2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_two_letters_or_digits() {
        let (lines, noise) = (["4A", "Pb", "7-8", "DOT 4"], ["", "D", "0", "*", "- 1 -", "...", "|"]);
        assert_eq!(lines.map(says_something), [true; 4]);
        assert_eq!(noise.map(says_something), [false; 7]);
    }

    #[test]
    fn an_illegible_line_gives_its_place_to_the_next() {
        let rectangle = |at: usize| Rectangle { corners: [[at as f32, 0.0]; 4] };
        let read = |confidences: &[f32], most| {
            let found = (0..confidences.len()).map(rectangle).collect();
            let read = |rectangle: Rectangle| {
                Ok((Reading::with_confidence(confidences[rectangle.corners[0][0] as usize]), rectangle))
            };
            let legible = read_legible(found, (most, 0.6), read).unwrap();
            legible.into_iter().map(|(_, rectangle)| rectangle.corners[0][0] as usize).collect::<Vec<_>>()
        };
        assert_eq!(read(&[0.9, 0.3, 0.7, 0.2, 0.9, 0.9], 3), [0, 2, 4]);
        assert_eq!(read(&[0.3, 0.3, 0.3, 0.3, 0.9], 2), [0; 0]);
        assert_eq!(read(&[0.9], 2), [0]);
    }

    #[test]
    fn two_letters_as_high_as_the_part_are_its_shape() {
        for (text, height, expected) in
            [("TT", 0.9, true), ("1-0", 0.5, true), ("SW", 0.24, false), ("NGK", 0.9, false)]
        {
            assert_eq!(is_shape(text, height), expected, "{text}");
        }
    }
}
