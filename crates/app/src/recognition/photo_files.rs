//! Finds the files that may be photographs.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use walkdir::{DirEntry, WalkDir};

/// Extensions of files in a folder that are tried. A file that is named itself is always tried.
const PHOTO_EXTENSIONS: [&str; 12] =
    ["jpg", "jpeg", "jfif", "png", "webp", "gif", "bmp", "tif", "tiff", "heic", "heif", "avif"];

/// The photographs that a list of paths leads to.
#[derive(Debug, Default)]
pub struct FoundPhotos {
    /// Photographs in the order of the arguments, those of a folder sorted by name.
    pub photos: Vec<PathBuf>,
    /// Paths that lead to none, with the reason.
    pub problems: Vec<(PathBuf, String)>,
}

/// A photograph, or a path that leads to none with the reason.
pub type FoundPhoto = Result<PathBuf, (PathBuf, String)>;

/// Looks into folders and their subfolders; hidden files and folders inside them are left out.
pub fn find_photos(paths: &[PathBuf]) -> FoundPhotos {
    let mut found = FoundPhotos::default();
    for photo in paths.iter().flat_map(|path| photos_at(path)) {
        found.add(photo);
    }
    found
}

/// The photographs in one folder and its subfolders; finding none is no problem here.
pub fn photos_in_folder(folder: &Path) -> FoundPhotos {
    let mut found = FoundPhotos::default();
    for photo in walk(folder) {
        found.add(photo);
    }
    found
}

/// The photographs that one path leads to, lazily: for a folder those of [`photos_in_folder`], in the same order, and
/// a problem if there are none. Of a tree, only the current folder is in memory.
pub fn photos_at(path: &Path) -> Box<dyn Iterator<Item = FoundPhoto> + Send> {
    if !path.is_dir() {
        return Box::new(std::iter::once(Ok(path.to_owned())));
    }
    let mut photos = walk(path).peekable();
    if photos.peek().is_some() {
        return Box::new(photos);
    }
    let reason = format!("there are no photographs in this folder ({})", PHOTO_EXTENSIONS.join(", "));
    Box::new(std::iter::once(Err((path.to_owned(), reason))))
}

impl FoundPhotos {
    fn add(&mut self, found: FoundPhoto) {
        match found {
            Ok(photo) => self.photos.push(photo),
            Err(problem) => self.problems.push(problem),
        }
    }
}

/// All files in a folder and its subfolders, in no order: a photograph, or `None` for anything else. For callers with
/// a time limit, which should also apply to a folder without photographs.
pub(crate) fn all_in_folder(folder: &Path) -> impl Iterator<Item = Option<PathBuf>> + use<> {
    let entries = WalkDir::new(folder).into_iter().filter_entry(is_shown);
    entries.map(|entry| entry.ok().filter(is_photo).map(DirEntry::into_path))
}

fn walk(folder: &Path) -> impl Iterator<Item = FoundPhoto> + Send + use<> {
    let root = folder.to_owned();
    let entries = WalkDir::new(folder).sort_by_file_name().into_iter().filter_entry(is_shown);
    entries.filter_map(move |entry| match entry {
        Ok(entry) => is_photo(&entry).then(|| Ok(entry.into_path())),
        Err(error) => {
            let path = error.path().unwrap_or(&root).to_owned();
            Some(Err((path, format!("cannot look into this folder: {error}"))))
        }
    })
}

/// A folder that is named itself is searched even if it is hidden.
fn is_shown(entry: &DirEntry) -> bool {
    entry.depth() == 0 || !entry.file_name().as_encoded_bytes().starts_with(b".")
}

fn is_photo(entry: &DirEntry) -> bool {
    has_photo_extension(entry.path()) && !entry.path().is_dir()
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
