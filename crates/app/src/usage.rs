//! What was scanned, from where, and what it cost.

use jiff::tz::TimeZone;
use partsight_domain::{Scan, ScanUsage, UsageDays, UsagePath, UsageRow, User};
use partsight_store::IdempotentCall;

use crate::records_csv::write::file;
use crate::scans::ScanRequest;
use crate::{App, Error, Result};

const CSV_COLUMNS: [&str; 6] = ["day", "source", "key", "path", "scans", "cost_usd"];

impl App {
    /// As [`scan`](Self::scan), and counts in the usage what has no answer, too. A scan that was refused before the
    /// photograph was looked at, such as one beyond the allowance, does not count.
    ///
    /// # Errors
    /// As [`scan`](Self::scan).
    pub async fn scan_and_count(
        &self,
        user: &User,
        request: ScanRequest,
        call: Option<&IdempotentCall>,
    ) -> Result<Scan> {
        let source = request.source;
        let result = self.scan(user, request, call).await;
        let path = match &result {
            Err(Error::NotIdentified) => Some(UsagePath::NotAPart),
            // An answer is counted in the transaction that saves it.
            Ok(_)
            | Err(
                Error::LimitReached { .. } | Error::Invalid(_) | Error::NotFound { .. } | Error::CallRunning,
            ) => None,
            Err(_) => Some(UsagePath::Error),
        };
        if let Some(path) = path {
            let usage = ScanUsage { source, path, cost_micros: 0 };
            if let Err(error) = self.store.count_scan(user.id, &usage, self.now()).await {
                // What the caller has to hear is why there is no answer.
                tracing::warn!(%error, "a scan without an answer could not be counted");
            }
        }
        result
    }

    /// What the user scanned on the days in these texts, by day, source and path; the last 30 days unless given.
    ///
    /// # Errors
    /// [`Error::Invalid`] for days that cannot be asked for.
    pub async fn usage(
        &self,
        user: &User,
        from: Option<&str>,
        to: Option<&str>,
    ) -> Result<(UsageDays, Vec<UsageRow>)> {
        let today = self.now().to_zoned(TimeZone::UTC).date();
        let days = UsageDays::new(from, to, today)?;
        Ok((days, self.store.list_usage(user.id, days).await?))
    }

    /// As [`usage`](Self::usage), as CSV with a header, costs in dollars.
    ///
    /// # Errors
    /// As [`usage`](Self::usage).
    pub async fn usage_csv(&self, user: &User, from: Option<&str>, to: Option<&str>) -> Result<String> {
        let (_, rows) = self.usage(user, from, to).await?;
        let cells = rows.into_iter().map(|row| {
            vec![
                row.day.to_string(),
                row.source.to_string(),
                row.key_name.unwrap_or_default(),
                row.path.as_str().to_owned(),
                row.n_scans.to_string(),
                format!("{}.{:06}", row.cost_micros / 1_000_000, row.cost_micros % 1_000_000),
            ]
        });
        Ok(file(&CSV_COLUMNS, cells))
    }
}
