//! Which photographs there are and what each of them shows.

mod folder;
mod list;

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use crate::{Error, Failure, LabelMap, Result};

pub(crate) use list::csv_rows;

/// The label of photographs that show no part.
pub const NOT_A_PART: &str = "not-a-part";

/// Photographs with their labels.
#[derive(Debug, Clone)]
pub struct Dataset {
    /// The folder or CSV file, as it was given.
    pub(crate) source: PathBuf,
    /// The folder that paths are shown relative to.
    pub(crate) root: PathBuf,
    /// The labels that occur, each once.
    pub(crate) labels: Vec<String>,
    /// The photographs, in the order in which they were found.
    pub(crate) samples: Vec<Sample>,
    /// Places that could not be looked into.
    pub(crate) failures: Vec<Failure>,
    /// What the user should know of, each one sentence.
    pub(crate) notices: Vec<String>,
}

/// One photograph.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sample {
    /// Where it lies.
    pub path: PathBuf,
    /// Its label, as an index into [`Dataset::labels`].
    pub label: usize,
    /// The line of the CSV file that names it.
    pub line: Option<u64>,
}

impl Dataset {
    /// Reads a folder with a folder for each label, or a CSV file with the columns `path` and `label`, whose
    /// paths are relative to the file.
    ///
    /// Folders of labels are searched with their subfolders; hidden files are left out.
    ///
    /// # Errors
    /// [`Error::NoSuchDataset`], [`Error::ReadDataset`], [`Error::NoPhotos`], [`Error::EmptyList`],
    /// [`Error::CsvLine`].
    pub fn open(source: &Path) -> Result<Self> {
        if source.is_dir() {
            folder::read(source)
        } else if source.is_file() {
            list::read(source)
        } else {
            Err(Error::NoSuchDataset { path: source.to_owned() })
        }
    }

    /// Renames the labels, and leaves out the photographs whose label means nothing.
    ///
    /// # Errors
    /// [`Error::AllLeftOut`].
    pub fn rename(&mut self, map: &LabelMap) -> Result<()> {
        let unused = map.unused(&self.labels);
        if !unused.is_empty() {
            self.notices.push(format!(
                "the label map names {}, which no photograph has",
                unused.iter().map(|label| format!("`{label}`")).collect::<Vec<_>>().join(", ")
            ));
        }
        let mut names = Names::default();
        let renamed: Vec<_> =
            self.labels.iter().map(|label| map.translate(label).map(|name| names.index(name))).collect();
        let before = self.samples.len();
        self.samples.retain_mut(|sample| match renamed[sample.label] {
            Some(label) => {
                sample.label = label;
                true
            }
            None => false,
        });
        if self.samples.is_empty() {
            return Err(Error::AllLeftOut { path: self.source.clone() });
        }
        if self.samples.len() < before {
            let n_left_out = before - self.samples.len();
            self.notices.push(format!("the label map leaves out {n_left_out} photographs"));
        }
        self.labels = names.labels;
        Ok(())
    }

    /// The folder or CSV file, as it was given.
    pub fn source(&self) -> &Path {
        &self.source
    }

    /// The labels that occur, each once.
    pub fn labels(&self) -> &[String] {
        &self.labels
    }

    /// The photographs.
    pub fn samples(&self) -> &[Sample] {
        &self.samples
    }

    /// What was noticed while reading, each one sentence.
    pub fn notices(&self) -> &[String] {
        &self.notices
    }

    /// A path as it is shown: relative to the evaluated folder where it lies inside.
    pub fn shown(&self, path: &Path) -> String {
        path.strip_prefix(&self.root).unwrap_or(path).to_string_lossy().into_owned()
    }
}

/// Gives each label one index.
#[derive(Debug, Default)]
struct Names {
    labels: Vec<String>,
    indices: HashMap<String, usize>,
}

impl Names {
    fn index(&mut self, name: &str) -> usize {
        if let Some(&index) = self.indices.get(name) {
            return index;
        }
        let index = self.labels.len();
        self.labels.push(name.to_owned());
        self.indices.insert(name.to_owned(), index);
        index
    }
}
