//! Photographs outside the database: objects in a folder, or in a bucket by the S3 protocol.

mod bucket;
mod folder;
mod hashes;
mod settings;

use std::path::PathBuf;

use rand::RngCore as _;

use bucket::Bucket;
use folder::Folder;
use settings::BUCKET;
pub use settings::ObjectStorageSettings;

/// The object that a check writes. It stays, and holds nothing of anybody.
const CHECKED: &str = "check/partsight";
const CHECK: &[u8] = b"Partsight wrote this to see whether it may.\n";

/// A folder or a bucket that holds objects under random names.
#[derive(Debug, Clone)]
pub struct ObjectStorage(Place);

#[derive(Debug, Clone)]
enum Place {
    Folder(Folder),
    Bucket(Bucket),
}

/// Why an object was not written, read or deleted. No message contains an address or a secret.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ObjectStorageFailure {
    /// There is no such folder, or no such bucket.
    #[error("the folder or bucket is not there")]
    Missing,
    /// It refused.
    #[error("it refuses access")]
    Refused,
    /// It is a bucket, and no key for it is set.
    #[error("it is a bucket, and `s3_access_key_id` or `s3_secret_access_key` is not set")]
    NoKey,
    /// It did not answer as it should.
    #[error("it does not answer as it should: {reason}")]
    Away {
        /// What happened.
        reason: String,
    },
}

impl ObjectStorage {
    /// The folder or bucket that `storage` names as the setting `photo_storage` does.
    ///
    /// # Errors
    /// [`ObjectStorageFailure::NoKey`]. Nothing is connected yet.
    pub fn new(storage: &str, settings: &ObjectStorageSettings) -> Result<Self, ObjectStorageFailure> {
        Ok(Self(match storage.strip_prefix(BUCKET) {
            Some(place) => Place::Bucket(Bucket::new(place, settings)?),
            None => Place::Folder(Folder(PathBuf::from(storage))),
        }))
    }

    /// Writes an object, or writes it again.
    ///
    /// # Errors
    /// When it may not be stored: the storage is away, refuses, or has no room.
    pub async fn put(&self, key: &str, bytes: Vec<u8>) -> Result<(), ObjectStorageFailure> {
        match &self.0 {
            Place::Folder(folder) => folder.put(key, bytes).await,
            Place::Bucket(bucket) => bucket.put(key, bytes).await,
        }
    }

    /// An object; `None` if there is none of this name.
    ///
    /// # Errors
    /// When the storage is away or refuses.
    pub async fn get(&self, key: &str) -> Result<Option<Vec<u8>>, ObjectStorageFailure> {
        match &self.0 {
            Place::Folder(folder) => folder.get(key).await,
            Place::Bucket(bucket) => bucket.get(key).await,
        }
    }

    /// Deletes an object, if there is one of this name.
    ///
    /// # Errors
    /// When it may still be there.
    pub async fn delete(&self, key: &str) -> Result<(), ObjectStorageFailure> {
        match &self.0 {
            Place::Folder(folder) => folder.delete(key).await,
            Place::Bucket(bucket) => bucket.delete(key).await,
        }
    }

    /// Whether objects can be written, read and deleted.
    ///
    /// # Errors
    /// What cannot.
    pub async fn check(&self) -> Result<(), ObjectStorageFailure> {
        self.put(CHECKED, CHECK.to_vec()).await?;
        if self.get(CHECKED).await?.as_deref() != Some(CHECK) {
            let reason = "what was written is not what is read".to_owned();
            return Err(ObjectStorageFailure::Away { reason });
        }
        // One that does not exist, since several servers share the other one.
        self.delete(&new_object_key()).await
    }
}

/// A name for an object, of 128 random bits; the first eight are its folder, so that no folder gets too many files.
pub fn new_object_key() -> String {
    let mut random = [0; 16];
    rand::rng().fill_bytes(&mut random);
    let text = hex::encode(random);
    let (folder, name) = text.split_at(2);
    format!("{folder}/{name}")
}
