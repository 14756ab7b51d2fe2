//! References: photographs that show what a part looks like. People save, see and delete them.

mod index_sync;
mod other_models;

use std::collections::BTreeSet;

use jiff::Timestamp;
use partsight_domain::{
    Category, LookAlike, PartLabel, PhotoSize, Plan, Quota, ReferenceId, ReferenceKind, ScanPhoto, ShopPart,
    TaughtPartType, TenantId, UserId,
};
use sqlx::any::AnyRow;
use sqlx::{AnyConnection, AssertSqlSafe, Row};

use super::look_alikes::{forget_look_alikes_of, insert_look_alike};
use super::taught_types::{OWNED, VISIBLE, insert_taught_type, is_type_deleted, owner_text};
use crate::revision::next_revision;
use crate::transaction::retried;
use crate::{Error, Store, rows};

/// All columns except the pictures.
const COLUMNS: &str = "part_reference_id, tenant_id, label, category, kind, model_sha256, embedding, fingerprint, \
                       created_at, deleted_at, revision";

/// A stored reference: a photograph that shows what a part looks like.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredReference {
    /// Id of the reference.
    pub id: ReferenceId,
    /// The tenant that owns it; `None` for all tenants.
    pub tenant_id: Option<TenantId>,
    /// The part type that it shows.
    pub label: PartLabel,
    /// The category of that type.
    pub category: Option<Category>,
    /// Where the photograph comes from.
    pub kind: ReferenceKind,
    /// SHA-256 of the model that made the embedding, lower-case hex.
    pub model_sha256: String,
    /// f32 `[d]`, L2-normalised.
    pub embedding: Vec<f32>,
    /// Perceptual hash of the photograph.
    pub fingerprint: Vec<u8>,
    /// When it was taught.
    pub created_at: Timestamp,
    /// When it was deleted, if it was; it can be restored until it is purged.
    pub deleted_at: Option<Timestamp>,
    /// Revision of its last change; 0 if it is not stored yet.
    pub revision: i64,
}

impl Store {
    /// Saves references with their pictures, the taught part type if it is new, their attachment to a part of the
    /// owner's shop if they show one, and the look-alikes of what they show, in one transaction. Returns false, with
    /// nothing saved, if that part has changed since it was read, or the type of the references is deleted.
    ///
    /// # Errors
    /// [`Error::Constraint`] `taught_part_type_label_taken` when the owner has a type with this label;
    /// [`Error::QuotaReached`] for a tenant with more references than its `plan`, if given, allows.
    pub async fn save_references(
        &self,
        new_type: Option<&TaughtPartType>,
        part: Option<&ShopPart>,
        references: &[(StoredReference, Vec<ScanPhoto>)],
        look_alikes: &[LookAlike],
        user_id: Option<UserId>,
        plan: Option<Plan>,
    ) -> Result<bool, Error> {
        retried(|| async {
            let mut tx = self.begin().await?;
            // The part before the counter of changes, the order in which a change of a part locks them.
            if let Some(part) = part
                && !touch_part(part, references, &mut tx).await?
            {
                tx.rollback().await?;
                return Ok(false);
            }
            let revision = next_revision(&mut tx).await?;
            let tenant_id = references.first().and_then(|(reference, _)| reference.tenant_id);
            if let Some((tenant_id, plan)) = tenant_id.zip(plan) {
                tx = tx.within_quota(tenant_id, Quota::TaughtPhotos, plan, references.len()).await?;
            }
            match (new_type, references.first()) {
                (Some(part_type), _) => insert_taught_type(part_type, user_id, &mut tx).await?,
                (None, Some((reference, _)))
                    if is_type_deleted(reference.tenant_id, &reference.label, &mut tx).await? =>
                {
                    tx.rollback().await?;
                    return Ok(false);
                }
                _ => {}
            }
            for (reference, photos) in references {
                insert_reference(reference, user_id, revision, &mut tx).await?;
                for photo in photos {
                    let query = sql!(
                        "INSERT INTO part_reference_photo (part_reference_id, size, media_type, bytes) \
                     VALUES ($1, $2, $3, $4)",
                        [reference.id, photo.size, photo.media_type, photo.bytes]
                    );
                    query.execute(&mut *tx).await?;
                }
                if let Some(part) = part {
                    let query = sql!(
                        "INSERT INTO shop_part_photo (shop_part_id, part_reference_id) VALUES ($1, $2)",
                        [part.id, reference.id]
                    );
                    query.execute(&mut *tx).await?;
                }
            }
            for look_alike in look_alikes {
                insert_look_alike(look_alike, user_id, &mut tx).await?;
            }
            tx.commit().await?;
            Ok(true)
        })
        .await
    }

    /// The references that a tenant may see, deleted ones included, the oldest first; of one label if given.
    pub async fn list_references(
        &self,
        tenant_id: TenantId,
        label: Option<&PartLabel>,
    ) -> Result<Vec<StoredReference>, Error> {
        let sql = format!(
            "SELECT {COLUMNS} FROM part_reference WHERE {VISIBLE} AND ($2 = '' OR label = $2) \
             ORDER BY created_at, part_reference_id"
        );
        let query = sql!(AssertSqlSafe(sql), [tenant_id, label.map_or("", PartLabel::as_str)]);
        self.list(query, reference_from_row).await
    }

    /// One reference that a tenant may see, deleted or not.
    pub async fn find_reference(
        &self,
        tenant_id: TenantId,
        id: ReferenceId,
    ) -> Result<Option<StoredReference>, Error> {
        let sql = format!("SELECT {COLUMNS} FROM part_reference WHERE {VISIBLE} AND part_reference_id = $2");
        self.find(sql!(AssertSqlSafe(sql), [tenant_id, id]), reference_from_row).await
    }

    /// Marks a reference of an owner (`None`: all tenants) as deleted at a given time, or restores it; returns
    /// whether that changed anything. One that was deleted with its part type gets a new time, so that it is not
    /// restored with the type.
    pub async fn set_reference_deleted(
        &self,
        owner: Option<TenantId>,
        id: ReferenceId,
        deleted_at: Option<Timestamp>,
    ) -> Result<bool, Error> {
        let mut tx = self.begin().await?;
        let revision = next_revision(&mut tx).await?;
        let sql = format!(
            "UPDATE part_reference SET deleted_at = $3, revision = $4 \
             WHERE {OWNED} AND part_reference_id = $2 AND ((deleted_at IS NULL) <> ($3 IS NULL) \
                 OR $3 IS NOT NULL AND deleted_at = (SELECT MAX(taught.deleted_at) FROM taught_part_type AS taught \
                     WHERE taught.label = part_reference.label \
                       AND (taught.tenant_id = part_reference.tenant_id OR taught.tenant_id IS NULL)))"
        );
        let query = sql!(AssertSqlSafe(sql), [owner_text(owner), id, deleted_at, revision]);
        let result = query.execute(&mut *tx).await?;
        tx.commit().await?;
        Ok(result.rows_affected() > 0)
    }

    /// Permanently deletes what was deleted before `moment`, of all tenants; returns how many. The look-alike pairs of
    /// a taught type without remaining references are deleted too.
    pub async fn purge_references(&self, moment: Timestamp) -> Result<u64, Error> {
        retried(|| async {
            let mut tx = self.begin().await?;
            let query = sql!("DELETE FROM part_reference WHERE deleted_at < $1 RETURNING label", [moment]);
            let rows = query.fetch_all(&mut *tx).await?;
            let labels: BTreeSet<PartLabel> =
                rows.iter().map(|row| rows::label(row, "label")).collect::<Result<_, _>>()?;
            for label in &labels {
                forget_look_alikes_of(label, &mut tx).await?;
            }
            tx.commit().await?;
            Ok(rows.len() as u64)
        })
        .await
    }

    /// The stored thumbnail of a reference that a tenant may see, deleted or not.
    pub async fn find_reference_thumbnail(
        &self,
        tenant_id: TenantId,
        id: ReferenceId,
    ) -> Result<Option<ScanPhoto>, Error> {
        let size = PhotoSize::Thumbnail;
        let query = sql!(
            "SELECT media_type, bytes FROM part_reference_photo \
             WHERE size = $3 AND part_reference_id = (SELECT part_reference_id FROM part_reference \
                   WHERE (tenant_id = $1 OR tenant_id IS NULL) AND part_reference_id = $2)",
            [tenant_id, id, size]
        );
        self.find(query, |row| {
            Ok(ScanPhoto { size, media_type: row.try_get("media_type")?, bytes: row.try_get("bytes")? })
        })
        .await
    }

    /// The number of references of one model that a tenant may see, shared ones included, up to `at_most`.
    pub async fn count_visible_references(
        &self,
        model_sha256: &str,
        tenant_id: TenantId,
        at_most: u32,
    ) -> Result<u64, Error> {
        let sql = format!(
            "SELECT COUNT(*) FROM (SELECT part_reference_id FROM part_reference \
             WHERE {VISIBLE} AND model_sha256 = $2 AND deleted_at IS NULL LIMIT $3) AS visible"
        );
        let query = scalar!(AssertSqlSafe(sql), [tenant_id, model_sha256, at_most]);
        let n: i64 = query.fetch_one(&self.db).await?;
        Ok(n.unsigned_abs())
    }

    /// Whether a tenant may see any references, of whatever model.
    pub async fn has_visible_references(&self, tenant_id: TenantId) -> Result<bool, Error> {
        let sql = format!(
            "SELECT COUNT(*) FROM (SELECT part_reference_id FROM part_reference \
             WHERE {VISIBLE} AND deleted_at IS NULL LIMIT 1) AS visible"
        );
        let query = scalar!(AssertSqlSafe(sql), [tenant_id]);
        let n: i64 = query.fetch_one(&self.db).await?;
        Ok(n > 0)
    }
}

/// Marks a part as changed because it got new photographs; returns whether it still has the revision it was read
/// with.
async fn touch_part(
    part: &ShopPart,
    references: &[(StoredReference, Vec<ScanPhoto>)],
    tx: &mut AnyConnection,
) -> Result<bool, Error> {
    let changed_at = references.last().map_or(part.updated_at, |(reference, _)| reference.created_at);
    let query = sql!(
        "UPDATE shop_part SET updated_at = $4, revision = revision + 1 \
         WHERE tenant_id = $1 AND shop_part_id = $2 AND revision = $3 AND deleted_at IS NULL",
        [part.tenant_id, part.id, part.revision, changed_at]
    );
    let done = query.execute(tx).await?;
    Ok(done.rows_affected() > 0)
}

async fn insert_reference(
    reference: &StoredReference,
    user_id: Option<UserId>,
    revision: i64,
    tx: &mut AnyConnection,
) -> Result<(), Error> {
    let query = sql!(
        "INSERT INTO part_reference (part_reference_id, tenant_id, label, category, kind, model_sha256, \
                                     embedding, fingerprint, created_by, created_at, deleted_at, revision) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)",
        [reference.id, reference.tenant_id, reference.label, reference.category, reference.kind],
        [reference.model_sha256, rows::float_bytes(&reference.embedding), reference.fingerprint, user_id],
        [reference.created_at, reference.deleted_at, revision]
    );
    query.execute(tx).await?;
    Ok(())
}

fn reference_from_row(row: &AnyRow) -> Result<StoredReference, Error> {
    Ok(StoredReference {
        id: rows::parsed(row, "part_reference_id")?,
        tenant_id: rows::optional(row, "tenant_id")?,
        label: rows::label(row, "label")?,
        category: rows::optional(row, "category")?,
        kind: rows::parsed(row, "kind")?,
        model_sha256: row.try_get("model_sha256")?,
        embedding: rows::floats(row, "embedding")?,
        fingerprint: row.try_get("fingerprint")?,
        created_at: rows::timestamp(row, "created_at")?,
        deleted_at: rows::optional_timestamp(row, "deleted_at")?,
        revision: row.try_get("revision")?,
    })
}
