//! Writing a backup line by line.

use std::fs::File;
use std::io::{BufWriter, Read, Write};
use std::path::Path;

use partsight_store::{Cell, Table};
use serde::Serialize;
use sha2::{Digest, Sha256};

use super::BackupError;
use super::error::{read_error, write_error};
use super::files::DataFile;
use super::format::{BackedUpFile, BackedUpTable, BackupHeader, Line, finished, write_bytes, write_row};

/// Bytes of a file in one line; a multiple of three, so that base64 needs no padding.
const PIECE_BYTES: usize = 48 * 1024;

pub(super) struct ArchiveWriter<'a> {
    out: BufWriter<File>,
    path: &'a Path,
    /// Hash of all lines.
    whole: Sha256,
    /// The table that is being written.
    table: String,
    table_hash: Sha256,
    table_rows: u64,
    n_tables: u64,
    n_rows: u64,
    n_files: u64,
    line: Vec<u8>,
}

impl<'a> ArchiveWriter<'a> {
    pub(super) fn new(file: File, path: &'a Path) -> Self {
        Self {
            out: BufWriter::with_capacity(1024 * 1024, file),
            path,
            whole: Sha256::new(),
            table: String::new(),
            table_hash: Sha256::new(),
            table_rows: 0,
            n_tables: 0,
            n_rows: 0,
            n_files: 0,
            line: Vec::new(),
        }
    }

    pub(super) fn header(&mut self, header: &BackupHeader) -> Result<(), BackupError> {
        self.write_json(header)
    }

    pub(super) fn table(&mut self, table: &Table) -> Result<(), BackupError> {
        self.table.clone_from(&table.name);
        self.table_hash = Sha256::new();
        self.table_rows = 0;
        let columns =
            table.columns.iter().map(|(name, kind)| (name.clone(), kind.as_str().to_owned())).collect();
        self.write_json(&Line::Table { name: table.name.clone(), columns })
    }

    pub(super) fn row(&mut self, row: &[Cell]) -> Result<(), BackupError> {
        self.line.clear();
        write_row(row, &mut self.line);
        self.table_hash.update(&self.line);
        self.table_rows += 1;
        self.write_line()
    }

    pub(super) fn end_table(&mut self) -> Result<(), BackupError> {
        self.n_tables += 1;
        self.n_rows += self.table_rows;
        let sha256 = finished(std::mem::take(&mut self.table_hash));
        let name = std::mem::take(&mut self.table);
        self.write_json(&Line::TableEnd(BackedUpTable { name, rows: self.table_rows, sha256 }))
    }

    pub(super) fn file(&mut self, file: &DataFile) -> Result<(), BackupError> {
        let mut source = File::open(&file.source).map_err(read_error(&file.source))?;
        self.write_json(&Line::File { path: file.path.clone() })?;
        let (mut hash, mut bytes) = (Sha256::new(), 0);
        let mut piece = Vec::with_capacity(PIECE_BYTES);
        loop {
            piece.clear();
            (&mut source)
                .take(PIECE_BYTES as u64)
                .read_to_end(&mut piece)
                .map_err(read_error(&file.source))?;
            if piece.is_empty() {
                break;
            }
            // Of the file's bytes and not of their base64, so that anybody can compare it with the file.
            hash.update(&piece);
            bytes += piece.len() as u64;
            self.line.clear();
            write_bytes(&piece, &mut self.line);
            self.line.push(b'\n');
            self.write_line()?;
        }
        self.n_files += 1;
        self.write_json(&Line::FileEnd(BackedUpFile {
            path: file.path.clone(),
            bytes,
            sha256: finished(hash),
        }))
    }

    /// Writes the last line and hands everything to the system.
    pub(super) fn finish(mut self) -> Result<(), BackupError> {
        // Computed before this last line, which states it.
        let sha256 = finished(self.whole.clone());
        let end = Line::End { tables: self.n_tables, rows: self.n_rows, files: self.n_files, sha256 };
        self.write_json(&end)?;
        self.out.flush().map_err(write_error(self.path))
    }

    fn write_json(&mut self, value: &impl Serialize) -> Result<(), BackupError> {
        self.line.clear();
        serde_json::to_writer(&mut self.line, value).map_err(|error| write_error(self.path)(error.into()))?;
        self.line.push(b'\n');
        self.write_line()
    }

    fn write_line(&mut self) -> Result<(), BackupError> {
        self.whole.update(&self.line);
        self.out.write_all(&self.line).map_err(write_error(self.path))
    }
}
