//! Which files are scanned, in which order, and how a scan ends.

use std::io::{BufRead, BufReader, Read};
use std::process::Stdio;

use serde_json::Value;

use crate::{Outcome, Program, golden};

fn paths(outcome: &Outcome) -> Vec<String> {
    outcome.rows().iter().map(|row| row["path"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_folder_is_searched_in_order_with_its_subfolders() {
    let program = Program::new();
    for name in ["photos/c.PNG", "photos/a.png", "photos/b/z.png", "photos/.hidden.png", "photos/b/.x/y.png"]
    {
        program.add_golden(name, "rim");
    }
    program.write("photos/notes.txt", "not a photo");
    let outcome = program.run(&["scan", "photos", "--format", "json"]);
    outcome.expect_code(0);
    assert_eq!(paths(&outcome), ["photos/a.png", "photos/b/z.png", "photos/c.PNG"]);
}

#[test]
fn paths_come_in_the_order_of_the_arguments_whatever_finishes_first() {
    let program = Program::new();
    program.add_golden("z.png", "rim");
    program.add_golden("folder/m.png", "meadow");
    let broken = program.write("a.png", "broken");
    let names = ["z.png", "folder", broken.to_str().unwrap(), "z.png"];
    for jobs in ["1", "8"] {
        let arguments = [&["scan", "--format", "json", "--jobs", jobs], &names[..]].concat();
        let outcome = program.run(&arguments);
        assert_eq!(paths(&outcome), ["z.png", "folder/m.png", broken.to_str().unwrap(), "z.png"], "{jobs}");
    }
}

#[test]
fn a_file_that_cannot_be_scanned_has_a_row_with_its_error_and_the_rest_are_scanned() {
    let program = Program::new();
    program.write("empty.png", "");
    program.write("letter.jpg", "I am a letter, not a picture.");
    let rim = std::fs::read(golden("rim")).unwrap();
    program.write("half.png", &rim[..rim.len() / 2]);
    program.add_golden("rim.png", "rim");
    let names = ["empty.png", "letter.jpg", "half.png", "missing.png", "rim.png"];
    let outcome = program.run(&[&["scan", "--format", "json"], &names[..]].concat());
    let rows = outcome.expect_code(1).rows();
    let errors: Vec<_> = rows.iter().map(|row| row["error"].as_str().unwrap_or_default()).collect();
    assert_eq!(
        errors[..3],
        [
            "the photo is empty (0 bytes): send the whole file",
            "this is not a photo: send a JPEG, PNG, WebP, HEIC, GIF, BMP or TIFF file",
            "the PNG file ends too early: send it again, whole",
        ]
    );
    assert!(errors[3].starts_with("cannot read the file: No such file"), "{}", errors[3]);
    assert_eq!((errors[4], &rows[4]["label"]), ("", &Value::from("rim")));
    for row in &rows[..4] {
        for field in ["verdict", "label", "name", "category", "confidence", "knownScore", "timingsMs"] {
            assert!(row[field].is_null(), "{field}: {row}");
        }
        assert_eq!(row["alternatives"], Value::Array(Vec::new()), "{row}");
    }
}

#[test]
fn the_limits_hold_and_are_named() {
    let limits =
        Program::new().with("PARTSIGHT_MAX_PHOTO_BYTES", "1024").with("PARTSIGHT_MAX_PHOTO_PIXELS", "100");
    limits.write("large.png", vec![0; 5000]);
    limits.write("wide.png", std::fs::read(golden("rim")).unwrap());
    let outcome = limits.run(&["scan", "large.png", "--format", "json"]);
    let expected = "the photo has 5000 bytes and the limit is 1024: send a smaller or more compressed one";
    assert_eq!(outcome.expect_code(1).rows()[0]["error"], expected);

    let pixels = Program::new().with("PARTSIGHT_MAX_PHOTO_PIXELS", "100");
    let outcome = pixels.run(&["scan", golden("rim").to_str().unwrap(), "--format", "json"]);
    let rows = outcome.expect_code(1).rows();
    let error = rows[0]["error"].as_str().unwrap();
    assert!(error.contains("pixels and the limit is 100 in all"), "{error}");
}

#[test]
fn a_photograph_is_read_from_standard_input() {
    let program = Program::new();
    let rim = std::fs::read(golden("rim")).unwrap();
    // A file of that name is not meant.
    program.add_golden("-", "meadow");
    let scan = |more: &[&str], input: &[u8]| program.run_with_input(&[&["scan", "-"], more].concat(), input);
    let outcome = scan(&["--format", "json", "--duplicates"], &rim);
    let rows = outcome.expect_code(0).rows();
    let row = &rows[0];
    assert_eq!((&row["path"], &row["label"]), (&Value::from("-"), &Value::from("rim")));
    assert_eq!(row["sha256"].as_str().unwrap().len(), 64);
    scan(&["--output", "rows.csv"], &rim).expect_code(0);
    let rows = std::fs::read_to_string(program.folder().join("rows.csv")).unwrap();
    let row = rows.lines().nth(1).unwrap();
    assert!(row.starts_with("-,") && row.contains(",rim,"), "{rows}");

    let outcome = scan(&["--format", "json"], b"");
    assert_eq!(
        outcome.expect_code(1).rows()[0]["error"],
        "the photo is empty (0 bytes): send the whole file"
    );
    let limited = Program::new().with("PARTSIGHT_MAX_PHOTO_BYTES", "1024");
    let outcome = limited.run_with_input(&["scan", "-", "--format", "json"], vec![0_u8; 5000]);
    let expected =
        "the photo has more than 1024 bytes, which is the limit: send a smaller or more compressed one";
    assert_eq!(outcome.expect_code(1).rows()[0]["error"], expected);
}

#[test]
fn standard_input_is_refused_beside_what_needs_files() {
    let program = Program::new();
    for (more, expected) in [
        (&["photo.jpg"][..], "without other paths"),
        (&["-"][..], "without other paths"),
        (&["--shard", "1/2"][..], "--shard is for many photographs"),
        (&["--output", "rows.csv", "--resume"][..], "--resume cannot go on with `-`"),
    ] {
        let outcome = program.run(&[&["scan", "-"], more].concat());
        assert!(outcome.misfit().contains(expected), "{outcome:?}");
    }
    assert!(!program.folder().join("rows.csv").exists());
}

#[test]
fn a_format_that_does_not_fit_is_refused_before_a_file_is_made() {
    let program = Program::new();
    for (arguments, expected) in [
        (&["--several"][..], "--several gives a list of parts"),
        (&["--several", "--output", "rows.csv"], "needs --format json or jsonl"),
        (&["--output", "rows.json", "--resume"], "--resume goes on with rows of --format jsonl and csv"),
        (&["--output", "rows.parquet", "--resume"], "--resume goes on with"),
        (&["--output", "rows.txt"], ".jsonl, .ndjson, .json, .csv and .parquet"),
        (&["--output", "rows."], "or add --format"),
    ] {
        let outcome = program.run(&[&["scan", "photo.jpg"], arguments].concat());
        assert!(outcome.misfit().contains(expected), "{outcome:?}");
    }
    for file in ["rows.csv", "rows.json", "rows.parquet", "rows.txt", "rows."] {
        assert!(!program.folder().join(file).exists(), "{file}");
    }
}

#[test]
fn an_empty_folder_is_an_error_of_its_own() {
    let program = Program::new();
    std::fs::create_dir(program.folder().join("empty")).unwrap();
    let outcome = program.run(&["scan", "empty", "--format", "json"]);
    let rows = outcome.expect_code(1).rows();
    assert_eq!(rows[0]["path"], "empty");
    let error = rows[0]["error"].as_str().unwrap();
    assert!(error.starts_with("there are no photographs in this folder"), "{error}");
}

#[test]
fn top_says_how_many_types_are_named() {
    for (top, alternatives) in [("1", 0), ("3", 2), ("1000", 49)] {
        let outcome =
            Program::new().run(&["scan", golden("rim").to_str().unwrap(), "--format", "json", "--top", top]);
        let rows = outcome.expect_code(0).rows();
        assert_eq!(rows[0]["alternatives"].as_array().unwrap().len(), alternatives, "{top}");
    }
}

#[test]
fn options_out_of_bounds_exit_with_2_and_say_what_fits() {
    let cases: [(&[&str], &str); 8] = [
        (&["--top", "0"], "1..=1000"),
        (&["--top", "-1"], "invalid value '-1' for '--top <N>'"),
        (&["--top", "1001"], "1..=1000"),
        (&["--jobs", "0"], "1..=1024"),
        (&["--format", "xml"], "table, json, jsonl, csv"),
        (
            &["--vehicle", "Honda Civic"],
            "`Honda` is no model year, which comes first; write the vehicle like",
        ),
        (&["--vehicle", "2015 Honda"], "the model is missing behind `Honda`"),
        (&["--vehicle", "1492 Santa Maria"], "between 1886 and 2100"),
    ];
    for (arguments, expected) in cases {
        let outcome = Program::new().run(&[&["scan", "x.png"], arguments].concat());
        outcome.expect_code(2);
        assert!(outcome.stderr.contains(expected), "{arguments:?}: {}", outcome.stderr);
        assert_eq!(outcome.stdout, "");
    }
}

#[test]
fn without_a_path_it_exits_with_2() {
    Program::new().run(&["scan"]).expect_code(2);
}

#[test]
fn a_reader_that_leaves_early_ends_the_scan_quietly() {
    let program = Program::new();
    for index in 0..40 {
        program.add_golden(&format!("photos/{index}.png"), "meadow");
    }
    let mut command = program.command(&["scan", "photos", "--format", "jsonl", "--jobs", "1"]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut reader = BufReader::new(child.stdout.take().unwrap());
    let mut first = String::new();
    reader.read_line(&mut first).unwrap();
    drop(reader);
    let mut stderr = String::new();
    child.stderr.take().unwrap().read_to_string(&mut stderr).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(0), "{stderr}");
    assert!(first.ends_with("}\n"), "{first}");
    assert_eq!(stderr, "");
}
