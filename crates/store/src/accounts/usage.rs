use jiff::Timestamp;
use jiff::tz::TimeZone;
use partsight_domain::{ScanUsage, UsageDays, UsageRow, UserId};
use sqlx::any::AnyRow;
use sqlx::{AnyConnection, Row};

use crate::{Error, Store, rows};

impl Store {
    /// Counts a scan of a user that has no answer to be saved with.
    pub async fn count_scan(&self, user_id: UserId, usage: &ScanUsage, now: Timestamp) -> Result<(), Error> {
        // A single statement without rows needs no transaction.
        count_usage(user_id, &[(*usage, now)], &mut *self.writer.acquire().await?).await
    }

    /// What a user scanned on these days, by day, source and path.
    pub async fn list_usage(&self, user_id: UserId, days: UsageDays) -> Result<Vec<UsageRow>, Error> {
        let query = sql!(
            "SELECT scan_usage.*, api_key.name AS key_name FROM scan_usage \
             LEFT JOIN api_key ON api_key.key_id = scan_usage.source AND api_key.user_id = scan_usage.user_id \
             WHERE scan_usage.user_id = $1 AND day >= $2 AND day <= $3 ORDER BY day, source, path",
            [user_id, days.from, days.to]
        );
        self.list(query, usage_from_row).await
    }
}

/// Counts scans of a user, each on the UTC day of its moment.
pub(crate) async fn count_usage(
    user_id: UserId,
    scans: &[(ScanUsage, Timestamp)],
    tx: &mut AnyConnection,
) -> Result<(), Error> {
    for (day, usage, n_scans) in by_row(scans) {
        let query = sql!(
            "INSERT INTO scan_usage (user_id, day, source, path, n_scans, cost_micros) \
             VALUES ($1, $2, $3, $4, $5, $6) \
             ON CONFLICT (user_id, day, source, path) DO UPDATE SET \
                 n_scans = scan_usage.n_scans + excluded.n_scans, \
                 cost_micros = scan_usage.cost_micros + excluded.cost_micros",
            [user_id, day, usage.source, usage.path, n_scans],
            [i64::try_from(usage.cost_micros).unwrap_or(i64::MAX)]
        );
        query.execute(&mut *tx).await?;
    }
    Ok(())
}

/// The rows that scans are counted in: day, source and path with what they cost together, and their number.
fn by_row(scans: &[(ScanUsage, Timestamp)]) -> Vec<(String, ScanUsage, i64)> {
    let mut counted: Vec<(String, ScanUsage, i64)> = Vec::new();
    for (usage, at) in scans {
        let day = at.to_zoned(TimeZone::UTC).date().to_string();
        let same = counted
            .iter_mut()
            .find(|(known, sum, _)| *known == day && (sum.source, sum.path) == (usage.source, usage.path));
        match same {
            Some((_, sum, n_scans)) => {
                sum.cost_micros = sum.cost_micros.saturating_add(usage.cost_micros);
                *n_scans += 1;
            }
            None => counted.push((day, *usage, 1)),
        }
    }
    counted
}

fn usage_from_row(row: &AnyRow) -> Result<UsageRow, Error> {
    Ok(UsageRow {
        day: rows::parsed(row, "day")?,
        source: rows::parsed(row, "source")?,
        key_name: row.try_get("key_name")?,
        path: rows::parsed(row, "path")?,
        n_scans: rows::count(row, "n_scans")?,
        cost_micros: rows::count(row, "cost_micros")?,
    })
}
