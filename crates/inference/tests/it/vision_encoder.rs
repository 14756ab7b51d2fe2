//! The image encoders compared with `transformers`: golden files from `training/parity/make_encoders.py`.

use std::{fs, path::Path};

use ndarray::Array2;
use partsight_inference::{ComputeDevice, Error, ImageBatch, VisionEncoder, WeightsError};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::dual_encoder_folder::{Named, images, weight, write_weights};

/// Largest difference of a value of a unit embedding: another order of sums, and 7 digits in the file.
const TOLERANCE: f32 = 5e-6;

const ALL: [&str; 11] = [
    "dinov2",
    "dinov2-smaller",
    "dinov2-larger",
    "dinov2-gated",
    "dinov2-registers",
    "dinov2-registers-larger",
    "dinov3",
    "dinov3-gated",
    "convnext",
    "convnext-unscaled",
    "convnextv2",
];

/// A golden file by its name.
fn golden(name: &str) -> Value {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/vision_encoder");
    serde_json::from_slice(&fs::read(folder.join(format!("{name}.json"))).expect(name)).expect(name)
}

fn tensors(golden: &Value) -> Vec<Named> {
    serde_json::from_value(golden["tensors"].clone()).expect("names and shapes")
}

fn size(golden: &Value) -> usize {
    golden["size"].as_u64().expect("a side") as usize
}

fn folder(config: &Value, tensors: &[Named]) -> TempDir {
    folder_by(config, tensors, &weight)
}

fn folder_by(config: &Value, tensors: &[Named], value: &dyn Fn(&str, &[usize]) -> Vec<f32>) -> TempDir {
    let folder = TempDir::new().expect("a folder");
    fs::write(folder.path().join("config.json"), config.to_string()).expect("a file");
    write_weights(&folder.path().join("model.safetensors"), tensors, "F32", value);
    folder
}

fn load(folder: &TempDir, size: usize) -> Result<VisionEncoder, Error> {
    VisionEncoder::load(folder.path(), size, &ComputeDevice::Cpu)
}

fn check_parity(encoder: &VisionEncoder, golden: &Value) -> f32 {
    let rows: Vec<Vec<f32>> = serde_json::from_value(golden["embeddings"].clone()).expect("rows");
    let expected = Array2::from_shape_vec((rows.len(), rows[0].len()), rows.concat()).expect("one length");
    let found = encoder.embed_images(&images(rows.len(), size(golden))).expect("images");
    assert_eq!(found.dim(), expected.dim());
    (&found - &expected).into_iter().map(f32::abs).fold(0.0, f32::max)
}

#[test]
fn every_architecture_gives_what_transformers_gives() {
    for name in ALL {
        let golden = golden(name);
        let encoder = load(&folder(&golden["config"], &tensors(&golden)), size(&golden)).expect(name);
        let difference = check_parity(&encoder, &golden);
        println!("{name}: largest difference {difference:e}");
        assert!(difference <= TOLERANCE, "{name}: {difference}");
    }
}

/// The internal names of `transformers`, which some folders use.
#[test]
fn other_names_of_the_same_tensors_are_known() {
    let renamed = |name: &str| {
        name.replace("attention.attention.query", "attention.q_proj")
            .replace("attention.attention.key", "attention.k_proj")
            .replace("attention.attention.value", "attention.v_proj")
            .replace("attention.output.dense", "attention.o_proj")
            .replace("mlp.weights_out", "mlp.down_proj")
    };
    for name in ["dinov2", "dinov2-registers", "dinov2-gated", "dinov3", "convnext", "convnextv2"] {
        let golden = golden(name);
        let model_type = golden["config"]["model_type"].as_str().expect("a type");
        let prefix = if model_type == "dinov3_vit" { String::new() } else { format!("{model_type}.") };
        let mut values: Vec<(Named, Vec<f32>)> = Vec::new();
        for (old, shape) in tensors(&golden) {
            let all = weight(&old, &shape);
            let name = renamed(&old);
            let name = if model_type == "dinov3_vit" && name.starts_with("layer.") {
                format!("model.{name}")
            } else {
                name
            };
            // A matrix that combines two layers is split.
            if let Some((stem, end)) = name.split_once("weights_in") {
                let half_shape = [&[shape[0] / 2], &shape[1..]].concat();
                let (gate, up) = all.split_at(all.len() / 2);
                for (part, values_of) in [("gate_proj", gate), ("up_proj", up)] {
                    values.push((
                        (format!("{prefix}{stem}{part}{end}"), half_shape.clone()),
                        values_of.to_vec(),
                    ));
                }
            } else {
                values.push(((format!("{prefix}{name}"), shape), all));
            }
        }
        let names: Vec<Named> = values.iter().map(|(named, _)| named.clone()).collect();
        let value = |wanted: &str, _: &[usize]| {
            values
                .iter()
                .find(|((name, _), _)| name == wanted)
                .map(|(_, values)| values.clone())
                .expect(wanted)
        };
        let encoder = load(&folder_by(&golden["config"], &names, &value), size(&golden)).expect(name);
        let difference = check_parity(&encoder, &golden);
        assert!(difference <= TOLERANCE, "{name}: {difference}");
    }
}

#[test]
fn a_batch_gives_what_single_images_give() {
    for name in ["dinov2-registers", "dinov3", "convnextv2"] {
        let golden = golden(name);
        let encoder = load(&folder(&golden["config"], &tensors(&golden)), size(&golden)).expect(name);
        // More than the images per run.
        let all = images(20, size(&golden));
        let together = encoder.embed_images(&all).expect("images");
        for index in [0, 15, 16, 19] {
            let one = all.view().slice_move(ndarray::s![index..=index, .., .., ..]).to_owned();
            let alone = encoder.embed_images(&ImageBatch::new(one).expect("an image")).expect("an image");
            let difference =
                (&alone.row(0) - &together.row(index)).mapv(f32::abs).into_iter().fold(0.0, f32::max);
            assert!(difference < 1e-5, "{name}, {index}: {difference}");
        }
    }
}

#[test]
fn every_tensor_but_the_mask_is_needed_and_named_when_missing() {
    for name in
        ["dinov2", "dinov2-registers", "dinov2-gated", "dinov3", "dinov3-gated", "convnext", "convnextv2"]
    {
        let golden = golden(name);
        for missing in 0..tensors(&golden).len() {
            let mut tensors = tensors(&golden);
            let (missing, shape) = tensors.remove(missing);
            let outcome = load(&folder(&golden["config"], &tensors), size(&golden));
            // Without registers, transformers writes an empty tensor, which is not needed.
            if missing.ends_with("mask_token") || shape.contains(&0) {
                assert!(outcome.is_ok(), "{name}");
                continue;
            }
            match outcome.expect_err(&missing) {
                Error::Weights(WeightsError::TensorMissing { name, .. }) => assert_eq!(name, missing),
                other => panic!("{name}, {missing}: {other}"),
            }
        }
    }
}

#[test]
fn a_tensor_of_another_shape_is_named_with_both_shapes() {
    for (name, tensor) in [
        ("dinov2", "embeddings.position_embeddings"),
        ("dinov2", "encoder.layer.1.layer_scale1.lambda1"),
        ("dinov3", "embeddings.register_tokens"),
        ("convnext", "encoder.stages.1.downsampling_layer.1.weight"),
        ("convnextv2", "encoder.stages.0.layers.0.grn.weight"),
    ] {
        let golden = golden(name);
        let mut tensors = tensors(&golden);
        let named = tensors.iter_mut().find(|(name, _)| name == tensor).expect(tensor);
        let whole = named.1.clone();
        *named.1.last_mut().expect("an axis") += 1;
        let changed = named.1.clone();
        match load(&folder(&golden["config"], &tensors), size(&golden)).expect_err(tensor) {
            Error::Weights(WeightsError::WrongShape { name, expected, found, .. }) => {
                assert_eq!((name.as_str(), expected, found), (tensor, whole, changed));
            }
            other => panic!("{other}"),
        }
    }
}

#[test]
fn fields_that_are_not_obeyed_are_named() {
    for (name, field, value) in [
        ("dinov2", "num_channels", json!(1)),
        ("dinov2", "hidden_act", json!("mish")),
        ("dinov2", "mlp_ratio", json!(0)),
        ("dinov2", "num_attention_heads", json!(5)),
        ("dinov2", "head_dim", json!(16)),
        ("dinov2", "image_size", json!([224, 112])),
        ("dinov2", "patch_size", json!(113)),
        ("dinov2", "layer_norm_eps", json!(0)),
        ("dinov2-registers", "num_register_tokens", json!(65)),
        ("dinov3", "rope_theta", json!(0)),
        ("dinov3", "rope_parameters", json!({ "rope_type": "yarn" })),
        ("dinov3", "num_attention_heads", json!(24)),
        ("dinov3", "patch_size", json!([16, 8])),
        ("convnext", "hidden_sizes", json!([16, 24])),
        ("convnext", "depths", json!([1, 0, 1])),
        ("convnext", "num_stages", json!(9)),
        ("convnextv2", "hidden_act", json!("softplus")),
    ] {
        let golden = golden(name);
        let mut config = golden["config"].clone();
        config[field] = value;
        let error = load(&folder(&config, &tensors(&golden)), size(&golden)).expect_err(field);
        assert!(
            matches!(&error, Error::InvalidModelConfig { field: found, .. } if found == field),
            "{error}"
        );
    }
}

#[test]
fn other_types_and_sizes_are_refused() {
    let golden = golden("dinov3");
    let mut config = golden["config"].clone();
    config["model_type"] = json!("dinov3_convnext");
    let error = load(&folder(&config, &tensors(&golden)), 64).expect_err("another type").to_string();
    assert!(error.contains("`dinov3_convnext`") && error.contains("export it to ONNX"), "{error}");
    let whole = folder(&golden["config"], &tensors(&golden));
    for size in [0, 7, 520, 4096] {
        let error = load(&whole, size).expect_err("another size");
        assert!(matches!(error, Error::ImageSizeUnfit { smallest: 8, largest: 519, .. }), "{error}");
    }
    let encoder = load(&whole, 64).expect("an encoder");
    assert!(matches!(encoder.embed_images(&images(1, 65)), Err(Error::WrongTensorShape { .. })));
}

#[test]
fn a_file_of_weights_that_was_cut_is_refused() {
    let golden = golden("dinov2");
    let folder = folder(&golden["config"], &tensors(&golden));
    let path = folder.path().join("model.safetensors");
    let whole = fs::read(&path).expect("a file");
    for length in [0, 7, 100, whole.len() - 1] {
        fs::write(&path, &whole[..length]).expect("a file");
        let error = load(&folder, size(&golden)).expect_err("a file that was cut");
        assert!(matches!(error, Error::Weights(WeightsError::WrongSize { .. })), "{error}");
    }
}

#[test]
fn values_that_are_not_finite_are_refused() {
    let golden = golden("convnext");
    let folder = folder(&golden["config"], &tensors(&golden));
    let encoder = load(&folder, size(&golden)).expect("an encoder");
    let mut pixels = images(1, size(&golden)).view().to_owned();
    pixels[[0, 0, 0, 0]] = f32::NAN;
    let error = encoder.embed_images(&ImageBatch::new(pixels).expect("an image")).expect_err("no number");
    assert!(matches!(error, Error::NotFinite { .. }), "{error}");
}
