//! The photographs of a folder of the server, which a setting opens for batches.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use partsight_domain::{InvalidInput, User, messages};

use super::upload::{AddedFiles, BatchUpload};
use super::zip_file::is_list;
use crate::batches::Batches;
use crate::recognition::photo_files::photos_in_folder;
use crate::{Error, Result};

impl BatchUpload<'_> {
    /// Stores the photographs of a folder in the one that the setting `batch_dir` names, each under its path in it as its
    /// key. What leads out of it by a link is left out.
    ///
    /// # Errors
    /// [`Error::Invalid`] without the setting, or for a path that is no folder in it; those of [`add`](Self::add).
    pub async fn add_folder(&mut self, path: &str) -> Result<AddedFiles> {
        let refused = |message| Error::from(InvalidInput::new("path", message));
        let root = self.batch_dir().ok_or_else(|| refused(messages::BATCH_NO_FOLDERS))?.to_owned();
        let wanted = path.to_owned();
        let found = tokio::task::spawn_blocking(move || find(&root, &wanted)).await;
        let found = found.map_err(Error::internal)?.map_err(|_| refused(messages::BATCH_FOLDER_MISSING))?;
        let mut added = AddedFiles { n_left_out: found.n_left_out, ..AddedFiles::default() };
        for (key, file) in found.photos {
            // One byte more than allowed: `add` sees by it that the file is too large and says so in an item.
            let limit = self.max_photo_bytes() as u64 + 1;
            let read = tokio::task::spawn_blocking(move || read_at_most(&file, limit)).await;
            let Ok(bytes) = read.map_err(Error::internal)? else {
                added.n_left_out += 1;
                continue;
            };
            let name = key.rsplit('/').next().unwrap_or(&key);
            added.count(self.add(&key, name, bytes).await?);
        }
        Ok(added)
    }
}

/// A folder of the server with those in it, for a person to choose from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerFolder {
    /// Its path below the folder that the setting names, with slashes; empty for that folder itself.
    pub path: String,
    /// The names of the folders in it, sorted; hidden ones and links that lead out of it are left out.
    pub folders: Vec<String>,
    /// Photographs in it and below.
    pub n_photos: u64,
}

impl Batches {
    /// What is in a folder of the one that the setting `batch_dir` names.
    ///
    /// # Errors
    /// [`Error::Invalid`] without the setting, or for a path that is no folder in it; [`Error::Busy`] where too much is
    /// being worked on.
    pub async fn server_folder(&self, user: &User, path: &str) -> Result<ServerFolder> {
        let refused = |message| Error::from(InvalidInput::new("path", message));
        let root = self.batch_dir.clone().ok_or_else(|| refused(messages::BATCH_NO_FOLDERS))?;
        let wanted = path.to_owned();
        let found = self.parts.heavy.run(user.into(), move |_| Ok(list(&root, &wanted))).await?;
        found.map_err(|_| refused(messages::BATCH_FOLDER_MISSING))
    }
}

fn list(root: &Path, path: &str) -> io::Result<ServerFolder> {
    let (root, folder) = inside(root, path)?;
    let mut folders = Vec::new();
    for entry in folder.read_dir()? {
        // JSON holds no path that is not UTF-8, so nobody could ask for this folder.
        let Ok(name) = entry?.file_name().into_string() else { continue };
        let is_in = || inside(&root, &format!("{}/{name}", below(&root, &folder))).is_ok();
        if !name.starts_with('.') && is_in() {
            folders.push(name);
        }
    }
    folders.sort_unstable();
    let n_photos = find(&root, path)?.photos.len() as u64;
    Ok(ServerFolder { path: below(&root, &folder), folders, n_photos })
}

/// The path of a folder below `root`, with slashes.
fn below(root: &Path, folder: &Path) -> String {
    folder.strip_prefix(root).unwrap_or(folder).to_string_lossy().replace('\\', "/")
}

/// `root` and the folder at `path` in it, both without links.
///
/// # Errors
/// `NotFound` for a path that leads out of `root` or to no folder.
fn inside(root: &Path, path: &str) -> io::Result<(PathBuf, PathBuf)> {
    // Both are resolved first: where `..` or a link leads shows only then.
    let root = root.canonicalize()?;
    // `join` would take an absolute path in place of the root.
    let folder = root.join(path.trim_start_matches('/')).canonicalize()?;
    if !folder.starts_with(&root) || !folder.is_dir() {
        return Err(io::ErrorKind::NotFound.into());
    }
    Ok((root, folder))
}

/// What a folder holds.
struct Found {
    /// Each photograph by its path below the root, with slashes, and where it lies.
    photos: Vec<(String, PathBuf)>,
    n_left_out: u64,
}

/// Looks into a folder below `root`; nothing outside of it is looked at, whatever links say.
fn find(root: &Path, path: &str) -> io::Result<Found> {
    let (root, folder) = inside(root, path)?;
    let listed = photos_in_folder(&folder);
    // Folders that cannot be looked into.
    let mut found = Found { photos: Vec::new(), n_left_out: listed.problems.len() as u64 };
    for photo in listed.photos {
        // Photographs can be links as well, and one that leads out of the root must not be read.
        let real = photo.canonicalize().ok().filter(|real| real.starts_with(&root) && real.is_file());
        let below = photo.strip_prefix(&root).ok().and_then(Path::to_str);
        match real.zip(below) {
            Some((real, below)) => found.photos.push((below.replace('\\', "/"), real)),
            None => found.n_left_out += 1,
        }
    }
    Ok(found)
}

/// The labelled photographs of a folder below `root`, and the lists that lie in it, each by its path in the folder, with
/// slashes, and where it lies.
///
/// # Errors
/// Those of [`inside`].
pub(crate) fn labelled_files(root: &Path, path: &str) -> io::Result<Vec<(String, PathBuf)>> {
    let (root, folder) = inside(root, path)?;
    let found = find(&root, path)?;
    let start = match below(&root, &folder) {
        folder if folder.is_empty() => folder,
        folder => format!("{folder}/"),
    };
    let mut files: Vec<(String, PathBuf)> = found
        .photos
        .into_iter()
        .map(|(key, file)| (key.strip_prefix(&start).unwrap_or(&key).to_owned(), file))
        .collect();
    for entry in folder.read_dir()? {
        let entry = entry?;
        let Ok(name) = entry.file_name().into_string() else { continue };
        // A link may lead out of the folder, and is none of its files.
        if is_list(&name) && !name.starts_with('.') && entry.file_type()?.is_file() {
            files.push((name, entry.path()));
        }
    }
    Ok(files)
}

pub(crate) fn read_at_most(file: &Path, limit: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(file)?.take(limit).read_to_end(&mut bytes)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn only_what_lies_in_the_folder_is_found() {
        let folder = tempfile::tempdir().unwrap();
        let (root, outside) = (folder.path().join("batches"), folder.path().join("secret.jpg"));
        fs::create_dir_all(root.join("monday/shelf")).unwrap();
        fs::write(&outside, b"x").unwrap();
        for file in ["monday/a.jpg", "monday/shelf/b.png", "monday/notes.txt", "tuesday.jpg"] {
            fs::write(root.join(file), b"x").unwrap();
        }
        symlink(&outside, root.join("monday/link.jpg")).unwrap();
        symlink(folder.path(), root.join("way-out")).unwrap();
        let found = find(&root, "monday").unwrap();
        let keys: Vec<&str> = found.photos.iter().map(|(key, _)| key.as_str()).collect();
        assert_eq!((keys, found.n_left_out), (vec!["monday/a.jpg", "monday/shelf/b.png"], 1));
        assert_eq!(find(&root, "").unwrap().photos.len(), 3, "all of it");
        for wrong in ["..", "../batches/..", "way-out", "wednesday", "tuesday.jpg"] {
            assert!(find(&root, wrong).is_err(), "{wrong}");
        }
        let listed = list(&root, "").unwrap();
        assert_eq!(
            (listed.path.as_str(), listed.folders, listed.n_photos),
            ("", vec!["monday".to_owned()], 3)
        );
        let listed = list(&root, "/monday").unwrap();
        assert_eq!((listed.path.as_str(), listed.folders), ("monday", vec!["shelf".to_owned()]));
        for wrong in ["..", "way-out", "monday/a.jpg"] {
            assert!(list(&root, wrong).is_err(), "{wrong}");
        }
        assert!(find(&root, "/monday").is_ok(), "a slash before it leads nowhere else");
    }
}
