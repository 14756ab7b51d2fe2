//! What the process takes, under the names that all programs use for it.

use prometheus_client::registry::{Registry, Unit};

use super::gauges::gauge;

/// Adds what the system says of this process; nothing where it does not say it as Linux does.
pub(super) fn register(registry: &mut Registry) {
    let Ok(status) = std::fs::read_to_string("/proc/self/status") else { return };
    let resident = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).and_then(kilobytes);
    if let Some(bytes) = resident {
        registry.register_with_unit(
            "process_resident_memory",
            "Memory of the process that is in RAM",
            Unit::Bytes,
            super::gauges::value(bytes),
        );
    }
    if let Ok(files) = std::fs::read_dir("/proc/self/fd") {
        gauge(
            registry,
            "process_open_fds",
            "Open files of the process, connections among them",
            files.count(),
        );
    }
    let limits = std::fs::read_to_string("/proc/self/limits").unwrap_or_default();
    let limit = limits.lines().find_map(|line| line.strip_prefix("Max open files"));
    // `unlimited` is no number, and then there is no limit to tell.
    if let Some(limit) = limit.and_then(|line| line.split_whitespace().next()?.parse().ok()) {
        gauge(registry, "process_max_fds", "Files that the process may have open", limit);
    }
}

/// The bytes of such as ` 1234 kB`.
fn kilobytes(text: &str) -> Option<usize> {
    text.trim().strip_suffix("kB")?.trim().parse::<usize>().ok()?.checked_mul(1024)
}
