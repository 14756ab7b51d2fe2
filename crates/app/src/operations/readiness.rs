//! Readiness: whether this server can work now, and so whether a load balancer should send it requests.

mod canary;

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use partsight_domain::messages;
use tokio::sync::Mutex;
use tokio::time::{Instant, timeout};

use crate::operations::Operations;
use crate::operations::database::other_database_folder;
use crate::operations::disk::free_bytes;
use crate::with_causes;
use crate::{Error, Identifier, IndexCondition, IndexStatus, Result, Settings};
use canary::Canary;
pub(super) use canary::is_within;

/// How long an answer is cached: a thousand probes a second cost no more than one.
const CACHED: Duration = Duration::from_secs(1);
/// Time limit of a check: clients of the probe do not wait longer either.
const CHECK_LIMIT: Duration = Duration::from_secs(5);
/// How soon long-running work notices that the server is stopping.
const LOOK_EVERY: Duration = Duration::from_millis(250);
/// Space that must be free for the data: ten photographs of the largest accepted size, 25 MB, stored whole, and the log
/// that SQLite writes beside the database, 4 MB unless a reader holds it.
const MIN_FREE_BYTES: u64 = 256 * 1024 * 1024;
/// After this many engines were replaced within ten minutes, another replacement will not help.
const MAX_RECENT_RESTARTS: usize = 3;

/// Whether this server can do its work, with the checks.
#[derive(Debug, Clone, PartialEq)]
pub struct Readiness {
    /// Whether every required check passed.
    pub is_ready: bool,
    /// The checks, in the order in which they were made.
    pub checks: Vec<ReadyCheck>,
}

/// One readiness check.
#[derive(Debug, Clone, PartialEq)]
pub struct ReadyCheck {
    /// Its name: `engines`, `canary`, `database`, `disk`, `index` or `photo-storage`.
    pub name: &'static str,
    /// Whether the server is not ready if it fails. Without its index a server still answers, and its receipts say that
    /// taught parts are missing; without its photograph storage it keeps photographs in the database.
    pub is_required: bool,
    /// Whether it passed.
    pub is_ok: bool,
    /// The finding, for people.
    pub detail: String,
    /// Duration of the check.
    pub duration: Duration,
}

impl Readiness {
    fn of(checks: Vec<ReadyCheck>) -> Self {
        Self { is_ready: checks.iter().all(|check| check.is_ok || !check.is_required), checks }
    }
}

/// State between two probes.
#[derive(Debug)]
pub(crate) struct ReadyState {
    is_draining: AtomicBool,
    canary: Canary,
    /// The data folder, and that of the database if it lies elsewhere.
    folders: Vec<PathBuf>,
    last: Mutex<Option<(Instant, Readiness)>>,
}

impl ReadyState {
    pub(crate) fn new(settings: &Settings) -> Self {
        Self {
            is_draining: AtomicBool::new(false),
            canary: Canary::default(),
            folders: std::iter::once(settings.data.dir.clone())
                .chain(other_database_folder(settings))
                .collect(),
            last: Mutex::default(),
        }
    }
}

impl ReadyState {
    /// Free bytes on the file system of the data, or on the fuller one of two; `None` if unknown.
    pub(crate) fn free_bytes(&self) -> Option<u64> {
        self.folders.iter().filter_map(|folder| free_bytes(folder)).min()
    }
}

impl Operations {
    /// Ends what would otherwise not end by itself, such as streams of events. To be called as soon as the server is told
    /// to stop, while running requests are finished.
    pub fn begin_draining(&self) {
        self.ready.is_draining.store(true, Ordering::Relaxed);
    }

    /// Completes once the server is told to stop.
    pub async fn until_draining(&self) {
        while !self.ready.is_draining.load(Ordering::Relaxed) {
            tokio::time::sleep(LOOK_EVERY).await;
        }
    }

    /// Runs the canary photograph through decoding and the model, and stores the result.
    ///
    /// # Errors
    /// The reason of a failure, as text.
    pub async fn run_canary(&self) -> Result<(), String> {
        let found = self.ready.canary.run(&self.identifier).await;
        // The engines of a stopping server may have ended already, which is no fault.
        if self.ready.is_draining.load(Ordering::Relaxed) { Ok(()) } else { found }
    }

    /// Whether this server can work now; cached for a second.
    pub async fn readiness(&self) -> Readiness {
        // Held during the checks, so that concurrent callers share the result.
        let mut last = self.ready.last.lock().await;
        if let Some((at, readiness)) = &*last
            && at.elapsed() < CACHED
        {
            return readiness.clone();
        }
        let identifier = &self.identifier;
        let mut checks = vec![
            check("engines", async { engines(identifier) }).await,
            check("canary", self.ready.canary.recent(identifier)).await,
            check("database", self.database_takes_writes()).await,
            check("disk", async { has_room(self.ready.free_bytes()) }).await,
        ];
        if let Some(status) = self.teaching.index_status() {
            let index = check("index", async { index(&status) }).await;
            checks.push(ReadyCheck { is_required: false, ..index });
        }
        if let Some(condition) = self.photo_storage.condition() {
            let storage = check("photo-storage", async { photo_storage(condition) }).await;
            checks.push(ReadyCheck { is_required: false, ..storage });
        }
        let readiness = Readiness::of(checks);
        for check in readiness.checks.iter().filter(|check| !check.is_ok && check.is_required) {
            tracing::warn!(check = check.name, reason = check.detail, "not ready");
        }
        *last = Some((Instant::now(), readiness.clone()));
        readiness
    }

    async fn database_takes_writes(&self) -> Result<String, String> {
        match self.store.check_writes().await {
            Ok(()) => Ok("The database took a write.".to_owned()),
            Err(error) => {
                // The cause is logged; the client of the probe gets one of our own sentences.
                tracing::warn!(error = with_causes(&error), "the database took no write");
                Err(match Error::from(error) {
                    Error::StorageFull(_) => messages::STORAGE_FULL,
                    Error::DatabaseBusy(source) => Error::of_busy_database(&source),
                    _ => messages::READY_NO_WRITES,
                }
                .to_owned())
            }
        }
    }
}

async fn check(name: &'static str, look: impl Future<Output = Result<String, String>>) -> ReadyCheck {
    check_within(CHECK_LIMIT, name, look).await
}

async fn check_within(
    limit: Duration,
    name: &'static str,
    look: impl Future<Output = Result<String, String>>,
) -> ReadyCheck {
    let start = Instant::now();
    let found = timeout(limit, look)
        .await
        .unwrap_or_else(|_| Err(format!("No answer within {} s.", limit.as_secs())));
    let is_ok = found.is_ok();
    ReadyCheck {
        name,
        is_required: true,
        is_ok,
        detail: found.unwrap_or_else(|why| why),
        duration: start.elapsed(),
    }
}

fn engines(identifier: &Identifier) -> Result<String, String> {
    let stats = identifier.engine_stats();
    let found = format!("{} of {} engines run.", stats.engines_alive, stats.engines);
    if stats.engines_alive < stats.engines {
        return Err(found);
    }
    if stats.recent_restarts >= MAX_RECENT_RESTARTS {
        return Err(format!("{} engines were replaced in the last ten minutes.", stats.recent_restarts));
    }
    Ok(found)
}

/// The check of a vector index on a server. It is not required: all servers share it, so none would be ready.
fn index(status: &IndexStatus) -> Result<String, String> {
    let IndexStatus { condition, held, wanted, told, to_tell, .. } = status;
    let without = "Scans are answered without taught parts.";
    match condition {
        IndexCondition::Whole => Ok(format!("The vector index holds {held} of {wanted} references.")),
        IndexCondition::Filling if *to_tell > 0 => {
            Err(format!("The vector index was told {told} of {to_tell} references. {without}"))
        }
        IndexCondition::Filling => Err(format!("The vector index lacks references. {without}")),
        IndexCondition::Away => Err(format!("The vector index does not answer. {without}")),
        IndexCondition::Unknown => Err(format!("The vector index was not looked at yet. {without}")),
    }
}

/// The check of a folder or bucket for photographs. It is not required: all servers share it, and scans are answered
/// without it.
fn photo_storage(condition: Result<(), String>) -> Result<String, String> {
    match condition {
        Ok(()) => Ok("The photograph storage answers.".to_owned()),
        Err(reason) => Err(format!(
            "The photograph storage cannot be used: {reason}. New photographs are kept in the database until it can."
        )),
    }
}

fn has_room(free_bytes: Option<u64>) -> Result<String, String> {
    let megabytes = |bytes: u64| bytes / (1024 * 1024);
    match free_bytes {
        Some(free) if free < MIN_FREE_BYTES => Err(format!(
            "{} MB are free for the data, and {} MB should be.",
            megabytes(free),
            megabytes(MIN_FREE_BYTES)
        )),
        Some(free) => Ok(format!("{} MB are free for the data.", megabytes(free))),
        // Free space is not known here, so the check does not fail.
        None => Ok("The free space cannot be told on this system.".to_owned()),
    }
}

impl Operations {
    /// Whether the database answers and accepts writes.
    pub async fn check_health(&self) -> Result<()> {
        self.store.ping().await?;
        Ok(self.store.check_writes().await?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::DatabaseUrl;

    #[cfg(target_os = "linux")]
    #[test]
    fn the_disk_of_a_database_elsewhere_counts_as_well() {
        let mut settings = Settings::default();
        settings.data.dir = std::env::temp_dir();
        assert!(ReadyState::new(&settings).free_bytes().is_some_and(|free| free > 0));
        // A file system without any room.
        settings.data.database_url = Some(DatabaseUrl::new("sqlite:/proc/partsight.db"));
        let full = ReadyState::new(&settings).free_bytes();
        assert_eq!(full, Some(0));
        assert!(has_room(full).is_err());
    }

    #[tokio::test]
    async fn a_check_that_does_not_end_has_failed() {
        let check = check_within(Duration::ZERO, "canary", std::future::pending()).await;
        assert_eq!(
            (check.name, check.is_ok, check.detail.as_str()),
            ("canary", false, "No answer within 0 s.")
        );
    }
}
