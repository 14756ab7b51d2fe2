use std::collections::HashMap;
use std::fs::File;
use std::io::{BufRead as _, BufReader, Read};
use std::path::{Path, PathBuf};

use partsight_app::path_of_text;

use super::{Dataset, Names, Sample};
use crate::{Error, Result};

/// Reads a CSV file of labels and of paths as [`Dataset::shown`] writes them.
pub(super) fn read(source: &Path) -> Result<Dataset> {
    let file =
        File::open(source).map_err(|error| Error::ReadDataset { path: source.to_owned(), source: error })?;
    let root = source.parent().unwrap_or(Path::new("")).to_owned();
    let (column_names, mut others) = other_columns(source)?;
    let mut names = Names::default();
    let mut samples = Vec::new();
    let mut lines: HashMap<PathBuf, u64> = HashMap::new();
    for row in csv_rows(source, file, ["path", "label"]) {
        let (line, [path, label]) = row?;
        let bad = |reason| Error::CsvLine { path: source.to_owned(), line, reason };
        for (column, field) in [("path", path.trim()), ("label", label.trim())] {
            if field.is_empty() {
                return Err(bad(format!("the column `{column}` is empty")));
            }
        }
        // A file name may begin or end with a blank; mostly one stands there for readability.
        let is_padded = path.trim() != path && !root.join(path_of_text(&path)).exists();
        let path = root.join(path_of_text(if is_padded { path.trim() } else { &path }));
        // The two lines may have different labels, and counting the photograph twice would make all intervals too
        // narrow.
        if let Some(first) = lines.insert(path.clone(), line) {
            return Err(bad(format!("this photograph is on line {first} already")));
        }
        // A second reader of the same file, in step with the first: both skip the same lines.
        let columns = others.next().unwrap_or_default();
        samples.push(Sample { path, label: names.index(label.trim()), line: Some(line), columns });
    }
    if samples.is_empty() {
        return Err(Error::EmptyList { path: source.to_owned() });
    }
    Ok(Dataset {
        source: source.to_owned(),
        root,
        labels: names.labels,
        samples,
        column_names,
        facts: Vec::new(),
        failures: Vec::new(),
        notices: Vec::new(),
    })
}

/// The names of the other columns of a list, and their values in each row. Reading stops at a malformed row;
/// [`csv_rows`] reports the error.
fn other_columns(source: &Path) -> Result<(Vec<String>, impl Iterator<Item = Vec<String>> + use<>)> {
    let failed = |error| Error::ReadDataset { path: source.to_owned(), source: error };
    let file = File::open(source).map_err(failed)?;
    let mut reader = csv_reader(file);
    let is_other = |name: &str| !["path", "label", ""].contains(&name.trim_start_matches('\u{feff}'));
    let header = reader.headers().cloned().unwrap_or_default();
    let places: Vec<usize> =
        header.iter().enumerate().filter(|(_, name)| is_other(name)).map(|(place, _)| place).collect();
    let names = places.iter().map(|&place| header[place].to_owned()).collect();
    let rows = reader.into_records().map_while(std::result::Result::ok).map(move |row| {
        places.iter().map(|&place| row.get(place).unwrap_or_default().trim().to_owned()).collect()
    });
    Ok((names, rows))
}

/// The rows of a CSV file with a header, by comma, semicolon or tab, each with its line and the fields of two columns
/// as they are written. Other columns are ignored.
pub(crate) fn csv_rows(
    path: &Path,
    file: impl Read,
    columns: [&'static str; 2],
) -> impl Iterator<Item = Result<(u64, [String; 2])>> {
    let owned = path.to_owned();
    let bad = move |line, reason| Error::CsvLine { path: owned.clone(), line, reason };
    let mut reader = csv_reader(file);
    let places = reader.headers().map_err(|error| bad(1, csv_reason(&error))).and_then(|header| {
        let place = |column: &str| {
            // Some programs begin a file with a byte-order mark.
            header.iter().position(|name| name.trim_start_matches('\u{feff}') == column).ok_or_else(|| {
                let found: Vec<_> = header.iter().collect();
                bad(1, format!("there is no column `{column}`, only `{}`", found.join("`, `")))
            })
        };
        Ok([place(columns[0])?, place(columns[1])?])
    });
    // An error of the header becomes the first and only item, because the iterator itself cannot fail.
    let (places, failed) = match places {
        Ok(places) => (places, None),
        Err(error) => ([0, 0], Some(error)),
    };
    let mut rows = reader.into_records();
    let mut failed = failed.map(Err);
    let mut is_over = false;
    std::iter::from_fn(move || {
        if let Some(error) = failed.take() {
            is_over = true;
            return Some(error);
        }
        if is_over {
            return None;
        }
        match rows.next()? {
            Ok(row) => {
                let line = row.position().map_or(0, csv::Position::line);
                Some(Ok((line, places.map(|place| row.get(place).unwrap_or_default().to_owned()))))
            }
            Err(error) => {
                is_over = true;
                let line = error.position().map_or(0, csv::Position::line);
                Some(Err(bad(line, csv_reason(&error))))
            }
        }
    })
}

/// Opens a CSV file with the delimiter of its header.
fn csv_reader<R: Read>(file: R) -> csv::Reader<BufReader<R>> {
    let mut input = BufReader::new(file);
    // The header is peeked, not consumed. A read error occurs again with the first row.
    let delimiter = input.fill_buf().map_or(b',', delimiter_of);
    csv::ReaderBuilder::new().trim(csv::Trim::Headers).delimiter(delimiter).from_reader(input)
}

/// The most frequent of comma, semicolon and tab in the first line, outside quotation marks. Spreadsheets write
/// semicolons in locales with a decimal comma.
fn delimiter_of(start: &[u8]) -> u8 {
    let line = start.trim_ascii_start().split(|byte| matches!(byte, b'\r' | b'\n')).next();
    let header = String::from_utf8_lossy(line.unwrap_or_default());
    // Every second piece is inside quotation marks.
    let n_of = |delimiter: u8| -> usize {
        header.split('"').step_by(2).map(|piece| piece.matches(char::from(delimiter)).count()).sum()
    };
    // `max_by_key` returns the last of equal values: the comma if there is only one column.
    [b'\t', b';', b','].into_iter().max_by_key(|delimiter| n_of(*delimiter)).unwrap_or(b',')
}

/// The reason of a CSV error without its position, which the message states already.
fn csv_reason(error: &csv::Error) -> String {
    match error.kind() {
        csv::ErrorKind::UnequalLengths { expected_len, len, .. } => {
            format!("there are {len} fields and the header has {expected_len}")
        }
        csv::ErrorKind::Utf8 { .. } => "the text is not UTF-8: save the file as UTF-8".to_owned(),
        _ => error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_header_says_what_stands_between_columns() {
        for (name, text) in [
            ("comma", "path,label,garage\na.jpg,rim,\"Hof; Nord\"\n"),
            ("semicolon", "\u{feff}path;label;garage\r\na.jpg;rim;Hof, Nord\r\n"),
            ("tab", "path\tlabel\tgarage\na.jpg\trim\tHof, Nord\n"),
            ("quoted", "\"a,b,c,d\";path;label\nHof, Nord;a.jpg;rim\n"),
        ] {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("list.csv");
            std::fs::write(&path, text).unwrap();
            let dataset = read(&path).unwrap();
            let [sample] = dataset.samples.as_slice() else { panic!("{name}: {:?}", dataset.samples) };
            assert_eq!((&sample.path, dataset.labels[0].as_str()), (&folder.path().join("a.jpg"), "rim"));
            assert_eq!(sample.columns[0].replace(';', ","), "Hof, Nord", "{name}");
        }
    }

    #[test]
    fn a_blank_at_the_end_of_a_path_counts_where_a_file_has_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("list.csv");
        for name in [" a.jpg", "b.jpg", "c.jpg "] {
            std::fs::write(folder.path().join(name), "x").unwrap();
        }
        std::fs::write(&path, "label, garage, path\nrim, Hof, a.jpg\n rim , Hof, b.jpg\nrim,Hof ,c.jpg \n")
            .unwrap();
        let dataset = read(&path).unwrap();
        let found: Vec<_> = dataset.samples.iter().map(|sample| sample.path.clone()).collect();
        assert_eq!(found, [" a.jpg", "b.jpg", "c.jpg "].map(|name| folder.path().join(name)));
        assert_eq!(dataset.labels, ["rim"]);
        assert!(dataset.samples.iter().all(|sample| sample.columns == ["Hof"]), "{:?}", dataset.samples);

        let mut corrected = dataset.clone();
        std::fs::write(&path, "path,label\n a.jpg, piston\n b.jpg , piston\n").unwrap();
        corrected.relabel(&path).unwrap();
        let labels = corrected.samples.iter().map(|sample| corrected.labels[sample.label].as_str());
        assert_eq!(labels.collect::<Vec<_>>(), ["piston", "piston", "rim"]);
    }

    #[test]
    fn one_column_is_read_with_commas() {
        assert_eq!((delimiter_of(b"path\na;b;c\n"), delimiter_of(b"")), (b',', b','));
    }
}
