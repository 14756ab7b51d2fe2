//! What a tenant lets the server learn from its feedback, and the fitted calibration.

use jiff::Timestamp;
use partsight_domain::{CalibrationFigures, FeedbackDoubt, LearningChoice, TenantCalibration, TenantId};
use serde::{Deserialize, Serialize};
use sqlx::Row;

use crate::nullable_float::NullableFloat;
use crate::{Error, Store, rows};

#[derive(Serialize, Deserialize)]
struct Figures {
    before: Option<CalibrationFigures>,
    after: Option<CalibrationFigures>,
    /// Absent in rows of earlier versions.
    #[serde(skip_serializing_if = "Option::is_none")]
    doubt: Option<FeedbackDoubt>,
}

impl Store {
    /// What a tenant lets the server learn; `None` if it has not chosen.
    pub async fn learning_choice(&self, tenant_id: TenantId) -> Result<Option<LearningChoice>, Error> {
        let query = sql!(
            "SELECT confirmed_scans_teach, refit_calibration FROM learning_choice WHERE tenant_id = $1",
            [tenant_id]
        );
        self.find(query, |row| {
            Ok(LearningChoice {
                confirmed_scans_teach: rows::flag(row, "confirmed_scans_teach")?,
                refit_calibration: rows::flag(row, "refit_calibration")?,
            })
        })
        .await
    }

    /// Saves what a tenant lets the server learn.
    pub async fn set_learning_choice(
        &self,
        tenant_id: TenantId,
        choice: LearningChoice,
        now: Timestamp,
    ) -> Result<(), Error> {
        let mut tx = self.begin().await?;
        // For `set_tenant_calibration`.
        Self::lock_tenant(&mut tx, tenant_id).await?;
        let query = sql!(
            "INSERT INTO learning_choice (tenant_id, confirmed_scans_teach, refit_calibration, changed_at) \
             VALUES ($1, $2, $3, $4) ON CONFLICT (tenant_id) DO UPDATE SET \
                 confirmed_scans_teach = $2, refit_calibration = $3, changed_at = $4",
            [tenant_id, choice.confirmed_scans_teach, choice.refit_calibration, now]
        );
        query.execute(&mut *tx).await?;
        tx.commit().await
    }

    /// A tenant's own calibration, or the attempt at one.
    pub async fn tenant_calibration(&self, tenant_id: TenantId) -> Result<Option<TenantCalibration>, Error> {
        let query = sql!("SELECT * FROM tenant_calibration WHERE tenant_id = $1", [tenant_id]);
        self.find(query, |row| {
            let figures: Figures = rows::json(row, "figures")?;
            Ok(TenantCalibration {
                model_sha256: row.try_get("model_sha256")?,
                temperature: row.try_get("temperature")?,
                outcome: rows::parsed(row, "outcome")?,
                doubt: figures.doubt,
                n: rows::count(row, "n")?,
                before: figures.before,
                after: figures.after,
                attempted_at: rows::timestamp(row, "attempted_at")?,
            })
        })
        .await
    }

    /// Replaces a tenant's calibration; false if it was not asked for (`is_asked_for`) and the tenant has forbidden
    /// refitting, perhaps since the fit began.
    pub async fn set_tenant_calibration(
        &self,
        tenant_id: TenantId,
        calibration: &TenantCalibration,
        is_asked_for: bool,
    ) -> Result<bool, Error> {
        let mut tx = self.begin().await?;
        // So that a tenant does not forbid it between the look and the insertion.
        Self::lock_tenant(&mut tx, tenant_id).await?;
        let query = scalar!(
            "SELECT COUNT(*) FROM learning_choice WHERE tenant_id = $1 AND refit_calibration = 0",
            [tenant_id]
        );
        let n_forbidden: i64 = query.fetch_one(&mut *tx).await?;
        if n_forbidden > 0 && !is_asked_for {
            tx.rollback().await?;
            return Ok(false);
        }
        let TenantCalibration { before, after, doubt, .. } = *calibration;
        let figures = Figures { before, after, doubt };
        let query = sql!(
            "INSERT INTO tenant_calibration (tenant_id, model_sha256, temperature, outcome, n, figures, attempted_at) \
             VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (tenant_id) DO UPDATE SET \
                 model_sha256 = $2, temperature = $3, outcome = $4, n = $5, figures = $6, attempted_at = $7",
            [tenant_id, calibration.model_sha256, NullableFloat(calibration.temperature)],
            [calibration.outcome, i64::try_from(calibration.n).unwrap_or(i64::MAX)],
            [rows::to_json("figures", &figures)?, calibration.attempted_at]
        );
        query.execute(&mut *tx).await?;
        tx.commit().await?;
        Ok(true)
    }

    /// Deletes a tenant's calibration, so that the model's own is used, and forbids refitting.
    pub async fn undo_tenant_calibration(&self, tenant_id: TenantId, now: Timestamp) -> Result<(), Error> {
        let mut tx = self.begin().await?;
        Self::lock_tenant(&mut tx, tenant_id).await?;
        let query = sql!(
            "INSERT INTO learning_choice (tenant_id, confirmed_scans_teach, refit_calibration, changed_at) \
             VALUES ($1, $2, 0, $3) ON CONFLICT (tenant_id) DO UPDATE SET refit_calibration = 0, changed_at = $3",
            [tenant_id, LearningChoice::default().confirmed_scans_teach, now]
        );
        query.execute(&mut *tx).await?;
        let query = sql!("DELETE FROM tenant_calibration WHERE tenant_id = $1", [tenant_id]);
        query.execute(&mut *tx).await?;
        tx.commit().await
    }
}
