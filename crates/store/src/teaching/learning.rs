//! What a tenant lets the server learn from its feedback, and the fitted calibration.

use jiff::Timestamp;
use partsight_domain::{CalibrationFigures, LearningChoice, TenantCalibration, TenantId};
use serde::{Deserialize, Serialize};
use sqlx::Row;

use crate::nullable_float::NullableFloat;
use crate::{Error, Store, rows};

#[derive(Serialize, Deserialize)]
struct Figures {
    before: Option<CalibrationFigures>,
    after: Option<CalibrationFigures>,
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
        let query = sql!(
            "INSERT INTO learning_choice (tenant_id, confirmed_scans_teach, refit_calibration, changed_at) \
             VALUES ($1, $2, $3, $4) ON CONFLICT (tenant_id) DO UPDATE SET \
                 confirmed_scans_teach = $2, refit_calibration = $3, changed_at = $4",
            [tenant_id, choice.confirmed_scans_teach, choice.refit_calibration, now]
        );
        self.write(query).await?;
        Ok(())
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
                n: rows::count(row, "n")?,
                before: figures.before,
                after: figures.after,
                attempted_at: rows::timestamp(row, "attempted_at")?,
            })
        })
        .await
    }

    /// Replaces a tenant's calibration.
    pub async fn set_tenant_calibration(
        &self,
        tenant_id: TenantId,
        calibration: &TenantCalibration,
    ) -> Result<(), Error> {
        let figures = Figures { before: calibration.before, after: calibration.after };
        let query = sql!(
            "INSERT INTO tenant_calibration (tenant_id, model_sha256, temperature, outcome, n, figures, attempted_at) \
             VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (tenant_id) DO UPDATE SET \
                 model_sha256 = $2, temperature = $3, outcome = $4, n = $5, figures = $6, attempted_at = $7",
            [tenant_id, calibration.model_sha256, NullableFloat(calibration.temperature)],
            [calibration.outcome, i64::try_from(calibration.n).unwrap_or(i64::MAX)],
            [rows::to_json("figures", &figures)?, calibration.attempted_at]
        );
        self.write(query).await?;
        Ok(())
    }

    /// Deletes a tenant's calibration, so that the model's own is used.
    pub async fn delete_tenant_calibration(&self, tenant_id: TenantId) -> Result<(), Error> {
        let query = sql!("DELETE FROM tenant_calibration WHERE tenant_id = $1", [tenant_id]);
        self.write(query).await?;
        Ok(())
    }
}
