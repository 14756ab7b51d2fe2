//! Saves answered scans. Those of one user that are answered while another is being saved are saved together, in one
//! transaction: each commit waits for the disk, however little it saves, and SQLite has one writer.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::{Mutex, MutexGuard, PoisonError};

use partsight_domain::{ScanPhoto, TenantId, User, UserId};
use partsight_store::{IdempotentCall, NewScan};
use tokio::sync::oneshot;
use tokio::time::{Duration, Instant};
use tracing::Instrument as _;

use crate::metrics::Stage;
use crate::scanning::Scanning;
use crate::scanning::scans::{MadeScan, n_bytes};
use crate::{Error, Result};

/// A group has at most so many scans, or pictures of about so many bytes.
const ENOUGH: usize = 32;
const ENOUGH_BYTES: u64 = 8 * 1024 * 1024;

/// Answered scans that wait for the transaction before theirs, by user. A user with an entry has a task that saves
/// them.
#[derive(Default)]
pub(super) struct UnsavedScans(Mutex<HashMap<UserId, Vec<UnsavedScan>>>);

/// An answered scan, which its request waits to see saved.
struct UnsavedScan {
    made: MadeScan,
    call: Option<IdempotentCall>,
    done: oneshot::Sender<(MadeScan, Attempt)>,
}

/// How it went for a scan of a group.
enum Attempt {
    /// It was the only one.
    Alone(Result<()>),
    /// All were saved.
    Saved,
    /// None was saved, perhaps because of another one.
    NotSaved,
}

impl UnsavedScan {
    fn as_new(&self) -> NewScan<'_> {
        self.made.as_new(self.call.as_ref())
    }
}

impl UnsavedScans {
    /// Adds a scan; returns whether its user needs a task that saves it.
    fn add(&self, user_id: UserId, scan: UnsavedScan) -> bool {
        let mut unsaved = self.lock();
        match unsaved.entry(user_id) {
            Entry::Occupied(mut waiting) => {
                waiting.get_mut().push(scan);
                false
            }
            Entry::Vacant(none) => {
                none.insert(vec![scan]);
                true
            }
        }
    }

    /// Takes the next group of a user, the oldest first; if there is none, the user's task ends.
    fn next_group(&self, user_id: UserId) -> Vec<UnsavedScan> {
        let mut unsaved = self.lock();
        let Some(waiting) = unsaved.get_mut(&user_id) else { return Vec::new() };
        if waiting.is_empty() {
            unsaved.remove(&user_id);
            return Vec::new();
        }
        let mut bytes = 0;
        let enough = waiting.iter().position(|scan| {
            bytes += n_bytes(&scan.made.photos);
            bytes >= ENOUGH_BYTES
        });
        let n_scans = enough.map_or(waiting.len(), |last| last + 1).min(ENOUGH);
        waiting.drain(..n_scans).collect()
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<UserId, Vec<UnsavedScan>>> {
        // A poisoned lock is safe to use: each change of the map is a single operation.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Ends the turn of a user's task that panics: its scans are answered with an error, and the next scan begins anew.
struct Turn<'a> {
    unsaved: &'a UnsavedScans,
    user_id: UserId,
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.unsaved.lock().remove(&self.user_id);
        }
    }
}

impl Scanning {
    /// Saves an answered scan, and returns it.
    ///
    /// # Errors
    /// [`Error::LimitReached`] if the allowance is used up, [`Error::CallRunning`] if `call` was answered meanwhile.
    pub(super) async fn save(
        &self,
        user: &User,
        made: MadeScan,
        call: Option<IdempotentCall>,
    ) -> Result<MadeScan> {
        let span = tracing::debug_span!("store", otel.kind = "client", db.operation.name = "save_scan");
        self.save_with_others(user, made, call).instrument(span).await
    }

    async fn save_with_others(
        &self,
        user: &User,
        made: MadeScan,
        call: Option<IdempotentCall>,
    ) -> Result<MadeScan> {
        let start = Instant::now();
        let (done, saved) = oneshot::channel();
        if self.unsaved.add(user.id, UnsavedScan { made, call: call.clone(), done }) {
            let (scanning, tenant_id, user_id) = (self.clone(), user.tenant_id, user.id);
            self.tasks.begin(async move { scanning.save_unsaved(tenant_id, user_id).await });
        }
        // Without an answer, the server stops, or the task has panicked.
        let (made, attempt) = saved.await.map_err(|_| Error::ShuttingDown)?;
        match attempt {
            Attempt::Saved => {}
            Attempt::Alone(result) => result?,
            Attempt::NotSaved => {
                self.store.save_scan(user.tenant_id, user.id, &made.as_new(call.as_ref())).await?;
            }
        }
        self.note_saved(user.tenant_id, &made.photos, start.elapsed());
        Ok(made)
    }

    /// Saves the scans of a user in groups until none waits.
    async fn save_unsaved(&self, tenant_id: TenantId, user_id: UserId) {
        let _turn = Turn { unsaved: &self.unsaved, user_id };
        loop {
            let group = self.unsaved.next_group(user_id);
            if group.is_empty() {
                return;
            }
            let new: Vec<NewScan<'_>> = group.iter().map(UnsavedScan::as_new).collect();
            let saved = self.store.save_scans(tenant_id, user_id, &new).await.map(drop);
            let is_saved = saved.is_ok();
            let mut alone = (group.len() == 1).then_some(saved);
            for UnsavedScan { made, done, .. } in group {
                let of_group = if is_saved { Attempt::Saved } else { Attempt::NotSaved };
                let attempt =
                    alone.take().map_or(of_group, |saved| Attempt::Alone(saved.map_err(Error::from)));
                // Nobody waits any more only if the server stops.
                let _ = done.send((made, attempt));
            }
        }
    }

    /// Adds a saved scan with its pictures to the counts, and records how long saving took.
    pub(super) fn note_saved(&self, tenant_id: TenantId, photos: &[ScanPhoto], took: Duration) {
        self.accounts.kept_scans.add(tenant_id, n_bytes(photos));
        self.metrics.observe_stage(Stage::Store, took);
    }
}
