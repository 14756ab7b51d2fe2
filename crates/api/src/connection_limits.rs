//! How many connections there may be, and how long each may keep the server waiting.

use std::time::Duration;

use partsight_app::Settings;

/// Connections where nothing is set. One that does nothing holds about 20 kB, one that sends headers up to
/// [`MAX_HEADER_BYTES`] more: at most some 110 MB for all.
const DEFAULT_CONNECTIONS: usize = 2048;
/// What one address may have of all connections. A browser opens six: this is for forty of them behind one router.
const SHARE_OF_AN_ADDRESS: usize = 8;
/// Also a small server lets a few browsers in from one address.
const MIN_CONNECTIONS_PER_ADDRESS: usize = 24;
/// Open files that are left for the database, photographs, the log and calls to other services.
const RESERVED_FILES: u64 = 256;
/// Longest request line with all headers. Browsers send 1 to 2 kB to us.
pub(crate) const MAX_HEADER_BYTES: usize = 32 * 1024;

/// How many connections there may be, and how long each may keep the server waiting.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ConnectionLimits {
    /// Most connections at a time.
    pub connections: usize,
    /// Most connections at a time from one IPv4 address, or one /64 network of IPv6. Trusted proxies have no limit of
    /// their own: they connect for everybody.
    pub connections_per_address: usize,
    /// Time for the headers of a request, from the opening of the connection or the end of the answer before; so also
    /// how long an idle connection stays open. Shorter than the time that a stopping server waits.
    pub headers: Duration,
    /// The same for trusted proxies, which keep connections open to reuse them; nginx closes them after a minute, and
    /// must be the first to do so.
    pub proxy_headers: Duration,
    /// Time for which a client may take in nothing of its answer.
    pub stalled_write: Duration,
    /// Time that a request's body may keep us waiting whatever its size.
    pub body_grace: Duration,
    /// For each so many bytes of the body that have arrived, it may keep us waiting one second longer.
    pub body_bytes_per_second: u32,
    /// Time that a body may keep us waiting in all.
    pub body_total: Duration,
}

impl Default for ConnectionLimits {
    fn default() -> Self {
        Self::of(DEFAULT_CONNECTIONS)
    }
}

impl ConnectionLimits {
    /// The limits under these settings.
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
            body_grace: Duration::from_secs(10),
            // 80 kbit/s: a telephone with a poor connection sends more.
            body_bytes_per_second: 10 * 1000,
            body_total: Duration::from_mins(15),
        }
    }

    /// The same, with no more connections than a process with `open_files` can have beside its own files.
    #[must_use]
    pub fn within_open_files(self, open_files: u64) -> Self {
        // With few open files half of them go to connections, however little that leaves for the rest.
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
