//! The history: saved scans, and their pictures.

use jiff::Timestamp;
use partsight_domain::{
    Candidate, Category, CategoryGuess, PartLabel, PhotoSize, Scan, ScanId, ScanPosition, TenantId,
    VehicleId, VehicleName, Verdict,
};
use sqlx::any::AnyRow;
use sqlx::{AssertSqlSafe, Row};

use super::clearing::IN_SIGHT;
use super::feedback::feedback_from_row;
use crate::filter::Filter;
use crate::garage::name_from_parts;
use crate::{Error, Store, rows};

/// The label that a scan shows: the correction if there is one, otherwise the answer; empty if somebody said that it
/// shows no part.
pub(crate) const SHOWN_LABEL: &str = "COALESCE((SELECT COALESCE(scan_feedback.label, '') FROM scan_feedback \
     WHERE scan_feedback.scan_id = scan.scan_id), scan.label)";
/// A scan with its feedback and which pictures of it are kept.
const SELECT: &str = "SELECT scan.*, (SELECT COUNT(*) FROM scan_photo \
                                      WHERE scan_photo.scan_id = scan.scan_id AND size = 'thumbnail') \
                                     AS n_thumbnails, \
     (SELECT COUNT(*) FROM scan_photo WHERE scan_photo.scan_id = scan.scan_id AND size = 'full') AS n_whole_photos, \
     (SELECT kind FROM scan_feedback WHERE scan_feedback.scan_id = scan.scan_id) AS feedback_kind, \
     (SELECT scan_feedback.label FROM scan_feedback WHERE scan_feedback.scan_id = scan.scan_id) AS feedback_label, \
     (SELECT part_reference_id FROM scan_feedback WHERE scan_feedback.scan_id = scan.scan_id) AS feedback_reference, \
     (SELECT changed_at FROM scan_feedback WHERE scan_feedback.scan_id = scan.scan_id) AS feedback_changed_at \
     FROM scan";
/// The newest first.
const ORDER: &str = "ORDER BY scanned_at DESC, scan_id DESC";
/// The vehicle of a scan as people write it.
const VEHICLE: &str = "CAST(vehicle_year AS TEXT) || ' ' || vehicle_make || ' ' || vehicle_model";

/// Which scans of the history to list; by default all.
#[derive(Debug, Clone, Default)]
pub struct ScanFilter {
    /// Only scans with these ids.
    pub ids: Option<Vec<ScanId>>,
    /// Only scans for this vehicle.
    pub vehicle_id: Option<VehicleId>,
    /// Only scans whose answer has this verdict.
    pub verdict: Option<Verdict>,
    /// Only scans with feedback, or only the others.
    pub has_feedback: Option<bool>,
    /// Only discarded scans, or only the others.
    pub is_discarded: Option<bool>,
    /// Only scans of one of these parts.
    pub labels: Option<Vec<PartLabel>>,
    /// For each word of the search text: only scans of one of its parts, or for one of its vehicles.
    pub words: Vec<(Vec<PartLabel>, Vec<VehicleName>)>,
    /// Only scans after this position, in the order of the list (the newest first).
    pub before: Option<ScanPosition>,
    /// Only scans among this many of the tenant's newest.
    pub among_newest: Option<u32>,
}

impl ScanFilter {
    fn build(&self, tenant_id: TenantId) -> Filter {
        let mut filter = Filter::new("tenant_id", tenant_id.to_string());
        filter.and(|_| IN_SIGHT.to_owned());
        if let Some(ids) = &self.ids {
            filter.and(|f| f.one_of("scan_id", ids));
        }
        if let Some(id) = self.vehicle_id {
            filter.and(|f| format!("vehicle_id = {}", f.text(id)));
        }
        if let Some(verdict) = self.verdict {
            filter.and(|f| format!("verdict = {}", f.text(verdict)));
        }
        if let Some(has_feedback) = self.has_feedback {
            let not = if has_feedback { "" } else { "NOT " };
            filter.and(|_| {
                format!(
                    "{not}EXISTS (SELECT 1 FROM scan_feedback WHERE scan_feedback.scan_id = scan.scan_id)"
                )
            });
        }
        if let Some(is_discarded) = self.is_discarded {
            filter.and(|f| format!("is_discarded = {}", f.number(i64::from(is_discarded))));
        }
        if let Some(labels) = &self.labels {
            filter.and(|f| f.one_of(SHOWN_LABEL, labels));
        }
        for (labels, vehicles) in &self.words {
            // Each word may occur in the part or in the vehicle, and every word must occur.
            filter.and(|f| format!("({} OR {})", f.one_of(SHOWN_LABEL, labels), f.one_of(VEHICLE, vehicles)));
        }
        if let Some(before) = self.before {
            filter.and(|f| {
                let moment = f.number(before.scanned_at.as_millisecond());
                format!("(scanned_at, scan_id) < ({moment}, {})", f.text(before.id))
            });
        }
        if let Some(n) = self.among_newest {
            filter.and(|f| {
                let (tenant, n) = (f.text(tenant_id), f.number(i64::from(n)));
                format!(
                    "scan_id IN (SELECT scan_id FROM scan WHERE tenant_id = {tenant} AND {IN_SIGHT} {ORDER} LIMIT {n})"
                )
            });
        }
        filter
    }
}

impl Store {
    /// The newest `limit` scans of a tenant that pass `filter`.
    pub async fn list_scans(
        &self,
        tenant_id: TenantId,
        filter: &ScanFilter,
        limit: u32,
    ) -> Result<Vec<Scan>, Error> {
        let mut filter = filter.build(tenant_id);
        let limit = filter.number(i64::from(limit));
        let sql = format!("{SELECT} WHERE {} {ORDER} LIMIT {limit}", filter.condition());
        self.list(filter.bind(sqlx::query(AssertSqlSafe(sql))), scan_from_row).await
    }

    /// The number of a tenant's scans that pass `filter`.
    pub async fn count_scans(&self, tenant_id: TenantId, filter: &ScanFilter) -> Result<u64, Error> {
        let filter = filter.build(tenant_id);
        let sql = format!("SELECT COUNT(*) AS n FROM scan WHERE {}", filter.condition());
        let row = filter.bind(sqlx::query(AssertSqlSafe(sql))).fetch_one(&self.db).await?;
        rows::count(&row, "n")
    }

    /// The vehicles of a tenant's scans, each once.
    pub async fn list_scanned_vehicles(&self, tenant_id: TenantId) -> Result<Vec<VehicleName>, Error> {
        let query = sql!(
            AssertSqlSafe(format!(
                "SELECT DISTINCT vehicle_year, vehicle_make, vehicle_model FROM scan \
                 WHERE tenant_id = $1 AND vehicle_year IS NOT NULL AND {IN_SIGHT}"
            )),
            [tenant_id]
        );
        self.list(query, |row| {
            let (make, model) = (row.try_get("vehicle_make")?, row.try_get("vehicle_model")?);
            name_from_parts(row.try_get("vehicle_year")?, make, model)
        })
        .await
    }

    /// One scan of a tenant.
    pub async fn find_scan(&self, tenant_id: TenantId, id: ScanId) -> Result<Option<Scan>, Error> {
        let sql = format!("{SELECT} WHERE tenant_id = $1 AND scan_id = $2 AND {IN_SIGHT}");
        let query = sql!(AssertSqlSafe(sql), [tenant_id, id]);
        self.find(query, scan_from_row).await
    }

    /// Discards scans of a tenant from the list of past scans, or restores them; returns how many were changed.
    pub async fn discard_scans(
        &self,
        tenant_id: TenantId,
        ids: &[ScanId],
        is_discarded: bool,
    ) -> Result<u64, Error> {
        let mut filter = Filter::new("tenant_id", tenant_id);
        filter.and(|f| f.one_of("scan_id", ids));
        let value = i64::from(is_discarded);
        filter.and(|f| format!("is_discarded <> {}", f.number(value)));
        let sql = format!("UPDATE scan SET is_discarded = {value} WHERE {}", filter.condition());
        self.write(filter.bind(sqlx::query(AssertSqlSafe(sql)))).await
    }

    /// Notes that a server keeps no pictures of this size; returns since when no server has kept any.
    pub async fn stop_keeping_picture_size(
        &self,
        size: PhotoSize,
        now: Timestamp,
    ) -> Result<Timestamp, Error> {
        let query = sql!(
            "INSERT INTO unkept_picture_size (size, since) VALUES ($1, $2) ON CONFLICT (size) DO NOTHING",
            [size, now]
        );
        self.write(query).await?;
        let query = sql!("SELECT since FROM unkept_picture_size WHERE size = $1", [size]);
        let row = query.fetch_optional(&self.db).await?;
        // Another server has just noted that it keeps them.
        row.map_or(Ok(now), |row| rows::timestamp(&row, "since"))
    }

    /// Notes that a server keeps pictures of this size; returns whether another one, or an earlier one, did not.
    pub async fn keep_picture_size(&self, size: PhotoSize) -> Result<bool, Error> {
        let query = sql!("DELETE FROM unkept_picture_size WHERE size = $1", [size]);
        Ok(self.write(query).await? > 0)
    }

    /// Whether there is a picture of this size, of any tenant.
    pub async fn has_scan_photos(&self, size: PhotoSize) -> Result<bool, Error> {
        let query = sql!("SELECT 1 FROM scan_photo WHERE size = $1 LIMIT 1", [size]);
        Ok(query.fetch_optional(&self.db).await?.is_some())
    }
}

fn scan_from_row(row: &AnyRow) -> Result<Scan, Error> {
    let vehicle = match row.try_get::<Option<i64>, _>("vehicle_year")? {
        Some(year) => {
            Some(name_from_parts(year, row.try_get("vehicle_make")?, row.try_get("vehicle_model")?)?)
        }
        None => None,
    };
    Ok(Scan {
        id: rows::parsed(row, "scan_id")?,
        vehicle_id: rows::optional(row, "vehicle_id")?,
        vehicle,
        verdict: rows::parsed(row, "verdict")?,
        best: Candidate {
            label: rows::label(row, "label")?,
            confidence: row.try_get::<f64, _>("confidence")? as f32,
        },
        known_score: row.try_get::<f64, _>("known_score")? as f32,
        alternatives: rows::json(row, "alternatives")?,
        category: category_from_row(row)?,
        receipt: rows::json(row, "receipt")?,
        scanned_at: rows::timestamp(row, "scanned_at")?,
        has_thumbnail: row.try_get::<i64, _>("n_thumbnails")? > 0,
        has_whole_photo: row.try_get::<i64, _>("n_whole_photos")? > 0,
        feedback: feedback_from_row(row)?,
    })
}

fn category_from_row(row: &AnyRow) -> Result<Option<CategoryGuess>, Error> {
    let category: Option<Category> = rows::optional(row, "category")?;
    let confidence: Option<f64> = row.try_get("category_confidence")?;
    let guess = category.zip(confidence);
    Ok(guess.map(|(category, confidence)| CategoryGuess { category, confidence: confidence as f32 }))
}
