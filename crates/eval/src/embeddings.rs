//! Embeddings of a sample of the photographs, saved beside a report to compare later photographs with.
//!
//! The file is an array of numpy (`.npy`, version 1.0: <https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html>),
//! which other programs open as well. At most 1,000 rows are kept, because the comparison takes memory and time by the
//! square of their number; they are spread evenly over the photographs, so that no label is left out for its name.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use partsight_app::Identifier;

use crate::{Dataset, Error, Failure, Result};

/// Maximum number of embeddings.
pub const MAX_EMBEDDINGS: usize = 1000;
/// File name, beside `report.json`.
pub(crate) const FILE: &str = "embeddings.npy";

/// Magic bytes and version 1.0 of the format.
const MAGIC: &[u8] = b"\x93NUMPY\x01\x00";
/// The data start at a multiple of this many bytes.
const ALIGNMENT: usize = 64;

/// Embeddings of some photographs.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Embeddings {
    /// The photographs, as indices into the samples of the data set, `[n]`.
    pub samples: Vec<usize>,
    /// f32 `[n, d]`, as the model gives them, second look included.
    pub rows: Vec<Vec<f32>>,
    /// Files that could not be read.
    pub failures: Vec<Failure>,
}

impl Embeddings {
    /// Computes the embeddings of at most [`MAX_EMBEDDINGS`] photographs, spread evenly over the data set, on `jobs`
    /// threads; `advance` is called after each.
    ///
    /// # Errors
    /// [`Error::App`] when the threads cannot be started.
    pub fn of(
        identifier: &Identifier,
        dataset: &Dataset,
        jobs: usize,
        advance: impl FnMut(),
    ) -> Result<Self> {
        let chosen = spread(dataset.samples().len(), MAX_EMBEDDINGS);
        Self::of_samples(identifier, dataset, &chosen, jobs, advance)
    }

    /// As [`Embeddings::of`], of the samples that are named.
    pub(crate) fn of_samples(
        identifier: &Identifier,
        dataset: &Dataset,
        chosen: &[usize],
        jobs: usize,
        mut advance: impl FnMut(),
    ) -> Result<Self> {
        let paths: Vec<PathBuf> =
            chosen.iter().map(|&sample| dataset.samples()[sample].path.clone()).collect();
        let mut order = chosen.iter();
        let mut embeddings = Self::default();
        identifier.embed_files(&paths, jobs, |scan| {
            // Results come in the order of the paths.
            let Some(&sample) = order.next() else { return false };
            match scan.outcome {
                Ok(embedding) => {
                    embeddings.samples.push(sample);
                    embeddings.rows.push(embedding);
                }
                Err(error) => {
                    let line = dataset.samples()[sample].line;
                    embeddings.failures.push(crate::run::failure(scan.path, &error, line));
                }
            }
            advance();
            true
        })?;
        Ok(embeddings)
    }

    /// Number of embeddings for `n_photos` photographs.
    pub fn count_of(n_photos: usize) -> usize {
        n_photos.min(MAX_EMBEDDINGS)
    }

    /// The embeddings beside a `report.json`, f32 `[n, d]`; `None` if the report has none.
    ///
    /// # Errors
    /// [`Error::ReadBaseline`], [`Error::ParseEmbeddings`].
    pub fn beside(report: &Path) -> Result<Option<Vec<Vec<f32>>>> {
        let path = report.with_file_name(FILE);
        match fs::read(&path) {
            Ok(bytes) => rows_of(&bytes).map(Some).ok_or(Error::ParseEmbeddings { path }),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(source) => Err(Error::ReadBaseline { path, source }),
        }
    }

    /// The file as bytes.
    pub(crate) fn file(&self) -> Vec<u8> {
        let width = self.rows.first().map_or(0, Vec::len);
        let header =
            format!("{{'descr': '<f4', 'fortran_order': False, 'shape': ({}, {width}), }}", self.rows.len());
        // Spaces and a line feed pad the header up to the start of the data.
        let begin = (MAGIC.len() + 2 + header.len() + 1).next_multiple_of(ALIGNMENT);
        let length = begin - MAGIC.len() - 2;
        let mut file = MAGIC.to_vec();
        file.extend((length as u16).to_le_bytes());
        file.extend(header.bytes());
        file.resize(begin - 1, b' ');
        file.push(b'\n');
        file.extend(self.rows.iter().flatten().flat_map(|value| value.to_le_bytes()));
        file
    }
}

/// At most `most` of `n` indices, evenly spread.
pub(crate) fn spread(n: usize, most: usize) -> Vec<usize> {
    let n_chosen = n.min(most);
    (0..n_chosen).map(|index| index * n / n_chosen).collect()
}

/// Parses a two-dimensional f32 array `[n, d]` as written by this program or `numpy.save`; `None` for anything else.
fn rows_of(file: &[u8]) -> Option<Vec<Vec<f32>>> {
    let (length, rest) = file.strip_prefix(MAGIC)?.split_first_chunk::<2>()?;
    let (header, data) = rest.split_at_checked(u16::from_le_bytes(*length).into())?;
    let header: String = std::str::from_utf8(header).ok()?.split_whitespace().collect();
    if !header.contains("'descr':'<f4'") || !header.contains("'fortran_order':False") {
        return None;
    }
    let (_, shape) = header.split_once("'shape':(")?;
    let (n, width) = shape.split_once(')')?.0.split_once(',')?;
    let (n, width): (usize, usize) = (n.parse().ok()?, width.parse().ok()?);
    // Checks the stated shape against the size of the file before using it.
    let (values, rest) = data.as_chunks::<4>();
    if n == 0 || width == 0 || !rest.is_empty() || n.checked_mul(width)? != values.len() || n > MAX_EMBEDDINGS
    {
        return None;
    }
    let rows = values.chunks_exact(width);
    let rows: Vec<Vec<f32>> =
        rows.map(|row| row.iter().map(|&value| f32::from_le_bytes(value)).collect()).collect();
    rows.iter().flatten().all(|value| value.is_finite()).then_some(rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn embeddings() -> Embeddings {
        let rows = vec![vec![0.6, -0.8, 0.0], vec![1.0, 0.0, 0.25]];
        Embeddings { samples: vec![0, 1], rows, failures: Vec::new() }
    }

    #[test]
    fn a_file_reads_back_as_it_was_written() {
        let file = embeddings().file();
        assert_eq!(rows_of(&file), Some(embeddings().rows));
        assert_eq!(file.len(), 128 + 2 * 3 * 4, "the data begin at a multiple of 64");
        assert_eq!(file[127], b'\n');
    }

    #[test]
    fn the_header_is_that_of_numpy() {
        // What `numpy.save` of NumPy 2.4 writes for an array of this shape, up to the data.
        let header = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }";
        let mut expected = b"\x93NUMPY\x01\x00\x76\x00".to_vec();
        expected.extend(header.bytes());
        expected.resize(127, b' ');
        expected.push(b'\n');
        assert_eq!(embeddings().file()[..128], expected);
    }

    #[test]
    fn anything_else_is_refused() {
        let file = embeddings().file();
        let changed = |from: &str, to: &str| {
            let place = file.windows(from.len()).position(|part| part == from.as_bytes()).unwrap();
            let mut changed = file.clone();
            changed[place..place + from.len()].copy_from_slice(to.as_bytes());
            changed
        };
        let mut not_finite = file.clone();
        not_finite[128..132].copy_from_slice(&f32::NAN.to_le_bytes());
        for (name, file) in [
            ("nothing", Vec::new()),
            ("another file", b"{}".to_vec()),
            ("cut in the header", file[..40].to_vec()),
            ("cut in the data", file[..file.len() - 1].to_vec()),
            ("one value less", file[..file.len() - 4].to_vec()),
            ("64-bit floats", changed("<f4", "<f8")),
            ("columns first", changed("False", "True ")),
            ("another shape", changed("(2, 3)", "(9, 3)")),
            ("no width", changed("(2, 3)", "(2, 0)")),
            ("no rows", changed("(2, 3)", "(0, 3)")),
            ("not a number", not_finite),
        ] {
            assert_eq!(rows_of(&file), None, "{name}");
        }
    }

    #[test]
    fn photographs_are_chosen_evenly_and_no_more_than_are_kept() {
        assert_eq!(spread(0, MAX_EMBEDDINGS), [0; 0]);
        assert_eq!(spread(3, MAX_EMBEDDINGS), [0, 1, 2]);
        let chosen = spread(2500, MAX_EMBEDDINGS);
        assert_eq!((chosen.len(), chosen[1], chosen[999]), (MAX_EMBEDDINGS, 2, 2497));
    }

    #[test]
    fn a_report_without_embeddings_has_none() {
        let folder = tempfile::tempdir().unwrap();
        let report = folder.path().join("report.json");
        assert_eq!(Embeddings::beside(&report).unwrap(), None);
        fs::write(folder.path().join(FILE), embeddings().file()).unwrap();
        assert_eq!(Embeddings::beside(&report).unwrap(), Some(embeddings().rows));
        fs::write(folder.path().join(FILE), "broken").unwrap();
        assert!(matches!(Embeddings::beside(&report), Err(Error::ParseEmbeddings { .. })));
    }
}
