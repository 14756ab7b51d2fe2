//! The judge's verdicts on photographs, stored for near-duplicates.

use jiff::Timestamp;
use partsight_domain::{Embedding, Judgement, PartLabel, ScanId, TenantId};
use serde::{Deserialize, Serialize};
use sqlx::any::AnyRow;
use sqlx::{AnyConnection, AssertSqlSafe, Row};
use uuid::Uuid;

use super::cost::{JudgeCost, amount};
use crate::{Error, Store, rows};

/// The newest verdicts of a tenant that are compared with a photograph; 2 KB each with the shipped model. Older ones
/// are treated as expired.
const MAX_COMPARED: i64 = 2000;

/// The tenants whose photographs belong to the shop of tenant $1: a person's own, or those of all current members of
/// a company.
pub(crate) const OF_SHOP: &str = "tenant_id IN (SELECT tenant.tenant_id FROM tenant WHERE tenant.tenant_id = $1 \
     UNION SELECT app_user.tenant_id FROM company \
     JOIN company_member ON company_member.company_id = company.company_id \
     JOIN app_user ON app_user.user_id = company_member.user_id WHERE company.tenant_id = $1)";

/// The judge's verdict on a photograph, to be stored for near-duplicates.
#[derive(Debug, Clone, PartialEq)]
pub struct JudgedVerdict {
    /// The tenant that owns the photograph.
    pub tenant_id: TenantId,
    /// The scan of the photograph; the verdict is deleted with it.
    pub scan_id: ScanId,
    /// The embedding of the photograph.
    pub embedding: Embedding,
    /// SHA-256 of the model that made the embedding, lower-case hex.
    pub model_sha256: String,
    /// The judgement.
    pub judgement: Judgement,
    /// The types that it could choose from.
    pub offered: Vec<PartLabel>,
    /// The judge's model.
    pub judge_model: String,
    /// The cost of the call.
    pub cost: JudgeCost,
    /// Time of the verdict.
    pub created_at: Timestamp,
    /// From when on it is not reused.
    pub expires_at: Timestamp,
}

/// A verdict on a near-duplicate.
#[derive(Debug, Clone, PartialEq)]
pub struct SimilarVerdict {
    /// The judgement.
    pub judgement: Judgement,
    /// The types that it could choose from.
    pub offered: Vec<PartLabel>,
    /// The judge's model.
    pub judge_model: String,
    /// Cosine similarity of the two photographs, in -1..=1.
    pub similarity: f32,
}

/// A judgement as it is stored.
#[derive(Serialize, Deserialize)]
struct KeptJudgement {
    #[serde(flatten)]
    judgement: Judgement,
    /// Empty for verdicts of earlier versions.
    #[serde(default)]
    offered: Vec<PartLabel>,
}

impl Store {
    /// The verdict on the most similar photograph of a shop (a person's own, or those of all current members of a
    /// company), if its cosine similarity is `least` or more. Only embeddings of one model are compared, and verdicts
    /// that have not expired.
    ///
    /// Compares the newest 2000.
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
        // Only id and embedding: of all compared verdicts, only one is read in full.
        let rows = sql!(AssertSqlSafe(sql), [shop_tenant_id, model_sha256, now, MAX_COMPARED])
            .fetch_all(&self.db)
            .await?;
        let mut nearest: Option<(f32, String)> = None;
        for row in &rows {
            let kept = kept_embedding(row)?;
            // Each match raises the similarity that the next must reach, and a comparison stops as soon as it cannot.
            let least = nearest.as_ref().map_or(least, |(similarity, _)| *similarity);
            if let Some(similarity) = embedding.similarity(&kept, least)
                && nearest.as_ref().is_none_or(|(best, _)| similarity > *best)
            {
                nearest = Some((similarity, row.try_get("judged_verdict_id")?));
            }
        }
        let Some((similarity, id)) = nearest else { return Ok(None) };
        // With the condition of the shop again: a member may have left it in between.
        let sql = format!(
            "SELECT judgement, judge_model FROM judged_verdict WHERE {OF_SHOP} AND judged_verdict_id = $2"
        );
        let query = sql!(AssertSqlSafe(sql), [shop_tenant_id, id]);
        self.find(query, |row| {
            let KeptJudgement { judgement, offered } = rows::json(row, "judgement")?;
            Ok(SimilarVerdict { judgement, offered, judge_model: row.try_get("judge_model")?, similarity })
        })
        .await
    }

    /// Deletes the verdicts that [`Self::find_similar_verdict`] would reuse.
    pub async fn delete_similar_verdicts(
        &self,
        shop_tenant_id: TenantId,
        model_sha256: &str,
        embedding: &Embedding,
        least: f32,
    ) -> Result<(), Error> {
        let sql = format!(
            "SELECT judged_verdict_id, embedding FROM judged_verdict WHERE {OF_SHOP} AND model_sha256 = $2"
        );
        let rows = sql!(AssertSqlSafe(sql), [shop_tenant_id, model_sha256]).fetch_all(&self.db).await?;
        for row in &rows {
            if kept_embedding(row)?.similarity(embedding, least).is_some() {
                let id: String = row.try_get("judged_verdict_id")?;
                self.write(sql!("DELETE FROM judged_verdict WHERE judged_verdict_id = $1", [id])).await?;
            }
        }
        Ok(())
    }

    /// Deletes the verdict on the photograph of a tenant's scan, so that it is not reused.
    pub async fn delete_judged_verdict(&self, tenant_id: TenantId, scan_id: ScanId) -> Result<(), Error> {
        let query =
            sql!("DELETE FROM judged_verdict WHERE tenant_id = $1 AND scan_id = $2", [tenant_id, scan_id]);
        self.write(query).await?;
        Ok(())
    }

    /// Deletes the verdicts that expired by `now`.
    pub async fn purge_judged_verdicts(&self, now: Timestamp) -> Result<u64, Error> {
        self.write(sql!("DELETE FROM judged_verdict WHERE expires_at <= $1", [now])).await
    }
}

fn kept_embedding(row: &AnyRow) -> Result<Embedding, Error> {
    let bytes: Vec<u8> = row.try_get("embedding")?;
    Embedding::from_bytes(&bytes)
        .ok_or_else(|| rows::corrupt("embedding", &"not the f32 components of a vector"))
}

pub(crate) async fn insert_verdict(verdict: &JudgedVerdict, tx: &mut AnyConnection) -> Result<(), Error> {
    let judgement = KeptJudgement { judgement: verdict.judgement.clone(), offered: verdict.offered.clone() };
    let query = sql!(
        "INSERT INTO judged_verdict (judged_verdict_id, tenant_id, model_sha256, embedding, judgement, judge_model, \
                                     input_tokens, output_tokens, micro_dollars, created_at, expires_at, \
                                     scan_id) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)",
        [Uuid::now_v7(), verdict.tenant_id, verdict.model_sha256, verdict.embedding.to_bytes()],
        [rows::to_json("judgement", &judgement)?, verdict.judge_model],
        [amount(verdict.cost.input_tokens), amount(verdict.cost.output_tokens)],
        [amount(verdict.cost.micro_dollars), verdict.created_at, verdict.expires_at, verdict.scan_id]
    );
    query.execute(tx).await?;
    Ok(())
}
