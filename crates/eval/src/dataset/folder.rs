use std::fs;
use std::path::Path;

use partsight_app::{has_photo_extension, path_text, photos_in_folder};

use super::{Dataset, Names, Sample};
use crate::{Error, Failure, Result, counted};

/// Reads `source/<label>/...`.
pub(super) fn read(source: &Path) -> Result<Dataset> {
    let unreadable = |error| Error::ReadDataset { path: source.to_owned(), source: error };
    let (mut folders, mut n_loose) = (Vec::new(), 0);
    for entry in fs::read_dir(source).map_err(unreadable)? {
        let entry = entry.map_err(unreadable)?;
        // Hidden folders belong to programs, such as the thumbnails of a file manager.
        if entry.file_name().as_encoded_bytes().starts_with(b".") {
            continue;
        }
        // A link to a folder counts as a folder, so that a data set can combine others.
        if entry.path().is_dir() {
            folders.push(entry.path());
        } else if has_photo_extension(&entry.path()) {
            n_loose += 1;
        }
    }
    // Sorted, because the order of the file system must not affect the report.
    folders.sort();

    let mut dataset = Dataset {
        source: source.to_owned(),
        root: source.to_owned(),
        labels: Vec::new(),
        samples: Vec::new(),
        column_names: Vec::new(),
        facts: Vec::new(),
        failures: Vec::new(),
        notices: Vec::new(),
    };
    let mut names = Names::default();
    let mut empty = Vec::new();
    for folder in &folders {
        let name = path_text(folder.file_name().unwrap_or_default().as_ref()).into_owned();
        let found = photos_in_folder(folder);
        dataset.failures.extend(found.problems.into_iter().map(|(path, reason)| Failure { path, reason }));
        if found.photos.is_empty() {
            empty.push(name);
            continue;
        }
        let label = names.index(&name);
        dataset.samples.extend(found.photos.into_iter().map(|path| Sample {
            path,
            label,
            line: None,
            columns: Vec::new(),
        }));
    }
    dataset.labels = names.labels;
    if dataset.samples.is_empty() {
        return Err(Error::NoPhotos { path: source.to_owned() });
    }
    if !empty.is_empty() {
        dataset.notices.push(format!(
            "{} without photographs: {}",
            if empty.len() == 1 { "a folder".to_owned() } else { format!("{} folders", empty.len()) },
            empty.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
        ));
    }
    if n_loose > 0 {
        dataset.notices.push(format!(
            "left out {} outside any label's folder: put each into one",
            counted(n_loose, "photograph")
        ));
    }
    Ok(dataset)
}
