//! Which photograph is whose. A worker claims one until a moment; whoever is gone by then loses it to another, and what
//! it brings afterwards is refused, because the claim is checked in the transaction that ends it.

use jiff::Timestamp;
use partsight_domain::{
    BatchId, BatchItemId, BatchItemState, BatchState, ScanAllowance, ScanSource, TenantId, UserId, VehicleId,
    doubt_of,
};
use sqlx::{AnyConnection, AssertSqlSafe};
use uuid::Uuid;

use super::events::{batch_finished, batch_stopped, item_failed};
use super::groups::forget_group_doubt;
use crate::events::append_event;
use crate::scanning::{NewScan, save_scan_in};
use crate::transaction::retried;
use crate::{Error, Store, rows};

/// What a worker holds of an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ItemLease {
    /// The item.
    pub item_id: BatchItemId,
    /// Its batch.
    pub batch_id: BatchId,
    /// Who holds it.
    pub worker: Uuid,
}

/// A photograph that a worker has claimed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClaimedItem {
    /// The claim.
    pub lease: ItemLease,
    /// Whose batch it is.
    pub tenant_id: TenantId,
    /// Whose scan it becomes.
    pub user_id: UserId,
    /// The vehicle of the batch.
    pub vehicle_id: Option<VehicleId>,
    /// Where the batch was asked for.
    pub source: ScanSource,
    /// How often it was tried, this time included.
    pub attempts: u32,
    /// The photograph; none where it has gone.
    pub photo: Option<Vec<u8>>,
}

/// What comes of an item that has no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ItemOutcome {
    /// It shows no part that is known.
    NotAPart(String),
    /// It is not tried again by itself, and this is why.
    Failed(String),
    /// It is tried again; `counts` where this try counts.
    TryAgain {
        /// Whether this try counts.
        counts: bool,
    },
    /// The whole batch stops, and this is why; the item waits.
    StopBatch(String),
}

/// Items that can be claimed: they wait, or whoever had them is gone.
const CLAIMABLE: &str =
    "(batch_item.state = 'waiting' OR (batch_item.state = 'running' AND batch_item.lease_until <= $1))";

impl Store {
    /// Whether there is an item to be claimed; asks without writing.
    pub async fn has_batch_work(&self, now: Timestamp) -> Result<bool, Error> {
        let query = sql!(
            AssertSqlSafe(format!(
                "SELECT batch.batch_id FROM batch WHERE batch.state = 'running' AND EXISTS \
                     (SELECT 1 FROM batch_item WHERE batch_item.batch_id = batch.batch_id AND {CLAIMABLE}) LIMIT 1"
            )),
            [now]
        );
        Ok(query.fetch_optional(&self.db).await?.is_some())
    }

    /// Claims an item for `worker` until `until`: one of the batch that was served the longest ago.
    pub async fn claim_batch_item(
        &self,
        worker: Uuid,
        now: Timestamp,
        until: Timestamp,
    ) -> Result<Option<ClaimedItem>, Error> {
        let mut tx = self.begin().await?;
        // The row of the batch is locked first, so that of two workers the second sees what the first took.
        let query = sql!(
            AssertSqlSafe(format!(
                // Moving `served_at` sends the batch to the end of the line, so that batches take turns and a large one
                // holds up none.
                "UPDATE batch SET served_at = $1 WHERE batch_id = \
                     (SELECT batch.batch_id FROM batch WHERE batch.state = 'running' AND EXISTS \
                          (SELECT 1 FROM batch_item WHERE batch_item.batch_id = batch.batch_id AND {CLAIMABLE}) \
                      ORDER BY batch.served_at, batch.batch_id LIMIT 1) \
                   AND state = 'running' \
                 RETURNING batch_id, tenant_id, user_id, vehicle_id, source"
            )),
            [now]
        );
        let Some(batch) = query.fetch_optional(&mut *tx).await? else {
            tx.rollback().await?;
            return Ok(None);
        };
        let batch_id: BatchId = rows::parsed(&batch, "batch_id")?;
        let query = sql!(
            // Two questions that an index answers each; as one they would sort all that waits.
            "UPDATE batch_item SET state = 'running', lease_worker = $3, lease_until = $4, attempts = attempts + 1 \
             WHERE batch_item_id = COALESCE( \
                 (SELECT batch_item_id FROM batch_item WHERE batch_id = $2 AND state = 'waiting' \
                  ORDER BY batch_item_id LIMIT 1), \
                 (SELECT batch_item_id FROM batch_item \
                  WHERE batch_id = $2 AND state = 'running' AND lease_until <= $1 \
                  ORDER BY batch_item_id LIMIT 1)) \
             RETURNING batch_item_id, attempts",
            [now, batch_id, worker, until]
        );
        // Another server took the last one while this waited for the lock. The rollback also leaves the batch its
        // place.
        let Some(item) = query.fetch_optional(&mut *tx).await? else {
            tx.rollback().await?;
            return Ok(None);
        };
        let item_id: BatchItemId = rows::parsed(&item, "batch_item_id")?;
        let photo: Option<Vec<u8>> =
            scalar!("SELECT bytes FROM batch_photo WHERE batch_item_id = $1", [item_id])
                .fetch_optional(&mut *tx)
                .await?;
        tx.commit().await?;
        Ok(Some(ClaimedItem {
            lease: ItemLease { item_id, batch_id, worker },
            tenant_id: rows::parsed(&batch, "tenant_id")?,
            user_id: rows::parsed(&batch, "user_id")?,
            vehicle_id: rows::optional(&batch, "vehicle_id")?,
            source: rows::parsed(&batch, "source")?,
            attempts: u32::try_from(rows::count(&item, "attempts")?).unwrap_or(u32::MAX),
            photo,
        }))
    }

    /// Holds on to everything that `worker` has until `until`.
    pub async fn renew_batch_leases(&self, worker: Uuid, until: Timestamp) -> Result<u64, Error> {
        // No list of items: what this worker lost meanwhile no longer bears its name.
        let query = sql!("UPDATE batch_item SET lease_until = $2 WHERE lease_worker = $1", [worker, until]);
        self.write(query).await
    }

    /// Gives back everything that `worker` has, for whoever goes on; the tries do not count.
    pub async fn release_batch_leases(&self, worker: Uuid) -> Result<u64, Error> {
        let query = sql!(
            "UPDATE batch_item SET state = 'waiting', lease_worker = NULL, lease_until = NULL, \
                                   attempts = attempts - 1 \
             WHERE lease_worker = $1",
            [worker]
        );
        self.write(query).await
    }

    /// As [`save_scan`](Self::save_scan), as the answer to an item that is held; all or nothing.
    ///
    /// # Errors
    /// Those of [`save_scan`](Self::save_scan), and [`Error::LeaseLost`] where somebody else has the item by now, or it
    /// was cancelled or deleted: nothing is saved or counted then.
    pub async fn save_item_scan(
        &self,
        tenant_id: TenantId,
        user_id: UserId,
        new: &NewScan<'_>,
        lease: &ItemLease,
    ) -> Result<ScanAllowance, Error> {
        retried(|| async {
            let mut tx = self.begin().await?;
            let allowance = match save_scan_in(tenant_id, user_id, new, &mut tx).await {
                Ok(allowance) => allowance,
                // An expected answer, so the connection goes back to the pool; after any other error it is closed.
                Err(error @ Error::LimitReached { .. }) => {
                    tx.rollback().await?;
                    return Err(error);
                }
                Err(error) => return Err(error),
            };
            lock_batch(lease.batch_id, &mut tx).await?;
            let query = sql!(
                "UPDATE batch_item SET state = $3, lease_worker = NULL, lease_until = NULL, problem = NULL, \
                                   scan_id = $4, doubt = $5 \
             WHERE batch_item_id = $1 AND lease_worker = $2",
                [
                    lease.item_id,
                    lease.worker,
                    BatchItemState::Answered,
                    new.scan.id,
                    doubt_of(new.scan.verdict, new.scan.best.confidence)
                ]
            );
            if query.execute(&mut *tx).await?.rows_affected() != 1 {
                tx.rollback().await?;
                return Err(Error::LeaseLost);
            }
            delete_photo(lease.item_id, &mut tx).await?;
            forget_group_doubt(lease.item_id, &mut tx).await?;
            let is_finished = finish_batch(lease.batch_id, &mut tx).await?;
            let answered = new.scan.answered(Some((lease.batch_id, lease.item_id)));
            // Events last, since they lock the tenant's counter: whether the batch is finished was settled before.
            append_event(tenant_id, &answered, new.scan.scanned_at, &mut tx).await?;
            if is_finished {
                batch_finished(lease.batch_id, new.scan.scanned_at, &mut tx).await?;
            }
            tx.commit().await?;
            Ok(allowance)
        })
        .await
    }

    /// Notes what came of an item that is held and has no answer; false where somebody else has it by now.
    pub async fn end_batch_item(
        &self,
        lease: &ItemLease,
        outcome: &ItemOutcome,
        now: Timestamp,
    ) -> Result<bool, Error> {
        let (state, problem) = match outcome {
            ItemOutcome::NotAPart(problem) => (BatchItemState::NotAPart, Some(problem)),
            ItemOutcome::Failed(problem) => (BatchItemState::Failed, Some(problem)),
            ItemOutcome::TryAgain { .. } | ItemOutcome::StopBatch(_) => (BatchItemState::Waiting, None),
        };
        // The claim counted the try; what was not the photograph's fault is taken off again.
        let counts = !matches!(outcome, ItemOutcome::TryAgain { counts: false } | ItemOutcome::StopBatch(_));
        retried(|| async {
        let mut tx = self.begin().await?;
        lock_batch(lease.batch_id, &mut tx).await?;
        let query = sql!(
            "UPDATE batch_item SET state = $3, lease_worker = NULL, lease_until = NULL, problem = $4, doubt = $5, \
                                   attempts = attempts - $6 \
             WHERE batch_item_id = $1 AND lease_worker = $2",
            [lease.item_id, lease.worker, state, problem, state.doubt(), !counts]
        );
        if query.execute(&mut *tx).await?.rows_affected() != 1 {
            tx.rollback().await?;
            return Ok(false);
        }
        let mut is_stopped = false;
        match outcome {
            ItemOutcome::NotAPart(_) => delete_photo(lease.item_id, &mut tx).await?,
            ItemOutcome::StopBatch(reason) => {
                let query = sql!(
                    "UPDATE batch SET state = $2, reason = $3 WHERE batch_id = $1 AND state = $4",
                    [lease.batch_id, BatchState::Stopped, reason, BatchState::Running]
                );
                is_stopped = query.execute(&mut *tx).await?.rows_affected() > 0;
            }
            // The photograph of what failed stays for another try.
            ItemOutcome::Failed(_) | ItemOutcome::TryAgain { .. } => {}
        }
        let is_finished = finish_batch(lease.batch_id, &mut tx).await?;
        if state == BatchItemState::Failed {
            item_failed(lease.item_id, now, &mut tx).await?;
        }
        if is_stopped {
            batch_stopped(lease.batch_id, now, &mut tx).await?;
        }
        if is_finished {
            batch_finished(lease.batch_id, now, &mut tx).await?;
        }
        tx.commit().await?;
        Ok(true)
        })
        .await
    }

    /// Marks the running batches as done of which nothing waits or is worked on: one that is started when all its
    /// photographs have been refused has no item whose end would do it.
    pub async fn finish_batches(&self, now: Timestamp) -> Result<u64, Error> {
        const FINISHED: &str = "state = 'running' AND EXISTS \
                 (SELECT 1 FROM batch_item WHERE batch_item.batch_id = batch.batch_id) \
             AND NOT EXISTS (SELECT 1 FROM batch_item WHERE batch_item.batch_id = batch.batch_id \
                             AND batch_item.state IN ('waiting', 'running'))";
        let query = sql!(AssertSqlSafe(format!("SELECT batch_id FROM batch WHERE {FINISHED}")),);
        let finished: Vec<BatchId> = self.list(query, |row| rows::parsed(row, "batch_id")).await?;
        let mut n_finished = 0;
        // Each in a transaction of its own: two servers may do this at one moment.
        for id in finished {
            let mut tx = self.begin().await?;
            let query = sql!(
                AssertSqlSafe(format!("UPDATE batch SET state = 'done' WHERE batch_id = $1 AND {FINISHED}")),
                [id]
            );
            if query.execute(&mut *tx).await?.rows_affected() == 0 {
                tx.rollback().await?;
                continue;
            }
            batch_finished(id, now, &mut tx).await?;
            tx.commit().await?;
            n_finished += 1;
        }
        Ok(n_finished)
    }
}

/// Locks the row of a batch until the transaction ends, before its items: so that of its last two items the second sees
/// that the first has ended, and the batch is done once.
async fn lock_batch(id: BatchId, tx: &mut AnyConnection) -> Result<(), Error> {
    sql!("UPDATE batch SET served_at = served_at WHERE batch_id = $1", [id]).execute(tx).await?;
    Ok(())
}

async fn delete_photo(id: BatchItemId, tx: &mut AnyConnection) -> Result<(), Error> {
    sql!("DELETE FROM batch_photo WHERE batch_item_id = $1", [id]).execute(tx).await?;
    Ok(())
}

/// Marks a running batch as done where this was the last of its items, and tells whether it was.
async fn finish_batch(id: BatchId, tx: &mut AnyConnection) -> Result<bool, Error> {
    let query = sql!(
        "UPDATE batch SET state = 'done' WHERE batch_id = $1 AND state = 'running' AND NOT EXISTS \
             (SELECT 1 FROM batch_item WHERE batch_id = $1 AND state IN ('waiting', 'running'))",
        [id]
    );
    Ok(query.execute(tx).await?.rows_affected() > 0)
}
