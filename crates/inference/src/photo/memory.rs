//! How much memory decoding may take where the process itself is limited.

use std::fs;

/// The least that a photograph of 24 megapixels needs.
const LEAST_BYTES: u64 = 256 << 20;

/// `bytes`, or a third of what the limits of this process leave where that is less; never less than 256 MiB.
///
/// The model, the database and each request take memory as well, and a program that cannot get any ends at once. Looked
/// at before the model is loaded, the other two thirds leave room for them.
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

/// What the lowest limit on memory leaves; `None` without a limit or where there is no way to tell.
fn left_bytes() -> Option<u64> {
    [address_space_left(), cgroup_limit()].into_iter().flatten().min()
}

#[cfg(unix)]
fn address_space_left() -> Option<u64> {
    use rustix::process::{Resource, getrlimit};
    let limit = getrlimit(Resource::As).current?;
    // In pages (proc_pid_statm(5)).
    let statm = fs::read_to_string("/proc/self/statm").ok();
    // An unknown use counts as none: the limit itself is still an upper bound.
    let pages = statm.and_then(|statm| statm.split(' ').next().and_then(|pages| pages.parse::<u64>().ok()));
    Some(limit.saturating_sub(pages.unwrap_or(0) * rustix::param::page_size() as u64))
}

#[cfg(not(unix))]
fn address_space_left() -> Option<u64> {
    None
}

/// The limit of the container or service, as the control group shows it from within.
fn cgroup_limit() -> Option<u64> {
    // The control groups of version 2, then of version 1.
    let files = ["/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"];
    // `max`, or a number beyond any memory, is no limit.
    files.iter().find_map(|file| fs::read_to_string(file).ok()?.trim().parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

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
