//! What the servers that share a PostgreSQL database know of each other: the time, and the names of their sessions.
//!
//! Leases, and when something is tried next, are written and judged by the clock of the database, which is the same for
//! all of them. By their own clocks, a server that is ahead by more than the length of a lease would take over what others
//! are at. Other times in rows are those of the server that writes them.

use std::sync::atomic::Ordering::Relaxed;

use jiff::{SignedDuration, Timestamp};
use sqlx::query_scalar;
use tokio::time::timeout;

use crate::store::PROBE_WAIT;
use crate::{Error, Store};

/// The time by PostgreSQL, in milliseconds since 1970.
pub(crate) const NOW: &str = "SELECT CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT)";
/// The names of the sessions with this database.
pub(crate) const SESSION_NAMES: &str = "SELECT DISTINCT application_name FROM pg_stat_activity \
                                        WHERE datname = current_database() AND application_name <> ''";

impl Store {
    /// Compares the clock of the database with `now`, the clock of this server, and takes the difference into account
    /// for all leases from now on. Returns how far the database is ahead: zero for SQLite, which has the clock of this
    /// machine.
    ///
    /// # Errors
    /// Those of the database, which is given two seconds. The difference that was found before then stays in use.
    pub async fn compare_clocks(&self, now: impl Fn() -> Timestamp) -> Result<SignedDuration, Error> {
        if self.is_postgres() {
            let asked = async {
                // Before the clock is read, because a new connection takes its time.
                let mut connection = self.db.acquire().await?;
                let before = now();
                let theirs: i64 = query_scalar(NOW).fetch_one(&mut *connection).await?;
                Ok(theirs - before.as_millisecond().midpoint(now().as_millisecond()))
            };
            let ahead = timeout(PROBE_WAIT, asked).await.unwrap_or(Err(sqlx::Error::PoolTimedOut));
            self.database_ahead_ms.store(ahead.map_err(|error| self.noted(error))?, Relaxed);
        }
        Ok(self.database_ahead())
    }

    /// How far the clock of the database is ahead of this server's, as of the last comparison; zero before the first.
    pub fn database_ahead(&self) -> SignedDuration {
        SignedDuration::from_millis(self.database_ahead_ms.load(Relaxed))
    }

    /// A time of this server by the clock of the database, to begin, end or judge a lease or a wait for the next try.
    pub(crate) fn database_time(&self, own: Timestamp) -> Timestamp {
        own.saturating_add(self.database_ahead()).unwrap_or(own)
    }

    /// A time by the clock of the database by that of this server, to be shown beside its other times.
    pub(crate) fn own_time(&self, databases: Timestamp) -> Timestamp {
        databases.saturating_sub(self.database_ahead()).unwrap_or(databases)
    }

    /// The names of all sessions with a PostgreSQL database, those of this server and of other programs among them;
    /// none of SQLite. See [`StoreOptions::session_name`](crate::StoreOptions::session_name).
    pub async fn session_names(&self) -> Result<Vec<String>, Error> {
        if !self.is_postgres() {
            return Ok(Vec::new());
        }
        Ok(query_scalar(SESSION_NAMES).fetch_all(&self.db).await?)
    }
}
