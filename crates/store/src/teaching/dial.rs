//! How many wrong answers a tenant accepts.

use jiff::Timestamp;
use partsight_domain::{ErrorRate, TenantId};

use crate::{Error, Store, rows};

impl Store {
    /// What a tenant chose; `None` where the model's own threshold holds.
    pub async fn dial_choice(&self, tenant_id: TenantId) -> Result<Option<ErrorRate>, Error> {
        let hundredths: Option<i64> =
            sqlx::query_scalar("SELECT max_wrong_hundredths FROM dial_choice WHERE tenant_id = $1")
                .bind(tenant_id.to_string())
                .fetch_optional(&self.db)
                .await?;
        hundredths
            .map(|found| {
                ErrorRate::from_hundredths(found).ok_or_else(|| rows::corrupt("max_wrong_hundredths", &found))
            })
            .transpose()
    }

    /// Notes what a tenant chooses, or that it goes back to the model's own.
    pub async fn set_dial_choice(
        &self,
        tenant_id: TenantId,
        choice: Option<ErrorRate>,
        now: Timestamp,
    ) -> Result<(), Error> {
        let Some(choice) = choice else {
            sqlx::query("DELETE FROM dial_choice WHERE tenant_id = $1")
                .bind(tenant_id.to_string())
                .execute(&self.writer)
                .await?;
            return Ok(());
        };
        sqlx::query(
            "INSERT INTO dial_choice (tenant_id, max_wrong_hundredths, changed_at) VALUES ($1, $2, $3) \
             ON CONFLICT (tenant_id) DO UPDATE SET max_wrong_hundredths = $2, changed_at = $3",
        )
        .bind(tenant_id.to_string())
        .bind(i64::from(choice.hundredths()))
        .bind(now.as_millisecond())
        .execute(&self.writer)
        .await?;
        Ok(())
    }
}
