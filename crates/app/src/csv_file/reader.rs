//! Parses CSV from bytes as they arrive (RFC 4180, and the variants of spreadsheets). At most one row is held in
//! memory.
//!
//! [`csv_core`] splits the cells. This module adds the rest: detecting the delimiter, counting rows as a spreadsheet
//! does, quotation marks after spaces, and an error for a quotation mark that is never closed.

use csv_core::{ReadFieldResult, ReaderBuilder};
use partsight_domain::{InvalidInput, named};

use super::without_guard;

/// Longest row of a file that is read while it arrives, in bytes. An unclosed quotation mark would turn the rest of
/// the file into one row.
const MAX_ROW_BYTES: usize = 64 * 1024;
const MAX_CELLS: usize = 500;
/// Most columns of a file that are read: a file of delimiters alone would make millions.
pub(super) const MAX_COLUMNS: usize = 1_000;
/// Bytes that are passed to the parser at a time: room for its output is allocated before each call.
const STEP_BYTES: usize = 256;
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

named! {
    /// What separates the cells of a row.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Delimiter {
        /// `,`
        Comma = "comma",
        /// `;`
        Semicolon = "semicolon",
        /// A tab.
        Tab = "tab",
    }
}

impl Delimiter {
    const fn byte(self) -> u8 {
        match self {
            Self::Comma => b',',
            Self::Semicolon => b';',
            Self::Tab => b'\t',
        }
    }
}

/// One row.
#[derive(Debug, PartialEq, Eq)]
pub struct Row {
    /// As a spreadsheet counts: the header is row 1.
    pub(crate) number: u32,
    text: String,
    ends: Vec<usize>,
}

impl Row {
    /// The cell of a column, trimmed; empty if the row is too short.
    pub(crate) fn cell(&self, column: Option<usize>) -> &str {
        column.map_or("", |column| self.untrimmed(column)).trim()
    }

    /// All cells, trimmed.
    pub(crate) fn cells(&self) -> impl Iterator<Item = &str> {
        (0..self.ends.len()).map(|column| self.untrimmed(column).trim())
    }

    pub(crate) fn n_bytes(&self) -> usize {
        self.text.len() + self.ends.len() * size_of::<usize>()
    }

    pub(super) fn is_blank(&self) -> bool {
        self.text.trim().is_empty()
    }

    /// The row with the text of cells such as `="0015"`, by which Excel keeps leading zeros.
    ///
    /// Applied before an import removes apostrophes, so that an exported text of this form comes back as it was.
    fn without_text_formulas(self) -> Self {
        if !self.text.contains("=\"") {
            return self;
        }
        let mut text = String::with_capacity(self.text.len());
        let without = |column| {
            let cell = self.untrimmed(column);
            match text_of_formula(cell.trim()) {
                Some(formula_text) => text.push_str(&formula_text),
                None => text.push_str(cell),
            }
            text.len()
        };
        let ends = (0..self.ends.len()).map(without).collect();
        Self { number: self.number, text, ends }
    }

    /// The row without the apostrophes that [`guarded`](super::guarded) puts before formulas.
    pub(super) fn without_guards(self) -> Self {
        if !self.text.contains('\'') {
            return self;
        }
        let mut text = String::with_capacity(self.text.len());
        let without = |column| {
            text.push_str(&without_guard(self.untrimmed(column)));
            text.len()
        };
        let ends = (0..self.ends.len()).map(without).collect();
        Self { number: self.number, text, ends }
    }

    fn untrimmed(&self, column: usize) -> &str {
        let Some(&end) = self.ends.get(column) else { return "" };
        let start = if column == 0 { 0 } else { self.ends[column - 1] };
        &self.text[start..end]
    }
}

/// Parses rows from chunks of a file.
#[derive(Debug)]
pub(crate) struct RowReader {
    delimiter: Option<Delimiter>,
    /// The beginning of the file, until its delimiter is known.
    head: Option<Vec<u8>>,
    are_rows_limited: bool,
    parser: csv_core::Reader,
    /// Number of the row that is being read.
    number: u32,
    /// Number of the row with the column names.
    header_number: u32,
    bytes: Vec<u8>,
    ends: Vec<usize>,
    /// Whether the parser has seen nothing of the current cell.
    is_cell_start: bool,
    /// Whether the last byte was a carriage return that ended a row; a line feed after it belongs to it.
    is_behind_return: bool,
}

impl RowReader {
    /// For a file that is read while it arrives, whose rows are limited. Detects the delimiter from the first row
    /// unless it is given.
    pub(crate) fn new(delimiter: Option<Delimiter>) -> Self {
        Self {
            delimiter,
            head: Some(Vec::new()),
            are_rows_limited: true,
            parser: csv_core::Reader::new(),
            number: 1,
            header_number: 1,
            bytes: Vec::new(),
            ends: Vec::new(),
            is_cell_start: true,
            is_behind_return: false,
        }
    }

    /// For a file that is in memory anyway, whose size limits its rows.
    pub(super) fn of_whole_file() -> Self {
        Self { are_rows_limited: false, ..Self::new(None) }
    }

    /// The delimiter, once it is known.
    pub(crate) fn delimiter(&self) -> Option<Delimiter> {
        self.delimiter.filter(|_| self.head.is_none())
    }

    /// The number of the row with the column names, once a row was read: the first, or the one below Excel's `sep=;`.
    pub(super) const fn header_number(&self) -> u32 {
        self.header_number
    }

    /// The rows that are completed by another chunk of the file, without blank ones.
    ///
    /// # Errors
    /// A sentence with the problem and its remedy, under the field `file`. The file must not be read further then.
    pub(crate) fn push(&mut self, bytes: &[u8]) -> Result<Vec<Row>, InvalidInput> {
        let Some(mut head) = self.head.take() else { return self.read(bytes) };
        head.extend_from_slice(bytes);
        // A first row without an end is passed on once it has the maximum length: the limits then report the error.
        if !first_row(&head).1 && head.len() < MAX_ROW_BYTES {
            self.head = Some(head);
            return Ok(Vec::new());
        }
        self.begin(&head)
    }

    /// The last row, if no line break ends it.
    ///
    /// # Errors
    /// As [`push`](Self::push), and for a quotation mark that is never closed.
    pub(crate) fn finish(&mut self) -> Result<Vec<Row>, InvalidInput> {
        let mut rows = match self.head.take() {
            Some(head) => self.begin(&head)?,
            None => Vec::new(),
        };
        rows.extend(self.read(b"\n")?);
        // A line break ends any row except one with an open quotation mark.
        if self.is_cell_start { Ok(rows) } else { Err(self.unclosed()) }
    }

    fn begin(&mut self, head: &[u8]) -> Result<Vec<Row>, InvalidInput> {
        // Byte order marks of UTF-16, which some spreadsheets call "Unicode text".
        if head.starts_with(b"\xff\xfe") || head.starts_with(b"\xfe\xff") {
            return Err(not_utf8());
        }
        let head = head.strip_prefix(BYTE_ORDER_MARK).unwrap_or(head);
        // Excel's own first line, which it uses and does not show; replaced by a blank one, so that rows keep their
        // numbers.
        let (stated, head) = match stated_delimiter(head) {
            Some((delimiter, rest)) => (Some(delimiter), rest),
            None => (None, head),
        };
        self.header_number = 1 + u32::from(stated.is_some());
        let delimiter =
            *self.delimiter.get_or_insert_with(|| stated.unwrap_or_else(|| delimiter_of(first_row(head).0)));
        self.parser = ReaderBuilder::new().delimiter(delimiter.byte()).build();
        self.read(head)
    }

    fn read(&mut self, mut bytes: &[u8]) -> Result<Vec<Row>, InvalidInput> {
        let delimiter = self.delimiter.unwrap_or(Delimiter::Comma).byte();
        let mut rows = Vec::new();
        // Bytes at the start of a cell that the parser would skip or misread are handled before it.
        while let Some(&byte) = bytes.first() {
            let is_behind_return = std::mem::take(&mut self.is_behind_return);
            if self.is_cell_start {
                // What the parser skips, or takes for text, is handled first.
                let is_taken = match byte {
                    b'\n' if is_behind_return => true,
                    // The parser skips blank lines, but spreadsheets count them, and so do people who look for a row.
                    b'\r' | b'\n' if self.ends.is_empty() => {
                        self.end_row(byte, &mut rows)?;
                        true
                    }
                    // Not passed to the parser, which would take a quotation mark after spaces for text.
                    b' ' | b'\t' if byte != delimiter => {
                        self.bytes.push(byte);
                        self.check_row()?;
                        true
                    }
                    b'"' => {
                        self.bytes.truncate(self.cell_start());
                        false
                    }
                    _ => false,
                };
                if is_taken {
                    bytes = &bytes[1..];
                    continue;
                }
            }
            let step = &bytes[..bytes.len().min(STEP_BYTES)];
            let n_bytes = self.bytes.len();
            // The parsed cell is never longer than its bytes in the file.
            self.bytes.resize(n_bytes + step.len(), 0);
            let (result, n_read, n_written) = self.parser.read_field(step, &mut self.bytes[n_bytes..]);
            self.bytes.truncate(n_bytes + n_written);
            self.check_row()?;
            self.is_cell_start = matches!(result, ReadFieldResult::Field { .. });
            if let ReadFieldResult::Field { record_end } = result {
                // Cells after the last column get no end, and so are invisible; their bytes are dropped with the row.
                if self.ends.len() < MAX_COLUMNS {
                    self.ends.push(self.bytes.len());
                }
                if record_end {
                    self.end_row(step[n_read - 1], &mut rows)?;
                }
            }
            bytes = &bytes[n_read..];
        }
        Ok(rows)
    }

    fn cell_start(&self) -> usize {
        self.ends.last().copied().unwrap_or_default()
    }

    /// Ends the row after its last cell, at the byte `terminator`.
    fn end_row(&mut self, terminator: u8, rows: &mut Vec<Row>) -> Result<(), InvalidInput> {
        self.is_behind_return = terminator == b'\r';
        let number = self.number;
        self.number = self.number.saturating_add(1);
        // Only whole rows are checked, since a chunk can end inside a character.
        let text = std::str::from_utf8(&self.bytes).map_err(|_| not_utf8())?;
        // A cell must not end inside a character.
        if self.ends.iter().any(|end| !text.is_char_boundary(*end)) {
            return Err(not_utf8());
        }
        if !text.trim().is_empty() {
            let row = Row { number, text: text.to_owned(), ends: self.ends.clone() };
            rows.extend(Some(row.without_text_formulas()).filter(|row| !row.is_blank()));
        }
        self.bytes.clear();
        self.ends.clear();
        Ok(())
    }

    fn check_row(&mut self) -> Result<(), InvalidInput> {
        let is_long = self.bytes.len() > MAX_ROW_BYTES || self.ends.len() > MAX_CELLS;
        if !(self.are_rows_limited && is_long) {
            return Ok(());
        }
        // The parser does not report an open quotation mark, but then takes a line break for text.
        let (_, _, n_written) = self.parser.read_field(b"\n", &mut [0]);
        Err(if n_written > 0 { self.unclosed() } else { self.too_long() })
    }

    fn unclosed(&self) -> InvalidInput {
        invalid(format!("A quotation mark that opens in row {} is never closed.", self.number))
    }

    fn too_long(&self) -> InvalidInput {
        invalid(format!(
            "Row {} is longer than {} KB or has more than {MAX_CELLS} columns. Is this a CSV file?",
            self.number,
            MAX_ROW_BYTES / 1024
        ))
    }
}

fn invalid(message: impl Into<String>) -> InvalidInput {
    InvalidInput::new("file", message)
}

fn not_utf8() -> InvalidInput {
    invalid("The file is not UTF-8 text. Please save it as \"CSV UTF-8\" and try again.")
}

/// The text of a formula that is one text, such as `="0015"`; in it, a quotation mark is written twice.
fn text_of_formula(cell: &str) -> Option<String> {
    let inner = cell.strip_prefix("=\"")?.strip_suffix('"')?;
    // A single quotation mark ends the text, as in `="a"&"b"`, which is computed.
    let is_one_text = inner.split("\"\"").all(|piece| !piece.contains('"'));
    is_one_text.then(|| inner.replace("\"\"", "\""))
}

/// The first row that is not blank, and whether a line break ends it. Reads no more than the longest row, so that the
/// result does not depend on the chunks in which a file arrives.
fn first_row(bytes: &[u8]) -> (&[u8], bool) {
    let bytes = &bytes[..bytes.len().min(MAX_ROW_BYTES)];
    let bytes = bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(bytes).trim_ascii_start();
    let mut is_quoted = false;
    let end = bytes.iter().position(|byte| {
        is_quoted ^= *byte == b'"';
        !is_quoted && matches!(byte, b'\r' | b'\n')
    });
    (&bytes[..end.unwrap_or(bytes.len())], end.is_some())
}

/// The delimiter that a first line such as `sep=;` states, and the rest of the file from the end of that line.
fn stated_delimiter(bytes: &[u8]) -> Option<(Delimiter, &[u8])> {
    let (&[s, e, p, b'=', stated], rest) = bytes.split_first_chunk()? else { return None };
    let is_end = matches!(rest.first(), Some(b'\r' | b'\n'));
    let is_stated = [s, e, p].eq_ignore_ascii_case(b"sep") && is_end;
    let delimiter = Delimiter::ALL.into_iter().find(|delimiter| delimiter.byte() == stated)?;
    is_stated.then_some((delimiter, rest))
}

/// The most frequent of comma, semicolon and tab in a row, outside quotation marks.
fn delimiter_of(row: &[u8]) -> Delimiter {
    let mut counts = Delimiter::ALL.map(|delimiter| (0_usize, delimiter));
    let mut is_quoted = false;
    for byte in row {
        match byte {
            b'"' => is_quoted = !is_quoted,
            _ if is_quoted => {}
            _ => counts.iter_mut().filter(|(_, of)| of.byte() == *byte).for_each(|(count, _)| *count += 1),
        }
    }
    // The first of equals, so a comma if there is one column.
    counts.iter().rev().max_by_key(|(count, _)| *count).map_or(Delimiter::Comma, |(_, delimiter)| *delimiter)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reads a file in pieces of `size` bytes.
    fn read(bytes: &[u8], size: usize) -> Result<Vec<(u32, Vec<String>)>, InvalidInput> {
        let mut reader = RowReader::new(None);
        let mut rows = Vec::new();
        for piece in bytes.chunks(size) {
            rows.extend(reader.push(piece)?);
        }
        rows.extend(reader.finish()?);
        let cells = |row: &Row| row.cells().map(str::to_owned).collect();
        Ok(rows.iter().map(|row| (row.number, cells(row))).collect())
    }

    #[test]
    fn rows_are_the_same_however_the_file_arrives() {
        for (text, expected) in [
            ("a,b\n1,2", vec![(1, vec!["a", "b"]), (2, vec!["1", "2"])]),
            ("\u{feff}a;b\r\n1,5;2\r\n", vec![(1, vec!["a", "b"]), (2, vec!["1,5", "2"])]),
            ("\u{feff}sep=;\r\na;b\r\n1,5;2\r\n", vec![(2, vec!["a", "b"]), (3, vec!["1,5", "2"])]),
            ("\r\n\na;b\n1,5;2", vec![(3, vec!["a", "b"]), (4, vec!["1,5", "2"])]),
            ("a\tb\r1\t2\r", vec![(1, vec!["a", "b"]), (2, vec!["1", "2"])]),
            (
                "a,b\n\"x, \"\"y\"\"\nz\", 2 \n3,é",
                vec![(1, vec!["a", "b"]), (2, vec!["x, \"y\"\nz", "2"]), (3, vec!["3", "é"])],
            ),
            ("\"a;x\",b\n1,2", vec![(1, vec!["a;x", "b"]), (2, vec!["1", "2"])]),
            (
                "a,b\n\n , \n3,4",
                vec![(1, vec!["a", "b"]), (2, vec![]), (3, vec!["", ""]), (4, vec!["3", "4"])],
            ),
            ("a,b\n5\" pipe,\"\"", vec![(1, vec!["a", "b"]), (2, vec!["5\" pipe", ""])]),
            ("a,b\n1\n", vec![(1, vec!["a", "b"]), (2, vec!["1"])]),
            ("a,b\r\n\r\n \r\n3,4", vec![(1, vec!["a", "b"]), (4, vec!["3", "4"])]),
            ("a,b\r\r \r3,4", vec![(1, vec!["a", "b"]), (4, vec!["3", "4"])]),
            (
                "a\tb\n \"x\ty\" \t \"z\nz\"\n\t\"\"\n5,6",
                vec![(1, vec!["a", "b"]), (2, vec!["x\ty", "z\nz"]), (3, vec!["", ""]), (4, vec!["5,6"])],
            ),
            ("a,b\n\"1\" 2,\"3\"\"\" \"4", vec![(1, vec!["a", "b"]), (2, vec!["1 2", "3\" \"4"])]),
            (
                "=\"a\",b\n=\"0015\",\"=\"\"007\"\"\"\n\"=\"\"3\"\"\"\"x\"\"\", =\"é\" \n=\"\",=\"\"\n",
                vec![(1, vec!["a", "b"]), (2, vec!["0015", "007"]), (3, vec!["3\"x", "é"])],
            ),
            (
                "a,b\n'=\"1\",=\"1\"&\"2\"\n=\",=1",
                vec![(1, vec!["a", "b"]), (2, vec!["'=\"1\"", "=\"1\"&\"2\""]), (3, vec!["=\"", "=1"])],
            ),
            ("", vec![]),
        ] {
            // Rows without text are left out, but counted.
            let expected: Vec<(u32, Vec<String>)> = expected
                .into_iter()
                .filter(|(_, cells): &(u32, Vec<&str>)| cells.iter().any(|cell| !cell.is_empty()))
                .map(|(row, cells)| (row, cells.into_iter().map(str::to_owned).collect()))
                .collect();
            for size in [1, 2, 3, 7, 1000] {
                assert_eq!(read(text.as_bytes(), size).unwrap(), expected, "{text:?} by {size}");
            }
        }
    }

    #[test]
    fn a_file_that_is_no_table_is_refused_with_what_to_do() {
        let endless = [b"a,b\n1,\"".to_vec(), vec![b'x'; 2 * MAX_ROW_BYTES]].concat();
        let wide = [b"a,b\n".to_vec(), vec![b','; 600]].concat();
        let long = [b"a,b\n".to_vec(), vec![b'x'; MAX_ROW_BYTES + 1]].concat();
        let spaces = [b"a,b\n1,".to_vec(), vec![b' '; MAX_ROW_BYTES + 1]].concat();
        let cases: [(&[u8], &str); 10] = [
            (b"a,b\n\"open,2\n3,4", "opens in row 2"),
            (b"a,b\n\n1, \"open\"\"", "opens in row 3"),
            (b"\"a,b\n1,2\n", "opens in row 1"),
            (&endless, "opens in row 2"),
            (&wide, "Row 2 is longer"),
            (&long, "Row 2 is longer"),
            (&spaces, "Row 2 is longer"),
            (b"\xff\xfea\x00,\x00b\x00\n\x00", "CSV UTF-8"),
            (b"a,b\nCitro\xebn,2", "CSV UTF-8"),
            (b"a,b\n\xc3,\xa9", "CSV UTF-8"),
        ];
        for (bytes, sentence) in cases {
            let error = read(bytes, 1000).unwrap_err();
            assert!(error.message.contains(sentence) && error.field == "file", "{}", error.message);
        }
    }
}
