//! Texts that a language model filled in, and what they cost.

use jiff::Timestamp;
use partsight_domain::{FillKind, FillUsageRow, Filled, TenantId, UsageDays, UserId};
use sqlx::{AnyConnection, AssertSqlSafe, Row};
use uuid::Uuid;

use crate::{Error, Store, rows};

/// Rows of a subject that a tenant has not rejected: those of the owner `$2` (a tenant, or empty for shared ones),
/// and the tenant's own failures, which nobody else sees.
const OF_SUBJECT: &str = "kind = $1 AND (COALESCE(tenant_id, '') = $2 OR (tenant_id = $5 AND content IS NULL)) \
     AND subject_sha256 = $3 AND expires_at > $4 \
     AND NOT EXISTS (SELECT 1 FROM llm_fill_rejection \
                     WHERE llm_fill_rejection.llm_fill_id = llm_fill.llm_fill_id \
                       AND llm_fill_rejection.tenant_id = $5)";

/// The subject of a text, and for whom it is.
#[derive(Debug, Clone, Copy)]
pub struct FillKey<'k> {
    /// What is to be filled in.
    pub kind: FillKind,
    /// The only tenant that sees it; `None` for one that all tenants share.
    pub owner: Option<TenantId>,
    /// SHA-256 of the words of the question.
    pub subject_sha256: &'k str,
    /// The tenant that looks: rows that it rejected are not found.
    pub viewer: TenantId,
}

/// The result of a question, to be saved.
#[derive(Debug, Clone, PartialEq)]
pub struct NewFill {
    /// What was filled in.
    pub kind: FillKind,
    /// The only tenant that sees it; `None` for one that all tenants share.
    pub owner: Option<TenantId>,
    /// SHA-256 of the words of the question.
    pub subject_sha256: String,
    /// The answer; `None` if it was not usable.
    pub content: Option<Filled>,
    /// The language model that answered.
    pub llm_model: String,
    /// Time of the answer.
    pub created_at: Timestamp,
    /// From when on the question is asked again.
    pub expires_at: Timestamp,
}

/// A stored answer.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredFill {
    /// The answer; `None` if it was not usable.
    pub content: Option<Filled>,
    /// The language model that answered.
    pub llm_model: String,
    /// Time of the answer.
    pub created_at: Timestamp,
}

impl Store {
    /// The newest answer about a subject that has not expired.
    pub async fn find_fill(&self, key: FillKey<'_>, now: Timestamp) -> Result<Option<StoredFill>, Error> {
        let query = format!(
            "SELECT content, llm_model, created_at FROM llm_fill WHERE {OF_SUBJECT} \
             ORDER BY created_at DESC, llm_fill_id DESC LIMIT 1"
        );
        let query = sql!(
            AssertSqlSafe(query),
            [key.kind, owner_text(key.owner), key.subject_sha256, now, key.viewer]
        );
        self.find(query, |row| {
            let content: Option<String> = row.try_get("content")?;
            Ok(StoredFill {
                content: content.is_some().then(|| rows::json(row, "content")).transpose()?,
                llm_model: row.try_get("llm_model")?,
                created_at: rows::timestamp(row, "created_at")?,
            })
        })
        .await
    }

    /// Rejects the answer about a subject; returns whether there was one. A tenant's own answer is deleted; a shared
    /// one stays for the others. An unusable answer stays: it was paid for.
    pub async fn reject_fill(&self, key: FillKey<'_>, now: Timestamp) -> Result<bool, Error> {
        // A tenant cannot delete a shared answer: a wrong rejection must not take it from the others.
        let query = if key.owner.is_some() {
            format!("DELETE FROM llm_fill WHERE {OF_SUBJECT} AND content IS NOT NULL")
        } else {
            format!(
                "INSERT INTO llm_fill_rejection (tenant_id, llm_fill_id, created_at) \
                 SELECT CAST($5 AS TEXT), llm_fill_id, CAST($4 AS BIGINT) FROM llm_fill \
                 WHERE {OF_SUBJECT} AND content IS NOT NULL ON CONFLICT DO NOTHING"
            )
        };
        let query = sql!(
            AssertSqlSafe(query),
            [key.kind, owner_text(key.owner), key.subject_sha256, now, key.viewer]
        );
        Ok(self.write(query).await? > 0)
    }

    /// The answers for a user on these days, by day and kind. Calls that are not settled count at their maximum.
    pub async fn list_fill_usage(
        &self,
        user_id: UserId,
        days: UsageDays,
    ) -> Result<Vec<FillUsageRow>, Error> {
        let query = sql!(
            // PostgreSQL sums BIGINT to NUMERIC, which the driver cannot read.
            "SELECT spent_day, purpose, COUNT(*) AS n_questions, CAST(SUM(micro_dollars) AS BIGINT) AS cost_micros \
             FROM judge_call WHERE user_id = $1 AND spent_day >= $2 AND spent_day <= $3 AND purpose <> 'judgement' \
             GROUP BY spent_day, purpose ORDER BY spent_day, purpose",
            [user_id, days.from, days.to]
        );
        let rows = query.fetch_all(&self.db).await?;
        let rows = rows.iter().map(|row| {
            Ok(FillUsageRow {
                day: rows::parsed(row, "spent_day")?,
                kind: rows::parsed(row, "purpose")?,
                n_questions: rows::count(row, "n_questions")?,
                cost_micros: rows::count(row, "cost_micros")?,
            })
        });
        rows.collect()
    }
}

/// Inserts the result of a question, and deletes expired ones of all tenants.
pub(crate) async fn insert_fill(fill: &NewFill, now: Timestamp, tx: &mut AnyConnection) -> Result<(), Error> {
    let content = fill.content.as_ref().map(|content| rows::to_json("content", content)).transpose()?;
    let query = sql!(
        "INSERT INTO llm_fill (llm_fill_id, tenant_id, kind, subject_sha256, content, llm_model, created_at, \
                               expires_at) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
        [Uuid::now_v7(), fill.owner, fill.kind, fill.subject_sha256, content, fill.llm_model],
        [fill.created_at, fill.expires_at]
    );
    query.execute(&mut *tx).await?;
    sql!("DELETE FROM llm_fill WHERE expires_at <= $1", [now]).execute(tx).await?;
    Ok(())
}

fn owner_text(owner: Option<TenantId>) -> String {
    owner.map(|owner| owner.to_string()).unwrap_or_default()
}
