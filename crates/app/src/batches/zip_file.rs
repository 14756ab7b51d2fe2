//! Reads an untrusted zip. Its whole directory is checked before anything is unpacked, and the unpacked bytes are
//! counted, because sizes in the directory can be forged.

mod directory;

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use partsight_domain::{InvalidInput, messages};
use zip::ZipArchive;

use crate::recognition::photo_files::has_photo_extension;
use crate::{Error, Result};

/// Maximum of entries in a zip, including folders.
const MAX_ENTRIES: u64 = 100_000;
/// Maximum of all photographs together, in unpacked bytes.
const MAX_TOTAL_BYTES: u64 = 20 * 1024 * 1024 * 1024;
/// Maximum compression ratio of an entry. Photographs are compressed already, with a ratio near 1; a drawing as BMP has
/// a ratio of some dozens.
const MAX_RATIO: u64 = 200;
/// Entries up to this size, in unpacked bytes, may have any ratio: an image of one colour has a high one.
const SMALL_ENTRY: u64 = 1024 * 1024;
/// Extensions of archives, which are refused inside a zip.
const ARCHIVES: [&str; 11] = ["zip", "7z", "rar", "tar", "gz", "tgz", "bz2", "xz", "zst", "jar", "cbz"];

/// A photograph from a zip.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct ZipEntry {
    /// Its path in the zip.
    pub(crate) path: String,
    /// Its content, cut off one byte above the limit of a photograph.
    pub(crate) bytes: Vec<u8>,
}

/// Purpose of a zip.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ZipUse {
    /// Photographs only, each stored as it is read.
    Batch,
    /// Photographs and lists of their labels, all or nothing.
    Evaluation,
}

/// Whether a file is a list of labels (CSV), by its extension.
pub(crate) fn is_list(path: &str) -> bool {
    Path::new(path).extension().is_some_and(|ending| ending.eq_ignore_ascii_case("csv"))
}

fn refused(message: impl Into<String>) -> Error {
    InvalidInput::new("zip", message).into()
}

/// Unpacks the photographs of a zip one by one and passes each to `each`, which returns whether to continue. Returns
/// the number of files left out because they are no photographs by their names.
///
/// # Errors
/// [`Error::Invalid`] for a refused zip, with the offending entry.
pub(crate) fn read_entries(
    mut file: File,
    max_photo_bytes: usize,
    zip_use: ZipUse,
    mut each: impl FnMut(ZipEntry) -> bool,
) -> Result<u64> {
    directory::check(&mut file)?;
    let mut archive = ZipArchive::new(file).map_err(|_| refused(messages::ZIP_UNREADABLE))?;
    // The zip reader only keeps the last entry of a name; the others would be lost silently.
    if archive.has_duplicate_names() {
        return Err(doubled(archive.into_inner()));
    }
    let (photos, n_left_out) = check_entries(&mut archive, zip_use)?;
    if photos.is_empty() {
        return Err(refused(messages::ZIP_EMPTY));
    }
    // One byte more than the limit of a photograph, by which the upload recognises one that is too large.
    let limit = max_photo_bytes as u64 + 1;
    let mut total = 0;
    for (index, path) in photos {
        let entry = archive.by_index(index).map_err(|_| broken(&path, zip_use))?;
        let packed = entry.compressed_size();
        // Without reserving capacity, because the stated size is not trusted.
        let mut bytes = Vec::new();
        // Bounded by the limit of a photograph, because the size in the directory is not trusted.
        entry.take(limit).read_to_end(&mut bytes).map_err(|_| broken(&path, zip_use))?;
        let size = bytes.len() as u64;
        total += size;
        check_size(&path, packed, size, total)?;
        if !each(ZipEntry { path, bytes }) {
            break;
        }
    }
    Ok(n_left_out)
}

/// The photographs by their index, and the number of other files.
fn check_entries(archive: &mut ZipArchive<File>, zip_use: ZipUse) -> Result<(Vec<(usize, String)>, u64)> {
    if archive.len() as u64 > MAX_ENTRIES {
        return Err(refused(messages::ZIP_TOO_MANY));
    }
    let (mut photos, mut n_left_out, mut total) = (Vec::new(), 0, 0_u64);
    for index in 0..archive.len() {
        // Raw, so that nothing is unpacked.
        let entry = archive.by_index_raw(index).map_err(|_| refused(messages::ZIP_UNREADABLE))?;
        let path = entry.name().map_err(|_| refused(messages::ZIP_UNREADABLE))?.replace('\\', "/");
        if climbs(&path) || entry.is_symlink() {
            return Err(refused(format!(
                "The entry `{}` of the zip leads out of it. Please make the zip again from the folder of the photos.",
                shown(&path)
            )));
        }
        // After the check of its path, because a folder with a path that leads out is refused, too.
        if entry.is_dir() {
            continue;
        }
        if entry.encrypted() {
            return Err(refused(format!(
                "The entry `{}` of the zip has a password. Please make the zip without one.",
                shown(&path)
            )));
        }
        if is_archive(&path) {
            return Err(refused(format!(
                "The entry `{}` of the zip is an archive itself. Please unpack it first.",
                shown(&path)
            )));
        }
        let path = plain(&path);
        // macOS adds a `__MACOSX/._name.jpg`, which is no photograph, for every file. Not counted as left out.
        let is_hidden = path.split('/').any(|piece| piece.starts_with('.') || piece == "__MACOSX");
        let is_taken =
            has_photo_extension(Path::new(&path)) || (zip_use == ZipUse::Evaluation && is_list(&path));
        if is_hidden || !is_taken {
            n_left_out += u64::from(!is_hidden);
            continue;
        }
        total = total.saturating_add(entry.size());
        check_size(&path, entry.compressed_size(), entry.size(), total)?;
        drop(entry);
        photos.push((index, path));
    }
    Ok((photos, n_left_out))
}

fn check_size(path: &str, packed: u64, size: u64, total: u64) -> Result<()> {
    // A division, because a product of these untrusted numbers could overflow.
    if size > SMALL_ENTRY && size / MAX_RATIO > packed {
        return Err(refused(format!(
            "The entry `{}` of the zip unpacks to more than {MAX_RATIO} times its size, as no photo does.",
            shown(path)
        )));
    }
    if total > MAX_TOTAL_BYTES {
        return Err(refused(format!(
            "The photos of the zip up to `{}` have more than 20 GB. Please split it.",
            shown(path)
        )));
    }
    Ok(())
}

fn doubled(mut file: File) -> Error {
    match directory::doubled_path(&mut file) {
        Ok(Some(path)) => refused(format!(
            "The zip has more than one entry `{}`. Please give each photo a name of its own and make the zip again.",
            shown(&path)
        )),
        // Paths that are only equal after applying an extra field.
        _ => refused(messages::ZIP_UNREADABLE),
    }
}

fn broken(path: &str, zip_use: ZipUse) -> Error {
    let kept = match zip_use {
        ZipUse::Batch => "The photos before it are in the batch; please",
        ZipUse::Evaluation => "Please",
    };
    refused(format!("The entry `{}` of the zip is damaged. {kept} make the zip again.", shown(path)))
}

/// Whether a path may lead out of the folder that it is unpacked in.
fn climbs(path: &str) -> bool {
    let has_drive = path.as_bytes().get(1) == Some(&b':');
    path.starts_with('/') || has_drive || path.contains('\0') || path.split('/').any(|piece| piece == "..")
}

/// A path without empty and `.` components: some programs begin every entry with `./`, which is no hidden file.
fn plain(path: &str) -> String {
    let pieces: Vec<&str> = path.split('/').filter(|piece| !matches!(*piece, "" | ".")).collect();
    pieces.join("/")
}

fn is_archive(path: &str) -> bool {
    let ending = Path::new(path).extension().and_then(|ending| ending.to_str()).unwrap_or_default();
    ARCHIVES.iter().any(|archive| archive.eq_ignore_ascii_case(ending))
}

/// A path as quoted in a message: at most 80 characters, without control characters.
fn shown(path: &str) -> String {
    const MOST: usize = 80;
    let text: String = path.chars().filter(|c| !c.is_control()).take(MOST).collect();
    if path.chars().count() > MOST { format!("{text}…") } else { text }
}

#[cfg(test)]
mod tests {
    use std::io::{self, Write};

    use zip::write::SimpleFileOptions;
    use zip::{CompressionMethod, ZipWriter};

    use super::*;

    fn zip_of(entries: &[(&str, Vec<u8>)]) -> Vec<u8> {
        let mut writer = ZipWriter::new(io::Cursor::new(Vec::new()));
        let options = SimpleFileOptions::default().compression_method(CompressionMethod::Deflated);
        for (path, bytes) in entries {
            writer.start_file(*path, options).unwrap();
            writer.write_all(bytes).unwrap();
        }
        writer.finish().unwrap().into_inner()
    }

    fn read(zip: &[u8]) -> Result<(Vec<String>, u64)> {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(zip).unwrap();
        let mut paths = Vec::new();
        let n_left_out = read_entries(file, 5_000_000, ZipUse::Batch, |entry| {
            paths.push(entry.path);
            true
        })?;
        Ok((paths, n_left_out))
    }

    #[test]
    fn photographs_are_unpacked_and_the_rest_is_left_out() {
        let entries = [
            ("a.jpg", vec![1]),
            ("shelf/b.PNG", vec![2]),
            ("notes.txt", vec![3]),
            ("__MACOSX/._a.jpg", vec![4]),
        ];
        let (paths, n_left_out) = read(&zip_of(&entries)).unwrap();
        assert_eq!((paths, n_left_out), (vec!["a.jpg".to_owned(), "shelf/b.PNG".to_owned()], 1));
    }

    #[test]
    fn pieces_of_a_path_that_lead_nowhere_hide_no_photograph() {
        let entries = [
            ("./rim/c.jpg", vec![1]),
            ("rim/./a.jpg", vec![2]),
            ("rim//b.jpg", vec![3]),
            ("./.thumbnails/d.jpg", vec![4]),
        ];
        let (paths, n_left_out) = read(&zip_of(&entries)).unwrap();
        let expected = ["rim/c.jpg", "rim/a.jpg", "rim/b.jpg"].map(str::to_owned).to_vec();
        assert_eq!((paths, n_left_out), (expected, 0));
    }

    #[test]
    fn an_evaluation_takes_lists_of_labels_as_well() {
        let zip = zip_of(&[("a.jpg", vec![1]), ("labels.CSV", vec![2]), ("notes.txt", vec![3])]);
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(&zip).unwrap();
        let mut paths = Vec::new();
        let n_left_out = read_entries(file, 5_000_000, ZipUse::Evaluation, |entry| {
            paths.push(entry.path);
            true
        });
        assert_eq!((paths, n_left_out.unwrap()), (vec!["a.jpg".to_owned(), "labels.CSV".to_owned()], 1));
    }

    #[test]
    fn a_hostile_zip_is_refused_and_the_entry_named() {
        let whole = zip_of(&[("a.jpg", vec![7; 3_000])]);
        let cases: [(&str, Vec<u8>, &str); 8] = [
            ("climbs", zip_of(&[("../a.jpg", vec![1])]), "`../a.jpg`"),
            ("climbs by backslashes", zip_of(&[("..\\a.jpg", vec![1])]), "`../a.jpg`"),
            ("is absolute", zip_of(&[("/etc/a.jpg", vec![1])]), "`/etc/a.jpg`"),
            ("nested", zip_of(&[("a.jpg", vec![1]), ("more.zip", whole.clone())]), "`more.zip`"),
            ("bomb", zip_of(&[("a.bmp", vec![0; 4_000_000])]), "`a.bmp` of the zip unpacks"),
            ("cut off", whole[..whole.len() - 30].to_vec(), "was cut off"),
            ("no zip", b"GIF89a".to_vec(), "was cut off"),
            ("no photos", zip_of(&[("notes.txt", vec![1])]), "no photos"),
        ];
        let mut wrong = Vec::new();
        for (name, zip, expected) in cases {
            match read(&zip) {
                Err(Error::Invalid(error)) if error.field == "zip" && error.message.contains(expected) => {}
                other => wrong.push(format!("{name}: {other:?}")),
            }
        }
        assert!(wrong.is_empty(), "{wrong:#?}");
    }

    #[test]
    fn the_photographs_of_a_zip_may_have_twenty_gigabytes_as_people_and_limits_of_bodies_count_them() {
        const LIMIT: u64 = 20 << 30;
        assert!(check_size("a.jpg", 1, 1, LIMIT).is_ok());
        let refused = check_size("a.jpg", 1, 1, LIMIT + 1);
        assert!(matches!(refused, Err(Error::Invalid(error)) if error.message.contains("more than 20 GB")));
    }

    #[test]
    fn two_entries_of_one_path_are_refused_and_the_path_named() {
        let mut zip = zip_of(&[("d/p.jpg", vec![1]), ("d/q.jpg", vec![2]), ("d/r.jpg", vec![3])]);
        assert!(read(&zip).is_ok());
        // The zip writer refuses to write duplicate names.
        let places: Vec<usize> =
            zip.windows(7).enumerate().filter(|(_, path)| *path == b"d/r.jpg").map(|(at, _)| at).collect();
        assert_eq!(places.len(), 2, "before the photograph, and in the directory");
        for at in places {
            zip[at..at + 7].copy_from_slice(b"d/q.jpg");
        }
        let Err(Error::Invalid(error)) = read(&zip) else { panic!("it was read") };
        assert_eq!(error.field, "zip");
        assert!(error.message.contains("more than one entry `d/q.jpg`"), "{}", error.message);
    }

    #[test]
    fn a_zip_of_too_many_entries_is_refused() {
        let mut writer = ZipWriter::new(io::Cursor::new(Vec::new()));
        let options = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
        for index in 0..=MAX_ENTRIES {
            writer.start_file(format!("{index}.jpg"), options).unwrap();
        }
        let zip = writer.finish().unwrap().into_inner();
        let Err(Error::Invalid(error)) = read(&zip) else { panic!("it was read") };
        assert_eq!(error.message, messages::ZIP_TOO_MANY);
    }

    #[test]
    fn an_entry_that_is_damaged_is_named() {
        let mut zip = zip_of(&[("a.jpg", (0..=255).collect())]);
        // In the middle of its data, after its name.
        for byte in &mut zip[60..90] {
            *byte ^= 0xff;
        }
        let Err(Error::Invalid(error)) = read(&zip) else { panic!("it was read") };
        assert!(error.message.contains("`a.jpg`"), "{}", error.message);
    }
}
