//! Taught part types and the references that show them.

use std::collections::{BTreeSet, HashMap};

use jiff::Timestamp;
use partsight_domain::{
    Category, LookAlike, PartFitment, PartFitments, PartLabel, PhotoSize, ReferenceId, ReferenceKind,
    ScanPhoto, ShopPart, TaughtPartType, TenantId, UserId,
};
use sqlx::any::AnyRow;
use sqlx::{AnyConnection, AssertSqlSafe, Row};
use uuid::Uuid;

use super::look_alikes::{forget_look_alikes_of, insert_look_alike};
use crate::filter::Filter;
use crate::revision::next_revision;
use crate::transaction::retried;
use crate::{Error, Store, rows};

/// Whose rows a tenant may see: their own and the shared ones.
const VISIBLE: &str = "(tenant_id = $1 OR tenant_id IS NULL)";
/// Whose rows an owner may change: a tenant's own, or without a tenant the shared ones.
const OWNED: &str = "COALESCE(tenant_id, '') = $1";
/// All but the pictures.
const COLUMNS: &str = "part_reference_id, tenant_id, label, category, kind, model_sha256, embedding, fingerprint, \
                       created_at, deleted_at, revision";

/// A photograph that shows what a part looks like, as it is stored.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredReference {
    /// Which.
    pub id: ReferenceId,
    /// Whose it is; `None` for all tenants.
    pub tenant_id: Option<TenantId>,
    /// The part type that it shows.
    pub label: PartLabel,
    /// Where that type belongs.
    pub category: Option<Category>,
    /// How it came to be.
    pub kind: ReferenceKind,
    /// SHA-256 of the model that made the embedding, lower-case hex.
    pub model_sha256: String,
    /// f32 `[d]`, of L2 length 1.
    pub embedding: Vec<f32>,
    /// What the photograph looks like.
    pub fingerprint: Vec<u8>,
    /// When it was taught.
    pub created_at: Timestamp,
    /// When it was deleted, if it was; it can be brought back until it is purged.
    pub deleted_at: Option<Timestamp>,
    /// The number of its last change; 0 for one that is not stored yet.
    pub revision: i64,
}

impl Store {
    /// Saves references with their pictures, the part type that they teach where it is a new one, and that they show a
    /// part of the owner's shop where they do, and marks the look-alikes of what they show, all or nothing. That part must
    /// be as it was read; tells whether it is.
    ///
    /// # Errors
    /// [`Error::Constraint`] `taught_part_type_label_taken` when the owner has a type of this label.
    pub async fn save_references(
        &self,
        new_type: Option<&TaughtPartType>,
        part: Option<&ShopPart>,
        references: &[(StoredReference, Vec<ScanPhoto>)],
        look_alikes: &[LookAlike],
        user_id: Option<UserId>,
    ) -> Result<bool, Error> {
        retried(|| async {
            let mut tx = self.begin().await?;
            // The part before the number of the change, as whoever changes a part locks them.
            if let Some(part) = part
                && !touch_part(part, references, &mut tx).await?
            {
                tx.rollback().await?;
                return Ok(false);
            }
            let revision = next_revision(&mut tx).await?;
            if let Some(part_type) = new_type {
                let query = sql!(
                    "INSERT INTO taught_part_type \
                     (taught_part_type_id, tenant_id, label, name, category, created_by, created_at) \
                 VALUES ($1, $2, $3, $4, $5, $6, $7)",
                    [Uuid::now_v7(), part_type.tenant_id, part_type.label, part_type.name],
                    [part_type.category, user_id, part_type.created_at]
                );
                query.execute(&mut *tx).await?;
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

    /// The part types that a tenant may see: their own, then the shared ones; each by label.
    pub async fn list_taught_types(&self, tenant_id: TenantId) -> Result<Vec<TaughtPartType>, Error> {
        let sql = format!(
            "SELECT tenant_id, label, name, category, created_at FROM taught_part_type WHERE {VISIBLE} \
             ORDER BY CASE WHEN tenant_id IS NULL THEN 1 ELSE 0 END, label"
        );
        self.list(sql!(AssertSqlSafe(sql), [tenant_id]), taught_type_from_row).await
    }

    /// The references that a tenant may see, deleted ones included, the oldest first; of one label where given.
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

    /// Marks a reference of an owner, `None` for all tenants, as deleted at a moment, or brings it back; tells
    /// whether that changed anything.
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
             WHERE {OWNED} AND part_reference_id = $2 AND (deleted_at IS NULL) <> ($3 IS NULL)"
        );
        let query = sql!(
            AssertSqlSafe(sql),
            [owner.map(|id| id.to_string()).unwrap_or_default(), id, deleted_at, revision]
        );
        let result = query.execute(&mut *tx).await?;
        tx.commit().await?;
        Ok(result.rows_affected() > 0)
    }

    /// Deletes for good what was deleted before `moment`, of all tenants, and returns how many went. A taught type of which
    /// nothing is left is nobody's look-alike any more.
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

    /// A kept picture of a reference that a tenant may see, deleted or not.
    pub async fn find_reference_photo(
        &self,
        tenant_id: TenantId,
        id: ReferenceId,
        size: PhotoSize,
    ) -> Result<Option<ScanPhoto>, Error> {
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

    /// The number of the last change of any reference.
    pub async fn reference_revision(&self) -> Result<i64, Error> {
        Ok(sqlx::query_scalar("SELECT revision FROM part_reference_revision").fetch_one(&self.db).await?)
    }

    /// References of one model, of all tenants, that changed after `revision`, in the order of their changes:
    /// what an index has to be told. At most `limit`, and all that share the last one's number.
    pub async fn list_changed_references(
        &self,
        model_sha256: &str,
        revision: i64,
        limit: u32,
    ) -> Result<Vec<StoredReference>, Error> {
        let sql = format!(
            "SELECT {COLUMNS} FROM part_reference WHERE model_sha256 = $1 AND revision > $2 \
             AND revision <= COALESCE((SELECT MAX(revision) FROM (SELECT revision FROM part_reference \
                 WHERE model_sha256 = $1 AND revision > $2 ORDER BY revision LIMIT $3) AS page), 0) \
             ORDER BY revision, part_reference_id"
        );
        self.list(sql!(AssertSqlSafe(sql), [model_sha256, revision, limit]), reference_from_row).await
    }

    /// What is said of the parts that such references show, of those whose changes have the numbers `first` to `last`:
    /// one entry for each part of the shop that owns the reference. References that all share have none, since each
    /// shop may say something else of them.
    pub async fn list_fitments_of_references(
        &self,
        model_sha256: &str,
        first: i64,
        last: i64,
    ) -> Result<HashMap<ReferenceId, Vec<PartFitments>>, Error> {
        let query = sql!(
            "SELECT part_reference.part_reference_id, shop_part.fitments FROM part_reference \
             JOIN shop_part_photo ON shop_part_photo.part_reference_id = part_reference.part_reference_id \
             JOIN shop_part ON shop_part.shop_part_id = shop_part_photo.shop_part_id \
             WHERE part_reference.model_sha256 = $1 AND part_reference.revision BETWEEN $2 AND $3 \
               AND shop_part.tenant_id = part_reference.tenant_id AND shop_part.deleted_at IS NULL",
            [model_sha256, first, last]
        );
        fitments_from_rows(&query.fetch_all(&self.db).await?)
    }

    /// As [`list_fitments_of_references`](Self::list_fitments_of_references), of these references.
    pub async fn list_fitments_by_id(
        &self,
        ids: &[ReferenceId],
    ) -> Result<HashMap<ReferenceId, Vec<PartFitments>>, Error> {
        let mut filter = Filter::default();
        let is_one = filter.one_of("part_reference.part_reference_id", ids);
        let sql = format!(
            "SELECT part_reference.part_reference_id, shop_part.fitments FROM part_reference \
             JOIN shop_part_photo ON shop_part_photo.part_reference_id = part_reference.part_reference_id \
             JOIN shop_part ON shop_part.shop_part_id = shop_part_photo.shop_part_id \
             WHERE {is_one} \
               AND shop_part.tenant_id = part_reference.tenant_id AND shop_part.deleted_at IS NULL"
        );
        fitments_from_rows(&filter.bind(sqlx::query(AssertSqlSafe(sql))).fetch_all(&self.db).await?)
    }

    /// How many references of one model changed after `revision`, of all tenants.
    pub async fn count_changed_references(&self, model_sha256: &str, revision: i64) -> Result<u64, Error> {
        let query = scalar!(
            "SELECT COUNT(*) FROM part_reference WHERE model_sha256 = $1 AND revision > $2",
            [model_sha256, revision]
        );
        let n: i64 = query.fetch_one(&self.db).await?;
        Ok(n.unsigned_abs())
    }

    /// Up to `limit` of the references of one model that are not deleted, of all tenants, each with the number of its
    /// last change; after `after` in the order of their ids.
    pub async fn list_kept_references(
        &self,
        model_sha256: &str,
        after: Option<ReferenceId>,
        limit: u32,
    ) -> Result<Vec<(ReferenceId, i64)>, Error> {
        let query = sql!(
            "SELECT part_reference_id, revision FROM part_reference \
             WHERE model_sha256 = $1 AND deleted_at IS NULL AND part_reference_id > $2 \
             ORDER BY part_reference_id LIMIT $3",
            [model_sha256, after.map(|id| id.to_string()).unwrap_or_default(), limit]
        );
        self.list(query, |row| Ok((rows::parsed(row, "part_reference_id")?, row.try_get("revision")?))).await
    }

    /// These references, as far as they are of one model, deleted ones included.
    pub async fn list_references_by_id(
        &self,
        model_sha256: &str,
        ids: &[ReferenceId],
    ) -> Result<Vec<StoredReference>, Error> {
        let mut filter = Filter::new("model_sha256", model_sha256);
        filter.and(|filter| filter.one_of("part_reference_id", ids));
        let sql = format!("SELECT {COLUMNS} FROM part_reference WHERE {}", filter.condition());
        let rows = filter.bind(sqlx::query(AssertSqlSafe(sql))).fetch_all(&self.db).await?;
        rows.iter().map(reference_from_row).collect()
    }

    /// How many references of one model a tenant may see, the shared ones among them; no more than `at_most` are counted.
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

    /// Whether there are references that a tenant may see, of whichever model.
    pub async fn has_visible_references(&self, tenant_id: TenantId) -> Result<bool, Error> {
        let sql = format!(
            "SELECT COUNT(*) FROM (SELECT part_reference_id FROM part_reference \
             WHERE {VISIBLE} AND deleted_at IS NULL LIMIT 1) AS visible"
        );
        let query = scalar!(AssertSqlSafe(sql), [tenant_id]);
        let n: i64 = query.fetch_one(&self.db).await?;
        Ok(n > 0)
    }

    /// References of all models that went with their tenant after `revision`: what an index has to forget.
    pub async fn list_forgotten_references(&self, revision: i64) -> Result<Vec<ReferenceId>, Error> {
        let query = sql!("SELECT part_reference_id FROM forgotten_reference WHERE revision > $1", [revision]);
        self.list(query, |row| rows::parsed(row, "part_reference_id")).await
    }

    /// How many references an index of this model should hold.
    pub async fn count_references(&self, model_sha256: &str) -> Result<u64, Error> {
        let query = scalar!(
            "SELECT COUNT(*) FROM part_reference WHERE model_sha256 = $1 AND deleted_at IS NULL",
            [model_sha256]
        );
        let n: i64 = query.fetch_one(&self.db).await?;
        Ok(n.unsigned_abs())
    }

    /// Up to `limit` references of other models, which an index of this one cannot hold, each with a picture that
    /// it can be embedded from again; after `after` in the order of ids.
    pub async fn list_references_of_other_models(
        &self,
        model_sha256: &str,
        after: Option<ReferenceId>,
        limit: u32,
    ) -> Result<Vec<(StoredReference, ScanPhoto)>, Error> {
        // `full` sorts before `thumbnail`, and is the better source.
        let sql = format!(
            "SELECT {COLUMNS}, photo.size, photo.media_type, photo.bytes FROM part_reference \
             JOIN (SELECT part_reference_id AS photo_of, size, media_type, bytes FROM part_reference_photo) AS photo \
               ON photo.photo_of = part_reference_id \
             WHERE model_sha256 <> $1 AND part_reference_id > $2 \
               AND photo.size = (SELECT MIN(size) FROM part_reference_photo AS best \
                                 WHERE best.part_reference_id = part_reference.part_reference_id) \
             ORDER BY part_reference_id LIMIT $3"
        );
        let query = sql!(
            AssertSqlSafe(sql),
            [model_sha256, after.map(|id| id.to_string()).unwrap_or_default(), limit]
        );
        self.list(query, |row| {
            let size: String = row.try_get("size")?;
            let size = if size == PhotoSize::Full.as_str() { PhotoSize::Full } else { PhotoSize::Thumbnail };
            let photo =
                ScanPhoto { size, media_type: row.try_get("media_type")?, bytes: row.try_get("bytes")? };
            Ok((reference_from_row(row)?, photo))
        })
        .await
    }

    /// How many references of other models there are, of all tenants: those with a picture that they can be embedded
    /// from again, and those without.
    pub async fn count_references_of_other_models(&self, model_sha256: &str) -> Result<(u64, u64), Error> {
        let query = sql!(
            "SELECT COUNT(*) AS n, COUNT(photo.photo_of) AS n_with_picture FROM part_reference \
             LEFT JOIN (SELECT DISTINCT part_reference_id AS photo_of FROM part_reference_photo) AS photo \
               ON photo.photo_of = part_reference_id \
             WHERE model_sha256 <> $1",
            [model_sha256]
        );
        let row = query.fetch_one(&self.db).await?;
        let n = rows::count(&row, "n")?;
        let n_with_picture = rows::count(&row, "n_with_picture")?;
        Ok((n_with_picture, n - n_with_picture))
    }

    /// The references of other models that a tenant may see and that have no picture to embed them from again, the
    /// oldest first; deleted ones left out.
    pub async fn list_references_without_picture(
        &self,
        tenant_id: TenantId,
        model_sha256: &str,
    ) -> Result<Vec<(ReferenceId, PartLabel)>, Error> {
        let sql = format!(
            "SELECT part_reference_id, label FROM part_reference \
             WHERE {VISIBLE} AND model_sha256 <> $2 AND deleted_at IS NULL AND NOT EXISTS \
                 (SELECT 1 FROM part_reference_photo AS photo \
                  WHERE photo.part_reference_id = part_reference.part_reference_id) \
             ORDER BY created_at, part_reference_id"
        );
        self.list(sql!(AssertSqlSafe(sql), [tenant_id, model_sha256]), |row| {
            Ok((rows::parsed(row, "part_reference_id")?, rows::label(row, "label")?))
        })
        .await
    }

    /// Puts another model's embedding and fingerprint in the place of a reference's own.
    pub async fn replace_embedding(
        &self,
        id: ReferenceId,
        model_sha256: &str,
        embedding: &[f32],
        fingerprint: &[u8],
    ) -> Result<(), Error> {
        let mut tx = self.begin().await?;
        // In the row of the old one: going back to the old model means embedding again.
        let revision = next_revision(&mut tx).await?;
        let query = sql!(
            "UPDATE part_reference SET model_sha256 = $2, embedding = $3, revision = $4, fingerprint = $5 \
             WHERE part_reference_id = $1",
            [id, model_sha256, rows::float_bytes(embedding), revision, fingerprint]
        );
        query.execute(&mut *tx).await?;
        tx.commit().await?;
        Ok(())
    }
}

/// Marks a part as changed by new photographs of it, and tells whether it is as it was read.
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

fn fitments_from_rows(rows: &[AnyRow]) -> Result<HashMap<ReferenceId, Vec<PartFitments>>, Error> {
    let mut parts: HashMap<ReferenceId, Vec<PartFitments>> = HashMap::new();
    for row in rows {
        let fitments: Vec<PartFitment> = rows::json(row, "fitments")?;
        parts.entry(rows::parsed(row, "part_reference_id")?).or_default().push(PartFitments::new(&fitments));
    }
    Ok(parts)
}

fn taught_type_from_row(row: &AnyRow) -> Result<TaughtPartType, Error> {
    Ok(TaughtPartType {
        tenant_id: rows::optional(row, "tenant_id")?,
        label: rows::label(row, "label")?,
        name: row.try_get("name")?,
        category: rows::parsed(row, "category")?,
        created_at: rows::timestamp(row, "created_at")?,
    })
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
