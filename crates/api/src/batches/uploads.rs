//! Uploads of photographs into a batch: each photograph is stored as soon as it has arrived, so that an upload that
//! breaks off loses only the last one.

use std::time::Duration;

use axum::Json;
use axum::extract::multipart::{Field, Multipart};
use axum::extract::{FromRequest, Request, State};
use partsight_app::{AddedFiles, App, Caller, Error, ItemAdded};
use partsight_domain::{BatchId, InvalidInput, User, messages};
use serde::{Deserialize, Serialize};
use tokio::time::timeout;
use utoipa::ToSchema;

use crate::body_limit::BodyLimit;
use crate::caller::FromCaller;
use crate::extract::{JsonBody, PathSegment, SignedIn};
use crate::forms::{
    TEXT_FIELD_LIMIT, file_name, next_chunk, next_field, or_drained, read_field, skip_field, unknown_field,
    within, write_field,
};
use crate::ids::batch_id;
use crate::sender::Sender;
use crate::uploads::BatchMemory;
use crate::{ApiError, ApiState, problems};

/// Largest form in bytes: a zip, or photographs of that size.
pub(crate) const MAX_FORM_BYTES: usize = 2 * 1024 * 1024 * 1024;
/// Time limit of an upload, so that it does not block its place for others: 2 GB at 19 Mbit/s. Photographs that have
/// arrived by then are in the batch.
const UPLOAD_LIMIT: Duration = Duration::from_mins(15);
/// How long an arriving photograph waits for memory before its upload is refused.
const MEMORY_WAIT: Duration = Duration::from_secs(10);
/// How long a zip or a folder waits for memory: less than the time limit of its upload, whose error would wrongly
/// report a stalled connection.
const UNPACKING_WAIT: Duration = Duration::from_mins(10);
/// Photographs of a zip in memory at a time: one is unpacked, one waits, and one is stored.
pub(crate) const UNPACKED_AT_A_TIME: usize = 3;

/// Form to add photographs. Keys and photographs alternate: each `key` is directly followed by its `photo`.
#[derive(Debug, ToSchema)]
#[expect(dead_code, reason = "describes the form in the OpenAPI document; the handler reads a stream")]
pub(crate) struct BatchPhotosForm {
    /// A key of your choice for the photograph that directly follows it in the form, so that a repeated upload is
    /// recognised. By default its file name. A key that is followed by another one, by a zip or by nothing is refused.
    #[schema(example = json!(["shelf 7/IMG_0042.jpg"]))]
    key: Option<Vec<String>>,
    /// The photographs, each in a field of this name, directly after its `key`. Absent if a `zip` is sent.
    #[schema(required = false, value_type = Vec<String>, format = Binary)]
    photo: Vec<Vec<u8>>,
    /// A zip with photographs, instead of `photo`: at most 2 GB and 100,000 entries. The key of each photograph is its
    /// path.
    #[schema(value_type = Option<String>, format = Binary)]
    zip: Option<Vec<u8>>,
}

/// The result of an upload.
#[derive(Debug, Default, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct BatchUploadReport {
    /// The photographs that were sent one by one, in the order of the form.
    photos: Vec<UploadedPhoto>,
    /// New photographs.
    added: u64,
    /// Photographs whose key was already in the batch.
    known: u64,
    /// New photographs with the same bytes as another one of the batch, which are not scanned again.
    duplicates: u64,
    /// New photographs whose bytes are also in another of your batches: perhaps this batch was sent twice.
    seen_before: u64,
    /// Files of a zip or folder whose names are not those of photographs, and files of a folder that cannot be read.
    left_out: u64,
}

/// The result for one photograph.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct UploadedPhoto {
    key: String,
    /// The id of the item.
    id: String,
    outcome: UploadOutcome,
    /// The id of the item with the same bytes, if it is a duplicate.
    #[schema(required)]
    duplicate_of: Option<String>,
}

/// Whether a photograph is new, has a known key, or has the same bytes as another one.
#[derive(Debug, Clone, Copy, Serialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum UploadOutcome {
    Added,
    Known,
    Duplicate,
}

impl BatchUploadReport {
    fn count(&mut self, key: String, added: ItemAdded) {
        let (id, outcome, duplicate_of) = match added {
            ItemAdded::New(id) => (id, UploadOutcome::Added, None),
            ItemAdded::Known(id) => (id, UploadOutcome::Known, None),
            ItemAdded::Duplicate(id, original) => (id, UploadOutcome::Duplicate, Some(original)),
            // The upload has answered with an error by then.
            ItemAdded::Closed => return,
        };
        match outcome {
            UploadOutcome::Added => self.added += 1,
            UploadOutcome::Known => self.known += 1,
            UploadOutcome::Duplicate => self.duplicates += 1,
        }
        let duplicate_of = duplicate_of.map(|id| id.to_string());
        self.photos.push(UploadedPhoto { key, id: id.to_string(), outcome, duplicate_of });
    }

    fn count_files(&mut self, files: AddedFiles) {
        self.added += files.n_added;
        self.known += files.n_known;
        self.duplicates += files.n_duplicates;
        self.left_out += files.n_left_out;
    }
}

/// Adds photographs to a batch: any number of forms, or one zip.
///
/// Keys and photographs alternate in the form. Many HTTP libraries send all texts before all files instead, unless the
/// form is given as a list of its parts in order.
///
/// Each photograph is stored as soon as it has arrived. If an upload breaks off, send it again unchanged: a photograph
/// with a known `key` is not stored twice. A file that is not a photograph becomes an item with state `failed` and a
/// reason.
#[utoipa::path(post, path = "/api/batches/{id}/photos", tag = "batches",
    params(("id" = String, Path, description = "The id of the batch.")),
    request_body(content = BatchPhotosForm, content_type = "multipart/form-data"),
    responses(
        (status = OK, body = BatchUploadReport),
        problems::Write, problems::NotFound, problems::Body,
        (status = REQUEST_TIMEOUT),
        (status = CONFLICT, description = "The batch is cancelled, or the account has reached its limit of stored photographs."),
        (status = SERVICE_UNAVAILABLE, description = "Too many uploads at the moment; `Retry-After` has the seconds to wait."),
    ))]
pub(crate) async fn add_batch_photos(
    State(state): State<ApiState>,
    sender: Sender,
    FromCaller(caller): FromCaller,
    PathSegment(id): PathSegment,
    request: Request,
) -> Result<Json<BatchUploadReport>, ApiError> {
    let id = batch_id(&id)?;
    let limit = BodyLimit::of(&request);
    let mut form = Multipart::from_request(request, &())
        .await
        .map_err(|_| ApiError::unsupported_media_type(messages::BATCH_FORM_NEEDED))?;
    let reading = async {
        // Stored photographs stay, even if a later part of the form is refused: they are recognised by their keys when
        // the form is sent again.
        let read = receive(&state, &sender, &caller, id, &mut form).await;
        or_drained(read, &mut form, limit).await
    };
    Ok(Json(within(UPLOAD_LIMIT, reading).await.map_err(ApiError::of_batch)?))
}

async fn receive(
    state: &ApiState,
    sender: &Sender,
    caller: &Caller,
    id: BatchId,
    form: &mut Multipart,
) -> Result<BatchUploadReport, ApiError> {
    let (app, user): (&App, _) = (&state.app, &sender.user);
    // Before the place is taken: an upload for a batch that does not exist must not take a place.
    let mut upload = app.batches.begin_upload(user, id).await?;
    // One photograph of this form is in memory at a time.
    let _place = state.uploads.take(user, caller)?;
    let mut report = BatchUploadReport::default();
    let mut key = None;
    let mut is_empty = true;
    let mut unknown: Option<String> = None;
    while let Some(mut field) = next_field(form).await? {
        let is_photo = matches!(field.name(), Some("photo" | "zip"));
        // Before anything of it is stored: with a misspelt `key` it would become another item when it is sent again.
        if let Some(name) = unknown.as_ref().filter(|_| is_photo) {
            return Err(unknown_field(name).into());
        }
        is_empty &= !is_photo;
        // Before anything of the next photograph is stored: it would get the key of another one.
        if key.is_some() && matches!(field.name(), Some("key" | "zip")) {
            return Err(key_without_photo().into());
        }
        match field.name() {
            Some("key") => {
                let bytes = read_field(&mut field, TEXT_FIELD_LIMIT, "The field `key`").await?;
                key = Some(String::from_utf8_lossy(&bytes).into_owned());
            }
            Some("photo") => {
                // The key applies to one photograph, so that later photographs without keys do not repeat it.
                let name = file_name(&field).unwrap_or_default();
                let mut memory = state.uploads.batch_memory(user.into());
                let bytes = read_photo(&mut field, state.max_photo_bytes, &mut memory).await?;
                let key = key.take().unwrap_or_else(|| name.clone());
                sender.check_unchanged().await?;
                let (added, key) = upload.add(&key, &name, bytes).await?;
                report.count(key, added);
            }
            Some("zip") => {
                let _file = state.uploads.take_file(user)?;
                let check = |n_bytes| app.batches.check_zip(user, n_bytes);
                let file = write_field(&mut field, app.batches.temporary_file()?, check).await?;
                // One more: while a group is stored, the photograph after it waits as well.
                let _memory = memory_for(state, user, UNPACKED_AT_A_TIME + 1).await?;
                sender.check_unchanged().await?;
                report.count_files(upload.add_zip(file).await?);
            }
            name => {
                let name = name.unwrap_or_default().to_owned();
                skip_field(&mut field).await?;
                unknown.get_or_insert(name);
            }
        }
    }
    report.seen_before = upload.n_seen_before();
    if is_empty {
        // This error says more than an unknown name, under which the photographs may have been sent.
        return Err(InvalidInput::new("photo", messages::BATCH_PHOTO_MISSING).into());
    }
    if let Some(name) = unknown {
        return Err(unknown_field(&name).into());
    }
    if key.is_some() {
        return Err(key_without_photo().into());
    }
    Ok(report)
}

/// Refuses a key that is not followed by its photograph: the keys of the form belong to other photographs.
fn key_without_photo() -> InvalidInput {
    InvalidInput::new("key", messages::BATCH_KEY_ORDER)
}

/// A folder on the server.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct BatchFolder {
    /// Path relative to the folder of the setting `batch_dir`; empty for that folder itself.
    #[schema(example = "monday/shelf-7")]
    path: String,
}

/// Adds the photographs in a folder on the server to a batch, if the setting `batch_dir` allows access to one.
///
/// The key of each photograph is its path. A repeated call adds only new photographs.
#[utoipa::path(post, path = "/api/batches/{id}/folder", tag = "batches", request_body = BatchFolder,
    params(("id" = String, Path, description = "The id of the batch.")),
    responses(
        (status = OK, body = BatchUploadReport),
        problems::Write, problems::NotFound, problems::Body,
        (status = CONFLICT, description = "The batch is cancelled, or the account has reached its limit of stored photographs."),
        (status = UNPROCESSABLE_ENTITY, description = "The server allows access to no folder, or this folder does not exist."),
    ))]
pub(crate) async fn add_batch_folder(
    State(state): State<ApiState>,
    SignedIn { user, .. }: SignedIn,
    FromCaller(caller): FromCaller,
    PathSegment(id): PathSegment,
    JsonBody(BatchFolder { path }): JsonBody<BatchFolder>,
) -> Result<Json<BatchUploadReport>, ApiError> {
    let mut upload = state.app.batches.begin_upload(&user, batch_id(&id)?).await?;
    let _place = state.uploads.take(&user, &caller)?;
    let mut report = BatchUploadReport::default();
    let adding = async {
        // One is read while others, together no larger, are stored.
        let _memory = memory_for(&state, &user, 2).await?;
        upload.add_folder(&path).await
    };
    let adding = timeout(UPLOAD_LIMIT, adding).await;
    let added = adding.unwrap_or_else(|_| Err(Error::TooLong));
    report.count_files(added.map_err(|error| ApiError::from(error).of_batch())?);
    report.seen_before = upload.n_seen_before();
    Ok(Json(report))
}

/// Memory for this many photographs of any size that the server itself reads. The wait may be long: its holders do not
/// depend on a client.
pub(crate) async fn memory_for<'s>(
    state: &'s ApiState,
    user: &User,
    n_photos: usize,
) -> Result<BatchMemory<'s>, Error> {
    let mut memory = state.uploads.batch_memory(user.into());
    memory.hold(state.max_photo_bytes.saturating_mul(n_photos), UNPACKING_WAIT).await?;
    Ok(memory)
}

/// All bytes of a photograph, for which `memory` is held. Of a photograph that is too large, one byte more than the
/// limit, so that it is recognised as such.
async fn read_photo(
    field: &mut Field<'_>,
    limit: usize,
    memory: &mut BatchMemory<'_>,
) -> Result<Vec<u8>, ApiError> {
    let mut bytes = Vec::new();
    while let Some(chunk) = next_chunk(field).await? {
        // A refused photograph becomes an item with the reason, so the rest of it is skipped instead of ending the
        // upload.
        let room = (limit + 1).saturating_sub(bytes.len());
        let kept = &chunk[..chunk.len().min(room)];
        memory.hold(bytes.len() + kept.len(), MEMORY_WAIT).await?;
        bytes.extend_from_slice(kept);
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use axum::body::Body;
    use partsight_app::{Person, Settings};

    use super::*;
    use crate::uploads::UploadPlaces;

    #[tokio::test]
    async fn a_photograph_holds_as_much_memory_as_has_come_of_it() {
        let uploads = UploadPlaces::new(&Settings::with(|settings| settings.photos.max_bytes = 1 << 20));
        let head = b"--xyz\r\ncontent-disposition: form-data; name=\"photo\"\r\n\r\n".as_slice();
        let body = [head, vec![7; 150_000].as_slice(), b"\r\n--xyz--\r\n"].concat();
        let request = Request::builder().header("content-type", "multipart/form-data; boundary=xyz");
        let request = request.body(Body::from(body)).unwrap();
        let mut form = Multipart::from_request(request, &()).await.unwrap();
        let mut field = next_field(&mut form).await.unwrap().unwrap();

        let mut memory = uploads.batch_memory(Person::SERVER);
        let bytes = read_photo(&mut field, 1 << 20, &mut memory).await.unwrap();
        assert_eq!((bytes.len(), uploads.n_bytes_held()), (150_000, 3 << 16));
        drop(memory);
        assert_eq!(uploads.n_bytes_held(), 0);
    }
}
