//! Reads CSV by column name; errors name the line and the column.

use std::io::Read;

use csv::StringRecord;

use crate::ImportError;
use crate::error::SourceFile;

/// Longest valid name, in characters; EPA's longest has about 50.
const NAME_MAX_CHARS: usize = 120;
/// Length to which an error shortens a wrong value, in characters.
const FOUND_CHARS: usize = 40;

/// A CSV file of which only some columns are read.
pub(super) struct Table<R, const N: usize> {
    reader: csv::Reader<R>,
    columns: [&'static str; N],
    positions: [usize; N],
    file: SourceFile,
}

/// One line of a [`Table`].
pub(super) struct Line<'a, const N: usize> {
    record: &'a StringRecord,
    columns: &'a [&'static str; N],
    positions: &'a [usize; N],
    file: SourceFile,
}

impl<R: Read, const N: usize> Table<R, N> {
    /// Reads the header.
    pub(super) fn new(file: SourceFile, columns: [&'static str; N], reader: R) -> Result<Self, ImportError> {
        let mut reader = csv::Reader::from_reader(reader);
        let headers = reader.headers().map_err(|source| ImportError::Csv { file, source })?;
        let mut positions = [0; N];
        for (position, column) in positions.iter_mut().zip(columns) {
            // The first header may begin with a byte order mark.
            let found =
                headers.iter().position(|header| header.trim_start_matches('\u{feff}').trim() == column);
            *position = found.ok_or(ImportError::MissingColumn { file, column })?;
        }
        Ok(Self { reader, columns, positions, file })
    }

    /// Calls `each` for every line.
    pub(super) fn for_each(
        mut self,
        mut each: impl FnMut(Line<'_, N>) -> Result<(), ImportError>,
    ) -> Result<(), ImportError> {
        let mut record = StringRecord::new();
        loop {
            let more = self.reader.read_record(&mut record);
            if !more.map_err(|source| ImportError::Csv { file: self.file, source })? {
                return Ok(());
            }
            let (columns, positions) = (&self.columns, &self.positions);
            each(Line { record: &record, columns, positions, file: self.file })?;
        }
    }
}

impl<const N: usize> Line<'_, N> {
    /// The text of a column, trimmed; empty if the line is too short. `column` is an index into the columns of the
    /// table.
    pub(super) fn text(&self, column: usize) -> &str {
        self.record.get(self.positions[column]).unwrap_or_default().trim()
    }

    /// The error for an invalid value in a column.
    pub(super) fn wrong(&self, column: usize, expected: &'static str) -> ImportError {
        ImportError::Value {
            file: self.file,
            line: self.record.position().map_or(0, csv::Position::line),
            column: self.columns[column],
            // Escaped, because the message is printed on a terminal and the file is untrusted.
            found: self.text(column).chars().take(FOUND_CHARS).flat_map(char::escape_debug).collect(),
            expected,
        }
    }

    /// A name: at most [`NAME_MAX_CHARS`] characters, at least one letter or digit, no control characters.
    pub(super) fn name(&self, column: usize) -> Result<&str, ImportError> {
        let name = self.text(column);
        let fits = name.chars().count() <= NAME_MAX_CHARS
            && name.chars().any(char::is_alphanumeric)
            && !name.chars().any(char::is_control);
        if fits { Ok(name) } else { Err(self.wrong(column, "a name of at most 120 characters")) }
    }

    /// A model year, 1886 to 2100.
    pub(super) fn year(&self, column: usize) -> Result<u16, ImportError> {
        let year = self.text(column).parse().ok().filter(|year| (1886..=2100).contains(year));
        year.ok_or_else(|| self.wrong(column, "a year from 1886 to 2100"))
    }

    /// Tenths of a litre; `None` for an empty value, `NA` and 0, which electric vehicles have.
    pub(super) fn displacement_tenths(&self, column: usize) -> Result<Option<u16>, ImportError> {
        let expected = "a displacement in litres";
        match self.text(column) {
            "" | "NA" => Ok(None),
            text => match text.parse::<f64>() {
                // The range also excludes NaN and infinity, which parse as numbers.
                Ok(litres) if (0.0..100.0).contains(&litres) => {
                    Ok(Some((litres * 10.0).round() as u16).filter(|tenths| *tenths > 0))
                }
                _ => Err(self.wrong(column, expected)),
            },
        }
    }

    /// The number of cylinders; `None` for an empty value, `NA` and 0.
    pub(super) fn cylinders(&self, column: usize) -> Result<Option<u8>, ImportError> {
        match self.text(column) {
            "" | "NA" => Ok(None),
            text => match text.parse::<f64>() {
                Ok(count) if (0.0..=24.0).contains(&count) && count.fract() == 0.0 => {
                    Ok(Some(count as u8).filter(|count| *count > 0))
                }
                _ => Err(self.wrong(column, "a number of cylinders up to 24")),
            },
        }
    }
}
