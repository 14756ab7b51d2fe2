//! Erasing what deleted tenants own, in short transactions: hundreds of thousands of rows in one would keep all other
//! writers of SQLite waiting.

use partsight_domain::{CrossReferenceListId, PriceListId};
use sqlx::AssertSqlSafe;

use super::tenants::{delete_locked_tenant, lock_tenants};
use crate::transaction::retried;
use crate::{Error, Store};

/// Rows that are deleted at a time, each with the rows that belong to it: a scan has its pictures, and up to seven
/// further rows.
const ROWS_A_DELETION: i64 = 500;

/// Tables of which a tenant may have very many rows, and the columns of their keys. Those that refer to others come
/// first: a deletion then has nothing to update in them.
const LARGE_TABLES: [(&str, &str); 11] = [
    ("batch_item", "batch_item_id"),
    ("scan", "scan_id"),
    ("judged_verdict", "judged_verdict_id"),
    ("judge_call", "judge_call_id"),
    // With the deliveries to webhooks.
    ("account_event", "event_id"),
    ("evaluation_photo", "evaluation_id, path"),
    ("repair", "repair_id"),
    ("oil_change", "oil_change_id"),
    ("odometer_reading", "vehicle_id, read_on, mileage"),
    ("maintenance_item", "vehicle_id, item"),
    ("shop_part", "shop_part_id"),
];

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
        // SQLite has one writer at a time. On PostgreSQL a slice leaves out the rows that another server is erasing. If
        // it waited for them, none of its rows would be left, as if the table were empty, and the transaction below
        // would erase the rest of the table at once.
        let lock = if self.is_postgres() { "FOR UPDATE SKIP LOCKED" } else { "" };
        for (table, key) in LARGE_TABLES {
            // A common table expression, because PostgreSQL may run a subquery with a lock more than once.
            let slice = format!(
                "WITH slice AS (SELECT {key} FROM {table} WHERE tenant_id = $1 LIMIT $2 {lock}) \
                 DELETE FROM {table} WHERE ({key}) IN (SELECT {key} FROM slice)"
            );
            while self.write(sql!(AssertSqlSafe(slice.clone()), [tenant_id, ROWS_A_DELETION])).await? > 0 {}
        }
        retried(|| async {
            let mut tx = self.begin().await?;
            lock_tenants(&[tenant_id.to_owned()], &mut tx).await?;
            delete_locked_tenant(tenant_id, &mut tx).await?;
            tx.commit().await
        })
        .await
    }
}
