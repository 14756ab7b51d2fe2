//! Where the model in use comes from.

use std::path::PathBuf;

use partsight_inference::{Manifest, Model, StartedEngines, is_kebab_case, start_engines};

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
    /// The model of the settings.
    pub fn in_use(settings: &Settings) -> Self {
        match &settings.model.dir {
            Some(folder) => Self::Folder(folder.clone()),
            None => Self::of_name(settings, &settings.model.name),
        }
    }

    /// The model that a person names: a folder, or a name as in `partsight models list`.
    pub fn named(settings: &Settings, name_or_folder: &str) -> Self {
        // A name has no separators and no dots, so that nothing can be meant by both.
        if is_kebab_case(name_or_folder) {
            Self::of_name(settings, name_or_folder)
        } else {
            Self::Folder(PathBuf::from(name_or_folder))
        }
    }

    fn of_name(settings: &Settings, name: &str) -> Self {
        if name == EMBEDDED_MODEL {
            Self::Embedded
        } else {
            Self::Folder(settings.data.models_dir().join(name))
        }
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
        load().map_err(Error::Model)
    }

    /// Reads the manifest alone.
    ///
    /// # Errors
    /// As [`ModelSource::load`].
    pub fn manifest(&self, settings: &Settings) -> Result<Manifest> {
        self.check_installed(settings)?;
        match self {
            Self::Embedded => Model::embedded_manifest(),
            Self::Folder(folder) => Model::load_manifest(folder),
        }
        .map_err(Error::Model)
    }

    /// Reads the model and starts its engines as the settings say.
    ///
    /// # Errors
    /// As [`ModelSource::load`], and [`Error::Model`] for what [`start_engines`] refuses.
    pub fn start(&self, settings: &Settings) -> Result<(Model, StartedEngines)> {
        let model = self.load(settings)?;
        let threads = |device, bytes| settings.model.effective_engine_threads(device, bytes);
        let started =
            start_engines(&model, settings.model.device, settings.model.onnxruntime.as_deref(), threads)
                .map_err(Error::Model)?;
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
        let models_dir = settings.data.models_dir();
        if folder.parent() == Some(models_dir.as_path()) && !folder.exists() {
            let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
            return Err(Error::ModelMissing { name, folder: models_dir });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    fn settings(folder: &Path) -> Settings {
        Settings::with(|settings| settings.data.dir = folder.into())
    }

    #[test]
    fn names_and_folders_are_told_apart() {
        let settings = settings(Path::new("/data"));
        let folder = |path: &str| ModelSource::Folder(PathBuf::from(path));
        assert_eq!(ModelSource::named(&settings, "partsight-50"), ModelSource::Embedded);
        assert_eq!(ModelSource::named(&settings, "clip"), folder("/data/models/clip"));
        assert_eq!(ModelSource::named(&settings, "./clip"), folder("./clip"));
        assert_eq!(ModelSource::named(&settings, "a/b"), folder("a/b"));
        let elsewhere = Settings::with(|settings| settings.model.dir = Some("m".into()));
        assert_eq!(ModelSource::in_use(&elsewhere), folder("m"));
    }

    #[test]
    fn a_name_that_is_not_installed_says_where_it_was_looked_for() {
        let folder = tempfile::tempdir().unwrap();
        let settings = settings(folder.path());
        let error = ModelSource::named(&settings, "nothing").load(&settings).unwrap_err();
        assert!(matches!(&error, Error::ModelMissing { name, .. } if name == "nothing"), "{error:?}");
    }
}
