//! Which files are photographs to be tried.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use walkdir::{DirEntry, WalkDir};

/// Files in a folder that are taken for photographs. A file that is named itself is always tried.
const PHOTO_EXTENSIONS: [&str; 12] =
    ["jpg", "jpeg", "jfif", "png", "webp", "gif", "bmp", "tif", "tiff", "heic", "heif", "avif"];

/// What a list of paths leads to.
#[derive(Debug, Default)]
pub struct FoundPhotos {
    /// Photographs in the order of the arguments, those of a folder sorted by name.
    pub photos: Vec<PathBuf>,
    /// Paths that lead to none, with the reason.
    pub problems: Vec<(PathBuf, String)>,
}

/// Looks into folders and their subfolders; hidden files and folders inside them are left out.
pub fn find_photos(paths: &[PathBuf]) -> FoundPhotos {
    let mut found = FoundPhotos::default();
    for path in paths {
        if path.is_dir() {
            let before = (found.photos.len(), found.problems.len());
            find_in_folder(path, &mut found);
            if before == (found.photos.len(), found.problems.len()) {
                let reason =
                    format!("there are no photographs in this folder ({})", PHOTO_EXTENSIONS.join(", "));
                found.problems.push((path.clone(), reason));
            }
        } else {
            found.photos.push(path.clone());
        }
    }
    found
}

/// The photographs in one folder and its subfolders; finding none is no problem here.
pub fn photos_in_folder(folder: &Path) -> FoundPhotos {
    let mut found = FoundPhotos::default();
    find_in_folder(folder, &mut found);
    found
}

fn find_in_folder(folder: &Path, found: &mut FoundPhotos) {
    let is_shown =
        |entry: &DirEntry| entry.depth() == 0 || !entry.file_name().as_encoded_bytes().starts_with(b".");
    for entry in WalkDir::new(folder).sort_by_file_name().into_iter().filter_entry(is_shown) {
        match entry {
            Ok(entry) if has_photo_extension(entry.path()) && !entry.path().is_dir() => {
                found.photos.push(entry.into_path());
            }
            Ok(_) => {}
            Err(error) => {
                let path = error.path().unwrap_or(folder).to_owned();
                found.problems.push((path, format!("cannot look into this folder: {error}")));
            }
        }
    }
}

/// Whether a file's name ends like a photograph's.
pub fn has_photo_extension(path: &Path) -> bool {
    path.extension()
        .and_then(OsStr::to_str)
        .is_some_and(|extension| PHOTO_EXTENSIONS.iter().any(|known| known.eq_ignore_ascii_case(extension)))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn folders_are_searched_in_order_and_hidden_files_left_out() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        fs::create_dir_all(root.join("b/.trash")).unwrap();
        for file in ["c.JPG", "a.jpeg", "notes.txt", ".hidden.jpg", "b/z.png", "b/.trash/x.jpg"] {
            fs::write(root.join(file), b"x").unwrap();
        }
        let found = find_photos(&[root.join("notes.txt"), root.to_owned(), root.join("missing.jpg")]);
        let names: Vec<_> =
            found.photos.iter().map(|path| path.strip_prefix(root).unwrap().to_owned()).collect();
        let expected = ["notes.txt", "a.jpeg", "b/z.png", "c.JPG", "missing.jpg"].map(PathBuf::from);
        assert_eq!(names, expected);
        assert!(found.problems.is_empty());
    }

    #[test]
    fn a_folder_without_photographs_is_a_problem() {
        let folder = tempfile::tempdir().unwrap();
        let found = find_photos(&[folder.path().to_owned()]);
        assert!(found.photos.is_empty());
        assert!(found.problems[0].1.contains("no photographs"), "{:?}", found.problems);
    }
}
