//! Fits the references of an installed model again.

use std::fs;
use std::path::{Path, PathBuf};
use std::process;

use partsight_inference::{Device, MANIFEST_FILE, Manifest, PhotoDecoder, start_engines};

use super::embed::{Embedder, Network};
use super::labels::LabelledPhotos;
use super::references::{self, Measured, Sample};
use super::{ImportError, ImportStep, ModelSource};
use crate::{Error, Settings};

/// The result of a refit.
#[derive(Debug)]
pub struct RefitReport {
    /// The folder of the model.
    pub folder: PathBuf,
    /// Its facts, as they are now.
    pub manifest: Manifest,
    /// Photographs that could not be read and were left out, with the reason.
    pub unreadable: Vec<(PathBuf, String)>,
}

/// Fits `[references]` and `[judging]` on the labelled photographs of `photos` and writes them into the manifest of
/// an imported model. The rest of the model is unchanged, so taught parts stay valid. `progress` is called for each
/// step.
///
/// # Errors
/// [`ImportError::Model`] for a missing or damaged model, [`ImportError::OwnScores`] for one without prototypes that
/// could be left out, and those of photographs and writing. The manifest is then unchanged.
pub fn fit_references(
    source: &ModelSource,
    photos: &Path,
    settings: &Settings,
    progress: &dyn Fn(ImportStep),
) -> Result<RefitReport, ImportError> {
    let model = source.load(settings).map_err(|source| ImportError::Model(Box::new(source)))?;
    let mut manifest = model.manifest().clone();
    let (ModelSource::Folder(folder), Some(head), Some(file)) =
        (source, model.prototypes(), manifest.prototypes.clone())
    else {
        return Err(ImportError::OwnScores(manifest.name));
    };
    let photos = LabelledPhotos::find(photos)?;
    // The same device as an import: the result does not depend on what runs scans.
    let started = start_engines(&model, Device::Cpu, settings.model.onnxruntime.as_deref(), |_, _| 1)?;
    let engine = started.engines.into_iter().next();
    let engine = engine
        .ok_or_else(|| ImportError::Model(Box::new(Error::internal("no engine of the model was started"))))?;
    let decoder =
        PhotoDecoder::in_process(settings.photos.limits()).with_memory(settings.photos.max_decoding_bytes);
    let mut embedder = Embedder::new(Network::Engine(engine), &manifest, decoder, progress)?;
    let folders = embedder.folders("reading photographs", photos.iter())?;
    let sample = Sample::new(head, model.labels(), &[folders]);
    let measured = Measured {
        head,
        calibration: &manifest.calibration,
        thresholds: &manifest.thresholds,
        name: &manifest.name,
    };
    let fitted = references::fit(&sample, &measured, progress);
    manifest.references = Some(fitted.of_file(&file));
    manifest.judging = fitted.judging.or(manifest.judging);
    // Validated first: a server refuses an invalid manifest.
    manifest.validate()?;
    replace(&folder.join(MANIFEST_FILE), &manifest.to_toml()?)?;
    Ok(RefitReport { folder: folder.clone(), manifest, unreadable: embedder.into_unreadable() })
}

/// Writes a temporary file and renames it, so that a starting server reads the old or the new one.
fn replace(path: &Path, text: &str) -> Result<(), ImportError> {
    let beside = path.with_file_name(format!(".{MANIFEST_FILE}-{}", process::id()));
    let write = |source| ImportError::Write { path: path.to_owned(), source };
    let written = fs::write(&beside, text).and_then(|()| fs::rename(&beside, path));
    if written.is_err() {
        let _ = fs::remove_file(&beside);
    }
    written.map_err(write)
}
