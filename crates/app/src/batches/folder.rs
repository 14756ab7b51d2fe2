//! Adding photographs to a batch from a folder on the server, which the setting `batch_dir` allows.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use partsight_domain::{InvalidInput, MAX_BATCH_PHOTOS, User, messages};

use super::upload::{AddedFiles, BatchUpload, PhotoGroup};
use super::zip_file::is_list;
use crate::batches::Batches;
use crate::limits::heavy_work::Deadline;
use crate::recognition::photo_files::{all_in_folder, photos_in_folder};
use crate::{Error, Result};

/// Counts up to the maximum of a batch, and not longer than a person who chooses a folder would wait.
const COUNTING: Counting = Counting { most: MAX_BATCH_PHOTOS, time: Duration::from_secs(2) };

impl BatchUpload<'_> {
    /// Stores the photographs of a folder in `batch_dir`; the key of each is its path in `batch_dir`. Links that lead
    /// out of it are left out.
    ///
    /// # Errors
    /// [`Error::Invalid`] without the setting, or if `path` is no folder in it; those of [`add`](Self::add).
    pub async fn add_folder(&mut self, path: &str) -> Result<AddedFiles> {
        let refused = |message| Error::from(InvalidInput::new("path", message));
        let root = self.batch_dir().ok_or_else(|| refused(messages::BATCH_NO_FOLDERS))?.to_owned();
        let wanted = path.to_owned();
        let found = tokio::task::spawn_blocking(move || find(&root, &wanted)).await;
        let found = found.map_err(Error::internal)?.map_err(|_| refused(messages::BATCH_FOLDER_MISSING))?;
        let mut group = PhotoGroup::default();
        group.report.n_left_out = found.n_left_out;
        for (key, file) in found.photos {
            // One byte more than the limit, by which `add` recognises a file that is too large.
            let limit = self.max_photo_bytes() as u64 + 1;
            let read = tokio::task::spawn_blocking(move || read_at_most(&file, limit)).await;
            let Ok(bytes) = read.map_err(Error::internal)? else {
                group.report.n_left_out += 1;
                continue;
            };
            self.add_to(&mut group, &key, bytes).await?;
        }
        self.save_group(group).await
    }
}

/// A folder on the server and its subfolders, for a person to choose from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerFolder {
    /// Its path in `batch_dir`, with slashes; empty for `batch_dir` itself.
    pub path: String,
    /// Names of its subfolders, sorted; without hidden ones and links that lead out of `batch_dir`.
    pub folders: Vec<String>,
    /// Photographs in it and its subfolders, as far as they were counted.
    pub n_photos: u64,
    /// Whether counting stopped early: at 50,000, the maximum of a batch, or after two seconds.
    pub has_more_photos: bool,
}

impl Batches {
    /// Lists a folder in `batch_dir`.
    ///
    /// # Errors
    /// [`Error::Invalid`] without the setting, or if `path` is no folder in it; [`Error::Busy`] for a full queue;
    /// [`Error::TooLong`] for more files than can be listed in time.
    pub async fn server_folder(&self, user: &User, path: &str) -> Result<ServerFolder> {
        let refused = |message| Error::from(InvalidInput::new("path", message));
        let root = self.batch_dir.clone().ok_or_else(|| refused(messages::BATCH_NO_FOLDERS))?;
        let wanted = path.to_owned();
        let look = move |deadline: &Deadline| list(&root, &wanted, COUNTING, deadline);
        let found = self.parts.heavy.run(user.into(), look).await?;
        found.ok_or_else(|| refused(messages::BATCH_FOLDER_MISSING))
    }
}

/// Limits of counting photographs.
#[derive(Clone, Copy)]
struct Counting {
    most: u64,
    time: Duration,
}

impl Counting {
    /// Number of photographs below `folder` that are in `root`, and whether there may be more.
    fn count(self, root: &Path, folder: &Path, deadline: &Deadline) -> Result<(u64, bool)> {
        let (mut n_photos, end) = (0, Instant::now() + self.time);
        for file in all_in_folder(folder) {
            deadline.check()?;
            if Instant::now() >= end {
                return Ok((n_photos, true));
            }
            if file.is_some_and(|photo| real_file(root, &photo).is_some()) {
                if n_photos == self.most {
                    return Ok((n_photos, true));
                }
                n_photos += 1;
            }
        }
        Ok((n_photos, false))
    }
}

/// Lists a folder below `root`; `None` if there is no such folder.
fn list(root: &Path, path: &str, counting: Counting, deadline: &Deadline) -> Result<Option<ServerFolder>> {
    let Ok((root, folder)) = inside(root, path) else { return Ok(None) };
    let Ok(entries) = folder.read_dir() else { return Ok(None) };
    let mut folders = Vec::new();
    for entry in entries {
        deadline.check()?;
        // A name that is not UTF-8 cannot be sent as JSON.
        let Some(name) = entry.ok().and_then(|entry| entry.file_name().into_string().ok()) else { continue };
        let is_in = || inside(&root, &format!("{}/{name}", below(&root, &folder))).is_ok();
        if !name.starts_with('.') && is_in() {
            folders.push(name);
        }
    }
    folders.sort_unstable();
    let (n_photos, has_more_photos) = counting.count(&root, &folder, deadline)?;
    Ok(Some(ServerFolder { path: below(&root, &folder), folders, n_photos, has_more_photos }))
}

/// The path of a folder below `root`, with slashes.
fn below(root: &Path, folder: &Path) -> String {
    folder.strip_prefix(root).unwrap_or(folder).to_string_lossy().replace('\\', "/")
}

/// Canonical paths of `root` and of the folder `path` in it.
///
/// # Errors
/// `NotFound` for a path that leads out of `root` or is no folder.
fn inside(root: &Path, path: &str) -> io::Result<(PathBuf, PathBuf)> {
    // Both are made canonical first, to resolve `..` and links.
    let root = root.canonicalize()?;
    // Without its slash, because joining an absolute path would replace the root.
    let folder = root.join(path.trim_start_matches('/')).canonicalize()?;
    if !folder.starts_with(&root) || !folder.is_dir() {
        return Err(io::ErrorKind::NotFound.into());
    }
    Ok((root, folder))
}

/// Photographs found in a folder.
struct Found {
    /// Each photograph's path in the root, with slashes, and its canonical path.
    photos: Vec<(String, PathBuf)>,
    n_left_out: u64,
}

/// Finds the photographs of a folder below `root`; links that lead out of `root` are not followed.
fn find(root: &Path, path: &str) -> io::Result<Found> {
    let (root, folder) = inside(root, path)?;
    let listed = photos_in_folder(&folder);
    // Folders that cannot be read count as left out.
    let mut found = Found { photos: Vec::new(), n_left_out: listed.problems.len() as u64 };
    for photo in listed.photos {
        let below = photo.strip_prefix(&root).ok().and_then(Path::to_str);
        match real_file(&root, &photo).zip(below) {
            Some((real, below)) => found.photos.push((below.replace('\\', "/"), real)),
            None => found.n_left_out += 1,
        }
    }
    Ok(found)
}

/// Canonical path of a photograph. A photograph may be a link, and one that leads out of `root` must not be read.
fn real_file(root: &Path, photo: &Path) -> Option<PathBuf> {
    photo.canonicalize().ok().filter(|real| real.starts_with(root) && real.is_file())
}

/// The labelled photographs of a folder below `root` and the lists in it: for each its path in the folder, with
/// slashes, and its canonical path.
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
        // Links are left out, because they may lead out of the folder.
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
        let list = |path| list(&root, path, COUNTING, &Deadline::for_test(false)).unwrap();
        let listed = list("").unwrap();
        assert_eq!(
            (listed.path.as_str(), listed.folders, listed.n_photos, listed.has_more_photos),
            ("", vec!["monday".to_owned()], 3, false)
        );
        let listed = list("/monday").unwrap();
        assert_eq!((listed.path.as_str(), listed.folders), ("monday", vec!["shelf".to_owned()]));
        for wrong in ["..", "way-out", "monday/a.jpg"] {
            assert_eq!(list(wrong), None, "{wrong}");
        }
        assert!(find(&root, "/monday").is_ok(), "a slash before it leads nowhere else");
    }

    #[test]
    fn counting_ends_with_its_number_its_time_and_the_request() {
        let folder = tempfile::tempdir().unwrap();
        for file in ["a.jpg", "b.jpg", "c.jpg", "notes.txt"] {
            fs::write(folder.path().join(file), b"x").unwrap();
        }
        let hour = Duration::from_hours(1);
        for (most, time, expected) in
            [(2, hour, (2, true)), (3, hour, (3, false)), (3, Duration::ZERO, (0, true))]
        {
            let listed = list(folder.path(), "", Counting { most, time }, &Deadline::for_test(false));
            let listed = listed.unwrap().unwrap();
            assert_eq!((listed.n_photos, listed.has_more_photos), expected, "{most} in {time:?}");
        }
        let over = list(folder.path(), "", COUNTING, &Deadline::for_test(true));
        assert!(matches!(over, Err(Error::TooLong)), "{over:?}");
    }
}
