//! How many files the process may have open, connections among them.

/// Raises the limit to the highest that the system lets this process have, and returns it.
///
/// Shells and service managers give programs 1024 and let them ask for more; the low number is for programs that
/// use `select`, which know no file above it. We do not.
#[cfg(unix)]
pub(crate) fn raise() -> u64 {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let limit = getrlimit(Resource::Nofile);
    let highest = Rlimit { current: limit.maximum, maximum: limit.maximum };
    let in_force = match setrlimit(Resource::Nofile, highest) {
        Ok(()) => limit.maximum,
        // Some systems let nobody have "unlimited".
        Err(_) => limit.current,
    };
    // None is "unlimited".
    in_force.unwrap_or(u64::MAX)
}

/// Elsewhere there is no such limit.
#[cfg(not(unix))]
pub(crate) fn raise() -> u64 {
    u64::MAX
}
