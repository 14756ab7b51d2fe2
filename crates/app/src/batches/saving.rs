//! Saves outcomes in groups, because a commit waits for the disk regardless of its size, for about as long as a
//! photograph takes.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use partsight_domain::{BatchId, ScanUsage};
use partsight_store::{ItemEnd, ItemOutcome, ItemResult};
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};
use tokio::time::{Duration, Instant, sleep, timeout};
use tracing::Instrument as _;

use crate::batches::Batches;
use crate::batches::claims::HeldItem;
use crate::batches::outcome::outcome;
use crate::scanning::item_answers::ItemAnswer;
use crate::with_causes;
use crate::{Error, Result};

/// How long an outcome waits for others; the web app polls a running batch once a second.
const WAIT: Duration = Duration::from_millis(200);
/// A group of so many outcomes, or with pictures of so many bytes, is saved at once.
const ENOUGH: usize = 64;
const ENOUGH_BYTES: u64 = 8 * 1024 * 1024;
/// Attempts while the database is unavailable, and the wait between two.
const TRIES: usize = 3;
const TRY_AGAIN_AFTER: Duration = Duration::from_secs(1);

/// How a photograph ended.
pub(super) enum End {
    /// With an answer.
    Answer(Box<ItemAnswer>),
    /// Without an answer, and how it counts in the usage nevertheless.
    NoAnswer(ItemOutcome, Option<ScanUsage>),
}

/// A photograph whose outcome is not saved yet.
pub(super) struct EndedItem {
    held: HeldItem,
    end: End,
    _room: Room,
}

/// A permit for one photograph in work or not yet saved. `None` only for a closed semaphore, which does not happen.
pub(super) type Room = Option<OwnedSemaphorePermit>;

/// Photographs whose outcomes are not saved yet.
pub(super) struct EndedItems {
    /// The next group.
    waiting: Mutex<Group>,
    /// Held while a group is saved. What ends in the meantime is the next group.
    is_saving: tokio::sync::Mutex<()>,
    /// Bounds memory if the disk is slower than the model.
    room: Arc<Semaphore>,
}

#[derive(Default)]
struct Group {
    items: Vec<EndedItem>,
    /// Notified when the group is full. Its own, so that what was full while another group was saved does not end the
    /// wait of the next one.
    is_enough: Arc<Notify>,
}

impl EndedItem {
    pub(super) fn new(held: HeldItem, end: End, room: Room) -> Self {
        Self { held, end, _room: room }
    }

    fn as_end(&self) -> ItemEnd<'_> {
        let result = match &self.end {
            End::Answer(answer) => answer.result(),
            End::NoAnswer(outcome, usage) => ItemResult::NoAnswer { outcome, usage: *usage },
        };
        ItemEnd { item_id: self.held.item.lease.item_id, result }
    }

    fn n_bytes(&self) -> u64 {
        match &self.end {
            End::Answer(answer) => answer.n_bytes(),
            End::NoAnswer(..) => 0,
        }
    }
}

impl EndedItems {
    /// With permits for `n_workers` photographs in work and two groups: one being saved, and the next.
    pub(super) fn new(n_workers: usize) -> Self {
        Self {
            waiting: Mutex::default(),
            is_saving: tokio::sync::Mutex::default(),
            room: Arc::new(Semaphore::new(n_workers + 2 * ENOUGH)),
        }
    }

    /// Waits for a permit for one more photograph.
    pub(super) async fn room(&self) -> Room {
        Arc::clone(&self.room).acquire_owned().await.ok()
    }

    /// Adds an outcome; for the first of a group, returns what is notified when the group is full.
    fn add(&self, ended: EndedItem) -> Option<Arc<Notify>> {
        let mut group = self.waiting();
        let is_first = group.items.is_empty();
        group.items.push(ended);
        if group.items.len() >= ENOUGH
            || group.items.iter().map(EndedItem::n_bytes).sum::<u64>() >= ENOUGH_BYTES
        {
            group.is_enough.notify_one();
        }
        is_first.then(|| Arc::clone(&group.is_enough))
    }

    fn waiting(&self) -> MutexGuard<'_, Group> {
        // A poisoned lock is safe to use: each change of the list is a single operation.
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends the wait of the current group.
    pub(super) fn end_wait(&self) {
        self.waiting().is_enough.notify_one();
    }
}

impl Batches {
    /// Saves an outcome in the background, together with others that end at about the same time. On shutdown the server
    /// waits for it.
    pub(super) fn save_soon(&self, ended: EndedItem) {
        // The first outcome starts the wait of its group.
        if let Some(is_enough) = self.ended.add(ended) {
            let batches = self.clone();
            self.scanning.tasks.begin(async move {
                let _ = timeout(WAIT, is_enough.notified()).await;
                batches.save_ended().await;
            });
        }
    }

    /// Saves all outcomes. It survives cancellation of the caller, because what it takes off the list would be lost
    /// otherwise.
    pub(super) async fn save_ended(&self) {
        let batches = self.clone();
        let work = async move {
            batches.save_to_the_end().await;
            Ok(())
        };
        if let Err(error) = self.scanning.tasks.run(work.in_current_span()).await {
            tracing::warn!(reason = with_causes(&error), "photographs of batches are answered again");
        }
    }

    async fn save_to_the_end(&self) {
        let _saving = self.ended.is_saving.lock().await;
        // Taken only while holding the lock, so that it includes what ended during the previous save.
        let ended = std::mem::take(&mut *self.ended.waiting());
        let mut by_batch: BTreeMap<BatchId, Vec<EndedItem>> = BTreeMap::new();
        for one in ended.items {
            by_batch.entry(one.held.item.lease.batch.batch_id).or_default().push(one);
        }
        for group in by_batch.into_values() {
            self.save_group(&group).await;
        }
    }

    async fn save_group(&self, group: &[EndedItem]) {
        let Err(error) = self.try_to_save(group).await else { return };
        self.space.note(matches!(error, Error::StorageFull(_)));
        if matches!(error, Error::DatabaseBusy { .. }) {
            // Saving them singly would fail as well. They are claimed again when their leases expire.
            let (reason, n_items) = (with_causes(&error), group.len());
            tracing::warn!(reason, n_items, "photographs of a batch are answered again");
            return;
        }
        if let [alone] = group {
            self.save_failure(alone, error).await;
            return;
        }
        // Saved singly, so that one that cannot be saved does not affect the others.
        tracing::info!(reason = with_causes(&error), "photographs of a batch are saved one by one");
        for one in group {
            if let Err(error) = self.try_to_save(std::slice::from_ref(one)).await {
                self.save_failure(one, error).await;
            }
        }
    }

    /// Saves a group in one transaction. Photographs that this server no longer holds are left out.
    async fn try_to_save(&self, group: &[EndedItem]) -> Result<()> {
        let Some(first) = group.first() else { return Ok(()) };
        let batch = first.held.item.lease.batch;
        let ends: Vec<ItemEnd<'_>> = group.iter().map(EndedItem::as_end).collect();
        let mut n_tries = 1;
        let (were_held, took) = loop {
            let start = Instant::now();
            let span =
                tracing::debug_span!("store", otel.kind = "client", db.operation.name = "end_batch_items");
            let saved = self.store.end_batch_items(&batch, &ends, self.clock.now()).instrument(span).await;
            match saved.map_err(Error::from) {
                Ok(were_held) => break (were_held, start.elapsed()),
                Err(Error::DatabaseBusy { .. }) if n_tries < TRIES => {
                    n_tries += 1;
                    sleep(TRY_AGAIN_AFTER).await;
                }
                Err(error) => return Err(error),
            }
        };
        let took_each = took / u32::try_from(group.len()).unwrap_or(u32::MAX);
        for (ended, was_held) in group.iter().zip(were_held) {
            if let (End::Answer(answer), true) = (&ended.end, was_held) {
                self.scanning.item_was_saved(batch.tenant_id, answer, took_each).await;
            }
        }
        Ok(())
    }

    /// Marks a photograph as failed because its outcome could not be saved.
    async fn save_failure(&self, ended: &EndedItem, error: Error) {
        let item = &ended.held.item;
        let Some(outcome) = outcome(error, item.attempts) else { return };
        let result = ItemResult::NoAnswer { outcome: &outcome, usage: None };
        let end = ItemEnd { item_id: item.lease.item_id, result };
        if let Err(error) = self.store.end_batch_items(&item.lease.batch, &[end], self.clock.now()).await {
            let reason = with_causes(&error);
            tracing::warn!(reason, "a photograph of a batch could not be ended, and is tried again");
        }
    }
}
