//! The four ways to print a scan.

use serde_json::Value;

use crate::{Outcome, Program, golden};

const FIELDS: [&str; 10] = [
    "path",
    "verdict",
    "label",
    "name",
    "category",
    "confidence",
    "knownScore",
    "alternatives",
    "timingsMs",
    "error",
];
/// What a row has beside the contract.
const MORE_FIELDS: [&str; 3] = ["rolledUp", "tellingApart", "candidateSet"];

/// Scans a part, a meadow and a file that is none.
fn scan(format: &str, more: &[&str]) -> Outcome {
    let program = Program::new();
    program.write("broken.png", "broken");
    let (rotor, meadow) = (golden("brake-rotor"), golden("meadow"));
    let files = [rotor.to_str().unwrap(), meadow.to_str().unwrap(), "broken.png"];
    program.run(&[&["scan", "--format", format], more, &files[..]].concat())
}

fn names(object: &Value) -> Vec<&str> {
    object.as_object().unwrap().keys().map(String::as_str).collect()
}

#[track_caller]
fn check_rows(rows: &[Value]) {
    assert_eq!(rows.len(), 3);
    let mut fields = [&FIELDS[..], &MORE_FIELDS].concat();
    fields.sort_unstable();
    for row in rows {
        assert_eq!(names(row), fields);
    }
    let rotor = &rows[0];
    assert_eq!(rotor["path"], golden("brake-rotor").to_str().unwrap());
    assert_eq!(rotor["verdict"], "identified", "{rotor}");
    assert_eq!(rotor["label"], "brake-rotor");
    assert_eq!(rotor["name"], "Brake Rotor");
    assert_eq!(rotor["category"], "brake");
    for score in [&rotor["confidence"], &rotor["knownScore"]] {
        assert!((0.5..=1.0).contains(&score.as_f64().unwrap()), "{rotor}");
    }
    assert_eq!(rotor["alternatives"].as_array().unwrap().len(), 4);
    for alternative in rotor["alternatives"].as_array().unwrap() {
        assert_eq!(names(alternative), ["confidence", "label", "name"]);
    }
    assert_eq!(names(&rotor["timingsMs"]), ["decode", "inference", "preprocess", "queue", "total"]);
    assert_eq!(rotor["rolledUp"], Value::Null, "the rotor is identified");
    assert_eq!(rotor["tellingApart"], Value::Array(Vec::new()), "nothing else comes near");
    assert_eq!(rotor["candidateSet"], Value::Null, "the rotor is identified");
    assert!(rotor["timingsMs"]["inference"].as_f64().unwrap() > 0.0);
    assert_eq!((&rows[1]["verdict"], &rows[1]["error"]), (&Value::from("not-a-part"), &Value::Null));
    assert_eq!(rows[2]["verdict"], Value::Null);
    assert_eq!(rows[2]["error"], "this is not a photo: send a JPEG, PNG, WebP, HEIC, GIF, BMP or TIFF file");
}

#[test]
fn json_is_one_array() {
    let outcome = scan("json", &[]);
    check_rows(&outcome.expect_code(1).rows());
    assert_eq!(outcome.stderr, "partsight: 1 of 3 photographs could not be scanned; their rows say why\n");
}

#[test]
fn json_lines_are_one_object_each() {
    let outcome = scan("jsonl", &[]);
    let rows: Vec<Value> =
        outcome.expect_code(1).stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    check_rows(&rows);
}

#[test]
fn fields_come_in_the_order_of_the_contract() {
    let outcome = scan("jsonl", &[]);
    for line in outcome.stdout.lines() {
        let places: Vec<_> = FIELDS.iter().map(|name| line.find(&format!("\"{name}\":")).unwrap()).collect();
        // `alternatives` has names of its own, which come later; the first of each counts.
        assert!(places.is_sorted(), "{line}");
    }
}

#[test]
fn json_of_nothing_is_still_an_array() {
    let program = Program::new();
    let outcome = program.run(&["scan", "missing.png", "--format", "json"]);
    assert_eq!(outcome.expect_code(1).rows().len(), 1);
}

#[test]
fn csv_has_a_header_and_a_record_for_each_file() {
    let outcome = scan("csv", &[]);
    let mut reader = csv::Reader::from_reader(outcome.expect_code(1).stdout.as_bytes());
    let header: Vec<String> = reader.headers().unwrap().iter().map(str::to_owned).collect();
    let stages = ["decodeMs", "preprocessMs", "queueMs", "inferenceMs", "totalMs"];
    let [rolled_up, telling_apart, candidate_set] = MORE_FIELDS;
    let more = [rolled_up, "vehicleDoubts", telling_apart, candidate_set];
    assert_eq!(header, [&FIELDS[..8], &stages, &["error"], &more].concat());
    let records: Vec<_> = reader.records().map(Result::unwrap).collect();
    let field =
        |record: usize, name: &str| &records[record][header.iter().position(|found| found == name).unwrap()];
    assert_eq!(records.len(), 3);
    assert_eq!((field(0, "verdict"), field(0, "label")), ("identified", "brake-rotor"));
    assert!(field(0, "confidence").parse::<f32>().unwrap() > 0.5);
    let alternatives: Vec<_> = field(0, "alternatives").split(';').collect();
    assert_eq!(alternatives.len(), 4);
    for alternative in alternatives {
        let (label, confidence) = alternative.split_once('=').unwrap();
        assert!(!label.is_empty() && confidence.parse::<f32>().is_ok(), "{alternative}");
    }
    assert!(field(0, "totalMs").parse::<f32>().unwrap() > 0.0);
    assert_eq!((field(1, "verdict"), field(1, "error")), ("not-a-part", ""));
    assert_eq!(field(2, "label"), "");
    assert_eq!(field(2, "error"), "this is not a photo: send a JPEG, PNG, WebP, HEIC, GIF, BMP or TIFF file");
}

#[test]
fn a_table_says_it_in_words() {
    let outcome = scan("table", &[]);
    let lines: Vec<_> = outcome.expect_code(1).stdout.lines().collect();
    let title = lines[0];
    for column in ["Photograph", "Verdict", "Part", "Sure", "It could also be"] {
        assert!(title.contains(column), "{title}");
    }
    let text = &outcome.stdout;
    assert!(title.starts_with("Photograph") && lines.iter().all(|line| *line == line.trim_end()), "{text:?}");
    for word in ["identified", "Brake Rotor", "%", "not a part", "error", "this is not a photo"] {
        assert!(text.contains(word), "{word}: {text}");
    }
}

#[test]
fn a_name_with_a_line_break_keeps_its_row_on_one_line() {
    let program = Program::new();
    program.write("new\nline\u{1b}[2J.png", "broken");
    let outcome = program.run(&["scan", "new\nline\u{1b}[2J.png"]);
    let row = outcome.expect_code(1).stdout.lines().nth(1).unwrap();
    assert!(row.starts_with(r"new\nline\u{1b}[2J.png  error"), "{outcome:?}");
}

#[test]
fn a_table_is_what_is_printed_unless_asked_otherwise() {
    let outcome = Program::new().run(&["scan", golden("rim").to_str().unwrap()]);
    assert!(outcome.expect_code(0).stdout.contains("Photograph"), "{}", outcome.stdout);
}

#[test]
fn a_vehicle_stands_beside_each_answer() {
    let outcome = scan("json", &["--vehicle", "2015 Honda Civic Type R"]);
    let rows = outcome.expect_code(1).rows();
    let vehicle = serde_json::json!({ "year": 2015, "make": "Honda", "model": "Civic Type R" });
    assert_eq!(rows[0]["vehicle"], vehicle);
    // Rotors, springs and rims are on every car.
    assert_eq!(rows[0]["vehicleDoubts"], serde_json::json!([]));
}

#[test]
fn a_make_of_two_words_is_one_make() {
    let outcome = scan("json", &["--vehicle", "2015 Land Rover LR4"]);
    let vehicle = serde_json::json!({ "year": 2015, "make": "Land Rover", "model": "LR4" });
    assert_eq!(outcome.expect_code(1).rows()[0]["vehicle"], vehicle);
    assert!(!outcome.stderr.contains("nothing is known"), "{}", outcome.stderr);
}

#[test]
fn a_vehicle_that_nothing_is_known_of_is_said_and_no_error() {
    let outcome =
        Program::new().run(&["scan", golden("rim").to_str().unwrap(), "--vehicle", "2015 Honta Civic"]);
    let stderr = &outcome.expect_code(0).stderr;
    assert!(stderr.contains("the vehicle facts have no 2015 Honta Civic"), "{stderr}");
}

fn written(name: &str) -> String {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../models/reading/golden");
    format!("{folder}/{name}.png")
}

#[test]
fn the_text_on_a_part_is_read_where_it_is_asked_for() {
    let program = Program::new();
    let broken = program.write("broken.png", "broken");
    let files = [written("level"), written("nothing"), broken.to_str().unwrap().to_owned()];
    let arguments =
        |format| ["scan", "--read", "--format", format].map(str::to_owned).into_iter().chain(files.clone());
    let outcome = program.run(&arguments("json").collect::<Vec<_>>());
    let rows = outcome.expect_code(1).rows();
    let lines = rows[0]["read"].as_array().unwrap();
    assert_eq!(lines[0]["text"], "27060-0L022", "{lines:?}");
    assert!(lines[0]["confidence"].as_f64().unwrap() > 0.7, "{lines:?}");
    assert_eq!(lines[0]["box"].as_array().unwrap().len(), 4, "{lines:?}");
    assert_eq!((&rows[1]["read"], &rows[2]["read"]), (&Value::Array(Vec::new()), &Value::Null));
    assert_eq!(outcome.stderr, "partsight: 1 of 3 photographs could not be scanned; their rows say why\n");
    let csv = program.run(&arguments("csv").collect::<Vec<_>>()).stdout;
    let mut csv = csv.lines();
    assert!(csv.next().unwrap().ends_with(",candidateSet,read"));
    assert!(csv.next().unwrap().contains(",27060-0L022 | "));
    let table = program.run(&arguments("table").collect::<Vec<_>>()).stdout;
    assert!(table.contains("Text: 27060-0L022"), "{table}");
}

#[test]
fn without_the_networks_that_read_the_scan_goes_on_and_says_so() {
    let program = Program::new().with("PARTSIGHT_READING_DIR", "nowhere");
    let outcome = program.run(&["scan", "--read", "--format", "json", golden("rim").to_str().unwrap()]);
    let rows = outcome.expect_code(0).rows();
    // Codes are looked for without these networks; there is none on it.
    assert_eq!((&rows[0]["label"], &rows[0]["read"]), (&Value::from("rim"), &Value::Array(Vec::new())));
    let expected =
        "partsight: text on photographs cannot be read: cannot read the model file `nowhere/reading.toml`";
    assert!(outcome.stderr.starts_with(expected), "{}", outcome.stderr);
    assert!(outcome.stderr.ends_with("; going on without it\n"), "{}", outcome.stderr);
}
