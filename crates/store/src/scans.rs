use partsight_domain::{
    Candidate, Category, CategoryGuess, PartLabel, Scan, ScanAllowance, UNLIMITED_SCANS, UserId, VehicleId,
    Verdict,
};
use sqlx::Row;
use sqlx::any::AnyRow;

use crate::vehicles::name_from_parts;
use crate::{Error, Store, rows};

impl Store {
    /// Saves an answered scan and counts it, both or neither, and returns the allowance after it.
    ///
    /// `limit` is the number of scans that the user's plan allows, [`UNLIMITED_SCANS`] for no limit. The count
    /// is raised by one statement that also checks it, so two scans at once can never use one allowance twice.
    ///
    /// # Errors
    /// [`Error::LimitReached`] when nothing is left; nothing is saved then.
    pub async fn save_scan(&self, user_id: UserId, scan: &Scan, limit: u32) -> Result<ScanAllowance, Error> {
        let mut tx = self.db.begin().await?;
        let used: Option<i64> = sqlx::query_scalar(
            "UPDATE app_user SET scans_used = scans_used + 1 \
             WHERE user_id = $1 AND ($2 = $3 OR scans_used < $2) RETURNING scans_used",
        )
        .bind(user_id.to_string())
        .bind(i64::from(limit))
        .bind(i64::from(UNLIMITED_SCANS))
        .fetch_optional(&mut *tx)
        .await?;
        let Some(used) = used else {
            tx.rollback().await?;
            return Err(Error::LimitReached { limit });
        };
        // A vehicle deleted while its photograph was being scanned must not lose the scan.
        sqlx::query(
            "INSERT INTO scan (scan_id, user_id, vehicle_id, vehicle_year, vehicle_make, vehicle_model, verdict, \
                               label, confidence, known_score, alternatives, receipt, scanned_at, \
                               category, category_confidence) \
             VALUES ($1, $2, (SELECT vehicle_id FROM vehicle WHERE user_id = $2 AND vehicle_id = $3), \
                     $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)",
        )
        .bind(scan.id.to_string())
        .bind(user_id.to_string())
        .bind(scan.vehicle_id.map(|id| id.to_string()))
        .bind(scan.vehicle.as_ref().map(|vehicle| i64::from(vehicle.year.get())))
        .bind(scan.vehicle.as_ref().map(|vehicle| vehicle.make.as_str()))
        .bind(scan.vehicle.as_ref().map(|vehicle| vehicle.model.as_str()))
        .bind(scan.verdict.as_str())
        .bind(scan.best.label.as_str())
        .bind(f64::from(scan.best.confidence))
        .bind(f64::from(scan.known_score))
        .bind(rows::to_json("alternatives", &scan.alternatives)?)
        .bind(rows::to_json("receipt", &scan.receipt)?)
        .bind(scan.scanned_at.as_millisecond())
        .bind(scan.category.map(|guess| guess.category.as_str()))
        .bind(scan.category.map(|guess| f64::from(guess.confidence)))
        .execute(&mut *tx)
        .await?;
        tx.commit().await?;
        Ok(ScanAllowance { limit, used: u32::try_from(used).unwrap_or(u32::MAX) })
    }

    /// The newest `limit` scans of a user, of one vehicle where given.
    pub async fn list_recent_scans(
        &self,
        user_id: UserId,
        vehicle_id: Option<VehicleId>,
        limit: u32,
    ) -> Result<Vec<Scan>, Error> {
        let query = match vehicle_id {
            Some(vehicle_id) => sqlx::query(
                "SELECT * FROM scan WHERE user_id = $1 AND vehicle_id = $3 \
                 ORDER BY scanned_at DESC, scan_id DESC LIMIT $2",
            )
            .bind(user_id.to_string())
            .bind(i64::from(limit))
            .bind(vehicle_id.to_string()),
            None => sqlx::query(
                "SELECT * FROM scan WHERE user_id = $1 ORDER BY scanned_at DESC, scan_id DESC LIMIT $2",
            )
            .bind(user_id.to_string())
            .bind(i64::from(limit)),
        };
        query.fetch_all(&self.db).await?.iter().map(scan_from_row).collect()
    }

    /// Deletes the scans of a user, of one vehicle where given, and returns how many went.
    pub async fn delete_scans(&self, user_id: UserId, vehicle_id: Option<VehicleId>) -> Result<u64, Error> {
        let query = match vehicle_id {
            Some(vehicle_id) => sqlx::query("DELETE FROM scan WHERE user_id = $1 AND vehicle_id = $2")
                .bind(user_id.to_string())
                .bind(vehicle_id.to_string()),
            None => sqlx::query("DELETE FROM scan WHERE user_id = $1").bind(user_id.to_string()),
        };
        Ok(query.execute(&self.db).await?.rows_affected())
    }
}

fn scan_from_row(row: &AnyRow) -> Result<Scan, Error> {
    let vehicle = match row.try_get::<Option<i64>, _>("vehicle_year")? {
        Some(year) => {
            Some(name_from_parts(year, row.try_get("vehicle_make")?, row.try_get("vehicle_model")?)?)
        }
        None => None,
    };
    let vehicle_id: Option<String> = row.try_get("vehicle_id")?;
    let vehicle_id = vehicle_id
        .map(|id| id.parse::<VehicleId>())
        .transpose()
        .map_err(|error| Error::Corrupt { column: "vehicle_id", reason: error.to_string() })?;
    let verdict: String = row.try_get("verdict")?;
    let label: String = row.try_get("label")?;
    Ok(Scan {
        id: rows::parsed(row, "scan_id")?,
        vehicle_id,
        vehicle,
        verdict: Verdict::from_name(&verdict).ok_or(Error::Corrupt { column: "verdict", reason: verdict })?,
        best: Candidate {
            label: PartLabel::new(&label)
                .map_err(|error| Error::Corrupt { column: "label", reason: error.message })?,
            confidence: row.try_get::<f64, _>("confidence")? as f32,
        },
        known_score: row.try_get::<f64, _>("known_score")? as f32,
        alternatives: rows::json(row, "alternatives")?,
        category: category_from_row(row)?,
        receipt: rows::json(row, "receipt")?,
        scanned_at: rows::timestamp(row, "scanned_at")?,
    })
}

fn category_from_row(row: &AnyRow) -> Result<Option<CategoryGuess>, Error> {
    let name: Option<String> = row.try_get("category")?;
    let confidence: Option<f64> = row.try_get("category_confidence")?;
    let Some((name, confidence)) = name.zip(confidence) else { return Ok(None) };
    let category = Category::from_name(&name).ok_or(Error::Corrupt { column: "category", reason: name })?;
    Ok(Some(CategoryGuess { category, confidence: confidence as f32 }))
}
