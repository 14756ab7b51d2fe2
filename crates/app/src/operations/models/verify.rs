//! Verifies that a model matches its manifest.

use std::fs;
use std::path::{Path, PathBuf};

use partsight_domain::{CalibratedScores, RawScores};
use partsight_inference::{
    Device, Engine, ImageBatch, Manifest, Model, Outputs, Photo, PhotoFormat, PhotoLimits, Preprocessor,
    Tensor, sha256, start_engines, training_fingerprints,
};
use serde::Deserialize;

use super::ModelSource;
use crate::recognition::identify::calibration_of;
use crate::with_causes;
use crate::{Error, Result, Settings};

/// Smallest cosine between an embedding and the golden one. With int8 activations, a value at the edge of two
/// quantisation steps falls to either side with the machine's order of sums; a third of this deviation was observed.
const MIN_COSINE: f64 = 0.998;
/// Largest difference of a logit from the golden one, for the same reason.
const MAX_LOGIT_DIFFERENCE: f32 = 0.3;
/// Largest difference of a score, 0..=1, from the golden one, for the same reason.
const MAX_SCORE_DIFFERENCE: f32 = 0.05;
/// Largest distance of an embedding's length from 1.
const MAX_LENGTH_ERROR: f32 = 1e-3;

/// The result of a verification.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Verification {
    /// What holds, one sentence each.
    pub passed: Vec<String>,
    /// What does not, one sentence each.
    pub problems: Vec<String>,
}

impl Verification {
    /// Whether nothing is wrong.
    pub fn is_sound(&self) -> bool {
        self.problems.is_empty()
    }

    fn note<T>(
        &mut self,
        passed: impl Into<String>,
        outcome: Result<T, impl std::error::Error>,
    ) -> Option<T> {
        match outcome {
            Ok(value) => {
                self.passed.push(passed.into());
                Some(value)
            }
            Err(error) => {
                self.problems.push(with_causes(&error));
                None
            }
        }
    }
}

/// Compares all files with the manifest, and runs the model on a synthetic picture and on its golden files, if it has
/// any.
///
/// Continues after a problem where possible, so that one run lists all of them.
///
/// # Errors
/// [`Error::ModelMissing`] when there is no such model.
pub fn verify_model(source: &ModelSource, settings: &Settings) -> Result<Verification> {
    let mut found = Verification::default();
    if let ModelSource::Folder(folder) = source {
        let manifest = match source.manifest(settings) {
            Ok(manifest) => manifest,
            Err(error @ Error::ModelMissing { .. }) => return Err(error),
            Err(error) => {
                found.problems.push(with_causes(&error));
                return Ok(found);
            }
        };
        found.passed.push("the manifest is valid".to_owned());
        verify_files(folder, &manifest, &mut found);
        // Weights that do not match the manifest are not run.
        if !found.is_sound() {
            return Ok(found);
        }
    }
    let Some(model) = found.note("the model loads", source.load(settings)) else { return Ok(found) };
    let started =
        start_engines(&model, settings.model.device, settings.model.onnxruntime.as_deref(), |_, _| 1);
    let passed = "the network has the inputs and outputs of the manifest, and runs";
    let Some(mut started) = found.note(passed, started) else { return Ok(found) };
    let Some(mut engine) = started.engines.pop() else { return Ok(found) };
    found.passed.push(format!("it runs on {} with {}", started.device, started.runtime));
    verify_outputs(engine.as_mut(), &mut found);
    if let ModelSource::Folder(folder) = source {
        let fingerprints = training_fingerprints(Some(folder.as_path()));
        if let Some(fingerprints) =
            found.note("the fingerprints of training photographs can be read", fingerprints)
            && fingerprints.is_empty()
        {
            let none = "there are no fingerprints of training photographs: an evaluation cannot tell which it was trained on";
            found.passed.push(none.to_owned());
        }
        verify_golden_files(&folder.join("golden"), &model, engine.as_mut(), &mut found);
    }
    Ok(found)
}

fn verify_files(folder: &Path, manifest: &Manifest, found: &mut Verification) {
    let file = &manifest.file;
    let mut files = vec![(&file.path, file.size_bytes, &file.sha256)];
    files.extend(file.parts.iter().map(|part| (&part.path, part.size_bytes, &part.sha256)));
    for (path, size_bytes, digest) in files {
        let outcome = Model::verify_file(folder, manifest, path, size_bytes, digest);
        found.note(format!("`{path}` has the size and the hash of the manifest"), outcome);
    }
    let labels = Model::load_labels(folder, manifest);
    found.note(format!("{} labels, each once", manifest.classes.count), labels);
    if manifest.prototypes.is_some() {
        let prototypes = Model::load_prototypes(folder, manifest);
        found.note("the prototypes are unit vectors that fit the manifest", prototypes);
    }
}

/// Uses colour gradients, so that not all values are zero.
fn verify_outputs(engine: &mut dyn Engine, found: &mut Verification) {
    let manifest = engine.manifest().clone();
    let outcome = drawn_tensor(&manifest).and_then(|tensor| {
        let batch = ImageBatch::stack(&[tensor.clone(), tensor])?;
        engine.run(&batch)
    });
    let Some(outputs) = found.note("a drawn picture gives finite numbers", outcome) else { return };
    check_lengths("a drawn picture", &manifest, &outputs, found);
}

fn drawn_tensor(manifest: &Manifest) -> partsight_inference::Result<Tensor> {
    let (width, height) = (320_u32, 240_u32);
    let pixel = |x: u32, y: u32| [x * 255 / width, y * 255 / height, (x * 7 + y * 3) % 256].map(|v| v as u8);
    let rgb = (0..height).flat_map(|y| (0..width).flat_map(move |x| pixel(x, y))).collect();
    let photo = Photo::from_rgb(width, height, rgb, PhotoFormat::Png)?;
    Ok(Preprocessor::new(manifest)?.tensor(&photo))
}

fn check_lengths(picture: &str, manifest: &Manifest, outputs: &Outputs, found: &mut Verification) {
    if !manifest.embedding.normalised {
        return;
    }
    let length = |row: ndarray::ArrayView1<'_, f32>| row.dot(&row).sqrt();
    match outputs.embeddings.outer_iter().map(length).find(|length| (length - 1.0).abs() > MAX_LENGTH_ERROR) {
        None => found.passed.push(format!("{picture} gives an embedding of length 1")),
        Some(length) => found.problems.push(format!(
            "{picture} gives an embedding of length {length}, but the manifest says that it has length 1"
        )),
    }
}

/// The golden outputs of the training side for a picture.
#[derive(Deserialize)]
struct Golden {
    image: String,
    tensor_sha256: String,
    embedding: Vec<f32>,
    logits: Vec<f32>,
    known: f32,
    confidence: f32,
    label: String,
    known_score: f32,
    /// For a model with a second look: the pooled output of all looks, whether or not the picture needs it.
    second_look: Option<GoldenSecondLook>,
}

#[derive(Deserialize)]
struct GoldenSecondLook {
    embedding: Vec<f32>,
    logits: Vec<f32>,
    known: f32,
}

fn verify_golden_files(folder: &Path, model: &Model, engine: &mut dyn Engine, found: &mut Verification) {
    let Ok(entries) = fs::read_dir(folder) else {
        found.passed.push("there are no golden files to compare with".to_owned());
        return;
    };
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "json"));
    paths.sort();
    for path in paths {
        match golden_differences(&path, folder, model, engine) {
            Ok(differences) if differences.is_empty() => {
                found.passed.push(format!("`{}` gives what it should", path.display()));
            }
            Ok(differences) => found
                .problems
                .extend(differences.iter().map(|difference| format!("`{}`: {difference}", path.display()))),
            Err(reason) => found.problems.push(format!("`{}`: {reason}", path.display())),
        }
    }
}

fn golden_differences(
    path: &Path,
    folder: &Path,
    model: &Model,
    engine: &mut dyn Engine,
) -> Result<Vec<String>, String> {
    let read = |path: &Path| fs::read(path).map_err(|error| format!("cannot be read: {error}"));
    let golden: Golden = serde_json::from_slice(&read(path)?).map_err(|error| error.to_string())?;
    let run = |bytes: &[u8], engine: &mut dyn Engine| {
        let photo = Photo::decode(bytes, &PhotoLimits::default())?;
        let preprocessor = Preprocessor::new(model.manifest())?;
        let tensor = preprocessor.tensor(&photo);
        let outputs = engine.run(&ImageBatch::stack(std::slice::from_ref(&tensor))?)?;
        let pooled = match &model.manifest().second_look {
            Some(second_look) => Some(second_look.look(&preprocessor, &photo, engine)?),
            None => None,
        };
        Ok::<_, partsight_inference::Error>((tensor, outputs, pooled))
    };
    // The name comes from a file: only a file beside it is read.
    let image = Path::new(&golden.image).file_name().map(|name| folder.join(name)).unwrap_or_default();
    let (tensor, outputs, pooled) = run(&read(&image)?, engine).map_err(|error| with_causes(&error))?;
    // The preprocessed picture is identical on every machine, so its hash is compared; outputs are not.
    let values: Vec<u8> = tensor.as_slice().iter().flat_map(|value| value.to_le_bytes()).collect();
    let (embedding, logits) = (outputs.embeddings.row(0), outputs.logits.row(0).to_vec());
    let raw = RawScores { logits: &logits, known: outputs.known[0] };
    let scores = CalibratedScores::new(&calibration_of(&model.manifest().calibration), raw);
    let label = scores.best().and_then(|class| model.labels().get(class)).cloned().unwrap_or_default();
    let are_close = |a: f32, b: f32| (a - b).abs() < MAX_LOGIT_DIFFERENCE;
    let is_same_score = |a: f32, b: f32| (a - b).abs() < MAX_SCORE_DIFFERENCE;
    let are_same_logits = |found: &[f32], expected: &[f32]| {
        found.len() == expected.len() && found.iter().zip(expected).all(|(&a, &b)| are_close(a, b))
    };
    let is_same_second_look = match (&pooled, &golden.second_look) {
        (None, None) => true,
        (Some(pooled), Some(expected)) => {
            cosine(&pooled.embeddings.row(0).to_vec(), &expected.embedding) >= MIN_COSINE
                && are_same_logits(&pooled.logits.row(0).to_vec(), &expected.logits)
                && are_close(pooled.known[0], expected.known)
        }
        _ => false,
    };
    let mut differences = Vec::new();
    for (holds, difference) in [
        (sha256(&values) == golden.tensor_sha256, "the prepared picture differs".to_owned()),
        (cosine(&embedding.to_vec(), &golden.embedding) >= MIN_COSINE, "the embedding differs".to_owned()),
        (are_same_logits(&logits, &golden.logits), "the logits differ".to_owned()),
        (are_close(outputs.known[0], golden.known), "the known logit differs".to_owned()),
        (label == golden.label, format!("the label is `{label}` instead of `{}`", golden.label)),
        (is_same_score(scores.confidence(), golden.confidence), "the confidence differs".to_owned()),
        (is_same_score(scores.known_score, golden.known_score), "the known score differs".to_owned()),
        (is_same_second_look, "the second look differs".to_owned()),
    ] {
        if !holds {
            differences.push(difference);
        }
    }
    Ok(differences)
}

/// 0 for vectors of different lengths.
fn cosine(one: &[f32], other: &[f32]) -> f64 {
    let dot =
        |a: &[f32], b: &[f32]| -> f64 { a.iter().zip(b).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum() };
    if one.len() == other.len() { dot(one, other) / (dot(one, one) * dot(other, other)).sqrt() } else { 0.0 }
}

/// The settings that verify a new model: on the processor, where it was made.
pub(super) fn on_processor(settings: &Settings) -> Settings {
    let mut settings = settings.clone();
    settings.model.device = Device::Cpu;
    settings
}
