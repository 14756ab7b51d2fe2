//! The photographs of a folder of the server, which a setting opens for batches.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use partsight_domain::{InvalidInput, messages};

use super::upload::{AddedFiles, BatchUpload};
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

/// What a folder holds.
struct Found {
    /// Each photograph by its path below the root, with slashes, and where it lies.
    photos: Vec<(String, PathBuf)>,
    n_left_out: u64,
}

/// Looks into a folder below `root`; nothing outside of it is looked at, whatever links say.
fn find(root: &Path, path: &str) -> io::Result<Found> {
    let root = root.canonicalize()?;
    let folder = root.join(path.trim_start_matches('/')).canonicalize()?;
    if !folder.starts_with(&root) || !folder.is_dir() {
        return Err(io::ErrorKind::NotFound.into());
    }
    let listed = photos_in_folder(&folder);
    // Folders that cannot be looked into.
    let mut found = Found { photos: Vec::new(), n_left_out: listed.problems.len() as u64 };
    for photo in listed.photos {
        let real = photo.canonicalize().ok().filter(|real| real.starts_with(&root) && real.is_file());
        let below = photo.strip_prefix(&root).ok().and_then(Path::to_str);
        match real.zip(below) {
            Some((real, below)) => found.photos.push((below.replace('\\', "/"), real)),
            None => found.n_left_out += 1,
        }
    }
    Ok(found)
}

fn read_at_most(file: &Path, limit: u64) -> io::Result<Vec<u8>> {
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
        assert!(find(&root, "/monday").is_ok(), "a slash before it leads nowhere else");
    }
}
