//! Bytes as they arrive into rows and cells (RFC 4180, and what spreadsheets make of it). No more than one row is
//! held.

use partsight_domain::InvalidInput;

/// Longest row, in bytes. A quotation mark that is never closed would make one of the whole file.
const MAX_ROW_BYTES: usize = 64 * 1024;
const MAX_CELLS: usize = 500;
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// What parts the cells of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Delimiter {
    /// `,`
    Comma,
    /// `;`
    Semicolon,
    /// A tab.
    Tab,
}

impl Delimiter {
    const ALL: [Self; 3] = [Self::Comma, Self::Semicolon, Self::Tab];

    /// The name on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Comma => "comma",
            Self::Semicolon => "semicolon",
            Self::Tab => "tab",
        }
    }

    /// The delimiter whose [`Delimiter::as_str`] is `name`.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|delimiter| delimiter.as_str() == name)
    }

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
pub(super) struct Row {
    /// As a spreadsheet counts: the header is row 1.
    pub(super) number: u32,
    text: String,
    ends: Vec<usize>,
}

impl Row {
    /// The cell of a column, trimmed; blank where the row is too short.
    pub(super) fn cell(&self, column: Option<usize>) -> &str {
        let Some(column) = column else { return "" };
        let Some(&end) = self.ends.get(column) else { return "" };
        let start = if column == 0 { 0 } else { self.ends[column - 1] };
        self.text[start..end].trim()
    }

    /// All cells, trimmed.
    pub(super) fn cells(&self) -> impl Iterator<Item = &str> {
        (0..self.ends.len()).map(|column| self.cell(Some(column)))
    }

    pub(super) fn n_bytes(&self) -> usize {
        self.text.len() + self.ends.len() * size_of::<usize>()
    }
}

/// Where in a row the reader is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// Only spaces have come of this cell.
    CellStart,
    InCell,
    InQuotes,
    /// Behind a quotation mark that ends the text, or is the first of two.
    BehindQuote,
    /// Behind a carriage return: a line feed belongs to it.
    BehindReturn,
}

/// Reads rows out of pieces of a file.
#[derive(Debug)]
pub(super) struct RowReader {
    delimiter: Option<Delimiter>,
    /// The beginning of the file until its delimiter is known.
    head: Option<Vec<u8>>,
    place: Place,
    number: u32,
    bytes: Vec<u8>,
    cell_start: usize,
    ends: Vec<usize>,
}

impl RowReader {
    /// Finds out the delimiter by the first row unless it is given.
    pub(super) fn new(delimiter: Option<Delimiter>) -> Self {
        Self {
            delimiter,
            head: Some(Vec::new()),
            place: Place::CellStart,
            number: 1,
            bytes: Vec::new(),
            cell_start: 0,
            ends: Vec::new(),
        }
    }

    /// What parts the cells, once it is known.
    pub(super) fn delimiter(&self) -> Option<Delimiter> {
        self.delimiter.filter(|_| self.head.is_none())
    }

    /// The rows that a further piece of the file completes; those without any text are left out.
    ///
    /// # Errors
    /// Says what is wrong with the file and what to do, under the field `file`.
    pub(super) fn push(&mut self, bytes: &[u8]) -> Result<Vec<Row>, InvalidInput> {
        let Some(mut head) = self.head.take() else { return self.read(bytes) };
        head.extend_from_slice(bytes);
        if !has_row(&head) && head.len() < MAX_ROW_BYTES {
            self.head = Some(head);
            return Ok(Vec::new());
        }
        self.begin(&head)
    }

    /// The last row, where no line break ends it.
    ///
    /// # Errors
    /// As [`push`](Self::push), and for a quotation mark that is never closed.
    pub(super) fn finish(&mut self) -> Result<Vec<Row>, InvalidInput> {
        let mut rows = match self.head.take() {
            Some(head) => self.begin(&head)?,
            None => Vec::new(),
        };
        if self.place == Place::InQuotes {
            return Err(self.unclosed());
        }
        if !self.bytes.is_empty() || !self.ends.is_empty() {
            self.end_row(&mut rows)?;
        }
        Ok(rows)
    }

    fn begin(&mut self, head: &[u8]) -> Result<Vec<Row>, InvalidInput> {
        if head.starts_with(b"\xff\xfe") || head.starts_with(b"\xfe\xff") {
            return Err(not_utf8());
        }
        let head = head.strip_prefix(BYTE_ORDER_MARK).unwrap_or(head);
        self.delimiter.get_or_insert_with(|| delimiter_of(head));
        self.read(head)
    }

    fn read(&mut self, bytes: &[u8]) -> Result<Vec<Row>, InvalidInput> {
        let delimiter = self.delimiter.unwrap_or(Delimiter::Comma).byte();
        let mut rows = Vec::new();
        for &byte in bytes {
            match (self.place, byte) {
                (Place::BehindReturn, b'\n') => self.place = Place::CellStart,
                (Place::InQuotes, b'"') => self.place = Place::BehindQuote,
                (Place::InQuotes, _) => self.bytes.push(byte),
                (Place::BehindQuote, b'"') => {
                    self.bytes.push(byte);
                    self.place = Place::InQuotes;
                }
                (_, b'\r' | b'\n') => {
                    self.end_row(&mut rows)?;
                    self.place = if byte == b'\r' { Place::BehindReturn } else { Place::CellStart };
                }
                (_, _) if byte == delimiter => self.end_cell(),
                // Only at the start of a cell; a measure like 5" is text.
                (Place::CellStart | Place::BehindReturn, b'"') => {
                    self.bytes.truncate(self.cell_start);
                    self.place = Place::InQuotes;
                }
                (Place::CellStart | Place::BehindReturn, b' ' | b'\t') => {
                    self.bytes.push(byte);
                    self.place = Place::CellStart;
                }
                _ => {
                    self.bytes.push(byte);
                    self.place = Place::InCell;
                }
            }
            if self.bytes.len() > MAX_ROW_BYTES || self.ends.len() > MAX_CELLS {
                return Err(if matches!(self.place, Place::InQuotes) {
                    self.unclosed()
                } else {
                    self.too_long()
                });
            }
        }
        Ok(rows)
    }

    fn end_cell(&mut self) {
        self.ends.push(self.bytes.len());
        self.cell_start = self.bytes.len();
        self.place = Place::CellStart;
    }

    fn end_row(&mut self, rows: &mut Vec<Row>) -> Result<(), InvalidInput> {
        self.end_cell();
        let number = self.number;
        self.number = self.number.saturating_add(1);
        self.cell_start = 0;
        let (bytes, ends) = (std::mem::take(&mut self.bytes), std::mem::take(&mut self.ends));
        if bytes.iter().all(u8::is_ascii_whitespace) {
            return Ok(());
        }
        let text = String::from_utf8(bytes).map_err(|_| not_utf8())?;
        // A character that is cut by a delimiter is none.
        if ends.iter().any(|end| !text.is_char_boundary(*end)) {
            return Err(not_utf8());
        }
        rows.push(Row { number, text, ends });
        Ok(())
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

/// Whether a line ends outside quotation marks.
fn has_row(bytes: &[u8]) -> bool {
    let mut is_quoted = false;
    bytes.iter().any(|byte| {
        is_quoted ^= *byte == b'"';
        !is_quoted && matches!(byte, b'\r' | b'\n')
    })
}

/// Whichever of comma, semicolon and tab the first row has most of, outside quotation marks.
fn delimiter_of(bytes: &[u8]) -> Delimiter {
    let mut counts = Delimiter::ALL.map(|delimiter| (0_usize, delimiter));
    let mut is_quoted = false;
    for byte in bytes.trim_ascii_start() {
        match byte {
            b'"' => is_quoted = !is_quoted,
            b'\r' | b'\n' if !is_quoted => break,
            _ if is_quoted => {}
            _ => counts.iter_mut().filter(|(_, of)| of.byte() == *byte).for_each(|(count, _)| *count += 1),
        }
    }
    // The first of equals: a comma where there is one column.
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
        let cases: [(&[u8], &str); 6] = [
            (b"a,b\n\"open,2\n3,4", "opens in row 2"),
            (&endless, "opens in row 2"),
            (&wide, "Row 2 is longer"),
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
