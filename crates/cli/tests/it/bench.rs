//! `partsight bench`.

use std::fs;

use serde_json::Value;

use crate::Program;

#[test]
fn a_device_is_measured_without_any_photographs() {
    let program = Program::new();
    let arguments =
        ["bench", "--seconds", "1", "--batches", "1,2", "--price-per-hour", "0.5", "--format", "json"];
    let outcome = program.run(&[&arguments[..], &["--picture", "load.svg"]].concat());
    let report: Value = serde_json::from_str(&outcome.expect_code(0).stdout).unwrap();
    let sizes: Vec<&Value> = report["batches"].as_array().unwrap().iter().map(|row| &row["batch"]).collect();
    assert_eq!(sizes, [1, 2]);
    for positive in
        [&report["bulk"]["photosPerSecond"], &report["pricePerThousand"], &report["batches"][0]["p99Ms"]]
    {
        assert!(positive.as_f64().unwrap() > 0.0, "{report}");
    }
    let loads = report["loads"].as_array().unwrap();
    assert_eq!(loads.len(), 5);
    for load in loads {
        assert!(load["sent"].as_u64() >= load["refused"].as_u64(), "{load}");
    }
    assert!(fs::read_to_string(program.folder().join("load.svg")).unwrap().contains("</svg>"));
}

#[test]
fn what_cannot_be_measured_is_said_before_anything_is() {
    let program = Program::new();
    program.write("letter.jpg", "no picture");
    fs::create_dir(program.folder().join("empty")).unwrap();
    for (path, expected) in [
        ("letter.jpg", "letter.jpg: "),
        ("empty", "empty: there are no photographs in this folder"),
        ("missing.jpg", "missing.jpg: "),
    ] {
        let outcome = program.run(&["bench", path]);
        let stderr = &outcome.expect_code(1).stderr;
        assert!(stderr.contains(expected) && !stderr.contains("the network alone"), "{path}: {stderr}");
    }
    let outcome = program.run(&["bench", "--picture", "missing/load.svg"]);
    let sentence = outcome.only_sentence();
    assert!(sentence.contains("cannot write `missing/load.svg`"), "{sentence}");
    for (arguments, expected) in [
        (["--batches", "0"], "expected a whole number from 1 to 65535"),
        (["--batches", "1,70000"], "expected a whole number from 1 to 65535"),
        (["--seconds", "0.5"], "expected a whole number from 1 to 600"),
        (["--seconds", "601"], "expected a whole number from 1 to 600"),
    ] {
        let outcome = program.run(&[&["bench"][..], &arguments].concat());
        assert!(outcome.expect_code(2).stderr.contains(expected), "{arguments:?}: {outcome:?}");
    }
    program.run(&["bench", "--price-per-hour", "-1"]).expect_code(2);
}
