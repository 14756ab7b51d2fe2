//! Feedback on answers, and the stored model outputs of those photographs. What is learnt from both is in
//! `teaching/learning.rs`.

use partsight_domain::{FeedbackKind, PartLabel, ReferenceId, ScanFeedback, ScanId, TenantId, UserId};
use sqlx::any::AnyRow;
use sqlx::{AnyConnection, AssertSqlSafe, Row};

use crate::many_rows::{repeated, runs};
use crate::nullable_float::NullableFloat;
use crate::transaction::retried;
use crate::{Error, Store, rows};

/// The tenant that learns from feedback: the shop that its author worked for, or the author alone.
const LEARNER: &str = "COALESCE(scan_feedback.shop_tenant_id, scan_feedback.tenant_id)";

/// The stored model outputs of a scan; of several photographs, those of the one that represents the scan.
#[derive(Debug, Clone, PartialEq)]
pub struct ScanFeatures {
    /// SHA-256 of the model, lower-case hex.
    pub model_sha256: String,
    /// f32 `[d]`, as the model outputs it.
    pub embedding: Vec<f32>,
    /// Perceptual hash of the photograph.
    pub fingerprint: Vec<u8>,
    /// Raw scores of the model's classes, f32 `[c]`.
    pub logits: Vec<f32>,
    /// Raw score of "shows one of them".
    pub known: f32,
    /// `ln p` of all photographs together, f32 `[c + t]`: of the model's classes, then of `taught_labels`. References
    /// are included, a tenant's own temperature is not.
    pub log_probabilities: Vec<f32>,
    /// Labels with references that the model has not learnt, `[t]`.
    pub taught_labels: Vec<PartLabel>,
}

/// The parts of a scan with a known label that fitting the confidence needs.
#[derive(Debug, Clone, PartialEq)]
pub struct KnownScan {
    /// The right label.
    pub label: PartLabel,
    /// As [`ScanFeatures::log_probabilities`].
    pub log_probabilities: Vec<f32>,
    /// As [`ScanFeatures::taught_labels`].
    pub taught_labels: Vec<PartLabel>,
}

/// The references named by new and earlier feedback.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ReplacedFeedback {
    /// The reference of the feedback: its own, or that of earlier feedback on the same part.
    pub kept: Option<ReferenceId>,
    /// The reference of earlier feedback that nothing names any more.
    pub replaced: Option<ReferenceId>,
}

/// Number of answers with each kind of feedback.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FeedbackCounts {
    /// The answer was right.
    pub right: u64,
    /// It was another part.
    pub other_part: u64,
    /// It was no part.
    pub not_a_part: u64,
}

impl Store {
    /// The stored model outputs of a tenant's scan, if there are any.
    pub async fn find_scan_features(
        &self,
        tenant_id: TenantId,
        id: ScanId,
    ) -> Result<Option<ScanFeatures>, Error> {
        let query =
            sql!("SELECT * FROM scan_features WHERE tenant_id = $1 AND scan_id = $2", [tenant_id, id]);
        self.find(query, features_from_row).await
    }

    /// Saves the feedback of a user who works for `shop` on a tenant's scan, in place of earlier feedback; `None` if
    /// there is no such scan. Feedback without a reference keeps the earlier one if that is of the same part.
    pub async fn set_feedback(
        &self,
        tenant_id: TenantId,
        id: ScanId,
        user_id: UserId,
        shop: TenantId,
        feedback: &ScanFeedback,
    ) -> Result<Option<ReplacedFeedback>, Error> {
        retried(|| async {
            let mut tx = self.begin().await?;
            if !lock_scan(tenant_id, id, &mut tx).await? {
                tx.rollback().await?;
                return Ok(None);
            }
            let query = sql!(
                "SELECT feedback.label, feedback.part_reference_id, reference.deleted_at, \
                     (SELECT MAX(taught.deleted_at) FROM taught_part_type AS taught \
                      WHERE taught.label = reference.label \
                        AND (taught.tenant_id = reference.tenant_id OR taught.tenant_id IS NULL)) AS type_deleted_at \
                 FROM scan_feedback AS feedback \
                 LEFT JOIN part_reference AS reference \
                   ON reference.part_reference_id = feedback.part_reference_id \
                 WHERE feedback.tenant_id = $1 AND feedback.scan_id = $2",
                [tenant_id, id]
            );
            let earlier = query.fetch_optional(&mut *tx).await?;
            let (label, reference): (Option<String>, Option<ReferenceId>) = match &earlier {
                Some(row) => (row.try_get("label")?, rows::optional(row, "part_reference_id")?),
                None => (None, None),
            };
            // A deleted reference no longer shows the part; the scan may teach it again. One that was deleted with
            // its part can be restored with it.
            let is_deleted = match &earlier {
                Some(row) => {
                    let deleted_at = rows::optional_timestamp(row, "deleted_at")?;
                    deleted_at.is_some() && deleted_at != rows::optional_timestamp(row, "type_deleted_at")?
                }
                None => false,
            };
            let is_same_part = !is_deleted && label.as_deref() == feedback.label.as_ref().map(PartLabel::as_str);
            let kept = feedback.reference_id.or(reference.filter(|_| is_same_part));
            let query = sql!(
                "INSERT INTO scan_feedback (scan_id, tenant_id, user_id, kind, label, part_reference_id, changed_at, \
                                            shop_tenant_id) \
                 VALUES ($2, $1, $3, $4, $5, $6, $7, $8) \
                 ON CONFLICT (scan_id) DO UPDATE SET user_id = $3, kind = $4, label = $5, part_reference_id = $6, \
                                                     changed_at = $7, shop_tenant_id = $8",
                // The shop is stored: feedback given for a company stays there when its author leaves.
                [tenant_id, id, user_id, feedback.kind, feedback.label, kept],
                [feedback.changed_at, shop]
            );
            query.execute(&mut *tx).await?;
            tx.commit().await?;
            let replaced = reference.filter(|reference| kept != Some(*reference));
            Ok(Some(ReplacedFeedback { kept, replaced }))
        })
        .await
    }

    /// The shop that the feedback on a tenant's scan counts for, if there is any feedback.
    pub async fn find_feedback_shop(
        &self,
        tenant_id: TenantId,
        id: ScanId,
    ) -> Result<Option<TenantId>, Error> {
        let sql =
            format!("SELECT {LEARNER} AS shop FROM scan_feedback WHERE tenant_id = $1 AND scan_id = $2");
        self.find(sql!(AssertSqlSafe(sql), [tenant_id, id]), |row| rows::parsed(row, "shop")).await
    }

    /// Saves the reference that was made of a scan because of its feedback. False if the feedback has changed
    /// meanwhile, or another reference was made: then nothing names this one.
    pub async fn attach_reference(
        &self,
        tenant_id: TenantId,
        id: ScanId,
        label: &PartLabel,
        reference: ReferenceId,
    ) -> Result<bool, Error> {
        retried(|| async {
            let mut tx = self.begin().await?;
            lock_scan(tenant_id, id, &mut tx).await?;
            let query = sql!(
                "UPDATE scan_feedback SET part_reference_id = $4 \
                 WHERE tenant_id = $1 AND scan_id = $2 AND label = $3 AND part_reference_id IS NULL",
                [tenant_id, id, label, reference]
            );
            let n_attached = query.execute(&mut *tx).await?.rows_affected();
            tx.commit().await?;
            Ok(n_attached > 0)
        })
        .await
    }

    /// Deletes the feedback on a tenant's scan, and returns the reference that it named, if any.
    pub async fn delete_feedback(
        &self,
        tenant_id: TenantId,
        id: ScanId,
    ) -> Result<Option<ReferenceId>, Error> {
        retried(|| async {
            let query = sql!(
                "DELETE FROM scan_feedback WHERE tenant_id = $1 AND scan_id = $2 RETURNING part_reference_id",
                [tenant_id, id]
            );
            let mut tx = self.begin().await?;
            lock_scan(tenant_id, id, &mut tx).await?;
            let row = query.fetch_optional(&mut *tx).await?;
            let reference = match &row {
                Some(row) => rows::optional(row, "part_reference_id")?,
                None => None,
            };
            tx.commit().await?;
            Ok(reference)
        })
        .await
    }

    /// Number of stored scans with each kind of feedback given for a shop.
    pub async fn count_feedback(&self, shop: TenantId) -> Result<FeedbackCounts, Error> {
        let sql = format!("SELECT kind, COUNT(*) AS n FROM scan_feedback WHERE {LEARNER} = $1 GROUP BY kind");
        let rows = sql!(AssertSqlSafe(sql), [shop]).fetch_all(&self.db).await?;
        let mut counts = FeedbackCounts::default();
        for row in &rows {
            let n = rows::count(row, "n")?;
            match rows::parsed(row, "kind")? {
                FeedbackKind::Right => counts.right = n,
                FeedbackKind::OtherPart => counts.other_part = n,
                FeedbackKind::NotAPart => counts.not_a_part = n,
            }
        }
        Ok(counts)
    }

    /// At most `limit` of the newest scans by one model whose part is known from feedback given for a shop.
    pub async fn list_known_scans(
        &self,
        shop: TenantId,
        model_sha256: &str,
        limit: u32,
    ) -> Result<Vec<KnownScan>, Error> {
        let sql = format!(
            "SELECT scan_feedback.label AS label, log_probabilities, taught_labels FROM scan_feedback \
             JOIN scan_features ON scan_features.scan_id = scan_feedback.scan_id \
             WHERE {LEARNER} = $1 AND scan_features.model_sha256 = $2 AND scan_feedback.label IS NOT NULL \
             ORDER BY scan_feedback.changed_at DESC, scan_feedback.scan_id LIMIT $3"
        );
        self.list(sql!(AssertSqlSafe(sql), [shop, model_sha256, limit]), |row| {
            Ok(KnownScan {
                label: rows::label(row, "label")?,
                log_probabilities: rows::floats(row, "log_probabilities")?,
                taught_labels: rows::json(row, "taught_labels")?,
            })
        })
        .await
    }

    /// The shops that did not forbid refitting, and have feedback that is newer than their last attempt at a
    /// calibration.
    pub async fn list_tenants_to_refit(&self) -> Result<Vec<TenantId>, Error> {
        let sql = format!(
            "SELECT tenant_id FROM (SELECT {LEARNER} AS tenant_id, MAX(changed_at) AS changed_at \
                                    FROM scan_feedback GROUP BY {LEARNER}) AS given \
             WHERE NOT EXISTS (SELECT 1 FROM learning_choice WHERE learning_choice.tenant_id = given.tenant_id \
                                 AND refit_calibration = 0) \
               AND NOT EXISTS (SELECT 1 FROM tenant_calibration \
                               WHERE tenant_calibration.tenant_id = given.tenant_id \
                                 AND attempted_at >= given.changed_at) \
             ORDER BY tenant_id"
        );
        self.list(sqlx::query(AssertSqlSafe(sql)), |row| rows::parsed(row, "tenant_id")).await
    }
}

/// The feedback of a row that has `feedback_kind`, `feedback_label`, `feedback_reference` and `feedback_changed_at`,
/// all `NULL` if there is none.
pub(crate) fn feedback_from_row(row: &AnyRow) -> Result<Option<ScanFeedback>, Error> {
    let Some(kind) = rows::optional(row, "feedback_kind")? else { return Ok(None) };
    Ok(Some(ScanFeedback {
        kind,
        label: rows::optional_label(row, "feedback_label")?,
        reference_id: rows::optional(row, "feedback_reference")?,
        changed_at: rows::timestamp(row, "feedback_changed_at")?,
    }))
}

/// Saves the model outputs of scans that the same transaction has saved.
pub(super) async fn insert_features(
    tenant_id: TenantId,
    seen: &[(ScanId, &ScanFeatures)],
    tx: &mut AnyConnection,
) -> Result<(), Error> {
    for run in runs(seen) {
        let rows = repeated("($1, $2, $3, $4, $5, $6, $7, $8, $9)", 9, run.len(), 0);
        let mut query = sqlx::query(AssertSqlSafe(format!(
            "INSERT INTO scan_features (scan_id, tenant_id, model_sha256, embedding, fingerprint, logits, known, \
                                        log_probabilities, taught_labels) \
             VALUES {rows}"
        )));
        for (id, features) in run {
            query = with_values!(
                query,
                [*id, tenant_id, features.model_sha256, rows::float_bytes(&features.embedding)],
                [features.fingerprint, rows::float_bytes(&features.logits)],
                [NullableFloat(Some(f64::from(features.known)))],
                [rows::float_bytes(&features.log_probabilities)],
                [rows::to_json("taught_labels", &features.taught_labels)?]
            );
        }
        query.execute(&mut *tx).await?;
    }
    Ok(())
}

/// Locks a tenant's scan, so that concurrent changes of its feedback see each other's: in PostgreSQL one that reads no
/// reference would otherwise overwrite one that is attached in the meantime. False if there is no such scan.
pub(super) async fn lock_scan(
    tenant_id: TenantId,
    id: ScanId,
    tx: &mut AnyConnection,
) -> Result<bool, Error> {
    let query = sql!(
        "UPDATE scan SET scanned_at = scanned_at WHERE tenant_id = $1 AND scan_id = $2",
        [tenant_id, id]
    );
    Ok(query.execute(tx).await?.rows_affected() > 0)
}

/// A row of `scan_features`.
pub(crate) fn features_from_row(row: &AnyRow) -> Result<ScanFeatures, Error> {
    Ok(ScanFeatures {
        model_sha256: row.try_get("model_sha256")?,
        embedding: rows::floats(row, "embedding")?,
        fingerprint: row.try_get("fingerprint")?,
        logits: rows::floats(row, "logits")?,
        known: row.try_get::<f64, _>("known")? as f32,
        log_probabilities: rows::floats(row, "log_probabilities")?,
        taught_labels: rows::json(row, "taught_labels")?,
    })
}
