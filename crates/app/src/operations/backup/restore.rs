//! Restores a backup into a database and a data folder.
//!
//! The whole backup is verified before anything is written. A PostgreSQL database is filled in one transaction. For
//! SQLite a new file is filled next to the old one, and takes its name when it is complete and compared; the old file
//! is moved aside. The files of the data folder take their places last. After a killed restore there is the old state,
//! or no database at all, which `serve` refuses while the unfinished file exists.

use std::collections::HashMap;
use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};

use partsight_store::{
    Cell, Error as StoreError, Restoration, TableRows, count_rows_at, counted_rows, release_sqlite_file,
    sqlite_file_url, sqlite_url,
};
use sha2::{Digest, Sha256};

use super::error::write_error;
use super::files::{self, Part, PutBack};
use super::format::{finished, write_row};
use super::reader::{ArchiveReader, Entry};
use super::{
    BackupError, BackupFacts, BackupProgress, BackupStep, give_to_owner_of_folder, shelf, sync_folder_of,
    verify_backup,
};
use crate::operations::database::{database_file, with_ending};
use crate::{Clock, Settings, logged};

/// Most rows that are written at a time, and the number of bytes from which fewer are.
const BATCH_ROWS: usize = 500;
const BATCH_BYTES: usize = 4 * 1024 * 1024;

/// What a restore would do.
#[derive(Debug)]
pub struct RestorePlan {
    /// What the backup holds.
    pub facts: BackupFacts,
    /// The database that is to be filled, for display.
    pub target: String,
    /// What would be replaced, for display; empty if nothing is there.
    pub replaces: Vec<String>,
}

/// The result of a restore.
#[derive(Debug)]
pub struct Restored {
    /// The number of the last migration.
    pub migration: i64,
    /// Rows.
    pub n_rows: u64,
    /// Where the database that was there before lies now.
    pub moved_aside: Option<PathBuf>,
}

/// The plan and the result of a restore.
pub type RestoreReport = (RestorePlan, Restored);

/// Where rows are written to.
enum Target {
    File(PathBuf),
    Server(String),
}

impl Target {
    fn of(settings: &Settings) -> Self {
        match &settings.data.database_url {
            Some(url) if !url.is_sqlite() => Self::Server(url.reveal().to_owned()),
            _ => Self::File(database_file(settings).unwrap_or_default()),
        }
    }
}

/// Verifies a backup and plans its restore. Nothing is changed.
///
/// # Errors
/// As [`verify_backup`], and [`BackupError::Store`] for a database that cannot be reached.
pub async fn plan_restore(
    settings: &Settings,
    path: &Path,
    progress: BackupProgress<'_>,
) -> Result<RestorePlan, BackupError> {
    let facts = verify_backup(path, progress)?;
    let mut replaces = Vec::new();
    let target = match Target::of(settings) {
        Target::File(file) => {
            replaces.extend(replaced_database(&file).await?);
            file.display().to_string()
        }
        Target::Server(url) => {
            let shown = partsight_store::without_password(&url);
            match count_rows_at(&url).await? {
                0 => {}
                n_rows => replaces.push(format!("`{shown}` holds {}", counted_rows(n_rows))),
            }
            shown
        }
    };
    for file in &facts.files {
        // Checked here and not while files are written: a plan that cannot be carried out must change nothing.
        let Some(place) = files::place(&settings.data.dir, &file.path) else {
            let reason = format!("a file may not be written to `{}`", file.path);
            return Err(BackupError::Damaged { path: path.to_owned(), line: 0, reason });
        };
        if files::is_same(&place, file)? == Some(false) {
            replaces.push(format!("`{}` is another file", place.display()));
        }
    }
    Ok(RestorePlan { facts, target, replaces })
}

/// The database that a restore into `file` would replace, for display; `None` if there is none, or an empty one.
async fn replaced_database(file: &Path) -> Result<Option<String>, BackupError> {
    if fs::symlink_metadata(file).is_err() {
        return Ok(None);
    }
    Ok(match count_rows_at(&sqlite_file_url(file)?).await {
        Ok(0) => None,
        Ok(n_rows) => Some(format!("`{}` holds {}", file.display(), counted_rows(n_rows))),
        // No reason to refuse: an unreadable database may be the reason for the restore.
        Err(error) => Some(format!("`{}` cannot be read ({})", file.display(), crate::with_causes(&error))),
    })
}

/// Restores a backup into the database and the data folder that the settings name.
///
/// # Errors
/// [`BackupError::Occupied`] where something would be replaced and `replace` is not set;
/// [`BackupError::InUse`] while a server uses the database; [`BackupError::Restoring`] while another restore into the
/// same SQLite file runs; and what else [`BackupError`] names.
pub async fn restore(
    settings: &Settings,
    path: &Path,
    plan: RestorePlan,
    replace: bool,
    clock: &Clock,
    progress: BackupProgress<'_>,
) -> Result<RestoreReport, BackupError> {
    if !plan.replaces.is_empty() && !replace {
        return Err(BackupError::Occupied(plan.replaces.join(", ")));
    }
    let restored = match Target::of(settings) {
        Target::Server(url) => {
            let (migration, files) = fill(settings, path, &plan, &url, replace, progress).await?;
            files.into_iter().try_for_each(Part::take_place)?;
            Restored { migration, n_rows: plan.facts.n_rows(), moved_aside: None }
        }
        Target::File(file) => {
            // Creates the data folder for its owner alone.
            sqlite_url(&settings.data.dir)?;
            let _lock = lock_folder_of(&file)?;
            // Checked again: a restore that has just ended may have put a database there.
            if !replace && let Some(what) = replaced_database(&file).await? {
                return Err(BackupError::Occupied(what));
            }
            // Refuses while a server has it open, before anything is written.
            release(&file).await?;
            let part = with_ending(&file, ".restoring");
            // An earlier restore may have been killed. Its log would be mixed with the new database.
            remove_part(&part)?;
            // Created here, for its owner alone: SQLite would follow the umask.
            make_private(&part)?;
            let filled = async {
                let url = sqlite_file_url(&part)?;
                let filled = fill(settings, path, &plan, &url, false, progress).await?;
                // Synced before it replaces the old one.
                File::open(&part).and_then(|file| file.sync_all()).map_err(write_error(&part))?;
                // Checked again, because a server may have been started meanwhile.
                release(&file).await?;
                Ok::<_, BackupError>(filled)
            };
            let (migration, files) = match filled.await {
                Ok(filled) => filled,
                Err(error) => {
                    give_up(&part, &file);
                    return Err(error);
                }
            };
            let moved_aside = take_place(&part, &file, &shelf::stamp(clock.now()))?;
            files.into_iter().try_for_each(Part::take_place)?;
            Restored { migration, n_rows: plan.facts.n_rows(), moved_aside }
        }
    };
    Ok((plan, restored))
}

/// Fills an empty database, and writes the files beside their places, which they may take once the database has its own:
/// a restore that fails before changes none of them. Returns the number of the last migration, and the files.
async fn fill(
    settings: &Settings,
    path: &Path,
    plan: &RestorePlan,
    url: &str,
    replace: bool,
    progress: BackupProgress<'_>,
) -> Result<(i64, Vec<Part>), BackupError> {
    // Read a second time instead of held in memory; every hash is checked again.
    let (header, mut reader) = ArchiveReader::open(path)?;
    // The database first gets the schema of the backup's version; `finish` migrates it to ours.
    let mut restoration = Restoration::start(url, &header.migrations, replace).await?;
    let places: HashMap<String, usize> =
        restoration.tables().iter().enumerate().map(|(place, table)| (table.name.clone(), place)).collect();
    let (mut done, total) = (0, plan.facts.n_rows());
    let mut place = 0;
    let mut batch = Batch::default();
    let mut file: Option<PutBack> = None;
    let mut files = Vec::new();
    while let Some(entry) = reader.next()? {
        match entry {
            Entry::Table { name, columns } => {
                let found = places.get(&name).copied();
                let fits = |&place: &usize| restoration.tables()[place].columns == columns;
                place = found.filter(fits).ok_or(BackupError::OtherShape(name))?;
            }
            Entry::Row(row) => {
                batch.push(row);
                if batch.is_full() {
                    restoration.insert(place, &batch.rows).await?;
                    done += batch.rows.len() as u64;
                    progress(BackupStep { what: "restoring", done, total });
                    batch.clear();
                }
            }
            Entry::TableEnd(_) => {
                restoration.insert(place, &batch.rows).await?;
                done += batch.rows.len() as u64;
                batch.clear();
            }
            Entry::File { path } => {
                let place = files::place(&settings.data.dir, &path);
                // Never `None` here: the plan has refused such a path.
                file = place.map(PutBack::create).transpose()?;
            }
            Entry::Piece(piece) => {
                if let Some(file) = &mut file {
                    file.write(&piece)?;
                }
            }
            Entry::FileEnd(_) => {
                if let Some(file) = file.take() {
                    files.push(file.finish()?);
                }
            }
            Entry::End => {}
        }
    }
    // Before `finish`, which migrates and commits: the rows still have the schema of the backup, and a difference is
    // rolled back.
    compare(&mut restoration, plan, progress).await?;
    Ok((restoration.finish().await?, files))
}

/// Reads all rows back from the database and compares them with the backup.
async fn compare(
    restoration: &mut Restoration,
    plan: &RestorePlan,
    progress: BackupProgress<'_>,
) -> Result<(), BackupError> {
    let names: Vec<String> = restoration.tables().iter().map(|table| table.name.clone()).collect();
    let (mut done, total) = (0, plan.facts.n_rows());
    for (place, name) in names.into_iter().enumerate() {
        let Some(rows) = restoration.rows(place) else { continue };
        let (n_rows, sha256) = hash(rows).await?;
        let expected = plan.facts.tables.iter().find(|table| table.name == name);
        if expected.is_none_or(|table| (table.rows, &table.sha256) != (n_rows, &sha256)) {
            return Err(BackupError::Differs(name));
        }
        done += n_rows;
        progress(BackupStep { what: "comparing", done, total });
    }
    Ok(())
}

async fn hash(mut rows: TableRows<'_>) -> Result<(u64, String), BackupError> {
    let (mut n_rows, mut hash, mut line) = (0, Sha256::new(), Vec::new());
    loop {
        let page = rows.next_page().await?;
        if page.is_empty() {
            return Ok((n_rows, finished(hash)));
        }
        n_rows += page.len() as u64;
        for row in &page {
            line.clear();
            write_row(row, &mut line);
            hash.update(&line);
        }
    }
}

/// Rows that are written together.
#[derive(Default)]
struct Batch {
    rows: Vec<Vec<Cell>>,
    bytes: usize,
}

impl Batch {
    fn push(&mut self, row: Vec<Cell>) {
        let size = |cell: &Cell| match cell {
            Cell::Text(text) => text.len(),
            Cell::Bytes(bytes) => bytes.len(),
            _ => size_of::<Cell>(),
        };
        self.bytes += row.iter().map(size).sum::<usize>();
        self.rows.push(row);
    }

    fn is_full(&self) -> bool {
        self.rows.len() >= BATCH_ROWS || self.bytes >= BATCH_BYTES
    }

    fn clear(&mut self) {
        self.rows.clear();
        self.bytes = 0;
    }
}

/// Moves the write-ahead log of a database into its file; a damaged database keeps its log.
async fn release(file: &Path) -> Result<(), BackupError> {
    if fs::symlink_metadata(file).is_err() {
        return Ok(());
    }
    match release_sqlite_file(&sqlite_file_url(file)?).await {
        Err(StoreError::Locked(_)) => Err(BackupError::InUse(file.to_owned())),
        _ => Ok(()),
    }
}

/// Locks the folder of a database until the result is dropped or the process ends, so that only one restore at a time
/// moves its files.
fn lock_folder_of(file: &Path) -> Result<File, BackupError> {
    let folder = file.parent().unwrap_or(Path::new("."));
    let opened = File::open(folder).map_err(write_error(folder))?;
    match opened.try_lock() {
        Ok(()) => Ok(opened),
        Err(TryLockError::WouldBlock) => Err(BackupError::Restoring(file.to_owned())),
        Err(TryLockError::Error(error)) => Err(write_error(folder)(error)),
    }
}

/// Renames the new database; an existing one is moved aside with its companions.
fn take_place(part: &Path, file: &Path, stamp: &str) -> Result<Option<PathBuf>, BackupError> {
    // Another name if two restores end within one second: a rename would delete the file that was moved aside before.
    let aside = (1..=u32::MAX)
        .map(|n| if n == 1 { stamp.to_owned() } else { format!("{stamp}-{n}") })
        .map(|stamp| with_ending(file, &format!(".replaced-{stamp}")))
        .find(|aside| fs::symlink_metadata(aside).is_err())
        .expect("BUG: no folder holds so many databases");
    let mut moved_aside = None;
    // The file first: SQLite deletes a log without a database, and would mix one with a new database.
    for companion in ["", "-wal", "-shm", "-journal"] {
        let (from, to) = (with_ending(file, companion), with_ending(&aside, companion));
        if fs::symlink_metadata(&from).is_ok() {
            fs::rename(&from, &to).map_err(write_error(&to))?;
            moved_aside = Some(aside.clone());
        }
    }
    fs::rename(part, file).map_err(write_error(file))?;
    sync_folder_of(file)?;
    Ok(moved_aside)
}

/// Creates an empty file that only its owner can read; SQLite treats it as a new database.
fn make_private(file: &Path) -> Result<(), BackupError> {
    let mut options = fs::OpenOptions::new();
    options.create_new(true).write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let made = options.open(file).map_err(write_error(file))?;
    // SQLite gives its companions the owner of the database.
    give_to_owner_of_folder(&made, file);
    Ok(())
}

/// Deletes an unfinished database and its companions.
fn remove_part(part: &Path) -> Result<(), BackupError> {
    ["", "-wal", "-shm", "-journal"].iter().try_for_each(|companion| remove(&with_ending(part, companion)))
}

/// Frees the space of a database that could not be filled, which may be all that the disk had. Where there was no
/// database before, an empty file stays: with it `serve` refuses to begin an empty one.
fn give_up(part: &Path, file: &Path) {
    let removed = remove_part(part);
    let marked = if fs::symlink_metadata(file).is_ok() { Ok(()) } else { make_private(part) };
    if let Err(error) = removed.and(marked) {
        let error = logged(&error);
        tracing::warn!(path = %part.display(), error, "what was restored so far could not be removed");
    }
}

fn remove(file: &Path) -> Result<(), BackupError> {
    match fs::remove_file(file) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(write_error(file)(error)),
        _ => Ok(()),
    }
}
