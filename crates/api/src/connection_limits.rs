//! How many connections there may be, and how long each may keep the server waiting.

use std::time::Duration;

use partsight_app::Settings;

/// Connections unless the settings say otherwise. An idle connection uses about 20 kB, one that sends headers up to
/// [`MAX_HEADER_BYTES`] more: about 110 MB in total at most.
const DEFAULT_CONNECTIONS: usize = 2048;
/// One address may have 1/8 of all connections. A browser opens six: by default that allows forty browsers behind
/// one router.
const SHARE_OF_AN_ADDRESS: usize = 8;
/// A small server, too, allows a few browsers from one address.
const MIN_CONNECTIONS_PER_ADDRESS: usize = 24;
/// File descriptors reserved for the database, photographs, the log and calls to other services.
const RESERVED_FILES: u64 = 256;
/// Longest request line with all headers, in bytes. Browsers send 1 to 2 kB to us.
pub(crate) const MAX_HEADER_BYTES: usize = 32 * 1024;

/// How many connections there may be, and how long each may keep the server waiting.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ConnectionLimits {
    /// Maximum number of connections at a time.
    pub connections: usize,
    /// Maximum number of connections at a time from one IPv4 address or one /64 network of IPv6. Trusted proxies
    /// are exempt, since they connect for everybody.
    pub connections_per_address: usize,
    /// Time for the headers of a request, from the opening of the connection or the end of the previous response;
    /// therefore also how long an idle connection stays open. Shorter than the time that a stopping server waits.
    pub headers: Duration,
    /// The same for trusted proxies, which keep connections open to reuse them. nginx closes them after a minute;
    /// the proxy must be the first to close.
    pub proxy_headers: Duration,
    /// Time for which a client may read nothing of its responses.
    pub stalled_write: Duration,
    /// For each of these many bytes that it reads, one second of that time is earned back.
    pub answer_bytes_per_second: u32,
    /// Time that we wait for a request's body, whatever its size.
    pub body_grace: Duration,
    /// For each of these many bytes received, we wait one second longer.
    pub body_bytes_per_second: u32,
    /// Maximum time that we wait for a body in total.
    pub body_total: Duration,
}

impl Default for ConnectionLimits {
    fn default() -> Self {
        Self::of(DEFAULT_CONNECTIONS)
    }
}

impl ConnectionLimits {
    /// The limits for these settings.
    pub(crate) fn new(settings: &Settings) -> Self {
        match settings.server.max_connections {
            0 => Self::default(),
            connections => Self::of(connections),
        }
    }

    fn of(connections: usize) -> Self {
        let share = (connections / SHARE_OF_AN_ADDRESS).max(MIN_CONNECTIONS_PER_ADDRESS).min(connections);
        Self {
            connections,
            connections_per_address: share,
            headers: Duration::from_secs(15),
            proxy_headers: Duration::from_mins(2),
            stalled_write: Duration::from_mins(1),
            answer_bytes_per_second: 10 * 1000,
            body_grace: Duration::from_secs(10),
            // 80 kbit/s: a telephone with a poor connection sends more.
            body_bytes_per_second: 10 * 1000,
            body_total: Duration::from_mins(15),
        }
    }

    /// The same limits, reduced so that a process with `open_files` file descriptors has some left for its own
    /// files.
    #[must_use]
    pub fn within_open_files(self, open_files: u64) -> Self {
        // If there are few, half of them go to connections.
        let left = open_files - RESERVED_FILES.min(open_files / 2);
        let connections = self.connections.min(usize::try_from(left).unwrap_or(usize::MAX));
        let share = Self::of(connections).connections_per_address.min(self.connections_per_address);
        Self { connections, connections_per_address: share, ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn connections_stay_below_the_limit_of_open_files() {
        for (max_connections, open_files, expected) in [
            (0, 1_000_000, (2048, 256)),
            (0, 1024, (768, 96)),
            (0, 256, (128, 24)),
            (0, 20, (10, 10)),
            (0, 0, (0, 0)),
            (10_000, 1_000_000, (10_000, 1250)),
            (10_000, 4096, (3840, 480)),
            (16, 1024, (16, 16)),
        ] {
            let settings = Settings::with(|settings| settings.server.max_connections = max_connections);
            let limits = ConnectionLimits::new(&settings).within_open_files(open_files);
            let found = (limits.connections, limits.connections_per_address);
            assert_eq!(found, expected, "{max_connections} {open_files}");
        }
    }
}
