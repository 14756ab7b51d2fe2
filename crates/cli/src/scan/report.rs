use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::fmt::Write as _;
use std::io::{self, Write};
use std::path::Path;

use comfy_table::{CellAlignment, ContentArrangement, Table, presets};
use partsight_app::{
    Catalog, Cell, ColumnKind, FileScan, FoundCode, Identification, ParquetFile, PhotoReading, TextLine,
    part_code,
};
use partsight_domain::{
    Candidate, CandidateSet, Category, CategoryGuess, PartCode, PartLabel, PhotoView, RegionBox,
    StageTimings, TellingApart, TextKind, VehicleDoubt, VehicleName, Verdict,
};
use serde::Serialize;

use crate::arguments::Format;

/// One photograph's line of output, with the fields and names of the command's contract, `rolledUp`,
/// `tellingApart` and `candidateSet`.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Row {
    path: String,
    verdict: Option<Verdict>,
    label: Option<PartLabel>,
    name: Option<String>,
    category: Option<Category>,
    confidence: Option<f32>,
    known_score: Option<f32>,
    alternatives: Vec<Alternative>,
    rolled_up: Option<RolledUp>,
    telling_apart: Vec<Hint>,
    candidate_set: Option<Set>,
    timings_ms: Option<StageTimings>,
    #[serde(skip_serializing_if = "Option::is_none")]
    vehicle: Option<VehicleName>,
    error: Option<String>,
    /// Where a vehicle was named.
    #[serde(skip_serializing_if = "Option::is_none")]
    vehicle_doubts: Option<Vec<Doubt>>,
    /// Where it was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    read: Option<Text>,
    /// The parts on the photograph, where they were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    regions: Option<Vec<Region>>,
    /// Where it was asked for.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    file: Option<FileIdentity>,
}

/// Which file a row is of, whatever its name.
#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
struct FileIdentity {
    /// Of its bytes, in hexadecimal digits; `None` where it cannot be read.
    sha256: Option<String>,
    /// The first path with the same bytes, where this is not it.
    duplicate_of: Option<String>,
}

/// What a row has beyond the contract, where it was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Columns {
    /// The text and codes on the photograph.
    pub(crate) read: bool,
    /// The file's SHA-256, and the path that it is a copy of.
    pub(crate) duplicates: bool,
}

/// The text on a photograph; `None` where it could not be read.
#[derive(Debug, Serialize)]
#[serde(transparent)]
struct Text(Option<Vec<ReadLine>>);

/// One line of it, or a code.
#[derive(Debug, Serialize)]
struct ReadLine {
    text: String,
    /// What kind of text it is.
    kind: TextKind,
    confidence: f32,
    /// Its corners in pixels of the upright photograph, from where it begins.
    #[serde(rename = "box")]
    corners: [[f32; 2]; 4],
    /// How it is drawn, and its fields, where it is a code.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    code: Option<PartCode>,
}

impl From<TextLine> for ReadLine {
    fn from(line: TextLine) -> Self {
        Self {
            kind: TextKind::of(&line.text),
            text: line.text,
            confidence: line.confidence,
            corners: line.corners,
            code: None,
        }
    }
}

impl ReadLine {
    /// A code; `None` for one without anything to show.
    fn of_code(found: &FoundCode) -> Option<Self> {
        let (code, text) = part_code(found)?;
        let line = partsight_domain::ReadLine::of_code(code, text, 0, found.corners);
        Some(Self {
            text: line.text,
            kind: line.kind,
            confidence: line.confidence,
            corners: line.corners,
            code: line.code,
        })
    }
}

/// Codes first, for they are surer.
fn read_lines(PhotoReading { codes, lines }: PhotoReading) -> Vec<ReadLine> {
    codes.iter().filter_map(ReadLine::of_code).chain(lines.into_iter().map(ReadLine::from)).collect()
}

/// One part on a photograph that shows several.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Region {
    /// Left, top, width and height as shares of the upright photograph's sides.
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
struct Alternative {
    label: PartLabel,
    name: String,
    confidence: f32,
}

/// The few types that an answer which is not sure is one of, the best guess among them.
#[derive(Debug, Serialize)]
struct Set {
    coverage: f64,
    labels: Vec<Alternative>,
}

/// A part type that cannot be on the vehicle, and therefore counts for less.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Doubt {
    label: PartLabel,
    name: String,
    /// By the photograph alone.
    confidence_without_vehicle: f32,
    reason: String,
}

/// Which view tells the best guess from another part that is nearly as probable.
#[derive(Debug, Serialize)]
struct Hint {
    between: [PartLabel; 2],
    view: PhotoView,
    sentence: String,
}

impl From<&TellingApart> for Hint {
    fn from(hint: &TellingApart) -> Self {
        Self { between: hint.between.clone(), view: hint.view, sentence: hint.sentence.clone() }
    }
}

/// The category that answers where the best guess ties with its siblings.
#[derive(Debug, Serialize)]
struct RolledUp {
    category: Category,
    name: &'static str,
    confidence: f32,
}

impl From<CategoryGuess> for RolledUp {
    fn from(CategoryGuess { category, confidence }: CategoryGuess) -> Self {
        Self { category, name: category.title(), confidence }
    }
}

impl Row {
    pub(crate) fn new(scan: FileScan, catalog: &Catalog, vehicle: Option<&VehicleName>) -> Self {
        match scan.outcome {
            Ok(identification) => Self::identified(&scan.path, identification, catalog, vehicle),
            // That the photograph cannot be read is plain from the row; what is wrong with it is not.
            Err(error) => Self::failed(&scan.path, error.reason()),
        }
    }

    pub(crate) fn failed(path: &Path, error: String) -> Self {
        Self { error: Some(error), ..Self::empty(path) }
    }

    fn empty(path: &Path) -> Self {
        Self {
            path: path.to_string_lossy().into_owned(),
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

    /// With the fields that were asked for, also where they are empty, and without the others.
    pub(crate) fn with(mut self, columns: Columns) -> Self {
        self.read = columns.read.then(|| self.read.unwrap_or(Text(None)));
        self.file = columns.duplicates.then(|| self.file.unwrap_or_default());
        self
    }

    /// The same for a file with these bytes; `first` knows where each file was seen first.
    pub(crate) fn of_file(mut self, sha256: Option<[u8; 32]>, first: &mut HashMap<String, String>) -> Self {
        let sha256 = sha256.map(hex);
        let duplicate_of = sha256.as_ref().and_then(|sha256| match first.entry(sha256.clone()) {
            Entry::Occupied(seen) => Some(seen.get().clone()),
            Entry::Vacant(new) => {
                new.insert(self.path.clone());
                None
            }
        });
        self.file = Some(FileIdentity { sha256, duplicate_of });
        self
    }

    /// What is written on the photograph, on one line.
    fn text(&self) -> String {
        let lines = self.read.iter().flat_map(|text| &text.0).flatten();
        lines.map(|line| line.text.as_str()).collect::<Vec<_>>().join(" | ")
    }

    fn identified(
        path: &Path,
        identification: Identification,
        catalog: &Catalog,
        vehicle: Option<&VehicleName>,
    ) -> Self {
        let name = |label: &PartLabel| {
            catalog.get(label).map_or_else(|| label.to_string(), |part_type| part_type.name.clone())
        };
        let hints = catalog.telling_apart(&identification.best, &identification.alternatives);
        let telling_apart = hints.into_iter().map(Hint::from).collect();
        let Candidate { label, confidence } = identification.best;
        Self {
            name: Some(name(&label)),
            category: catalog.get(&label).map(|part_type| part_type.category),
            label: Some(label),
            verdict: Some(identification.verdict),
            confidence: Some(confidence),
            known_score: Some(identification.known_score),
            alternatives: alternatives(identification.alternatives, name),
            // Files are no shop's, so nobody has marked look-alikes and every set is a measured one.
            candidate_set: identification.candidate_set.and_then(|CandidateSet { coverage, candidates }| {
                Some(Set { coverage: coverage?, labels: alternatives(candidates, name) })
            }),
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

fn alternatives(candidates: Vec<Candidate>, name: impl Fn(&PartLabel) -> String) -> Vec<Alternative> {
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

/// Rows on their way to standard output, in one of the formats.
#[derive(Debug)]
pub(crate) struct Report<W: Write> {
    writer: RowWriter<W>,
    columns: Columns,
}

#[derive(Debug)]
enum RowWriter<W: Write> {
    Table { out: W, table: Box<Table> },
    Json { out: W, is_first: bool },
    JsonLines(W),
    Csv(Box<csv::Writer<W>>),
    Parquet(Box<ParquetFile<W>>),
}

impl<W: Write> Report<W> {
    /// Writes what stands above the rows.
    pub(crate) fn start(mut out: W, format: Format, columns: Columns) -> io::Result<Self> {
        let writer = match format {
            Format::Table => RowWriter::Table { out, table: Box::new(table()) },
            Format::Json => {
                out.write_all(b"[")?;
                RowWriter::Json { out, is_first: true }
            }
            Format::Jsonl => RowWriter::JsonLines(out),
            Format::Csv => {
                let mut writer = csv::Writer::from_writer(out);
                writer.write_record(header(columns)).map_err(io::Error::from)?;
                RowWriter::Csv(Box::new(writer))
            }
            Format::Parquet => {
                let kind = |name| if NUMBERS.contains(&name) { ColumnKind::Number } else { ColumnKind::Text };
                let columns = header(columns).map(|name| (name, kind(name))).collect();
                RowWriter::Parquet(Box::new(ParquetFile::new(out, columns)?))
            }
        };
        Ok(Self { writer, columns })
    }

    /// Goes on below the rows of an earlier run; `None` in a format that has something else below them.
    pub(crate) fn go_on(out: W, format: Format, columns: Columns) -> Option<Self> {
        let writer = match format {
            Format::Table | Format::Json | Format::Parquet => return None,
            Format::Jsonl => RowWriter::JsonLines(out),
            Format::Csv => RowWriter::Csv(Box::new(csv::Writer::from_writer(out))),
        };
        Some(Self { writer, columns })
    }

    /// Writes a row, at once where the format allows it.
    pub(crate) fn add(&mut self, row: &Row) -> io::Result<()> {
        match &mut self.writer {
            RowWriter::Table { table, .. } => {
                table.add_row(table_cells(row));
                Ok(())
            }
            RowWriter::Json { out, is_first } => {
                out.write_all(if *is_first { b"\n" } else { b",\n" })?;
                *is_first = false;
                serde_json::to_writer(&mut *out, row).map_err(io::Error::from)
            }
            RowWriter::JsonLines(out) => {
                serde_json::to_writer(&mut *out, row).map_err(io::Error::from)?;
                out.write_all(b"\n")?;
                // A reader of the stream waits for whole lines.
                out.flush()
            }
            RowWriter::Csv(writer) => {
                writer.write_record(fields(row, self.columns)).map_err(io::Error::from)?;
                writer.flush()
            }
            RowWriter::Parquet(file) => {
                let cell = |(name, field): (&str, String)| match field.parse() {
                    _ if field.is_empty() => Cell::Empty,
                    Ok(number) if NUMBERS.contains(&name) => Cell::Number(number),
                    _ => Cell::Text(field),
                };
                file.push(header(self.columns).zip(fields(row, self.columns)).map(cell))
            }
        }
    }

    /// Writes what stands below the rows.
    pub(crate) fn finish(self) -> io::Result<()> {
        match self.writer {
            RowWriter::Table { mut out, table } => {
                writeln!(out, "{table}")?;
                out.flush()
            }
            RowWriter::Json { mut out, is_first } => {
                out.write_all(if is_first { b"]\n" } else { b"\n]\n" })?;
                out.flush()
            }
            RowWriter::JsonLines(mut out) => out.flush(),
            RowWriter::Csv(mut writer) => writer.flush(),
            RowWriter::Parquet(file) => file.finish().map(drop),
        }
    }
}

fn table() -> Table {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_content_arrangement(ContentArrangement::Dynamic);
    table.set_header(["Photograph", "Verdict", "Part", "Sure", "It could also be"]);
    if let Some(column) = table.column_mut(3) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table
}

fn table_cells(row: &Row) -> [String; 5] {
    if let Some(error) = &row.error {
        return [row.path.clone(), "error".to_owned(), error.clone(), String::new(), String::new()];
    }
    let verdict = match (row.verdict, &row.rolled_up) {
        (Some(Verdict::Identified), _) => "identified".to_owned(),
        (Some(Verdict::NotSure), None) => "not sure".to_owned(),
        (Some(Verdict::NotSure), Some(RolledUp { name, confidence, .. })) => {
            format!("not sure ({name} {})", percent(*confidence))
        }
        (Some(Verdict::NotAPart), _) => "not a part".to_owned(),
        (None, _) => String::new(),
    };
    let alternatives: Vec<String> = row
        .alternatives
        .iter()
        // What is less likely than one in a hundred only distracts.
        .filter(|alternative| alternative.confidence >= 0.01)
        .map(|alternative| format!("{} {}", alternative.name, percent(alternative.confidence)))
        .collect();
    [
        row.path.clone(),
        verdict,
        row.name.clone().unwrap_or_default(),
        row.confidence.map(percent).unwrap_or_default(),
        below_each_other([alternatives.join(", "), reasons(row), text_line(row), copy_line(row)]),
    ]
}

fn below_each_other(lines: [String; 4]) -> String {
    lines.into_iter().filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n")
}

/// What is written on the photograph, where there is something.
fn text_line(row: &Row) -> String {
    let text = row.text();
    if text.is_empty() { text } else { format!("Text: {text}") }
}

/// Which file this is a copy of, where it is one.
fn copy_line(row: &Row) -> String {
    let duplicate_of = row.file.as_ref().and_then(|file| file.duplicate_of.as_ref());
    duplicate_of.map(|path| format!("The same file as {path}")).unwrap_or_default()
}

/// What the vehicle speaks against, a sentence each.
fn reasons(row: &Row) -> String {
    let doubts = row.vehicle_doubts.iter().flatten();
    doubts.map(|doubt| doubt.reason.as_str()).collect::<Vec<_>>().join(" ")
}

fn hex(bytes: [u8; 32]) -> String {
    bytes.iter().fold(String::with_capacity(64), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

fn percent(confidence: f32) -> String {
    format!("{:.0}%", confidence * 100.0)
}

const CSV_HEADER: [&str; 18] = [
    "path",
    "verdict",
    "label",
    "name",
    "category",
    "confidence",
    "knownScore",
    "alternatives",
    "decodeMs",
    "preprocessMs",
    "queueMs",
    "inferenceMs",
    "totalMs",
    "error",
    // Beside the contract, so they come last: a reader that goes by position finds all else where it was.
    "rolledUp",
    "vehicleDoubts",
    "tellingApart",
    "candidateSet",
];

/// The columns of [`CSV_HEADER`] that hold numbers.
const NUMBERS: [&str; 7] =
    ["confidence", "knownScore", "decodeMs", "preprocessMs", "queueMs", "inferenceMs", "totalMs"];

/// The names of all columns.
fn header(columns: Columns) -> impl Iterator<Item = &'static str> {
    let more = [
        columns.read.then_some("read"),
        columns.duplicates.then_some("sha256"),
        columns.duplicates.then_some("duplicateOf"),
    ];
    CSV_HEADER.into_iter().chain(more.into_iter().flatten())
}

/// The fields of a row in those columns, empty where there is nothing.
fn fields(row: &Row, columns: Columns) -> impl Iterator<Item = String> {
    let text = columns.read.then(|| row.text());
    let file = columns.duplicates.then(|| {
        let identity = row.file.as_ref();
        [identity.and_then(|file| file.sha256.clone()), identity.and_then(|file| file.duplicate_of.clone())]
            .map(Option::unwrap_or_default)
    });
    csv_fields(row).into_iter().chain(text).chain(file.into_iter().flatten())
}

fn csv_fields(row: &Row) -> [String; 18] {
    let number = |value: Option<f32>| value.map(|value| value.to_string()).unwrap_or_default();
    let timing = |stage: fn(&StageTimings) -> f32| number(row.timings_ms.as_ref().map(stage));
    let alternatives: Vec<String> = row
        .alternatives
        .iter()
        .map(|alternative| format!("{}={}", alternative.label, alternative.confidence))
        .collect();
    [
        row.path.clone(),
        row.verdict.map(|verdict| verdict.as_str().to_owned()).unwrap_or_default(),
        row.label.as_ref().map(ToString::to_string).unwrap_or_default(),
        row.name.clone().unwrap_or_default(),
        row.category.map(|category| category.as_str().to_owned()).unwrap_or_default(),
        number(row.confidence),
        number(row.known_score),
        alternatives.join(";"),
        timing(|timings| timings.decode),
        timing(|timings| timings.preprocess),
        timing(|timings| timings.queue),
        timing(|timings| timings.inference),
        timing(|timings| timings.total),
        row.error.clone().unwrap_or_default(),
        row.rolled_up
            .as_ref()
            .map(|rolled_up| format!("{}={}", rolled_up.category.as_str(), rolled_up.confidence))
            .unwrap_or_default(),
        reasons(row),
        row.telling_apart.iter().map(|hint| hint.sentence.as_str()).collect::<Vec<_>>().join(" "),
        row.candidate_set
            .iter()
            .flat_map(|set| &set.labels)
            .map(|candidate| candidate.label.as_str())
            .collect::<Vec<_>>()
            .join("|"),
    ]
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use partsight_domain::CodeSymbology;

    fn hint() -> Hint {
        Hint {
            between: ["brake-pad", "brake-rotor"].map(|label| PartLabel::new(label).unwrap()),
            view: PhotoView::Face,
            sentence: "A pad is flat.".to_owned(),
        }
    }

    /// A photograph whose best guess ties with its sibling, or one that is open without a tie.
    fn row(rolled_up: Option<RolledUp>) -> Row {
        let label = |name| PartLabel::new(name).unwrap();
        Row {
            verdict: Some(Verdict::NotSure),
            label: Some(label("brake-rotor")),
            name: Some("Brake Rotor".to_owned()),
            category: Some(Category::Brake),
            confidence: Some(0.5),
            known_score: Some(0.75),
            alternatives: vec![Alternative {
                label: label("brake-pad"),
                name: "Brake Pad".to_owned(),
                confidence: 0.4375,
            }],
            telling_apart: rolled_up.iter().map(|_| hint()).collect(),
            rolled_up,
            ..Row::empty(Path::new("disc.jpg"))
        }
    }

    fn tie() -> Row {
        row(Some(CategoryGuess { category: Category::Brake, confidence: 0.9375 }.into()))
    }

    fn printed(format: Format, row: &Row) -> String {
        let mut out = Vec::new();
        let columns = Columns { read: row.read.is_some(), duplicates: row.file.is_some() };
        let mut report = Report::start(&mut out, format, columns).unwrap();
        report.add(row).unwrap();
        report.finish().unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn parquet_has_the_columns_of_csv() {
        let columns = Columns { read: false, duplicates: false };
        let mut out = Vec::new();
        let mut report = Report::start(&mut out, Format::Parquet, columns).unwrap();
        report.add(&tie()).unwrap();
        report.finish().unwrap();
        let holds = |text: &[u8]| out.windows(text.len()).any(|window| window == text);
        assert!(out.starts_with(b"PAR1") && out.ends_with(b"PAR1"));
        assert!(CSV_HEADER.iter().all(|name| holds(name.as_bytes())) && holds(b"disc.jpg"));
    }

    #[test]
    fn a_tie_names_its_category_beside_the_best_guess() {
        let found: Value = serde_json::from_str(&printed(Format::Jsonl, &tie())).unwrap();
        let expected = json!({ "category": "brake", "name": "Brake System", "confidence": 0.9375 });
        assert_eq!(found["rolledUp"], expected);
        let between = json!(["brake-pad", "brake-rotor"]);
        let hint = json!([{ "between": between, "view": "face", "sentence": "A pad is flat." }]);
        assert_eq!(found["tellingApart"], hint);
        assert_eq!((&found["verdict"], &found["label"]), (&json!("not-sure"), &json!("brake-rotor")));
        let cells = ["disc.jpg", "not sure (Brake System 94%)", "Brake Rotor", "50%", "Brake Pad 44%"];
        assert_eq!(table_cells(&tie()), cells);
        let csv = printed(Format::Csv, &tie());
        assert!(
            csv.lines().next().unwrap().ends_with(",error,rolledUp,vehicleDoubts,tellingApart,candidateSet"),
            "{csv}"
        );
        assert!(csv.lines().nth(1).unwrap().ends_with(",,brake=0.9375,,A pad is flat.,"), "{csv}");
    }

    #[test]
    fn a_candidate_set_says_what_the_part_is_one_of() {
        let candidate = |label, confidence| Candidate { label: PartLabel::new(label).unwrap(), confidence };
        let both = vec![candidate("brake-rotor", 0.5), candidate("brake-pad", 0.4375)];
        let labels = alternatives(both, |label| label.to_string().to_uppercase());
        let row = Row { candidate_set: Some(Set { coverage: 0.95, labels }), ..row(None) };
        let found: Value = serde_json::from_str(&printed(Format::Jsonl, &row)).unwrap();
        let expected = json!({ "coverage": 0.95, "labels": [
            { "label": "brake-rotor", "name": "BRAKE-ROTOR", "confidence": 0.5 },
            { "label": "brake-pad", "name": "BRAKE-PAD", "confidence": 0.4375 },
        ] });
        assert_eq!(found["candidateSet"], expected);
        assert!(printed(Format::Csv, &row).ends_with(",,,,brake-rotor|brake-pad\n"));
        let without: Value = serde_json::from_str(&printed(Format::Jsonl, &tie())).unwrap();
        assert_eq!(without.as_object().unwrap().get("candidateSet"), Some(&Value::Null));
    }

    #[test]
    fn what_the_vehicle_speaks_against_is_said_with_its_reason() {
        let reason = "A 2021 Tesla Model 3 has no engine with spark ignition, so Spark Plug cannot be on it.";
        let doubt = Doubt {
            label: PartLabel::new("spark-plug").unwrap(),
            name: "Spark Plug".to_owned(),
            confidence_without_vehicle: 0.75,
            reason: reason.to_owned(),
        };
        let row = Row { vehicle_doubts: Some(vec![doubt]), ..row(None) };
        let found: Value = serde_json::from_str(&printed(Format::Jsonl, &row)).unwrap();
        let expected = json!([{
            "label": "spark-plug", "name": "Spark Plug", "confidenceWithoutVehicle": 0.75, "reason": reason,
        }]);
        assert_eq!(found["vehicleDoubts"], expected);
        assert!(printed(Format::Csv, &row).ends_with(&format!(",,,\"{reason}\",,\n")));
        assert_eq!(table_cells(&row)[4], format!("Brake Pad 44%\n{reason}"));
    }

    #[test]
    fn without_a_vehicle_nothing_is_said_of_one() {
        let found: Value = serde_json::from_str(&printed(Format::Jsonl, &tie())).unwrap();
        assert!(!found.as_object().unwrap().contains_key("vehicleDoubts"), "{found}");
    }

    #[test]
    fn the_text_on_a_part_stands_in_every_format() {
        let line = |text: &str| ReadLine {
            text: text.to_owned(),
            kind: TextKind::of(text),
            confidence: 0.9375,
            corners: [[1.0, 2.0], [9.0, 2.0], [9.0, 4.0], [1.0, 4.0]],
            code: None,
        };
        let row = Row { read: Some(Text(Some(vec![line("27060-0L022"), line("DENSO, JAPAN")]))), ..tie() };
        let found: Value = serde_json::from_str(&printed(Format::Jsonl, &row)).unwrap();
        let corners = json!([[1.0, 2.0], [9.0, 2.0], [9.0, 4.0], [1.0, 4.0]]);
        assert_eq!(
            found["read"],
            json!([
                { "text": "27060-0L022", "kind": "part-number", "confidence": 0.9375, "box": corners },
                { "text": "DENSO, JAPAN", "kind": "brand", "confidence": 0.9375, "box": corners },
            ])
        );
        let csv = printed(Format::Csv, &row);
        assert!(csv.lines().next().unwrap().ends_with(",candidateSet,read"), "{csv}");
        assert!(csv.lines().nth(1).unwrap().ends_with(",\"27060-0L022 | DENSO, JAPAN\""), "{csv}");
        assert_eq!(table_cells(&row)[4], "Brake Pad 44%\nText: 27060-0L022 | DENSO, JAPAN");
    }

    #[test]
    fn a_code_says_how_it_is_drawn_and_what_its_fields_are() {
        let (code, text) = PartCode::new(CodeSymbology::Code128, true, "0109506000134352241AB,12").unwrap();
        let line = partsight_domain::ReadLine::of_code(code, text, 0, [[0.0; 2]; 4]);
        let line = ReadLine {
            text: line.text,
            kind: line.kind,
            confidence: line.confidence,
            corners: line.corners,
            code: line.code,
        };
        let row = Row { read: Some(Text(Some(vec![line]))), ..tie() };
        let found: Value = serde_json::from_str(&printed(Format::Jsonl, &row)).unwrap();
        let expected = json!([{
            "text": "(01)09506000134352(241)AB,12", "kind": "barcode", "confidence": 1.0,
            "box": [[0.0, 0.0], [0.0, 0.0], [0.0, 0.0], [0.0, 0.0]], "symbology": "code-128",
            "fields": [
                { "id": "01", "title": "GTIN", "value": "09506000134352" },
                { "id": "241", "title": "Customer part number", "value": "AB,12" },
            ],
        }]);
        assert_eq!(found["read"], expected);
        let csv = printed(Format::Csv, &row);
        assert!(csv.lines().nth(1).unwrap().ends_with(",\"(01)09506000134352(241)AB,12\""), "{csv}");
    }

    #[test]
    fn a_photograph_that_was_not_read_says_so_only_where_it_was_asked_for() {
        for (is_asked, expected) in [(true, Some(&Value::Null)), (false, None)] {
            let row = tie().with(Columns { read: is_asked, duplicates: false });
            let found: Value = serde_json::from_str(&printed(Format::Jsonl, &row)).unwrap();
            assert_eq!(found.as_object().unwrap().get("read"), expected);
            assert_eq!(table_cells(&row)[4], "Brake Pad 44%");
        }
    }

    #[test]
    fn a_copy_names_the_first_file_in_every_format() {
        let columns = Columns { read: false, duplicates: true };
        let mut first = HashMap::new();
        let rows = [Some([0xab; 32]), Some([0xab; 32]), None]
            .map(|sha256| tie().of_file(sha256, &mut first).with(columns));
        let sha256 = "ab".repeat(32);
        let expected =
            [(json!(sha256), Value::Null), (json!(sha256), json!("disc.jpg")), (Value::Null, Value::Null)];
        for (row, (sha256, duplicate_of)) in rows.iter().zip(expected) {
            let found: Value = serde_json::from_str(&printed(Format::Jsonl, row)).unwrap();
            assert_eq!((&found["sha256"], &found["duplicateOf"]), (&sha256, &duplicate_of));
            assert!(found.as_object().unwrap().contains_key("duplicateOf"), "asked for, and empty: {found}");
        }
        let csv = printed(Format::Csv, &rows[1]);
        assert!(csv.lines().next().unwrap().ends_with(",candidateSet,sha256,duplicateOf"), "{csv}");
        assert!(csv.ends_with(&format!(",{sha256},disc.jpg\n")), "{csv}");
        assert_eq!(table_cells(&rows[1])[4], "Brake Pad 44%\nThe same file as disc.jpg");
        let unasked: Value = serde_json::from_str(&printed(Format::Jsonl, &tie())).unwrap();
        assert!(!unasked.as_object().unwrap().contains_key("sha256"), "{unasked}");
    }

    #[test]
    fn without_a_tie_there_is_no_category_for_an_answer() {
        let found: Value = serde_json::from_str(&printed(Format::Jsonl, &row(None))).unwrap();
        assert_eq!(found.as_object().unwrap().get("rolledUp"), Some(&Value::Null));
        assert_eq!(table_cells(&row(None))[1], "not sure");
        assert!(printed(Format::Csv, &row(None)).ends_with(",,,,\n"));
    }
}
