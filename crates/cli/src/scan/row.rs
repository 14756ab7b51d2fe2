//! The result of one photograph.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::path::Path;

use partsight_app::{
    FileScan, FoundCode, Identification, PartTypes, PhotoReading, TextLine, part_code, path_text,
};
use partsight_domain::{
    Candidate, CandidateSet, Category, CategoryGuess, PartCode, PartLabel, PhotoView, RegionBox,
    StageTimings, TellingApart, TextKind, VehicleDoubt, VehicleName, Verdict, brand_in,
};
use serde::Serialize;

/// The row of one photograph, with the documented fields of the command, and `rolledUp`, `tellingApart` and
/// `candidateSet`.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Row {
    pub(super) path: String,
    pub(super) verdict: Option<Verdict>,
    pub(super) label: Option<PartLabel>,
    pub(super) name: Option<String>,
    pub(super) category: Option<Category>,
    pub(super) confidence: Option<f32>,
    pub(super) known_score: Option<f32>,
    pub(super) alternatives: Vec<Alternative>,
    pub(super) rolled_up: Option<RolledUp>,
    pub(super) telling_apart: Vec<Hint>,
    pub(super) candidate_set: Option<Set>,
    pub(super) timings_ms: Option<StageTimings>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) vehicle: Option<VehicleName>,
    pub(super) error: Option<String>,
    /// Only if a vehicle was named.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) vehicle_doubts: Option<Vec<Doubt>>,
    /// Where it was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) read: Option<Text>,
    /// The parts on the photograph, if requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) regions: Option<Vec<Region>>,
    /// Where it was asked for.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub(super) file: Option<FileIdentity>,
}

/// Identity of a row's file by its content.
#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct FileIdentity {
    /// SHA-256 of its bytes in hexadecimal digits; `None` for an unreadable file.
    pub(super) sha256: Option<String>,
    /// The first path with the same bytes, if it is another path.
    pub(super) duplicate_of: Option<String>,
}

/// Optional fields of a row, by the options of the command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Columns {
    /// The text and codes on the photograph.
    pub(crate) read: bool,
    /// The file's SHA-256, and the path that it is a copy of.
    pub(crate) duplicates: bool,
    /// The parts on the photograph; only in JSON.
    pub(crate) several: bool,
}

/// The text on a photograph; `None` if it could not be read.
#[derive(Debug, Serialize)]
#[serde(transparent)]
pub(super) struct Text(pub(super) Option<Vec<ReadLine>>);

/// A line of text, or a code.
#[derive(Debug, Serialize)]
pub(super) struct ReadLine {
    pub(super) text: String,
    /// What kind of text it is.
    pub(super) kind: TextKind,
    /// The brand named in it, in the brand's own spelling.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) brand: Option<&'static str>,
    pub(super) confidence: f32,
    /// Its corners in pixels of the upright photograph, beginning at the start of the text.
    #[serde(rename = "box")]
    pub(super) corners: [[f32; 2]; 4],
    /// Symbology and fields, for a code.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub(super) code: Option<PartCode>,
}

impl From<TextLine> for ReadLine {
    fn from(line: TextLine) -> Self {
        Self {
            kind: TextKind::of(&line.text),
            brand: brand_in(&line.text),
            text: line.text,
            confidence: line.confidence,
            corners: line.corners,
            code: None,
        }
    }
}

impl ReadLine {
    /// A code; `None` if it has no text.
    fn of_code(found: &FoundCode) -> Option<Self> {
        let (code, text) = part_code(found)?;
        let line = partsight_domain::ReadLine::of_code(code, text, 0, found.corners);
        Some(Self {
            // Brands are only recognised in printed text.
            brand: None,
            text: line.text,
            kind: line.kind,
            confidence: line.confidence,
            corners: line.corners,
            code: line.code,
        })
    }
}

/// Codes first, because they are more reliable.
fn read_lines(PhotoReading { codes, lines }: PhotoReading) -> Vec<ReadLine> {
    codes.iter().filter_map(ReadLine::of_code).chain(lines.into_iter().map(ReadLine::from)).collect()
}

/// One part on a photograph that shows several.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Region {
    /// Left, top, width and height as fractions of the upright photograph's width and height, in 0..=1.
    #[serde(rename = "box")]
    area: [f32; 4],
    verdict: Verdict,
    label: PartLabel,
    name: String,
    confidence: f32,
    known_score: f32,
    alternatives: Vec<Alternative>,
}

impl Region {
    fn new(area: RegionBox, part: Identification, name: impl Fn(&PartLabel) -> String) -> Self {
        let Candidate { label, confidence } = part.best;
        Self {
            area: area.shares(),
            verdict: part.verdict,
            name: name(&label),
            label,
            confidence,
            known_score: part.known_score,
            alternatives: alternatives(part.alternatives, name),
        }
    }
}

#[derive(Debug, Serialize)]
pub(super) struct Alternative {
    pub(super) label: PartLabel,
    pub(super) name: String,
    pub(super) confidence: f32,
}

/// The candidate set of an answer that is not sure, including the best guess.
#[derive(Debug, Serialize)]
pub(super) struct Set {
    /// Probability that the set contains the right type, in 0..=1; `None` for marked look-alikes.
    pub(super) coverage: Option<f64>,
    pub(super) labels: Vec<Alternative>,
}

/// A part type whose confidence was reduced because it cannot be on the vehicle.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Doubt {
    pub(super) label: PartLabel,
    pub(super) name: String,
    /// Its confidence by the photograph alone.
    pub(super) confidence_without_vehicle: f32,
    pub(super) reason: String,
}

/// The view that tells the best guess from another part with similar confidence.
#[derive(Debug, Serialize)]
pub(super) struct Hint {
    pub(super) between: [PartLabel; 2],
    pub(super) view: PhotoView,
    pub(super) sentence: String,
}

impl From<&TellingApart> for Hint {
    fn from(hint: &TellingApart) -> Self {
        Self { between: hint.between.clone(), view: hint.view, sentence: hint.sentence.clone() }
    }
}

/// The category of an answer whose best guess ties with types of the same category.
#[derive(Debug, Serialize)]
pub(super) struct RolledUp {
    pub(super) category: Category,
    pub(super) name: &'static str,
    pub(super) confidence: f32,
}

impl From<CategoryGuess> for RolledUp {
    fn from(CategoryGuess { category, confidence }: CategoryGuess) -> Self {
        Self { category, name: category.title(), confidence }
    }
}

impl Row {
    pub(crate) fn new(scan: FileScan, types: &PartTypes, vehicle: Option<&VehicleName>) -> Self {
        match scan.outcome {
            Ok(identification) => Self::identified(&scan.path, identification, types, vehicle),
            // Only the reason, because the row itself shows that the photograph could not be read.
            Err(error) => Self::failed(&scan.path, error.reason()),
        }
    }

    pub(crate) fn failed(path: &Path, error: String) -> Self {
        Self { error: Some(error), ..Self::empty(path) }
    }

    pub(super) fn empty(path: &Path) -> Self {
        Self {
            path: path_text(path).into_owned(),
            verdict: None,
            label: None,
            name: None,
            category: None,
            confidence: None,
            known_score: None,
            alternatives: Vec::new(),
            rolled_up: None,
            telling_apart: Vec::new(),
            candidate_set: None,
            timings_ms: None,
            vehicle: None,
            error: None,
            vehicle_doubts: None,
            read: None,
            regions: None,
            file: None,
        }
    }

    /// Keeps only the requested optional fields; a requested one is present even if it is empty.
    pub(crate) fn with(mut self, columns: Columns) -> Self {
        self.read = columns.read.then(|| self.read.unwrap_or(Text(None)));
        self.file = columns.duplicates.then(|| self.file.unwrap_or_default());
        self
    }

    /// Adds the identity of the row's file; `first` holds the first path of each file by its SHA-256.
    pub(crate) fn of_file(mut self, sha256: Option<[u8; 32]>, first: &mut HashMap<String, String>) -> Self {
        let sha256 = sha256.map(hex::encode);
        // Rows come in the order of the paths, so that the first path is the same in every run.
        let duplicate_of = sha256.as_ref().and_then(|sha256| match first.entry(sha256.clone()) {
            // A path that was named twice is no copy of itself.
            Entry::Occupied(seen) => Some(seen.get()).filter(|path| **path != self.path).cloned(),
            Entry::Vacant(new) => {
                new.insert(self.path.clone());
                None
            }
        });
        self.file = Some(FileIdentity { sha256, duplicate_of });
        self
    }

    /// The text on the photograph, on one line.
    pub(super) fn text(&self) -> String {
        let lines = self.read.iter().flat_map(|text| &text.0).flatten();
        lines.map(|line| line.text.as_str()).collect::<Vec<_>>().join(" | ")
    }

    /// The vehicle's reasons against part types, one sentence each.
    pub(super) fn reasons(&self) -> String {
        let doubts = self.vehicle_doubts.iter().flatten();
        doubts.map(|doubt| doubt.reason.as_str()).collect::<Vec<_>>().join(" ")
    }

    fn identified(
        path: &Path,
        identification: Identification,
        types: &PartTypes,
        vehicle: Option<&VehicleName>,
    ) -> Self {
        let name = |label: &PartLabel| types.name(label);
        let hints = types.catalog().telling_apart(&identification.best, &identification.alternatives);
        let telling_apart = hints.into_iter().map(Hint::from).collect();
        let Candidate { label, confidence } = identification.best;
        Self {
            name: Some(name(&label)),
            category: types.category(&label),
            label: Some(label),
            verdict: Some(identification.verdict),
            confidence: Some(confidence),
            known_score: Some(identification.known_score),
            alternatives: alternatives(identification.alternatives, name),
            candidate_set: identification.candidate_set.map(
                |CandidateSet { coverage, candidates, .. }| Set {
                    coverage,
                    labels: alternatives(candidates, name),
                },
            ),
            rolled_up: identification.category.map(RolledUp::from),
            telling_apart,
            timings_ms: Some(identification.timings_ms),
            read: Some(Text(identification.read.map(read_lines))),
            regions: identification.regions.map(|regions| {
                regions.into_iter().map(|(area, part)| Region::new(area, part, name)).collect()
            }),
            vehicle: vehicle.cloned(),
            vehicle_doubts: vehicle.map(|_| doubts(identification.vehicle_doubts, name)),
            ..Self::empty(path)
        }
    }

    pub(crate) fn is_error(&self) -> bool {
        self.error.is_some()
    }
}

pub(super) fn alternatives(
    candidates: Vec<Candidate>,
    name: impl Fn(&PartLabel) -> String,
) -> Vec<Alternative> {
    let alternative = |Candidate { label, confidence }| Alternative { name: name(&label), label, confidence };
    candidates.into_iter().map(alternative).collect()
}

fn doubts(found: Vec<VehicleDoubt>, name: impl Fn(&PartLabel) -> String) -> Vec<Doubt> {
    let doubt = |VehicleDoubt { label, confidence_without_vehicle, reason }| Doubt {
        name: name(&label),
        label,
        confidence_without_vehicle,
        reason,
    };
    found.into_iter().map(doubt).collect()
}
