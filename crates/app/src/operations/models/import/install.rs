//! Writes into a folder with a hidden name, and renames it at the end.

use std::fs;
use std::path::{Path, PathBuf};
use std::process;

use partsight_inference::is_kebab_case;
use partsight_store::create_private_folder;

use super::{ImportError, is_reserved};

/// Checks that a name is valid for a model.
pub(super) fn check_name(name: &str) -> Result<(), ImportError> {
    // As long as a label: every file system takes it.
    if !is_kebab_case(name) || name.len() > 64 {
        return Err(ImportError::InvalidName { name: name.to_owned() });
    }
    if is_reserved(name) {
        return Err(ImportError::ReservedName { name: name.to_owned() });
    }
    Ok(())
}

/// Checks that the target is free, or may be replaced.
pub(super) fn check_target(name: &str, target: &Path, force: bool) -> Result<(), ImportError> {
    if fs::symlink_metadata(target).is_ok() && !force {
        return Err(ImportError::Exists { name: name.to_owned(), folder: target.to_owned() });
    }
    Ok(())
}

/// A folder that is removed again unless it is installed.
#[derive(Debug)]
pub(super) struct Staging {
    folder: PathBuf,
    replaced: PathBuf,
    name: String,
}

impl Staging {
    /// Makes `.importing-<name>-<process>` in the folder of models.
    pub(super) fn start(models_dir: &Path, name: &str) -> Result<Self, ImportError> {
        let folder = models_dir.join(format!(".importing-{name}-{}", process::id()));
        let replaced = models_dir.join(format!(".replaced-{name}-{}", process::id()));
        // A process of this number may have been killed here before.
        let _ = fs::remove_dir_all(&folder);
        create_private_folder(&folder)
            .map_err(|source| ImportError::Write { path: folder.clone(), source })?;
        Ok(Self { folder, replaced, name: name.to_owned() })
    }

    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    pub(super) fn write(&self, name: &str, bytes: &[u8]) -> Result<(), ImportError> {
        let path = self.folder.join(name);
        fs::write(&path, bytes).map_err(|source| ImportError::Write { path, source })
    }

    /// Copies a file; a failure names the side that failed.
    pub(super) fn copy(&self, from: &Path, name: &str) -> Result<(), ImportError> {
        let path = self.folder.join(name);
        fs::metadata(from).map_err(|source| ImportError::Read { path: from.to_owned(), source })?;
        fs::copy(from, &path).map(drop).map_err(|source| ImportError::Write { path, source })
    }

    /// Renames the folder. A model that it replaces is moved aside, and back if that fails: between the two renames
    /// there is a moment without either, which no file system can avoid.
    pub(super) fn install(&mut self, target: &Path, force: bool) -> Result<(), ImportError> {
        // Checked again: the import took minutes, in which the name may have been taken.
        check_target(&self.name, target, force)?;
        let write = |source| ImportError::Write { path: target.to_owned(), source };
        let replaces = fs::symlink_metadata(target).is_ok();
        if replaces {
            let _ = fs::remove_dir_all(&self.replaced);
            fs::rename(target, &self.replaced).map_err(write)?;
        }
        if let Err(source) = fs::rename(&self.folder, target) {
            if replaces {
                let _ = fs::rename(&self.replaced, target);
            }
            return Err(write(source));
        }
        // The new model is installed; leftovers are hidden from lists and backups.
        if replaces && fs::remove_dir_all(&self.replaced).is_err() {
            tracing::warn!(path = %self.replaced.display(), "the replaced model could not be removed");
        }
        Ok(())
    }
}

impl Drop for Staging {
    fn drop(&mut self) {
        // Once installed it is no longer here.
        let _ = fs::remove_dir_all(&self.folder);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_are_no_folder_names_are_refused() {
        for name in ["", "Clip", "a b", "../a", "a--b", "-a", "a_b", &"a".repeat(65)] {
            assert!(matches!(check_name(name), Err(ImportError::InvalidName { .. })), "{name}");
        }
        assert!(matches!(check_name("partsight-50"), Err(ImportError::ReservedName { .. })));
        assert!(check_name("clip-vit-base-patch32").is_ok());
    }

    #[test]
    fn what_is_not_installed_leaves_nothing() {
        let models = tempfile::tempdir().unwrap();
        let staging = Staging::start(models.path(), "x").unwrap();
        staging.write("model.toml", b"half").unwrap();
        drop(staging);
        assert_eq!(fs::read_dir(models.path()).unwrap().count(), 0);
    }

    #[test]
    fn an_existing_model_is_kept_unless_forced_and_then_replaced_whole() {
        let models = tempfile::tempdir().unwrap();
        let target = models.path().join("x");
        fs::create_dir(&target).unwrap();
        fs::write(target.join("old"), b"old").unwrap();
        let mut staging = Staging::start(models.path(), "x").unwrap();
        staging.write("new", b"new").unwrap();
        assert!(matches!(staging.install(&target, false), Err(ImportError::Exists { .. })));
        assert!(target.join("old").exists());
        staging.install(&target, true).unwrap();
        drop(staging);
        assert!(target.join("new").exists() && !target.join("old").exists());
        assert_eq!(fs::read_dir(models.path()).unwrap().count(), 1);
    }
}
