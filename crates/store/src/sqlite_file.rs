//! Where the file of an SQLite database is, and who may read it.

use std::ffi::OsString;
use std::fs::{self, DirBuilder, OpenOptions};
use std::path::{Path, PathBuf};

use crate::Error;
use crate::url::sqlite_file;

/// Suffixes of the files that SQLite keeps beside an open database: the write-ahead log and its index.
const COMPANIONS: [&str; 2] = ["-wal", "-shm"];

/// The URL of `partsight.db` in `data_dir`, a folder that is created if it is missing.
pub fn sqlite_url(data_dir: &Path) -> Result<String, Error> {
    // The path becomes a URL, which has no relative paths.
    let absolute = create_private_folder(data_dir)
        .and_then(|()| data_dir.canonicalize())
        .map_err(|source| Error::CreateFolder { path: data_dir.to_owned(), source })?;
    let path = absolute.join("partsight.db");
    // A percent or question mark would be read as an escape or as the start of the options.
    let path = path.to_string_lossy().replace('%', "%25").replace('?', "%3f").replace('#', "%23");
    Ok(format!("sqlite://{path}?mode=rwc"))
}

/// Creates a folder that only its owner can access: the database has people's records and password hashes. An
/// existing one keeps its permissions.
///
/// # Errors
/// The error of the file system.
pub fn create_private_folder(folder: &Path) -> std::io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// The file of an open SQLite database.
///
/// SQLite continues with an open file that was deleted, moved or replaced by another, and its writes are lost at the
/// next start. So each write first checks the file at the path.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct OpenFile {
    path: PathBuf,
    identity: u64,
}

impl OpenFile {
    /// `None` for a database without a file, and on systems where files have no identity.
    pub(crate) fn of(url: &str) -> Option<Self> {
        let path = std::path::absolute(sqlite_file(url)?).ok()?;
        let identity = identity(&path)?;
        Some(Self { path, identity })
    }

    /// # Errors
    /// [`Error::FileGone`] if another file is at its path, or none.
    pub(crate) fn check(&self) -> Result<(), Error> {
        if identity(&self.path) == Some(self.identity) {
            return Ok(());
        }
        Err(Error::FileGone(self.path.clone()))
    }
}

/// The number of a file in its file system.
#[cfg(unix)]
fn identity(path: &Path) -> Option<u64> {
    fs::metadata(path).ok().map(|facts| std::os::unix::fs::MetadataExt::ino(&facts))
}

#[cfg(not(unix))]
fn identity(_: &Path) -> Option<u64> {
    None
}

/// Makes the file of the database at `url` and its companions readable only for their owner. If that fails, for
/// example because a file system has no permissions, it is logged.
///
/// A missing file is created, if `url` allows that, so that it is never readable by others. SQLite gives its
/// companions the permissions of the database.
pub(crate) fn make_private(url: &str) {
    let Some(database) = sqlite_file(url) else { return };
    if url.contains("mode=rwc") {
        let mut new = OpenOptions::new();
        // An existing file is not opened: closing any handle of it would drop the locks that SQLite holds on it in
        // this process.
        new.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut new, 0o600);
        // If the file cannot be created, opening the database reports why.
        let _ = new.open(&database);
    }
    let companion = |end| {
        let mut path = OsString::from(&database);
        path.push(end);
        PathBuf::from(path)
    };
    for path in std::iter::once(database.clone()).chain(COMPANIONS.map(companion)) {
        if let Err(error) = take_from_others(&path) {
            tracing::warn!(
                file = %path.display(),
                %error,
                "other accounts of this machine may be able to read the database; please let only its owner read the file (chmod 600)"
            );
        }
    }
}

#[cfg(unix)]
fn take_from_others(file: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt;

    let Ok(found) = fs::metadata(file) else { return Ok(()) };
    // Correct permissions are not touched: the file may belong to somebody else.
    if !found.is_file() || found.permissions().mode() & 0o777 == 0o600 {
        return Ok(());
    }
    fs::set_permissions(file, fs::Permissions::from_mode(0o600))
}

#[cfg(not(unix))]
fn take_from_others(_: &Path) -> std::io::Result<()> {
    Ok(())
}
