//! Writes into a folder with a hidden name, and renames it at the end.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process;

use partsight_inference::is_kebab_case;
use partsight_store::create_private_folder;

use super::{ImportError, is_reserved};

/// Checks that a name is valid for a model.
pub(super) fn check_name(name: &str) -> Result<(), ImportError> {
    // As long as a label: every file system takes it.
    if !is_kebab_case(name) || name.len() > 64 {
        return Err(ImportError::InvalidName(name.to_owned()));
    }
    if is_reserved(name) {
        return Err(ImportError::ReservedName(name.to_owned()));
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

/// Deletes what killed imports of the model `name` left, which can be as large as the model, and moves a model back that
/// one of them had moved aside.
///
/// # Errors
/// [`ImportError::Write`] for a model that cannot be moved back.
pub(super) fn clear_leftovers(models_dir: &Path, name: &str) -> Result<(), ImportError> {
    // Without a folder of models nothing is left in it; one that cannot be read fails when it is written to.
    let Ok(entries) = fs::read_dir(models_dir) else { return Ok(()) };
    let found: Vec<String> =
        entries.flatten().filter_map(|entry| entry.file_name().into_string().ok()).collect();
    let processes = |kind: &str| -> Vec<String> {
        let process = |found: &String| found.strip_prefix(&format!(".{kind}-{name}-")).map(str::to_owned);
        let is_number = |process: &String| process.bytes().all(|byte| byte.is_ascii_digit());
        found.iter().filter_map(process).filter(is_number).collect()
    };
    let place = |kind: &str, process: &str| models_dir.join(format!(".{kind}-{name}-{process}"));
    // A running import holds a lock, which ends with its process.
    let is_abandoned =
        |folder: &Path| File::open(folder).is_ok_and(|folder| folder.try_lock().is_ok()) && folder.is_dir();
    for process in processes("importing") {
        let folder = place("importing", &process);
        // What cannot be deleted is in nobody's way.
        if is_abandoned(&folder)
            && let Err(error) = fs::remove_dir_all(&folder)
        {
            tracing::warn!(path = %folder.display(), %error, "what a killed import left could not be removed");
        }
    }
    let mut replaced = processes("replaced");
    // One that is still being installed has its folder yet.
    replaced.retain(|process| !place("importing", process).exists());
    let target = models_dir.join(name);
    if fs::symlink_metadata(&target).is_ok() {
        // The new model had been installed.
        for process in &replaced {
            let _ = fs::remove_dir_all(place("replaced", process));
        }
    } else if let [process] = replaced.as_slice() {
        let write = |source| ImportError::Write { path: target.clone(), source };
        fs::rename(place("replaced", process), &target).map_err(write)?;
    }
    Ok(())
}

/// A folder that is removed again unless it is installed.
#[derive(Debug)]
pub(super) struct Staging {
    folder: PathBuf,
    replaced: PathBuf,
    name: String,
    /// Tells other imports that the folder is in use. `None` on a system that cannot lock folders.
    _lock: Option<File>,
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
        let lock = File::open(&folder).ok().filter(|folder| folder.try_lock().is_ok());
        Ok(Self { folder, replaced, name: name.to_owned(), _lock: lock })
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
            assert!(matches!(check_name(name), Err(ImportError::InvalidName(_))), "{name}");
        }
        assert!(matches!(check_name("partsight-50"), Err(ImportError::ReservedName(_))));
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

    #[cfg(unix)]
    #[test]
    fn what_a_killed_import_left_is_removed_and_the_model_it_moved_aside_is_back() {
        let models = tempfile::tempdir().unwrap();
        let put = |name: &str| {
            fs::create_dir(models.path().join(name)).unwrap();
            fs::write(models.path().join(name).join("model.toml"), name).unwrap();
        };
        // The last is of a model named `x-1`.
        for name in [".importing-x-999999999", ".replaced-x-999999999", ".importing-x-1-999999999"] {
            put(name);
        }
        let running = Staging::start(models.path(), "x").unwrap();
        running.write("model.toml", b"half").unwrap();
        clear_leftovers(models.path(), "x").unwrap();
        assert_eq!(fs::read_to_string(models.path().join("x/model.toml")).unwrap(), ".replaced-x-999999999");
        assert!(running.folder().join("model.toml").exists());
        drop(running);

        // Where the new model is in place, the one before is not wanted any more.
        put(".replaced-x-999999998");
        clear_leftovers(models.path(), "x").unwrap();
        let mut names: Vec<_> =
            fs::read_dir(models.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        names.sort_unstable();
        assert_eq!(names, [".importing-x-1-999999999", "x"]);
        clear_leftovers(&models.path().join("nowhere"), "x").unwrap();
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
