//! The files of the data folder in a backup, and restoring them.
//!
//! They are imported vehicle facts and models. The database is not one of them, since it is read as rows; nor are
//! mails in their folder, which are not sent any more.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Component, Path, PathBuf};

use sha2::{Digest, Sha256};
use walkdir::WalkDir;

use super::error::{read_error, write_error};
use super::format::{BackedUpFile, finished};
use super::{BackupError, give_to_owner_of_folder, sync_folder_of};
use crate::operations::database::with_ending;

/// Imported vehicle facts.
const FACTS: [&str; 2] = ["vehicles.bin", "vin-patterns.bin"];
const MODELS: &str = "models";
/// Ending of a file that is being restored.
const RESTORING: &str = ".restoring";

/// A file of the data folder.
pub(super) struct DataFile {
    /// Its path in there, with `/` between names.
    pub(super) path: String,
    pub(super) source: PathBuf,
}

/// The files that a backup holds, by path.
pub(super) fn find(data_dir: &Path, with_models: bool) -> Result<Vec<DataFile>, BackupError> {
    let mut found = Vec::new();
    for facts in FACTS {
        let file = data_dir.join(facts);
        if file.is_file() {
            found.push(DataFile { path: facts.to_owned(), source: file });
        }
    }
    let models = data_dir.join(MODELS);
    if !with_models || !models.is_dir() {
        return Ok(found);
    }
    // A name that begins with a dot is a model that is being imported.
    let is_shown = |entry: &walkdir::DirEntry| !entry.file_name().to_string_lossy().starts_with('.');
    let walk = WalkDir::new(&models).follow_links(true).sort_by_file_name();
    for entry in walk.into_iter().filter_entry(is_shown) {
        let entry = entry.map_err(|error| read_error(&models)(error.into()))?;
        // What a killed restore left is no file of a model.
        let is_part = entry.file_name().as_encoded_bytes().ends_with(RESTORING.as_bytes());
        if !entry.file_type().is_file() || is_part {
            continue;
        }
        let inside = entry.path().strip_prefix(data_dir).unwrap_or(entry.path());
        let names: Option<Vec<&str>> = inside.iter().map(|name| name.to_str()).collect();
        let not_text = || {
            let kind = io::Error::new(io::ErrorKind::InvalidData, "its name is not UTF-8");
            read_error(entry.path())(kind)
        };
        found.push(DataFile { path: names.ok_or_else(not_text)?.join("/"), source: entry.path().to_owned() });
    }
    Ok(found)
}

/// Where a file of a backup belongs, if it is allowed: a backup may come from anywhere.
pub(super) fn place(data_dir: &Path, path: &str) -> Option<PathBuf> {
    // No `..`, no root and no drive: the path must not leave the data folder.
    let relative = Path::new(path);
    let is_plain = relative.components().all(|part| matches!(part, Component::Normal(_)));
    // At least `models/NAME/FILE`, so that nothing is written outside the folders of models.
    let is_ours =
        FACTS.contains(&path) || (relative.starts_with(MODELS) && relative.components().count() > 2);
    (is_plain && is_ours).then(|| data_dir.join(relative))
}

/// Whether the file at `path` has these bytes; `None` if there is no file.
pub(super) fn is_same(path: &Path, file: &BackedUpFile) -> Result<Option<bool>, BackupError> {
    let mut there = match File::open(path) {
        Ok(there) => there,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(read_error(path)(error)),
    };
    let mut hash = Hashing(Sha256::new());
    io::copy(&mut there, &mut hash).map_err(read_error(path))?;
    Ok(Some(finished(hash.0) == file.sha256))
}

/// A file that is being restored.
pub(super) struct PutBack {
    part: Part,
    out: io::BufWriter<File>,
}

/// A file of a restore beside the place that it is for; it is deleted if it never takes that place.
pub(super) struct Part {
    place: PathBuf,
    path: PathBuf,
}

impl PutBack {
    pub(super) fn create(place: PathBuf) -> Result<Self, BackupError> {
        let path = with_ending(&place, RESTORING);
        if let Some(folder) = place.parent() {
            fs::create_dir_all(folder).map_err(write_error(folder))?;
        }
        match fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(write_error(&path)(error)),
            _ => {}
        }
        // Only a file created here changes its owner: an existing one might be a link to somebody else's.
        let file = File::create_new(&path).map_err(write_error(&path))?;
        give_to_owner_of_folder(&file, &path);
        Ok(Self { part: Part { place, path }, out: io::BufWriter::new(file) })
    }

    pub(super) fn write(&mut self, piece: &[u8]) -> Result<(), BackupError> {
        self.out.write_all(piece).map_err(write_error(&self.part.path))
    }

    /// Closes the complete file, so that any number of them may wait for the end of a restore.
    pub(super) fn finish(mut self) -> Result<Part, BackupError> {
        // Synced before it is renamed: a power cut could otherwise leave an empty file with that name.
        let done = self.out.flush().and_then(|()| self.out.get_ref().sync_all());
        done.map_err(write_error(&self.part.path))?;
        Ok(self.part)
    }
}

impl Part {
    pub(super) fn take_place(self) -> Result<(), BackupError> {
        fs::rename(&self.path, &self.place).map_err(write_error(&self.place))?;
        sync_folder_of(&self.place)
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        // Once it has its place, there is no file with this name.
        let _ = fs::remove_file(&self.path);
    }
}

struct Hashing(Sha256);

impl Write for Hashing {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_is_not_restored_whole_leaves_nothing_and_is_in_no_backup() {
        let data = tempfile::tempdir().unwrap();
        let folder = data.path().join("models/clip");
        let mut file = PutBack::create(folder.join("model.toml")).unwrap();
        file.write(b"half").unwrap();
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
        drop(file);
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 0);

        let mut file = PutBack::create(folder.join("model.toml")).unwrap();
        file.write(b"whole").unwrap();
        file.finish().unwrap().take_place().unwrap();
        fs::write(folder.join("model.onnx.restoring"), "left by a killed restore").unwrap();
        let found = find(data.path(), true).unwrap();
        let paths: Vec<&str> = found.iter().map(|file| file.path.as_str()).collect();
        assert_eq!(paths, ["models/clip/model.toml"]);
    }

    #[test]
    fn a_backup_writes_only_where_its_files_belong() {
        let folder = Path::new("/data");
        for allowed in
            ["vehicles.bin", "vin-patterns.bin", "models/clip/model.toml", "models/clip/golden/rim.json"]
        {
            assert_eq!(place(folder, allowed), Some(folder.join(allowed)), "{allowed}");
        }
        for refused in [
            "partsight.db",
            "../vehicles.bin",
            "/etc/passwd",
            "models/../partsight.db",
            "models/clip",
            "models",
            "",
            "mail/x.eml",
        ] {
            assert_eq!(place(folder, refused), None, "{refused}");
        }
    }
}
