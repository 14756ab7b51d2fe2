//! Reading a backup line by line, checking each hash on the way.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use partsight_store::{Cell, CellKind, is_from_development, knows_migration};
use sha2::{Digest, Sha256};

use super::BackupError;
use super::error::read_error;
use super::format::{BackedUpFile, BackedUpTable, BackupHeader, FORMAT, Line, VERSION, finished, read_row};

/// Longest line in bytes. PostgreSQL's largest value, a gigabyte, would not fit, but no photograph comes near.
const MAX_LINE_BYTES: u64 = 1 << 30;
/// Longest first line, in bytes.
const MAX_HEADER_BYTES: u64 = 64 * 1024;

/// An entry of a backup. An end is returned only if hash and count are right.
pub(super) enum Entry {
    Table { name: String, columns: Vec<(String, CellKind)> },
    Row(Vec<Cell>),
    TableEnd(BackedUpTable),
    File { path: String },
    Piece(Vec<u8>),
    FileEnd(BackedUpFile),
    End,
}

/// The state of the reader.
enum Section {
    Between,
    Table { name: String, columns: Vec<(String, CellKind)>, rows: u64 },
    File { path: String, bytes: u64 },
    Done,
}

pub(super) struct ArchiveReader {
    path: PathBuf,
    reader: BufReader<File>,
    line: Vec<u8>,
    number: u64,
    whole: Sha256,
    section: Section,
    section_hash: Sha256,
    counts: [u64; 3],
    bytes_read: u64,
}

impl ArchiveReader {
    /// Opens a backup and reads its header.
    pub(super) fn open(path: &Path) -> Result<(BackupHeader, Self), BackupError> {
        let file = File::open(path).map_err(read_error(path))?;
        let mut reader = Self {
            path: path.to_owned(),
            reader: BufReader::with_capacity(1024 * 1024, file),
            line: Vec::new(),
            number: 0,
            whole: Sha256::new(),
            section: Section::Between,
            section_hash: Sha256::new(),
            counts: [0; 3],
            bytes_read: 0,
        };
        let not_ours = || BackupError::NotABackup(path.to_owned());
        reader.read_line(MAX_HEADER_BYTES)?;
        // A later format may have other fields, but its version must be reported.
        let value: serde_json::Value = serde_json::from_slice(&reader.line).map_err(|_| not_ours())?;
        if value["format"] != FORMAT {
            return Err(not_ours());
        }
        let newer = |program: &str| BackupError::Newer { path: path.to_owned(), program: program.to_owned() };
        if value["version"].as_u64().is_none_or(|version| version > u64::from(VERSION)) {
            return Err(newer(value["program"].as_str().unwrap_or("of a later version")));
        }
        let header: BackupHeader = serde_json::from_value(value).map_err(|_| not_ours())?;
        if is_from_development(&header.migrations) {
            return Err(BackupError::FromDevelopment(path.to_owned()));
        }
        // An unknown migration is from a later program, whatever the format's version.
        if !header.migrations.iter().all(|&version| knows_migration(version)) {
            return Err(newer(&header.program));
        }
        reader.whole.update(&reader.line);
        Ok((header, reader))
    }

    /// Bytes read so far.
    pub(super) fn bytes_read(&self) -> u64 {
        self.bytes_read
    }

    /// The next entry; after [`Entry::End`] there is none.
    pub(super) fn next(&mut self) -> Result<Option<Entry>, BackupError> {
        self.read_line(MAX_LINE_BYTES)?;
        if matches!(self.section, Section::Done) {
            return if self.line.is_empty() {
                Ok(None)
            } else {
                Err(self.damaged("lines follow the last one"))
            };
        }
        // Rows begin with a bracket, chunks of files with a quotation mark, all other lines with a brace.
        match self.line.first() {
            None => Err(self.damaged("the file ends too early")),
            Some(b'[') => self.row().map(Some),
            Some(b'"') => self.piece().map(Some),
            Some(_) => self.other().map(Some),
        }
    }

    fn row(&mut self) -> Result<Entry, BackupError> {
        let Section::Table { columns, rows, .. } = &mut self.section else {
            return Err(self.damaged("a row outside a table"));
        };
        let row = read_row(&self.line, columns);
        *rows += 1;
        self.section_hash.update(&self.line);
        self.whole.update(&self.line);
        row.map(Entry::Row).map_err(|reason| self.damaged(&reason))
    }

    fn piece(&mut self) -> Result<Entry, BackupError> {
        let Section::File { bytes, .. } = &mut self.section else {
            return Err(self.damaged("a piece of a file outside a file"));
        };
        let text = self.line.trim_ascii_end();
        let text = text.strip_prefix(b"\"").and_then(|text| text.strip_suffix(b"\"")).unwrap_or_default();
        let Ok(piece) = STANDARD.decode(text) else {
            return Err(self.damaged("a piece of a file is no base64"));
        };
        *bytes += piece.len() as u64;
        self.section_hash.update(&piece);
        self.whole.update(&self.line);
        Ok(Entry::Piece(piece))
    }

    fn other(&mut self) -> Result<Entry, BackupError> {
        let line: Line =
            serde_json::from_slice(&self.line).map_err(|error| self.damaged(&error.to_string()))?;
        // The last line states the hash of all lines before it, so it is not hashed itself.
        let whole = self.whole.clone();
        self.whole.update(&self.line);
        match (line, std::mem::replace(&mut self.section, Section::Between)) {
            (Line::Table { name, columns }, Section::Between) => {
                let columns: Option<Vec<(String, CellKind)>> = columns
                    .into_iter()
                    .map(|(name, kind)| Some((name, CellKind::from_name(&kind)?)))
                    .collect();
                let columns = columns.ok_or_else(|| self.damaged("a column of an unknown kind"))?;
                self.section = Section::Table { name: name.clone(), columns: columns.clone(), rows: 0 };
                self.section_hash = Sha256::new();
                Ok(Entry::Table { name, columns })
            }
            (Line::TableEnd(table), Section::Table { name, rows, .. }) => {
                if (&table.name, table.rows) != (&name, rows) || table.sha256 != self.section_sha256() {
                    return Err(
                        self.damaged(&format!("the rows of `{name}` are not those that were written"))
                    );
                }
                self.counts[0] += 1;
                self.counts[1] += rows;
                Ok(Entry::TableEnd(table))
            }
            (Line::File { path }, Section::Between) => {
                self.section = Section::File { path: path.clone(), bytes: 0 };
                self.section_hash = Sha256::new();
                Ok(Entry::File { path })
            }
            (Line::FileEnd(file), Section::File { path, bytes }) => {
                if (&file.path, file.bytes) != (&path, bytes) || file.sha256 != self.section_sha256() {
                    return Err(self.damaged(&format!("the file `{path}` is not the one that was written")));
                }
                self.counts[2] += 1;
                Ok(Entry::FileEnd(file))
            }
            (Line::End { tables, rows, files, sha256 }, Section::Between) => {
                if [tables, rows, files] != self.counts || sha256 != finished(whole) {
                    return Err(self.damaged("the file is not as it was written"));
                }
                self.section = Section::Done;
                Ok(Entry::End)
            }
            _ => Err(self.damaged("a line out of its place")),
        }
    }

    fn section_sha256(&mut self) -> String {
        finished(std::mem::take(&mut self.section_hash))
    }

    fn read_line(&mut self, limit: u64) -> Result<(), BackupError> {
        self.line.clear();
        self.number += 1;
        // Limited, because an endless line would use up all memory.
        let read = (&mut self.reader)
            .take(limit)
            .read_until(b'\n', &mut self.line)
            .map_err(read_error(&self.path))?;
        self.bytes_read += read as u64;
        // The first line may be of any file, which is then no backup rather than a damaged one.
        if read > 0 && self.line.last() != Some(&b'\n') && self.number > 1 {
            return Err(self.damaged("the line has no end"));
        }
        Ok(())
    }

    fn damaged(&self, reason: &str) -> BackupError {
        BackupError::Damaged { path: self.path.clone(), line: self.number, reason: reason.to_owned() }
    }
}
