//! Limit of open files of the process, which includes connections.

/// Raises the soft limit to the hard limit, and returns it.
///
/// The soft limit is usually 1024, for programs that use `select`, which does not support higher file descriptors. This
/// program does not use it.
#[cfg(unix)]
pub(crate) fn raise() -> u64 {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let limit = getrlimit(Resource::Nofile);
    let highest = Rlimit { current: limit.maximum, maximum: limit.maximum };
    let in_force = match setrlimit(Resource::Nofile, highest) {
        Ok(()) => limit.maximum,
        // Some systems refuse "unlimited".
        Err(_) => limit.current,
    };
    // `None` means unlimited.
    in_force.unwrap_or(u64::MAX)
}

/// Other systems have no such limit.
#[cfg(not(unix))]
pub(crate) fn raise() -> u64 {
    u64::MAX
}
