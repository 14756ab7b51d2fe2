//! Generates model folders for the dual encoders: weights are computed by a formula, so that none are stored.
//!
//! The formula is that of `training/parity/formula.py`, which made the golden files.

use std::{
    fs::{self, File},
    io::{BufWriter, Write},
    path::{Path, PathBuf},
};

use half::{bf16, f16};
use ndarray::Array4;
use partsight_inference::ImageBatch;
use serde_json::{Map, Value, json};
use tempfile::TempDir;

pub(crate) const FIXTURES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/dual_encoder");

/// A golden file by its name.
pub(crate) fn golden(name: &str) -> Value {
    let path = Path::new(FIXTURES).join(format!("{name}.json"));
    serde_json::from_slice(&fs::read(path).expect(name)).expect("golden files are JSON")
}

/// A complete folder for the configuration, with the weights in one file.
pub(crate) fn folder_for(config: &Value) -> TempDir {
    let folder = folder_without_weights(config);
    write_weights(&folder.path().join("model.safetensors"), &tensors_of(config), "F32", &weight);
    folder
}

/// The same folder without the weights.
pub(crate) fn folder_without_weights(config: &Value) -> TempDir {
    let folder = tempfile::tempdir().expect("a model folder can be written");
    fs::write(folder.path().join("config.json"), config.to_string()).expect("a model folder can be written");
    let family = if config["model_type"] == "siglip" { "siglip" } else { "clip" };
    let tokenizer = Path::new(FIXTURES).join(format!("{family}-tokenizer"));
    for name in ["tokenizer.json", "tokenizer_config.json"] {
        if tokenizer.join(name).is_file() {
            fs::copy(tokenizer.join(name), folder.path().join(name)).expect("a model folder can be written");
        }
    }
    folder
}

/// Name and shape of a tensor.
pub(crate) type Named = (String, Vec<usize>);

/// The tensors that `transformers` stores for a configuration.
pub(crate) fn tensors_of(config: &Value) -> Vec<Named> {
    let is_clip = config["model_type"] == "clip";
    let (vision, text) = (&config["vision_config"], &config["text_config"]);
    let size = |tower: &Value, field: &str, default: usize| {
        tower[field].as_u64().map_or(default, |size| size as usize)
    };
    let by_family = |clip: usize, siglip: usize| if is_clip { clip } else { siglip };
    let scalar_shape = if is_clip { vec![] } else { vec![1] };
    let mut tensors = vec![("logit_scale".to_owned(), scalar_shape)];

    let width = size(vision, "hidden_size", 768);
    let patch = size(vision, "patch_size", by_family(32, 16));
    let n_patches = (size(vision, "image_size", 224) / patch).pow(2);
    let text_width = size(text, "hidden_size", by_family(512, 768));
    let inner = size(vision, "intermediate_size", 3072);
    let mut add = |name: &str, shape: &[usize]| tensors.push((name.to_owned(), shape.to_vec()));
    add("vision_model.embeddings.patch_embedding.weight", &[width, 3, patch, patch]);
    add("vision_model.embeddings.position_embedding.weight", &[n_patches + usize::from(is_clip), width]);
    let vocabulary = size(text, "vocab_size", by_family(49_408, 32_000));
    let context = size(text, "max_position_embeddings", by_family(77, 64));
    add("text_model.embeddings.token_embedding.weight", &[vocabulary, text_width]);
    add("text_model.embeddings.position_embedding.weight", &[context, text_width]);
    if is_clip {
        let dimension = size(config, "projection_dim", 512);
        add("vision_model.embeddings.class_embedding", &[width]);
        add("visual_projection.weight", &[dimension, width]);
        add("text_projection.weight", &[dimension, text_width]);
        add_pair(&mut add, "vision_model.pre_layrnorm", &[width]);
    } else {
        add("logit_bias", &[1]);
        add("vision_model.embeddings.patch_embedding.bias", &[width]);
        add("vision_model.head.probe", &[1, 1, width]);
        add("vision_model.head.attention.in_proj_weight", &[3 * width, width]);
        add("vision_model.head.attention.in_proj_bias", &[3 * width]);
        add_pair(&mut add, "vision_model.head.attention.out_proj", &[width, width]);
        add_pair(&mut add, "vision_model.head.layernorm", &[width]);
        add_pair(&mut add, "vision_model.head.mlp.fc1", &[inner, width]);
        add_pair(&mut add, "vision_model.head.mlp.fc2", &[width, inner]);
        add_pair(&mut add, "text_model.head", &[size(text, "projection_size", text_width), text_width]);
    }
    add_pair(&mut add, "vision_model.post_layernorm", &[width]);
    add_pair(&mut add, "text_model.final_layer_norm", &[text_width]);
    let text_inner = size(text, "intermediate_size", by_family(2048, 3072));
    for (tower, config, width, inner) in
        [("vision_model", vision, width, inner), ("text_model", text, text_width, text_inner)]
    {
        for index in 0..size(config, "num_hidden_layers", 12) {
            let layer = format!("{tower}.encoder.layers.{index}");
            for part in ["q_proj", "k_proj", "v_proj", "out_proj"] {
                add_pair(&mut add, &format!("{layer}.self_attn.{part}"), &[width, width]);
            }
            add_pair(&mut add, &format!("{layer}.layer_norm1"), &[width]);
            add_pair(&mut add, &format!("{layer}.layer_norm2"), &[width]);
            add_pair(&mut add, &format!("{layer}.mlp.fc1"), &[inner, width]);
            add_pair(&mut add, &format!("{layer}.mlp.fc2"), &[width, inner]);
        }
    }
    tensors
}

/// A weight of this shape, and the bias for its rows.
fn add_pair(add: &mut impl FnMut(&str, &[usize]), name: &str, shape: &[usize]) {
    add(&format!("{name}.weight"), shape);
    add(&format!("{name}.bias"), &shape[..1]);
}

/// Writes a safetensors file of one type; `value` returns the values of a tensor.
pub(crate) fn write_weights(
    path: &Path,
    tensors: &[Named],
    dtype: &str,
    value: &dyn Fn(&str, &[usize]) -> Vec<f32>,
) {
    let value_bytes = match dtype {
        "F64" => 8,
        "F32" => 4,
        _ => 2,
    };
    let mut header = Map::new();
    let mut end = 0;
    for (name, shape) in tensors {
        let begin = end;
        end += shape.iter().product::<usize>() * value_bytes;
        header.insert(name.clone(), json!({ "dtype": dtype, "shape": shape, "data_offsets": [begin, end] }));
    }
    let header = Value::Object(header).to_string();
    let mut file = BufWriter::new(File::create(path).expect("a model folder can be written"));
    file.write_all(&(header.len() as u64).to_le_bytes()).expect("a model folder can be written");
    file.write_all(header.as_bytes()).expect("a model folder can be written");
    for (name, shape) in tensors {
        let values = value(name, shape);
        let bytes: Vec<u8> = match dtype {
            "F64" => values.iter().flat_map(|value| f64::from(*value).to_le_bytes()).collect(),
            "F32" => values.iter().flat_map(|value| value.to_le_bytes()).collect(),
            "F16" => values.iter().flat_map(|value| f16::from_f32(*value).to_le_bytes()).collect(),
            "BF16" => values.iter().flat_map(|value| bf16::from_f32(*value).to_le_bytes()).collect(),
            other => unreachable!("{other} is not written here"),
        };
        file.write_all(&bytes).expect("a model folder can be written");
    }
    file.flush().expect("a model folder can be written");
}

/// Distributes the tensors over two shards with an index.
pub(crate) fn write_shards(folder: &Path, tensors: &[Named]) {
    let names = ["model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors"];
    let (first, second) = tensors.split_at(tensors.len() / 2);
    let mut weight_map = Map::new();
    for (file, tensors) in [(names[0], first), (names[1], second)] {
        write_weights(&folder.join(file), tensors, "F32", &weight);
        weight_map.extend(tensors.iter().map(|(name, _)| (name.clone(), json!(file))));
    }
    let index = json!({ "metadata": { "total_size": 0 }, "weight_map": weight_map });
    fs::write(folder.join("model.safetensors.index.json"), index.to_string())
        .expect("a model folder can be written");
}

/// The values of a tensor, by formula.
pub(crate) fn weight(name: &str, shape: &[usize]) -> Vec<f32> {
    let fan_in: usize = shape.iter().skip(1).product();
    let embeddings = [
        "position_embedding.weight",
        "token_embedding.weight",
        "class_embedding",
        "probe",
        "position_embeddings",
        "cls_token",
        "register_tokens",
    ];
    let (centre, scale) = match name {
        "logit_scale" => (4.6, 0.0),
        "logit_bias" => (-12.9, 0.0),
        _ if name.ends_with("bias") => (0.0, 0.05),
        _ if shape.len() == 1 && name.ends_with("weight") => (1.0, 0.1),
        _ if embeddings.iter().any(|end| name.ends_with(end)) => (0.0, 0.3),
        _ => (0.0, (3.0 / fan_in as f64).sqrt() as f32),
    };
    let hash = name_hash(name);
    let n_values = shape.iter().product::<usize>() as u64;
    (0..n_values).map(|index| centre + scale * uniform(hash, index)).collect()
}

/// Images by formula, `[n, 3, size, size]`.
pub(crate) fn images(n_images: usize, size: usize) -> ImageBatch {
    let hashes: Vec<u64> = (0..n_images).map(|number| name_hash(&format!("image {number}"))).collect();
    ImageBatch::new(Array4::from_shape_fn((n_images, 3, size, size), |(number, channel, row, column)| {
        let index = channel * 10_000 + row / 16 * 100 + column / 16;
        2.0 * uniform(hashes[number], index as u64)
    }))
    .expect("there are images, of three channels")
}

/// FNV-1a, 64 bits.
fn name_hash(name: &str) -> u64 {
    name.bytes()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// A value in [-1, 1): 24 bits of the finaliser of `SplitMix64`.
fn uniform(hash: u64, index: u64) -> f32 {
    let mixed = hash.wrapping_add(index.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    let mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    let mixed = mixed ^ (mixed >> 31);
    (mixed >> 40) as f32 / 8_388_608.0 - 1.0
}

/// CLIP's published vocabulary, if it was downloaded.
pub(crate) fn published_vocabulary() -> Option<PathBuf> {
    let weights = std::env::var_os("PARTSIGHT_WEIGHTS")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/weights"), PathBuf::from);
    let path = weights.join("bpe_simple_vocab_16e6.txt.gz");
    path.is_file().then_some(path)
}
