//! Taught part types and the references that show them.

use std::collections::HashMap;

use jiff::Timestamp;
use partsight_domain::{
    Category, PartFitment, PartFitments, PartLabel, PhotoSize, ReferenceId, ReferenceKind, ScanPhoto,
    ShopPart, TaughtPartType, TenantId, UserId,
};
use sqlx::any::AnyRow;
use sqlx::{AnyConnection, AssertSqlSafe, Row};
use uuid::Uuid;

use crate::revision::next_revision;
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
    /// part of the owner's shop where they do, all or nothing. That part must be as it was read; tells whether it is.
    ///
    /// # Errors
    /// [`Error::Constraint`] `taught_part_type_label_taken` when the owner has a type of this label.
    pub async fn save_references(
        &self,
        new_type: Option<&TaughtPartType>,
        part: Option<&ShopPart>,
        references: &[(StoredReference, Vec<ScanPhoto>)],
        user_id: Option<UserId>,
    ) -> Result<bool, Error> {
        let mut tx = self.begin().await?;
        // The part before the number of the change, as whoever changes a part locks them.
        if let Some(part) = part
            && !touch_part(part, references, &mut tx).await?
        {
            return Ok(false);
        }
        let revision = next_revision(&mut tx).await?;
        if let Some(part_type) = new_type {
            sqlx::query(
                "INSERT INTO taught_part_type \
                     (taught_part_type_id, tenant_id, label, name, category, created_by, created_at) \
                 VALUES ($1, $2, $3, $4, $5, $6, $7)",
            )
            .bind(Uuid::now_v7().to_string())
            .bind(part_type.tenant_id.map(|id| id.to_string()))
            .bind(part_type.label.as_str())
            .bind(&part_type.name)
            .bind(part_type.category.as_str())
            .bind(user_id.map(|id| id.to_string()))
            .bind(part_type.created_at.as_millisecond())
            .execute(&mut *tx)
            .await?;
        }
        for (reference, photos) in references {
            insert_reference(reference, user_id, revision, &mut tx).await?;
            for photo in photos {
                sqlx::query(
                    "INSERT INTO part_reference_photo (part_reference_id, size, media_type, bytes) \
                     VALUES ($1, $2, $3, $4)",
                )
                .bind(reference.id.to_string())
                .bind(photo.size.as_str())
                .bind(&photo.media_type)
                .bind(photo.bytes.as_slice())
                .execute(&mut *tx)
                .await?;
            }
            if let Some(part) = part {
                sqlx::query("INSERT INTO shop_part_photo (shop_part_id, part_reference_id) VALUES ($1, $2)")
                    .bind(part.id.to_string())
                    .bind(reference.id.to_string())
                    .execute(&mut *tx)
                    .await?;
            }
        }
        tx.commit().await?;
        Ok(true)
    }

    /// The part types that a tenant may see: their own, then the shared ones; each by label.
    pub async fn list_taught_types(&self, tenant_id: TenantId) -> Result<Vec<TaughtPartType>, Error> {
        let sql = format!(
            "SELECT tenant_id, label, name, category, created_at FROM taught_part_type WHERE {VISIBLE} \
             ORDER BY CASE WHEN tenant_id IS NULL THEN 1 ELSE 0 END, label"
        );
        let rows = sqlx::query(AssertSqlSafe(sql)).bind(tenant_id.to_string()).fetch_all(&self.db).await?;
        rows.iter().map(taught_type_from_row).collect()
    }

    /// The part types that all tenants share, by label.
    pub async fn list_shared_types(&self) -> Result<Vec<TaughtPartType>, Error> {
        let rows = sqlx::query(
            "SELECT tenant_id, label, name, category, created_at FROM taught_part_type \
             WHERE tenant_id IS NULL ORDER BY label",
        )
        .fetch_all(&self.db)
        .await?;
        rows.iter().map(taught_type_from_row).collect()
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
        let rows = sqlx::query(AssertSqlSafe(sql))
            .bind(tenant_id.to_string())
            .bind(label.map_or("", PartLabel::as_str))
            .fetch_all(&self.db)
            .await?;
        rows.iter().map(reference_from_row).collect()
    }

    /// One reference that a tenant may see, deleted or not.
    pub async fn find_reference(
        &self,
        tenant_id: TenantId,
        id: ReferenceId,
    ) -> Result<Option<StoredReference>, Error> {
        let sql = format!("SELECT {COLUMNS} FROM part_reference WHERE {VISIBLE} AND part_reference_id = $2");
        let row = sqlx::query(AssertSqlSafe(sql))
            .bind(tenant_id.to_string())
            .bind(id.to_string())
            .fetch_optional(&self.db)
            .await?;
        row.as_ref().map(reference_from_row).transpose()
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
        let result = sqlx::query(AssertSqlSafe(sql))
            .bind(owner.map(|id| id.to_string()).unwrap_or_default())
            .bind(id.to_string())
            .bind(deleted_at.map(Timestamp::as_millisecond))
            .bind(revision)
            .execute(&mut *tx)
            .await?;
        tx.commit().await?;
        Ok(result.rows_affected() > 0)
    }

    /// Deletes for good what was deleted before `moment`, of all tenants, and returns how many went.
    pub async fn purge_references(&self, moment: Timestamp) -> Result<u64, Error> {
        let result = sqlx::query("DELETE FROM part_reference WHERE deleted_at < $1")
            .bind(moment.as_millisecond())
            .execute(&self.writer)
            .await?;
        Ok(result.rows_affected())
    }

    /// A kept picture of a reference that a tenant may see, deleted or not.
    pub async fn find_reference_photo(
        &self,
        tenant_id: TenantId,
        id: ReferenceId,
        size: PhotoSize,
    ) -> Result<Option<ScanPhoto>, Error> {
        let row = sqlx::query(
            "SELECT media_type, bytes FROM part_reference_photo \
             WHERE size = $3 AND part_reference_id = (SELECT part_reference_id FROM part_reference \
                   WHERE (tenant_id = $1 OR tenant_id IS NULL) AND part_reference_id = $2)",
        )
        .bind(tenant_id.to_string())
        .bind(id.to_string())
        .bind(size.as_str())
        .fetch_optional(&self.db)
        .await?;
        row.map(|row| {
            Ok(ScanPhoto { size, media_type: row.try_get("media_type")?, bytes: row.try_get("bytes")? })
        })
        .transpose()
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
        let rows = sqlx::query(AssertSqlSafe(sql))
            .bind(model_sha256)
            .bind(revision)
            .bind(i64::from(limit))
            .fetch_all(&self.db)
            .await?;
        rows.iter().map(reference_from_row).collect()
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
        let rows = sqlx::query(
            "SELECT part_reference.part_reference_id, shop_part.fitments FROM part_reference \
             JOIN shop_part_photo ON shop_part_photo.part_reference_id = part_reference.part_reference_id \
             JOIN shop_part ON shop_part.shop_part_id = shop_part_photo.shop_part_id \
             WHERE part_reference.model_sha256 = $1 AND part_reference.revision BETWEEN $2 AND $3 \
               AND shop_part.tenant_id = part_reference.tenant_id AND shop_part.deleted_at IS NULL",
        )
        .bind(model_sha256)
        .bind(first)
        .bind(last)
        .fetch_all(&self.db)
        .await?;
        let mut parts: HashMap<ReferenceId, Vec<PartFitments>> = HashMap::new();
        for row in &rows {
            let fitments: Vec<PartFitment> = rows::json(row, "fitments")?;
            parts
                .entry(rows::parsed(row, "part_reference_id")?)
                .or_default()
                .push(PartFitments::new(&fitments));
        }
        Ok(parts)
    }

    /// References of all models that went with their tenant after `revision`: what an index has to forget.
    pub async fn list_forgotten_references(&self, revision: i64) -> Result<Vec<ReferenceId>, Error> {
        let rows = sqlx::query("SELECT part_reference_id FROM forgotten_reference WHERE revision > $1")
            .bind(revision)
            .fetch_all(&self.db)
            .await?;
        rows.iter().map(|row| rows::parsed(row, "part_reference_id")).collect()
    }

    /// How many references an index of this model should hold.
    pub async fn count_references(&self, model_sha256: &str) -> Result<u64, Error> {
        let n: i64 = sqlx::query_scalar(
            "SELECT COUNT(*) FROM part_reference WHERE model_sha256 = $1 AND deleted_at IS NULL",
        )
        .bind(model_sha256)
        .fetch_one(&self.db)
        .await?;
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
        let rows = sqlx::query(AssertSqlSafe(sql))
            .bind(model_sha256)
            .bind(after.map(|id| id.to_string()).unwrap_or_default())
            .bind(i64::from(limit))
            .fetch_all(&self.db)
            .await?;
        rows.iter()
            .map(|row| {
                let size: String = row.try_get("size")?;
                let size =
                    if size == PhotoSize::Full.as_str() { PhotoSize::Full } else { PhotoSize::Thumbnail };
                let photo =
                    ScanPhoto { size, media_type: row.try_get("media_type")?, bytes: row.try_get("bytes")? };
                Ok((reference_from_row(row)?, photo))
            })
            .collect()
    }

    /// How many references of other models there are, of all tenants: those with a picture that they can be embedded
    /// from again, and those without.
    pub async fn count_references_of_other_models(&self, model_sha256: &str) -> Result<(u64, u64), Error> {
        let row = sqlx::query(
            "SELECT COUNT(*) AS n, COUNT(photo.photo_of) AS n_with_picture FROM part_reference \
             LEFT JOIN (SELECT DISTINCT part_reference_id AS photo_of FROM part_reference_photo) AS photo \
               ON photo.photo_of = part_reference_id \
             WHERE model_sha256 <> $1",
        )
        .bind(model_sha256)
        .fetch_one(&self.db)
        .await?;
        let n = row.try_get::<i64, _>("n")?.unsigned_abs();
        let n_with_picture = row.try_get::<i64, _>("n_with_picture")?.unsigned_abs();
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
        let rows = sqlx::query(AssertSqlSafe(sql))
            .bind(tenant_id.to_string())
            .bind(model_sha256)
            .fetch_all(&self.db)
            .await?;
        rows.iter()
            .map(|row| Ok((rows::parsed(row, "part_reference_id")?, rows::label(row, "label")?)))
            .collect()
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
        let revision = next_revision(&mut tx).await?;
        sqlx::query(
            "UPDATE part_reference SET model_sha256 = $2, embedding = $3, revision = $4, fingerprint = $5 \
             WHERE part_reference_id = $1",
        )
        .bind(id.to_string())
        .bind(model_sha256)
        .bind(rows::float_bytes(embedding))
        .bind(revision)
        .bind(fingerprint)
        .execute(&mut *tx)
        .await?;
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
    let done = sqlx::query(
        "UPDATE shop_part SET updated_at = $4, revision = revision + 1 \
         WHERE tenant_id = $1 AND shop_part_id = $2 AND revision = $3 AND deleted_at IS NULL",
    )
    .bind(part.tenant_id.to_string())
    .bind(part.id.to_string())
    .bind(part.revision)
    .bind(changed_at.as_millisecond())
    .execute(tx)
    .await?;
    Ok(done.rows_affected() > 0)
}

async fn insert_reference(
    reference: &StoredReference,
    user_id: Option<UserId>,
    revision: i64,
    tx: &mut AnyConnection,
) -> Result<(), Error> {
    sqlx::query(
        "INSERT INTO part_reference (part_reference_id, tenant_id, label, category, kind, model_sha256, \
                                     embedding, fingerprint, created_by, created_at, deleted_at, revision) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)",
    )
    .bind(reference.id.to_string())
    .bind(reference.tenant_id.map(|id| id.to_string()))
    .bind(reference.label.as_str())
    .bind(reference.category.map(Category::as_str))
    .bind(reference.kind.as_str())
    .bind(&reference.model_sha256)
    .bind(rows::float_bytes(&reference.embedding))
    .bind(reference.fingerprint.as_slice())
    .bind(user_id.map(|id| id.to_string()))
    .bind(reference.created_at.as_millisecond())
    .bind(reference.deleted_at.map(Timestamp::as_millisecond))
    .bind(revision)
    .execute(tx)
    .await?;
    Ok(())
}

fn owner(row: &AnyRow) -> Result<Option<TenantId>, Error> {
    let id: Option<String> = row.try_get("tenant_id")?;
    id.map(|id| id.parse()).transpose().map_err(|error: uuid::Error| rows::corrupt("tenant_id", &error))
}

fn category(name: &str) -> Result<Category, Error> {
    Category::from_name(name).ok_or_else(|| rows::corrupt("category", &name))
}

fn taught_type_from_row(row: &AnyRow) -> Result<TaughtPartType, Error> {
    Ok(TaughtPartType {
        tenant_id: owner(row)?,
        label: rows::label(row, "label")?,
        name: row.try_get("name")?,
        category: category(&row.try_get::<String, _>("category")?)?,
        created_at: rows::timestamp(row, "created_at")?,
    })
}

fn reference_from_row(row: &AnyRow) -> Result<StoredReference, Error> {
    let kind: String = row.try_get("kind")?;
    Ok(StoredReference {
        id: rows::parsed(row, "part_reference_id")?,
        tenant_id: owner(row)?,
        label: rows::label(row, "label")?,
        category: row.try_get::<Option<String>, _>("category")?.as_deref().map(category).transpose()?,
        kind: ReferenceKind::from_name(&kind).ok_or_else(|| rows::corrupt("kind", &kind))?,
        model_sha256: row.try_get("model_sha256")?,
        embedding: rows::floats(row, "embedding")?,
        fingerprint: row.try_get("fingerprint")?,
        created_at: rows::timestamp(row, "created_at")?,
        deleted_at: rows::optional_timestamp(row, "deleted_at")?,
        revision: row.try_get("revision")?,
    })
}
