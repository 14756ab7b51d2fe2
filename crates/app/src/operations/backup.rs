//! Copies of everything that a server keeps, and servers made out of them.
//!
//! A backup is one text file, a JSON value a line: a header, each table with its rows, the files of the data folder,
//! and the SHA-256 of all that. It says nothing about the database that it came from but its kind, so it can be
//! restored into the other kind. It is read while others write, at one moment, and checked by reading it back before
//! it gets its name.

mod error;
mod files;
mod format;
mod reader;
mod restore;
mod shelf;
mod verify;
mod writer;

use std::fs;
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

/// Where the data folder notes the last backup, for [`crate::examine`] to find.
const LAST_BACKUP: &str = "last-backup.json";

/// How far a backup or a restore is, for whoever watches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BackupStep {
    /// What is being done.
    pub what: &'static str,
    /// Done of it.
    pub done: u64,
    /// In all.
    pub total: u64,
}

/// Told of each step.
pub type BackupProgress<'a> = &'a mut dyn FnMut(BackupStep);

/// What somebody wants copied, and where to.
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

/// What was copied.
#[derive(Debug)]
pub struct BackupReport {
    /// The file.
    pub path: PathBuf,
    /// What it holds, as it was read back.
    pub facts: BackupFacts,
    /// Older backups that went, by `keep`.
    pub removed: Vec<PathBuf>,
    /// Why the data folder could not note it, if it could not.
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

/// Copies the database that the settings name, and what else the data folder holds that a server needs, while
/// servers may go on. All that was answered as saved before the call is in it.
///
/// # Errors
/// [`BackupError`]; then there is no file of that name, or the one that was there before.
pub async fn back_up(
    settings: &Settings,
    request: &BackupRequest,
    clock: &Clock,
    progress: BackupProgress<'_>,
) -> Result<BackupReport, BackupError> {
    // Before the snapshot, so that all that was saved before this moment is in it.
    let created_at = clock.now();
    let path = shelf::place(&request.target, created_at, request.force)?;
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
    // Closed as soon as the rows are read: while it is open, the log of an SQLite database cannot be emptied.
    snapshot.close().await?;
    for file in &files {
        writer.file(file)?;
    }
    writer.finish()?;
    new.sync()?;
    // Read back under its hidden name: only what can be restored gets the name of a backup.
    let facts = verify_backup(new.part(), progress)?;
    new.keep()?;
    // Older ones go only now that there is a whole new one.
    let removed = match request.keep {
        Some(keep) if request.target.is_dir() => shelf::prune(&request.target, keep, created_at)?,
        _ => Vec::new(),
    };
    // A note that fails is no failed backup; it is reported beside it.
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

/// What the data folder notes of the last backup, if there was one and the note can be read.
pub fn last_backup(settings: &Settings) -> Option<LastBackup> {
    serde_json::from_slice(&fs::read(settings.data.dir.join(LAST_BACKUP)).ok()?).ok()
}

fn note(
    settings: &Settings,
    path: &Path,
    created_at: Timestamp,
    size_bytes: u64,
) -> Result<(), std::io::Error> {
    // The doctor may be started from another folder.
    let path = std::path::absolute(path)?;
    let note = serde_json::to_vec(&LastBackup { created_at, path, size_bytes })?;
    // Written beside it and renamed, so that nobody reads half a note.
    let part = settings.data.dir.join(format!(".{LAST_BACKUP}"));
    fs::write(&part, note)?;
    fs::rename(part, settings.data.dir.join(LAST_BACKUP))
}

/// The address of the database that the settings name, which has to be there.
fn database_url(settings: &Settings) -> Result<String, BackupError> {
    if let Some(url) = &settings.data.database_url {
        return Ok(url.reveal().to_owned());
    }
    let file = settings.data.dir.join("partsight.db");
    match fs::metadata(&file) {
        Ok(_) => Ok(sqlite_url(&settings.data.dir)?),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            Err(BackupError::NoDatabase { path: file })
        }
        Err(error) => Err(read_error(&file)(error)),
    }
}

/// Gives a file that root made to the owner of its folder: the user that the server runs as, who could not open it.
///
/// By its handle, because the owner of the folder could put another file under its name meanwhile. Where the system
/// allows it not even to root, the log says so.
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

/// Makes the entry of a file in its folder as lasting as the file.
fn sync_folder_of(path: &Path) -> Result<(), BackupError> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    // Only Unix lets a folder be opened as a file.
    if cfg!(unix) {
        fs::File::open(folder).and_then(|folder| folder.sync_all()).map_err(write_error(folder))?;
    }
    Ok(())
}
