use std::collections::BTreeMap;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use partsight_domain::{ScanUsage, UsageDays, UsagePath, UsageRow, UserId};
use sqlx::any::AnyRow;
use sqlx::{AnyConnection, Row};

use crate::statement::Statement;
use crate::transaction::retried;
use crate::uncounted::UserScans;
use crate::{Error, Store, rows};

impl Store {
    /// Adds a scan without an answer to the usage of a user; a scan with an answer is counted when it is saved.
    /// Those that arrive while others are counted are counted together, so this has to run to its end: whoever drops it
    /// half-way may lose the scans of others.
    ///
    /// # Errors
    /// Those of the database, for any of the scans that are counted by this call.
    pub async fn count_scan(&self, user_id: UserId, usage: &ScanUsage, now: Timestamp) -> Result<(), Error> {
        self.uncounted.add(user_id, *usage, now);
        let _turn = self.uncounted.turn.lock().await;
        let scans = self.uncounted.take();
        let result = self.count_all(&scans).await;
        if result.is_ok() || scans.len() == 1 {
            return result;
        }
        // One of the users may have been deleted, which is no reason to lose the scans of the others.
        let mut result = Ok(());
        for (user_id, scans) in scans {
            result = result.and(self.count_all(&BTreeMap::from([(user_id, scans)])).await);
        }
        result
    }

    async fn count_all(&self, scans: &UserScans) -> Result<(), Error> {
        // Another call has counted them.
        if scans.is_empty() {
            return Ok(());
        }
        retried(|| async {
            let mut tx = self.begin().await?;
            for (user_id, scans) in scans {
                count_usage(*user_id, scans, &mut tx).await?;
            }
            tx.commit().await
        })
        .await
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

/// Adds scans of a user to the usage, each on the UTC day of its timestamp.
pub(crate) async fn count_usage(
    user_id: UserId,
    scans: &[(ScanUsage, Timestamp)],
    tx: &mut AnyConnection,
) -> Result<(), Error> {
    for row in by_row(scans) {
        row_query(user_id, &row).execute(&mut *tx).await?;
    }
    Ok(())
}

fn row_query(user_id: UserId, (day, usage, n_scans): &UsageCount) -> Statement<'static> {
    sql!(
        "INSERT INTO scan_usage (user_id, day, source, path, n_scans, cost_micros) \
         VALUES ($1, $2, $3, $4, $5, $6) \
         ON CONFLICT (user_id, day, source, path) DO UPDATE SET \
             n_scans = scan_usage.n_scans + excluded.n_scans, \
             cost_micros = scan_usage.cost_micros + excluded.cost_micros",
        [user_id, day, usage.source, usage.path, n_scans],
        [i64::try_from(usage.cost_micros).unwrap_or(i64::MAX)]
    )
}

/// Day, source and path with the total cost, and the number of scans.
type UsageCount = (String, ScanUsage, i64);

/// Scans grouped by the row that counts them, sorted: all transactions lock these rows in this order.
fn by_row(scans: &[(ScanUsage, Timestamp)]) -> Vec<UsageCount> {
    let mut counted: BTreeMap<(String, String, UsagePath), (ScanUsage, i64)> = BTreeMap::new();
    for (usage, at) in scans {
        let (sum, n_scans) = counted
            .entry((day_of(*at), usage.source.to_string(), usage.path))
            .or_insert((ScanUsage { cost_micros: 0, ..*usage }, 0));
        sum.cost_micros = sum.cost_micros.saturating_add(usage.cost_micros);
        *n_scans += 1;
    }
    counted.into_iter().map(|((day, ..), (sum, n_scans))| (day, sum, n_scans)).collect()
}

/// The UTC day of a timestamp.
fn day_of(at: Timestamp) -> String {
    at.to_zoned(TimeZone::UTC).date().to_string()
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

#[cfg(test)]
mod tests {
    use partsight_domain::ScanSource;

    use super::*;

    #[test]
    fn scans_are_counted_by_row_in_one_order() {
        let scan = |path, cost_micros| ScanUsage { source: ScanSource::Web, path, cost_micros };
        let (local, error) = (scan(UsagePath::Local, 2), scan(UsagePath::Error, 0));
        let now: Timestamp = "2027-01-15T10:00:00Z".parse().unwrap();
        let day = "2027-01-15".to_owned();
        let expected = [(day.clone(), scan(UsagePath::Local, 4), 2), (day, error, 1)];
        for scans in [[local, local, error], [error, local, local]] {
            assert_eq!(by_row(&scans.map(|scan| (scan, now))), expected);
        }
    }
}
