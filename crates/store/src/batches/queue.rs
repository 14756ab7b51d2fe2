//! The queue of a batch's photographs. A worker claims some of them until a deadline (the lease). After that another
//! worker may claim them, and what the first one returns is refused, because the lease is checked in the transaction
//! that ends an item (`ends.rs`).

use std::collections::BTreeMap;
use std::num::NonZeroU32;

use jiff::Timestamp;
use partsight_domain::{BatchId, BatchItemId, ScanSource, TenantId, UserId, VehicleId};
use sqlx::{AnyConnection, AssertSqlSafe, Row};
use uuid::Uuid;

use crate::filter::Filter;
use crate::transaction::retried;
use crate::{Error, Store, rows};

/// A batch of which a worker holds items.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HeldBatch {
    /// The batch.
    pub batch_id: BatchId,
    /// The tenant that owns it.
    pub tenant_id: TenantId,
    /// The user whose scans the answers are.
    pub user_id: UserId,
    /// The worker.
    pub worker: Uuid,
}

/// A worker's lease on an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ItemLease {
    /// The item.
    pub item_id: BatchItemId,
    /// Its batch.
    pub batch: HeldBatch,
}

/// A photograph that a worker has claimed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClaimedItem {
    /// The lease.
    pub lease: ItemLease,
    /// The vehicle of the batch.
    pub vehicle_id: Option<VehicleId>,
    /// Where the batch was created.
    pub source: ScanSource,
    /// Whether the text on it is read.
    pub reads_text: bool,
    /// Number of attempts, this one included.
    pub attempts: u32,
    /// Size of the photograph in bytes.
    pub n_bytes: u64,
}

/// The update that claims an item.
const CLAIM: &str = "UPDATE batch_item SET state = 'running', lease_worker = $2, lease_until = $3, \
                                           attempts = attempts + 1 WHERE batch_item_id IN";
/// What a claim returns of each item.
const CLAIMED: &str = "RETURNING batch_item_id, attempts, \
                       CAST(COALESCE((SELECT LENGTH(bytes) FROM batch_photo \
                                      WHERE batch_photo.batch_item_id = batch_item.batch_item_id), 0) \
                            AS BIGINT) AS n_bytes";
/// The update that releases a claimed item.
const RELEASE: &str = "UPDATE batch_item SET state = 'waiting', lease_worker = NULL, lease_until = NULL, \
                                             attempts = attempts - 1";
/// Batches with a claimable item at `$1`: one that waits, or whose lease has expired. Two subqueries, each answered
/// by an index; a single one would scan the batch.
const CLAIMABLE: &str = "batch.state = 'running' AND (\
     EXISTS (SELECT 1 FROM batch_item WHERE batch_item.batch_id = batch.batch_id \
             AND batch_item.state = 'waiting') \
     OR EXISTS (SELECT 1 FROM batch_item WHERE batch_item.batch_id = batch.batch_id \
                AND batch_item.state = 'running' AND batch_item.lease_until <= $1))";

impl Store {
    /// Whether there is an item to claim; a read without a write lock.
    pub async fn has_batch_work(&self, now: Timestamp) -> Result<bool, Error> {
        let query = sql!(
            AssertSqlSafe(format!("SELECT batch.batch_id FROM batch WHERE {CLAIMABLE} LIMIT 1")),
            [self.database_time(now)]
        );
        Ok(query.fetch_optional(&self.db).await?.is_some())
    }

    /// Claims at most `most` items for `worker` until `until`: an even share for each tenant, and of that for each of its
    /// batches, those that were served the longest ago first, in the order in which the items were sent. At most one item
    /// with an expired lease is claimed from each batch, so that a photograph that crashes servers takes few others with
    /// it.
    pub async fn claim_batch_items(
        &self,
        worker: Uuid,
        most: NonZeroU32,
        now: Timestamp,
        until: Timestamp,
    ) -> Result<Vec<ClaimedItem>, Error> {
        let (now, until) = (self.database_time(now), self.database_time(until));
        retried(|| async {
            let mut tx = self.begin().await?;
            let mut claimed = Vec::new();
            for (batch_id, share) in shares(most, batches_in_turn(most, now, &mut tx).await?) {
                let Some(batch) = serve(batch_id, worker, now, &mut tx).await? else { continue };
                claimed.extend(claim_items_of(&batch, share, now, until, &mut tx).await?);
            }
            if claimed.is_empty() {
                // Another server took the last items while this one waited for the lock. The rollback also keeps the
                // batches' places in the order.
                tx.rollback().await?;
            } else {
                tx.commit().await?;
            }
            Ok(claimed)
        })
        .await
    }

    /// The photographs of those of these items of a batch that are still held; `None` for one that was deleted.
    pub async fn find_held_photos(
        &self,
        batch: &HeldBatch,
        items: &[BatchItemId],
    ) -> Result<BTreeMap<BatchItemId, Option<Vec<u8>>>, Error> {
        let mut held = Filter::new("batch_item.tenant_id", batch.tenant_id);
        held.and(|f| format!("batch_item.lease_worker = {}", f.text(batch.worker)));
        held.and(|f| f.one_of("batch_item.batch_item_id", items));
        // The left join tells a deleted photograph from an item that is not held.
        let sql = format!(
            "SELECT batch_item.batch_item_id, batch_photo.bytes FROM batch_item \
             LEFT JOIN batch_photo ON batch_photo.batch_item_id = batch_item.batch_item_id WHERE {}",
            held.condition()
        );
        let rows = held.bind(sqlx::query(AssertSqlSafe(sql))).fetch_all(&self.db).await?;
        rows.iter().map(|row| Ok((rows::parsed(row, "batch_item_id")?, row.try_get("bytes")?))).collect()
    }

    /// Whether an item is still held under this lease: false if somebody else has it by now, or if it was cancelled or
    /// deleted.
    pub async fn holds_batch_item(&self, lease: &ItemLease) -> Result<bool, Error> {
        let query = sql!(
            "SELECT batch_item_id FROM batch_item WHERE tenant_id = $1 AND batch_item_id = $2 AND lease_worker = $3",
            [lease.batch.tenant_id, lease.item_id, lease.batch.worker]
        );
        Ok(query.fetch_optional(&self.db).await?.is_some())
    }

    /// Extends the leases on those of these items that `worker` holds until `until`.
    pub async fn renew_batch_leases(
        &self,
        worker: Uuid,
        items: &[BatchItemId],
        until: Timestamp,
    ) -> Result<u64, Error> {
        let mut held = Filter::new("lease_worker", worker);
        held.and(|f| f.one_of("batch_item_id", items));
        let until = held.number(self.database_time(until).as_millisecond());
        let sql = format!("UPDATE batch_item SET lease_until = {until} WHERE {}", held.condition());
        self.write(held.bind(sqlx::query(AssertSqlSafe(sql)))).await
    }

    /// Releases those of these items that `worker` holds, for other workers; the attempts do not count.
    pub async fn release_batch_items(&self, worker: Uuid, items: &[BatchItemId]) -> Result<u64, Error> {
        let mut held = Filter::new("lease_worker", worker);
        held.and(|f| f.one_of("batch_item_id", items));
        let sql = format!("{RELEASE} WHERE {}", held.condition());
        self.write(held.bind(sqlx::query(AssertSqlSafe(sql)))).await
    }

    /// As [`release_batch_items`](Self::release_batch_items), for all items that `worker` holds.
    pub async fn release_batch_leases(&self, worker: Uuid) -> Result<u64, Error> {
        let sql = format!("{RELEASE} WHERE lease_worker = $1");
        self.write(sql!(AssertSqlSafe(sql), [worker])).await
    }
}

/// At most `most` batches with a claimable item: of each tenant the one that was served the longest ago, then of each the
/// second, and so on; the tenant first that was served the longest ago.
async fn batches_in_turn(
    most: NonZeroU32,
    now: Timestamp,
    tx: &mut AnyConnection,
) -> Result<Vec<(TenantId, BatchId)>, Error> {
    let query = sql!(
        AssertSqlSafe(format!(
            "SELECT tenant_id, batch_id FROM \
                 (SELECT batch.tenant_id, batch.batch_id, \
                         MAX(batch.served_at) OVER (PARTITION BY batch.tenant_id) AS tenant_served_at, \
                         ROW_NUMBER() OVER (PARTITION BY batch.tenant_id \
                                            ORDER BY batch.served_at, batch.batch_id) AS place \
                  FROM batch WHERE {CLAIMABLE}) AS claimable \
             ORDER BY place, tenant_served_at, batch_id LIMIT $2"
        )),
        [now, most.get()]
    );
    let found = query.fetch_all(tx).await?;
    found.iter().map(|row| Ok((rows::parsed(row, "tenant_id")?, rows::parsed(row, "batch_id")?))).collect()
}

/// Deals `most` items out: to the tenants in turn, and for each tenant to its batches in turn. Sorted by batch, which is
/// the order in which several are locked.
fn shares(most: NonZeroU32, batches: Vec<(TenantId, BatchId)>) -> BTreeMap<BatchId, u32> {
    let mut tenants: Vec<(TenantId, Vec<BatchId>)> = Vec::new();
    for (tenant, batch) in batches {
        match tenants.iter_mut().find(|(id, _)| *id == tenant) {
            Some((_, batches)) => batches.push(batch),
            None => tenants.push((tenant, vec![batch])),
        }
    }
    let mut shares = BTreeMap::new();
    for (turn, (_, batches)) in (0..most.get() as usize).zip(tenants.iter().cycle()) {
        let round = turn / tenants.len();
        *shares.entry(batches[round % batches.len()]).or_default() += 1;
    }
    shares
}

/// Puts a batch at the end of the order and locks it, so that of two workers the second sees what the first took;
/// `None` if it no longer runs.
async fn serve(
    id: BatchId,
    worker: Uuid,
    now: Timestamp,
    tx: &mut AnyConnection,
) -> Result<Option<ServedBatch>, Error> {
    let query = sql!(
        "UPDATE batch SET served_at = $2 WHERE batch_id = $1 AND state = 'running' \
         RETURNING tenant_id, user_id, vehicle_id, source, reads_text",
        [id, now]
    );
    let Some(row) = query.fetch_optional(tx).await? else { return Ok(None) };
    Ok(Some(ServedBatch {
        held: HeldBatch {
            batch_id: id,
            tenant_id: rows::parsed(&row, "tenant_id")?,
            user_id: rows::parsed(&row, "user_id")?,
            worker,
        },
        vehicle_id: rows::optional(&row, "vehicle_id")?,
        source: rows::parsed(&row, "source")?,
        reads_text: rows::flag(&row, "reads_text")?,
    }))
}

/// A batch of which items are being claimed.
struct ServedBatch {
    held: HeldBatch,
    vehicle_id: Option<VehicleId>,
    source: ScanSource,
    reads_text: bool,
}

async fn claim_items_of(
    batch: &ServedBatch,
    most: u32,
    now: Timestamp,
    until: Timestamp,
    tx: &mut AnyConnection,
) -> Result<Vec<ClaimedItem>, Error> {
    let HeldBatch { batch_id, worker, .. } = batch.held;
    let query = sql!(
        AssertSqlSafe(format!(
            "{CLAIM} (SELECT batch_item_id FROM batch_item WHERE batch_id = $1 AND state = 'waiting' \
                      ORDER BY batch_item_id LIMIT $4) {CLAIMED}"
        )),
        [batch_id, worker, until, most]
    );
    let mut claimed = query.fetch_all(&mut *tx).await?;
    if claimed.is_empty() {
        let query = sql!(
            AssertSqlSafe(format!(
                "{CLAIM} (SELECT batch_item_id FROM batch_item \
                          WHERE batch_id = $1 AND state = 'running' AND lease_until <= $4 \
                          ORDER BY batch_item_id LIMIT 1) {CLAIMED}"
            )),
            [batch_id, worker, until, now]
        );
        claimed = query.fetch_all(tx).await?;
    }
    let items: Result<Vec<ClaimedItem>, Error> = claimed
        .iter()
        .map(|row| {
            Ok(ClaimedItem {
                lease: ItemLease { item_id: rows::parsed(row, "batch_item_id")?, batch: batch.held },
                vehicle_id: batch.vehicle_id,
                source: batch.source,
                reads_text: batch.reads_text,
                attempts: u32::try_from(rows::count(row, "attempts")?).unwrap_or(u32::MAX),
                n_bytes: rows::count(row, "n_bytes")?,
            })
        })
        .collect();
    let mut items = items?;
    // The rows of an `UPDATE ... RETURNING` come in no particular order.
    items.sort_unstable_by_key(|item| item.lease.item_id);
    Ok(items)
}
