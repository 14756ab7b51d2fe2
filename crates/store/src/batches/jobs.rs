//! Batches themselves.

use jiff::Timestamp;
use partsight_domain::{
    Batch, BatchCounts, BatchId, BatchItemState, BatchState, ScanSource, TenantId, UserId, VehicleId,
};
use sqlx::any::AnyRow;
use sqlx::{AnyConnection, AssertSqlSafe, Row};
use uuid::Uuid;

use super::events::batch_finished;
use super::grades::keep_items_of_grades;
use crate::transaction::retried;
use crate::{Error, Store, rows};

/// A batch to insert.
#[derive(Debug, Clone, Copy)]
pub struct NewBatch<'a> {
    /// Id of the batch.
    pub id: BatchId,
    /// The user whose scans the answers are.
    pub user_id: UserId,
    /// Its name.
    pub name: &'a str,
    /// The vehicle of all its parts, if one was given.
    pub vehicle_id: Option<VehicleId>,
    /// Where it was created.
    pub source: ScanSource,
    /// Whether the text on its photographs is read.
    pub reads_text: bool,
}

impl Store {
    /// Inserts an open batch.
    pub async fn create_batch(
        &self,
        tenant_id: TenantId,
        new: &NewBatch<'_>,
        now: Timestamp,
    ) -> Result<(), Error> {
        let query = sql!(
            "INSERT INTO batch (batch_id, tenant_id, user_id, name, vehicle_id, source, reads_text, state, \
                                created_at, served_at) \
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $9)",
            [
                new.id,
                tenant_id,
                new.user_id,
                new.name,
                new.vehicle_id,
                new.source,
                i64::from(new.reads_text),
                BatchState::Open,
                now
            ]
        );
        self.write(query).await?;
        Ok(())
    }

    /// The batches of a tenant, the newest first, with their progress.
    pub async fn list_batches(&self, tenant_id: TenantId) -> Result<Vec<Batch>, Error> {
        let query = sql!(
            "SELECT * FROM batch WHERE tenant_id = $1 ORDER BY created_at DESC, batch_id DESC",
            [tenant_id]
        );
        let mut batches = self.list(query, batch_from_row).await?;
        let query = sql!(
            // Filtered by the batches and not by the tenant of the items, so that an index alone answers it.
            "SELECT batch_id, state, COUNT(*) AS n FROM batch_item \
             WHERE batch_id IN (SELECT batch_id FROM batch WHERE tenant_id = $1) GROUP BY batch_id, state",
            [tenant_id]
        );
        let counts = self.list(query, |row| {
            let id: BatchId = rows::parsed(row, "batch_id")?;
            Ok((id, rows::parsed::<BatchItemState>(row, "state")?, rows::count(row, "n")?))
        });
        for (id, state, n) in counts.await? {
            // One query counts the items of all batches. A batch created between the two queries is left for
            // the next call.
            if let Some(batch) = batches.iter_mut().find(|batch| batch.id == id) {
                batch.counts.set(state, n);
            }
        }
        Ok(batches)
    }

    /// One batch of a tenant, with its progress.
    pub async fn find_batch(&self, tenant_id: TenantId, id: BatchId) -> Result<Option<Batch>, Error> {
        let query = sql!("SELECT * FROM batch WHERE tenant_id = $1 AND batch_id = $2", [tenant_id, id]);
        let Some(mut batch) = self.find(query, batch_from_row).await? else { return Ok(None) };
        // Not filtered by the tenant of the items, so that an index alone answers it: a page that shows a batch asks
        // every second.
        let query =
            sql!("SELECT state, COUNT(*) AS n FROM batch_item WHERE batch_id = $1 GROUP BY state", [id]);
        let counts = self
            .list(query, |row| Ok((rows::parsed::<BatchItemState>(row, "state")?, rows::count(row, "n")?)));
        for (state, n) in counts.await? {
            batch.counts.set(state, n);
        }
        Ok(Some(batch))
    }

    /// The number of a tenant's batches.
    pub async fn count_batches(&self, tenant_id: TenantId) -> Result<u64, Error> {
        let n: i64 = scalar!("SELECT COUNT(*) FROM batch WHERE tenant_id = $1", [tenant_id])
            .fetch_one(&self.db)
            .await?;
        Ok(n.unsigned_abs())
    }

    /// Starts a batch; returns whether there is such a batch that is not cancelled. A batch that is done stays so
    /// while no item waits; otherwise its end would be announced again.
    pub async fn start_batch(&self, tenant_id: TenantId, id: BatchId) -> Result<bool, Error> {
        let query = sql!(
            "UPDATE batch SET reason = NULL, state = CASE WHEN state = $5 AND NOT EXISTS \
                 (SELECT 1 FROM batch_item WHERE batch_item.batch_id = batch.batch_id AND batch_item.state = $6) \
                 THEN state ELSE $3 END \
             WHERE tenant_id = $1 AND batch_id = $2 AND state <> $4",
            [tenant_id, id, BatchState::Running, BatchState::Cancelled, BatchState::Done],
            [BatchItemState::Waiting]
        );
        Ok(self.write(query).await? > 0)
    }

    /// Cancels a batch: waiting items are not processed, and the results of running ones are not saved. A batch that is
    /// done stays so. Returns whether there is such a batch.
    pub async fn cancel_batch(&self, tenant_id: TenantId, id: BatchId) -> Result<bool, Error> {
        retried(|| async {
            let mut tx = self.begin().await?;
            let query = sql!(
                "UPDATE batch SET state = CASE WHEN state = $4 THEN state ELSE $3 END, reason = NULL \
                 WHERE tenant_id = $1 AND batch_id = $2",
                [tenant_id, id, BatchState::Cancelled, BatchState::Done]
            );
            let existed = query.execute(&mut *tx).await?.rows_affected() > 0;
            let query = sql!(
                // The leases are deleted too: a worker that holds one finds that it is no longer its own, and saves
                // nothing.
                "UPDATE batch_item SET state = $3, lease_worker = NULL, lease_until = NULL \
             WHERE tenant_id = $1 AND batch_id = $2 AND state IN ($4, $5)",
                [tenant_id, id, BatchItemState::Cancelled, BatchItemState::Waiting, BatchItemState::Running]
            );
            query.execute(&mut *tx).await?;
            tx.commit().await?;
            Ok(existed)
        })
        .await
    }

    /// Retries failed and cancelled items and resumes the batch; returns how many items. Those whose photograph never
    /// arrived stay as they are.
    pub async fn retry_batch(&self, tenant_id: TenantId, id: BatchId) -> Result<u64, Error> {
        let mut tx = self.begin().await?;
        lock(tenant_id, id, &mut tx).await?;
        let query = sql!(
            "UPDATE batch_item SET state = $3, attempts = 0, problem = NULL, doubt = 0 \
             WHERE tenant_id = $1 AND batch_id = $2 AND state IN ($4, $5) \
               AND EXISTS (SELECT 1 FROM batch_photo WHERE batch_photo.batch_item_id = batch_item.batch_item_id)",
            [tenant_id, id, BatchItemState::Waiting, BatchItemState::Failed, BatchItemState::Cancelled]
        );
        let n_items = query.execute(&mut *tx).await?.rows_affected();
        if n_items > 0 {
            set_state(tenant_id, id, BatchState::Running, &mut tx).await?;
        }
        tx.commit().await?;
        Ok(n_items)
    }

    /// Marks running batches without waiting or running items as done. A batch that is started after all its
    /// photographs were refused has no item whose end would do it.
    pub async fn finish_batches(&self, now: Timestamp) -> Result<u64, Error> {
        const FINISHED: &str = "state = 'running' AND EXISTS \
                 (SELECT 1 FROM batch_item WHERE batch_item.batch_id = batch.batch_id) \
             AND NOT EXISTS (SELECT 1 FROM batch_item WHERE batch_item.batch_id = batch.batch_id \
                             AND batch_item.state IN ('waiting', 'running'))";
        let query = sql!(AssertSqlSafe(format!("SELECT batch_id, tenant_id FROM batch WHERE {FINISHED}")),);
        let finished: Vec<(BatchId, TenantId)> = self
            .list(query, |row| Ok((rows::parsed(row, "batch_id")?, rows::parsed(row, "tenant_id")?)))
            .await?;
        let mut n_finished = 0;
        // Each in a transaction of its own, because two servers may do this at once.
        for (id, tenant_id) in finished {
            let mut tx = self.begin().await?;
            // As a separate statement, so that the one below sees an item that is being added: PostgreSQL would
            // otherwise re-read the batch after the wait, but the items as they were before it.
            lock(tenant_id, id, &mut tx).await?;
            let query = sql!(
                AssertSqlSafe(format!("UPDATE batch SET state = 'done' WHERE batch_id = $1 AND {FINISHED}")),
                [id]
            );
            if query.execute(&mut *tx).await?.rows_affected() == 0 {
                tx.rollback().await?;
                continue;
            }
            let event = batch_finished(id, &mut tx).await?;
            self.append_event(tenant_id, &event, now, &mut tx).await?;
            tx.commit().await?;
            n_finished += 1;
        }
        Ok(n_finished)
    }

    /// Deletes a batch with its items and waiting photographs; the scans stay, and their grades count as before. Returns
    /// whether there was one.
    ///
    /// It may hold 150 GB of photographs. So it is out of sight at once, and nobody works on it: it moves to a tenant
    /// that is made for it and counts as deleted. [`Self::erase_deleted_tenants`] erases it with that.
    pub async fn delete_batch(&self, tenant_id: TenantId, id: BatchId) -> Result<bool, Error> {
        retried(|| async {
            let mut tx = self.begin().await?;
            lock(tenant_id, id, &mut tx).await?;
            keep_items_of_grades(tenant_id, id, &mut tx).await?;
            let nobody = TenantId(Uuid::now_v7());
            let query = sql!(
                "INSERT INTO tenant (tenant_id, created_at, is_deleted) VALUES ($1, 0, 1)",
                [nobody]
            );
            query.execute(&mut *tx).await?;
            let query = sql!(
                "UPDATE batch SET tenant_id = $3, state = $4, reason = NULL WHERE tenant_id = $1 AND batch_id = $2",
                [tenant_id, id, nobody, BatchState::Cancelled]
            );
            if query.execute(&mut *tx).await?.rows_affected() == 0 {
                tx.rollback().await?;
                return Ok(false);
            }
            let query = sql!(
                // Without its lease, a worker saves nothing.
                "UPDATE batch_item SET state = $2, lease_worker = NULL, lease_until = NULL \
                 WHERE batch_id = $1 AND state = $3",
                [id, BatchItemState::Cancelled, BatchItemState::Running]
            );
            query.execute(&mut *tx).await?;
            tx.commit().await?;
            Ok(true)
        })
        .await
    }
}

/// Locks the row of a batch, so that of two people who regroup at once the second sees what the first did.
pub(super) async fn lock(
    tenant_id: TenantId,
    batch_id: BatchId,
    tx: &mut AnyConnection,
) -> Result<(), Error> {
    let query = sql!(
        // The update changes nothing; SQLite has no SELECT FOR UPDATE.
        "UPDATE batch SET served_at = served_at WHERE tenant_id = $1 AND batch_id = $2",
        [tenant_id, batch_id]
    );
    query.execute(tx).await?;
    Ok(())
}

pub(super) async fn set_state(
    tenant_id: TenantId,
    id: BatchId,
    state: BatchState,
    tx: &mut AnyConnection,
) -> Result<(), Error> {
    let query = sql!(
        "UPDATE batch SET state = $3, reason = NULL WHERE tenant_id = $1 AND batch_id = $2",
        [tenant_id, id, state]
    );
    query.execute(tx).await?;
    Ok(())
}

fn batch_from_row(row: &AnyRow) -> Result<Batch, Error> {
    Ok(Batch {
        id: rows::parsed(row, "batch_id")?,
        user_id: rows::parsed(row, "user_id")?,
        name: row.try_get("name")?,
        vehicle_id: rows::optional(row, "vehicle_id")?,
        source: rows::parsed(row, "source")?,
        reads_text: rows::flag(row, "reads_text")?,
        state: rows::parsed(row, "state")?,
        reason: row.try_get("reason")?,
        created_at: rows::timestamp(row, "created_at")?,
        counts: BatchCounts::default(),
    })
}
