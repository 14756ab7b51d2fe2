//! References embedded by a model other than the one in use, and replacing their embeddings.

use partsight_domain::{PartLabel, PhotoSize, ReferenceId, ScanPhoto, TenantId};
use sqlx::{AssertSqlSafe, Row};

use super::{COLUMNS, StoredReference, reference_from_row};
use crate::revision::next_revision;
use crate::teaching::taught_types::VISIBLE;
use crate::{Error, Store, rows};

impl Store {
    /// Up to `limit` references of other models, which an index of this one cannot hold, each with a picture from
    /// which it can be embedded again; sorted by id, and after the id `after`.
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

    /// The number of references of other models, of all tenants: those with a picture from which they can be embedded
    /// again, and those without.
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
    /// oldest first, except deleted ones.
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

    /// Replaces the embedding and fingerprint of a reference by those of another model.
    pub async fn replace_embedding(
        &self,
        id: ReferenceId,
        model_sha256: &str,
        embedding: &[f32],
        fingerprint: &[u8],
    ) -> Result<(), Error> {
        let mut tx = self.begin().await?;
        // The old embedding is overwritten: going back to the old model means embedding again.
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
