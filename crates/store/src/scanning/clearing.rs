//! Deleting scans, and pictures of scans, in slices.
//!
//! The whole history of a tenant may be 100,000 scans. It is out of sight with one short statement, which notes up to
//! where it is cleared; then its rows are erased, the newest first.

use jiff::Timestamp;
use partsight_domain::{EventKind, PhotoSize, ScanId, TenantId, VehicleId};
use sqlx::{AnyConnection, AssertSqlSafe, Row};

use crate::filter::Filter;
use crate::slices::{SCANS, Sliced};
use crate::transaction::retried;
use crate::{Error, Store, rows};

/// The condition that a scan of the tenant $1 is not in a history that was cleared and is still being erased. It bounds
/// the index by which scans are listed and counted.
pub(super) const IN_SIGHT: &str = "scan.scanned_at > COALESCE((SELECT scanned_until FROM cleared_history \
                                                               WHERE cleared_history.tenant_id = $1), -1)";

/// The order in which scans are deleted: should it be interrupted, what is left is what people look at least.
const NEWEST_FIRST: &str = "ORDER BY scanned_at DESC, scan_id DESC";

/// Pictures of scans.
pub(crate) const PHOTOS: Sliced =
    Sliced { table: "scan_photo", key: "scan_id, size", n_bytes: "LENGTH(bytes)" };

impl Store {
    /// Deletes one scan of a tenant with its pictures, its events and the judge's verdict on it; returns whether there
    /// was one.
    pub async fn delete_scan(&self, tenant_id: TenantId, id: ScanId) -> Result<bool, Error> {
        Ok(self.delete_these_scans(&tenant_id.to_string(), &[id.to_string()]).await? > 0)
    }

    /// The time of the newest scan of a tenant for one vehicle.
    pub async fn newest_scan_of_vehicle(
        &self,
        tenant_id: TenantId,
        vehicle_id: VehicleId,
    ) -> Result<Option<Timestamp>, Error> {
        let query = sql!(
            "SELECT MAX(scanned_at) AS newest FROM scan WHERE tenant_id = $1 AND vehicle_id = $2",
            [tenant_id, vehicle_id]
        );
        rows::optional_timestamp(&query.fetch_one(&self.db).await?, "newest")
    }

    /// Deletes the scans of a tenant for one vehicle that were made no later than `until`, with their pictures, events
    /// and the judge's verdicts on them; returns how many.
    pub async fn delete_scans_of_vehicle(
        &self,
        tenant_id: TenantId,
        vehicle_id: VehicleId,
        until: Timestamp,
    ) -> Result<u64, Error> {
        let mut filter = Filter::new("tenant_id", tenant_id);
        filter.and(|f| format!("vehicle_id = {}", f.text(vehicle_id)));
        filter.and(|f| format!("scanned_at <= {}", f.number(until.as_millisecond())));
        self.delete_scans_in_slices(&tenant_id.to_string(), &filter).await
    }

    /// Clears the history of a tenant up to now: [`Self::list_scans`] and its like show none of it any more. Its rows
    /// are still there until [`Self::erase_cleared_history`].
    pub async fn clear_history(&self, tenant_id: TenantId) -> Result<(), Error> {
        let query = sql!(
            // One statement, so that the scans and the events are those of the same moment.
            "INSERT INTO cleared_history (tenant_id, scanned_until, event_until) \
             VALUES ($1, COALESCE((SELECT MAX(scanned_at) FROM scan WHERE tenant_id = $1), 0), \
                         COALESCE((SELECT last_number FROM event_counter WHERE tenant_id = $1), 0)) \
             ON CONFLICT (tenant_id) DO UPDATE SET scanned_until = excluded.scanned_until, \
                                                   event_until = excluded.event_until",
            [tenant_id]
        );
        self.write(query).await?;
        Ok(())
    }

    /// Erases what was cleared of the history of a tenant: scans with their pictures, the events of answers, and the
    /// judge's verdicts. Returns the number of scans.
    pub async fn erase_cleared_history(&self, tenant_id: TenantId) -> Result<u64, Error> {
        self.erase_history(&tenant_id.to_string()).await
    }

    /// As [`Self::erase_cleared_history`], of all tenants: continues what an interruption has left. Returns the number
    /// of tenants.
    pub async fn erase_cleared_histories(&self) -> Result<u64, Error> {
        let query = sqlx::query_scalar("SELECT tenant_id FROM cleared_history ORDER BY tenant_id");
        let cleared: Vec<String> = query.fetch_all(&self.db).await?;
        for tenant_id in &cleared {
            self.erase_history(tenant_id).await?;
        }
        Ok(cleared.len() as u64)
    }

    async fn erase_history(&self, tenant_id: &str) -> Result<u64, Error> {
        let query =
            sql!("SELECT scanned_until, event_until FROM cleared_history WHERE tenant_id = $1", [tenant_id]);
        let Some(mark) = query.fetch_optional(&self.db).await? else { return Ok(0) };
        let (scanned_until, event_until): (i64, i64) =
            (mark.try_get("scanned_until")?, mark.try_get("event_until")?);
        let mut filter = Filter::new("tenant_id", tenant_id);
        filter.and(|f| format!("scanned_at <= {}", f.number(scanned_until)));
        let n_scans = self.delete_scans_in_slices(tenant_id, &filter).await?;
        // Also verdicts on scans that were never saved, and those from before the scan of a verdict was stored; but not
        // those on scans that were made since the history was cleared.
        let verdicts = Sliced::small("judged_verdict", "judged_verdict_id").deletion(
            "tenant_id = $1 AND NOT EXISTS (SELECT 1 FROM scan WHERE scan.scan_id = judged_verdict.scan_id)",
            "",
        );
        while self.write(sql!(AssertSqlSafe(verdicts.clone()), [tenant_id])).await? > 0 {}
        let events = Sliced::small("account_event", "event_id")
            .deletion("tenant_id = $1 AND kind = $2 AND number <= $3", "");
        let answered = EventKind::ScanAnswered;
        while self.write(sql!(AssertSqlSafe(events.clone()), [tenant_id, answered, event_until])).await? > 0 {
        }
        // Unless it was cleared again meanwhile.
        let query = sql!(
            "DELETE FROM cleared_history WHERE tenant_id = $1 AND scanned_until = $2 AND event_until = $3",
            [tenant_id, scanned_until, event_until]
        );
        self.write(query).await?;
        Ok(n_scans)
    }

    /// Deletes the scans of a tenant that pass `filter`; returns how many.
    async fn delete_scans_in_slices(&self, tenant_id: &str, filter: &Filter) -> Result<u64, Error> {
        let slice = SCANS.slice(&format!("{} {NEWEST_FIRST}", filter.condition()), "");
        let sql = format!("{slice} SELECT scan_id FROM slice");
        let mut n_deleted = 0;
        loop {
            let query = filter.bind(sqlx::query(AssertSqlSafe(sql.clone())));
            let ids = self.list(query, |row| Ok(row.try_get::<String, _>("scan_id")?)).await?;
            if ids.is_empty() {
                return Ok(n_deleted);
            }
            n_deleted += self.delete_these_scans(tenant_id, &ids).await?;
        }
    }

    /// Deletes these scans of a tenant in one transaction; returns how many there were.
    async fn delete_these_scans(&self, tenant_id: &str, ids: &[String]) -> Result<u64, Error> {
        // Deleted explicitly: a verdict can be older than its scan, and so has no foreign key to it; neither has an
        // event.
        let verdicts = deletion_of("judged_verdict", "scan_id", tenant_id, ids);
        let events = deletion_of("account_event", "subject_id", tenant_id, ids);
        let scans = deletion_of("scan", "scan_id", tenant_id, ids);
        retried(|| async {
            let mut tx = self.begin().await?;
            delete(&verdicts, &mut tx).await?;
            delete(&events, &mut tx).await?;
            let n_scans = delete(&scans, &mut tx).await?;
            // Once more: on PostgreSQL the deletion of a scan may have waited for a reading that amended its answer, which
            // is an event.
            delete(&events, &mut tx).await?;
            tx.commit().await?;
            Ok(n_scans)
        })
        .await
    }

    /// Deletes the pictures of one size, of all tenants, that are older than `moment`; returns how many. The scans
    /// stay.
    pub async fn delete_scan_photos(&self, size: PhotoSize, moment: Timestamp) -> Result<u64, Error> {
        let deletion = PHOTOS.deletion("size = $1 AND created_at < $2", "");
        let mut n_deleted = 0;
        loop {
            let n = self.write(sql!(AssertSqlSafe(deletion.clone()), [size, moment])).await?;
            n_deleted += n;
            if n == 0 {
                return Ok(n_deleted);
            }
        }
    }
}

async fn delete((sql, filter): &(String, Filter), tx: &mut AnyConnection) -> Result<u64, Error> {
    let query = filter.bind(sqlx::query(AssertSqlSafe(sql.clone())));
    Ok(query.execute(tx).await?.rows_affected())
}

/// The deletion of the rows of a tenant whose `column` is one of `ids`.
fn deletion_of(table: &str, column: &str, tenant_id: &str, ids: &[String]) -> (String, Filter) {
    let mut filter = Filter::new("tenant_id", tenant_id);
    filter.and(|f| f.one_of(column, ids));
    (format!("DELETE FROM {table} WHERE {}", filter.condition()), filter)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query_plans::assert_plan;

    #[tokio::test]
    async fn old_pictures_of_one_size_are_found_among_those_of_the_other() {
        let deletion = PHOTOS.deletion("size = $1 AND created_at < $2", "");
        assert_plan(&deletion, 2, &["scan_photo_by_size_and_age (size=? AND created_at<?)"]).await;
    }
}
