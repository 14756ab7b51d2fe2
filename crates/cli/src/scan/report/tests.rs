//! Snapshot of a row in each format.

use std::collections::HashMap;
use std::path::Path;

use partsight_domain::{
    Candidate, Category, CategoryGuess, CodeSymbology, PartCode, PartLabel, PhotoView, TextKind, Verdict,
    brand_in,
};
use serde_json::{Value, json};

use super::super::fields::CSV_HEADER;
use super::super::row::{Alternative, Doubt, Hint, ReadLine, RolledUp, Set, Text, alternatives};
use super::*;

fn hint() -> Hint {
    Hint {
        between: ["brake-pad", "brake-rotor"].map(|label| PartLabel::new(label).unwrap()),
        view: PhotoView::Face,
        sentence: "A pad is flat.".to_owned(),
    }
}

/// A row whose best guess ties with its sibling, or one that is open without a tie.
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
    let columns = Columns { read: row.read.is_some(), duplicates: row.file.is_some(), several: false };
    let mut report = Report::start(&mut out, format, columns).unwrap();
    report.add(row).unwrap();
    report.finish().unwrap();
    String::from_utf8(out).unwrap()
}

#[test]
fn parquet_has_the_columns_of_csv() {
    let columns = Columns { read: false, duplicates: false, several: false };
    let mut out = Vec::new();
    let mut report = Report::start(&mut out, Format::Parquet, columns).unwrap();
    report.add(&tie()).unwrap();
    report.finish().unwrap();
    let holds = |text: &[u8]| out.windows(text.len()).any(|window| window == text);
    assert!(out.starts_with(b"PAR1") && out.ends_with(b"PAR1"));
    assert!(CSV_HEADER.iter().all(|name| holds(name.as_bytes())) && holds(b"disc.jpg"));
}

#[test]
fn csv_has_no_formula_and_keeps_numbers() {
    let row = Row { known_score: Some(-0.5), ..Row::empty(Path::new("=SUM(1) x.jpg")) };
    let csv = printed(Format::Csv, &row);
    let cells: Vec<&str> = csv.lines().nth(1).unwrap().split(',').collect();
    assert_eq!((cells[0], cells[6]), ("'=SUM(1) x.jpg", "-0.5"));
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
    let row = Row { candidate_set: Some(Set { coverage: Some(0.95), labels }), ..row(None) };
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
        brand: brand_in(text),
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
            { "text": "DENSO, JAPAN", "kind": "brand", "brand": "Denso", "confidence": 0.9375, "box": corners },
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
        brand: None,
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
        let row = tie().with(Columns { read: is_asked, duplicates: false, several: false });
        let found: Value = serde_json::from_str(&printed(Format::Jsonl, &row)).unwrap();
        assert_eq!(found.as_object().unwrap().get("read"), expected);
        assert_eq!(table_cells(&row)[4], "Brake Pad 44%");
    }
}

#[test]
fn a_copy_names_the_first_file_in_every_format() {
    let columns = Columns { read: false, duplicates: true, several: false };
    let mut first = HashMap::new();
    let hash = Some([0xab; 32]);
    let rows = [("disc.jpg", hash), ("copy.jpg", hash), ("disc.jpg", hash), ("gone.jpg", None)].map(
        |(path, sha256)| Row { path: path.to_owned(), ..tie() }.of_file(sha256, &mut first).with(columns),
    );
    let sha256 = "ab".repeat(32);
    let expected = [
        (json!(sha256), Value::Null),
        (json!(sha256), json!("disc.jpg")),
        // The same path again is no copy of itself.
        (json!(sha256), Value::Null),
        (Value::Null, Value::Null),
    ];
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
