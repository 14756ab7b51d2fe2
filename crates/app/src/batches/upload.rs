//! Upload of photographs into a batch, each stored before the next is read.

use std::fs::File;
use std::path::Path;

use jiff::civil::DateTime;
use partsight_domain::{
    BatchId, BatchItemId, ITEM_KEY_MAX_CHARS, InvalidInput, MAX_BATCH_PHOTOS, Quota, User, kept_item_name,
    messages,
};
use partsight_inference::{PhotoError, captured_at, sha256};
use partsight_store::{ItemAdded, NewBatchItem};
use tokio::sync::mpsc;
use uuid::Uuid;

use super::zip_file::{ZipEntry, ZipUse, read_entries};
use crate::batches::Batches;
use crate::error::sentence;
use crate::{Entity, Error, Result};

/// An upload into one batch.
#[derive(Debug)]
pub struct BatchUpload<'b> {
    batches: &'b Batches,
    user: &'b User,
    batch_id: BatchId,
    /// Photographs and bytes that may still be added.
    n_left: u64,
    bytes_left: u64,
    n_seen_before: u64,
}

/// Result of adding a zip or a folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct AddedFiles {
    /// New photographs.
    pub n_added: u64,
    /// Photographs whose key and content are in the batch already.
    pub n_known: u64,
    /// Photographs with the same bytes as another one.
    pub n_duplicates: u64,
    /// Files that are no photographs by their names, or cannot be read.
    pub n_left_out: u64,
}

impl AddedFiles {
    pub(super) fn count(&mut self, added: ItemAdded) {
        match added {
            ItemAdded::Duplicate(..) => self.n_duplicates += 1,
            ItemAdded::Known(_) => self.n_known += 1,
            // `add` returns an error for a closed batch, so that `Closed` is never counted.
            ItemAdded::New(_) | ItemAdded::Closed => self.n_added += 1,
        }
    }
}

impl Batches {
    /// Begins an upload into a batch.
    ///
    /// # Errors
    /// [`Error::NotFound`], [`Error::Conflict`] for a cancelled one.
    pub async fn begin_upload<'b>(&'b self, user: &'b User, id: BatchId) -> Result<BatchUpload<'b>> {
        let batch = self.get(user, id).await?;
        if batch.state.after_more_photos().is_none() {
            return Err(Error::Conflict { field: "batch", message: messages::BATCH_CANCELLED });
        }
        let quota = Quota::PictureBytes.limit(self.accounts.effective_plan(user));
        let kept = self.store.count_kept(user.tenant_id, Quota::PictureBytes).await?;
        // Counted once at the start, so that concurrent uploads into one batch may together exceed the limits.
        Ok(BatchUpload {
            batches: self,
            user,
            batch_id: id,
            n_left: MAX_BATCH_PHOTOS.saturating_sub(batch.counts.total()),
            bytes_left: quota.saturating_sub(kept),
            n_seen_before: 0,
        })
    }

    /// Refuses a zip that is larger than the account's whole quota for pictures.
    ///
    /// # Errors
    /// [`Error::QuotaReached`].
    pub fn check_zip(&self, user: &User, n_bytes: u64) -> Result<()> {
        let (quota, plan) = (Quota::PictureBytes, self.accounts.effective_plan(user));
        if n_bytes > quota.limit(plan) { Err(Error::QuotaReached { quota, plan }) } else { Ok(()) }
    }

    /// An unnamed temporary file for an uploaded zip; it is deleted when closed.
    ///
    /// # Errors
    /// [`Error::Internal`] if it cannot be created.
    pub fn temporary_file(&self) -> Result<File> {
        tempfile::tempfile().map_err(Error::internal)
    }
}

impl BatchUpload<'_> {
    /// Stores one photograph. It is idempotent: the same photograph with the same key stays one item. Also returns the
    /// key of the item, which differs from `key` if another photograph has that key, or if it has characters that are
    /// not allowed in names.
    ///
    /// A file that is too large for a photograph becomes a failed item, so that it does not go missing silently.
    ///
    /// # Errors
    /// [`Error::Invalid`] for an invalid key or a full batch, [`Error::QuotaReached`], [`Error::Conflict`] if the batch
    /// was cancelled in the meantime.
    pub async fn add(&mut self, key: &str, name: &str, bytes: Vec<u8>) -> Result<(ItemAdded, String)> {
        let wanted = kept_item_name(key);
        // The length of the original key counts: a key that is too long is not shortened.
        if wanted.is_empty() || key.chars().count() > ITEM_KEY_MAX_CHARS {
            return Err(InvalidInput::new("key", messages::BATCH_KEY).into());
        }
        if self.n_left == 0 {
            return Err(InvalidInput::new("photo", messages::BATCH_FULL).into());
        }
        let size = bytes.len() as u64;
        if size > self.bytes_left {
            let plan = self.batches.accounts.effective_plan(self.user);
            return Err(Error::QuotaReached { quota: Quota::PictureBytes, plan });
        }
        let limit = self.batches.max_photo_bytes;
        // A file that is too large becomes a failed item and no error, so that the files after it are still stored.
        let refusal = (bytes.len() > limit).then(|| {
            let error = PhotoError::TooManyBytes { size_bytes: bytes.len(), limit_bytes: limit };
            sentence(&error.to_string())
        });
        // Hashing several megabytes takes milliseconds, too long for a request thread.
        let (bytes, digest, captured_at) = tokio::task::spawn_blocking(move || {
            let (digest, captured_at) = (sha256(&bytes), captured_at(&bytes));
            (bytes, digest, captured_at)
        })
        .await
        .map_err(Error::internal)?;
        let name: String = kept_item_name(name).chars().take(ITEM_KEY_MAX_CHARS).collect();
        let new = NewBatchItem {
            id: BatchItemId(Uuid::now_v7()),
            key: &wanted,
            name: &name,
            sha256: &digest,
            // EXIF has no time zone, so neither has this.
            captured_at: captured_at.and_then(|text| DateTime::strptime("%Y:%m:%d %H:%M:%S", text).ok()),
            photo: refusal.as_deref().map_or(Ok(&bytes), Err),
        };
        let (added, key) = self
            .batches
            .store
            .add_batch_item(self.user.tenant_id, self.batch_id, &new, self.batches.clock.now())
            .await?;
        match added {
            ItemAdded::New(_) => {
                let store = &self.batches.store;
                let is_elsewhere =
                    store.is_in_other_batch(self.user.tenant_id, self.batch_id, &digest).await?;
                self.n_seen_before += u64::from(is_elsewhere);
                self.n_left -= 1;
                // A refused file is an item without bytes.
                self.bytes_left -= if refusal.is_none() { size } else { 0 };
                self.batches.work_came.notify_one();
            }
            ItemAdded::Duplicate(..) => self.n_left -= 1,
            ItemAdded::Known(_) => {}
            ItemAdded::Closed => return Err(self.closed().await),
        }
        Ok((added, key))
    }

    /// Stores the photographs of a zip; the key of each is its path in the zip. The whole directory of the zip is
    /// checked before anything is stored.
    ///
    /// # Errors
    /// [`Error::Invalid`] for a refused zip, with the offending entry; and those of [`add`](Self::add).
    pub async fn add_zip(&mut self, file: File) -> Result<AddedFiles> {
        // An entry is unpacked while the previous one is stored.
        let (sender, mut entries) = mpsc::channel(1);
        let max_photo_bytes = self.batches.max_photo_bytes;
        let reading = tokio::task::spawn_blocking(move || {
            read_entries(file, max_photo_bytes, ZipUse::Batch, |entry| sender.blocking_send(entry).is_ok())
        });
        let mut report = AddedFiles::default();
        while let Some(ZipEntry { path, bytes }) = entries.recv().await {
            let name = path.rsplit('/').next().unwrap_or(&path);
            // An error ends this loop, which closes the channel and so ends the reading thread.
            report.count(self.add(&path, name, bytes).await?.0);
        }
        // Last, because the entries before a damaged one are stored, as its error message says.
        report.n_left_out = reading.await.map_err(Error::internal)??;
        Ok(report)
    }

    /// New photographs so far whose bytes are also in another batch of the account; they are stored nevertheless.
    pub fn n_seen_before(&self) -> u64 {
        self.n_seen_before
    }

    pub(super) fn batch_dir(&self) -> Option<&Path> {
        self.batches.batch_dir.as_deref()
    }

    pub(super) fn max_photo_bytes(&self) -> usize {
        self.batches.max_photo_bytes
    }

    /// The error for a batch that is closed: it was cancelled or deleted.
    async fn closed(&self) -> Error {
        match self.batches.get(self.user, self.batch_id).await {
            Ok(_) => Error::Conflict { field: "batch", message: messages::BATCH_CANCELLED },
            Err(Error::NotFound { .. }) => Error::NotFound { entity: Entity::Batch },
            Err(error) => error,
        }
    }
}
