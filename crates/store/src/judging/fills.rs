//! What a language model filled in, and what its answers cost.

use jiff::Timestamp;
use partsight_domain::{FillKind, FillUsageRow, Filled, TenantId, UsageDays, UserId};
use sqlx::{AnyConnection, AssertSqlSafe, Row};
use uuid::Uuid;

use crate::{Error, Store, rows};

/// Rows of one subject that a tenant has not thrown away: those of `$2`, which is a tenant, or empty for what all share,
/// and what failed for the tenant itself, which is nobody else's.
const OF_SUBJECT: &str = "kind = $1 AND (COALESCE(tenant_id, '') = $2 OR (tenant_id = $5 AND content IS NULL)) \
     AND subject_sha256 = $3 AND expires_at > $4 \
     AND NOT EXISTS (SELECT 1 FROM llm_fill_rejection \
                     WHERE llm_fill_rejection.llm_fill_id = llm_fill.llm_fill_id \
                       AND llm_fill_rejection.tenant_id = $5)";

/// What is asked about, and for whom.
#[derive(Debug, Clone, Copy)]
pub struct FillKey<'k> {
    /// What is to be filled in.
    pub kind: FillKind,
    /// Whose alone it is; `None` for what all tenants share.
    pub owner: Option<TenantId>,
    /// SHA-256 of the words of the question.
    pub subject_sha256: &'k str,
    /// Who looks: what this tenant threw away is not there for it.
    pub viewer: TenantId,
}

/// What came of a question, to be kept.
#[derive(Debug, Clone, PartialEq)]
pub struct NewFill {
    /// What was filled in.
    pub kind: FillKind,
    /// Whose alone it is; `None` for what all tenants share.
    pub owner: Option<TenantId>,
    /// SHA-256 of the words of the question.
    pub subject_sha256: String,
    /// What was said; `None` where nothing usable was.
    pub content: Option<Filled>,
    /// Who said it.
    pub llm_model: String,
    /// When.
    pub created_at: Timestamp,
    /// From when on it is asked for anew.
    pub expires_at: Timestamp,
}

/// What was filled in, as it is kept.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredFill {
    /// What was said; `None` where nothing usable was.
    pub content: Option<Filled>,
    /// Who said it.
    pub llm_model: String,
    /// When.
    pub created_at: Timestamp,
}

impl Store {
    /// The newest that was said of a subject and has not expired.
    pub async fn find_fill(&self, key: FillKey<'_>, now: Timestamp) -> Result<Option<StoredFill>, Error> {
        let query = format!(
            "SELECT content, llm_model, created_at FROM llm_fill WHERE {OF_SUBJECT} \
             ORDER BY created_at DESC, llm_fill_id DESC LIMIT 1"
        );
        let row = sqlx::query(AssertSqlSafe(query))
            .bind(key.kind.as_str())
            .bind(owner_text(key.owner))
            .bind(key.subject_sha256)
            .bind(now.as_millisecond())
            .bind(key.viewer.to_string())
            .fetch_optional(&self.db)
            .await?;
        row.map(|row| {
            let content: Option<String> = row.try_get("content")?;
            Ok(StoredFill {
                content: content.is_some().then(|| rows::json(&row, "content")).transpose()?,
                llm_model: row.try_get("llm_model")?,
                created_at: rows::timestamp(&row, "created_at")?,
            })
        })
        .transpose()
    }

    /// Throws away what was said of a subject, and tells whether there was anything. What is one tenant's alone is
    /// deleted; what all share stays for the others. That nothing usable was said stays: it was paid for.
    pub async fn reject_fill(&self, key: FillKey<'_>, now: Timestamp) -> Result<bool, Error> {
        let query = if key.owner.is_some() {
            format!("DELETE FROM llm_fill WHERE {OF_SUBJECT} AND content IS NOT NULL")
        } else {
            format!(
                "INSERT INTO llm_fill_rejection (tenant_id, llm_fill_id, created_at) \
                 SELECT CAST($5 AS TEXT), llm_fill_id, CAST($4 AS BIGINT) FROM llm_fill \
                 WHERE {OF_SUBJECT} AND content IS NOT NULL ON CONFLICT DO NOTHING"
            )
        };
        let result = sqlx::query(AssertSqlSafe(query))
            .bind(key.kind.as_str())
            .bind(owner_text(key.owner))
            .bind(key.subject_sha256)
            .bind(now.as_millisecond())
            .bind(key.viewer.to_string())
            .execute(&self.writer)
            .await?;
        Ok(result.rows_affected() > 0)
    }

    /// What was filled in for a user on these days, by day and kind. Calls that are not settled count at their most.
    pub async fn list_fill_usage(
        &self,
        user_id: UserId,
        days: UsageDays,
    ) -> Result<Vec<FillUsageRow>, Error> {
        let rows = sqlx::query(
            "SELECT spent_day, purpose, COUNT(*) AS n_questions, CAST(SUM(micro_dollars) AS BIGINT) AS cost_micros \
             FROM judge_call WHERE user_id = $1 AND spent_day >= $2 AND spent_day <= $3 AND purpose <> 'judgement' \
             GROUP BY spent_day, purpose ORDER BY spent_day, purpose",
        )
        .bind(user_id.to_string())
        .bind(days.from.to_string())
        .bind(days.to.to_string())
        .fetch_all(&self.db)
        .await?;
        let rows = rows.iter().map(|row| {
            let kind: String = row.try_get("purpose")?;
            Ok(FillUsageRow {
                day: rows::parsed(row, "spent_day")?,
                kind: FillKind::from_name(&kind).ok_or_else(|| rows::corrupt("purpose", &kind))?,
                n_questions: row.try_get::<i64, _>("n_questions")?.unsigned_abs(),
                cost_micros: row.try_get::<i64, _>("cost_micros")?.unsigned_abs(),
            })
        });
        rows.collect()
    }
}

/// Keeps what came of a question, and forgets what has expired, of all tenants.
pub(crate) async fn insert_fill(fill: &NewFill, now: Timestamp, tx: &mut AnyConnection) -> Result<(), Error> {
    sqlx::query("DELETE FROM llm_fill WHERE expires_at <= $1")
        .bind(now.as_millisecond())
        .execute(&mut *tx)
        .await?;
    let content = fill.content.as_ref().map(|content| rows::to_json("content", content)).transpose()?;
    sqlx::query(
        "INSERT INTO llm_fill (llm_fill_id, tenant_id, kind, subject_sha256, content, llm_model, created_at, \
                               expires_at) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
    )
    .bind(Uuid::now_v7().to_string())
    .bind(fill.owner.map(|owner| owner.to_string()))
    .bind(fill.kind.as_str())
    .bind(&fill.subject_sha256)
    .bind(content)
    .bind(&fill.llm_model)
    .bind(fill.created_at.as_millisecond())
    .bind(fill.expires_at.as_millisecond())
    .execute(tx)
    .await?;
    Ok(())
}

fn owner_text(owner: Option<TenantId>) -> String {
    owner.map(|owner| owner.to_string()).unwrap_or_default()
}
