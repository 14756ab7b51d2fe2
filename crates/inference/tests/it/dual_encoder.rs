//! The dual encoders against `transformers`: golden files from `training/parity`.

use std::time::Instant;

use ndarray::{Array2, ArrayView1};
use partsight_inference::{ComputeDevice, DualEncoder, Error, Family};
use serde_json::{Value, json};

use super::dual_encoder_folder::{
    folder_for, folder_without_weights, golden, images, tensors_of, weight, write_shards, write_weights,
};

fn load(folder: &tempfile::TempDir) -> DualEncoder {
    DualEncoder::load(folder.path(), &ComputeDevice::Cpu).expect("a whole folder")
}

fn texts(golden: &Value) -> Vec<&str> {
    golden["texts"].as_array().into_iter().flatten().filter_map(Value::as_str).collect()
}

fn matrix(rows: &Value) -> Array2<f32> {
    let rows: Vec<Vec<f32>> = serde_json::from_value(rows.clone()).expect("rows of numbers");
    let shape = (rows.len(), rows[0].len());
    Array2::from_shape_vec(shape, rows.concat()).expect("rows of one length")
}

fn cosine(a: &ArrayView1<'_, f32>, b: &ArrayView1<'_, f32>) -> f64 {
    let dot = |a: &ArrayView1<'_, f32>, b: &ArrayView1<'_, f32>| -> f64 {
        a.iter().zip(b.iter()).map(|(x, y)| f64::from(*x) * f64::from(*y)).sum()
    };
    dot(a, b) / (dot(a, a) * dot(b, b)).sqrt()
}

/// The lowest cosine between corresponding rows.
fn least_cosine(found: &Array2<f32>, expected: &Array2<f32>) -> f64 {
    assert_eq!(found.dim(), expected.dim());
    found.rows().into_iter().zip(expected.rows()).map(|(a, b)| cosine(&a, &b)).fold(1.0, f64::min)
}

/// Compares a model with its golden file: token ids, embeddings and logits. Returns a summary of the differences.
fn check_parity(encoder: &DualEncoder, golden: &Value) -> String {
    let texts = texts(golden);
    let token_ids: Vec<Vec<u32>> =
        serde_json::from_value(golden["token_ids"].clone()).expect("lists of token ids");
    for (text, expected) in texts.iter().zip(&token_ids) {
        assert_eq!(&encoder.token_ids(text).expect("a text"), expected, "{text}");
    }

    let expected_images = matrix(&golden["image_embeddings"]);
    let expected_texts = matrix(&golden["text_embeddings"]);
    assert_eq!(encoder.dimension(), expected_images.ncols());
    let begin = Instant::now();
    let image_embeddings =
        encoder.embed_images(&images(expected_images.nrows(), encoder.image_size())).expect("images");
    let image_seconds = begin.elapsed().as_secs_f64();
    let begin = Instant::now();
    let text_embeddings = encoder.embed_texts(&texts).expect("texts");
    let text_seconds = begin.elapsed().as_secs_f64();

    let image_cosine = least_cosine(&image_embeddings, &expected_images);
    let text_cosine = least_cosine(&text_embeddings, &expected_texts);
    assert!(image_cosine >= 0.9999, "images: {image_cosine}");
    assert!(text_cosine >= 0.9999, "texts: {text_cosine}");
    for row in image_embeddings.rows().into_iter().chain(text_embeddings.rows()) {
        assert!((row.dot(&row) - 1.0).abs() < 1e-5);
    }

    // The logits are about 100 times the cosine, so this is the stricter test.
    let logits = image_embeddings.dot(&text_embeddings.t()) * encoder.logit_scale() + encoder.logit_bias();
    let largest_error =
        (&logits - &matrix(&golden["logits_per_image"])).mapv(f32::abs).into_iter().fold(0.0, f32::max);
    assert!(largest_error < 0.01, "a logit is off by {largest_error}");
    format!(
        "least cosine of images {image_cosine:.8} ({image_seconds:.2} s), of texts {text_cosine:.8} \
         ({text_seconds:.2} s), largest error of a logit {largest_error:.5}"
    )
}

#[test]
fn clip_pooled_at_the_highest_token_is_that_of_transformers() {
    let golden = golden("tiny-clip");
    let encoder = load(&folder_for(&golden["config"]));
    check_parity(&encoder, &golden);
    assert_eq!((encoder.family(), encoder.image_size()), (Family::Clip, 32));
    assert!((encoder.logit_scale() - 4.6_f32.exp()).abs() < 1e-3);
    assert!(encoder.logit_bias().abs() < f32::EPSILON);
}

#[test]
fn clip_pooled_at_its_end_token_with_gelu_is_that_of_transformers() {
    let golden = golden("tiny-clip-gelu");
    check_parity(&load(&folder_for(&golden["config"])), &golden);
}

#[test]
fn siglip_is_that_of_transformers() {
    let golden = golden("tiny-siglip");
    let encoder = load(&folder_for(&golden["config"]));
    check_parity(&encoder, &golden);
    assert_eq!(encoder.family(), Family::Siglip);
    assert!((encoder.logit_bias() + 12.9).abs() < 1e-5);
}

#[test]
fn clip_vit_base_patch32_is_that_of_transformers() {
    let golden = golden("clip-vit-base-patch32");
    println!("{}", check_parity(&load(&folder_for(&golden["config"])), &golden));
}

#[test]
fn siglip_base_patch16_224_is_that_of_transformers() {
    let golden = golden("siglip-base-patch16-224");
    println!("{}", check_parity(&load(&folder_for(&golden["config"])), &golden));
}

#[test]
fn shards_give_what_a_single_file_gives() {
    let golden = golden("tiny-clip");
    let folder = folder_without_weights(&golden["config"]);
    write_shards(folder.path(), &tensors_of(&golden["config"]));
    check_parity(&load(&folder), &golden);
}

#[test]
fn half_precision_is_read_and_computed_in_single() {
    let golden = golden("tiny-siglip");
    let expected = matrix(&golden["image_embeddings"]);
    for (dtype, least) in [("F16", 0.9999), ("BF16", 0.999)] {
        let folder = folder_without_weights(&golden["config"]);
        let path = folder.path().join("model.safetensors");
        write_weights(&path, &tensors_of(&golden["config"]), dtype, &weight);
        let found = load(&folder).embed_images(&images(2, 32)).unwrap();
        let cosine = least_cosine(&found, &expected);
        assert!(cosine > least, "{dtype}: {cosine}");
    }
}

#[test]
fn a_batch_gives_what_single_images_and_texts_give() {
    // More than the images per run, and texts of several lengths.
    let encoder = load(&folder_for(&golden("tiny-clip")["config"]));
    let (all, n_images) = (images(20, 32), 20);
    let together = encoder.embed_images(&all).unwrap();
    assert_eq!(together.dim(), (n_images, encoder.dimension()));
    for index in [0, 15, 16, 19] {
        let one = all.view().slice_move(ndarray::s![index..=index, .., .., ..]).to_owned();
        let alone = encoder.embed_images(&partsight_inference::ImageBatch::new(one).unwrap()).unwrap();
        assert!(cosine(&alone.row(0), &together.row(index)) > 0.999_999);
    }

    let texts: Vec<String> = (0..20).map(|n| "brake pad ".repeat(n)).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let together = encoder.embed_texts(&texts).unwrap();
    for (index, text) in texts.iter().enumerate() {
        let alone = encoder.embed_texts(&[text]).unwrap();
        assert!(cosine(&alone.row(0), &together.row(index)) > 0.999_999, "{index}");
    }
}

#[test]
fn the_vision_tower_alone_needs_no_text() {
    let golden = golden("tiny-siglip");
    let folder = folder_without_weights(&golden["config"]);
    let mut tensors = tensors_of(&golden["config"]);
    tensors.retain(|(name, _)| !name.starts_with("text_model"));
    write_weights(&folder.path().join("model.safetensors"), &tensors, "F32", &weight);
    std::fs::remove_file(folder.path().join("tokenizer.json")).unwrap();

    let encoder = DualEncoder::load_vision(folder.path(), &ComputeDevice::Cpu).unwrap();
    let found = encoder.embed_images(&images(2, 32)).unwrap();
    assert!(least_cosine(&found, &matrix(&golden["image_embeddings"])) >= 0.9999);
    assert!(matches!(encoder.embed_texts(&["rim"]), Err(Error::NoTextTower { .. })));
    assert!(matches!(encoder.token_ids("rim"), Err(Error::NoTextTower { .. })));
}

#[test]
fn what_a_configuration_leaves_out_is_the_default_of_its_family() {
    // The vocabulary, the context, the sizes of image and patch and the activations are omitted.
    let small = json!({ "hidden_size": 16, "intermediate_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2 });
    for (family, size, dimension) in [("clip", 224, 512), ("siglip", 224, 16)] {
        let mut config = json!({ "model_type": family, "text_config": small, "vision_config": small });
        config["text_config"]["eos_token_id"] = json!(2);
        let encoder = load(&folder_for(&config));
        assert_eq!((encoder.image_size(), encoder.dimension()), (size, dimension));
    }
}

#[test]
fn the_older_form_of_a_configuration_wins() {
    let golden = golden("tiny-clip");
    let folder = folder_for(&golden["config"]);
    let mut config = golden["config"].clone();
    config["vision_config_dict"] = config["vision_config"].take();
    config["vision_config"] = json!({ "hidden_size": 7 });
    config["text_config_dict"] = Value::Null;
    std::fs::write(folder.path().join("config.json"), config.to_string()).unwrap();
    check_parity(&load(&folder), &golden);
}

#[test]
fn an_encoder_may_be_sent_to_and_shared_between_threads() {
    fn is_send_and_sync<T: Send + Sync>() {}
    is_send_and_sync::<DualEncoder>();
}
