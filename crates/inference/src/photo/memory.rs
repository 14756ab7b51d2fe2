//! The memory for decoding if the process itself is limited.

use std::fs;

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
    [address_space_left(), cgroup_limit()].into_iter().flatten().min()
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

/// The memory limit of the container or service, from its control group.
fn cgroup_limit() -> Option<u64> {
    // Control groups version 2, then version 1.
    let files = ["/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"];
    // `max` does not parse and means no limit; version 1 states a number beyond any memory instead.
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
