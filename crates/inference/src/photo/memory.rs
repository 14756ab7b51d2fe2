//! The memory for decoding if the process itself is limited.

use std::fs;
use std::path::Path;

/// Minimum, enough for a photograph of 24 megapixels.
const LEAST_BYTES: u64 = 256 << 20;

/// `bytes`, or a third of what the limits of this process leave if that is less; at least 256 MiB, unless `bytes`
/// is less.
///
/// The model, the database and each request need memory too, and a failed allocation aborts the program. As this is
/// computed before the model is loaded, the other two thirds leave room for them.
pub(super) fn within_limits(bytes: u64) -> u64 {
    let most = share_of(left_bytes());
    if most < bytes {
        tracing::info!(limit_bytes = most, "decoding takes less memory than set: the process is limited");
    }
    bytes.min(most)
}

fn share_of(left_bytes: Option<u64>) -> u64 {
    left_bytes.map_or(u64::MAX, |left| (left / 3).max(LEAST_BYTES))
}

/// The memory that the lowest limit leaves; `None` without a limit, or if it is unknown.
fn left_bytes() -> Option<u64> {
    [address_space_left(), control_group_memory()].into_iter().flatten().min()
}

#[cfg(unix)]
fn address_space_left() -> Option<u64> {
    use rustix::process::{Resource, getrlimit};
    let limit = getrlimit(Resource::As).current?;
    // In pages (proc_pid_statm(5)).
    let statm = fs::read_to_string("/proc/self/statm").ok();
    // Unknown usage counts as 0: the limit itself is still an upper bound.
    let pages = statm.and_then(|statm| statm.split(' ').next().and_then(|pages| pages.parse::<u64>().ok()));
    Some(limit.saturating_sub(pages.unwrap_or(0) * rustix::param::page_size() as u64))
}

#[cfg(not(unix))]
fn address_space_left() -> Option<u64> {
    None
}

/// The memory limit of the container or service in bytes: the lowest of its control group and of those around it; `None`
/// without a limit, or if it is unknown.
pub fn control_group_memory() -> Option<u64> {
    let groups = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    lowest_limit(&groups, Path::new("/sys/fs/cgroup"))
}

/// `groups` is the content of `/proc/self/cgroup` (cgroups(7)), `root` where control groups are mounted.
fn lowest_limit(groups: &str, root: &Path) -> Option<u64> {
    // `max` does not parse and means no limit; version 1 states a number beyond any memory instead.
    let limit = |file: &Path| fs::read_to_string(file).ok()?.trim().parse::<u64>().ok();
    // Of the group and those around it. In a container the root is the group itself, and the path leads out of it or
    // nowhere.
    let lowest = |root: &Path, group: &str, file: &str| {
        let own = if group.split('/').any(|name| name == "..") { root.to_owned() } else { root.join(group) };
        let around = own.ancestors().take_while(|folder| folder.starts_with(root));
        around.filter_map(|folder| limit(&folder.join(file))).min()
    };
    // Version 2 has one group, `0::/system.slice/partsight.service`; version 1 has one for each resource.
    let group_after = |start: &str| groups.lines().find_map(|line| Some(line.split_once(start)?.1));
    let group = group_after("0::/").unwrap_or_default();
    let memory_group = group_after(":memory:/").unwrap_or_default();
    lowest(root, group, "memory.max")
        .or_else(|| lowest(&root.join("memory"), memory_group, "memory.limit_in_bytes"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lowest_limit_of_a_service_and_its_slice_counts() {
        let root = tempfile::tempdir().unwrap();
        let service = root.path().join("system.slice/partsight.service");
        fs::create_dir_all(&service).unwrap();
        let lowest = |groups| lowest_limit(groups, root.path());
        let groups = "0::/system.slice/partsight.service\n";
        assert_eq!(lowest(groups), None);
        fs::write(service.join("memory.max"), "2147483648\n").unwrap();
        assert_eq!(lowest(groups), Some(2 << 30));
        fs::write(root.path().join("system.slice/memory.max"), "1073741824\n").unwrap();
        assert_eq!(lowest(groups), Some(1 << 30));
        fs::write(root.path().join("memory.max"), "max\n").unwrap();
        assert_eq!((lowest(groups), lowest("0::/\n"), lowest("0::/../x\n")), (Some(1 << 30), None, None));
        // Version 1.
        fs::create_dir(root.path().join("memory")).unwrap();
        fs::write(root.path().join("memory/memory.limit_in_bytes"), "512000000\n").unwrap();
        assert_eq!(lowest("4:memory:/system.slice\n"), Some(512_000_000));
        fs::create_dir(root.path().join("memory/shop")).unwrap();
        fs::write(root.path().join("memory/shop/memory.limit_in_bytes"), "256000000\n").unwrap();
        assert_eq!(lowest("9:cpu:/\n4:memory:/shop\n"), Some(256_000_000));
    }

    #[test]
    fn no_limit_raises_what_was_set() {
        assert_eq!(within_limits(1), 1);
    }

    #[test]
    fn a_limited_process_decodes_in_a_third_of_what_is_left() {
        assert_eq!(share_of(None), u64::MAX);
        assert_eq!(share_of(Some(3 << 30)), 1 << 30);
        assert_eq!(share_of(Some(1 << 20)), LEAST_BYTES);
    }
}
