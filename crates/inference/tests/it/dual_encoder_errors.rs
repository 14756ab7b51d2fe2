//! The error for each broken model folder, and for each input that does not fit.

use std::fs;

use partsight_inference::{ComputeDevice, DualEncoder, Error, ImageBatch, WeightsError};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::dual_encoder_folder::{
    Named, folder_for, folder_without_weights, golden, images, tensors_of, weight, write_shards,
    write_weights,
};

fn config() -> Value {
    golden("tiny-clip")["config"].clone()
}

fn load(folder: &TempDir) -> Result<DualEncoder, Error> {
    DualEncoder::load(folder.path(), &ComputeDevice::Cpu)
}

/// The error for a folder with changed tensors or values.
fn load_with(tensors: &[Named], value: &dyn Fn(&str, &[usize]) -> Vec<f32>) -> Error {
    let folder = folder_without_weights(&config());
    write_weights(&folder.path().join("model.safetensors"), tensors, "F32", value);
    load(&folder).expect_err("the weights were broken")
}

/// The error for a folder with this configuration and no weights.
fn load_config(config: &str) -> Error {
    let folder = TempDir::new().expect("a folder");
    fs::write(folder.path().join("config.json"), config).expect("a file");
    load(&folder).expect_err("the configuration was broken")
}

#[test]
fn a_missing_file_is_named() {
    let folder = folder_for(&config());
    for name in ["model.safetensors", "config.json"] {
        fs::remove_file(folder.path().join(name)).unwrap();
        let error = load(&folder).unwrap_err();
        assert!(matches!(&error, Error::ReadModel { path, .. } if path.ends_with(name)), "{error}");
    }
}

#[test]
fn a_missing_shard_is_named() {
    let folder = folder_without_weights(&config());
    write_shards(folder.path(), &tensors_of(&config()));
    let shard = "model-00002-of-00002.safetensors";
    fs::remove_file(folder.path().join(shard)).unwrap();
    let error = load(&folder).unwrap_err();
    assert!(matches!(&error, Error::ReadModel { path, .. } if path.ends_with(shard)), "{error}");
}

#[test]
fn an_index_may_name_only_files_beside_it() {
    let folder = folder_without_weights(&config());
    let index = folder.path().join("model.safetensors.index.json");
    for shard in ["../model.safetensors", "/etc/passwd", "", ".."] {
        fs::write(&index, json!({ "weight_map": { "logit_scale": shard } }).to_string()).unwrap();
        let error = load(&folder).unwrap_err();
        assert!(matches!(&error, Error::InvalidModelFile { path, .. } if *path == index), "{shard}: {error}");
    }
    fs::write(&index, "{}").unwrap();
    assert!(matches!(load(&folder), Err(Error::InvalidModelFile { .. })));
}

#[test]
fn other_architectures_are_named() {
    for found in ["siglip2", "blip", "bert", "clip_vision_model", "CLIP"] {
        let error = load_config(&json!({ "model_type": found }).to_string());
        assert!(
            matches!(&error, Error::UnsupportedModelType { found: name, .. } if name == found),
            "{error}"
        );
        assert!(error.to_string().contains(found));
    }
}

#[test]
fn a_configuration_that_is_no_configuration_is_named() {
    for text in ["", "[]", "{", r#"{ "model_type": "clip", "vision_config": { "hidden_size": "768" } }"#] {
        let error = load_config(text);
        assert!(
            matches!(&error, Error::InvalidModelFile { path, .. } if path.ends_with("config.json")),
            "{text}: {error}"
        );
    }
}

#[test]
fn a_value_out_of_its_range_is_named() {
    let clip =
        |tower: &str, field: &str, value: Value| json!({ "model_type": "clip", tower: { field: value } });
    for (config, expected) in [
        (json!({}), "model_type"),
        (json!({ "model_type": null }), "model_type"),
        (json!({ "model_type": "clip", "projection_dim": 0 }), "projection_dim"),
        (clip("vision_config", "hidden_size", json!(0)), "vision_config.hidden_size"),
        (clip("vision_config", "hidden_size", json!(u64::MAX)), "vision_config.hidden_size"),
        (clip("vision_config", "num_attention_heads", json!(7)), "vision_config.num_attention_heads"),
        (clip("vision_config", "num_hidden_layers", json!(0)), "vision_config.num_hidden_layers"),
        (clip("vision_config", "image_size", json!([224, 256])), "vision_config.image_size"),
        (clip("vision_config", "patch_size", json!(225)), "vision_config.patch_size"),
        (clip("vision_config", "num_channels", json!(1)), "vision_config.num_channels"),
        (clip("text_config", "hidden_act", json!("relu6")), "text_config.hidden_act"),
        (clip("text_config", "layer_norm_eps", json!(0.0)), "text_config.layer_norm_eps"),
        (clip("text_config", "vocab_size", json!(0)), "text_config.vocab_size"),
        (
            json!({ "model_type": "siglip", "vision_config": { "vision_use_head": false } }),
            "vision_config.vision_use_head",
        ),
        (
            json!({ "model_type": "siglip", "text_config": { "projection_size": 5 } }),
            "text_config.projection_size",
        ),
    ] {
        let error = load_config(&config.to_string());
        assert!(
            matches!(&error, Error::InvalidModelConfig { field, .. } if field == expected),
            "{config}: {error}"
        );
    }
}

#[test]
fn every_tensor_is_needed_and_named_when_missing() {
    for family in ["tiny-clip", "tiny-siglip"] {
        let config = &golden(family)["config"];
        let all = tensors_of(config);
        for missing in 0..all.len() {
            let mut tensors = all.clone();
            let (missing, _) = tensors.remove(missing);
            let folder = folder_without_weights(config);
            write_weights(&folder.path().join("model.safetensors"), &tensors, "F32", &weight);
            let error = load(&folder).unwrap_err();
            assert!(
                matches!(&error, Error::Weights(WeightsError::TensorMissing { name, .. }) if *name == missing),
                "{missing}: {error}"
            );
        }
    }
}

#[test]
fn a_tensor_of_another_shape_is_named_with_both_shapes() {
    let mut tensors = tensors_of(&config());
    let tensor = tensors.iter_mut().find(|(name, _)| name == "visual_projection.weight").unwrap();
    tensor.1 = vec![48, 40];
    match load_with(&tensors, &weight) {
        Error::Weights(WeightsError::WrongShape { name, expected, found, .. }) => {
            assert_eq!(
                (name.as_str(), expected, found),
                ("visual_projection.weight", vec![40, 48], vec![48, 40])
            );
        }
        other => panic!("{other}"),
    }
    let tensor = tensors.iter_mut().find(|(name, _)| name == "logit_scale").unwrap();
    tensor.1 = vec![2];
    let error = load_with(&tensors, &weight);
    assert!(matches!(&error, Error::Weights(WeightsError::WrongShape { .. })), "{error}");
}

#[test]
fn a_weight_that_is_not_finite_is_named() {
    for broken in ["text_model.encoder.layers.1.mlp.fc2.bias", "logit_scale"] {
        for value in [f32::NAN, f32::INFINITY] {
            let error = load_with(&tensors_of(&config()), &|name, shape| {
                let mut values = weight(name, shape);
                if name == broken {
                    *values.last_mut().unwrap() = value;
                }
                values
            });
            assert!(
                matches!(&error, Error::Weights(WeightsError::NotFinite { name, .. }) if name == broken),
                "{error}"
            );
        }
    }
}

#[test]
fn weights_of_another_type_are_refused() {
    let folder = folder_without_weights(&config());
    write_weights(&folder.path().join("model.safetensors"), &tensors_of(&config()), "F64", &weight);
    let error = load(&folder).unwrap_err();
    assert!(
        matches!(&error, Error::Weights(WeightsError::UnsupportedType { found, .. }) if found == "F64"),
        "{error}"
    );
}

#[test]
fn a_file_of_weights_that_was_cut_or_damaged_is_refused() {
    let folder = folder_for(&config());
    let path = folder.path().join("model.safetensors");
    let whole = fs::read(&path).unwrap();
    let data_begin = 8 + u64::from_le_bytes(whole[..8].try_into().unwrap()) as usize;
    for length in [0, 7, 8, data_begin - 1, data_begin, whole.len() - 1] {
        fs::write(&path, &whole[..length]).unwrap();
        match load(&folder).unwrap_err() {
            Error::Weights(WeightsError::WrongSize { expected_bytes, found_bytes, .. }) => {
                assert!(found_bytes == length as u64 && expected_bytes > found_bytes);
            }
            other => panic!("{length}: {other}"),
        }
    }
    fs::write(&path, [&whole[..], b"more"].concat()).unwrap();
    assert!(matches!(load(&folder), Err(Error::Weights(WeightsError::WrongSize { .. }))));

    let mut damaged = whole.clone();
    damaged[8] = b'!';
    fs::write(&path, &damaged).unwrap();
    assert!(matches!(load(&folder), Err(Error::InvalidModelFile { .. })));
    fs::write(&path, b"version https://git-lfs.github.com/spec/v1\n").unwrap();
    assert!(matches!(load(&folder), Err(Error::InvalidModelFile { .. })), "a pointer instead of a file");
}

#[test]
fn images_of_another_size_are_refused() {
    let encoder = load(&folder_for(&config())).unwrap();
    for size in [31, 33, 224] {
        let error = encoder.embed_images(&images(2, size)).unwrap_err();
        match error {
            Error::WrongTensorShape { expected, found } => {
                assert_eq!((expected, found), (vec![2, 3, 32, 32], vec![2, 3, size, size]));
            }
            other => panic!("{other}"),
        }
    }
}

#[test]
fn pixels_that_are_not_finite_give_no_embedding() {
    let encoder = load(&folder_for(&config())).unwrap();
    let mut pixels = images(1, 32).view().to_owned();
    pixels[[0, 0, 0, 0]] = f32::NAN;
    let error = encoder.embed_images(&ImageBatch::new(pixels).unwrap()).unwrap_err();
    assert!(matches!(&error, Error::NotFinite { output, .. } if output == "image embedding"), "{error}");
}

#[test]
fn an_empty_list_of_texts_is_refused_and_an_empty_text_is_not() {
    let encoder = load(&folder_for(&config())).unwrap();
    assert!(matches!(encoder.embed_texts(&[]), Err(Error::NoTexts)));
    assert_eq!(encoder.embed_texts(&[""]).unwrap().dim(), (1, 40));
}

#[cfg(not(feature = "cuda"))]
#[test]
fn a_gpu_is_an_error_without_cuda() {
    let folder = folder_for(&config());
    let error = DualEncoder::load(folder.path(), &ComputeDevice::Cuda(0)).unwrap_err();
    assert!(matches!(&error, Error::NoGpu { number: 0, .. }), "{error}");
    assert!(error.to_string().contains("built without CUDA"), "{error}");
}
