//! Bytes into rows and cells (RFC 4180, and what spreadsheets make of it).

use partsight_domain::InvalidInput;

use crate::csv_file::without_guard;

/// Columns that are looked at: a file of delimiters alone would make millions.
const MAX_COLUMNS: usize = 1_000;

/// A file with a header.
#[derive(Debug)]
pub(crate) struct Table {
    /// As written, trimmed.
    pub(crate) headers: Vec<String>,
    /// Those that are not blank.
    pub(crate) rows: Vec<Row>,
    /// Whether semicolons part the cells, so that a comma may be a decimal point.
    pub(crate) has_semicolons: bool,
}

/// One row below the header.
#[derive(Debug)]
pub(crate) struct Row {
    /// As a spreadsheet counts: the header is row 1.
    pub(crate) number: usize,
    cells: Vec<String>,
}

impl Row {
    /// The cell of a column, trimmed; blank where the row is too short.
    pub(crate) fn cell(&self, column: Option<usize>) -> &str {
        column.and_then(|at| self.cells.get(at)).map_or("", |cell| cell.trim())
    }
}

impl Table {
    /// Reads a file of at most `max_rows` rows below its header.
    ///
    /// # Errors
    /// Says what is wrong with the file and what to do, under the field `body`.
    pub(crate) fn read(bytes: &[u8], max_rows: usize) -> Result<Self, InvalidInput> {
        let invalid = |message: String| InvalidInput::new("body", message);
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        let text = std::str::from_utf8(bytes).map_err(|_| {
            invalid("The file is not UTF-8 text. Please save it as \"CSV UTF-8\" and try again.".to_owned())
        })?;
        let delimiter = delimiter_of(text);
        let mut headers: Vec<String> = Vec::new();
        let mut rows: Vec<Row> = Vec::new();
        let mut n_rows = 0;
        let read = read_records(text, delimiter, |number, cells| {
            if number == 1 {
                headers = cells.iter().map(|header| header.trim().to_owned()).collect();
            } else if cells.iter().any(|cell| !cell.trim().is_empty()) {
                n_rows += 1;
                // What is too much is counted, and not kept.
                if n_rows <= max_rows {
                    rows.push(Row { number, cells });
                }
            }
        });
        read.map_err(|Unclosed { row }| {
            invalid(format!("A quotation mark that opens in row {row} is never closed."))
        })?;
        if headers.iter().all(String::is_empty) {
            return Err(invalid("The file is empty. Its first row must name the columns.".to_owned()));
        }
        if n_rows > max_rows {
            return Err(invalid(format!(
                "The file has {n_rows} rows; please import at most {max_rows} at a time."
            )));
        }
        Ok(Self { headers, rows, has_semicolons: delimiter == ';' })
    }
}

/// Whichever of comma, semicolon and tab the header has most of, outside quotation marks.
fn delimiter_of(text: &str) -> char {
    let mut counts = [(0_usize, ','), (0, ';'), (0, '\t')];
    let mut is_quoted = false;
    for character in text.trim_start().chars() {
        match character {
            '"' => is_quoted = !is_quoted,
            '\r' | '\n' if !is_quoted => break,
            _ if is_quoted => {}
            _ => counts.iter_mut().filter(|(_, of)| *of == character).for_each(|(count, _)| *count += 1),
        }
    }
    // The first of equals: a comma where there is one column.
    counts.iter().rev().max_by_key(|(count, _)| *count).map_or(',', |(_, delimiter)| *delimiter)
}

/// The file ends within quotation marks.
struct Unclosed {
    row: usize,
}

/// Gives `each` the number and the cells of one row after the other; cells beyond [`MAX_COLUMNS`] are left out.
fn read_records(
    text: &str,
    delimiter: char,
    mut each: impl FnMut(usize, Vec<String>),
) -> Result<(), Unclosed> {
    let mut number = 1;
    let mut cells = Vec::new();
    let mut cell = String::new();
    let mut opened_in = None;
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '"' if opened_in.is_some() => {
                if characters.next_if_eq(&'"').is_some() {
                    cell.push('"');
                } else {
                    opened_in = None;
                }
            }
            _ if opened_in.is_some() => cell.push(character),
            // Only at the start of a cell; a measure like 5" is text.
            '"' if cell.trim().is_empty() => {
                cell.clear();
                opened_in = Some(number);
            }
            '\r' | '\n' => {
                if character == '\r' {
                    characters.next_if_eq(&'\n');
                }
                push(&mut cells, &mut cell);
                each(number, std::mem::take(&mut cells));
                number += 1;
            }
            _ if character == delimiter => push(&mut cells, &mut cell),
            _ => cell.push(character),
        }
    }
    if let Some(row) = opened_in {
        return Err(Unclosed { row });
    }
    if !cell.is_empty() || !cells.is_empty() {
        push(&mut cells, &mut cell);
        each(number, cells);
    }
    Ok(())
}

/// Ends a cell.
fn push(cells: &mut Vec<String>, cell: &mut String) {
    let cell = std::mem::take(cell);
    if cells.len() < MAX_COLUMNS {
        cells.push(without_guard(&cell).into_owned());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Vec<(usize, Vec<String>)> {
        let table = Table::read(text.as_bytes(), 100).unwrap();
        table.rows.into_iter().map(|row| (row.number, row.cells)).collect()
    }

    #[test]
    fn cells_are_parted_as_spreadsheets_write_them() {
        for (text, expected) in [
            ("a,b\n1,2", vec![(2, vec!["1", "2"])]),
            ("a,b\r\n1,2\r\n", vec![(2, vec!["1", "2"])]),
            ("\u{feff}a,b\r1,2\r", vec![(2, vec!["1", "2"])]),
            ("a;b\n1,5;2", vec![(2, vec!["1,5", "2"])]),
            ("a\tb\n1\t2", vec![(2, vec!["1", "2"])]),
            ("a,b\n\"x, \"\"y\"\"\nz\",2\n3,4", vec![(2, vec!["x, \"y\"\nz", "2"]), (3, vec!["3", "4"])]),
            ("\"a;x\",b\n1,2", vec![(2, vec!["1", "2"])]),
            ("a,b\n\n , \n3,4", vec![(4, vec!["3", "4"])]),
            ("a,b\n5\" pipe,\"\"", vec![(2, vec!["5\" pipe", ""])]),
            ("a,b\n1", vec![(2, vec!["1"])]),
            ("a,b\n'=1+1,'quoted'", vec![(2, vec!["=1+1", "'quoted'"])]),
        ] {
            let expected: Vec<(usize, Vec<String>)> = expected
                .into_iter()
                .map(|(row, cells)| (row, cells.into_iter().map(str::to_owned).collect()))
                .collect();
            assert_eq!(read(text), expected, "{text:?}");
        }
    }

    #[test]
    fn a_file_that_is_no_table_is_refused_with_what_to_do() {
        for (bytes, sentence) in [
            (&b""[..], "The file is empty"),
            (b" , ,\n1,2,3", "The file is empty"),
            (b"a,b\n\"open,2\n3,4", "opens in row 2"),
            (b"\xff\xfea\x00", "CSV UTF-8"),
            (b"a,b\nCitro\xebn,2", "CSV UTF-8"),
        ] {
            let error = Table::read(bytes, 100).unwrap_err();
            assert_eq!(error.field, "body");
            assert!(error.message.contains(sentence), "{}", error.message);
        }
        let wide = format!("a{}\n1{}2", ",".repeat(1_500), ",".repeat(1_500));
        let table = Table::read(wide.as_bytes(), 100).unwrap();
        assert_eq!((table.headers.len(), table.rows[0].cells.len()), (MAX_COLUMNS, MAX_COLUMNS));
        let long = format!("a\n{}", "1\n".repeat(101));
        assert!(Table::read(long.as_bytes(), 100).unwrap_err().message.contains("101 rows"));
        assert!(Table::read(long.as_bytes(), 101).is_ok());
    }
}
