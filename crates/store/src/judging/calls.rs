//! The budgets and the spending of the judge.

use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use partsight_domain::{FillKind, NotJudged, TenantId, UserId};
use sqlx::{AnyConnection, Row};
use uuid::Uuid;

use super::cost::{JudgeCost, amount};
use super::fills::{NewFill, insert_fill};
use super::verdicts::{JudgedVerdict, insert_verdict};
use crate::transaction::retried;
use crate::{Error, Store, rows};

/// A call that was not settled after this time never will be: its server or its caller has gone. Two tries take 120
/// seconds at most (`judge_timeout_seconds`), and the wait for a busy judge 20.
const LONGEST_CALL: SignedDuration = SignedDuration::from_mins(3);

/// What may be spent on the judge in a period, in millionths of a dollar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct JudgeBudgets {
    /// By one tenant in a day.
    pub tenant_day: u64,
    /// By one tenant in a month.
    pub tenant_month: u64,
    /// By all tenants in a day.
    pub server_day: u64,
    /// By all tenants in a month.
    pub server_month: u64,
}

/// Spending on the judge, in millionths of a dollar; calls that are not settled count at their maximum.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct JudgeSpending {
    /// By the tenant today.
    pub tenant_day: u64,
    /// By the tenant this month.
    pub tenant_month: u64,
    /// By all tenants today.
    pub server_day: u64,
    /// By all tenants this month.
    pub server_month: u64,
}

/// A call for which money is reserved. It must be settled; one that never is stays counted at its maximum.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReservedCall(Uuid);

/// Why no money could be reserved for a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoMoney {
    /// This budget is spent.
    Spent(NotJudged),
    /// A budget is not spent, but too much of it is reserved for running calls, which usually cost less.
    SetAside,
}

/// The purpose of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallPurpose {
    /// To judge a photograph; the scan tells the user.
    Judgement,
    /// To fill in a text of this kind, for this user.
    Fill(FillKind, UserId),
}

impl CallPurpose {
    /// The value in the database.
    fn as_str(self) -> &'static str {
        match self {
            Self::Judgement => "judgement",
            Self::Fill(kind, _) => kind.as_str(),
        }
    }

    fn user_id(self) -> Option<UserId> {
        match self {
            Self::Judgement => None,
            Self::Fill(_, user_id) => Some(user_id),
        }
    }
}

/// The result of a call, saved when it is settled.
#[derive(Debug, Clone, Copy)]
pub enum Kept<'k> {
    /// A judgement of a photograph.
    Verdict(&'k JudgedVerdict),
    /// A text that was filled in, or that none was.
    Fill(&'k NewFill),
}

impl Store {
    /// Reserves the maximum cost of a call in all four budgets. Otherwise returns, for the first budget that the cost
    /// would exceed, why it cannot.
    ///
    /// One transaction, so concurrent calls on any number of servers can never exceed a budget together.
    pub async fn reserve_judge_call(
        &self,
        tenant_id: TenantId,
        purpose: CallPurpose,
        micro_dollars: u64,
        budgets: &JudgeBudgets,
        now: Timestamp,
    ) -> Result<Result<ReservedCall, NoMoney>, Error> {
        let (day, month) = periods(now);
        let mut tx = self.begin().await?;
        // Always in this order, so that two transactions never deadlock.
        for (period, limit, exceeded) in [
            (&day, budgets.tenant_day, NotJudged::TenantDayBudget),
            (&month, budgets.tenant_month, NotJudged::TenantMonthBudget),
        ] {
            if !spend_of_tenant(tenant_id, period, micro_dollars, limit, &mut tx).await? {
                let spent = spent_by_tenant(tenant_id, period, now, &mut tx).await?;
                tx.rollback().await?;
                return Ok(Err(no_money(exceeded, spent, micro_dollars, limit)));
            }
        }
        for (period, limit, exceeded) in [
            (&day, budgets.server_day, NotJudged::ServerDayBudget),
            (&month, budgets.server_month, NotJudged::ServerMonthBudget),
        ] {
            if !spend_of_server(period, micro_dollars, limit, &mut tx).await? {
                let spent = spent_by_server(period, now, &mut tx).await?;
                tx.rollback().await?;
                return Ok(Err(no_money(exceeded, spent, micro_dollars, limit)));
            }
        }
        let call = ReservedCall(Uuid::now_v7());
        let query = sql!(
            "INSERT INTO judge_call (judge_call_id, tenant_id, spent_day, spent_month, micro_dollars, is_settled, \
                                     input_tokens, output_tokens, created_at, purpose, user_id) \
             VALUES ($1, $2, $3, $4, $5, 0, 0, 0, $6, $7, $8)",
            [call.0, tenant_id, day, month, amount(micro_dollars), now, purpose.as_str(), purpose.user_id()]
        );
        query.execute(&mut *tx).await?;
        tx.commit().await?;
        Ok(Ok(call))
    }

    /// Replaces the maximum cost of a reserved call of a tenant by its actual cost, and saves its result. A second
    /// settlement of a call changes nothing. Deletes expired results of the same kind.
    pub async fn settle_judge_call(
        &self,
        tenant_id: TenantId,
        call: ReservedCall,
        cost: JudgeCost,
        kept: Option<Kept<'_>>,
        now: Timestamp,
    ) -> Result<(), Error> {
        retried(|| async {
            let mut tx = self.begin().await?;
            let query = sql!(
                "UPDATE judge_call SET is_settled = 1, input_tokens = $3, output_tokens = $4 \
             WHERE judge_call_id = $1 AND tenant_id = $2 AND is_settled = 0 \
             RETURNING spent_day, spent_month, micro_dollars",
                [call.0, tenant_id, amount(cost.input_tokens), amount(cost.output_tokens)]
            );
            let settled = query.fetch_optional(&mut *tx).await?;
            let Some(row) = settled else {
                tx.rollback().await?;
                return Ok(());
            };
            // Usually negative, since the maximum was reserved. It is added to the periods of the reservation, not to
            // today's: a call that is settled after midnight was counted the day before.
            let difference = amount(cost.micro_dollars) - row.try_get::<i64, _>("micro_dollars")?;
            let query = sql!(
                "UPDATE judge_call SET micro_dollars = $2 WHERE judge_call_id = $1",
                [call.0, amount(cost.micro_dollars)]
            );
            query.execute(&mut *tx).await?;
            let periods: [String; 2] = [row.try_get("spent_day")?, row.try_get("spent_month")?];
            for period in &periods {
                let query = sql!(
                    "UPDATE tenant_judge_spending SET micro_dollars = micro_dollars + $3 \
                 WHERE tenant_id = $1 AND period = $2",
                    [tenant_id, period, difference]
                );
                query.execute(&mut *tx).await?;
            }
            for period in &periods {
                let query = sql!(
                    "UPDATE judge_spending SET micro_dollars = micro_dollars + $2 WHERE period = $1",
                    [period, difference]
                );
                query.execute(&mut *tx).await?;
            }
            // In the same transaction: a result is never saved without being paid for, nor paid for and lost.
            match kept {
                Some(Kept::Verdict(verdict)) => insert_verdict(verdict, &mut tx).await?,
                Some(Kept::Fill(fill)) => insert_fill(fill, now, &mut tx).await?,
                None => {}
            }
            tx.commit().await?;
            Ok(())
        })
        .await
    }

    /// Spending of a tenant and of all tenants together, on the day and in the month of `now`.
    pub async fn judge_spending(&self, tenant_id: TenantId, now: Timestamp) -> Result<JudgeSpending, Error> {
        let (day, month) = periods(now);
        let query = sql!(
            "SELECT CAST(1 AS BIGINT) AS is_tenant, period, micro_dollars FROM tenant_judge_spending \
             WHERE tenant_id = $1 AND period IN ($2, $3) \
             UNION ALL \
             SELECT CAST(0 AS BIGINT) AS is_tenant, period, micro_dollars FROM judge_spending WHERE period IN ($2, $3)",
            [tenant_id, day, month]
        );
        let rows = query.fetch_all(&self.db).await?;
        let mut spending = JudgeSpending::default();
        for row in &rows {
            let is_tenant = rows::flag(row, "is_tenant")?;
            let is_day = row.try_get::<String, _>("period")? == day;
            let spent = rows::count(row, "micro_dollars")?;
            match (is_tenant, is_day) {
                (true, true) => spending.tenant_day = spent,
                (true, false) => spending.tenant_month = spent,
                (false, true) => spending.server_day = spent,
                (false, false) => spending.server_month = spent,
            }
        }
        Ok(spending)
    }

    /// Deletes calls of all tenants that were made before `moment`, and returns how many. The totals of days and
    /// months, which budgets are compared with, stay.
    pub async fn prune_judge_calls(&self, moment: Timestamp) -> Result<u64, Error> {
        let query = sql!("DELETE FROM judge_call WHERE created_at < $1", [moment]);
        self.write(query).await
    }
}

/// Adds to the total of a tenant in a period; returns whether it stays within the limit.
async fn spend_of_tenant(
    tenant_id: TenantId,
    period: &str,
    micro_dollars: u64,
    limit: u64,
    tx: &mut AnyConnection,
) -> Result<bool, Error> {
    let query = sql!(
        // The row is inserted first, so that the update below always has one to lock: it checks and adds in one
        // statement.
        "INSERT INTO tenant_judge_spending (tenant_id, period, micro_dollars) VALUES ($1, $2, 0) \
         ON CONFLICT DO NOTHING",
        [tenant_id, period]
    );
    query.execute(&mut *tx).await?;
    let query = sql!(
        "UPDATE tenant_judge_spending SET micro_dollars = micro_dollars + $3 \
         WHERE tenant_id = $1 AND period = $2 AND micro_dollars + $3 <= $4",
        [tenant_id, period, amount(micro_dollars), amount(limit)]
    );
    let updated = query.execute(&mut *tx).await?;
    Ok(updated.rows_affected() == 1)
}

/// Adds to the total of all tenants in a period; returns whether it stays within the limit.
async fn spend_of_server(
    period: &str,
    micro_dollars: u64,
    limit: u64,
    tx: &mut AnyConnection,
) -> Result<bool, Error> {
    let query = sql!(
        "INSERT INTO judge_spending (period, micro_dollars) VALUES ($1, 0) ON CONFLICT DO NOTHING",
        [period]
    );
    query.execute(&mut *tx).await?;
    let query = sql!(
        "UPDATE judge_spending SET micro_dollars = micro_dollars + $2 \
         WHERE period = $1 AND micro_dollars + $2 <= $3",
        [period, amount(micro_dollars), amount(limit)]
    );
    let updated = query.execute(&mut *tx).await?;
    Ok(updated.rows_affected() == 1)
}

/// What a tenant has spent in a period, without the money that is reserved for calls that run at `now`.
async fn spent_by_tenant(
    tenant_id: TenantId,
    period: &str,
    now: Timestamp,
    tx: &mut AnyConnection,
) -> Result<i64, Error> {
    // The sum and its unsettled part in one statement, so that a call is in both or in neither.
    let query = scalar!(
        "SELECT CAST(micro_dollars - (SELECT COALESCE(SUM(judge_call.micro_dollars), 0) FROM judge_call \
             WHERE judge_call.tenant_id = $1 AND $2 IN (judge_call.spent_day, judge_call.spent_month) \
             AND judge_call.is_settled = 0 AND judge_call.created_at > $3) AS BIGINT) \
         FROM tenant_judge_spending WHERE tenant_id = $1 AND period = $2",
        [tenant_id, period, now - LONGEST_CALL]
    );
    Ok(query.fetch_one(tx).await?)
}

/// What all tenants have spent in a period, without the money that is reserved for calls that run at `now`.
async fn spent_by_server(period: &str, now: Timestamp, tx: &mut AnyConnection) -> Result<i64, Error> {
    let query = scalar!(
        "SELECT CAST(micro_dollars - (SELECT COALESCE(SUM(judge_call.micro_dollars), 0) FROM judge_call \
             WHERE $1 IN (judge_call.spent_day, judge_call.spent_month) \
             AND judge_call.is_settled = 0 AND judge_call.created_at > $2) AS BIGINT) \
         FROM judge_spending WHERE period = $1",
        [period, now - LONGEST_CALL]
    );
    Ok(query.fetch_one(tx).await?)
}

/// Why a call cannot be paid from a budget with this spending and these reservations.
fn no_money(budget: NotJudged, spent: i64, micro_dollars: u64, limit: u64) -> NoMoney {
    let would_fit = spent.saturating_add(amount(micro_dollars)) <= amount(limit);
    if would_fit { NoMoney::SetAside } else { NoMoney::Spent(budget) }
}

/// The UTC day and month of a timestamp, as the tables name them.
fn periods(now: Timestamp) -> (String, String) {
    let date = now.to_zoned(TimeZone::UTC).date();
    (date.to_string(), format!("{:04}-{:02}", date.year(), date.month()))
}
