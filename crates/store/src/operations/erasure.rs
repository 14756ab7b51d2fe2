//! Erasing what deleted tenants own, in short transactions (see `slices`).

use partsight_domain::{CrossReferenceListId, PriceListId};
use sqlx::AssertSqlSafe;

use super::tenants::{delete_locked_tenant, lock_tenants};
use crate::revision::next_revision;
use crate::slices::{EVALUATION_PHOTOS, SCANS, Sliced};
use crate::transaction::retried;
use crate::{Error, Store};

/// Tables of which a tenant may have very many rows or large pictures. Those that refer to others come first: a deletion
/// then has nothing to update in them.
const LARGE_TABLES: [Sliced; 12] = [
    SCANS,
    Sliced::small("judged_verdict", "judged_verdict_id"),
    Sliced::small("judge_call", "judge_call_id"),
    // With the deliveries to webhooks.
    Sliced::small("account_event", "event_id"),
    EVALUATION_PHOTOS,
    Sliced { table: "evaluation_file", key: "evaluation_id, name", n_bytes: "LENGTH(bytes)" },
    Sliced::small("idempotent_call", "tenant_id, path, call_key"),
    Sliced::small("repair", "repair_id"),
    Sliced::small("oil_change", "oil_change_id"),
    Sliced::small("odometer_reading", "vehicle_id, read_on, mileage"),
    Sliced::small("maintenance_item", "vehicle_id, item"),
    Sliced::small("shop_part", "shop_part_id"),
];

/// The photographs of batches, of which those that wait have bytes.
const BATCH_ITEMS: Sliced = Sliced {
    table: "batch_item",
    key: "batch_item_id",
    n_bytes: "(SELECT COALESCE(SUM(LENGTH(batch_photo.bytes)), 0) FROM batch_photo \
               WHERE batch_photo.batch_item_id = batch_item.batch_item_id)",
};

/// References, with their pictures.
const REFERENCES: Sliced = Sliced {
    table: "part_reference",
    key: "part_reference_id",
    n_bytes: "(SELECT COALESCE(SUM(LENGTH(part_reference_photo.bytes)), 0) FROM part_reference_photo \
               WHERE part_reference_photo.part_reference_id = part_reference.part_reference_id)",
};

impl Store {
    /// Erases all that deleted tenants own, and the tenants; returns how many. Continues what an interrupted deletion
    /// has left.
    pub async fn erase_deleted_tenants(&self) -> Result<u64, Error> {
        let query =
            sqlx::query_scalar("SELECT tenant_id FROM tenant WHERE is_deleted = 1 ORDER BY tenant_id");
        let deleted: Vec<String> = query.fetch_all(&self.db).await?;
        for tenant_id in &deleted {
            self.erase_tenant(tenant_id).await?;
        }
        Ok(deleted.len() as u64)
    }

    /// Erases a tenant that is deleted. Several servers may erase the same one.
    pub(super) async fn erase_tenant(&self, tenant_id: &str) -> Result<(), Error> {
        self.erase_lists_of::<PriceListId>(tenant_id).await?;
        self.erase_lists_of::<CrossReferenceListId>(tenant_id).await?;
        // By their batches: a batch that was deleted alone has a tenant of its own by now, and its items do not.
        let of_batches = "batch_id IN (SELECT batch_id FROM batch WHERE tenant_id = $1)";
        self.erase_rows(&BATCH_ITEMS, of_batches, tenant_id).await?;
        for table in &LARGE_TABLES {
            self.erase_rows(table, "tenant_id = $1", tenant_id).await?;
        }
        while self.erase_references(tenant_id).await? {}
        retried(|| async {
            let mut tx = self.begin().await?;
            lock_tenants(&[tenant_id.to_owned()], &mut tx).await?;
            delete_locked_tenant(tenant_id, &mut tx).await?;
            tx.commit().await
        })
        .await
    }

    /// Erases the rows that fulfil `condition`, in which `$1` is the tenant.
    async fn erase_rows(&self, table: &Sliced, condition: &str, tenant_id: &str) -> Result<(), Error> {
        // SQLite has one writer at a time. On PostgreSQL a slice leaves out the rows that another server is erasing. If
        // it waited for them, none of its rows would be left, as if the table were empty, and the tenant's last
        // transaction would erase the rest of the table at once.
        let lock = if self.is_postgres() { "FOR UPDATE SKIP LOCKED" } else { "" };
        let deletion = table.deletion(condition, lock);
        while self.write(sql!(AssertSqlSafe(deletion.clone()), [tenant_id])).await? > 0 {}
        Ok(())
    }

    /// Erases a slice of the references of a tenant, and writes their tombstones for the indexes; returns whether there
    /// were any.
    async fn erase_references(&self, tenant_id: &str) -> Result<bool, Error> {
        retried(|| async {
            let mut tx = self.begin().await?;
            // Locks the counter, so that no other server erases the same ones.
            let revision = next_revision(&mut tx).await?;
            let forget = format!(
                "INSERT INTO forgotten_reference (part_reference_id, revision) \
                 {} SELECT part_reference_id, CAST($2 AS BIGINT) FROM slice",
                REFERENCES.slice("tenant_id = $1", "")
            );
            let query = sql!(AssertSqlSafe(forget), [tenant_id, revision]);
            if query.execute(&mut *tx).await?.rows_affected() == 0 {
                tx.rollback().await?;
                return Ok(false);
            }
            let query = sql!(
                "DELETE FROM part_reference WHERE tenant_id = $1 AND part_reference_id IN \
                     (SELECT part_reference_id FROM forgotten_reference WHERE revision = $2)",
                [tenant_id, revision]
            );
            query.execute(&mut *tx).await?;
            tx.commit().await?;
            Ok(true)
        })
        .await
    }
}
