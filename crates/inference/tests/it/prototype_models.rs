//! Models with scores from prototypes, on both engines.

use std::{fs, path::Path};

use ndarray::{Array2, Array4, array};
use partsight_inference::{
    CandleEngine, ComputeDevice, Engine, Error, FileFormat, ImageBatch, Manifest, Model, OrtEngine,
    PrototypeHead, sha256,
};
use partsight_test_support::onnx_graph::mean_colour;
use tempfile::TempDir;

use crate::{
    common::onnx_runtime,
    dual_encoder_folder::{folder_for, golden, images},
};

const SIDE: u32 = 8;

/// A manifest for prototypes with `dimension` values, with the classes `first` and `second`.
fn manifest(
    format: FileFormat,
    file: (&str, &[u8]),
    prototypes: &[u8],
    dimension: usize,
    side: u32,
) -> String {
    let (path, bytes) = file;
    let (format, n_bytes, digest) = (format.as_str(), bytes.len(), sha256(bytes));
    let (prototypes_size, prototypes_digest) = (prototypes.len(), sha256(prototypes));
    format!(
        r#"
name = "tiny"
version = "1.0.0"
description = "Test."
licence = "MIT"
source = "Made by a test."
created_on = 2026-01-31

[file]
path = "{path}"
format = "{format}"
sha256 = "{digest}"
size_bytes = {n_bytes}

[input]
name = "pixel_values"
width = {side}
height = {side}
layout = "nchw"
channels = "rgb"
mean = [0.5, 0.5, 0.5]
std = [0.5, 0.5, 0.5]

[resize]
mode = "squash"
filter = "bicubic"

[embedding]
output = "image_embeds"
dimension = {dimension}
normalised = true

[classes]
labels = "labels.txt"
count = 2

[prototypes]
path = "prototypes.safetensors"
sha256 = "{prototypes_digest}"
size_bytes = {prototypes_size}
scale = 10.0

[calibration]
temperature = 1.0
known_scale = 1.0
known_bias = 0.0
fitted_on = "nothing"

[thresholds]
not_a_part_below = 0.1
identified_known_score = 0.5
identified_confidence = 0.8
category_confidence = 0.7
derived_by = "nothing"

[[thresholds.risk]]
wanted_error = 0.01
identified_confidence = 0.9
answered = 0.5
error_upper_bound = 0.02
n = 100

[[thresholds.risk]]
wanted_error = 0.05
identified_confidence = 0.8
answered = 0.7
error_upper_bound = 0.04
n = 100
"#
    )
}

fn write(folder: &Path, manifest: &str, prototypes: &[u8]) {
    fs::write(folder.join("model.toml"), manifest).expect("a manifest");
    fs::write(folder.join("labels.txt"), "first\nsecond\n").expect("labels");
    fs::write(folder.join("prototypes.safetensors"), prototypes).expect("prototypes");
}

fn prototypes(classes: Array2<f32>, background: Option<Array2<f32>>) -> Vec<u8> {
    PrototypeHead::new("tiny", classes, background, 10.0)
        .and_then(|head| head.to_safetensors("tiny"))
        .expect("unit rows")
}

/// Red and green as classes, and blue as the background.
fn colours() -> Vec<u8> {
    prototypes(array![[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], Some(array![[0.0, 0.0, 1.0]]))
}

fn onnx_folder(graph: &[u8], change: impl FnOnce(String) -> String) -> TempDir {
    let folder = TempDir::new().expect("a folder");
    fs::write(folder.path().join("model.onnx"), graph).expect("a graph");
    let manifest = manifest(FileFormat::Onnx, ("model.onnx", graph), &colours(), 3, SIDE);
    write(folder.path(), &change(manifest), &colours());
    folder
}

fn engine(folder: &TempDir) -> partsight_inference::Result<OrtEngine> {
    OrtEngine::new(&onnx_runtime(), &Model::load(folder.path())?, 1)
}

/// Images of one colour each, in normalised channel values.
fn coloured(colours: &[[f32; 3]]) -> ImageBatch {
    let side = SIDE as usize;
    ImageBatch::new(Array4::from_shape_fn((colours.len(), 3, side, side), |(image, channel, ..)| {
        colours[image][channel]
    }))
    .expect("a batch")
}

#[test]
fn a_graph_without_scores_gets_them_from_prototypes() {
    let folder = onnx_folder(&mean_colour(u64::from(SIDE), [0.0; 3]), |manifest| manifest);
    let mut engine = engine(&folder).expect("an engine");
    // Lengths other than 1 do not matter: the engine normalises the embeddings.
    let outputs = engine.run(&coloured(&[[0.3, 0.4, 0.0], [0.0, 0.0, 2.0]])).expect("a run");
    let close = |a: f32, b: f32| assert!((a - b).abs() < 1e-4, "{a} instead of {b}");
    close(outputs.embeddings[[0, 0]], 0.6);
    close(outputs.embeddings[[0, 1]], 0.8);
    close(outputs.logits[[0, 0]], 6.0);
    close(outputs.logits[[0, 1]], 8.0);
    close(outputs.known[0], (6.0_f32.exp() + 8.0_f32.exp()).ln());
    close(outputs.known[1], 2.0_f32.ln() - 10.0);
}

#[test]
fn a_weight_that_is_no_number_is_found_before_the_first_photograph() {
    let graph = mean_colour(u64::from(SIDE), [0.0, f32::NAN, 0.0]);
    let folder = onnx_folder(&graph, |manifest| manifest);
    let error = engine(&folder).expect("a graph of the right shape").warm_up().expect_err("no number");
    assert_eq!(error.to_string(), "`tiny` gave a value in `image_embeds` that is not a finite number");
}

#[test]
fn another_input_size_is_named_with_both() {
    let folder = onnx_folder(&mean_colour(16, [0.0; 3]), |manifest| manifest);
    let error = engine(&folder).err().expect("another size").to_string();
    assert!(
        error.contains("`tiny`") && error.contains("`pixel_values` should be f32 [n, ...[3, 8, 8]]"),
        "{error}"
    );
    assert!(error.contains("16"), "{error}");
}

#[test]
fn a_damaged_or_missing_file_of_prototypes_is_named() {
    let graph = mean_colour(u64::from(SIDE), [0.0; 3]);
    let folder = onnx_folder(&graph, |manifest| manifest);
    let path = folder.path().join("prototypes.safetensors");
    let mut bytes = colours();
    *bytes.last_mut().expect("bytes") ^= 1;
    fs::write(&path, &bytes).expect("another byte");
    let error = Model::load(folder.path()).expect_err("another hash");
    assert!(
        matches!(&error, Error::WrongModelHash { file, .. } if file == "prototypes.safetensors"),
        "{error:?}"
    );
    fs::write(&path, &bytes[1..]).expect("a byte less");
    assert!(matches!(Model::load(folder.path()), Err(Error::WrongModelSize { .. })));
    fs::remove_file(&path).expect("a file");
    assert!(matches!(Model::load(folder.path()), Err(Error::ReadModel { .. })));
}

#[test]
fn prototypes_of_another_number_or_length_are_refused() {
    let graph = mean_colour(u64::from(SIDE), [0.0; 3]);
    for other in [
        prototypes(array![[1.0, 0.0, 0.0]], None),
        prototypes(array![[1.0, 0.0], [0.0, 1.0]], None),
        b"no safetensors".to_vec(),
    ] {
        let folder = onnx_folder(&graph, |manifest| {
            manifest.replace(&sha256(&colours()), &sha256(&other)).replace(
                &format!("size_bytes = {}", colours().len()),
                &format!("size_bytes = {}", other.len()),
            )
        });
        fs::write(folder.path().join("prototypes.safetensors"), &other).expect("prototypes");
        let error = Model::load(folder.path()).expect_err("prototypes that do not fit");
        assert!(matches!(error, Error::InvalidPrototypes { .. } | Error::ReadPrototypes { .. }), "{error:?}");
    }
}

#[test]
fn a_manifest_that_contradicts_itself_is_refused_with_the_field() {
    let text = manifest(FileFormat::Onnx, ("model.onnx", b"x"), &colours(), 3, SIDE);
    let cases = [
        ("[classes]", "[classes]\noutput = \"logits\"", "classes.output"),
        ("[calibration]", "[known]\noutput = \"known\"\n[calibration]", "known.output"),
        ("scale = 10.0", "scale = 0.0", "prototypes.scale"),
        ("normalised = true", "normalised = false", "embedding.normalised"),
        ("path = \"prototypes.safetensors\"", "path = \"model.onnx\"", "prototypes.path"),
        ("path = \"prototypes.safetensors\"", "path = \"../p\"", "prototypes.path"),
        ("format = \"onnx\"", "format = \"safetensors\"\nopset = 17", "file.opset"),
        ("category_confidence = 0.7", "category_confidence = 1.7", "thresholds.category_confidence"),
        ("wanted_error = 0.05", "wanted_error = 0.01", "thresholds.risk.wanted_error"),
        ("wanted_error = 0.01", "wanted_error = 0.0", "thresholds.risk.wanted_error"),
        (
            "identified_confidence = 0.9",
            "identified_confidence = 0.7",
            "thresholds.risk.identified_confidence",
        ),
        ("answered = 0.5", "answered = 1.5", "thresholds.risk.answered"),
        ("n = 100", "n = 0", "thresholds.risk.n"),
    ];
    for (from, to, expected) in cases {
        assert!(text.contains(from), "{from}");
        let error = Manifest::parse("test", &text.replacen(from, to, 1)).expect_err(expected);
        assert!(
            matches!(&error, Error::InvalidManifest { field, .. } if *field == expected),
            "{expected}: {error:?}"
        );
    }
    let start = text.find("[prototypes]").expect("a section");
    let end = text.find("[calibration]").expect("a section");
    let without = format!("{}{}", &text[..start], &text[end..]);
    let error = Manifest::parse("test", &without).expect_err("no scores at all");
    assert!(matches!(&error, Error::InvalidManifest { field: "classes.output", .. }), "{error:?}");
    let error =
        Manifest::parse("test", &without.replace("\"onnx\"", "\"safetensors\"")).expect_err("no head");
    assert!(matches!(&error, Error::InvalidManifest { field: "file.format", .. }), "{error:?}");
}

#[test]
fn a_written_manifest_is_read_back_the_same() {
    let text = manifest(FileFormat::Onnx, ("model.onnx", b"x"), &colours(), 3, SIDE);
    let manifest = Manifest::parse("test", &text).expect("a manifest");
    assert!((manifest.thresholds.category_confidence() - 0.7).abs() < 1e-9);
    assert!(!manifest.thresholds.risk[0].is_met() && manifest.thresholds.risk[1].is_met());
    let again = Manifest::parse("test", &manifest.to_toml().expect("text")).expect("the same");
    assert_eq!(again, manifest);
    let without = text.replace("category_confidence = 0.7\n", "");
    let manifest = Manifest::parse("test", &without).expect("a manifest");
    assert!((manifest.thresholds.category_confidence() - 0.8).abs() < 1e-9, "the identified confidence");
}

/// A tiny CLIP with 40 dimensions, with its first two golden images as the prototypes.
pub(crate) fn candle_folder() -> TempDir {
    let golden = golden("tiny-clip");
    let folder = folder_for(&golden["config"]);
    let row = |index: usize| -> Vec<f32> {
        serde_json::from_value(golden["image_embeddings"][index].clone()).expect("numbers")
    };
    let rows = Array2::from_shape_vec((2, 40), [row(0), row(1)].concat()).expect("two rows");
    let prototypes = prototypes(rows, None);
    let weights = fs::read(folder.path().join("model.safetensors")).expect("weights");
    let format = FileFormat::Safetensors;
    let text = manifest(format, ("model.safetensors", &weights), &prototypes, 40, 32);
    let config = fs::read(folder.path().join("config.json")).expect("a configuration");
    let part = format!(
        "[[file.parts]]\npath = \"config.json\"\nsha256 = \"{}\"\nsize_bytes = {}\n\n[input]",
        sha256(&config),
        config.len()
    );
    write(folder.path(), &text.replacen("[input]", &part, 1), &prototypes);
    folder
}

#[test]
fn a_safetensors_folder_runs_on_candle() {
    let folder = candle_folder();
    let model = Model::load(folder.path()).expect("a whole folder");
    assert!(model.onnx().is_none());
    let mut engine = CandleEngine::new(&model, ComputeDevice::Cpu).expect("an engine");
    engine.warm_up().expect("a first run");
    assert_eq!(engine.provider(), "CPU");
    let outputs = engine.run(&images(2, 32)).expect("a run");
    for image in 0..2 {
        let logit = outputs.logits[[image, image]];
        assert!((logit - 10.0).abs() < 1e-3, "image {image} is its own prototype: {logit}");
        assert!(outputs.logits[[image, 1 - image]] < logit);
    }
    assert!(matches!(OrtEngine::new(&onnx_runtime(), &model, 1), Err(Error::WrongFormat { .. })));
}

#[test]
fn every_file_of_a_safetensors_folder_is_verified() {
    let folder = candle_folder();
    let path = folder.path().join("config.json");
    let mut config = fs::read(&path).expect("a configuration");
    config[0] = b' ';
    fs::write(&path, config).expect("another configuration");
    let error = Model::load(folder.path()).expect_err("another hash");
    assert!(matches!(&error, Error::WrongModelHash { file, .. } if file == "config.json"), "{error:?}");
}

#[test]
fn a_tower_of_another_size_is_refused() {
    let folder = candle_folder();
    let path = folder.path().join("model.toml");
    let text = fs::read_to_string(&path).expect("a manifest");
    let text = text.replacen("width = 32\nheight = 32", "width = 64\nheight = 64", 1);
    fs::write(&path, text).expect("a changed manifest");
    let model = Model::load(folder.path()).expect("consistent in itself");
    let error = CandleEngine::new(&model, ComputeDevice::Cpu).err().expect("another size");
    assert!(matches!(&error, Error::GraphMismatch { .. }), "{error:?}");
    let text = error.to_string();
    assert!(text.contains("[3, 64, 64]") && text.contains("[3, 32, 32]"), "{text}");
}
