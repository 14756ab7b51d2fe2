//! Free space on the disk with the data, and permission to write there.

use std::fs;
use std::path::Path;

/// Bytes that are free for this program on the file system of `folder`, or of its nearest existing parent; `None` if
/// unknown.
#[cfg(unix)]
pub(super) fn free_bytes(folder: &Path) -> Option<u64> {
    // A relative path ends with an empty one.
    let nearest = folder.ancestors().find(|folder| folder.is_dir()).unwrap_or(Path::new("."));
    // The space that is free for users other than root, in units of `f_frsize` and not of `f_bsize`.
    rustix::fs::statvfs(nearest).ok().map(|disk| disk.f_bavail.saturating_mul(disk.f_frsize))
}

/// Not supported on other systems.
#[cfg(not(unix))]
pub(super) fn free_bytes(_folder: &Path) -> Option<u64> {
    None
}

/// Why this user cannot create files in a folder, which is created with its parents if it is missing.
pub(super) fn refuses_files(folder: &Path) -> Option<String> {
    let is_there = |place: &&Path| fs::symlink_metadata(place).is_ok();
    let place = folder.ancestors().find(is_there).unwrap_or(Path::new("."));
    match (place.is_dir(), is_writable(place)) {
        (true, true) => None,
        (true, false) => Some(format!("`{}` takes no files of this user", place.display())),
        (false, _) => Some(format!("`{}` is not a folder", place.display())),
    }
}

#[cfg(unix)]
pub(super) fn is_writable(folder: &Path) -> bool {
    use rustix::fs::{Access, access};
    access(folder, Access::WRITE_OK | Access::EXEC_OK).is_ok()
}

/// Other systems have other permissions.
#[cfg(not(unix))]
pub(super) fn is_writable(_: &Path) -> bool {
    true
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_folder_that_is_not_there_has_the_room_of_the_one_above_it() {
        let above = std::env::temp_dir();
        assert!(free_bytes(&above).is_some_and(|free| free > 0));
        assert!(free_bytes(&above.join("not/there")).is_some_and(|free| free > 0));
        assert!(free_bytes(Path::new("not/there")).is_some());
    }
}
