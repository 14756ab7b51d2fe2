//! The classes of the model, and the photographs of each.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use partsight_catalog::Catalog;
use partsight_domain::PartLabel;
use partsight_inference::labels_of;

use super::ImportError;
use crate::photos_in_folder;

/// The folder of photographs that show none of the types.
pub(super) const NOT_A_PART: &str = "not-a-part";

/// Photographs in a folder for each label.
#[derive(Debug)]
pub(super) struct LabelledPhotos {
    pub(super) folder: PathBuf,
    /// The photographs of each folder; a folder without any is there with none.
    pub(super) by_label: BTreeMap<String, Vec<PathBuf>>,
}

impl LabelledPhotos {
    /// Looks into `folder/<label>/`, and their subfolders.
    ///
    /// # Errors
    /// [`ImportError::Read`] also for a subfolder that cannot be read: nobody can tell how many photographs are in it,
    /// and without them the model would be fitted on others than were named.
    pub(super) fn find(folder: &Path) -> Result<Self, ImportError> {
        let read = |source| ImportError::Read { path: folder.to_owned(), source };
        let mut by_label = BTreeMap::new();
        for entry in fs::read_dir(folder).map_err(read)? {
            let entry = entry.map_err(read)?;
            let name = entry.file_name().to_string_lossy().into_owned();
            if entry.path().is_dir() && !name.starts_with('.') {
                let found = photos_in_folder(&entry.path());
                if let Some((path, reason)) = found.problems.into_iter().next() {
                    return Err(ImportError::Read { path, source: io::Error::other(reason) });
                }
                by_label.insert(name, found.photos);
            }
        }
        if by_label.values().all(Vec::is_empty) {
            return Err(ImportError::NoLabelledPhotos(folder.to_owned()));
        }
        Ok(Self { folder: folder.to_owned(), by_label })
    }

    /// The folders that are named by a label; all but `not-a-part`.
    fn labels(&self) -> impl Iterator<Item = &String> {
        self.by_label.keys().filter(|name| *name != NOT_A_PART)
    }

    /// Each folder with its photographs.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&str, &[PathBuf])> {
        self.by_label.iter().map(|(label, photos)| (label.as_str(), photos.as_slice()))
    }

    /// The folders that none of `labels` names, all but `not-a-part`, with how many photographs are in each.
    pub(super) fn others(&self, labels: &[String]) -> Vec<(String, usize)> {
        let others = self.labels().filter(|name| !labels.contains(name));
        others.map(|name| (name.clone(), self.of(name).len())).filter(|(_, n_photos)| *n_photos > 0).collect()
    }

    pub(super) fn of(&self, label: &str) -> &[PathBuf] {
        self.by_label.get(label).map_or(&[], Vec::as_slice)
    }
}

/// The classes: those of the file, else the folders of photographs, else the whole catalogue.
pub(super) fn choose(
    file: Option<&Path>,
    photos: Option<&LabelledPhotos>,
    catalog: &Catalog,
) -> Result<Vec<String>, ImportError> {
    let labels: Vec<String> = match (file, photos) {
        (Some(path), _) => {
            let text = fs::read_to_string(path)
                .map_err(|source| ImportError::Read { path: path.to_owned(), source })?;
            labels_of(&path.display().to_string(), &text)?
        }
        (None, Some(photos)) => {
            let labels: Vec<String> = photos.labels().cloned().collect();
            let unknown = not_in_catalog(&labels, catalog);
            if !unknown.is_empty() {
                return Err(ImportError::UnknownLabels { folder: photos.folder.clone(), labels: unknown });
            }
            labels
        }
        (None, None) => catalog.iter().map(|part_type| part_type.label.to_string()).collect(),
    };
    if let Some(photos) = photos {
        let empty: Vec<String> = labels.iter().filter(|label| photos.of(label).is_empty()).cloned().collect();
        if !empty.is_empty() {
            return Err(ImportError::EmptyClasses { folder: photos.folder.clone(), labels: empty });
        }
    }
    match labels.as_slice() {
        [] => Err(ImportError::NoClasses),
        [label] => Err(ImportError::OneClass(label.clone())),
        _ => Ok(labels),
    }
}

/// Checks that at least one calibration photograph is of a class.
pub(super) fn check_calibration(photos: &LabelledPhotos, labels: &[String]) -> Result<(), ImportError> {
    if labels.iter().any(|label| !photos.of(label).is_empty()) {
        return Ok(());
    }
    Err(ImportError::NothingToCalibrateOn(photos.folder.clone()))
}

/// Those labels that the catalogue does not describe.
pub(super) fn not_in_catalog(labels: &[String], catalog: &Catalog) -> Vec<String> {
    let is_unknown =
        |label: &&String| PartLabel::new(label).map_or(true, |label| catalog.get(&label).is_none());
    labels.iter().filter(is_unknown).cloned().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(target_os = "linux")]
    #[test]
    fn a_folder_that_cannot_be_read_is_not_taken_for_an_empty_one() {
        let outside = tempfile::tempdir().unwrap();
        let photos = outside.path().join("photos");
        for label in ["rim", "piston"] {
            fs::create_dir_all(photos.join(label)).unwrap();
            fs::write(photos.join(label).join("a.jpg"), "x").unwrap();
        }
        let n_photos = |found: &LabelledPhotos| (found.of("rim").len(), found.of("piston").len());
        assert_eq!(n_photos(&LabelledPhotos::find(&photos).unwrap()), (1, 1));

        // A path of more than 4,096 bytes cannot be opened, not even by root.
        let half: PathBuf = std::iter::repeat_n("d".repeat(250), 9).collect();
        let (upper, lower) = (photos.join("rim").join(&half), outside.path().join("lower"));
        fs::create_dir_all(&upper).unwrap();
        fs::create_dir_all(lower.join(&half)).unwrap();
        fs::rename(&lower, upper.join("lower")).unwrap();
        let error = LabelledPhotos::find(&photos).unwrap_err();
        assert!(
            matches!(&error, ImportError::Read { path, .. } if path.starts_with(photos.join("rim"))),
            "{error:?}"
        );
    }
}
