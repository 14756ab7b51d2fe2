//! Backups of everything that a server stores, and restoring them.
//!
//! A backup is a text file with one JSON value a line: a header, each table with its rows, the files of the data
//! folder, and the SHA-256 of all that. Of its database it states only the kind, so it can be restored into the other
//! kind. It is a snapshot, taken while others write, and is verified by reading it back before it is renamed.

mod error;
mod files;
mod format;
mod reader;
mod restore;
mod shelf;
mod verify;
mod writer;

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use partsight_store::{Snapshot, sqlite_url};
use serde::{Deserialize, Serialize};

pub use error::BackupError;
pub use format::{BackedUpFile, BackedUpTable, BackupHeader};
pub use restore::{RestorePlan, RestoreReport, Restored, plan_restore, restore};
pub use verify::{BackupFacts, verify_backup};

use self::error::{read_error, write_error};
use self::format::VERSION;
use self::shelf::NewFile;
use self::writer::ArchiveWriter;
use crate::{Clock, Settings};

/// The note about the last backup in the data folder, which [`crate::examine`] reads.
const LAST_BACKUP: &str = "last-backup.json";

/// Progress of a backup or a restore.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BackupStep {
    /// What is being done.
    pub what: &'static str,
    /// How much of it is done.
    pub done: u64,
    /// How much there is in total.
    pub total: u64,
}

/// Called for each step.
pub type BackupProgress<'a> = &'a mut dyn FnMut(BackupStep);

/// What to back up, and where to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BackupRequest {
    /// A file, or a folder that keeps backups under names that say when they were made.
    pub target: PathBuf,
    /// How many backups the folder keeps, the new one included; all unless set.
    pub keep: Option<usize>,
    /// Whether a file of that name may be replaced.
    pub force: bool,
    /// Whether imported models are copied too.
    pub with_models: bool,
}

/// The result of a backup.
#[derive(Debug)]
pub struct BackupReport {
    /// The file.
    pub path: PathBuf,
    /// What it holds, by reading it back.
    pub facts: BackupFacts,
    /// Older backups that were deleted because of `keep`.
    pub removed: Vec<PathBuf>,
    /// Why the note in the data folder could not be written, if it could not.
    pub not_noted: Option<std::io::Error>,
}

/// The note of the last backup in the data folder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LastBackup {
    /// When it was made.
    pub created_at: Timestamp,
    /// Where it was written to.
    pub path: PathBuf,
    /// How large it is.
    pub size_bytes: u64,
}

/// Backs up the database that the settings name, and the imported files of the data folder, while servers run.
/// Everything that was answered as saved before the call is included.
///
/// # Errors
/// [`BackupError`]; then the file does not exist, or is the earlier one.
pub async fn back_up(
    settings: &Settings,
    request: &BackupRequest,
    clock: &Clock,
    progress: BackupProgress<'_>,
) -> Result<BackupReport, BackupError> {
    // Before the snapshot, so that everything saved before this time is in it.
    let created_at = clock.now();
    let path = shelf::place(&request.target, created_at, request.force)?;
    if request.target.is_dir() {
        // Before anything is written: on a full disk their space is needed.
        shelf::remove_leftovers(&request.target)?;
    }
    let files = files::find(&settings.data.dir, request.with_models)?;
    let mut snapshot = Snapshot::take(&database_url(settings)?).await?;
    let header = BackupHeader {
        format: format::FORMAT.to_owned(),
        version: VERSION,
        program: env!("CARGO_PKG_VERSION").to_owned(),
        created_at,
        database: snapshot.kind().as_str().to_owned(),
        migrations: snapshot.migrations().to_vec(),
    };
    let new = NewFile::create(&path)?;
    let mut writer = ArchiveWriter::new(new.writer()?, new.part());
    writer.header(&header)?;
    write_tables(&mut snapshot, &mut writer, progress).await?;
    // Closed as soon as the rows are read: while it is open, SQLite cannot truncate its write-ahead log.
    snapshot.close().await?;
    for file in &files {
        writer.file(file)?;
    }
    writer.finish()?;
    new.sync()?;
    // Verified under a hidden name: only a restorable file gets the name of a backup.
    let facts = verify_backup(new.part(), progress)?;
    new.keep()?;
    // Older ones are deleted only now that the new one is complete.
    let removed = match request.keep {
        Some(keep) if request.target.is_dir() => shelf::prune(&request.target, keep, created_at)?,
        _ => Vec::new(),
    };
    // A failure to write the note does not fail the backup; it is reported beside it.
    let not_noted = note(settings, &path, created_at, facts.size_bytes).err();
    Ok(BackupReport { path, facts, removed, not_noted })
}

async fn write_tables(
    snapshot: &mut Snapshot,
    writer: &mut ArchiveWriter<'_>,
    progress: BackupProgress<'_>,
) -> Result<(), BackupError> {
    let tables = snapshot.tables().to_vec();
    let total = tables.iter().map(|(_, n_rows)| n_rows).sum();
    let mut done = 0;
    for (place, (table, _)) in tables.iter().enumerate() {
        writer.table(table)?;
        let Some(mut rows) = snapshot.rows(place) else { continue };
        loop {
            let page = rows.next_page().await?;
            if page.is_empty() {
                break;
            }
            for row in &page {
                writer.row(row)?;
            }
            done += page.len() as u64;
            progress(BackupStep { what: "copying", done, total });
        }
        writer.end_table()?;
    }
    Ok(())
}

/// The record of the last backup, if it can be read.
pub fn last_backup(settings: &Settings) -> Option<LastBackup> {
    serde_json::from_slice(&fs::read(settings.data.dir.join(LAST_BACKUP)).ok()?).ok()
}

fn note(
    settings: &Settings,
    path: &Path,
    created_at: Timestamp,
    size_bytes: u64,
) -> Result<(), std::io::Error> {
    // The doctor may be started in another folder.
    let path = std::path::absolute(path)?;
    let note = serde_json::to_vec(&LastBackup { created_at, path, size_bytes })?;
    // Written to a temporary name and renamed, so that nobody reads a partial note.
    let part = settings.data.dir.join(format!(".{LAST_BACKUP}"));
    let written =
        write_private(&part, &note).and_then(|()| fs::rename(&part, settings.data.dir.join(LAST_BACKUP)));
    if written.is_err() {
        // A full disk leaves it empty.
        let _ = fs::remove_file(&part);
    }
    written
}

/// Writes a file that only the owner of its folder can read.
fn write_private(path: &Path, content: &[u8]) -> Result<(), std::io::Error> {
    let mut options = fs::OpenOptions::new();
    options.create(true).write(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(path)?;
    give_to_owner_of_folder(&file, path);
    file.write_all(content)
}

/// The URL of the database that the settings name, which must exist.
fn database_url(settings: &Settings) -> Result<String, BackupError> {
    if let Some(url) = &settings.data.database_url {
        return Ok(url.reveal().to_owned());
    }
    let file = settings.data.dir.join("partsight.db");
    match fs::metadata(&file) {
        Ok(_) => Ok(sqlite_url(&settings.data.dir)?),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Err(BackupError::NoDatabase(file)),
        Err(error) => Err(read_error(&file)(error)),
    }
}

/// Changes the owner of a file that root created to that of its folder: the server's user, who could not open it
/// otherwise.
///
/// By its handle, because the owner of the folder could replace the file meanwhile. If the system does not allow it,
/// that is logged.
#[cfg(unix)]
fn give_to_owner_of_folder(file: &fs::File, path: &Path) {
    use std::os::unix::fs::{MetadataExt, fchown};

    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let given = file.metadata().and_then(|made| {
        let folder = fs::metadata(folder)?;
        if made.uid() != 0 || folder.uid() == 0 {
            return Ok(());
        }
        fchown(file, Some(folder.uid()), Some(folder.gid()))
    });
    if let Err(error) = given {
        tracing::warn!(
            file = %path.display(),
            %error,
            "the server may not be able to open the file; please give it to the owner of its folder (chown)"
        );
    }
}

#[cfg(not(unix))]
fn give_to_owner_of_folder(_: &fs::File, _: &Path) {}

/// Syncs the folder of a file, so that its entry is as durable as the file.
fn sync_folder_of(path: &Path) -> Result<(), BackupError> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    // Only Unix can open a folder as a file.
    if cfg!(unix) {
        fs::File::open(folder).and_then(|folder| folder.sync_all()).map_err(write_error(folder))?;
    }
    Ok(())
}
