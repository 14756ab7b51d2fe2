//! Writes rows in one of the formats.

use std::io::{self, Write};

use partsight_app::{Cell, ColumnKind, ParquetFile, guarded};

use super::arguments::Format;
use super::fields::{NUMBERS, fields, header};
use super::row::{Columns, Row};
use super::table::{table, table_cells};
use crate::text_table::TextTable;

/// Writes rows in one of the formats.
#[derive(Debug)]
pub(crate) struct Report<W: Write> {
    writer: RowWriter<W>,
    columns: Columns,
}

#[derive(Debug)]
enum RowWriter<W: Write> {
    Table { out: W, table: Box<TextTable> },
    Json { out: W, is_first: bool },
    JsonLines(W),
    Csv(Box<csv::Writer<W>>),
    Parquet(Box<ParquetFile<W>>),
}

impl<W: Write> Report<W> {
    /// Writes what precedes the rows.
    pub(crate) fn start(mut out: W, format: Format, columns: Columns) -> io::Result<Self> {
        let writer = match format {
            Format::Table => RowWriter::Table { out, table: Box::new(table()) },
            Format::Json => {
                // The array is written piecewise, so that each row is written as it comes.
                out.write_all(b"[")?;
                RowWriter::Json { out, is_first: true }
            }
            Format::Jsonl => RowWriter::JsonLines(out),
            Format::Csv => {
                let mut writer = csv::Writer::from_writer(out);
                writer.write_record(header(columns)).map_err(io::Error::from)?;
                RowWriter::Csv(Box::new(writer))
            }
            Format::Parquet => {
                // Parquet needs column types before the first row, so they cannot be derived from the fields.
                let kind = |name| if NUMBERS.contains(&name) { ColumnKind::Number } else { ColumnKind::Text };
                let columns = header(columns).map(|name| (name, kind(name))).collect();
                RowWriter::Parquet(Box::new(ParquetFile::new(out, columns)?))
            }
        };
        Ok(Self { writer, columns })
    }

    /// Continues after the rows of an earlier run; `None` for a format that ends with more than rows.
    pub(crate) fn go_on(out: W, format: Format, columns: Columns) -> Option<Self> {
        let writer = match format {
            Format::Table | Format::Json | Format::Parquet => return None,
            Format::Jsonl => RowWriter::JsonLines(out),
            Format::Csv => RowWriter::Csv(Box::new(csv::Writer::from_writer(out))),
        };
        Some(Self { writer, columns })
    }

    /// Writes a row, immediately if the format allows it.
    pub(crate) fn add(&mut self, row: &Row) -> io::Result<()> {
        match &mut self.writer {
            RowWriter::Table { table, .. } => {
                table.add_row(table_cells(row));
                Ok(())
            }
            RowWriter::Json { out, is_first } => {
                out.write_all(if *is_first { b"\n" } else { b",\n" })?;
                *is_first = false;
                serde_json::to_writer(&mut *out, row).map_err(io::Error::from)
            }
            RowWriter::JsonLines(out) => {
                serde_json::to_writer(&mut *out, row).map_err(io::Error::from)?;
                out.write_all(b"\n")?;
                // Flushed, so that a reader of the stream gets each line at once.
                out.flush()
            }
            RowWriter::Csv(writer) => {
                // File names and texts that were read come from other people; a number may begin with a minus.
                let field = |(name, field)| if NUMBERS.contains(&name) { field } else { guarded(field) };
                let fields = header(self.columns).zip(fields(row, self.columns)).map(field);
                writer.write_record(fields).map_err(io::Error::from)?;
                writer.flush()
            }
            RowWriter::Parquet(file) => {
                // From the fields of CSV, so that both have the same values; numbers are parsed again.
                let cell = |(name, field): (&str, String)| match field.parse() {
                    _ if field.is_empty() => Cell::Empty,
                    Ok(number) if NUMBERS.contains(&name) => Cell::Number(number),
                    _ => Cell::Text(field),
                };
                file.push(header(self.columns).zip(fields(row, self.columns)).map(cell))
            }
        }
    }

    /// Writes what follows the rows.
    pub(crate) fn finish(self) -> io::Result<()> {
        match self.writer {
            RowWriter::Table { mut out, table } => {
                writeln!(out, "{table}")?;
                out.flush()
            }
            RowWriter::Json { mut out, is_first } => {
                out.write_all(if is_first { b"]\n" } else { b"\n]\n" })?;
                out.flush()
            }
            RowWriter::JsonLines(mut out) => out.flush(),
            RowWriter::Csv(mut writer) => writer.flush(),
            RowWriter::Parquet(file) => file.finish().map(drop),
        }
    }
}

#[cfg(test)]
mod tests;
