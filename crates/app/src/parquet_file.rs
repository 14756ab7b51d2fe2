//! Writes Parquet: a flat table in which every column is nullable.
//!
//! Written here because a table of texts and numbers needs little of the format, and a crate for all of it takes
//! longer to build than the rest of this one. Each column of 10,000 rows is one uncompressed page.
//!
//! Source: Apache Parquet format 2.11 (`parquet.thrift`, `Encodings.md`), and Thrift's compact protocol.

mod thrift;

use std::io::{self, Write};

use thrift::Struct;

/// Rows that are buffered before they are written.
const GROUP_ROWS: usize = 10_000;

const MAGIC: [u8; 4] = *b"PAR1";
const CREATED_BY: &str = "partsight";

/// Numbers of the format's enumerations.
const TYPE_DOUBLE: i32 = 5;
const TYPE_BYTE_ARRAY: i32 = 6;
const REPETITION_OPTIONAL: i32 = 1;
const CONVERTED_UTF8: i32 = 0;
const ENCODING_PLAIN: i32 = 0;
const ENCODING_RLE: i32 = 3;
const CODEC_UNCOMPRESSED: i32 = 0;
const PAGE_DATA: i32 = 0;

/// What a column holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColumnKind {
    /// UTF-8.
    Text,
    /// 64-bit floats.
    Number,
}

/// A value of a table.
#[derive(Debug, Clone, PartialEq)]
pub enum Cell {
    /// There is none.
    Empty,
    /// A text.
    Text(String),
    /// A number.
    Number(f64),
}

impl<T: ToString> From<Option<T>> for Cell {
    fn from(text: Option<T>) -> Self {
        text.map_or(Self::Empty, |text| Self::Text(text.to_string()))
    }
}

/// A table on its way into a file.
#[derive(Debug)]
pub struct ParquetFile<W> {
    out: W,
    n_written: u64,
    columns: Vec<(&'static str, ColumnKind)>,
    /// The rows that are not written yet.
    pages: Vec<Page>,
    n_waiting: usize,
    groups: Vec<Group>,
}

/// A column of the buffered rows.
#[derive(Debug, Default)]
struct Page {
    /// Whether each row has a value.
    is_there: Vec<bool>,
    /// The values that are not null, concatenated.
    values: Vec<u8>,
}

/// The metadata of a row group.
#[derive(Debug)]
struct Group {
    n_rows: usize,
    chunks: Vec<Chunk>,
}

/// The metadata of a column chunk.
#[derive(Debug)]
struct Chunk {
    offset: u64,
    n_bytes: u64,
}

impl<W: Write> ParquetFile<W> {
    /// Begins a file with these columns.
    pub fn new(mut out: W, columns: Vec<(&'static str, ColumnKind)>) -> io::Result<Self> {
        out.write_all(&MAGIC)?;
        let pages = columns.iter().map(|_| Page::default()).collect();
        Ok(Self { out, n_written: MAGIC.len() as u64, columns, pages, n_waiting: 0, groups: Vec::new() })
    }

    /// Adds a row with a cell for each column; a cell of another type than its column becomes null.
    pub fn push(&mut self, row: impl IntoIterator<Item = Cell>) -> io::Result<()> {
        let mut row = row.into_iter();
        for ((_, kind), page) in self.columns.iter().zip(&mut self.pages) {
            let before = page.values.len();
            match (kind, row.next()) {
                (ColumnKind::Text, Some(Cell::Text(text))) => {
                    page.values.extend((text.len() as u32).to_le_bytes());
                    page.values.extend(text.as_bytes());
                }
                (ColumnKind::Number, Some(Cell::Number(number))) => page.values.extend(number.to_le_bytes()),
                _ => {}
            }
            // An empty text has written its length, and so counts as a value and not as null.
            page.is_there.push(page.values.len() > before);
        }
        self.n_waiting += 1;
        if self.n_waiting == GROUP_ROWS { self.write_group() } else { Ok(()) }
    }

    /// Writes the remaining rows and the footer.
    pub fn finish(mut self) -> io::Result<W> {
        if self.n_waiting > 0 {
            self.write_group()?;
        }
        let metadata = self.metadata();
        // Readers begin at the end of the file: the magic bytes, the length of the footer, and before them the
        // footer.
        self.out.write_all(&metadata)?;
        self.out.write_all(&(metadata.len() as u32).to_le_bytes())?;
        self.out.write_all(&MAGIC)?;
        self.out.flush()?;
        Ok(self.out)
    }

    fn write_group(&mut self) -> io::Result<()> {
        let mut chunks = Vec::with_capacity(self.pages.len());
        for page in &mut self.pages {
            let Page { is_there, values } = std::mem::take(page);
            let mut plain = levels(&is_there);
            // Definition levels come first; the values follow without gaps.
            plain.extend(values);
            let header = page_header(is_there.len(), plain.len());
            self.out.write_all(&header)?;
            self.out.write_all(&plain)?;
            let n_bytes = (header.len() + plain.len()) as u64;
            chunks.push(Chunk { offset: self.n_written, n_bytes });
            self.n_written += n_bytes;
        }
        self.groups.push(Group { n_rows: self.n_waiting, chunks });
        self.n_waiting = 0;
        Ok(())
    }

    /// `FileMetaData`.
    fn metadata(&self) -> Vec<u8> {
        let mut root = Struct::default();
        // The schema is a tree written as a list: the root with the number of its columns, then they.
        root.text(4, "table").i32(5, (self.columns.len() as u32).cast_signed());
        let mut schema = vec![root.end()];
        schema.extend(self.columns.iter().map(|&(name, kind)| schema_element(name, kind)));
        let n_rows: usize = self.groups.iter().map(|group| group.n_rows).sum();
        let groups: Vec<Vec<u8>> = self.groups.iter().map(|group| self.row_group(group)).collect();
        let mut file = Struct::default();
        // Fields by their numbers in `parquet.thrift`: version, schema, rows, groups, program.
        file.i32(1, 1)
            .structs(2, &schema)
            .i64(3, (n_rows as u64).cast_signed())
            .structs(4, &groups)
            .text(6, CREATED_BY);
        file.end()
    }

    fn row_group(&self, group: &Group) -> Vec<u8> {
        let chunk = |((name, kind), chunk): (&(&'static str, ColumnKind), &Chunk)| {
            let mut metadata = Struct::default();
            // Type, encodings, path, codec, values, sizes before and after compression, and where the page
            // begins.
            metadata
                .i32(1, type_of(*kind))
                .i32s(2, &[ENCODING_PLAIN, ENCODING_RLE])
                .texts(3, &[name])
                .i32(4, CODEC_UNCOMPRESSED)
                .i64(5, (group.n_rows as u64).cast_signed())
                .i64(6, chunk.n_bytes.cast_signed())
                .i64(7, chunk.n_bytes.cast_signed())
                .i64(9, chunk.offset.cast_signed());
            let mut column = Struct::default();
            column.i64(2, chunk.offset.cast_signed()).nested(3, &metadata.end());
            column.end()
        };
        let chunks: Vec<Vec<u8>> = self.columns.iter().zip(&group.chunks).map(chunk).collect();
        let n_bytes: u64 = group.chunks.iter().map(|chunk| chunk.n_bytes).sum();
        let mut row_group = Struct::default();
        row_group
            .structs(1, &chunks)
            .i64(2, n_bytes.cast_signed())
            .i64(3, (group.n_rows as u64).cast_signed());
        row_group.end()
    }
}

const fn type_of(kind: ColumnKind) -> i32 {
    match kind {
        ColumnKind::Text => TYPE_BYTE_ARRAY,
        ColumnKind::Number => TYPE_DOUBLE,
    }
}

fn schema_element(name: &str, kind: ColumnKind) -> Vec<u8> {
    let mut element = Struct::default();
    element.i32(1, type_of(kind)).i32(3, REPETITION_OPTIONAL).text(4, name);
    if kind == ColumnKind::Text {
        // The logical type `STRING` is a union whose first member is empty.
        let mut string = Struct::default();
        string.nested(1, &Struct::default().end());
        // Both, because readers from before logical types know only the converted type.
        element.i32(6, CONVERTED_UTF8).nested(10, &string.end());
    }
    element.end()
}

/// `PageHeader` of a data page.
fn page_header(n_rows: usize, n_bytes: usize) -> Vec<u8> {
    let mut data = Struct::default();
    // Number of values, then the encodings of values, definition levels and repetition levels. The last have no
    // bytes, because no column repeats.
    data.i32(1, (n_rows as u32).cast_signed())
        .i32(2, ENCODING_PLAIN)
        .i32(3, ENCODING_RLE)
        .i32(4, ENCODING_RLE);
    let mut header = Struct::default();
    let n_bytes = (n_bytes as u32).cast_signed();
    header.i32(1, PAGE_DATA).i32(2, n_bytes).i32(3, n_bytes).nested(5, &data.end());
    header.end()
}

/// Which rows have a value, as definition levels of one bit: one bit-packed run, with its length in bytes before it.
fn levels(is_there: &[bool]) -> Vec<u8> {
    let mut run = Vec::new();
    // The lowest bit says that the run is bit-packed; the others count its groups of eight.
    thrift::varint(&mut run, ((is_there.len().div_ceil(8) as u64) << 1) | 1);
    for rows in is_there.chunks(8) {
        run.push(rows.iter().enumerate().fold(0, |byte, (at, &is_there)| byte | (u8::from(is_there) << at)));
    }
    let mut levels = (run.len() as u32).to_le_bytes().to_vec();
    levels.extend(run);
    levels
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn empty_cells_have_a_level_of_zero() {
        let is_there = [true, false, true, true, true, true, true, true, false, true];
        assert_eq!(levels(&is_there), [3, 0, 0, 0, 0b101, 0b1111_1101, 0b10]);
    }

    /// `sample.parquet` was read by pyarrow 26.0.1; a file that differs from it has to be read by another program again.
    #[test]
    fn a_file_is_the_one_that_another_program_read() {
        let mut file =
            ParquetFile::new(Vec::new(), vec![("key", ColumnKind::Text), ("confidence", ColumnKind::Number)])
                .unwrap();
        file.push([Cell::Text("a".to_owned()), Cell::Number(0.5)]).unwrap();
        file.push([Cell::Text("b, \u{e9}".to_owned()), Cell::Empty]).unwrap();
        file.push([Cell::Empty]).unwrap();
        assert_eq!(file.finish().unwrap(), include_bytes!("parquet_file/sample.parquet"));
    }

    #[test]
    fn rows_are_written_in_groups() {
        let mut file = ParquetFile::new(Vec::new(), vec![("n", ColumnKind::Number)]).unwrap();
        for row in 0..=GROUP_ROWS {
            file.push([Cell::Number(row as f64)]).unwrap();
        }
        assert_eq!((file.groups.len(), file.n_waiting), (1, 1));
        let n_written = file.n_written;
        assert!(file.finish().unwrap().len() as u64 > n_written);
    }
}
