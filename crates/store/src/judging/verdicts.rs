//! What the judge has said of photographs, kept for their likes.

use jiff::Timestamp;
use partsight_domain::{Embedding, Judgement, ScanId, TenantId};
use sqlx::{AnyConnection, AssertSqlSafe, Row};
use uuid::Uuid;

use super::cost::{JudgeCost, amount};
use crate::{Error, Store, rows};

/// The newest judgements of a tenant that are looked through for a photograph's like; 2 KB each with the shipped
/// model. Older ones are as good as expired.
const MAX_COMPARED: i64 = 2000;

/// Whose photographs are a shop's, by its tenant $1: a person's own, or those of all who are in the company now.
pub(crate) const OF_SHOP: &str = "tenant_id IN (SELECT tenant.tenant_id FROM tenant WHERE tenant.tenant_id = $1 \
     UNION SELECT app_user.tenant_id FROM company \
     JOIN company_member ON company_member.company_id = company.company_id \
     JOIN app_user ON app_user.user_id = company_member.user_id WHERE company.tenant_id = $1)";

/// What the judge said of a photograph, to be kept for its likes.
#[derive(Debug, Clone, PartialEq)]
pub struct JudgedVerdict {
    /// Whose photograph it is.
    pub tenant_id: TenantId,
    /// The scan of the photograph, with which the judgement goes.
    pub scan_id: ScanId,
    /// Where the photograph lies.
    pub embedding: Embedding,
    /// SHA-256 of the model that says so.
    pub model_sha256: String,
    /// What the judge said.
    pub judgement: Judgement,
    /// The judge's model.
    pub judge_model: String,
    /// What it cost.
    pub cost: JudgeCost,
    /// When the judge answered.
    pub created_at: Timestamp,
    /// From when on it is not reused.
    pub expires_at: Timestamp,
}

/// A judgement of a photograph that is nearly the same.
#[derive(Debug, Clone, PartialEq)]
pub struct SimilarVerdict {
    /// What the judge said.
    pub judgement: Judgement,
    /// The judge's model.
    pub judge_model: String,
    /// Cosine similarity of the two photographs, in -1..=1.
    pub similarity: f32,
}

impl Store {
    /// Among a shop's judgements of photographs in the space of one model, which are a person's own or those of all
    /// who are in a company now: the one whose photograph is most like this one, at least as much as `least` (cosine
    /// similarity), if there is one that has not expired.
    ///
    /// Looks through the newest 2000.
    pub async fn find_similar_verdict(
        &self,
        shop_tenant_id: TenantId,
        model_sha256: &str,
        embedding: &Embedding,
        least: f32,
        now: Timestamp,
    ) -> Result<Option<SimilarVerdict>, Error> {
        let sql = format!(
            "SELECT judged_verdict_id, embedding FROM judged_verdict \
             WHERE {OF_SHOP} AND model_sha256 = $2 AND expires_at > $3 \
             ORDER BY created_at DESC, judged_verdict_id DESC LIMIT $4"
        );
        // Only id and embedding: of all the judgements that are compared, one is read.
        let rows = sql!(AssertSqlSafe(sql), [shop_tenant_id, model_sha256, now, MAX_COMPARED])
            .fetch_all(&self.db)
            .await?;
        let mut nearest: Option<(f32, String)> = None;
        for row in &rows {
            let bytes: Vec<u8> = row.try_get("embedding")?;
            let kept = Embedding::from_bytes(&bytes)
                .ok_or_else(|| rows::corrupt("embedding", &"not the f32 components of a vector"))?;
            // Each one found raises what the next must reach: a comparison ends where it cannot be reached any more.
            let least = nearest.as_ref().map_or(least, |(similarity, _)| *similarity);
            if let Some(similarity) = embedding.similarity(&kept, least)
                && nearest.as_ref().is_none_or(|(best, _)| similarity > *best)
            {
                nearest = Some((similarity, row.try_get("judged_verdict_id")?));
            }
        }
        let Some((similarity, id)) = nearest else { return Ok(None) };
        // Asked with the shop again: a member may have left it in between.
        let sql = format!(
            "SELECT judgement, judge_model FROM judged_verdict WHERE {OF_SHOP} AND judged_verdict_id = $2"
        );
        let query = sql!(AssertSqlSafe(sql), [shop_tenant_id, id]);
        self.find(query, |row| {
            Ok(SimilarVerdict {
                judgement: rows::json(row, "judgement")?,
                judge_model: row.try_get("judge_model")?,
                similarity,
            })
        })
        .await
    }

    /// Forgets what the judge said of the photograph of a tenant's scan, so that it is not said of its likes.
    pub async fn delete_judged_verdict(&self, tenant_id: TenantId, scan_id: ScanId) -> Result<(), Error> {
        let query =
            sql!("DELETE FROM judged_verdict WHERE tenant_id = $1 AND scan_id = $2", [tenant_id, scan_id]);
        self.write(query).await?;
        Ok(())
    }
}

pub(crate) async fn insert_verdict(
    verdict: &JudgedVerdict,
    now: Timestamp,
    tx: &mut AnyConnection,
) -> Result<(), Error> {
    let query = sql!(
        "INSERT INTO judged_verdict (judged_verdict_id, tenant_id, model_sha256, embedding, judgement, judge_model, \
                                     input_tokens, output_tokens, micro_dollars, created_at, expires_at, \
                                     scan_id) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)",
        [Uuid::now_v7(), verdict.tenant_id, verdict.model_sha256, verdict.embedding.to_bytes()],
        [rows::to_json("judgement", &verdict.judgement)?, verdict.judge_model],
        [amount(verdict.cost.input_tokens), amount(verdict.cost.output_tokens)],
        [amount(verdict.cost.micro_dollars), verdict.created_at, verdict.expires_at, verdict.scan_id]
    );
    query.execute(&mut *tx).await?;
    sql!("DELETE FROM judged_verdict WHERE expires_at <= $1", [now]).execute(tx).await?;
    Ok(())
}
