//! The exported golden files: tensor, embedding and raw scores as computed in training. `partsight models verify`
//! compares the calibrated scores.

use std::fs;

use partsight_inference::{ImageBatch, Outputs, Photo, Preprocessor, Tensor};
use serde::Deserialize;
use sha2::{Digest, Sha256};

use crate::common::{decode, engines, largest_difference, model, model_folder};

#[derive(Deserialize)]
struct Golden {
    image: String,
    tensor_sha256: String,
    #[serde(flatten)]
    first_look: Expected,
    label: String,
    /// For a model with a second look: the pooled outputs, whether or not the picture needs one.
    second_look: Option<Expected>,
}

#[derive(Deserialize)]
struct Expected {
    embedding: Vec<f32>,
    logits: Vec<f32>,
    known: f32,
}

fn golden_photos() -> Vec<(Golden, Photo)> {
    let folder = model_folder().join("golden");
    let mut files = Vec::new();
    for entry in fs::read_dir(&folder).expect("golden files") {
        let path = entry.expect("an entry").path();
        if path.extension().is_some_and(|extension| extension == "json") {
            let golden: Golden =
                serde_json::from_slice(&fs::read(&path).expect("a file")).expect("golden JSON");
            let photo =
                decode(&fs::read(folder.join(&golden.image)).expect("its picture")).expect("a picture");
            files.push((golden, photo));
        }
    }
    assert!(files.len() >= 2, "at least two golden files in `{}`", folder.display());
    files
}

fn preprocessor() -> Preprocessor {
    Preprocessor::new(model().manifest()).expect("a valid manifest")
}

fn golden_files() -> Vec<(Golden, Tensor)> {
    let preprocessor = preprocessor();
    golden_photos().into_iter().map(|(golden, photo)| (golden, preprocessor.tensor(&photo))).collect()
}

#[test]
fn tensors_are_those_of_training() {
    for (golden, tensor) in golden_files() {
        let bytes: Vec<u8> = tensor.as_slice().iter().flat_map(|value| value.to_le_bytes()).collect();
        assert_eq!(hex::encode(Sha256::digest(&bytes)), golden.tensor_sha256, "{}", golden.image);
    }
}

/// Activations are int8: a value near a rounding boundary may round to either step, depending on the machine's
/// order of sums. With all optimisations of the runtime off, logits of these pictures changed by 0.08 and cosines
/// by 0.0006.
const MIN_COSINE: f64 = 0.998;
const MAX_LOGIT_DIFFERENCE: f32 = 0.3;

#[test]
fn embeddings_and_raw_scores_are_those_of_training() {
    let model = model();
    for mut engine in engines() {
        for (golden, tensor) in golden_files() {
            let outputs = engine.run(&ImageBatch::stack(&[tensor]).expect("one image")).expect("a run");
            assert_near(&outputs, &golden.first_look, &golden.image);
            let logits = outputs.logits.row(0).to_vec();
            let best = (0..logits.len()).max_by(|&a, &b| logits[a].total_cmp(&logits[b])).expect("classes");
            assert_eq!(model.labels()[best], golden.label, "{}", golden.image);
        }
    }
}

#[test]
fn a_second_look_gives_what_it_gives_in_training() {
    let (model, mut engines, preprocessor) = (model(), engines(), preprocessor());
    for (golden, photo) in golden_photos() {
        // The golden files have the pooled outputs if and only if the model has a second look.
        let (second_look, expected) = match (&model.manifest().second_look, &golden.second_look) {
            (None, None) => continue,
            (Some(second_look), Some(expected)) => (second_look, expected),
            (second_look, _) => {
                panic!("{}: {second_look:?} in the manifest alone, or not there", golden.image)
            }
        };
        for engine in &mut engines {
            let pooled =
                second_look.look(&preprocessor, &photo, engine.as_mut()).expect("a run of each view");
            assert_near(&pooled, expected, &golden.image);
        }
    }
}

/// Compares the first row with the values of training.
fn assert_near(outputs: &Outputs, expected: &Expected, image: &str) {
    let embedding = outputs.embeddings.row(0).to_vec();
    assert!(cosine(&embedding, &expected.embedding) >= MIN_COSINE, "{image}: embedding");
    let largest = largest_difference(&outputs.logits.row(0).to_vec(), &expected.logits);
    assert!(largest < MAX_LOGIT_DIFFERENCE, "{image}: logits");
    assert!((outputs.known[0] - expected.known).abs() < MAX_LOGIT_DIFFERENCE, "{image}: known");
}

#[test]
fn embeddings_have_unit_length() {
    for mut engine in engines() {
        assert!(engine.manifest().embedding.normalised);
        for (golden, tensor) in golden_files() {
            let outputs = engine.run(&ImageBatch::stack(&[tensor]).expect("one image")).expect("a run");
            let length = outputs.embeddings.row(0).iter().map(|value| value * value).sum::<f32>().sqrt();
            assert!((length - 1.0).abs() < 1e-4, "{}: {length}", golden.image);
        }
    }
}

fn cosine(one: &[f32], other: &[f32]) -> f64 {
    let dot =
        |a: &[f32], b: &[f32]| -> f64 { a.iter().zip(b).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum() };
    assert_eq!(one.len(), other.len());
    dot(one, other) / (dot(one, one) * dot(other, other)).sqrt()
}
