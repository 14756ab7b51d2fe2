//! The check of the folder or bucket for photographs.

use partsight_domain::PhotoKeeping;
use partsight_providers::{ObjectStorage, ObjectStorageFailure};

use super::Finding;
use crate::Settings;

const CHECK: &str = "photo-storage";

/// Whether objects can be written, read and deleted; a bucket is asked only if `is_online`.
pub(super) async fn photo_storage(settings: &Settings, is_online: bool) -> Option<Finding> {
    let storage = settings.storage.effective_storage()?;
    if settings.storage.effective_endpoint().is_some() && !is_online {
        let found = format!("`{storage}` is set, not asked; add --online to see whether it answers");
        return Some(Finding::ok(CHECK, found));
    }
    let checked = async { ObjectStorage::new(storage, &settings.storage)?.check().await }.await;
    Some(match checked {
        Err(failure) => Finding::problem(CHECK, format!("`{storage}`: {failure}"), advice(&failure)),
        Ok(()) if settings.data.keep_photos != PhotoKeeping::Full => Finding::warning(
            CHECK,
            format!("`{storage}` takes objects, but no photographs are kept for it"),
            "set `keep_photos = \"full\"`, or remove `photo_storage`",
        ),
        Ok(()) => Finding::ok(CHECK, format!("`{storage}` takes objects, and gives and deletes them")),
    })
}

fn advice(failure: &ObjectStorageFailure) -> &'static str {
    match failure {
        ObjectStorageFailure::Missing => {
            "make the folder or bucket, or correct `photo_storage`; until then photographs wait in the database"
        }
        ObjectStorageFailure::Refused => {
            "let the user of the server write into the folder, or see that `s3_access_key_id`, `s3_secret_access_key` and \
             `s3_region` are right and the key may read, write, delete and list"
        }
        _ => "check `photo_storage` and `s3_endpoint`, and whether this machine may connect there",
    }
}
