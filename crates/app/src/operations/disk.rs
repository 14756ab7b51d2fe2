//! Free space on the disk with the data, and permission to write there.

use std::path::Path;
use std::{fs, io};

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
    if !place.is_dir() {
        return Some(format!("`{}` is not a folder", place.display()));
    }
    refusal(place).map(|error| why_refused(folder, place, &error))
}

/// Why `place`, the nearest existing parent of `folder` or itself, takes no files.
fn why_refused(folder: &Path, place: &Path, error: &io::Error) -> String {
    let (folder, place) = (folder.display(), place.display());
    if error.kind() == io::ErrorKind::ReadOnlyFilesystem {
        return format!(
            "`{place}` is read-only here: its disk is mounted so, or this is a service of systemd, which needs \
             `ReadWritePaths={folder}` (`systemctl edit partsight`, see the page \"Install as a service\" of the documentation)"
        );
    }
    format!("`{place}` takes no files of this user")
}

pub(super) fn is_writable(folder: &Path) -> bool {
    refusal(folder).is_none()
}

#[cfg(unix)]
fn refusal(folder: &Path) -> Option<io::Error> {
    use rustix::fs::{Access, access};
    access(folder, Access::WRITE_OK | Access::EXEC_OK).err().map(io::Error::from)
}

/// Other systems have other permissions.
#[cfg(not(unix))]
fn refusal(_: &Path) -> Option<io::Error> {
    None
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_service_that_may_not_write_a_folder_is_told_which_line_it_lacks() {
        let reason = |errno: rustix::io::Errno| {
            why_refused(Path::new("/srv/mail"), Path::new("/srv"), &io::Error::from(errno))
        };
        assert!(reason(rustix::io::Errno::ROFS).contains("`ReadWritePaths=/srv/mail`"));
        assert_eq!(reason(rustix::io::Errno::ACCESS), "`/srv` takes no files of this user");
    }

    #[test]
    fn a_folder_that_is_not_there_has_the_room_of_the_one_above_it() {
        let above = std::env::temp_dir();
        assert!(free_bytes(&above).is_some_and(|free| free > 0));
        assert!(free_bytes(&above.join("not/there")).is_some_and(|free| free > 0));
        assert!(free_bytes(Path::new("not/there")).is_some());
    }
}
