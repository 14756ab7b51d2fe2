//! The room on the disk that holds the data.

use std::path::Path;

/// Bytes that are free for this program on the file system of `folder`, or of the nearest folder above it if it is not
/// there yet; `None` where that cannot be told.
#[cfg(unix)]
pub(super) fn free_bytes(folder: &Path) -> Option<u64> {
    // A relative path ends with an empty one.
    let nearest = folder.ancestors().find(|folder| folder.is_dir()).unwrap_or(Path::new("."));
    // What is free for others than root, in units of `f_frsize` and not of `f_bsize`.
    rustix::fs::statvfs(nearest).ok().map(|disk| disk.f_bavail.saturating_mul(disk.f_frsize))
}

/// No other system is asked.
#[cfg(not(unix))]
pub(super) fn free_bytes(_folder: &Path) -> Option<u64> {
    None
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
