//! Tables for people, on a terminal, in a pager or in a file.
//!
//! Columns are aligned for every destination, as by `docker ps`, because people read pagers and files as well. Lines
//! have no leading or trailing spaces, which a terminal would wrap and a file would keep. Programs use formats such as
//! `--format json`.

use std::fmt;

use comfy_table::{CellAlignment, ContentArrangement, Table, presets};

/// A table without borders.
#[derive(Debug)]
pub(crate) struct TextTable(Table);

impl TextTable {
    /// An empty table with this header, as wide as its cells.
    pub(crate) fn new(head: &[&str]) -> Self {
        let mut table = Table::new();
        table.load_style(presets::NOTHING).set_content_arrangement(ContentArrangement::Disabled);
        table.set_header(head);
        if let Some(first) = table.column_mut(0) {
            first.set_padding((0, 1));
        }
        Self(table)
    }

    /// Wraps cells to the width of the terminal, if standard output is one.
    pub(crate) fn wrapped(mut self) -> Self {
        self.0.set_content_arrangement(ContentArrangement::Dynamic);
        self
    }

    /// Right-aligns these columns, as is usual for numbers.
    pub(crate) fn right(mut self, columns: impl IntoIterator<Item = usize>) -> Self {
        for column in columns {
            if let Some(column) = self.0.column_mut(column) {
                column.set_cell_alignment(CellAlignment::Right);
            }
        }
        self
    }

    pub(crate) fn add_row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.0.add_row(cells);
    }
}

impl fmt::Display for TextTable {
    /// Without a line ending after the last row.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0.trim_fmt())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_aligned_and_no_line_ends_in_spaces() {
        let mut table = TextTable::new(&["part", "photos", "note"]).right([1]);
        table.add_row(["rim", "12", ""].map(str::to_owned));
        table.add_row(["brake rotor", "3", "the longest cell of its column"].map(str::to_owned));
        let text = table.to_string();
        let expected = [
            "part         photos  note",
            "rim              12",
            "brake rotor       3  the longest cell of its column",
        ];
        assert_eq!(text.lines().collect::<Vec<_>>(), expected);
    }
}
