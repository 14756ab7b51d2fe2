//! The error rate that a tenant accepts.

use jiff::Timestamp;
use partsight_domain::{ErrorRate, TenantId};

use crate::{Error, Store, rows};

impl Store {
    /// The error rate that a tenant chose; `None` for the model's own threshold.
    pub async fn dial_choice(&self, tenant_id: TenantId) -> Result<Option<ErrorRate>, Error> {
        let hundredths: Option<i64> =
            scalar!("SELECT max_wrong_hundredths FROM dial_choice WHERE tenant_id = $1", [tenant_id])
                .fetch_optional(&self.db)
                .await?;
        hundredths
            .map(|found| {
                ErrorRate::from_hundredths(found).ok_or_else(|| rows::corrupt("max_wrong_hundredths", &found))
            })
            .transpose()
    }

    /// Saves the error rate that a tenant chooses, or that it returns to the model's own threshold.
    pub async fn set_dial_choice(
        &self,
        tenant_id: TenantId,
        choice: Option<ErrorRate>,
        now: Timestamp,
    ) -> Result<(), Error> {
        let Some(choice) = choice else {
            self.write(sql!("DELETE FROM dial_choice WHERE tenant_id = $1", [tenant_id])).await?;
            return Ok(());
        };
        let query = sql!(
            "INSERT INTO dial_choice (tenant_id, max_wrong_hundredths, changed_at) VALUES ($1, $2, $3) \
             ON CONFLICT (tenant_id) DO UPDATE SET max_wrong_hundredths = $2, changed_at = $3",
            [tenant_id, choice.hundredths(), now]
        );
        self.write(query).await?;
        Ok(())
    }
}
