//! Saves answered scans. Those of one account that are answered while another is being saved are saved together, in one
//! transaction: each commit waits for the disk, however little it saves, and SQLite has one writer.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::{Mutex, MutexGuard, PoisonError};

use partsight_domain::{TenantId, User, UserId};
use partsight_store::{IdempotentCall, NewScan};
use tokio::sync::oneshot;
use tokio::time::{Duration, Instant};
use tracing::Instrument as _;

use crate::metrics::Stage;
use crate::scanning::Scanning;
use crate::scanning::made_scan::MadeScan;
use crate::scanning::scans::n_bytes;
use crate::{Error, Result};

/// A group has at most so many scans, or pictures of about so many bytes.
const ENOUGH: usize = 32;
const ENOUGH_BYTES: u64 = 8 * 1024 * 1024;

/// A user, and the tenant in which they scanned: whoever joins or leaves a company meanwhile has another one.
type Account = (TenantId, UserId);
pub(super) type UnsavedScans = Waiting<UnsavedScan>;

/// What waits for the transaction before its own, by account. An account with an entry has a task that saves it.
pub(super) struct Waiting<T>(Mutex<HashMap<Account, Vec<T>>>);

/// An answered scan, which its request waits to see saved.
pub(super) struct UnsavedScan {
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

    fn n_bytes(&self) -> u64 {
        n_bytes(&self.made.photos)
    }
}

impl<T> Default for Waiting<T> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<T> Waiting<T> {
    /// Adds one; returns whether its account needs a task that saves it.
    fn add(&self, account: Account, one: T) -> bool {
        let mut all = self.lock();
        match all.entry(account) {
            Entry::Occupied(mut waiting) => {
                waiting.get_mut().push(one);
                false
            }
            Entry::Vacant(none) => {
                none.insert(vec![one]);
                true
            }
        }
    }

    /// Takes the next group of an account, the oldest first; if there is none, the account's task ends.
    fn next_group(&self, account: Account, n_bytes: impl Fn(&T) -> u64) -> Vec<T> {
        let mut all = self.lock();
        let Some(waiting) = all.get_mut(&account) else { return Vec::new() };
        if waiting.is_empty() {
            all.remove(&account);
            return Vec::new();
        }
        let mut bytes = 0;
        let enough = waiting.iter().position(|one| {
            bytes += n_bytes(one);
            bytes >= ENOUGH_BYTES
        });
        let n_taken = enough.map_or(waiting.len(), |last| last + 1).min(ENOUGH);
        waiting.drain(..n_taken).collect()
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Account, Vec<T>>> {
        // A poisoned lock is safe to use: each change of the map is a single operation.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Ends the turn of an account's task that panics: what waits is dropped, which tells its requests, and the next scan
/// begins anew.
struct Turn<'w, T> {
    waiting: &'w Waiting<T>,
    account: Account,
}

impl<T> Drop for Turn<'_, T> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.waiting.lock().remove(&self.account);
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
        let account = (user.tenant_id, user.id);
        if self.unsaved.add(account, UnsavedScan { made, call: call.clone(), done }) {
            let scanning = self.clone();
            self.tasks.begin(async move { scanning.save_unsaved(account).await });
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
        self.note_saved(user.tenant_id, n_bytes(&made.photos), start.elapsed());
        Ok(made)
    }

    /// Saves the scans of an account in groups until none waits.
    async fn save_unsaved(&self, account: Account) {
        let (tenant_id, user_id) = account;
        let _turn = Turn { waiting: &self.unsaved, account };
        loop {
            let group = self.unsaved.next_group(account, UnsavedScan::n_bytes);
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

    /// Adds a saved scan to the counts, with the bytes by which it needs more space, and records how long saving took.
    pub(super) fn note_saved(&self, tenant_id: TenantId, n_bytes: u64, took: Duration) {
        self.accounts.kept_scans.add(tenant_id, n_bytes);
        self.metrics.observe_stage(Stage::Store, took);
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    /// Bytes, as [`UnsavedScan::n_bytes`].
    type Sizes = Waiting<u64>;

    fn account() -> Account {
        (TenantId(Uuid::now_v7()), UserId(Uuid::now_v7()))
    }

    fn next_group(waiting: &Sizes, account: Account) -> Vec<u64> {
        waiting.next_group(account, |size| *size)
    }

    #[test]
    fn what_comes_while_one_is_saved_is_the_next_group_of_the_same_task() {
        let (waiting, ann) = (Sizes::default(), account());
        assert!(waiting.add(ann, 1));
        assert_eq!(next_group(&waiting, ann), [1]);
        assert!(!waiting.add(ann, 2));
        assert!(!waiting.add(ann, 3));
        assert_eq!(next_group(&waiting, ann), [2, 3]);
        assert!(next_group(&waiting, ann).is_empty());
        // That task has ended.
        assert!(waiting.add(ann, 4));
    }

    #[test]
    fn scans_in_two_tenants_are_never_saved_together() {
        let (waiting, alone) = (Sizes::default(), account());
        let in_company = (TenantId(Uuid::now_v7()), alone.1);
        assert!(waiting.add(alone, 1));
        assert!(waiting.add(in_company, 2));
        assert_eq!(next_group(&waiting, alone), [1]);
        assert_eq!(next_group(&waiting, in_company), [2]);
    }

    #[test]
    fn a_group_is_bounded_in_number_and_in_bytes() {
        let (waiting, ann) = (Sizes::default(), account());
        for _ in 0..=ENOUGH {
            waiting.add(ann, 1);
        }
        assert_eq!(next_group(&waiting, ann).len(), ENOUGH);
        waiting.add(ann, ENOUGH_BYTES);
        waiting.add(ann, 2);
        assert_eq!(next_group(&waiting, ann), [1, ENOUGH_BYTES]);
        assert_eq!(next_group(&waiting, ann), [2]);
    }

    #[test]
    fn after_a_task_that_panicked_the_next_scan_needs_a_new_one() {
        let (waiting, ann) = (Sizes::default(), account());
        waiting.add(ann, 1);
        let panicked = std::thread::scope(|scope| {
            scope
                .spawn(|| {
                    let _turn = Turn { waiting: &waiting, account: ann };
                    panic!("as a task might");
                })
                .join()
        });
        assert!(panicked.is_err());
        assert!(waiting.add(ann, 2));
        assert_eq!(next_group(&waiting, ann), [2]);
    }
}
