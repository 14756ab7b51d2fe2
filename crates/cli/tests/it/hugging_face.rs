//! Hugging Face folders made on the spot: a tiny CLIP whose weights are a formula, and graphs that see colours.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};

use crate::onnx_graph::{mean_colour, mean_token};
use crate::{Program, repository};

/// Side of the input, in pixels.
pub(crate) const SIDE: u64 = 32;

/// Configuration, preparation and tokenizer, without a network.
pub(crate) fn folder(program: &Program, name: &str, dimension: usize) -> PathBuf {
    let fixtures = repository().join("crates/inference/tests/fixtures/dual_encoder");
    let mut golden: Value =
        serde_json::from_slice(&fs::read(fixtures.join("tiny-clip.json")).unwrap()).unwrap();
    let mut config = golden["config"].take();
    config["projection_dim"] = json!(dimension);
    program.write(&format!("{name}/config.json"), config.to_string());
    let preparation = json!({
        "do_center_crop": true, "crop_size": SIDE, "size": {"shortest_edge": SIDE}, "resample": 3,
        "image_mean": [0.5, 0.5, 0.5], "image_std": [0.5, 0.5, 0.5]
    });
    program.write(&format!("{name}/preprocessor_config.json"), preparation.to_string());
    let tokenizer = fs::read(fixtures.join("clip-tokenizer/tokenizer.json")).unwrap();
    program.write(&format!("{name}/tokenizer.json"), tokenizer);
    program.folder().join(name)
}

/// A folder with graphs for images and for texts; the embedding is the mean colour plus `offset`.
pub(crate) fn onnx(program: &Program, name: &str, offset: [f32; 3]) -> PathBuf {
    let folder = folder(program, name, 3);
    program.write(&format!("{name}/vision_model.onnx"), mean_colour(SIDE, offset));
    program.write(&format!("{name}/text_model.onnx"), mean_token(634));
    folder
}

/// A folder with safetensors; one value is not a number where `is_broken`.
pub(crate) fn safetensors(program: &Program, name: &str, is_broken: bool) -> PathBuf {
    let folder = folder(program, name, 40);
    let config: Value = serde_json::from_slice(&fs::read(folder.join("config.json")).unwrap()).unwrap();
    write_weights(&folder.join("model.safetensors"), &tensors(&config), is_broken);
    folder
}

/// A folder with an encoder of photographs alone: that of a golden file of `crates/inference`, with other weights.
pub(crate) fn vision(program: &Program, name: &str, golden: &str) -> PathBuf {
    let fixtures = repository().join("crates/inference/tests/fixtures/vision_encoder");
    let golden: Value =
        serde_json::from_slice(&fs::read(fixtures.join(format!("{golden}.json"))).unwrap()).unwrap();
    program.write(&format!("{name}/config.json"), golden["config"].to_string());
    let preparation = json!({
        "do_center_crop": true, "crop_size": {"height": 64, "width": 64}, "size": {"shortest_edge": 72},
        "resample": 3, "image_processor_type": "BitImageProcessor",
        "image_mean": [0.485, 0.456, 0.406], "image_std": [0.229, 0.224, 0.225]
    });
    program.write(&format!("{name}/preprocessor_config.json"), preparation.to_string());
    let tensors: Vec<(String, Vec<usize>)> = serde_json::from_value(golden["tensors"].clone()).unwrap();
    let folder = program.folder().join(name);
    write_weights(&folder.join("model.safetensors"), &tensors, false);
    folder
}

/// Name and shape of each tensor of a CLIP.
fn tensors(config: &Value) -> Vec<(String, Vec<usize>)> {
    let size = |value: &Value| usize::try_from(value.as_u64().unwrap()).unwrap();
    let (text, vision) = (&config["text_config"], &config["vision_config"]);
    let (text_width, width) = (size(&text["hidden_size"]), size(&vision["hidden_size"]));
    let (patch, dimension) = (size(&vision["patch_size"]), size(&config["projection_dim"]));
    let n_patches = (size(&vision["image_size"]) / patch).pow(2);
    let mut tensors = Vec::new();
    let mut add = |name: String, shape: &[usize]| tensors.push((name, shape.to_vec()));
    add("logit_scale".into(), &[]);
    add("vision_model.embeddings.patch_embedding.weight".into(), &[width, 3, patch, patch]);
    add("vision_model.embeddings.position_embedding.weight".into(), &[n_patches + 1, width]);
    add("vision_model.embeddings.class_embedding".into(), &[width]);
    add("visual_projection.weight".into(), &[dimension, width]);
    add("text_projection.weight".into(), &[dimension, text_width]);
    add("text_model.embeddings.token_embedding.weight".into(), &[size(&text["vocab_size"]), text_width]);
    add("text_model.embeddings.position_embedding.weight".into(), &[77, text_width]);
    let mut pair = |name: String, shape: &[usize]| {
        add(format!("{name}.weight"), shape);
        add(format!("{name}.bias"), &shape[..1]);
    };
    pair("vision_model.pre_layrnorm".into(), &[width]);
    pair("vision_model.post_layernorm".into(), &[width]);
    pair("text_model.final_layer_norm".into(), &[text_width]);
    for (tower, config, width) in [("vision_model", vision, width), ("text_model", text, text_width)] {
        let inner = size(&config["intermediate_size"]);
        for index in 0..size(&config["num_hidden_layers"]) {
            let layer = format!("{tower}.encoder.layers.{index}");
            for part in ["q_proj", "k_proj", "v_proj", "out_proj"] {
                pair(format!("{layer}.self_attn.{part}"), &[width, width]);
            }
            pair(format!("{layer}.layer_norm1"), &[width]);
            pair(format!("{layer}.layer_norm2"), &[width]);
            pair(format!("{layer}.mlp.fc1"), &[inner, width]);
            pair(format!("{layer}.mlp.fc2"), &[width, inner]);
        }
    }
    tensors
}

fn write_weights(path: &Path, tensors: &[(String, Vec<usize>)], is_broken: bool) {
    let (mut header, mut data) = (Map::new(), Vec::new());
    for (name, shape) in tensors {
        let begin = data.len();
        let n_values = shape.iter().product::<usize>();
        for index in 0..n_values {
            let value = match name.as_str() {
                "logit_scale" => 4.6,
                name if name.contains("norm") && name.ends_with("weight") => 1.0,
                // Golden angle steps: spread evenly, the same on every machine, another for each tensor.
                name => 0.2 * ((index + 7 * name.len()) as f32 * 2.399_963_2).sin(),
            };
            let is_bad = is_broken && name == "visual_projection.weight" && index == 0;
            data.extend(if is_bad { f32::NAN } else { value }.to_le_bytes());
        }
        let entry = json!({"dtype": "F32", "shape": shape, "data_offsets": [begin, data.len()]});
        header.insert(name.clone(), entry);
    }
    let header = Value::Object(header).to_string();
    let mut file = (header.len() as u64).to_le_bytes().to_vec();
    file.extend(header.as_bytes());
    file.extend(data);
    fs::write(path, file).unwrap();
}

/// A picture of one colour, red, green and blue in 0..=255, as a BMP file of 40 x 40 pixels.
pub(crate) fn bmp(colour: [u8; 3]) -> Vec<u8> {
    bmp_of(40, 40, colour)
}

/// Of this size; `width` is a multiple of 4.
pub(crate) fn bmp_of(width: u32, height: u32, [red, green, blue]: [u8; 3]) -> Vec<u8> {
    let pixels_bytes = width * height * 3;
    let mut file = b"BM".to_vec();
    for value in [54 + pixels_bytes, 0, 54, 40, width, height] {
        file.extend(value.to_le_bytes());
    }
    file.extend([1, 0, 24, 0]);
    for value in [0, pixels_bytes, 2835, 2835, 0, 0] {
        file.extend(u32::to_le_bytes(value));
    }
    (0..width * height).for_each(|_| file.extend([blue, green, red]));
    file
}

/// `n` photographs of nearly one colour in a folder; each a little different.
pub(crate) fn photos(program: &Program, folder: &str, colour: [u8; 3], n: u8) {
    for index in 0..n {
        let colour = colour.map(|value| value.saturating_add(index % 20));
        program.write(&format!("{folder}/{index:03}.bmp"), bmp(colour));
    }
}
