//! Builds a model from a Hugging Face folder or an ONNX graph.
//!
//! The order: check everything that can be refused; embed texts or photographs into prototypes; calibrate on
//! photographs and measure teaching on the same ones; write a folder with a hidden name, verify it, and rename it last.

mod calibrate;
mod embed;
mod error;
mod install;
mod labels;
mod preparation;
mod prompts;
mod prototypes;
mod references;
mod refit;

use std::path::{Path, PathBuf};

pub use error::ImportError;
use jiff::civil::Date;
use partsight_catalog::Catalog;
use partsight_inference::{
    Channels, Classes, Contents, EmbeddingOutput, FileFormat, FilePart, ImageProcessing, Input, Layout,
    Manifest, ModelFile, PhotoDecoder, PrototypeHead, Prototypes, TokenPool, TowerFiles, TowerOptions,
    Towers, sha256, size_and_sha256,
};
pub use preparation::Preparation;
pub use prompts::Prompts;
pub use refit::{RefitReport, fit_references};

use self::calibrate::Fitted;
use self::embed::{Embedder, Network};
use self::install::Staging;
use self::labels::LabelledPhotos;
use self::references::FittedReferences;
use super::{ModelSource, Verification, verify::on_processor, verify_model};
use crate::{EMBEDDED_MODEL, Settings};

/// The options of a person.
#[derive(Debug, Clone, Default)]
pub struct ImportRequest {
    /// The Hugging Face folder, or an ONNX file.
    pub folder: PathBuf,
    /// What the model is to be called, in kebab-case.
    pub name: String,
    /// File of labels, one a line. Unset: the labels of `photos`, else all types of the catalogue.
    pub labels: Option<PathBuf>,
    /// File of prompts; unset, [`Prompts::embedded`].
    pub prompts: Option<PathBuf>,
    /// Photographs that represent the classes, in a folder for each label; texts are used if it is absent.
    pub photos: Option<PathBuf>,
    /// Photographs to calibrate on, in a folder for each label.
    pub calibrate: Option<PathBuf>,
    /// The engine that is to run it; by default safetensors if the folder has some, otherwise ONNX.
    pub format: Option<FileFormat>,
    /// Preprocessing options that override those of the folder.
    pub preparation: Preparation,
    /// Which output of a graph holds the embedding; detected by default.
    pub output: Option<String>,
    /// How an output with a vector for each token is pooled into one vector.
    pub pool: Option<TokenPool>,
    /// Whether a model of that name may be replaced.
    pub force: bool,
}

/// Progress of an import.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ImportStep {
    /// What is being done.
    pub what: &'static str,
    /// Done of it.
    pub done: usize,
    /// In all.
    pub total: usize,
}

/// What the prototypes were made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PrototypeSource {
    /// So many texts.
    Texts(usize),
    /// So many photographs.
    Photos(usize),
}

/// The result of an import.
#[derive(Debug)]
pub struct ImportReport {
    /// The folder of the new model.
    pub folder: PathBuf,
    /// Its facts.
    pub manifest: Manifest,
    /// What the prototypes were made of.
    pub prototypes: PrototypeSource,
    /// Whether confidences are calibrated.
    pub is_calibrated: bool,
    /// Folders of calibration photographs that match no label of the model, with their numbers of photographs: these
    /// count as "none of the types".
    pub other_folders: Vec<(String, usize)>,
    /// Photographs that could not be read and were left out, with the reason.
    pub unreadable: Vec<(PathBuf, String)>,
    /// Labels that the catalogue does not describe: a server refuses such a model.
    pub not_in_catalog: Vec<String>,
    /// The verification of the new folder, before it got its name.
    pub verification: Verification,
}

/// Imports a model. `today` is written into its manifest; `progress` is called for each step.
///
/// # Errors
/// [`ImportError`] with the reason. Then nothing is left in the folder of models, and a model that was to be replaced
/// still exists.
pub fn import_model(
    request: &ImportRequest,
    settings: &Settings,
    catalog: &Catalog,
    today: Date,
    progress: &dyn Fn(ImportStep),
) -> Result<ImportReport, ImportError> {
    install::check_name(&request.name)?;
    let target = settings.data.models_dir().join(&request.name);
    install::clear_leftovers(&settings.data.models_dir(), &request.name)?;
    install::check_target(&request.name, &target, request.force)?;
    if !request.folder.exists() {
        return Err(ImportError::NoFolder(request.folder.clone()));
    }
    // From here to the network's towers, the cheapest check first, before the network is loaded.
    let files = TowerFiles::find(&request.folder, request.format)?;
    let processing = request.preparation.of(&files)?;
    let photos = request.photos.as_deref().map(LabelledPhotos::find).transpose()?;
    let labels = labels::choose(request.labels.as_deref(), photos.as_ref(), catalog)?;
    let calibration = request.calibrate.as_deref().map(LabelledPhotos::find).transpose()?;
    if let Some(photos) = &calibration {
        labels::check_calibration(photos, &labels)?;
    }
    let prompts = request.prompts.as_deref().map_or_else(Prompts::embedded, Prompts::read)?;

    let wants_texts = photos.is_none();
    if wants_texts {
        check_texts(&request.folder, &files)?;
    }
    let towers = Towers::open(
        &files,
        &TowerOptions {
            wants_texts,
            image_size: [processing.width, processing.height],
            output: request.output.as_deref(),
            pool: request.pool,
            onnxruntime: settings.model.onnxruntime.as_deref(),
        },
    )?;
    if [processing.width, processing.height].map(|side| side as usize) != towers.image_size() {
        return Err(ImportError::OtherInputSize {
            folder: request.folder.clone(),
            prepared: [processing.width, processing.height],
            network: towers.image_size(),
        });
    }
    let draft = draft(request, &files, &processing, &towers, labels.len(), today);
    // Invalid options are refused before photographs are embedded.
    draft.validate()?;
    // The operator's own photographs need no separate decoding process.
    let decoder =
        PhotoDecoder::in_process(settings.photos.limits()).with_memory(settings.photos.max_decoding_bytes);
    let mut embedder = Embedder::new(Network::Towers(Box::new(towers)), &draft, decoder, progress)?;
    let (head, source, of_classes) = if let Some(photos) = &photos {
        prototypes::from_photos(&mut embedder, &draft, photos, &labels)?
    } else {
        let (head, source) = prototypes::from_texts(&mut embedder, &draft, &prompts, &labels, catalog)?;
        (head, source, Vec::new())
    };
    let (fitted, to_calibrate) = match &calibration {
        Some(photos) => {
            let folders = embedder.folders("calibrating", photos.iter())?;
            (calibrate::fit(&head, photos, &folders, &labels)?, folders)
        }
        None => (Fitted::neutral(), Vec::new()),
    };
    let taught = references::fit(
        &references::Sample::new(&head, &labels, &[of_classes, to_calibrate]),
        &references::Measured {
            head: &head,
            calibration: &fitted.calibration,
            thresholds: &fitted.thresholds,
            name: &request.name,
        },
        embedder.progress(),
    );
    let unreadable = embedder.into_unreadable();

    let mut staging = Staging::start(&settings.data.models_dir(), &request.name)?;
    let manifest = write(&staging, &files, draft, &head, &labels, (fitted, taught), progress)?;
    let source_of_copy = ModelSource::Folder(staging.folder().to_owned());
    let verification = verify_model(&source_of_copy, &on_processor(settings))
        .map_err(|error| ImportError::verify(&error))?;
    if !verification.is_sound() {
        return Err(ImportError::NotSound(verification.problems));
    }
    staging.install(&target, request.force)?;
    Ok(ImportReport {
        folder: target,
        prototypes: source,
        is_calibrated: calibration.is_some(),
        other_folders: calibration.as_ref().map(|photos| photos.others(&labels)).unwrap_or_default(),
        unreadable,
        not_in_catalog: labels::not_in_catalog(&labels, catalog),
        verification,
        manifest,
    })
}

/// Checks that texts can be used for the classes.
fn check_texts(folder: &Path, files: &TowerFiles) -> Result<(), ImportError> {
    let network = match &files.contents {
        Contents::DualEncoder if files.format == FileFormat::Onnx && files.text_graph.is_none() => {
            return Err(ImportError::NoTextGraph(folder.to_owned()));
        }
        Contents::DualEncoder => return Ok(()),
        // Of another architecture, which no engine runs from safetensors: a better reason is given later.
        Contents::Graph if files.format == FileFormat::Safetensors => return Ok(()),
        Contents::VisionEncoder(model_type) => format!("a network of type `{model_type}`"),
        Contents::Graph => "a graph".to_owned(),
    };
    Err(ImportError::NoTexts { folder: folder.to_owned(), network })
}

/// The manifest before hashes, calibration and thresholds are known; never written like this.
fn draft(
    request: &ImportRequest,
    files: &TowerFiles,
    processing: &ImageProcessing,
    towers: &Towers,
    count: usize,
    today: Date,
) -> Manifest {
    let (input, output) = towers.image_names();
    let unknown_hash = "0".repeat(64);
    let Fitted { calibration, thresholds, .. } = Fitted::neutral();
    let weights = match files.format {
        FileFormat::Onnx => "model.onnx".to_owned(),
        FileFormat::Safetensors => file_name(&files.weights),
    };
    Manifest {
        name: request.name.clone(),
        version: "1.0.0".to_owned(),
        description: format!("Compares a photograph with prototypes of {count} types of car part."),
        licence: "LicenseRef-see-source".to_owned(),
        source: match files.contents {
            Contents::Graph => format!("Imported from the graph `{}`.", file_name(&files.weights)),
            _ => format!("Imported from the Hugging Face folder `{}`.", file_name(&request.folder)),
        },
        created_on: today.to_string(),
        file: ModelFile {
            path: weights,
            format: files.format,
            sha256: unknown_hash.clone(),
            size_bytes: 1,
            opset: None,
            parts: Vec::new(),
        },
        input: Input {
            name: input.to_owned(),
            width: processing.width,
            height: processing.height,
            layout: Layout::Nchw,
            channels: Channels::Rgb,
            mean: processing.mean,
            std: processing.std,
        },
        resize: processing.resize,
        embedding: EmbeddingOutput {
            output: output.to_owned(),
            pool: towers.pool(),
            dimension: towers.dimension(),
            normalised: true,
        },
        classes: Classes { output: None, labels: "labels.txt".to_owned(), labels_sha256: None, count },
        known: None,
        prototypes: Some(Prototypes {
            path: "prototypes.safetensors".to_owned(),
            sha256: unknown_hash,
            size_bytes: 1,
            scale: f64::from(towers.logit_scale()),
        }),
        calibration,
        second_look: None,
        references: None,
        judging: None,
        sets: None,
        drift: None,
        thresholds,
        measured: toml::Table::new(),
    }
}

/// Writes all files of the model; the manifest last, when the others are known.
fn write(
    staging: &Staging,
    files: &TowerFiles,
    mut manifest: Manifest,
    head: &PrototypeHead,
    labels: &[String],
    (fitted, taught): (Fitted, FittedReferences),
    progress: &dyn Fn(ImportStep),
) -> Result<Manifest, ImportError> {
    let total = files.parts.len() + 1;
    let copied = |name: &Path, to: &str, done: usize| {
        progress(ImportStep { what: "copying", done, total });
        staging.copy(&files.folder.join(name), to)?;
        let path = staging.folder().join(to);
        size_and_sha256(&path).map_err(|source| ImportError::Read { path, source })
    };
    (manifest.file.size_bytes, manifest.file.sha256) = copied(&files.weights, &manifest.file.path, 0)?;
    for (index, part) in files.parts.iter().enumerate() {
        let path = file_name(part);
        let (size_bytes, sha256) = copied(part, &path, index + 1)?;
        manifest.file.parts.push(FilePart { path, sha256, size_bytes });
    }
    progress(ImportStep { what: "copying", done: total, total });
    let bytes = head.to_safetensors(&manifest.name)?;
    if let Some(prototypes) = &mut manifest.prototypes {
        (prototypes.sha256, prototypes.size_bytes) = (sha256(&bytes), bytes.len() as u64);
        staging.write(&prototypes.path, &bytes)?;
        manifest.references = Some(taught.of_file(prototypes));
        manifest.judging = taught.judging;
    }
    let labels = format!("{}\n", labels.join("\n"));
    manifest.classes.labels_sha256 = Some(sha256(labels.as_bytes()));
    staging.write(&manifest.classes.labels, labels.as_bytes())?;
    let Fitted { calibration, thresholds, measured } = fitted;
    (manifest.calibration, manifest.thresholds, manifest.measured) = (calibration, thresholds, measured);
    // A server refuses a manifest that breaks a rule, so it is never written.
    manifest.validate()?;
    staging.write(partsight_inference::MANIFEST_FILE, manifest.to_toml()?.as_bytes())?;
    Ok(manifest)
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}

/// Whether a name is that of the embedded model.
fn is_reserved(name: &str) -> bool {
    name == EMBEDDED_MODEL
}
