use std::io;
use std::path::{Path, PathBuf};

/// Why a backup or a restore failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BackupError {
    /// There is no database to back up.
    #[error("there is no database `{}`; name its folder with --data-dir", .0.display())]
    NoDatabase(PathBuf),
    /// The target file exists.
    #[error("the file `{}` exists already; choose another name, or replace it with --force", .0.display())]
    FileExists(PathBuf),
    /// The target is a folder by its name, and there is none.
    #[error("there is no folder `{}`", .0.display())]
    NoFolder(PathBuf),
    /// Another process is writing this file.
    #[error("another backup is being written to `{}`", .0.display())]
    Running(PathBuf),
    /// Another process is restoring into this database.
    #[error("another restore into `{}` is running; wait for its end, and restore again if you still want to", .0.display())]
    Restoring(PathBuf),
    /// A file cannot be written.
    #[error("cannot write `{}`", path.display())]
    Write {
        /// Path of the file.
        path: PathBuf,
        /// Cause.
        source: io::Error,
    },
    /// A file cannot be read.
    #[error("cannot read `{}`", path.display())]
    Read {
        /// Path of the file.
        path: PathBuf,
        /// Cause.
        source: io::Error,
    },
    /// The file is no backup.
    #[error("`{}` is no backup of partsight", .0.display())]
    NotABackup(PathBuf),
    /// The file was changed or cut short.
    #[error("the backup `{}` is damaged in line {line}: {reason}. Nothing was changed; use another one", path.display())]
    Damaged {
        /// Path of the backup.
        path: PathBuf,
        /// The line, counted from 1.
        line: u64,
        /// What is wrong with it.
        reason: String,
    },
    /// The file was written by a later version of the program.
    #[error(
        "the backup `{}` was made by partsight {program}, which is newer than this one; please restore it with that \
         version or a later one",
        path.display()
    )]
    Newer {
        /// Path of the backup.
        path: PathBuf,
        /// The version that wrote it.
        program: String,
    },
    /// The file was written by a version from before the first release.
    #[error(
        "the backup `{}` was made by a development version of partsight, from before its first release, which this \
         version cannot use. Please restore it with that version",
        .0.display()
    )]
    FromDevelopment(PathBuf),
    /// A restore would replace something, which the text names.
    #[error("{0}; restore into an empty folder or database, or replace it with --replace")]
    Occupied(String),
    /// A server uses the database.
    #[error("the database `{}` is in use; please stop the server first", .0.display())]
    InUse(PathBuf),
    /// A table of the backup does not match the schema of its version of the database.
    #[error("the table `{0}` of the backup does not fit the database of its version; nothing was changed")]
    OtherShape(String),
    /// Rows read back from the database differ from the backup.
    #[error("the table `{0}` came out of the database other than it is in the backup; nothing was changed")]
    Differs(String),
    /// The database reported an error.
    #[error(transparent)]
    Store(#[from] partsight_store::Error),
}

/// An error with the file that could not be read.
pub(super) fn read_error(path: &Path) -> impl Fn(io::Error) -> BackupError + use<> {
    let path = path.to_owned();
    move |source| BackupError::Read { path: path.clone(), source }
}

/// An error with the file that could not be written.
pub(super) fn write_error(path: &Path) -> impl Fn(io::Error) -> BackupError + use<> {
    let path = path.to_owned();
    move |source| BackupError::Write { path: path.clone(), source }
}
