//! CSV: [`reader`] parses uploaded files, [`table`] whole files with a header, and downloads are written here so that
//! a spreadsheet runs no formula that people typed.

pub(crate) mod reader;
pub(crate) mod table;

use std::borrow::Cow;

use partsight_domain::{FORMULA_STARTS, is_formula};

/// A table as a CSV file: with a byte order mark, for spreadsheets, and guarded against formulas.
pub(crate) fn file(columns: &[&str], rows: impl Iterator<Item = Vec<String>>) -> String {
    let mut file = String::from('\u{feff}');
    // Column names are ours and begin no formula.
    push_row(&mut file, columns.iter().map(|column| (*column).to_owned()));
    for row in rows {
        push_row(&mut file, row.into_iter().map(guarded));
    }
    file
}

fn push_row(file: &mut String, cells: impl Iterator<Item = String>) {
    for (at, cell) in cells.enumerate() {
        if at > 0 {
            file.push(',');
        }
        // Also quoted for spreadsheets that separate cells by semicolons or tabs, and where blanks would be trimmed.
        if cell.contains(['"', ',', '\r', '\n', ';', '\t']) || cell.trim() != cell {
            file.push('"');
            file.push_str(&cell.replace('"', "\"\""));
            file.push('"');
        } else {
            file.push_str(&cell);
        }
    }
    file.push_str("\r\n");
}

/// `text` with an apostrophe before whatever a spreadsheet would run as a formula.
///
/// A formula can begin the cell, or follow a semicolon, a tab or a line break in it: where semicolons separate cells,
/// as in most of Europe, quotation marks around a cell with commas have no meaning. Existing apostrophes get another
/// one, so that an import removes exactly one.
pub fn guarded(text: String) -> String {
    if !text.contains(FORMULA_STARTS) {
        return text;
    }
    let mut guarded = String::with_capacity(text.len() + 1);
    for piece in pieces(&text) {
        if is_formula(piece) {
            guarded.push('\'');
        }
        guarded.push_str(piece);
    }
    guarded
}

/// Removes the apostrophes that [`guarded`] adds.
pub fn without_guard(text: &str) -> Cow<'_, str> {
    if !text.contains('\'') {
        return Cow::Borrowed(text);
    }
    let without = |piece| match str::strip_prefix(piece, '\'') {
        Some(rest) if is_formula(rest) => rest,
        _ => piece,
    };
    Cow::Owned(pieces(text).map(without).collect())
}

/// `text` in pieces that a spreadsheet could take for cells, each with its delimiter.
fn pieces(text: &str) -> impl Iterator<Item = &str> {
    text.split_inclusive([';', '\t', '\n', '\r'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formulas_are_guarded_and_the_guard_comes_off_again() {
        for (text, written) in [
            ("=HYPERLINK(\"http://x\")", "'=HYPERLINK(\"http://x\")"),
            ("+1", "'+1"),
            ("-1", "'-1"),
            ("-", "-"),
            ("'-", "'-"),
            ("@SUM", "'@SUM"),
            ("\t=1", "'\t'=1"),
            ("'=1", "''=1"),
            ("＝1", "'＝1"),
            ("＋1", "'＋1"),
            ("－1", "'－1"),
            ("＠SUM", "'＠SUM"),
            ("\u{200b}=1", "'\u{200b}=1"),
            ("'\u{feff}'＝1", "''\u{feff}'＝1"),
            ("a;\u{feff}=1", "a;'\u{feff}=1"),
            ("5W－30\u{200b}", "5W－30\u{200b}"),
            ("5W-30", "5W-30"),
            ("'91 Civic", "'91 Civic"),
            ("", ""),
            ("'", "'"),
            ("a;=1", "a;'=1"),
            ("a\n=1;'@x", "a\n'=1;''@x"),
            ("a\t-1", "a\t'-1"),
            ("one; two - three", "one; two - three"),
            (";'a", ";'a"),
        ] {
            assert_eq!(guarded(text.to_owned()), written);
            assert_eq!(without_guard(written), text);
        }
    }

    #[test]
    fn cells_are_quoted_where_they_must_be() {
        let text = file(&["a", "b"], [vec!["x,\"y\"".to_owned(), "one\ntwo".to_owned()]].into_iter());
        assert_eq!(text, "\u{feff}a,b\r\n\"x,\"\"y\"\"\",\"one\ntwo\"\r\n");
    }
}
