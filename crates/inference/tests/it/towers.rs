//! The towers of a Hugging Face folder, on both engines.

use std::fs;

use ndarray::Array4;
use partsight_inference::{Error, FileFormat, ImageBatch, TowerFiles, TowerOptions, Towers};
use partsight_test_support::onnx_graph::{both_towers, mean_colour, mean_token};
use serde_json::json;
use tempfile::TempDir;

use crate::{
    common::onnx_runtime,
    dual_encoder_folder::{folder_for, folder_without_weights, golden, tensors_of, write_shards},
};

/// A folder whose graphs embed into three dimensions.
fn onnx_folder() -> TempDir {
    let mut config = golden("tiny-clip")["config"].clone();
    config["projection_dim"] = json!(3);
    folder_without_weights(&config)
}

fn open(folder: &TempDir, format: FileFormat, wants_texts: bool) -> partsight_inference::Result<Towers> {
    let files = TowerFiles::find(folder.path(), Some(format))?;
    let runtime = onnx_runtime();
    let options = TowerOptions {
        wants_texts,
        image_size: [32, 32],
        output: None,
        pool: None,
        onnxruntime: Some(runtime.path()),
    };
    Towers::open(&files, &options)
}

fn image() -> ImageBatch {
    ImageBatch::new(Array4::from_elem((1, 3, 32, 32), 0.5)).expect("an image")
}

#[test]
fn both_engines_embed_images_and_texts_into_unit_rows() {
    let onnx = onnx_folder();
    fs::create_dir(onnx.path().join("onnx")).expect("a folder");
    fs::write(onnx.path().join("onnx/vision_model.onnx"), mean_colour(32, [0.0; 3])).expect("a graph");
    fs::write(onnx.path().join("onnx/text_model.onnx"), mean_token(634)).expect("a graph");
    let candle = folder_for(&golden("tiny-clip")["config"]);
    for (folder, format, dimension) in [(&onnx, FileFormat::Onnx, 3), (&candle, FileFormat::Safetensors, 40)]
    {
        let mut towers = open(folder, format, true).expect("towers");
        assert_eq!((towers.dimension(), towers.image_size()), (dimension, [32, 32]));
        let images = towers.embed_images(&image()).expect("an image");
        let texts = towers.embed_texts(&["a brake pad", "an oil filter"]).expect("texts");
        assert_eq!((images.dim(), texts.dim()), ((1, dimension), (2, dimension)));
        for row in images.outer_iter().chain(texts.outer_iter()) {
            assert!((row.dot(&row) - 1.0).abs() < 1e-4, "{row}");
        }
        assert!(texts.row(0) != texts.row(1), "two texts");
        assert!(matches!(towers.embed_texts(&[]), Err(Error::NoTexts)));
    }
}

#[test]
fn a_graph_for_images_alone_has_no_texts() {
    let folder = onnx_folder();
    fs::write(folder.path().join("model.onnx"), mean_colour(32, [0.0; 3])).expect("a graph");
    assert!(matches!(open(&folder, FileFormat::Onnx, true), Err(Error::NoTextTower { .. })));
    let mut towers = open(&folder, FileFormat::Onnx, false).expect("an image tower");
    assert!(matches!(towers.embed_texts(&["x"]), Err(Error::NoTextTower { .. })));
}

#[test]
fn graphs_that_do_not_fit_are_refused_with_what_they_have() {
    let folder = onnx_folder();
    let graph = folder.path().join("model.onnx");
    fs::write(&graph, both_towers(32)).expect("a graph");
    let error = open(&folder, FileFormat::Onnx, false).err().expect("a further input").to_string();
    assert!(
        error.contains("export the vision tower") && error.contains("input_ids, pixel_values"),
        "{error}"
    );
    fs::write(&graph, mean_token(8)).expect("a graph");
    let error = open(&folder, FileFormat::Onnx, false).err().expect("no image").to_string();
    assert!(error.contains("image_embeds or pooler_output") && error.contains("text_embeds"), "{error}");
    fs::write(&graph, b"no graph").expect("a file");
    assert!(matches!(open(&folder, FileFormat::Onnx, false), Err(Error::BuildSession { .. })));
    fs::write(&graph, mean_colour(32, [f32::NAN; 3])).expect("a graph");
    let mut towers = open(&folder, FileFormat::Onnx, false).expect("a graph of the right form");
    assert!(matches!(towers.embed_images(&image()), Err(Error::NotFinite { .. })));
}

#[test]
fn files_are_found_or_named() {
    let folder = onnx_folder();
    let error = TowerFiles::find(folder.path(), None).expect_err("no weights").to_string();
    assert!(error.contains("`model.safetensors`") && error.contains("`vision_model.onnx`"), "{error}");
    fs::write(folder.path().join("model.onnx"), b"x").expect("a file");
    assert!(matches!(
        TowerFiles::find(folder.path(), Some(FileFormat::Safetensors)),
        Err(Error::NoNetwork { .. })
    ));
    write_shards(folder.path(), &tensors_of(&golden("tiny-clip")["config"]));
    let files = TowerFiles::find(folder.path(), None).expect("shards");
    assert_eq!(files.format, FileFormat::Safetensors);
    let names: Vec<_> = files.parts.iter().filter_map(|part| part.to_str()).collect();
    assert!(
        names.contains(&"config.json") && names.contains(&"model-00002-of-00002.safetensors"),
        "{names:?}"
    );
}
