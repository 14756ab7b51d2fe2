//! Bytes into rows and cells (RFC 4180, and what spreadsheets make of it).

use partsight_domain::InvalidInput;

use super::write::without_guard;

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
        let records = records(text, delimiter).map_err(|Unclosed { row }| {
            invalid(format!("A quotation mark that opens in row {row} is never closed."))
        })?;
        let mut records = records.into_iter();
        let headers: Vec<String> =
            records.next().unwrap_or_default().iter().map(|header| header.trim().to_owned()).collect();
        if headers.iter().all(String::is_empty) {
            return Err(invalid("The file is empty. Its first row must name the columns.".to_owned()));
        }
        let is_blank = |cells: &[String]| cells.iter().all(|cell| cell.trim().is_empty());
        let rows: Vec<Row> = records
            .zip(2..)
            .filter(|(cells, _)| !is_blank(cells))
            .map(|(cells, number)| Row { number, cells })
            .collect();
        if rows.len() > max_rows {
            return Err(invalid(format!(
                "The file has {} rows; please import at most {max_rows} at a time.",
                rows.len()
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

fn records(text: &str, delimiter: char) -> Result<Vec<Vec<String>>, Unclosed> {
    let mut records = Vec::new();
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
                opened_in = Some(records.len() + 1);
            }
            '\r' | '\n' => {
                if character == '\r' {
                    characters.next_if_eq(&'\n');
                }
                cells.push(finished(&mut cell));
                records.push(std::mem::take(&mut cells));
            }
            _ if character == delimiter => cells.push(finished(&mut cell)),
            _ => cell.push(character),
        }
    }
    if let Some(row) = opened_in {
        return Err(Unclosed { row });
    }
    if !cell.is_empty() || !cells.is_empty() {
        cells.push(finished(&mut cell));
        records.push(cells);
    }
    Ok(records)
}

fn finished(cell: &mut String) -> String {
    without_guard(&std::mem::take(cell)).to_owned()
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
        let long = format!("a\n{}", "1\n".repeat(101));
        assert!(Table::read(long.as_bytes(), 100).unwrap_err().message.contains("101 rows"));
        assert!(Table::read(long.as_bytes(), 101).is_ok());
    }
}
