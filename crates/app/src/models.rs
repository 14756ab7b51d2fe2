//! The models that are there: which they are, whether they are whole, and how a new one is made.

mod import;
mod info;
mod verify;

use std::fs;
use std::path::{Path, PathBuf};

pub use import::{
    ImportError, ImportReport, ImportRequest, ImportStep, Prompts, PrototypeSource, import_model,
};
pub use info::{EngineFacts, ModelInfo, model_info};
pub use partsight_inference::{
    Device, FileFormat, Manifest as ModelManifest, RiskThreshold, Thresholds, is_kebab_case,
};
use partsight_inference::{Error as InferenceError, Manifest, Model, StartedEngines, start_engines};
pub use verify::{Verification, verify_model};

use crate::{EMBEDDED_MODEL, Error, Result, Settings};

/// Where a model comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ModelSource {
    /// It is part of the program.
    Embedded,
    /// It lies in a folder.
    Folder(PathBuf),
}

impl ModelSource {
    /// The one that the settings choose.
    pub fn in_use(settings: &Settings) -> Self {
        match &settings.model_dir {
            Some(folder) => Self::Folder(folder.clone()),
            None => Self::of_name(settings, &settings.model),
        }
    }

    /// The one that a person names: a folder, or a name as `partsight models list` shows it.
    pub fn named(settings: &Settings, name_or_folder: &str) -> Self {
        // A name has no separators and no dots, so that nothing can be meant by both.
        if is_kebab_case(name_or_folder) {
            Self::of_name(settings, name_or_folder)
        } else {
            Self::Folder(PathBuf::from(name_or_folder))
        }
    }

    fn of_name(settings: &Settings, name: &str) -> Self {
        if name == EMBEDDED_MODEL { Self::Embedded } else { Self::Folder(settings.models_dir().join(name)) }
    }

    /// Reads and verifies the model.
    ///
    /// # Errors
    /// [`Error::ModelMissing`] when there is no such folder, [`Error::Model`] when it is not whole.
    pub fn load(&self, settings: &Settings) -> Result<Model> {
        let load = || match self {
            Self::Embedded => Model::embedded(),
            Self::Folder(folder) => Model::load(folder),
        };
        self.check_installed(settings)?;
        load().map_err(|source| Error::Model { source })
    }

    /// Reads the manifest alone.
    ///
    /// # Errors
    /// As [`ModelSource::load`].
    pub fn manifest(&self, settings: &Settings) -> Result<Manifest> {
        self.check_installed(settings)?;
        match self {
            Self::Embedded => Model::embedded().map(|model| model.manifest().clone()),
            Self::Folder(folder) => Model::load_manifest(folder),
        }
        .map_err(|source| Error::Model { source })
    }

    /// Reads the model and starts its engines as the settings say.
    ///
    /// # Errors
    /// As [`ModelSource::load`], and [`Error::Model`] for what [`start_engines`] refuses.
    pub fn start(&self, settings: &Settings) -> Result<(Model, StartedEngines)> {
        let model = self.load(settings)?;
        let threads = |device| settings.effective_engine_threads(device);
        let started = start_engines(&model, settings.device, settings.onnxruntime.as_deref(), threads)
            .map_err(|source| Error::Model { source })?;
        Ok((model, started))
    }

    /// For people: `embedded`, or the folder.
    pub fn describe(&self) -> String {
        match self {
            Self::Embedded => "embedded".to_owned(),
            Self::Folder(folder) => folder.display().to_string(),
        }
    }

    /// A name that is not installed is a mistake in the name, not in a file.
    fn check_installed(&self, settings: &Settings) -> Result<()> {
        let Self::Folder(folder) = self else { return Ok(()) };
        let models_dir = settings.models_dir();
        if folder.parent() == Some(models_dir.as_path()) && !folder.exists() {
            let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
            return Err(Error::ModelMissing { name, folder: models_dir });
        }
        Ok(())
    }
}

/// One row of the list of models.
#[derive(Debug)]
pub struct ListedModel {
    /// The name that chooses it.
    pub name: String,
    /// Where it is.
    pub source: ModelSource,
    /// Whether the settings choose it.
    pub is_in_use: bool,
    /// What its manifest says, or why it cannot be used. Hashes are not compared here.
    pub manifest: Result<Manifest, InferenceError>,
}

impl ListedModel {
    /// Bytes of its files, by the manifest; 0 for a broken one.
    pub fn size_bytes(&self) -> u64 {
        self.manifest.as_ref().map_or(0, |manifest| {
            let parts: u64 = manifest.file.parts.iter().map(|part| part.size_bytes).sum();
            let prototypes = manifest.prototypes.as_ref().map_or(0, |file| file.size_bytes);
            manifest.file.size_bytes + parts + prototypes
        })
    }
}

/// The embedded model, those in the folder of models by name, and the one in use where it lies elsewhere.
///
/// # Errors
/// [`Error::Internal`] when the folder of models cannot be read; one that is missing holds none.
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
    for folder in folders_in(&settings.models_dir()).map_err(Error::internal)? {
        let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        rows.push(row(name, ModelSource::Folder(folder)));
    }
    if !rows.iter().any(|row| row.is_in_use) {
        rows.push(row(in_use.describe(), in_use.clone()));
    }
    Ok(rows)
}

/// The manifest, after a look at what can be seen without reading the weights.
fn listed_manifest(folder: &Path) -> Result<Manifest, InferenceError> {
    let manifest = Model::load_manifest(folder)?;
    Model::load_labels(folder, &manifest)?;
    let weights = folder.join(&manifest.file.path);
    match fs::metadata(&weights) {
        Ok(_) => Ok(manifest),
        Err(source) => Err(InferenceError::ReadModel { path: weights, source }),
    }
}

/// The folders in a folder, by name; hidden ones, which a running import uses, are left out.
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
        Settings { data_dir: folder.to_owned(), ..Settings::default() }
    }

    #[test]
    fn names_and_folders_are_told_apart() {
        let settings = settings(Path::new("/data"));
        let folder = |path: &str| ModelSource::Folder(PathBuf::from(path));
        assert_eq!(ModelSource::named(&settings, "partsight-50"), ModelSource::Embedded);
        assert_eq!(ModelSource::named(&settings, "clip"), folder("/data/models/clip"));
        assert_eq!(ModelSource::named(&settings, "./clip"), folder("./clip"));
        assert_eq!(ModelSource::named(&settings, "a/b"), folder("a/b"));
        let elsewhere = Settings { model_dir: Some("m".into()), ..settings };
        assert_eq!(ModelSource::in_use(&elsewhere), folder("m"));
    }

    #[test]
    fn a_name_that_is_not_installed_says_where_it_was_looked_for() {
        let folder = tempfile::tempdir().unwrap();
        let settings = settings(folder.path());
        let error = ModelSource::named(&settings, "nothing").load(&settings).unwrap_err();
        assert!(matches!(&error, Error::ModelMissing { name, .. } if name == "nothing"), "{error:?}");
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
