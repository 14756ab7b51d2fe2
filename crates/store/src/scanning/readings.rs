//! The text and codes that were read on the photographs of scans.

use jiff::Timestamp;
use partsight_domain::{BatchId, BatchItemId, Reading, Scan, ScanId, TenantId, folded_number};
use sqlx::any::AnyRow;
use sqlx::{AnyConnection, Row};

use super::feedback::lock_scan;
use crate::nullable_float::NullableFloat;
use crate::{Error, Store, rows};

impl Store {
    /// Saves the reading of a tenant's scan in place of an earlier one; returns whether there is such a scan. `amended`
    /// is the scan with the answer that the reading leads to, if that differs; an answer with feedback is not changed. A
    /// changed answer is an event like the first one.
    pub async fn save_reading(
        &self,
        tenant_id: TenantId,
        id: ScanId,
        reading: &Reading,
        amended: Option<&Scan>,
        now: Timestamp,
    ) -> Result<bool, Error> {
        self.keep_reading(tenant_id, id, reading, amended, now, None).await
    }

    /// As [`save_reading`](Self::save_reading), unless the stored lines differ from those of `found`: then false as
    /// well.
    pub async fn replace_reading(
        &self,
        tenant_id: TenantId,
        id: ScanId,
        found: &Reading,
        reading: &Reading,
        amended: Option<&Scan>,
        now: Timestamp,
    ) -> Result<bool, Error> {
        let found = rows::to_json("lines", &found.lines)?;
        self.keep_reading(tenant_id, id, reading, amended, now, Some(found)).await
    }

    async fn keep_reading(
        &self,
        tenant_id: TenantId,
        id: ScanId,
        reading: &Reading,
        amended: Option<&Scan>,
        now: Timestamp,
        found_lines: Option<String>,
    ) -> Result<bool, Error> {
        let picture =
            reading.picture.as_ref().map(|picture| rows::to_json("picture", picture)).transpose()?;
        let mut tx = self.begin().await?;
        // The scan before its rows, the order in which a deletion locks them.
        let told = match amended {
            Some(scan) if amend_answer(tenant_id, id, scan, &mut tx).await? => {
                Some(scan.answered(item_of(tenant_id, id, &mut tx).await?))
            }
            _ => None,
        };
        let query = sql!(
            "INSERT INTO scan_reading (scan_id, tenant_id, lines, parts, read_at, picture, folded_lines) \
             SELECT scan_id, tenant_id, $3, $4, $5, $6, $7 FROM scan WHERE tenant_id = $1 AND scan_id = $2 \
             ON CONFLICT (scan_id) DO UPDATE SET lines = excluded.lines, parts = excluded.parts, \
                 read_at = excluded.read_at, picture = excluded.picture, folded_lines = excluded.folded_lines \
             WHERE scan_reading.lines = COALESCE($8, scan_reading.lines)",
            [tenant_id, id, rows::to_json("lines", &reading.lines)?, rows::to_json("parts", &reading.parts)?],
            [reading.read_at, picture, folded_lines(reading), found_lines]
        );
        if query.execute(&mut *tx).await?.rows_affected() == 0 {
            tx.rollback().await?;
            return Ok(false);
        }
        // Last: see `append_event`.
        if let Some(event) = told {
            self.append_event(tenant_id, &event, now, &mut tx).await?;
        }
        tx.commit().await?;
        Ok(true)
    }

    /// The reading of a tenant's scan.
    pub async fn find_reading(&self, tenant_id: TenantId, id: ScanId) -> Result<Option<Reading>, Error> {
        let query = sql!(
            "SELECT lines, parts, picture, read_at FROM scan_reading WHERE tenant_id = $1 AND scan_id = $2",
            [tenant_id, id]
        );
        self.find(query, reading_from_row).await
    }

    /// All readings of a tenant.
    pub async fn list_readings(&self, tenant_id: TenantId) -> Result<Vec<(ScanId, Reading)>, Error> {
        let query = sql!("SELECT * FROM scan_reading WHERE tenant_id = $1", [tenant_id]);
        self.list(query, |row| Ok((rows::parsed(row, "scan_id")?, reading_from_row(row)?))).await
    }
}

/// Each line as a folded part number, separated by vertical bars.
fn folded_lines(reading: &Reading) -> String {
    // The bars keep a search from matching across two lines.
    reading.lines.iter().fold("|".to_owned(), |text, line| text + &folded_number(line.says()) + "|")
}

/// Changes the answer of a scan without feedback; returns whether there is one.
///
/// Somebody may give feedback while the text is being read. The scan is locked by a statement of its own, so that the
/// next one sees it: PostgreSQL would otherwise re-read the scan after the wait, but the feedback as it was before it.
async fn amend_answer(
    tenant_id: TenantId,
    id: ScanId,
    scan: &Scan,
    tx: &mut AnyConnection,
) -> Result<bool, Error> {
    if !lock_scan(tenant_id, id, tx).await? {
        return Ok(false);
    }
    let query = sql!(
        "UPDATE scan SET verdict = $3, label = $4, confidence = $5, alternatives = $6, receipt = $7, category = $8, \
                category_confidence = $9 \
         WHERE tenant_id = $1 AND scan_id = $2 \
         AND NOT EXISTS (SELECT 1 FROM scan_feedback WHERE scan_feedback.scan_id = scan.scan_id)",
        [tenant_id, id, scan.verdict, scan.best.label, NullableFloat(Some(f64::from(scan.best.confidence)))],
        [rows::to_json("alternatives", &scan.alternatives)?, rows::to_json("receipt", &scan.receipt)?],
        [scan.category.map(|guess| guess.category)],
        [NullableFloat(scan.category.map(|guess| f64::from(guess.confidence)))]
    );
    Ok(query.execute(tx).await?.rows_affected() > 0)
}

/// The photograph of a batch whose answer a scan is, if it is one.
async fn item_of(
    tenant_id: TenantId,
    id: ScanId,
    tx: &mut AnyConnection,
) -> Result<Option<(BatchId, BatchItemId)>, Error> {
    let query = sql!(
        "SELECT batch_id, batch_item_id FROM batch_item WHERE tenant_id = $1 AND scan_id = $2 LIMIT 1",
        [tenant_id, id]
    );
    let row = query.fetch_optional(tx).await?;
    row.map(|row| Ok((rows::parsed(&row, "batch_id")?, rows::parsed(&row, "batch_item_id")?))).transpose()
}

fn reading_from_row(row: &AnyRow) -> Result<Reading, Error> {
    let picture: Option<String> = row.try_get("picture")?;
    let picture = picture.map(|_| rows::json(row, "picture")).transpose()?;
    Ok(Reading {
        picture,
        lines: rows::json(row, "lines")?,
        parts: rows::json(row, "parts")?,
        read_at: rows::timestamp(row, "read_at")?,
    })
}
