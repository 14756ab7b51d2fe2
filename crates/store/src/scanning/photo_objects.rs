//! Photographs of scans outside the database: which objects there are, which stand for a photograph, and which may be
//! deleted. The objects themselves are written, read and deleted elsewhere.
//!
//! A photograph is saved with its scan as a row. Moving it takes three steps, each of which may be the last before a
//! crash: the row of the object is committed, the object is written, and one transaction empties the row of the
//! photograph and marks the object as stored. What is deleted in between leaves the row of an object without a scan.

use jiff::Timestamp;
use partsight_domain::{PhotoSize, ScanId, ScanPhoto, TenantId};
use sqlx::any::AnyRow;
use sqlx::{AssertSqlSafe, Row};

use crate::transaction::retried;
use crate::{Error, Store, rows};

/// A kept picture of a scan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeptPhoto {
    /// Its bytes are in the database.
    Here(ScanPhoto),
    /// Its bytes are an object.
    Outside {
        /// Its media type.
        media_type: String,
        /// Where they are.
        object: PhotoObject,
    },
}

/// The place of an object that holds a photograph.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PhotoObject {
    /// The folder or bucket.
    pub storage: String,
    /// The name of the object in it.
    pub key: String,
    /// Its size.
    pub n_bytes: u64,
}

/// A photograph that is to be moved out of the database.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PhotoToMove {
    /// Its scan.
    pub scan_id: ScanId,
    /// The name that its object gets.
    pub key: String,
    /// The photograph.
    pub bytes: Vec<u8>,
}

impl Store {
    /// A kept picture of a tenant's scan.
    pub async fn find_scan_photo(
        &self,
        tenant_id: TenantId,
        id: ScanId,
        size: PhotoSize,
    ) -> Result<Option<KeptPhoto>, Error> {
        let query = sql!(
            "SELECT scan_photo.media_type, scan_photo.bytes, scan_photo.is_outside, \
                    photo_object.storage, photo_object.object_key, photo_object.n_bytes FROM scan_photo \
             LEFT JOIN photo_object ON photo_object.scan_id = scan_photo.scan_id \
                   AND photo_object.size = scan_photo.size AND photo_object.is_stored = 1 \
             WHERE scan_photo.tenant_id = $1 AND scan_photo.scan_id = $2 AND scan_photo.size = $3",
            [tenant_id, id, size]
        );
        self.find(query, |row| kept_photo(row, size)).await
    }

    /// Chooses a photograph that is still in the database, and notes that it is about to be written to `storage`, as
    /// `new_key` if no earlier attempt had a name for it. Leaves out those whose last attempt began after
    /// `tried_before`: another server may be at it.
    pub async fn claim_photo_to_move(
        &self,
        storage: &str,
        new_key: &str,
        now: Timestamp,
        tried_before: Timestamp,
    ) -> Result<Option<PhotoToMove>, Error> {
        let (now, tried_before) = (self.database_time(now), self.database_time(tried_before));
        retried(|| self.try_to_claim_photo(storage, new_key, now, tried_before)).await
    }

    async fn try_to_claim_photo(
        &self,
        storage: &str,
        new_key: &str,
        now: Timestamp,
        tried_before: Timestamp,
    ) -> Result<Option<PhotoToMove>, Error> {
        // Two servers that chose the same one would both write it, each under its own name: sound, and wasted.
        let lock = if self.is_postgres() { "FOR UPDATE SKIP LOCKED" } else { "" };
        let sql = format!(
            "SELECT scan_id, bytes FROM scan_photo WHERE size = 'full' AND is_outside = 0 AND NOT EXISTS \
                 (SELECT 1 FROM photo_object WHERE photo_object.scan_id = scan_photo.scan_id \
                        AND storage = $1 AND tried_at >= $2) \
             ORDER BY scan_id LIMIT 1 {lock}"
        );
        let mut tx = self.begin().await?;
        let chosen = sql!(AssertSqlSafe(sql), [storage, tried_before]).fetch_optional(&mut *tx).await?;
        let Some(chosen) = chosen else {
            tx.rollback().await?;
            return Ok(None);
        };
        let scan_id: ScanId = rows::parsed(&chosen, "scan_id")?;
        let bytes: Vec<u8> = chosen.try_get("bytes")?;
        let query = scalar!(
            "UPDATE photo_object SET tried_at = $3 WHERE object_key = \
                 (SELECT MIN(object_key) FROM photo_object \
                  WHERE scan_id = $1 AND storage = $2 AND tried_at < $4) RETURNING object_key",
            // The selection may not have seen that another server has just chosen it: under that one's name it could
            // be written after it was deleted.
            [scan_id, storage, now, tried_before]
        );
        let key = if let Some(key) = query.fetch_optional(&mut *tx).await? {
            key
        } else {
            let query = sql!(
                "INSERT INTO photo_object (object_key, scan_id, size, storage, n_bytes, tried_at) \
                 VALUES ($1, $2, $3, $4, $5, $6)",
                [
                    new_key,
                    scan_id,
                    PhotoSize::Full,
                    storage,
                    i64::try_from(bytes.len()).unwrap_or(i64::MAX),
                    now
                ]
            );
            query.execute(&mut *tx).await?;
            new_key.to_owned()
        };
        tx.commit().await?;
        Ok(Some(PhotoToMove { scan_id, key, bytes }))
    }

    /// Replaces the bytes of a photograph by its object, which is completely written. Returns `false` if the photograph
    /// was deleted or moved meanwhile: the object is then deleted like any other without a scan.
    pub async fn finish_moving_photo(&self, scan_id: ScanId, key: &str) -> Result<bool, Error> {
        retried(|| async {
            let mut tx = self.begin().await?;
            // First the photograph, as a deletion does: see the order of locks.
            let query = sql!(
                "UPDATE scan_photo SET bytes = $3, is_outside = 1 \
                 WHERE scan_id = $1 AND size = $2 AND is_outside = 0",
                [scan_id, PhotoSize::Full, Vec::<u8>::new()]
            );
            let n_emptied = query.execute(&mut *tx).await?.rows_affected();
            let query = sql!(
                "UPDATE photo_object SET is_stored = 1 WHERE object_key = $2 AND scan_id = $1",
                [scan_id, key]
            );
            let n_stored = query.execute(&mut *tx).await?.rows_affected();
            if n_emptied + n_stored < 2 {
                tx.rollback().await?;
                return Ok(false);
            }
            // Of earlier attempts, with another storage or of another server.
            let query = sql!(
                "UPDATE photo_object SET scan_id = NULL, size = NULL WHERE scan_id = $1 AND object_key <> $2",
                [scan_id, key]
            );
            query.execute(&mut *tx).await?;
            tx.commit().await?;
            Ok(true)
        })
        .await
    }

    /// The folders and buckets in which objects may be deleted now. One that may still be being written is left until
    /// its attempt began before `tried_before`.
    pub async fn list_storages_to_tidy(&self, tried_before: Timestamp) -> Result<Vec<String>, Error> {
        let query = sql!(
            "SELECT DISTINCT storage FROM photo_object \
             WHERE scan_id IS NULL AND (is_stored = 1 OR tried_at < $1) ORDER BY storage",
            [self.database_time(tried_before)]
        );
        self.list(query, |row| Ok(row.try_get("storage")?)).await
    }

    /// The names of up to `limit` objects of a storage that may be deleted now.
    pub async fn list_photo_objects_to_delete(
        &self,
        storage: &str,
        tried_before: Timestamp,
        limit: u32,
    ) -> Result<Vec<String>, Error> {
        let query = sql!(
            "SELECT object_key FROM photo_object \
             WHERE scan_id IS NULL AND storage = $1 AND (is_stored = 1 OR tried_at < $2) \
             ORDER BY tried_at, object_key LIMIT $3",
            [storage, self.database_time(tried_before), limit]
        );
        self.list(query, |row| Ok(row.try_get("object_key")?)).await
    }

    /// Removes the row of an object that is deleted.
    pub async fn forget_photo_object(&self, key: &str) -> Result<(), Error> {
        self.write(sql!("DELETE FROM photo_object WHERE object_key = $1 AND scan_id IS NULL", [key])).await?;
        Ok(())
    }
}

fn kept_photo(row: &AnyRow, size: PhotoSize) -> Result<KeptPhoto, Error> {
    let media_type: String = row.try_get("media_type")?;
    if !rows::flag(row, "is_outside")? {
        return Ok(KeptPhoto::Here(ScanPhoto { size, media_type, bytes: row.try_get("bytes")? }));
    }
    let storage: Option<String> = row.try_get("storage")?;
    let key: Option<String> = row.try_get("object_key")?;
    let (Some(storage), Some(key)) = (storage, key) else {
        return Err(rows::corrupt("is_outside", &"no object stands for the photograph"));
    };
    Ok(KeptPhoto::Outside {
        media_type,
        object: PhotoObject { storage, key, n_bytes: rows::count(row, "n_bytes")? },
    })
}
