//! The installed models: list, verification and import.

mod import;
mod info;
mod verify;

use std::fs;
use std::path::{Path, PathBuf};

pub use crate::recognition::model_source::ModelSource;
pub use import::{
    ImportError, ImportReport, ImportRequest, ImportStep, Preparation, Prompts, PrototypeSource, RefitReport,
    fit_references, import_model,
};
pub use info::{EngineFacts, ModelInfo, model_info};
pub use partsight_inference::{
    Device, FileFormat, Manifest as ModelManifest, RiskThreshold, Thresholds, TokenPool, UnknownKind,
    is_kebab_case,
};
use partsight_inference::{Error as InferenceError, Manifest, Model};
pub use verify::{Verification, verify_model};

use crate::{EMBEDDED_MODEL, Error, Result, Settings};

/// An entry of the list of models.
#[derive(Debug)]
pub struct ListedModel {
    /// The name that selects it in the settings.
    pub name: String,
    /// Where it is stored.
    pub source: ModelSource,
    /// Whether the settings select it.
    pub is_in_use: bool,
    /// Its manifest, or why it cannot be used. Hashes are not checked.
    pub manifest: Result<Manifest, InferenceError>,
}

impl ListedModel {
    /// Total size of its files by the manifest, in bytes; 0 for a broken model.
    pub fn size_bytes(&self) -> u64 {
        self.manifest.as_ref().map_or(0, |manifest| {
            let parts: u64 = manifest.file.parts.iter().map(|part| part.size_bytes).sum();
            let prototypes = manifest.prototypes.as_ref().map_or(0, |file| file.size_bytes);
            manifest.file.size_bytes + parts + prototypes
        })
    }
}

/// The embedded model, those in the models folder sorted by name, and the one in use if it is elsewhere.
///
/// # Errors
/// [`Error::Internal`] if the models folder cannot be read; a missing folder counts as empty.
pub fn list_models(settings: &Settings) -> Result<Vec<ListedModel>> {
    let in_use = ModelSource::in_use(settings);
    let row = |name: String, source: ModelSource| {
        let manifest = match &source {
            ModelSource::Embedded => Model::embedded().map(|model| model.manifest().clone()),
            ModelSource::Folder(folder) => listed_manifest(folder),
        };
        ListedModel { is_in_use: source == in_use, name, source, manifest }
    };
    let mut rows = vec![row(EMBEDDED_MODEL.to_owned(), ModelSource::Embedded)];
    for folder in folders_in(&settings.data.models_dir()).map_err(Error::internal)? {
        let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        rows.push(row(name, ModelSource::Folder(folder)));
    }
    // The settings may name a folder elsewhere, or a missing one.
    if !rows.iter().any(|row| row.is_in_use) {
        rows.push(row(in_use.describe(), in_use.clone()));
    }
    Ok(rows)
}

/// The manifest, after checks that do not read the weights: labels, and size of each file.
fn listed_manifest(folder: &Path) -> Result<Manifest, InferenceError> {
    let manifest = Model::load_manifest(folder)?;
    Model::load_labels(folder, &manifest)?;
    let mut files = vec![(&manifest.file.path, manifest.file.size_bytes)];
    files.extend(manifest.file.parts.iter().map(|part| (&part.path, part.size_bytes)));
    files.extend(manifest.prototypes.iter().map(|file| (&file.path, file.size_bytes)));
    files.extend(manifest.references.iter().map(|file| (&file.prototypes, file.size_bytes)));
    for (file, expected_bytes) in files {
        let path = folder.join(file);
        let found_bytes = match fs::metadata(&path) {
            Ok(found) => found.len(),
            Err(source) => return Err(InferenceError::ReadModel { path, source }),
        };
        if found_bytes != expected_bytes {
            let (model, file) = (manifest.name.clone(), file.clone());
            return Err(InferenceError::WrongModelSize { model, file, expected_bytes, found_bytes });
        }
    }
    Ok(manifest)
}

/// The subfolders sorted by name, without hidden ones, which a running import uses.
fn folders_in(folder: &Path) -> std::io::Result<Vec<PathBuf>> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let mut folders = Vec::new();
    for entry in entries {
        let entry = entry?;
        if entry.path().is_dir() && !entry.file_name().as_encoded_bytes().starts_with(b".") {
            folders.push(entry.path());
        }
    }
    folders.sort();
    Ok(folders)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(folder: &Path) -> Settings {
        Settings::with(|settings| settings.data.dir = folder.into())
    }

    #[test]
    fn broken_folders_are_listed_with_their_reason_and_hidden_ones_are_not() {
        let folder = tempfile::tempdir().unwrap();
        let settings = settings(folder.path());
        fs::create_dir_all(folder.path().join("models/broken")).unwrap();
        fs::create_dir_all(folder.path().join("models/.importing-x")).unwrap();
        let rows = list_models(&settings).unwrap();
        let names: Vec<_> = rows.iter().map(|row| (row.name.as_str(), row.is_in_use)).collect();
        assert_eq!(names, [("partsight-50", true), ("broken", false)]);
        assert!(rows[0].manifest.is_ok() && rows[0].size_bytes() > 1_000_000);
        assert!(matches!(rows[1].manifest, Err(InferenceError::ReadModel { .. })));
    }
}
