//! Reads the output of an interrupted run.

use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, bail};
use partsight_app::{path_text, without_guard};
use serde::Deserialize;
use sha2::{Digest, Sha256};

use super::arguments::Format;
use super::fields::header;
use super::row::Columns;
use crate::misfit::Misfit;

/// The start of every JSON row.
const ROW_START: &[u8] = b"{\"path\":";

/// Rows of an earlier run.
#[derive(Debug, Default)]
pub(crate) struct Earlier {
    paths: EarlierPaths,
    /// Number of rows with an error.
    pub(crate) n_failed: usize,
    /// The first path of each file by its SHA-256, if copies are marked.
    pub(crate) files: HashMap<String, String>,
}

/// The set of photographs that have a row. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub(crate) struct EarlierPaths {
    /// The first half of the SHA-256 of each path: 16 bytes per photograph, where a million paths would take 100 MB.
    keys: Arc<HashSet<u128>>,
}

impl EarlierPaths {
    /// Whether a photograph has a row.
    pub(crate) fn has(&self, path: &Path) -> bool {
        self.keys.contains(&key(&path_text(path)))
    }
}

/// The fields that are read from a row.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct EarlierRow {
    path: String,
    sha256: Option<String>,
    error: Option<String>,
}

impl Earlier {
    /// Reads the rows in `file` and truncates an incomplete last row.
    ///
    /// The file is then positioned at its end.
    pub(crate) fn read(
        file: &mut File,
        name: &Path,
        format: Format,
        columns: Columns,
    ) -> anyhow::Result<Self> {
        let mut earlier = Self::default();
        let end = match format {
            Format::Jsonl => earlier.read_json_lines(file, name, columns)?,
            Format::Csv => earlier.read_csv(file, name, columns)?,
            Format::Table | Format::Json | Format::Parquet => {
                bail!("BUG: --resume is refused for formats that are not written in lines")
            }
        };
        file.set_len(end)
            .with_context(|| format!("cannot cut off the unfinished row in `{}`", name.display()))?;
        file.seek(SeekFrom::End(0))?;
        Ok(earlier)
    }

    /// The set of photographs that have a row.
    pub(crate) fn paths(&self) -> EarlierPaths {
        self.paths.clone()
    }

    /// Number of rows.
    pub(crate) fn len(&self) -> usize {
        self.paths.keys.len()
    }

    fn add(&mut self, EarlierRow { path, sha256, error }: EarlierRow) {
        self.n_failed += usize::from(error.is_some_and(|error| !error.is_empty()));
        // The set is not shared yet, so nothing is cloned.
        Arc::make_mut(&mut self.paths.keys).insert(key(&path));
        if let Some(sha256) = sha256.filter(|sha256| !sha256.is_empty()) {
            self.files.entry(sha256).or_insert(path);
        }
    }

    /// Returns the position after the last complete row.
    fn read_json_lines(&mut self, file: &mut File, name: &Path, columns: Columns) -> anyhow::Result<u64> {
        let mut lines = BufReader::new(file);
        let (mut end, mut line, mut number) = (0, Vec::new(), 0);
        loop {
            line.clear();
            let read = lines.read_until(b'\n', &mut line)?;
            number += 1;
            if line.last() != Some(&b'\n') {
                // The incomplete last row, unless it starts differently: then the file is not ours and stays as it is.
                // A power cut may leave zeros in its place.
                let is_part_of_row = line.starts_with(ROW_START)
                    || ROW_START.starts_with(&line)
                    || line.iter().all(|byte| *byte == 0);
                let refused = || not_ours(name, &format!("line {number} is no row of `partsight scan`"));
                return is_part_of_row.then_some(end).ok_or_else(refused);
            }
            let row: EarlierRow = serde_json::from_slice(&line)
                .map_err(|_| not_ours(name, &format!("line {number} is no row of `partsight scan`")))?;
            // Requested fields are present, even if null. Quotes within a string would be escaped.
            let has_field = |field: &[u8]| line.windows(field.len()).any(|bytes| bytes == field);
            let has = Columns {
                read: has_field(b"\"read\":"),
                duplicates: has_field(b"\"sha256\":"),
                // A row with an error never has regions.
                several: if row.error.is_some() { columns.several } else { has_field(b"\"regions\":") },
            };
            if has != columns {
                return Err(other_options(name));
            }
            self.add(row);
            end += read as u64;
        }
    }

    fn read_csv(&mut self, file: &mut File, name: &Path, columns: Columns) -> anyhow::Result<u64> {
        let length = file.metadata()?.len();
        if is_part_of_header(file, length, columns)? {
            return Ok(0);
        }
        // Flexible, because an incomplete last row has fewer fields and is no error here.
        let mut rows = csv::ReaderBuilder::new().flexible(true).from_reader(BufReader::new(&mut *file));
        let found = rows.byte_headers()?.clone();
        let position = |wanted: &str| found.iter().position(|field| field == wanted.as_bytes());
        if length > 0 && position("path") != Some(0) {
            return Err(not_ours(name, "its first line is not the header of `partsight scan`"));
        }
        let (sha256, error) = (position("sha256"), position("error"));
        let has = Columns { read: position("read").is_some(), duplicates: sha256.is_some(), ..columns };
        if length > 0 && has != columns {
            return Err(other_options(name));
        }
        if length > 0 && !found.iter().eq(header(columns).map(str::as_bytes)) {
            return Err(not_ours(name, "another version wrote it, with other columns"));
        }
        let mut end = rows.position().byte();
        let mut row = csv::ByteRecord::new();
        while rows.read_byte_record(&mut row)? {
            let next = rows.position().byte();
            // Rows are written with their line ending, so that a last row without one is incomplete.
            let is_last = next == length;
            if is_last && (row.len() != found.len() || is_torn(rows.get_mut().get_mut(), end, length)?) {
                break;
            }
            if row.len() != found.len() {
                let line = row.position().map_or(0, csv::Position::line);
                let what = format!("line {line} has {} columns in place of {}", row.len(), found.len());
                return Err(not_ours(name, &what));
            }
            let text = |column: usize| String::from_utf8_lossy(&row[column]).into_owned();
            let path = without_guard(&text(0)).into_owned();
            self.add(EarlierRow { path, sha256: sha256.map(text), error: error.map(text) });
            end = next;
        }
        Ok(end)
    }
}

/// Whether `file` ends within the header of these columns. It is positioned at its start before and after.
fn is_part_of_header(file: &mut File, length: u64, columns: Columns) -> anyhow::Result<bool> {
    let whole = header(columns).collect::<Vec<_>>().join(",");
    if length == 0 || length > whole.len() as u64 {
        return Ok(false);
    }
    let mut start = Vec::new();
    file.read_to_end(&mut start)?;
    file.seek(SeekFrom::Start(0))?;
    Ok(whole.as_bytes().starts_with(&start))
}

/// Whether the last row of `file`, from the byte `start` to the end, was cut: it does not end a line, or a line break is
/// within a quoted field, so that its quotation marks are odd in number. Leaves the file at its end.
fn is_torn(file: &mut File, start: u64, length: u64) -> anyhow::Result<bool> {
    file.seek(SeekFrom::Start(start))?;
    let mut row = Vec::new();
    file.take(length - start).read_to_end(&mut row)?;
    let is_within_quotes = row.iter().fold(false, |is_within, byte| is_within ^ (*byte == b'"'));
    Ok(row.last() != Some(&b'\n') || is_within_quotes)
}

fn key(path: &str) -> u128 {
    let digest: [u8; 32] = Sha256::digest(path).into();
    // Among a million paths the probability of a collision of 128 bits is about 10^-27.
    let (&half, _) = digest.split_first_chunk().expect("BUG: 32 bytes are more than 16");
    u128::from_be_bytes(half)
}

fn not_ours(name: &Path, reason: &str) -> anyhow::Error {
    let advice = "name another file with --output";
    Misfit::new(format!("{} cannot be gone on with: {reason}; {advice}", name.display())).into()
}

fn other_options(name: &Path) -> anyhow::Error {
    let options = "(--read, --duplicates and --several say what stands in a row)";
    let advice = "give the same ones, or name another file with --output";
    Misfit::new(format!("{} was begun with other options {options}: {advice}", name.display())).into()
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    /// The number of rows, and of bytes that stay.
    fn read(text: &str, columns: Columns) -> (usize, u64) {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(text.as_bytes()).unwrap();
        file.seek(SeekFrom::Start(0)).unwrap();
        let earlier = Earlier::read(&mut file, Path::new("rows.csv"), Format::Csv, columns).unwrap();
        assert_eq!(file.stream_position().unwrap(), file.metadata().unwrap().len());
        (earlier.len(), file.metadata().unwrap().len())
    }

    #[test]
    fn a_row_that_was_cut_within_a_quoted_field_is_removed_wherever_the_cut_is() {
        let columns = Columns { read: true, duplicates: false, several: false };
        let names: Vec<_> = header(columns).collect();
        let row = |path: &str| {
            // The last field has line breaks and quotation marks, as a text that was read may have.
            let mut fields = vec![String::new(); names.len()];
            fields[0] = path.to_owned();
            fields[names.len() - 1] = "\"first\nsecond \"\"quoted\"\"\nthird\"".to_owned();
            fields.join(",") + "\n"
        };
        let begun = format!("{}\n{}", names.join(","), row("a.jpg"));
        let whole = format!("{begun}{}", row("b.jpg"));
        assert_eq!(read(&whole, columns), (2, whole.len() as u64));
        for end in begun.len()..whole.len() {
            assert_eq!(
                read(&whole[..end], columns),
                (1, begun.len() as u64),
                "{:?}",
                &whole[begun.len()..end]
            );
        }
    }
}
