//! Saves the outcomes of claimed items: those of one batch together, because each commit waits for the disk, however
//! little it saves.

use std::collections::BTreeSet;

use jiff::Timestamp;
use partsight_domain::{
    BatchId, BatchItemId, BatchItemState, BatchState, NewEvent, Scan, ScanUsage, doubt_of,
};
use sqlx::{AnyConnection, AssertSqlSafe};

use super::events::{batch_finished, batch_stopped, item_failed};
use super::groups::forget_group_doubt;
use super::queue::HeldBatch;
use crate::accounts::count_usage;
use crate::many_rows::{repeated, runs};
use crate::scanning::{NewScan, save_scans_in};
use crate::transaction::retried;
use crate::{Error, Store, rows};

/// The outcome of an item without an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ItemOutcome {
    /// It shows no known part.
    NotAPart(String),
    /// It failed for this reason, and is not retried automatically.
    Failed(String),
    /// It is retried.
    TryAgain {
        /// Whether this attempt counts.
        counts: bool,
    },
    /// The whole batch stops for this reason; the item waits.
    StopBatch(String),
}

/// The end of an item.
#[derive(Debug, Clone, Copy)]
pub struct ItemEnd<'a> {
    /// The item.
    pub item_id: BatchItemId,
    /// Its result.
    pub result: ItemResult<'a>,
}

/// The result of an item.
#[derive(Debug, Clone, Copy)]
pub enum ItemResult<'a> {
    /// A scan. Its `call`, if any, is ignored.
    Answer(NewScan<'a>),
    /// No answer.
    NoAnswer {
        /// The outcome.
        outcome: &'a ItemOutcome,
        /// How it counts in the usage nevertheless.
        usage: Option<ScanUsage>,
    },
}

impl Store {
    /// Ends items of one batch in one transaction, and returns for each whether it was held. An item is not held if
    /// another worker has it by now, or if it was cancelled or deleted; nothing of it is saved or counted. If an item
    /// ends twice, because it was claimed again before its earlier claim had ended, the first end counts.
    ///
    /// # Errors
    /// [`Error::LimitReached`] if the allowance is too small for all of them. After any error no item has ended; each
    /// can still be ended by itself.
    pub async fn end_batch_items(
        &self,
        batch: &HeldBatch,
        ends: &[ItemEnd<'_>],
        now: Timestamp,
    ) -> Result<Vec<bool>, Error> {
        let mut items = BTreeSet::new();
        let mut were_held: Vec<bool> = ends.iter().map(|end| items.insert(end.item_id)).collect();
        loop {
            let held: Vec<ItemEnd<'_>> =
                ends.iter().zip(&were_held).filter(|(_, is_held)| **is_held).map(|(end, _)| *end).collect();
            let lost = retried(|| self.try_to_end(batch, &held, now)).await?;
            if lost.is_empty() {
                return Ok(were_held);
            }
            // Retried without those that are not held: their scans must not be saved.
            for (end, was_held) in ends.iter().zip(&mut were_held) {
                *was_held &= !lost.contains(&end.item_id);
            }
        }
    }

    /// Ends these items. If some are not held, ends none, and returns those.
    async fn try_to_end(
        &self,
        batch: &HeldBatch,
        ends: &[ItemEnd<'_>],
        now: Timestamp,
    ) -> Result<Vec<BatchItemId>, Error> {
        if ends.is_empty() {
            return Ok(Vec::new());
        }
        let mut tx = self.begin().await?;
        match end_items_in(self, batch, ends, now, &mut tx).await {
            Ok(lost) if lost.is_empty() => {
                tx.commit().await?;
                Ok(lost)
            }
            // Expected results, so the connection goes back to the pool; after any other error it is closed.
            Ok(lost) => {
                tx.rollback().await?;
                Ok(lost)
            }
            Err(error @ Error::LimitReached { .. }) => {
                tx.rollback().await?;
                Err(error)
            }
            Err(error) => Err(error),
        }
    }
}

/// Ends items of one batch in a transaction, and returns those that are not held. If there are any, or after an
/// error, the transaction must be rolled back.
async fn end_items_in(
    store: &Store,
    batch: &HeldBatch,
    ends: &[ItemEnd<'_>],
    now: Timestamp,
    tx: &mut AnyConnection,
) -> Result<Vec<BatchItemId>, Error> {
    // The account before its batch, by the order of locks.
    save_scans_of(batch, ends, &mut *tx).await?;
    let usages: Vec<_> = ends.iter().filter_map(|end| Some((end.usage()?, now))).collect();
    count_usage(batch.user_id, &usages, &mut *tx).await?;
    // So that when two workers end the last items of a batch, the second one sees that the others have ended, and
    // finishes the batch once.
    lock_batch(batch.batch_id, &mut *tx).await?;
    let (lost, groups) = set_ends(batch, ends, &mut *tx).await?;
    if !lost.is_empty() {
        return Ok(lost);
    }
    delete_photos(ends, &mut *tx).await?;
    for group in groups {
        forget_group_doubt(batch.batch_id, group, &mut *tx).await?;
    }
    let stopped = stop_batch(batch.batch_id, ends, &mut *tx).await?;
    let finished = finish_batch(batch.batch_id, &mut *tx).await?;
    let mut events: Vec<(NewEvent, Timestamp)> = Vec::new();
    for end in ends {
        events.extend(end.event(batch.batch_id, now, &mut *tx).await?);
    }
    events.extend(stopped.into_iter().chain(finished).map(|event| (event, now)));
    // Events last, since they lock the tenant's counter.
    store.append_events(batch.tenant_id, &events, tx).await?;
    Ok(lost)
}

async fn save_scans_of(batch: &HeldBatch, ends: &[ItemEnd<'_>], tx: &mut AnyConnection) -> Result<(), Error> {
    let answers = ends.iter().filter_map(|end| match end.result {
        ItemResult::Answer(new) => Some(new),
        ItemResult::NoAnswer { .. } => None,
    });
    let scans: Vec<NewScan<'_>> = answers.collect();
    if !scans.is_empty() {
        save_scans_in(batch.tenant_id, batch.user_id, &scans, tx).await?;
    }
    Ok(())
}

impl ItemEnd<'_> {
    /// Whether its photograph is deleted. A failed item keeps its photograph for a retry.
    fn needs_no_photo(&self) -> bool {
        match self.result {
            ItemResult::Answer(_) => true,
            ItemResult::NoAnswer { outcome, .. } => matches!(outcome, ItemOutcome::NotAPart(_)),
        }
    }

    /// How it counts in the usage if it has no answer; an answer counts with its scan.
    fn usage(&self) -> Option<ScanUsage> {
        match self.result {
            ItemResult::Answer(_) => None,
            ItemResult::NoAnswer { usage, .. } => usage,
        }
    }

    /// The event about it and its time, if there is one.
    async fn event(
        &self,
        batch_id: BatchId,
        now: Timestamp,
        tx: &mut AnyConnection,
    ) -> Result<Option<(NewEvent, Timestamp)>, Error> {
        Ok(match self.result {
            ItemResult::Answer(NewScan { scan, .. }) => {
                Some((scan.answered(Some((batch_id, self.item_id))), scan.scanned_at))
            }
            ItemResult::NoAnswer { outcome: ItemOutcome::Failed(_), .. } => {
                Some((item_failed(self.item_id, tx).await?, now))
            }
            ItemResult::NoAnswer { .. } => None,
        })
    }
}

/// Locks the row of a batch until the transaction ends; to be called before its items are locked.
async fn lock_batch(id: BatchId, tx: &mut AnyConnection) -> Result<(), Error> {
    sql!("UPDATE batch SET served_at = served_at WHERE batch_id = $1", [id]).execute(tx).await?;
    Ok(())
}

/// Ends the items that are held. Returns those that are not, and the groups of those with an answer.
async fn set_ends(
    batch: &HeldBatch,
    ends: &[ItemEnd<'_>],
    tx: &mut AnyConnection,
) -> Result<(Vec<BatchItemId>, BTreeSet<BatchItemId>), Error> {
    let (mut lost, mut answered) = (Vec::new(), Vec::new());
    for end in ends {
        match end.result {
            ItemResult::Answer(NewScan { scan, .. }) => answered.push((end.item_id, scan)),
            ItemResult::NoAnswer { outcome, .. } => {
                if !set_outcome(batch, end.item_id, outcome, &mut *tx).await? {
                    lost.push(end.item_id);
                }
            }
        }
    }
    let mut groups = BTreeSet::new();
    for run in runs(&answered) {
        let mut missing: BTreeSet<BatchItemId> = run.iter().map(|(id, _)| *id).collect();
        for (id, group) in set_answered(batch, run, &mut *tx).await? {
            missing.remove(&id);
            groups.extend(group);
        }
        lost.extend(missing);
    }
    Ok((lost, groups))
}

/// Ends those items that are held, each with its scan; returns them with their groups.
async fn set_answered(
    batch: &HeldBatch,
    answered: &[(BatchItemId, &Scan)],
    tx: &mut AnyConnection,
) -> Result<Vec<(BatchItemId, Option<BatchItemId>)>, Error> {
    let mut query = sql!(
        AssertSqlSafe(format!(
            "UPDATE batch_item SET state = $1, lease_worker = NULL, lease_until = NULL, problem = NULL, \
                                   scan_id = answered.column2, doubt = answered.column3 \
             FROM (VALUES {}) AS answered \
             WHERE batch_item_id = answered.column1 AND lease_worker = $2 RETURNING batch_item_id, group_id",
            repeated("($1, $2, $3)", 3, answered.len(), 2)
        )),
        [BatchItemState::Answered, batch.worker]
    );
    for (id, scan) in answered {
        query = with_values!(query, [id, scan.id, doubt_of(scan.verdict, scan.best.confidence)]);
    }
    let rows = query.fetch_all(tx).await?;
    rows.iter()
        .map(|row| Ok((rows::parsed(row, "batch_item_id")?, rows::optional(row, "group_id")?)))
        .collect()
}

/// Ends an item without an answer; returns whether it was held.
async fn set_outcome(
    batch: &HeldBatch,
    id: BatchItemId,
    outcome: &ItemOutcome,
    tx: &mut AnyConnection,
) -> Result<bool, Error> {
    let (state, problem) = match outcome {
        ItemOutcome::NotAPart(problem) => (BatchItemState::NotAPart, Some(problem)),
        ItemOutcome::Failed(problem) => (BatchItemState::Failed, Some(problem)),
        ItemOutcome::TryAgain { .. } | ItemOutcome::StopBatch(_) => (BatchItemState::Waiting, None),
    };
    // The claim counted the attempt; it is subtracted if the photograph did not cause the failure.
    let is_uncounted = matches!(outcome, ItemOutcome::TryAgain { counts: false } | ItemOutcome::StopBatch(_));
    let query = sql!(
        "UPDATE batch_item SET state = $3, lease_worker = NULL, lease_until = NULL, problem = $4, scan_id = NULL, \
                               doubt = $5, attempts = attempts - $6 \
         WHERE batch_item_id = $1 AND lease_worker = $2",
        [id, batch.worker, state, problem, state.doubt(), is_uncounted]
    );
    Ok(query.execute(tx).await?.rows_affected() > 0)
}

/// Deletes the photographs that are no longer needed.
async fn delete_photos(ends: &[ItemEnd<'_>], tx: &mut AnyConnection) -> Result<(), Error> {
    let unneeded: Vec<BatchItemId> =
        ends.iter().filter(|end| end.needs_no_photo()).map(|end| end.item_id).collect();
    for run in runs(&unneeded) {
        let mut query = sqlx::query(AssertSqlSafe(format!(
            "DELETE FROM batch_photo WHERE batch_item_id IN ({})",
            repeated("$1", 1, run.len(), 0)
        )));
        for id in run {
            query = with_values!(query, [id]);
        }
        query.execute(&mut *tx).await?;
    }
    Ok(())
}

/// Stops a running batch if an item says so, and returns the event about it.
async fn stop_batch(
    id: BatchId,
    ends: &[ItemEnd<'_>],
    tx: &mut AnyConnection,
) -> Result<Option<NewEvent>, Error> {
    let reason = ends.iter().find_map(|end| match end.result {
        ItemResult::NoAnswer { outcome: ItemOutcome::StopBatch(reason), .. } => Some(reason),
        _ => None,
    });
    let Some(reason) = reason else { return Ok(None) };
    let query = sql!(
        "UPDATE batch SET state = $2, reason = $3 WHERE batch_id = $1 AND state = $4",
        [id, BatchState::Stopped, reason, BatchState::Running]
    );
    if query.execute(&mut *tx).await?.rows_affected() == 0 {
        return Ok(None);
    }
    batch_stopped(id, tx).await.map(Some)
}

/// Marks a running batch as done if these were its last items, and returns the event about it.
async fn finish_batch(id: BatchId, tx: &mut AnyConnection) -> Result<Option<NewEvent>, Error> {
    let query = sql!(
        "UPDATE batch SET state = 'done' WHERE batch_id = $1 AND state = 'running' AND NOT EXISTS \
             (SELECT 1 FROM batch_item WHERE batch_id = $1 AND state IN ('waiting', 'running'))",
        [id]
    );
    if query.execute(&mut *tx).await?.rows_affected() == 0 {
        return Ok(None);
    }
    batch_finished(id, tx).await.map(Some)
}
