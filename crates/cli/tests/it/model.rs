//! A model or a runtime that is not what it should be.

use std::fs;

use serde_json::Value;

use crate::{Outcome, Program, golden, repository};

/// Scans a picture with a copy of the model, changed by `change`.
fn scan_with_model(change: impl FnOnce(&Program)) -> Outcome {
    let program = Program::new();
    for file in ["model.toml", "labels.txt", "model.onnx", "prototypes.safetensors"] {
        let content = fs::read(repository().join("models/partsight-50").join(file)).unwrap();
        program.write(&format!("model/{file}"), content);
    }
    change(&program);
    let program = program.with("PARTSIGHT_MODEL_DIR", "model");
    program.run(&["scan", golden("rim").to_str().unwrap(), "--format", "json"])
}

fn scan_with_library(path: &str) -> Outcome {
    Program::new().with("PARTSIGHT_ONNXRUNTIME", path).run(&["scan", golden("rim").to_str().unwrap()])
}

#[test]
fn a_model_in_a_folder_serves_like_the_one_within() {
    let outcome = scan_with_model(|_| {});
    assert_eq!(outcome.expect_code(0).rows()[0]["label"], "rim");
}

#[test]
fn an_answer_that_is_not_sure_names_the_few_types_that_it_is_one_of() {
    const PROBABILITY: f64 = 4e-4;
    let outcome = scan_with_model(|program| {
        let path = program.folder().join("model/model.toml");
        let mut manifest: toml::Table = fs::read_to_string(&path).unwrap().parse().unwrap();
        // Nothing is identified, so that the picture is not sure.
        manifest["thresholds"]["identified_confidence"] = 1.0.into();
        manifest["sets"]["coverage"] = 0.95.into();
        manifest["sets"]["probability"] = PROBABILITY.into();
        fs::write(&path, manifest.to_string()).unwrap();
    });
    let row = &outcome.expect_code(0).rows()[0];
    assert_eq!(row["verdict"], "not-sure", "{row}");
    let set = row["candidateSet"]["labels"].as_array().unwrap();
    assert_eq!(row["candidateSet"]["coverage"].as_f64(), Some(0.95));
    let confidence = |candidate: &Value| candidate["confidence"].as_f64().unwrap();
    let n_reaching = row["alternatives"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|other| confidence(other) >= PROBABILITY)
        .count();
    assert_eq!((set[0]["label"].as_str(), set.len()), (Some("rim"), 1 + n_reaching), "{row}");
    assert_eq!(set[1..], row["alternatives"].as_array().unwrap()[..n_reaching]);
}

#[test]
fn a_missing_model_file_is_named() {
    for file in ["model.toml", "labels.txt", "model.onnx", "prototypes.safetensors"] {
        let outcome = scan_with_model(|program| {
            fs::remove_file(program.folder().join("model").join(file)).unwrap();
        });
        let sentence = outcome.only_sentence();
        assert!(sentence.contains(&format!("cannot read the model file `model/{file}`")), "{sentence}");
    }
}

#[test]
fn a_model_file_with_another_hash_is_refused() {
    let outcome = scan_with_model(|program| {
        let path = program.folder().join("model/model.onnx");
        let mut graph = fs::read(&path).unwrap();
        let middle = graph.len() / 2;
        graph[middle] ^= 1;
        fs::write(path, graph).unwrap();
    });
    let sentence = outcome.only_sentence();
    assert!(sentence.contains("the file `model.onnx` of `partsight-50` has SHA-256"), "{sentence}");
    assert!(sentence.contains("fetch or copy the model again"), "{sentence}");
}

#[test]
fn a_model_file_that_ends_early_is_refused() {
    let outcome = scan_with_model(|program| {
        program.write("model/model.onnx", b"half");
    });
    let sentence = outcome.only_sentence();
    assert!(
        sentence.contains("the file `model.onnx` of `partsight-50` has 4 bytes instead of"),
        "{sentence}"
    );
}

#[test]
fn a_damaged_manifest_is_named() {
    let outcome = scan_with_model(|program| {
        program.write("model/model.toml", "name = ");
    });
    assert_eq!(outcome.code, Some(1), "{outcome:?}");
    assert!(outcome.stderr.contains("the model manifest `model/model.toml`"), "{}", outcome.stderr);
}

#[test]
fn a_missing_onnx_runtime_is_named_with_its_path() {
    let outcome = scan_with_library("/nowhere/libonnxruntime.so");
    let sentence = outcome.only_sentence();
    assert!(sentence.contains("`/nowhere/libonnxruntime.so`, does not exist"), "{sentence}");
}

#[test]
fn a_file_that_is_not_onnx_runtime_is_refused() {
    let cases = [
        (golden("rim"), "it is not a shared library"),
        // A program for this machine, but with nothing of ONNX Runtime in it.
        (std::env::current_exe().unwrap(), "ONNX Runtime"),
    ];
    for (path, reason) in cases {
        let outcome = scan_with_library(path.to_str().unwrap());
        let sentence = outcome.only_sentence();
        assert!(sentence.contains(path.to_str().unwrap()) && sentence.contains(reason), "{sentence}");
    }
}
