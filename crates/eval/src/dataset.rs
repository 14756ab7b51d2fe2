//! A data set: photographs with their labels.

mod corrections;
mod folder;
mod list;

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use partsight_app::{PhotoDecoder, guarded, path_text, photos_in_folder};
use partsight_domain::PartLabel;
use rayon::iter::{IntoParallelRefIterator, ParallelIterator};

use crate::sha256::sha256_hex;
use crate::{Error, Failure, LabelMap, PhotoFacts, Result, counted};

pub(crate) use list::csv_rows;

/// The label of photographs that show no part.
pub const NOT_A_PART: &str = "not-a-part";

/// Photographs with their labels.
#[derive(Debug, Clone)]
pub struct Dataset {
    /// The folder or CSV file, as it was given.
    pub(crate) source: PathBuf,
    /// Shown paths are relative to this folder.
    pub(crate) root: PathBuf,
    /// The labels that occur, each once.
    pub(crate) labels: Vec<String>,
    /// The photographs, in the order of the folders or of the rows of the list.
    pub(crate) samples: Vec<Sample>,
    /// Names of the other columns of the list.
    pub(crate) column_names: Vec<String>,
    /// Facts of each photograph, by sample; empty before [`Dataset::examine`].
    pub(crate) facts: Vec<Option<PhotoFacts>>,
    /// Folders that could not be read.
    pub(crate) failures: Vec<Failure>,
    /// Notices for the user, one sentence each.
    pub(crate) notices: Vec<String>,
}

/// One photograph.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sample {
    /// Its path.
    pub path: PathBuf,
    /// Its label, as an index into [`Dataset::labels`].
    pub label: usize,
    /// The line of the CSV file that names it, from 1; `None` for a photograph in a folder.
    pub line: Option<u64>,
    /// Values of the other columns, in their order.
    pub columns: Vec<String>,
}

impl Dataset {
    /// Reads a folder with a subfolder for each label, or a CSV file with the columns `path` and `label`. Paths in the
    /// file are relative to the file.
    ///
    /// The folder of a label is searched recursively; hidden files are left out.
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

    /// Reads all photographs of a folder and its subfolders. They are unlabelled: the label [`NOT_A_PART`] is a
    /// placeholder.
    ///
    /// # Errors
    /// [`Error::NoPhotosAtAll`].
    pub fn unlabelled(folder: &Path) -> Result<Self> {
        let found = photos_in_folder(folder);
        if found.photos.is_empty() {
            return Err(Error::NoPhotosAtAll { path: folder.to_owned() });
        }
        let sample = |path| Sample { path, label: 0, line: None, columns: Vec::new() };
        Ok(Self {
            source: folder.to_owned(),
            root: folder.to_owned(),
            labels: vec![NOT_A_PART.to_owned()],
            samples: found.photos.into_iter().map(sample).collect(),
            column_names: Vec::new(),
            facts: Vec::new(),
            failures: found.problems.into_iter().map(|(path, reason)| Failure { path, reason }).collect(),
            notices: Vec::new(),
        })
    }

    /// Renames the labels by a map, and leaves out the photographs whose label the map leaves out.
    ///
    /// # Errors
    /// [`Error::AllLeftOut`].
    pub fn rename(&mut self, map: &LabelMap) -> Result<()> {
        // A notice, not an error: a map may be written for more than one data set.
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
            self.notices.push(format!("the label map leaves out {}", counted(n_left_out, "photograph")));
        }
        self.labels = names.labels;
        Ok(())
    }

    /// Renames labels that differ from a label of the model only in spelling: `Brake Caliper` to `brake-caliper`.
    ///
    /// # Errors
    /// Never fails, because no photograph is left out.
    pub fn adopt_labels(&mut self, known: &[PartLabel]) -> Result<()> {
        let map = LabelMap::spelling(&self.labels, known);
        self.rename(&map)
    }

    /// Adds a notice if the folder of a list, or a subfolder, has photographs that the list does not name.
    pub(crate) fn note_unlisted(&mut self, list: &Path) {
        if list.is_dir() {
            return;
        }
        let named: HashSet<&Path> = self.samples.iter().map(|sample| sample.path.as_path()).collect();
        let mut found = photos_in_folder(&self.root).photos;
        found.retain(|photo| !named.contains(photo.as_path()));
        if let Some(first) = found.iter().min() {
            self.notices.push(format!(
                "the list does not name {}, such as `{}`",
                counted(found.len(), "photograph"),
                self.shown(first)
            ));
        }
    }

    /// Sets the name of the source that reports show.
    pub fn call(&mut self, name: &str) {
        self.source = name.into();
    }

    /// Computes the facts of each photograph that need no model, on `jobs` threads; `advance` is called after each.
    /// Rename labels before, because renaming may leave photographs out.
    ///
    /// Decodes each photograph once more than the model does. An unreadable photograph has no facts.
    ///
    /// # Errors
    /// [`Error::Threads`].
    pub fn examine(&mut self, decoder: &PhotoDecoder, jobs: usize, advance: impl Fn() + Sync) -> Result<()> {
        self.examine_while(decoder, jobs, || true, advance)
    }

    /// Like [`Dataset::examine`], but calls `may_begin` before each photograph. It may block; after it returned false,
    /// the remaining photographs get no facts.
    ///
    /// # Errors
    /// [`Error::Threads`].
    pub fn examine_while(
        &mut self,
        decoder: &PhotoDecoder,
        jobs: usize,
        may_begin: impl Fn() -> bool + Sync,
        advance: impl Fn() + Sync,
    ) -> Result<()> {
        let pool =
            rayon::ThreadPoolBuilder::new().num_threads(jobs.max(1)).build().map_err(Error::Threads)?;
        let read = |sample: &Sample| {
            if !may_begin() {
                return None;
            }
            let facts = PhotoFacts::read(&sample.path, decoder);
            advance();
            facts
        };
        // In the order of the samples, because facts are looked up by sample index.
        self.facts = pool.install(|| self.samples.par_iter().map(read).collect());
        Ok(())
    }

    /// Facts of a photograph from [`Dataset::examine`].
    pub fn facts(&self, sample: usize) -> Option<&PhotoFacts> {
        self.facts.get(sample)?.as_ref()
    }

    /// SHA-256 over the sorted hashes and labels of all photographs, so that it does not depend on paths; `None` if a
    /// photograph has no hash.
    pub(crate) fn sha256(&self) -> Option<String> {
        let line = |(index, sample): (usize, &Sample)| {
            // Includes the label: other labels make another data set.
            Some(format!("{} {}\n", self.facts(index)?.sha256, self.labels[sample.label]))
        };
        let mut lines = self.samples.iter().enumerate().map(line).collect::<Option<Vec<_>>>()?;
        // Sorted, so that the hash does not depend on the order of the file system.
        lines.sort();
        Some(sha256_hex(lines.concat().as_bytes()))
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

    /// Notices from reading, one sentence each.
    pub fn notices(&self) -> &[String] {
        &self.notices
    }

    /// A path as shown to users, by [`path_text`]: relative to the evaluated folder if it is inside.
    pub fn shown(&self, path: &Path) -> String {
        shown_from(&self.root, path)
    }
}

fn shown_from(root: &Path, path: &Path) -> String {
    path_text(path.strip_prefix(root).unwrap_or(path)).into_owned()
}

/// A text or number as a CSV field: text is guarded against formulas by [`guarded`], which [`without_guard`] undoes.
pub(crate) fn without_formula(field: String) -> String {
    if field.parse::<f64>().is_ok() { field } else { guarded(field) }
}

/// Assigns an index to each label.
#[derive(Debug, Default)]
struct Names {
    labels: Vec<String>,
    indices: HashMap<String, usize>,
}

impl Names {
    /// Labels that have an index already.
    fn with(labels: Vec<String>) -> Self {
        let indices = labels.iter().cloned().enumerate().map(|(index, label)| (label, index)).collect();
        Self { labels, indices }
    }

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

#[cfg(test)]
mod tests {
    use super::*;

    pub(super) fn dataset(paths: &[(&str, usize)]) -> Dataset {
        Dataset {
            source: "set".into(),
            root: "set".into(),
            labels: vec!["rim".to_owned(), "piston".to_owned()],
            samples: paths
                .iter()
                .map(|&(path, label)| Sample {
                    path: Path::new("set").join(path),
                    label,
                    line: None,
                    columns: Vec::new(),
                })
                .collect(),
            column_names: Vec::new(),
            facts: Vec::new(),
            failures: Vec::new(),
            notices: Vec::new(),
        }
    }

    #[cfg(unix)]
    #[test]
    fn names_that_are_not_utf8_are_told_apart_in_folders_lists_and_corrections() {
        use std::ffi::OsStr;
        use std::os::unix::ffi::OsStrExt as _;

        let folder = tempfile::tempdir().unwrap();
        // The last has the characters by which the byte of the second is written.
        let names = [&b"\xfe"[..], b"\xff", br"\xff"];
        let set = |label: &str| {
            let samples = names.map(|name| Sample {
                path: Path::new("set").join(OsStr::from_bytes(name)),
                label: 0,
                line: None,
                columns: Vec::new(),
            });
            Dataset { labels: vec![label.to_owned()], samples: samples.to_vec(), ..dataset(&[]) }
        };
        let shown: Vec<String> =
            set("rim").samples.iter().map(|sample| set("rim").shown(&sample.path)).collect();
        assert_eq!(shown, [r"\xfe", r"\xff", r"\x5cxff"]);

        let list = folder.path().join("list.csv");
        std::fs::write(&list, format!("path,label\n{},a\n{},b\n{},c\n", shown[0], shown[1], shown[2]))
            .unwrap();
        let listed = list::read(&list).unwrap();
        let found: Vec<_> = listed.samples.iter().map(|sample| sample.path.clone()).collect();
        assert_eq!(found, names.map(|name| folder.path().join(OsStr::from_bytes(name))));
        let mut corrected = set("rim");
        corrected.relabel(&list).unwrap();
        let labels = corrected.samples.iter().map(|sample| corrected.labels[sample.label].as_str());
        assert_eq!(labels.collect::<Vec<_>>(), ["a", "b", "c"]);

        // Folders with such names are labels of their own, where the file system takes the names.
        #[cfg(target_os = "linux")]
        {
            for name in names {
                let label = folder.path().join("set").join(OsStr::from_bytes(name));
                std::fs::create_dir_all(&label).unwrap();
                std::fs::write(label.join("a.jpg"), b"x").unwrap();
            }
            let mut labels = folder::read(&folder.path().join("set")).unwrap().labels;
            labels.sort();
            assert_eq!(labels, [r"\x5cxff", r"\xfe", r"\xff"]);
        }
    }

    #[test]
    fn photographs_that_the_list_does_not_name_are_noted() {
        let folder = tempfile::tempdir().unwrap();
        let list = folder.path().join("list.csv");
        std::fs::create_dir(folder.path().join("p")).unwrap();
        for name in ["p/0.jpg", "p/1.jpg", "p/2.jpg", "p/3.jpg"] {
            std::fs::write(folder.path().join(name), "x").unwrap();
        }
        std::fs::write(&list, "path,label\np/2.jpg,rim\n./p/3.jpg,rim\np/4.jpg,rim\n").unwrap();
        let mut set = Dataset::open(&list).unwrap();
        set.note_unlisted(&list);
        assert_eq!(set.notices, ["the list does not name 2 photographs, such as `p/0.jpg`"]);
        let mut folders = Dataset::open(folder.path()).unwrap();
        folders.note_unlisted(folder.path());
        assert!(folders.notices.iter().all(|notice| !notice.contains("the list")), "{:?}", folders.notices);
    }
}
