//! A shop's choices about the judge: whether photographs may be sent to it, and what it may cost.

use jiff::Timestamp;
use partsight_domain::{JudgeBudgetChoice, TenantId, UserId};
use sqlx::{AssertSqlSafe, Row};

use super::cost::amount;
use super::verdicts::OF_SHOP;
use crate::authority::lock_tenant_for;
use crate::{Error, Store};

impl Store {
    /// Whether a tenant allows photographs to be sent to the judge; `None` if it has not chosen.
    pub async fn judge_consent(&self, tenant_id: TenantId) -> Result<Option<bool>, Error> {
        let allowed: Option<i64> =
            scalar!("SELECT is_allowed FROM judge_consent WHERE tenant_id = $1", [tenant_id])
                .fetch_optional(&self.db)
                .await?;
        // Not chosen is not the same as refused: see docs/decisions/0090-company-consent-is-an-offer.md.
        Ok(allowed.map(|allowed| allowed == 1))
    }

    /// Saves whether a tenant allows photographs to be sent to the judge. A refusal deletes the verdicts about its
    /// photographs; that of a company, also those about its members' photographs.
    ///
    /// # Errors
    /// [`Error::NotManager`] if `decided_by` may not decide for the tenant.
    pub async fn set_judge_consent(
        &self,
        decided_by: UserId,
        tenant_id: TenantId,
        is_allowed: bool,
        now: Timestamp,
    ) -> Result<(), Error> {
        let mut tx = self.begin().await?;
        lock_tenant_for(decided_by, tenant_id, &mut tx).await?;
        let query = sql!(
            "INSERT INTO judge_consent (tenant_id, is_allowed, changed_at) VALUES ($1, $2, $3) \
             ON CONFLICT (tenant_id) DO UPDATE SET is_allowed = $2, changed_at = $3",
            [tenant_id, is_allowed, now]
        );
        query.execute(&mut *tx).await?;
        if !is_allowed {
            sql!(AssertSqlSafe(format!("DELETE FROM judged_verdict WHERE {OF_SHOP}")), [tenant_id])
                .execute(&mut *tx)
                .await?;
        }
        tx.commit().await?;
        Ok(())
    }

    /// The maximum that a tenant chose to spend on the judge.
    pub async fn judge_budget_choice(&self, tenant_id: TenantId) -> Result<JudgeBudgetChoice, Error> {
        let query = sql!(
            "SELECT day_micro_dollars, month_micro_dollars FROM judge_budget_choice WHERE tenant_id = $1",
            [tenant_id]
        );
        let row = query.fetch_optional(&self.db).await?;
        let Some(row) = row else { return Ok(JudgeBudgetChoice::default()) };
        let micro_dollars =
            |column: &str| row.try_get::<Option<i64>, _>(column).map(|found| found.map(i64::unsigned_abs));
        Ok(JudgeBudgetChoice {
            day: micro_dollars("day_micro_dollars")?,
            month: micro_dollars("month_micro_dollars")?,
        })
    }

    /// Saves the maximum that a tenant chose to spend on the judge. It applies from the next question on.
    ///
    /// # Errors
    /// [`Error::NotManager`] if `decided_by` may not decide for the tenant.
    pub async fn set_judge_budget_choice(
        &self,
        decided_by: UserId,
        tenant_id: TenantId,
        choice: JudgeBudgetChoice,
        now: Timestamp,
    ) -> Result<(), Error> {
        let mut tx = self.begin().await?;
        lock_tenant_for(decided_by, tenant_id, &mut tx).await?;
        let query = sql!(
            "INSERT INTO judge_budget_choice (tenant_id, day_micro_dollars, month_micro_dollars, changed_at) \
             VALUES ($1, $2, $3, $4) \
             ON CONFLICT (tenant_id) DO UPDATE SET day_micro_dollars = $2, month_micro_dollars = $3, changed_at = $4",
            [tenant_id, choice.day.map(amount), choice.month.map(amount), now]
        );
        query.execute(&mut *tx).await?;
        tx.commit().await?;
        Ok(())
    }
}
