//! Whole photographs outside the database: moving them there, reading them, and deleting what has lost its scan.
//!
//! A scan is saved with its photograph in the database, whatever the state of the folder or bucket. Only then is the
//! photograph moved, and only once its object is completely written does its row lose the bytes. See
//! docs/decisions/0160-photographs-in-object-storage.md.

use std::collections::HashMap;
use std::convert::Infallible;
use std::future::pending;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use jiff::SignedDuration;
use partsight_domain::{PhotoSize, ScanId, ScanPhoto, TenantId};
use partsight_providers::{ObjectStorage, ObjectStorageFailure, ObjectStorageSettings, new_object_key};
use partsight_store::{KeptPhoto, PhotoObject, PhotoToMove, Store};
use tokio::time::{Instant, sleep, timeout};

use crate::clock::Clock;
use crate::limits::reads::outside;
use crate::scanning::Scanning;
use crate::{Error, Result};

/// How soon a saved photograph is moved, and the object of a deleted one deleted.
const IDLE: Duration = Duration::from_secs(2);
/// How soon a storage that failed is tried again.
const RETRY: Duration = Duration::from_secs(30);
/// Time limit of writing one object, retries included.
const WRITE_LIMIT: Duration = Duration::from_mins(3);
/// Until when an attempt to write an object has ended, even on another server and with its clock a little off. Before
/// that no other server writes the same photograph, and no object that was not finished is deleted.
const ATTEMPT: SignedDuration = SignedDuration::from_mins(10);
/// Objects that are written or deleted before it is the other's turn.
const TURN: u32 = 100;
/// How often a storage is checked that has nothing to do.
const CHECK_EVERY: Duration = Duration::from_mins(1);

/// The folder or bucket that the settings name, and those that earlier settings named.
#[derive(Debug)]
pub(crate) struct PhotoStorage {
    store: Store,
    clock: Clock,
    settings: ObjectStorageSettings,
    opened: Mutex<HashMap<String, ObjectStorage>>,
    /// Why a storage failed last; those that work have none.
    failures: Mutex<HashMap<String, String>>,
    checked: Mutex<Option<Instant>>,
}

impl PhotoStorage {
    pub(crate) fn new(store: Store, clock: Clock, settings: ObjectStorageSettings) -> Self {
        Self {
            store,
            clock,
            settings,
            opened: Mutex::default(),
            failures: Mutex::default(),
            checked: Mutex::default(),
        }
    }

    /// Whether the folder or bucket of the settings works; `None` if photographs stay in the database.
    pub(crate) fn condition(&self) -> Option<Result<(), String>> {
        let current = self.settings.effective_storage()?;
        let failures = self.failures.lock().unwrap_or_else(PoisonError::into_inner);
        Some(failures.get(current).cloned().map_or(Ok(()), Err))
    }

    /// A photograph, read from wherever it is. `None` if its object is lost.
    async fn read(&self, kept: KeptPhoto) -> Result<Option<ScanPhoto>> {
        let (media_type, PhotoObject { storage, key, n_bytes }) = match kept {
            KeptPhoto::Here(photo) => return Ok(Some(photo)),
            KeptPhoto::Outside { media_type, object } => (media_type, object),
        };
        let found = outside(async { self.open(&storage)?.get(&key).await }).await?;
        let found = self.note(&storage, found).map_err(|source| Error::PhotoStorageAway { source })?;
        match found {
            Some(bytes) if bytes.len() as u64 == n_bytes => {
                Ok(Some(ScanPhoto { size: PhotoSize::Full, media_type, bytes }))
            }
            found => {
                let n_found = found.map(|bytes| bytes.len());
                tracing::error!(
                    storage,
                    object = key,
                    n_bytes,
                    n_found,
                    "a photograph is missing in its storage"
                );
                Ok(None)
            }
        }
    }

    /// Deletes and moves what is due.
    async fn work(&self) -> Result<bool> {
        let mut is_fine = self.delete_some().await?;
        if let Some(current) = self.settings.effective_storage() {
            // First, so that no photograph is sent to a storage that is known not to take it.
            is_fine &= self.check(current).await && self.move_some(current).await?;
        }
        Ok(is_fine)
    }

    /// Deletes objects that have lost their scan. Returns whether every storage did as it should.
    async fn delete_some(&self) -> Result<bool> {
        let mut is_fine = true;
        let before = self.clock.now() - ATTEMPT;
        for storage in self.store.list_storages_to_tidy(before).await? {
            for key in self.store.list_photo_objects_to_delete(&storage, before, TURN).await? {
                let deleted = async { self.open(&storage)?.delete(&key).await }.await;
                if self.note(&storage, deleted).is_err() {
                    // The next storage may work.
                    is_fine = false;
                    break;
                }
                // Only now: a row without its object is deleted again, an object without its row never.
                self.store.forget_photo_object(&key).await?;
            }
        }
        Ok(is_fine)
    }

    /// Moves photographs out of the database. Returns whether the storage did as it should.
    async fn move_some(&self, current: &str) -> Result<bool> {
        for _ in 0..TURN {
            let (now, new_key) = (self.clock.now(), new_object_key());
            let claimed = self.store.claim_photo_to_move(current, &new_key, now, now - ATTEMPT);
            let Some(PhotoToMove { scan_id, key, bytes }) = claimed.await? else { return Ok(true) };
            let written = async {
                let written = timeout(WRITE_LIMIT, self.open(current)?.put(&key, bytes)).await;
                let reason = "it took too long".to_owned();
                written.unwrap_or(Err(ObjectStorageFailure::Away { reason }))
            };
            if self.note(current, written.await).is_err() {
                return Ok(false);
            }
            self.store.finish_moving_photo(scan_id, &key).await?;
        }
        Ok(true)
    }

    /// Checks a storage now and then, so that a failure shows before somebody needs it.
    async fn check(&self, current: &str) -> bool {
        let is_due = {
            let checked = self.checked.lock().unwrap_or_else(PoisonError::into_inner);
            checked.is_none_or(|checked| checked.elapsed() >= CHECK_EVERY)
                || self.condition().is_some_and(|ok| ok.is_err())
        };
        if !is_due {
            return true;
        }
        let found = async { self.open(current)?.check().await }.await;
        let is_fine = self.note(current, found).is_ok();
        *self.checked.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
        is_fine
    }

    fn open(&self, storage: &str) -> Result<ObjectStorage, ObjectStorageFailure> {
        let mut opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = opened.get(storage) {
            return Ok(known.clone());
        }
        let new = ObjectStorage::new(storage, &self.settings)?;
        opened.insert(storage.to_owned(), new.clone());
        Ok(new)
    }

    /// Remembers how a storage did, and logs when that changes.
    fn note<T>(
        &self,
        storage: &str,
        outcome: Result<T, ObjectStorageFailure>,
    ) -> Result<T, ObjectStorageFailure> {
        let mut failures = self.failures.lock().unwrap_or_else(PoisonError::into_inner);
        match &outcome {
            Ok(_) => {
                if failures.remove(storage).is_some() {
                    tracing::info!(storage, "the photograph storage works again");
                }
            }
            Err(failure) => {
                let reason = failure.to_string();
                if failures.insert(storage.to_owned(), reason.clone()).as_ref() != Some(&reason) {
                    tracing::error!(
                        storage,
                        reason,
                        "the photograph storage cannot be used; photographs wait in the database"
                    );
                }
            }
        }
        outcome
    }
}

impl Scanning {
    /// A kept picture of a tenant's scan, read from wherever it is.
    ///
    /// # Errors
    /// [`Error::PhotoStorageAway`].
    pub(crate) async fn kept_photo(
        &self,
        tenant_id: TenantId,
        id: ScanId,
        size: PhotoSize,
    ) -> Result<Option<ScanPhoto>> {
        match self.store.find_scan_photo(tenant_id, id, size).await? {
            Some(kept) => self.photo_storage.read(kept).await,
            None => Ok(None),
        }
    }

    /// Moves photographs into the folder or bucket of the settings, and deletes objects whose scan is gone, for as long as
    /// the server runs.
    pub async fn run_photo_storage(&self) -> Infallible {
        loop {
            let pause = match self.photo_storage.work().await {
                Ok(true) => IDLE,
                Ok(false) => RETRY,
                Err(error) if error.is_closed() => return pending().await,
                Err(error) => {
                    tracing::warn!(
                        error = &error as &dyn std::error::Error,
                        "photographs could not be moved out of the database, or their objects not deleted"
                    );
                    RETRY
                }
            };
            sleep(pause).await;
        }
    }

    /// Deletes and moves photographs once, as far as they are due.
    ///
    /// # Errors
    /// Those of the database. A storage that fails is no error.
    pub async fn tidy_photo_storage(&self) -> Result<()> {
        self.photo_storage.work().await.map(drop)
    }
}
