//! What a tenant lets the server learn from its feedback, and the calibration that came of it.

use jiff::Timestamp;
use partsight_domain::{CalibrationFigures, LearningChoice, RefitOutcome, TenantCalibration, TenantId};
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
    /// What a tenant lets the server learn; `None` where it never said.
    pub async fn learning_choice(&self, tenant_id: TenantId) -> Result<Option<LearningChoice>, Error> {
        let row = sqlx::query(
            "SELECT confirmed_scans_teach, refit_calibration FROM learning_choice WHERE tenant_id = $1",
        )
        .bind(tenant_id.to_string())
        .fetch_optional(&self.db)
        .await?;
        row.map(|row| {
            Ok(LearningChoice {
                confirmed_scans_teach: row.try_get::<i64, _>("confirmed_scans_teach")? == 1,
                refit_calibration: row.try_get::<i64, _>("refit_calibration")? == 1,
            })
        })
        .transpose()
    }

    /// Notes what a tenant lets the server learn.
    pub async fn set_learning_choice(
        &self,
        tenant_id: TenantId,
        choice: LearningChoice,
        now: Timestamp,
    ) -> Result<(), Error> {
        sqlx::query(
            "INSERT INTO learning_choice (tenant_id, confirmed_scans_teach, refit_calibration, changed_at) \
             VALUES ($1, $2, $3, $4) ON CONFLICT (tenant_id) DO UPDATE SET \
                 confirmed_scans_teach = $2, refit_calibration = $3, changed_at = $4",
        )
        .bind(tenant_id.to_string())
        .bind(i64::from(choice.confirmed_scans_teach))
        .bind(i64::from(choice.refit_calibration))
        .bind(now.as_millisecond())
        .execute(&self.writer)
        .await?;
        Ok(())
    }

    /// A tenant's own calibration, or the attempt at one.
    pub async fn tenant_calibration(&self, tenant_id: TenantId) -> Result<Option<TenantCalibration>, Error> {
        let row = sqlx::query("SELECT * FROM tenant_calibration WHERE tenant_id = $1")
            .bind(tenant_id.to_string())
            .fetch_optional(&self.db)
            .await?;
        row.map(|row| {
            let figures: Figures = rows::json(&row, "figures")?;
            let outcome: String = row.try_get("outcome")?;
            Ok(TenantCalibration {
                model_sha256: row.try_get("model_sha256")?,
                temperature: row.try_get("temperature")?,
                outcome: RefitOutcome::from_name(&outcome)
                    .ok_or_else(|| rows::corrupt("outcome", &outcome))?,
                n: row.try_get::<i64, _>("n")?.unsigned_abs(),
                before: figures.before,
                after: figures.after,
                attempted_at: rows::timestamp(&row, "attempted_at")?,
            })
        })
        .transpose()
    }

    /// Puts a tenant's calibration in the place of the one before.
    pub async fn set_tenant_calibration(
        &self,
        tenant_id: TenantId,
        calibration: &TenantCalibration,
    ) -> Result<(), Error> {
        let figures = Figures { before: calibration.before, after: calibration.after };
        sqlx::query(
            "INSERT INTO tenant_calibration (tenant_id, model_sha256, temperature, outcome, n, figures, attempted_at) \
             VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (tenant_id) DO UPDATE SET \
                 model_sha256 = $2, temperature = $3, outcome = $4, n = $5, figures = $6, attempted_at = $7",
        )
        .bind(tenant_id.to_string())
        .bind(&calibration.model_sha256)
        .bind(NullableFloat(calibration.temperature))
        .bind(calibration.outcome.as_str())
        .bind(i64::try_from(calibration.n).unwrap_or(i64::MAX))
        .bind(rows::to_json("figures", &figures)?)
        .bind(calibration.attempted_at.as_millisecond())
        .execute(&self.writer)
        .await?;
        Ok(())
    }

    /// Goes back to the model's own calibration for a tenant.
    pub async fn delete_tenant_calibration(&self, tenant_id: TenantId) -> Result<(), Error> {
        sqlx::query("DELETE FROM tenant_calibration WHERE tenant_id = $1")
            .bind(tenant_id.to_string())
            .execute(&self.writer)
            .await?;
        Ok(())
    }
}
