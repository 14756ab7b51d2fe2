//! Photographs that arrive for a batch, each stored before the next is read.

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

/// Photographs on their way into one batch.
#[derive(Debug)]
pub struct BatchUpload<'b> {
    batches: &'b Batches,
    user: &'b User,
    batch_id: BatchId,
    /// Photographs and bytes that there is room for.
    n_left: u64,
    bytes_left: u64,
    n_seen_before: u64,
}

/// What came of many files that came as one: of a zip, or of a folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct AddedFiles {
    /// New photographs.
    pub n_added: u64,
    /// Photographs that were there by their key.
    pub n_known: u64,
    /// Photographs with the bytes of another one.
    pub n_duplicates: u64,
    /// Files that are no photographs by their name, or cannot be read.
    pub n_left_out: u64,
}

impl AddedFiles {
    pub(super) fn count(&mut self, added: ItemAdded) {
        match added {
            ItemAdded::Duplicate(..) => self.n_duplicates += 1,
            ItemAdded::Known(_) => self.n_known += 1,
            // `add` turns a closed batch into an error before anything is counted.
            ItemAdded::New(_) | ItemAdded::Closed => self.n_added += 1,
        }
    }
}

impl Batches {
    /// Begins to take photographs for a batch.
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
        // Counted once and lowered here: two uploads into one batch at a time can each use the same room.
        Ok(BatchUpload {
            batches: self,
            user,
            batch_id: id,
            n_left: MAX_BATCH_PHOTOS.saturating_sub(batch.counts.total()),
            bytes_left: quota.saturating_sub(kept),
            n_seen_before: 0,
        })
    }

    /// Refuses a zip of so many bytes that could not be kept even by an account that keeps nothing yet.
    ///
    /// # Errors
    /// [`Error::QuotaReached`].
    pub fn check_zip(&self, user: &User, n_bytes: u64) -> Result<()> {
        let (quota, plan) = (Quota::PictureBytes, self.accounts.effective_plan(user));
        if n_bytes > quota.limit(plan) { Err(Error::QuotaReached { quota, plan }) } else { Ok(()) }
    }

    /// A file without a name for a zip that arrives; it goes when it is closed.
    ///
    /// # Errors
    /// [`Error::Internal`] when none can be made.
    pub fn temporary_file(&self) -> Result<File> {
        tempfile::tempfile().map_err(Error::internal)
    }
}

impl BatchUpload<'_> {
    /// Stores one photograph; sent again by its key, it is the same item. Gives the key that the item has: another
    /// photograph of the same key gets one of its own, and characters that no name holds are left out.
    ///
    /// A file that can be no photograph becomes an item that says so, so that nothing goes missing without a word.
    ///
    /// # Errors
    /// [`Error::Invalid`] for its key or a full batch, [`Error::QuotaReached`], [`Error::Conflict`] where the batch was
    /// cancelled meanwhile.
    pub async fn add(&mut self, key: &str, name: &str, bytes: Vec<u8>) -> Result<(ItemAdded, String)> {
        let wanted = kept_item_name(key);
        // Of the text as it came: a key that is too long does not become another one.
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
        // Too large is a state of the item, not an error of the upload: the files behind it still come in.
        let refusal = (bytes.len() > limit).then(|| {
            let error = PhotoError::TooManyBytes { size_bytes: bytes.len(), limit_bytes: limit };
            sentence(&error.to_string())
        });
        // Hashing some megabytes takes milliseconds, for which this thread could answer others.
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
            // EXIF states a time of day without a zone, so it is one without a zone here too.
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
                // What is refused keeps no bytes, only its item.
                self.bytes_left -= if refusal.is_none() { size } else { 0 };
                self.batches.work_came.notify_one();
            }
            ItemAdded::Duplicate(..) => self.n_left -= 1,
            ItemAdded::Known(_) => {}
            ItemAdded::Closed => return Err(self.closed().await),
        }
        Ok((added, key))
    }

    /// Stores the photographs of a zip, each under its path in it as its key. The whole directory of the zip is checked
    /// before anything is stored.
    ///
    /// # Errors
    /// [`Error::Invalid`] for a zip that is refused, which names the entry, and those of [`add`](Self::add).
    pub async fn add_zip(&mut self, file: File) -> Result<AddedFiles> {
        // One is unpacked while the one before it is stored.
        let (sender, mut entries) = mpsc::channel(1);
        let max_photo_bytes = self.batches.max_photo_bytes;
        let reading = tokio::task::spawn_blocking(move || {
            read_entries(file, max_photo_bytes, ZipUse::Batch, |entry| sender.blocking_send(entry).is_ok())
        });
        let mut report = AddedFiles::default();
        while let Some(ZipEntry { path, bytes }) = entries.recv().await {
            let name = path.rsplit('/').next().unwrap_or(&path);
            // An error ends this loop, which closes the channel, which ends the thread that reads.
            report.count(self.add(&path, name, bytes).await?.0);
        }
        // Last, because what was read before a damaged entry is in the batch; the sentence for it says so.
        report.n_left_out = reading.await.map_err(Error::internal)??;
        Ok(report)
    }

    /// New photographs so far whose bytes are in another batch of the account as well: they are taken all the same.
    pub fn n_seen_before(&self) -> u64 {
        self.n_seen_before
    }

    pub(super) fn batch_dir(&self) -> Option<&Path> {
        self.batches.batch_dir.as_deref()
    }

    pub(super) fn max_photo_bytes(&self) -> usize {
        self.batches.max_photo_bytes
    }

    /// Why the batch takes nothing any more: it was cancelled, or deleted.
    async fn closed(&self) -> Error {
        match self.batches.get(self.user, self.batch_id).await {
            Ok(_) => Error::Conflict { field: "batch", message: messages::BATCH_CANCELLED },
            Err(Error::NotFound { .. }) => Error::NotFound { entity: Entity::Batch },
            Err(error) => error,
        }
    }
}
