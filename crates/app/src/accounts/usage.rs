//! Usage: scans by day, source and path, and their cost.

use jiff::tz::TimeZone;
use partsight_domain::{FillUsageRow, ScanAllowance, ScanSource, UsageDays, UsageRow, User};

use crate::accounts::Accounts;
use crate::csv_file::file;
use crate::{Error, Result};

const CSV_COLUMNS: [&str; 6] = ["day", "source", "key", "path", "scans", "cost_usd"];

impl Accounts {
    /// The user's scans in a range of days, by day, source and path; the last 30 days by default.
    ///
    /// # Errors
    /// [`Error::Invalid`](crate::Error::Invalid) for a malformed or invalid range.
    pub async fn usage(
        &self,
        user: &User,
        from: Option<&str>,
        to: Option<&str>,
    ) -> Result<(UsageDays, Vec<UsageRow>)> {
        let today = self.clock.now().to_zoned(TimeZone::UTC).date();
        let days = UsageDays::new(from, to, today)?;
        Ok((days, self.store.list_usage(user.id, days).await?))
    }

    /// The texts that a language model filled in for the user on these days, by day and kind, with their cost.
    pub async fn fill_usage(&self, user: &User, days: UsageDays) -> Result<Vec<FillUsageRow>> {
        Ok(self.store.list_fill_usage(user.id, days).await?)
    }

    /// As [`usage`](Self::usage), as CSV with a header, costs in dollars. Texts that were filled in follow, each row
    /// with the path `fill-` and the kind, and without scans.
    ///
    /// # Errors
    /// As [`usage`](Self::usage).
    pub async fn usage_csv(&self, user: &User, from: Option<&str>, to: Option<&str>) -> Result<String> {
        let (days, rows) = self.usage(user, from, to).await?;
        let fills = self.fill_usage(user, days).await?;
        // A year of many keys has thousands of rows.
        tokio::task::spawn_blocking(move || usage_file(rows, fills)).await.map_err(Error::internal)
    }
}

fn usage_file(rows: Vec<UsageRow>, fills: Vec<FillUsageRow>) -> String {
    let dollars = |micros: u64| format!("{}.{:06}", micros / 1_000_000, micros % 1_000_000);
    let fills = fills.into_iter().map(|row| {
        vec![
            row.day.to_string(),
            ScanSource::Web.to_string(),
            String::new(),
            format!("fill-{}", row.kind.as_str()),
            "0".to_owned(),
            dollars(row.cost_micros),
        ]
    });
    let cells = rows.into_iter().map(|row| {
        vec![
            row.day.to_string(),
            row.source.to_string(),
            row.key_name.unwrap_or_default(),
            row.path.as_str().to_owned(),
            row.n_scans.to_string(),
            dollars(row.cost_micros),
        ]
    });
    file(&CSV_COLUMNS, cells.chain(fills))
}

impl Accounts {
    /// What the user may scan and has scanned.
    pub async fn scan_allowance(&self, user: &User) -> Result<ScanAllowance> {
        let n_scans = self.store.scans_used(user.id).await?;
        Ok(ScanAllowance::new(self.effective_plan(user), n_scans))
    }
}
