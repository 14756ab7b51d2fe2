//! The index on a Qdrant server, which is persistent: what was synced need not be synced again.
//!
//! The collection stores its last synced revision, and with every reference the revision of its last change. So a start
//! syncs only later changes. Losses are found by comparing: the number of references and the newest one every few
//! seconds, and each reference once an hour. All of that runs beside the scans, which search a collection only while it is known to be
//! complete.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};
use std::time::Duration;

use partsight_catalog::{EmbeddingSpace, HeldReference, IndexError, QdrantIndex, QdrantOptions, VectorIndex};
use partsight_store::Store;
use tokio::sync::{Mutex, Notify, watch};
use tokio::time::{Instant, timeout_at};

use super::changes::tell_page;
use crate::detached_tasks::DetachedTasks;
use crate::metrics::index_status::{IndexCondition, IndexStatus};
use crate::with_causes;
use crate::{Error, Identifier, Result};

/// Poll interval of a server that answers.
const LOOK_EVERY: Duration = Duration::from_secs(10);
/// Poll interval of a server that does not answer.
const TRY_EVERY: Duration = Duration::from_secs(1);
/// Poll interval of a server that refuses, until somebody fixes that.
const REFUSED_EVERY: Duration = Duration::from_secs(30);
/// How often each reference is compared with the database.
const COMPARE_EVERY: Duration = Duration::from_hours(1);
/// Delay of another comparison after a failed one.
const COMPARE_AGAIN: Duration = Duration::from_mins(5);
/// How long scans do not search a server that did not answer one of them in time.
const LEFT_ALONE_FOR: Duration = Duration::from_secs(5);

/// The index and its state. Shared by scans, which only read the state, and by the task that syncs it.
pub(super) struct ServedIndex {
    pub(super) store: Store,
    pub(super) identifier: Arc<Identifier>,
    pub(super) index: QdrantIndex,
    status: watch::Sender<IndexStatus>,
    /// Held by the task that changes the collection, so that an older state of a reference never overwrites a newer
    /// one.
    pub(super) telling: Mutex<Wanted>,
    is_watched: AtomicBool,
    look: Notify,
    is_over: watch::Sender<bool>,
    left_alone_until: std::sync::Mutex<Option<Instant>>,
}

/// What the collection must hold after a change, cached because counting reads all rows.
#[derive(Debug, Default)]
pub(super) struct Wanted {
    at: Option<(i64, Expected)>,
}

/// The number of references, and the one that was changed last. A snapshot of the collection that was put back lacks a
/// reference that came after it, but keeps the revision, and perhaps the number.
#[derive(Debug, Clone, Copy)]
struct Expected {
    n: u64,
    newest: Option<HeldReference>,
}

impl ServedIndex {
    pub(super) fn new(
        space: EmbeddingSpace,
        options: QdrantOptions,
        store: Store,
        identifier: Arc<Identifier>,
    ) -> Result<Self> {
        Ok(Self {
            store,
            identifier,
            index: QdrantIndex::new(space, options)?,
            status: watch::Sender::default(),
            telling: Mutex::default(),
            is_watched: AtomicBool::new(false),
            look: Notify::new(),
            is_over: watch::Sender::default(),
            left_alone_until: std::sync::Mutex::default(),
        })
    }

    /// Checks that the collection is one of ours, or can be created.
    ///
    /// # Errors
    /// [`Error::VectorIndex`].
    pub(super) async fn open(&self) -> Result<()> {
        self.index.prepare().await?;
        Ok(())
    }

    pub(super) fn status(&self) -> IndexStatus {
        *self.status.borrow()
    }

    pub(super) fn change(&self, change: impl FnOnce(&mut IndexStatus)) {
        self.status.send_modify(change);
    }

    /// Waits until the collection is complete and has the revision `revision`, or until `deadline`.
    pub(super) async fn until_told(&self, revision: i64, deadline: Instant) -> bool {
        let is_told =
            |status: &IndexStatus| status.condition == IndexCondition::Whole && status.revision >= revision;
        if is_told(&self.status()) {
            return true;
        }
        let mut status = self.status.subscribe();
        matches!(timeout_at(deadline, status.wait_for(is_told)).await, Ok(Ok(_)))
    }

    /// Waits until the server was checked once, or until `deadline`.
    pub(super) async fn until_known(&self, deadline: Instant) {
        let mut status = self.status.subscribe();
        let known = status.wait_for(|status| status.condition != IndexCondition::Unknown);
        let _ = timeout_at(deadline, known).await;
    }

    /// Syncs the collection with the changes since the last sync, and repairs it if the number of its references is
    /// wrong, or the newest is missing.
    ///
    /// # Errors
    /// [`Error::VectorIndex`] for a server that is away, or a collection of something else.
    pub(super) async fn bring_up_to_date(&self) -> Result<()> {
        let outcome = self.tell_and_repair().await;
        self.note(&outcome);
        outcome
    }

    async fn tell_and_repair(&self) -> Result<()> {
        if !self.tell_changes().await? {
            // It is only known that some differ, but not which.
            self.compare_and_repair().await?;
            self.count_again().await?;
        }
        Ok(())
    }

    fn note(&self, outcome: &Result<()>) {
        let condition = match outcome {
            Ok(()) => IndexCondition::Whole,
            Err(Error::VectorIndex(_)) => IndexCondition::Away,
            // The database failed, which says nothing about the collection.
            Err(_) => return,
        };
        let before = self.status().condition;
        self.change(|status| status.condition = condition);
        if condition == IndexCondition::Whole && before != condition {
            let IndexStatus { held, revision, .. } = self.status();
            tracing::info!(n_references = held, revision, "the vector index is up to date");
        }
    }

    /// Syncs the changes; returns whether the collection then holds as many references as the database, and its newest.
    async fn tell_changes(&self) -> Result<bool> {
        let mut wanted = self.telling.lock().await;
        loop {
            let revision = self.store.reference_revision().await?;
            let seen = self.tell_until(revision).await?;
            let wanted = self.wanted_at(&mut wanted, seen).await?;
            let held = self.index.count().await?;
            let is_whole = held == wanted.n && self.holds(wanted.newest).await?;
            let wanted = wanted.n;
            if !is_whole && self.store.reference_revision().await? != revision {
                // Another server has synced more meanwhile.
                continue;
            }
            self.change(|status| {
                (status.revision, status.held, status.wanted) = (seen, held, wanted);
                (status.told, status.to_tell) = (0, 0);
                if !is_whole {
                    status.condition = IndexCondition::Filling;
                }
            });
            if !is_whole {
                tracing::warn!(held, wanted, "the vector index does not hold what the database has");
            }
            return Ok(is_whole);
        }
    }

    /// Syncs all changes up to `revision`, and returns the revision of the collection afterwards.
    async fn tell_until(&self, revision: i64) -> Result<i64> {
        let standing = self.index.prepare().await?;
        let stated = standing.revision.unwrap_or(0);
        let before = self.status();
        let is_new = standing.was_made || standing.revision.is_none();
        // If a scan has searched it, it may be a little behind; if it has lost its state, it may not.
        let is_behind = before.condition != IndexCondition::Whole && stated != revision;
        if is_new || is_behind || stated < before.revision {
            self.change(|status| status.condition = IndexCondition::Filling);
        }
        let mut seen = stated;
        // The collection knows of more than the database, of less, or of the same.
        if stated > revision {
            tracing::warn!(
                stated,
                revision,
                "the vector index knows of later changes than the database, which was put back: each reference is \
                 compared"
            );
            self.compare_and_repair_held().await?;
            seen = revision;
        } else if stated < revision {
            // A change can leave no row of this model, so that no page bears its number.
            seen = self.tell_after(stated).await?.max(revision);
        }
        if standing.revision != Some(seen) {
            self.index.state_revision(seen).await?;
        }
        Ok(seen)
    }

    /// Syncs all changes after `seen`, and returns the last revision. The collection stores its revision after each
    /// page, so that an interrupted sync is continued from there.
    async fn tell_after(&self, mut seen: i64) -> Result<i64> {
        let model_sha256 = &self.index.space().model_sha256;
        let to_tell = self.store.count_changed_references(model_sha256, seen).await?;
        self.change(|status| (status.told, status.to_tell) = (0, to_tell));
        let is_long = to_tell > 1000;
        if is_long {
            tracing::info!(n_references = to_tell, "telling the vector index what it does not hold yet");
        }
        while let Some(told) = tell_page(&self.index, &self.store, &self.identifier, seen).await? {
            seen = told.revision;
            self.index.state_revision(seen).await?;
            self.change(|status| status.told += told.n as u64);
            if is_long {
                tracing::info!(
                    n_told = self.status().told,
                    n_references = to_tell,
                    "telling the vector index"
                );
            }
        }
        Ok(seen)
    }

    /// Counts again after a repair. Remaining differences, such as zero vectors, which no index stores, are no loss.
    async fn count_again(&self) -> Result<()> {
        let mut wanted = self.telling.lock().await;
        let held = self.index.count().await?;
        let newest = self.newest().await?;
        let newest = if self.holds(newest).await? { newest } else { None };
        let revision = self.status().revision;
        let expected = Expected { n: held, newest };
        wanted.at = (self.store.reference_revision().await? == revision).then_some((revision, expected));
        self.change(|status| status.held = held);
        Ok(())
    }

    async fn wanted_at(&self, wanted: &mut Wanted, revision: i64) -> Result<Expected> {
        if let Some((at, expected)) = wanted.at
            && at == revision
        {
            return Ok(expected);
        }
        let n = self.store.count_references(&self.index.space().model_sha256).await?;
        let expected = Expected { n, newest: self.newest().await? };
        // Only what was read of this state; somebody may be changing it.
        wanted.at = (self.store.reference_revision().await? == revision).then_some((revision, expected));
        Ok(expected)
    }

    /// The reference of the database that was changed last.
    async fn newest(&self) -> Result<Option<HeldReference>> {
        let newest = self.store.newest_reference(&self.index.space().model_sha256).await?;
        Ok(newest.map(|(id, revision)| HeldReference { id, revision }))
    }

    /// Whether the collection holds this reference, as it was changed last.
    async fn holds(&self, newest: Option<HeldReference>) -> Result<bool> {
        let Some(newest) = newest else { return Ok(true) };
        let (page, _) = self.index.list_held(Some(newest.id), 1).await?;
        Ok(page.first() == Some(&newest))
    }

    /// Empties and rebuilds the collection; `advance` is called with the size of each page. An interrupted rebuild is
    /// continued by the next sync.
    pub(super) async fn rebuild(&self, advance: &mut (dyn FnMut(usize) + Send)) -> Result<u64> {
        let _telling = self.telling.lock().await;
        self.index.prepare().await?;
        let revision = self.store.reference_revision().await?;
        // First, so that it does not count as complete while it is emptied.
        self.index.state_revision(0).await?;
        self.change(|status| status.condition = IndexCondition::Filling);
        self.index.clear().await?;
        let mut seen = 0;
        while let Some(told) = tell_page(&self.index, &self.store, &self.identifier, seen).await? {
            seen = told.revision;
            self.index.state_revision(seen).await?;
            advance(told.n);
        }
        let seen = seen.max(revision);
        self.index.state_revision(seen).await?;
        let held = self.index.count().await?;
        self.change(|status| {
            (status.condition, status.revision, status.held) = (IndexCondition::Whole, seen, held);
        });
        Ok(held)
    }

    /// Records the failure of a scan's search. A server that did not answer is not searched until it was checked.
    pub(super) fn note_search(&self, error: &IndexError) {
        let condition = match error {
            IndexError::CollectionMissing { .. } => IndexCondition::Filling,
            IndexError::WrongDimension { .. } | IndexError::NotUnitLength { .. } => return,
            _ => IndexCondition::Away,
        };
        if matches!(error, IndexError::Unavailable { .. }) {
            let until = Some(Instant::now() + LEFT_ALONE_FOR);
            *self.left_alone_until.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = until;
        }
        self.change(|status| status.condition = condition);
        self.look.notify_one();
    }

    /// Records that a search found fewer references than there must be.
    pub(super) fn note_loss(&self) {
        self.change(|status| status.condition = IndexCondition::Filling);
        self.look.notify_one();
    }

    /// Requests a check of the collection now.
    pub(super) fn look_soon(&self) {
        self.look.notify_one();
    }

    /// Stops the task of [`watch`](Self::watch).
    pub(super) fn stop(&self) {
        self.is_over.send_replace(true);
    }

    /// Starts the task that keeps the collection in sync; a second call does nothing.
    pub(super) fn watch(self: &Arc<Self>, tasks: &DetachedTasks) {
        if self.is_watched.swap(true, Ordering::Relaxed) {
            return;
        }
        let mut is_over = self.is_over.subscribe();
        // It ends with the rooms that search the index, should nobody have stopped it.
        let index = Arc::downgrade(self);
        tasks.begin(async move {
            tokio::select! {
                () = keep(index) => {}
                _ = is_over.wait_for(|is_over| *is_over) => {}
            }
        });
    }

    async fn left_alone(&self) {
        let until = *self.left_alone_until.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if let Some(until) = until {
            tokio::time::sleep_until(until).await;
        }
    }
}

/// Checks the collection again and again, and syncs it.
async fn keep(index: Weak<ServedIndex>) {
    // Compares at once after a start, to find earlier losses first.
    let mut compare_at = Instant::now();
    let mut said = None;
    loop {
        let Some(served) = index.upgrade() else { return };
        served.left_alone().await;
        let outcome = served.bring_up_to_date().await;
        if outcome.is_ok() && compare_at <= Instant::now() {
            let compared = served.compare_and_repair().await;
            if let Err(error) = &compared {
                let reason = with_causes(error);
                tracing::warn!(
                    reason,
                    "the vector index could not be compared with the database; it is tried again"
                );
            }
            compare_at = Instant::now() + if compared.is_ok() { COMPARE_EVERY } else { COMPARE_AGAIN };
        }
        let (wait, sentence) = match &outcome {
            Ok(()) => (LOOK_EVERY, None),
            Err(error @ (Error::VectorIndex(IndexError::Unavailable { .. }) | Error::DatabaseBusy(_))) => {
                (TRY_EVERY, Some(with_causes(error)))
            }
            Err(error) => (REFUSED_EVERY, Some(with_causes(error))),
        };
        // Logged once, however long it lasts.
        if said.is_none()
            && let Some(reason) = &sentence
        {
            tracing::warn!(reason, "scans are answered without taught parts until the vector index is whole");
        }
        said = sentence;
        let look = &served.look;
        let _ = tokio::time::timeout(wait, look.notified()).await;
    }
}
