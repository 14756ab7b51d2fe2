//! Upload of photographs into a batch: a single photograph is stored before the next is read, those of a zip or a
//! folder in groups.

use std::collections::HashSet;
use std::fs::File;
use std::path::Path;

use jiff::civil::DateTime;
use partsight_domain::{
    BatchId, BatchItemId, ITEM_KEY_MAX_BYTES, ITEM_NAME_MAX_CHARS, InvalidInput, MAX_BATCH_PHOTOS, Quota,
    User, kept_item_name, messages,
};
use partsight_inference::{captured_at, sha256};
use partsight_store::{ItemAdded, NewBatchItem};
use tokio::sync::mpsc;
use uuid::Uuid;

use super::zip_file::{ZipEntry, ZipUse, read_entries};
use crate::accounts::quotas::PictureRoom;
use crate::batches::Batches;
use crate::error::sentence;
use crate::recognition::bulk::FileError;
use crate::{Entity, Error, Result};

/// Most photographs that are stored together, so that one transaction takes tens of milliseconds.
const MOST_IN_GROUP: u64 = 64;
/// Most bytes of a group, as for answers of batches; a single photograph may have more.
const GROUP_BYTES: u64 = 8 * 1024 * 1024;

/// An upload into one batch.
#[derive(Debug)]
pub struct BatchUpload<'b> {
    batches: &'b Batches,
    user: &'b User,
    batch_id: BatchId,
    /// Photographs that may still be added.
    n_left: u64,
    room: PictureRoom,
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
    fn count(&mut self, added: ItemAdded) {
        match added {
            ItemAdded::Duplicate(..) => self.n_duplicates += 1,
            ItemAdded::Known(_) => self.n_known += 1,
            // `save` returns an error for a closed batch, so that `Closed` is never counted.
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
        let room = self.accounts.picture_room(user.tenant_id, self.accounts.effective_plan(user)).await?;
        Ok(BatchUpload {
            batches: self,
            user,
            batch_id: id,
            // Counted once at the start, so that concurrent uploads into one batch may together exceed the limit.
            n_left: MAX_BATCH_PHOTOS.saturating_sub(batch.counts.total()),
            room,
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

/// Photographs that were checked and are stored together: a transaction of its own for each would wait for the disk as
/// often, and the database has one writer.
#[derive(Debug, Default)]
pub(super) struct PhotoGroup {
    photos: Vec<NewPhoto>,
    n_bytes: u64,
    /// Those of `photos` that may be new, and their bytes: they count against the limits.
    n_new: u64,
    n_new_bytes: u64,
    /// What became of those that are stored.
    pub(super) report: AddedFiles,
}

/// A photograph that was checked.
#[derive(Debug)]
struct NewPhoto {
    id: BatchItemId,
    key: String,
    name: String,
    digest: String,
    captured_at: Option<DateTime>,
    bytes: Vec<u8>,
    /// Why it becomes a failed item.
    refusal: Option<String>,
    /// Whether the batch has it already. Only looked for where a limit is reached.
    is_known: bool,
}

impl NewPhoto {
    fn item(&self) -> NewBatchItem<'_> {
        NewBatchItem {
            id: self.id,
            key: &self.key,
            name: &self.name,
            sha256: &self.digest,
            captured_at: self.captured_at,
            photo: self.refusal.as_deref().map_or(Ok(&self.bytes), Err),
        }
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
        let photo = self.prepare(key, name, bytes).await?;
        let added = self.save(&[photo]).await?.pop();
        added.ok_or_else(|| Error::internal("no answer for a photograph"))
    }

    /// Stores the photographs of a zip; the key of each is its path in the zip. The whole directory of the zip is
    /// checked before anything is stored.
    ///
    /// # Errors
    /// [`Error::Invalid`] for a refused zip, with the offending entry; and those of [`add`](Self::add).
    pub async fn add_zip(&mut self, file: File) -> Result<AddedFiles> {
        // An entry is unpacked while the previous ones are stored.
        let (sender, mut entries) = mpsc::channel(1);
        let max_photo_bytes = self.batches.max_photo_bytes;
        let reading = tokio::task::spawn_blocking(move || {
            read_entries(file, max_photo_bytes, ZipUse::Batch, |entry| sender.blocking_send(entry).is_ok())
        });
        let mut group = PhotoGroup::default();
        while let Some(ZipEntry { path, bytes }) = entries.recv().await {
            // An error ends this loop, which closes the channel and so ends the reading thread.
            self.add_to(&mut group, &path, bytes).await?;
        }
        let mut report = self.save_group(group).await?;
        // Last, because the entries before a damaged one are stored, as its error message says.
        report.n_left_out = reading.await.map_err(Error::internal)??;
        Ok(report)
    }

    /// As [`add`](Self::add), but the photograph may be stored later, with those that follow.
    pub(super) async fn add_to(&mut self, group: &mut PhotoGroup, key: &str, bytes: Vec<u8>) -> Result<()> {
        let size = bytes.len() as u64;
        let (n, n_bytes) = (group.photos.len() as u64, group.n_bytes + size);
        // Whether the limits of batch and account are reached is known only when those before are stored: the batch may
        // have some of them already.
        let may_reach_limit =
            group.n_new > 0 && (group.n_new >= self.n_left || !self.room.has(group.n_new_bytes + size));
        let is_full = n == MOST_IN_GROUP || n_bytes > GROUP_BYTES.min(self.batches.max_photo_bytes as u64);
        if is_full || may_reach_limit {
            self.save_in(group).await?;
        }
        let name = key.rsplit('/').next().unwrap_or(key);
        match self.prepare(key, name, bytes).await {
            Ok(photo) => {
                group.n_bytes += size;
                if !photo.is_known {
                    group.n_new += 1;
                    group.n_new_bytes += size;
                }
                group.photos.push(photo);
                Ok(())
            }
            Err(error) => {
                // What comes before a refused photograph is stored.
                self.save_in(group).await?;
                Err(error)
            }
        }
    }

    /// Stores what is left of a group; returns what became of all that was added to it.
    pub(super) async fn save_group(&mut self, mut group: PhotoGroup) -> Result<AddedFiles> {
        self.save_in(&mut group).await?;
        Ok(group.report)
    }

    async fn save_in(&mut self, group: &mut PhotoGroup) -> Result<()> {
        (group.n_bytes, group.n_new, group.n_new_bytes) = (0, 0, 0);
        for (added, _) in self.save(&std::mem::take(&mut group.photos)).await? {
            group.report.count(added);
        }
        Ok(())
    }

    /// Checks a photograph that is to be stored.
    ///
    /// # Errors
    /// Those of [`add`](Self::add).
    async fn prepare(&self, key: &str, name: &str, bytes: Vec<u8>) -> Result<NewPhoto> {
        let wanted = kept_item_name(key);
        // The length of the original key counts: a key that is too long is not shortened.
        if wanted.is_empty() || key.len() > ITEM_KEY_MAX_BYTES {
            return Err(InvalidInput::new("key", messages::BATCH_KEY).into());
        }
        let limit = self.batches.max_photo_bytes;
        // A file that is too large becomes a failed item and no error, so that the files after it are still stored.
        let refusal = (bytes.len() > limit).then(|| {
            // How large it is nobody knows: it was read no further than one byte beyond the limit.
            sentence(&FileError::MoreBytes { limit_bytes: limit }.to_string())
        });
        // Hashing several megabytes takes milliseconds, too long for a request thread.
        let (bytes, digest, captured_at) = tokio::task::spawn_blocking(move || {
            let (digest, captured_at) = (sha256(&bytes), captured_at(&bytes));
            (bytes, digest, captured_at)
        })
        .await
        .map_err(Error::internal)?;
        let mut photo = NewPhoto {
            id: BatchItemId(Uuid::now_v7()),
            key: wanted,
            name: kept_item_name(name).chars().take(ITEM_NAME_MAX_CHARS).collect(),
            digest,
            // EXIF has no time zone, so neither has this.
            captured_at: captured_at.and_then(|text| DateTime::strptime("%Y:%m:%d %H:%M:%S", text).ok()),
            bytes,
            refusal,
            is_known: false,
        };
        // A repeated upload of what is there already succeeds whatever the limits say.
        if let Err(error) = self.check_limits(photo.bytes.len()) {
            let store = &self.batches.store;
            photo.is_known = store.has_batch_item(self.user.tenant_id, self.batch_id, &photo.item()).await?;
            if !photo.is_known {
                return Err(error);
            }
        }
        Ok(photo)
    }

    /// # Errors
    /// [`Error::Invalid`] for a full batch, [`Error::QuotaReached`] if the account has no room for so many bytes.
    fn check_limits(&self, n_bytes: usize) -> Result<()> {
        if self.n_left == 0 {
            return Err(InvalidInput::new("photo", messages::BATCH_FULL).into());
        }
        self.room.check(n_bytes as u64)
    }

    /// Stores photographs in one transaction.
    async fn save(&mut self, photos: &[NewPhoto]) -> Result<Vec<(ItemAdded, String)>> {
        if photos.is_empty() {
            return Ok(Vec::new());
        }
        let Batches { accounts, store, clock, work_came, .. } = self.batches;
        let items: Vec<NewBatchItem<'_>> = photos.iter().map(NewPhoto::item).collect();
        let added = store.add_batch_items(self.user.tenant_id, self.batch_id, &items, clock.now()).await?;
        let (mut new, mut n_bytes) = (Vec::new(), 0);
        for (photo, (added, _)) in photos.iter().zip(&added) {
            match added {
                ItemAdded::New(_) => {
                    new.push(photo.digest.as_str());
                    self.n_left = self.n_left.saturating_sub(1);
                    // A refused file is an item without bytes.
                    n_bytes += if photo.refusal.is_none() { photo.bytes.len() as u64 } else { 0 };
                }
                ItemAdded::Duplicate(..) => self.n_left = self.n_left.saturating_sub(1),
                ItemAdded::Known(_) => {}
                ItemAdded::Closed => return Err(self.closed().await),
            }
        }
        if !new.is_empty() {
            work_came.notify_one();
            accounts.use_picture_room(&mut self.room, n_bytes).await?;
            let elsewhere = store.list_in_other_batches(self.user.tenant_id, self.batch_id, &new).await?;
            let elsewhere: HashSet<&str> = elsewhere.iter().map(String::as_str).collect();
            self.n_seen_before += new.iter().filter(|digest| elsewhere.contains(*digest)).count() as u64;
        }
        Ok(added)
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
