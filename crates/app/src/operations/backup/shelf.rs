//! Names of backups, and deleting old ones.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::path::{Path, PathBuf};

use jiff::Timestamp;

use super::error::{read_error, write_error};
use super::{BackupError, sync_folder_of};

const BEGINNING: &str = "partsight-";
const ENDING: &str = ".backup";
const UNFINISHED: &str = ".part";

/// The path of the new backup: `target` itself, or a file in the folder `target` that is named by the time.
pub(super) fn place(target: &Path, now: Timestamp, force: bool) -> Result<PathBuf, BackupError> {
    let path = if target.is_dir() {
        target.join(format!("{BEGINNING}{}{ENDING}", stamp(now)))
    } else if ends_in_separator(target) {
        // A file cannot have this name, which would show only when the finished backup is renamed.
        return Err(BackupError::NoFolder(target.to_owned()));
    } else {
        target.to_owned()
    };
    if fs::symlink_metadata(&path).is_ok() && !force {
        return Err(BackupError::FileExists(path));
    }
    Ok(path)
}

fn ends_in_separator(path: &Path) -> bool {
    let last = path.as_os_str().as_encoded_bytes().last();
    last.is_some_and(|&byte| std::path::is_separator(char::from(byte)))
}

/// A time for file names, which sort by it.
pub(super) fn stamp(now: Timestamp) -> String {
    now.strftime("%Y%m%dT%H%M%SZ").to_string()
}

/// Deletes the leftovers of killed runs in the folder, which can be as large as a backup.
pub(super) fn remove_leftovers(folder: &Path) -> Result<(), BackupError> {
    for path in paths(folder)? {
        let name = name_of(&path);
        if let Some(name) = name.strip_prefix('.').and_then(|name| name.strip_suffix(UNFINISHED))
            && is_backup(name)
            && is_abandoned(&path)
        {
            fs::remove_file(&path).map_err(write_error(&path))?;
        }
    }
    Ok(())
}

/// Deletes all backups of the folder except the newest `keep`. Returns the deleted backups.
///
/// A backup with a time after `now` was made with a wrong clock: it counts as the oldest, or the new backup would be
/// deleted in its place.
pub(super) fn prune(folder: &Path, keep: usize, now: Timestamp) -> Result<Vec<PathBuf>, BackupError> {
    let mut backups = paths(folder)?;
    backups.retain(|path| is_backup(&name_of(path)));
    let newest = format!("{BEGINNING}{}{ENDING}", stamp(now));
    backups.sort_unstable_by_key(|path| {
        let name = name_of(path);
        (name <= newest, name)
    });
    backups.truncate(backups.len().saturating_sub(keep));
    for path in &backups {
        fs::remove_file(path).map_err(write_error(path))?;
    }
    Ok(backups)
}

fn paths(folder: &Path) -> Result<Vec<PathBuf>, BackupError> {
    let entries = fs::read_dir(folder).map_err(read_error(folder))?;
    entries.map(|entry| Ok(entry.map_err(read_error(folder))?.path())).collect()
}

fn name_of(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// Whether [`place`] makes such names. A file that somebody named is never deleted.
fn is_backup(name: &str) -> bool {
    let stamp = name.strip_prefix(BEGINNING).and_then(|rest| rest.strip_suffix(ENDING));
    stamp.is_some_and(|stamp| {
        stamp.len() == 16 && stamp.bytes().all(|b| b.is_ascii_digit() || b == b'T' || b == b'Z')
    })
}

/// A running backup holds a lock, which ends with its process.
fn is_abandoned(path: &Path) -> bool {
    File::open(path).is_ok_and(|file| file.try_lock().is_ok())
}

/// A file with a hidden name, for its owner alone, that is deleted unless it is kept.
pub(super) struct NewFile {
    path: PathBuf,
    part: PathBuf,
    file: File,
}

impl NewFile {
    pub(super) fn create(path: &Path) -> Result<Self, BackupError> {
        let name = name_of(path);
        let part = path.with_file_name(format!(".{name}{UNFINISHED}"));
        let mut options = OpenOptions::new();
        // Not truncated yet, because another backup may hold the lock and be writing it.
        options.create(true).write(true).truncate(false);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let file = options.open(&part).map_err(write_error(&part))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(BackupError::Running(part)),
            Err(TryLockError::Error(error)) => return Err(write_error(&part)(error)),
        }
        // A killed run may have left content.
        file.set_len(0).map_err(write_error(&part))?;
        Ok(Self { path: path.to_owned(), part, file })
    }

    /// The hidden path.
    pub(super) fn part(&self) -> &Path {
        &self.part
    }

    pub(super) fn writer(&self) -> Result<File, BackupError> {
        self.file.try_clone().map_err(write_error(&self.part))
    }

    /// Syncs the file to the disk.
    pub(super) fn sync(&self) -> Result<(), BackupError> {
        self.file.sync_all().map_err(write_error(&self.part))
    }

    /// Renames the file to its final name.
    pub(super) fn keep(self) -> Result<(), BackupError> {
        fs::rename(&self.part, &self.path).map_err(write_error(&self.path))?;
        sync_folder_of(&self.path)
    }
}

impl Drop for NewFile {
    fn drop(&mut self) {
        // Once it is kept, there is no file with this name.
        let _ = fs::remove_file(&self.part);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_of_ours_are_backups() {
        let now: Timestamp = "2026-11-23T04:44:24Z".parse().unwrap();
        assert_eq!(stamp(now), "20261123T044424Z");
        assert!(is_backup("partsight-20261123T044424Z.backup"));
        for other in ["partsight-before-the-move.backup", "partsight-.backup", "notes.txt"] {
            assert!(!is_backup(other), "{other}");
        }
    }

    #[test]
    fn the_newest_are_kept_and_what_a_killed_run_left_goes() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str| fs::write(folder.path().join(name), "x").unwrap();
        for name in [
            "partsight-20261121T000000Z.backup",
            "partsight-20261123T000000Z.backup",
            "partsight-20261122T000000Z.backup",
            "partsight-by-hand.backup",
            ".partsight-20261120T000000Z.backup.part",
        ] {
            write(name);
        }
        let running = NewFile::create(&folder.path().join("partsight-20261124T000000Z.backup")).unwrap();
        let now = "2026-11-24T00:00:00Z".parse().unwrap();
        remove_leftovers(folder.path()).unwrap();
        let removed = prune(folder.path(), 2, now).unwrap();
        assert_eq!(removed, [folder.path().join("partsight-20261121T000000Z.backup")]);
        let mut left: Vec<_> =
            fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        left.sort_unstable();
        let expected = [
            ".partsight-20261124T000000Z.backup.part",
            "partsight-20261122T000000Z.backup",
            "partsight-20261123T000000Z.backup",
            "partsight-by-hand.backup",
        ];
        assert_eq!(left, expected);
        drop(running);
        assert!(!folder.path().join(expected[0]).exists());
    }

    #[test]
    fn the_backup_of_now_is_kept_beside_those_of_a_clock_that_was_ahead() {
        let folder = tempfile::tempdir().unwrap();
        let names = ["20360101T010000Z", "20261123T000000Z", "20360101T020000Z", "20261122T000000Z"];
        let path = |stamp: &str| folder.path().join(format!("partsight-{stamp}.backup"));
        for stamp in names {
            fs::write(path(stamp), "x").unwrap();
        }
        let now = "2026-11-23T00:00:00Z".parse().unwrap();
        let removed = prune(folder.path(), 2, now).unwrap();
        assert_eq!(removed, [path("20360101T010000Z"), path("20360101T020000Z")]);
        assert!(path("20261123T000000Z").exists() && path("20261122T000000Z").exists());
    }

    #[test]
    fn a_folder_that_is_not_there_is_no_name_of_a_file() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("file"), "x").unwrap();
        for target in ["nowhere/", "file/"] {
            let target = folder.path().join(target);
            let refused = place(&target, Timestamp::UNIX_EPOCH, true);
            assert!(matches!(&refused, Err(BackupError::NoFolder(path)) if *path == target), "{refused:?}");
        }
        let named = place(&folder.path().join("nowhere"), Timestamp::UNIX_EPOCH, false);
        assert_eq!(named.unwrap(), folder.path().join("nowhere"));
    }

    #[test]
    fn one_file_is_written_by_one_backup_at_a_time() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("copy");
        let first = NewFile::create(&path).unwrap();
        assert!(matches!(NewFile::create(&path), Err(BackupError::Running(_))));
        assert!(first.part().exists());
        first.keep().unwrap();
        assert!(matches!(place(&path, Timestamp::UNIX_EPOCH, false), Err(BackupError::FileExists(_))));
        assert_eq!(place(&path, Timestamp::UNIX_EPOCH, true).unwrap(), path);
    }
}
