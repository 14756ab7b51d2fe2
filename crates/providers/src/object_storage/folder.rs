//! Objects as files of a folder.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::ObjectStorageFailure;

/// A folder that is there already: while the disk of one is not mounted, nothing is written beside it, and nothing that
/// is missing counts as deleted.
#[derive(Debug, Clone)]
pub(super) struct Folder(pub(super) PathBuf);

impl Folder {
    /// Writes a file and waits until the disk has it. Under its name it is there completely or not at all.
    pub(super) async fn put(&self, key: &str, bytes: Vec<u8>) -> Result<(), ObjectStorageFailure> {
        let file = self.0.join(key);
        self.blocking(move || write(&file, &bytes)).await
    }

    pub(super) async fn get(&self, key: &str) -> Result<Option<Vec<u8>>, ObjectStorageFailure> {
        let file = self.0.join(key);
        self.blocking(move || or_missing(fs::read(file))).await
    }

    pub(super) async fn delete(&self, key: &str) -> Result<(), ObjectStorageFailure> {
        let file = self.0.join(key);
        self.blocking(move || {
            or_missing(fs::remove_file(unfinished(&file)))?;
            or_missing(fs::remove_file(&file))?;
            Ok(())
        })
        .await
    }

    async fn blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> io::Result<T> + Send + 'static,
    ) -> Result<T, ObjectStorageFailure> {
        let folder = self.0.clone();
        let work = move || {
            // Otherwise every file of it would count as missing.
            fs::read_dir(folder)?;
            work()
        };
        let done =
            tokio::task::spawn_blocking(work).await.unwrap_or_else(|error| Err(io::Error::other(error)));
        done.map_err(|error| match error.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => ObjectStorageFailure::Missing,
            io::ErrorKind::PermissionDenied => ObjectStorageFailure::Refused,
            io::ErrorKind::ReadOnlyFilesystem => ObjectStorageFailure::Away {
                reason: format!("{error}; a service of systemd needs `ReadWritePaths=` for the folder"),
            },
            _ => ObjectStorageFailure::Away { reason: error.to_string() },
        })
    }
}

fn write(file: &Path, bytes: &[u8]) -> io::Result<()> {
    let folder = file.parent().unwrap_or(file);
    match fs::create_dir(folder) {
        Ok(()) => sync(folder.parent().unwrap_or(folder))?,
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
        Err(error) => return Err(error),
    }
    let part = unfinished(file);
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut written = options.open(&part)?;
    written.write_all(bytes)?;
    written.sync_all()?;
    fs::rename(&part, file)?;
    sync(folder)
}

/// Waits until the disk has the names in a folder.
fn sync(folder: &Path) -> io::Result<()> {
    if cfg!(unix) { File::open(folder)?.sync_all() } else { Ok(()) }
}

/// What a file is called until it is complete.
fn unfinished(file: &Path) -> PathBuf {
    file.with_extension("part")
}

fn or_missing<T>(result: io::Result<T>) -> io::Result<Option<T>> {
    match result {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        result => result.map(Some),
    }
}
