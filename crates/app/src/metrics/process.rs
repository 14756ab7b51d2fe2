//! Resource use of the process, under the metric names that are common to all programs.

use prometheus_client::registry::{Registry, Unit};

use super::gauges::gauge;

/// Adds the figures that the system reports about this process; none on systems other than Linux.
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
    // `unlimited` is not a number; then no limit is reported.
    if let Some(limit) = limit.and_then(|line| line.split_whitespace().next()?.parse().ok()) {
        gauge(registry, "process_max_fds", "Files that the process may have open", limit);
    }
}

/// The bytes in a text such as ` 1234 kB`.
fn kilobytes(text: &str) -> Option<usize> {
    text.trim().strip_suffix("kB")?.trim().parse::<usize>().ok()?.checked_mul(1024)
}
