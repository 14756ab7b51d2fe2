//! Checking a backup by reading it whole.

use std::fs;
use std::path::Path;

use partsight_store::SEEDED_TABLE;

use super::error::read_error;
use super::format::{BackedUpFile, BackedUpTable, BackupHeader};
use super::reader::{ArchiveReader, Entry};
use super::{BackupError, BackupProgress, BackupStep};

/// The content of a verified backup.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BackupFacts {
    /// Its header.
    pub header: BackupHeader,
    /// Its tables.
    pub tables: Vec<BackedUpTable>,
    /// Files of the data folder.
    pub files: Vec<BackedUpFile>,
    /// Its size.
    pub size_bytes: u64,
}

impl BackupFacts {
    /// The rows of all tables.
    pub fn n_rows(&self) -> u64 {
        self.tables.iter().map(|table| table.rows).sum()
    }

    /// The number of rows except those of a new database, comparable with the count of a database that a restore
    /// would replace.
    pub fn n_kept_rows(&self) -> u64 {
        self.n_rows() - self.rows_of(SEEDED_TABLE)
    }

    /// The rows of one table; 0 for one that it does not have.
    pub fn rows_of(&self, table: &str) -> u64 {
        self.tables.iter().filter(|found| found.name == table).map(|found| found.rows).sum()
    }
}

/// Reads a backup from its first byte to its last and compares every number and hash.
///
/// # Errors
/// [`BackupError::NotABackup`], [`BackupError::Damaged`], and [`BackupError::Newer`] for what this version of the
/// program could not restore.
pub fn verify_backup(path: &Path, progress: BackupProgress<'_>) -> Result<BackupFacts, BackupError> {
    let total = fs::metadata(path).map_err(read_error(path))?.len();
    let (header, mut reader) = ArchiveReader::open(path)?;
    let (mut tables, mut files) = (Vec::new(), Vec::new());
    let mut told = 0;
    while let Some(entry) = reader.next()? {
        match entry {
            Entry::TableEnd(table) => tables.push(table),
            Entry::FileEnd(file) => files.push(file),
            _ => {}
        }
        let done = reader.bytes_read();
        if done - told >= 1 << 20 {
            told = done;
            progress(BackupStep { what: "reading back", done, total });
        }
    }
    Ok(BackupFacts { header, tables, files, size_bytes: reader.bytes_read() })
}
