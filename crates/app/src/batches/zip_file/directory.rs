//! Checks the directory of a zip before a zip reader allocates memory by its numbers, which are untrusted.
//!
//! Only the plain layout that all programs write is accepted: entries, directory, end of directory, and nothing after
//! it. Such an end can be read in only one way, so that the reader sees the same directory that was checked here.
//!
//! Source: PKWARE, APPNOTE.TXT 6.3.10, sections 4.3.12 to 4.3.16.

use std::collections::HashSet;
use std::fs::File;
use std::io::{self, BufReader, Read as _, Seek as _, SeekFrom};

use partsight_domain::messages;

use super::{MAX_ENTRIES, refused};
use crate::Result;

/// Maximum of the directory, in bytes: 100,000 entries with paths of 270 characters.
const MAX_BYTES: u64 = 32 * 1024 * 1024;

/// Signatures and fixed sizes in bytes: a header in the directory, its end, and the two records of zip64.
const HEADER: ([u8; 4], u64) = (*b"PK\x01\x02", 46);
const END: ([u8; 4], u64) = (*b"PK\x05\x06", 22);
const LARGE_END: ([u8; 4], u64) = (*b"PK\x06\x06", 56);
const LARGE_LOCATOR: ([u8; 4], u64) = (*b"PK\x06\x07", 20);
const COMMENT_BYTES: u64 = 65_535;

/// Number and bytes of entries, and position of a directory, by the record at its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Extent {
    n_entries: u64,
    n_bytes: u64,
    offset: u64,
    /// Position at which the directory must end.
    end: u64,
}

/// Refuses a zip whose directory is too large, incomplete or ambiguous. Leaves the file at its start.
///
/// # Errors
/// [`Error::Invalid`](crate::Error::Invalid) for the field `zip`.
pub(super) fn check(file: &mut File) -> Result<()> {
    let unreadable = |_: io::Error| refused(messages::ZIP_UNREADABLE);
    let extent = extent(file).map_err(unreadable)?;
    // Before the headers are read, because their number is untrusted as well.
    if extent.n_entries > MAX_ENTRIES || extent.n_bytes > MAX_BYTES {
        return Err(refused(messages::ZIP_TOO_MANY));
    }
    walk(file, extent, |_| ()).map_err(unreadable)?;
    file.rewind().map_err(unreadable)
}

/// The first duplicate path in the directory, of a zip that has passed [`check`].
pub(super) fn doubled_path(file: &mut File) -> io::Result<Option<String>> {
    let extent = extent(file)?;
    let (mut seen, mut doubled) = (HashSet::new(), None);
    walk(file, extent, |path| {
        if doubled.is_none() && !seen.insert(path.to_vec()) {
            doubled = Some(String::from_utf8_lossy(path).into_owned());
        }
    })?;
    Ok(doubled)
}

/// Reads the headers, which have to fill the directory exactly, and passes the path of each to `each`.
fn walk(
    file: &mut File,
    Extent { n_entries, n_bytes, offset, end }: Extent,
    mut each: impl FnMut(&[u8]),
) -> io::Result<()> {
    if offset.checked_add(n_bytes) != Some(end) {
        return Err(io::ErrorKind::InvalidData.into());
    }
    file.seek(SeekFrom::Start(offset))?;
    let mut reader = BufReader::new(file);
    let (mut n_left, mut path) = (n_bytes, Vec::new());
    for _ in 0..n_entries {
        let mut header = [0; HEADER.1 as usize];
        reader.read_exact(&mut header)?;
        // Lengths of name, extra field and comment (4.3.12), which follow the header.
        let [n_path, n_extra, n_comment] = [28, 30, 32].map(|at| u16_at(&header, at));
        let n_behind = u64::from(n_extra) + u64::from(n_comment);
        let n_header = HEADER.1 + u64::from(n_path) + n_behind;
        if !header.starts_with(&HEADER.0) || n_header > n_left {
            return Err(io::ErrorKind::InvalidData.into());
        }
        n_left -= n_header;
        path.resize(n_path.into(), 0);
        reader.read_exact(&mut path)?;
        each(&path);
        reader.seek_relative(n_behind.cast_signed())?;
    }
    if n_left == 0 { Ok(()) } else { Err(io::ErrorKind::InvalidData.into()) }
}

/// Reads the end of the directory: the last such record in the file, whose comment must end with the file.
fn extent(file: &mut File) -> io::Result<Extent> {
    let size = file.seek(SeekFrom::End(0))?;
    // The earliest possible position: the longest comment, and before the record the locator of zip64.
    let start = size.saturating_sub(END.1 + COMMENT_BYTES + LARGE_LOCATOR.1);
    file.seek(SeekFrom::Start(start))?;
    let mut tail = Vec::new();
    file.take(size - start).read_to_end(&mut tail)?;
    let wrong = || io::Error::from(io::ErrorKind::InvalidData);
    // A comment may contain the signature. The last one counts, and its lengths must match exactly.
    let at = tail.windows(END.0.len()).rposition(|window| window == END.0).ok_or_else(wrong)?;
    let end = tail.get(at..).filter(|end| end.len() as u64 >= END.1).ok_or_else(wrong)?;
    // Archives split over several disks: number of this disk, that of the directory, and entries on this disk
    // (4.3.16).
    let has_disks = u16_at(end, 4) != 0 || u16_at(end, 6) != 0 || u16_at(end, 8) != u16_at(end, 10);
    if end.len() as u64 != END.1 + u64::from(u16_at(end, 20)) {
        return Err(wrong());
    }
    let position = start + at as u64;
    let plain = Extent {
        n_entries: u64::from(u16_at(end, 10)),
        n_bytes: u64::from(u32_at(end, 12)),
        offset: u64::from(u32_at(end, 16)),
        end: position,
    };
    let locator = at.checked_sub(LARGE_LOCATOR.1 as usize).map(|from| &tail[from..at]);
    // Only a locator directly before the end counts, because readers look nowhere else.
    match locator.filter(|locator| locator.starts_with(&LARGE_LOCATOR.0)) {
        Some(locator) => large_extent(file, locator, position - LARGE_LOCATOR.1, plain),
        // The numbers refer to a zip64 record that does not exist.
        None if has_disks || plain.is_large() => Err(wrong()),
        None => Ok(plain),
    }
}

/// Reads the end of a zip64 directory, which must be directly before its locator and must agree with the values in the
/// short record.
fn large_extent(file: &mut File, locator: &[u8], locator_at: u64, plain: Extent) -> io::Result<Extent> {
    let wrong = || io::Error::from(io::ErrorKind::InvalidData);
    let at = u64_at(locator, 8);
    // Number of the disk, position of the record, and number of disks (4.3.15); writers use 0 or 1 for one disk.
    if u32_at(locator, 4) != 0 || u32_at(locator, 16) > 1 || at.checked_add(LARGE_END.1) != Some(locator_at) {
        return Err(wrong());
    }
    file.seek(SeekFrom::Start(at))?;
    let mut end = [0; LARGE_END.1 as usize];
    file.read_exact(&mut end)?;
    // The size field excludes the first twelve bytes: signature and the size itself.
    let is_plain = end.starts_with(&LARGE_END.0) && u64_at(&end, 4) == LARGE_END.1 - 12;
    let is_one_disk = u32_at(&end, 16) == 0 && u32_at(&end, 20) == 0 && u64_at(&end, 24) == u64_at(&end, 32);
    let large =
        Extent { n_entries: u64_at(&end, 32), n_bytes: u64_at(&end, 40), offset: u64_at(&end, 48), end: at };
    if !is_plain || !is_one_disk || !large.agrees_with(plain) {
        return Err(wrong());
    }
    Ok(large)
}

impl Extent {
    /// Whether a field has its maximum, which means that the value is in the zip64 record.
    fn is_large(self) -> bool {
        self.n_entries == u64::from(u16::MAX)
            || self.n_bytes == u64::from(u32::MAX)
            || self.offset == u64::from(u32::MAX)
    }

    fn agrees_with(self, plain: Self) -> bool {
        let agrees = |large: u64, plain: u64, none: u64| plain == none || large == plain;
        agrees(self.n_entries, plain.n_entries, u64::from(u16::MAX))
            && agrees(self.n_bytes, plain.n_bytes, u64::from(u32::MAX))
            && agrees(self.offset, plain.offset, u64::from(u32::MAX))
    }
}

/// Little-endian number; the record must be long enough.
fn u16_at(bytes: &[u8], at: usize) -> u16 {
    u16::from_le_bytes([bytes[at], bytes[at + 1]])
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from(u16_at(bytes, at)) | (u32::from(u16_at(bytes, at + 2)) << 16)
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from(u32_at(bytes, at)) | (u64::from(u32_at(bytes, at + 4)) << 32)
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use zip::ZipWriter;
    use zip::write::SimpleFileOptions;

    use super::*;
    use crate::Error;

    fn zip(n_entries: u32) -> Vec<u8> {
        let mut writer = ZipWriter::new(io::Cursor::new(Vec::new()));
        for number in 0..n_entries {
            writer.start_file(format!("{number}.jpg"), SimpleFileOptions::default()).unwrap();
            writer.write_all(b"x").unwrap();
        }
        writer.finish().unwrap().into_inner()
    }

    /// A zip with a zip64 record of these numbers, to which its short record refers.
    fn large(n_entries: u64, n_bytes: impl Fn(u64) -> u64) -> Vec<u8> {
        let mut zip = zip(2);
        let end = zip.split_off(zip.len() - END.1 as usize);
        let (offset, at) = (u64::from(u32_at(&end, 16)), zip.len() as u64);
        zip.extend(LARGE_END.0);
        zip.extend((LARGE_END.1 - 12).to_le_bytes());
        zip.extend([45, 0, 45, 0]);
        zip.extend([0; 8]);
        for number in [n_entries, n_entries, n_bytes(at - offset), offset] {
            zip.extend(number.to_le_bytes());
        }
        zip.extend(LARGE_LOCATOR.0);
        zip.extend([0; 4]);
        zip.extend(at.to_le_bytes());
        zip.extend(1_u32.to_le_bytes());
        zip.extend(END.0);
        zip.extend([0; 4]);
        zip.extend([0xff; 12]);
        zip.extend([0; 2]);
        zip
    }

    fn checked(zip: &[u8]) -> Result<()> {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(zip).unwrap();
        check(&mut file)
    }

    #[test]
    fn the_plain_layout_is_taken_in_both_sizes() {
        assert!(checked(&zip(3)).is_ok());
        let zip64 = large(2, |n_bytes| n_bytes);
        assert!(checked(&zip64).is_ok());
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(&zip64).unwrap();
        assert_eq!(zip::ZipArchive::new(file).unwrap().len(), 2, "the reader agrees");
        let mut with_comment = zip(1);
        let n = with_comment.len();
        with_comment[n - 2] = 5;
        with_comment.extend(b"hello");
        assert!(checked(&with_comment).is_ok());
    }

    #[test]
    fn a_directory_that_claims_more_than_may_be_is_refused_before_it_is_read() {
        for zip in [large(MAX_ENTRIES + 1, |n| n), large(1 << 60, |n| n), large(2, |_| MAX_BYTES + 1)] {
            let Err(Error::Invalid(error)) = checked(&zip) else { panic!("it was taken") };
            assert_eq!(error.message, messages::ZIP_TOO_MANY);
        }
    }

    #[test]
    fn what_is_not_whole_or_reads_in_two_ways_is_refused() {
        let plain = zip(3);
        let n = plain.len();
        let changed = |at: usize, byte: u8| {
            let mut zip = plain.clone();
            zip[at] = byte;
            zip
        };
        let cases: [(&str, Vec<u8>); 10] = [
            ("empty", Vec::new()),
            ("cut off", plain[..n - 1].to_vec()),
            ("a second end behind", [plain.clone(), plain[n - 22..].to_vec()].concat()),
            ("something behind", [plain.clone(), b"more".to_vec()].concat()),
            ("something before", [b"more".to_vec(), plain.clone()].concat()),
            ("fewer entries than headers", changed(n - 12, 2)),
            ("more disks than one", changed(n - 18, 1)),
            ("a directory elsewhere", changed(n - 6, plain[n - 6] ^ 1)),
            ("zip64 of too few entries", large(1, |n_bytes| n_bytes)),
            ("zip64 of another size", large(2, |n_bytes| n_bytes - 1)),
        ];
        for (name, zip) in cases {
            let Err(Error::Invalid(error)) = checked(&zip) else { panic!("{name}: it was taken") };
            assert_eq!(error.message, messages::ZIP_UNREADABLE, "{name}");
        }
    }
}
