//! The line format of a backup.
//!
//! A row is a JSON array with its values in the order of the table's columns: text and integers unchanged, bytes in
//! base64, and floating-point numbers as text, because JSON parsers round them. A chunk of a file is a string in
//! base64. All other lines are objects.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use jiff::Timestamp;
use partsight_store::{Cell, CellKind};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};

pub(super) const FORMAT: &str = "partsight-backup";
pub(super) const VERSION: u32 = 1;

/// The header of a backup.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct BackupHeader {
    /// Always `partsight-backup`.
    pub format: String,
    /// Version of the format.
    pub version: u32,
    /// The version of the program that wrote it.
    pub program: String,
    /// Time of the backup. Everything saved before it is included.
    pub created_at: Timestamp,
    /// What the database ran on: `sqlite` or `postgres`.
    pub database: String,
    /// The migrations that the database had.
    pub migrations: Vec<i64>,
}

/// A table of a backup.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct BackedUpTable {
    /// Its name.
    pub name: String,
    /// The number of its rows.
    pub rows: u64,
    /// SHA-256 of its rows as lines, lower-case hex.
    pub sha256: String,
}

/// A file of the data folder in a backup.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct BackedUpFile {
    /// Its path in the data folder, with `/` between names.
    pub path: String,
    /// Its length.
    pub bytes: u64,
    /// SHA-256 of its bytes, lower-case hex.
    pub sha256: String,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) enum Line {
    Table { name: String, columns: Vec<(String, String)> },
    TableEnd(BackedUpTable),
    File { path: String },
    FileEnd(BackedUpFile),
    End { tables: u64, rows: u64, files: u64, sha256: String },
}

/// Appends a row as a line.
pub(super) fn write_row(row: &[Cell], line: &mut Vec<u8>) {
    line.push(b'[');
    for (place, cell) in row.iter().enumerate() {
        if place > 0 {
            line.push(b',');
        }
        match cell {
            Cell::Null => line.extend_from_slice(b"null"),
            Cell::Integer(number) => line.extend_from_slice(number.to_string().as_bytes()),
            // `{:?}` writes the shortest text that parses to the same number.
            Cell::Real(number) => line.extend_from_slice(format!("\"{number:?}\"").as_bytes()),
            Cell::Text(text) => line.extend_from_slice(Value::from(text.as_str()).to_string().as_bytes()),
            Cell::Bytes(bytes) => write_bytes(bytes, line),
        }
    }
    line.extend_from_slice(b"]\n");
}

/// Appends bytes as a JSON string.
pub(super) fn write_bytes(bytes: &[u8], line: &mut Vec<u8>) {
    line.push(b'"');
    line.extend_from_slice(STANDARD.encode(bytes).as_bytes());
    line.push(b'"');
}

/// The values of a row's line, or the problem with it.
pub(super) fn read_row(line: &[u8], columns: &[(String, CellKind)]) -> Result<Vec<Cell>, String> {
    let values: Vec<Value> = serde_json::from_slice(line).map_err(|error| error.to_string())?;
    if values.len() != columns.len() {
        return Err(format!("{} values for {} columns", values.len(), columns.len()));
    }
    values
        .into_iter()
        .zip(columns)
        .map(|(value, (name, kind))| {
            read_cell(value, *kind).ok_or_else(|| format!("the value of `{name}` is no {}", kind.as_str()))
        })
        .collect()
}

fn read_cell(value: Value, kind: CellKind) -> Option<Cell> {
    match (value, kind) {
        (Value::Null, _) => Some(Cell::Null),
        (Value::String(text), CellKind::Text) => Some(Cell::Text(text)),
        (Value::Number(number), CellKind::Integer) => number.as_i64().map(Cell::Integer),
        (Value::String(text), CellKind::Real) => text.parse().ok().map(Cell::Real),
        (Value::String(text), CellKind::Bytes) => STANDARD.decode(text).ok().map(Cell::Bytes),
        _ => None,
    }
}

/// SHA-256 in lower-case hex.
pub(super) fn finished(hasher: Sha256) -> String {
    hex::encode(hasher.finalize())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_comes_back_as_it_was() {
        let columns = [
            ("a", CellKind::Text),
            ("b", CellKind::Integer),
            ("c", CellKind::Real),
            ("d", CellKind::Bytes),
            ("e", CellKind::Text),
        ]
        .map(|(name, kind)| (name.to_owned(), kind));
        for number in [0.1 + 0.2, -0.0, f64::MIN_POSITIVE, f64::MAX, 5e-324, 1.0] {
            let row = [
                Cell::Text("line\nbreak \"quoted\" \u{1F697} \\".to_owned()),
                Cell::Integer(i64::MIN),
                Cell::Real(number),
                Cell::Bytes(vec![0, 255, 10]),
                Cell::Null,
            ];
            let mut line = Vec::new();
            write_row(&row, &mut line);
            assert_eq!(line.split(|byte| *byte == b'\n').count(), 2);
            assert_eq!(read_row(&line, &columns).unwrap(), row, "{number}");
        }
    }

    #[test]
    fn a_value_of_another_kind_is_refused() {
        let columns = [("n".to_owned(), CellKind::Integer)];
        for line in ["[\"1\"]", "[1.5]", "[]", "[1, 2]", "[1"] {
            assert!(read_row(line.as_bytes(), &columns).is_err(), "{line}");
        }
    }
}
