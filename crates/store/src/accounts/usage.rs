use jiff::Timestamp;
use jiff::tz::TimeZone;
use partsight_domain::{ScanUsage, UsageDays, UsagePath, UsageRow, UserId};
use sqlx::any::AnyRow;
use sqlx::{AnyConnection, Row};

use crate::{Error, Store, rows};

impl Store {
    /// Counts a scan of a user that has no answer to be saved with.
    pub async fn count_scan(&self, user_id: UserId, usage: &ScanUsage, now: Timestamp) -> Result<(), Error> {
        count_usage(user_id, usage, now, &mut *self.writer.acquire().await?).await
    }

    /// What a user scanned on these days, by day, source and path.
    pub async fn list_usage(&self, user_id: UserId, days: UsageDays) -> Result<Vec<UsageRow>, Error> {
        let rows = sqlx::query(
            "SELECT scan_usage.*, api_key.name AS key_name FROM scan_usage \
             LEFT JOIN api_key ON api_key.key_id = scan_usage.source AND api_key.user_id = scan_usage.user_id \
             WHERE scan_usage.user_id = $1 AND day >= $2 AND day <= $3 ORDER BY day, source, path",
        )
        .bind(user_id.to_string())
        .bind(days.from.to_string())
        .bind(days.to.to_string())
        .fetch_all(&self.db)
        .await?;
        rows.iter().map(usage_from_row).collect()
    }
}

/// Counts a scan of a user, on the UTC day of `now`.
pub(crate) async fn count_usage(
    user_id: UserId,
    usage: &ScanUsage,
    now: Timestamp,
    tx: &mut AnyConnection,
) -> Result<(), Error> {
    sqlx::query(
        "INSERT INTO scan_usage (user_id, day, source, path, n_scans, cost_micros) \
         VALUES ($1, $2, $3, $4, 1, $5) \
         ON CONFLICT (user_id, day, source, path) DO UPDATE SET \
             n_scans = scan_usage.n_scans + 1, cost_micros = scan_usage.cost_micros + excluded.cost_micros",
    )
    .bind(user_id.to_string())
    .bind(now.to_zoned(TimeZone::UTC).date().to_string())
    .bind(usage.source.to_string())
    .bind(usage.path.as_str())
    .bind(i64::try_from(usage.cost_micros).unwrap_or(i64::MAX))
    .execute(tx)
    .await?;
    Ok(())
}

fn usage_from_row(row: &AnyRow) -> Result<UsageRow, Error> {
    let path: String = row.try_get("path")?;
    Ok(UsageRow {
        day: rows::parsed(row, "day")?,
        source: rows::parsed(row, "source")?,
        key_name: row.try_get("key_name")?,
        path: UsagePath::from_name(&path).ok_or_else(|| rows::corrupt("path", &path))?,
        n_scans: row.try_get::<i64, _>("n_scans")?.unsigned_abs(),
        cost_micros: row.try_get::<i64, _>("cost_micros")?.unsigned_abs(),
    })
}
