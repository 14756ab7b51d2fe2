//! Whole files with a header, for the imports of records and parts.

use partsight_domain::InvalidInput;

use super::reader::{Delimiter, Row, RowReader};

/// Bytes that are read at a time, so that rows beyond the limit are counted and not kept.
const PIECE_BYTES: usize = 64 * 1024;
/// Faulty rows that a refusal names; the dry run lists them all.
const NAMED_FAULTS: usize = 5;

/// A file with a header.
#[derive(Debug)]
pub(crate) struct Table {
    /// The headers as written, trimmed.
    pub(crate) headers: Vec<String>,
    /// The rows that are not blank.
    pub(crate) rows: Vec<Row>,
    /// Whether semicolons separate the cells, so that a comma may be a decimal point.
    pub(crate) has_semicolons: bool,
}

impl Table {
    /// Reads a file of at most `max_rows` rows below its header.
    ///
    /// # Errors
    /// A sentence with the problem and its remedy, under the field `body`.
    pub(crate) fn read(bytes: &[u8], max_rows: usize) -> Result<Self, InvalidInput> {
        let invalid = |message: String| InvalidInput::new("body", message);
        let mut reader = RowReader::of_whole_file();
        let mut headers: Vec<String> = Vec::new();
        let mut rows: Vec<Row> = Vec::new();
        let mut n_rows = 0;
        for piece in bytes.chunks(PIECE_BYTES).map(Some).chain([None]) {
            let read = match piece {
                Some(piece) => reader.push(piece),
                None => reader.finish(),
            };
            for row in read.map_err(|error| invalid(error.message))? {
                let row = row.without_guards();
                if row.number == reader.header_number() {
                    headers = row.cells().map(str::to_owned).collect();
                    continue;
                }
                if !row.is_blank() {
                    n_rows += 1;
                    // Counted to the end, so that the refusal can state the number of rows.
                    if n_rows <= max_rows {
                        rows.push(row);
                    }
                }
            }
        }
        if headers.iter().all(String::is_empty) {
            return Err(invalid("The file is empty. Its first row must name the columns.".to_owned()));
        }
        if n_rows > max_rows {
            return Err(invalid(format!(
                "The file has {n_rows} rows; please import at most {max_rows} at a time."
            )));
        }
        Ok(Self { headers, rows, has_semicolons: reader.delimiter() == Some(Delimiter::Semicolon) })
    }

    /// The headers in lower case, without separators between words.
    pub(crate) fn plain_headers(headers: &[String]) -> Vec<String> {
        let plain = |header: &String| {
            header.to_lowercase().chars().filter(|c| !c.is_whitespace() && !matches!(c, '_' | '-')).collect()
        };
        headers.iter().map(plain).collect()
    }
}

/// Refuses a file with faulty rows, each given by number and reason.
///
/// # Errors
/// Names the first of them, under the field `body`.
pub(crate) fn refuse_faults<'f>(faults: impl Iterator<Item = (usize, &'f str)>) -> Result<(), InvalidInput> {
    let named: Vec<String> = faults.map(|(row, why)| format!("Row {row}: {why}")).collect();
    if named.is_empty() {
        return Ok(());
    }
    let more = match named.len().saturating_sub(NAMED_FAULTS) {
        0 => String::new(),
        more => format!(" And {more} more; a dry run names them all."),
    };
    let named = named[..named.len().min(NAMED_FAULTS)].join(" ");
    Err(InvalidInput::new("body", format!("Nothing was imported. {named}{more}")))
}

#[cfg(test)]
mod tests {
    use super::super::reader::MAX_COLUMNS;
    use super::*;

    #[test]
    fn the_first_row_is_the_header_and_guards_come_off() {
        let file = "\u{feff}'=a;b\r\n\r\n'=1+1;'quoted'\r\n '=1;2,5";
        let table = Table::read(file.as_bytes(), 100).unwrap();
        assert_eq!((table.headers, table.has_semicolons), (vec!["=a".to_owned(), "b".to_owned()], true));
        let rows: Vec<(u32, Vec<&str>)> =
            table.rows.iter().map(|row| (row.number, row.cells().collect())).collect();
        // A space before it keeps an apostrophe: an export writes none there.
        assert_eq!(rows, [(3, vec!["=1+1", "'quoted'"]), (4, vec!["'=1", "2,5"])]);
        assert!(!Table::read(b"a,b\n1,2", 100).unwrap().has_semicolons);
    }

    #[test]
    fn the_header_is_below_a_first_line_that_states_the_delimiter() {
        let table = Table::read("\u{feff}sep=;\r\na;b\r\n1,5;2\r\n".as_bytes(), 1).unwrap();
        assert_eq!((table.headers, table.has_semicolons), (vec!["a".to_owned(), "b".to_owned()], true));
        assert_eq!((table.rows[0].number, table.rows[0].cell(Some(0))), (3, "1,5"));
        assert!(Table::read(b"sep=;\n", 1).unwrap_err().message.contains("The file is empty"));
    }

    #[test]
    fn a_text_formula_is_its_text_unless_an_export_guarded_it() {
        let exported = crate::csv_file::file(&["a"], [vec!["=\"0015\"".to_owned()]].into_iter());
        let table = Table::read(exported.as_bytes(), 1).unwrap();
        assert_eq!(table.rows[0].cell(Some(0)), "=\"0015\"");
        let table = Table::read(b"a\n=\"0015\"", 1).unwrap();
        assert_eq!(table.rows[0].cell(Some(0)), "0015");
    }

    #[test]
    fn a_file_that_is_no_table_is_refused_with_what_to_do() {
        for (bytes, sentence) in [
            (&b""[..], "The file is empty"),
            (b" , ,\n1,2,3", "The file is empty"),
            (b"\na,b\n1,2", "The file is empty"),
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
        assert_eq!((table.headers.len(), table.rows[0].cells().count()), (MAX_COLUMNS, MAX_COLUMNS));
        let long = format!("a\n{}", "1\n".repeat(101));
        assert!(Table::read(long.as_bytes(), 100).unwrap_err().message.contains("101 rows"));
        assert!(Table::read(long.as_bytes(), 101).is_ok());
        let many = format!("a\n{}", "1\n".repeat(PIECE_BYTES));
        assert!(Table::read(many.as_bytes(), 100).unwrap_err().message.contains("65536 rows"));
        // A price list may have no row as long as this.
        let notes = format!("a,b\n1,\"{}\"\n", "x".repeat(2 * PIECE_BYTES));
        assert_eq!(Table::read(notes.as_bytes(), 1).unwrap().rows[0].cell(Some(1)).len(), 2 * PIECE_BYTES);
    }
}
