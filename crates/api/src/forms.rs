//! Reading multipart forms within limits of size and time.

use std::fs::File;
use std::io::{self, Write as _};
use std::time::Duration;

use axum::body::Bytes;
use axum::extract::multipart::{Field, Multipart, MultipartError, MultipartRejection};
use axum::http::StatusCode;
use partsight_app::{Error, PhotoFormat};
use partsight_domain::{InvalidInput, MAX_SCAN_PHOTOS, messages};
use tokio::time::timeout;

use crate::ApiError;
use crate::body_limit::{BodyLimit, size_text};
use crate::error::is_stalled;

/// A client that sends nothing for this long is considered disconnected.
const IDLE_LIMIT: Duration = Duration::from_secs(30);
/// Longest time for an upload, which holds a place that others need: enough for 25 MB at 0.7 Mbit/s.
pub(crate) const UPLOAD_LIMIT: Duration = Duration::from_mins(5);
/// Largest field other than a photograph, in bytes.
pub(crate) const TEXT_FIELD_LIMIT: usize = 16 * 1024;
/// How much of an oversize field is read and discarded, in multiples of its limit, so that the client receives the
/// error.
const DRAIN_FACTOR: usize = 4;

/// Largest form with photographs, in bytes: the most photographs of the largest size, the last one oversize by
/// [`DRAIN_FACTOR`], the text fields and the multipart headers.
pub(crate) fn max_form_bytes(max_photo_bytes: usize) -> usize {
    max_photo_bytes
        .saturating_mul(MAX_SCAN_PHOTOS - 1 + DRAIN_FACTOR)
        .saturating_add((MAX_SCAN_PHOTOS + 8) * TEXT_FIELD_LIMIT)
}

/// Refuses a field whose declared media type is not an image, before it is read.
pub(crate) fn check_media_type(field: &Field<'_>) -> Result<(), ApiError> {
    match field.content_type() {
        // Programs often declare no type; then the content of the photograph decides.
        None | Some("application/octet-stream") => Ok(()),
        Some(media_type) if media_type.starts_with("image/") => Ok(()),
        Some(media_type) => Err(ApiError::unsupported_media_type(format!(
            "The file is of the type `{media_type}`, not a photo. Please choose a {} file.",
            PhotoFormat::names()
        ))),
    }
}

/// The file name of a field, if it has one. Browsers escape the three characters that would end the name in a
/// header, and no other character, not even `%`.
pub(crate) fn file_name(field: &Field<'_>) -> Option<String> {
    field.file_name().map(unescaped)
}

/// Undoes the escapes of the HTML standard (multipart/form-data encoding algorithm), and no others.
fn unescaped(name: &str) -> String {
    name.replace("%22", "\"").replace("%0D", "\r").replace("%0A", "\n")
}

pub(crate) async fn next_field(form: &mut Multipart) -> Result<Option<Field<'_>>, ApiError> {
    match timeout(IDLE_LIMIT, form.next_field()).await {
        Ok(field) => field.map_err(|error| form_error(&error)),
        Err(_) => Err(ApiError::upload_stalled()),
    }
}

/// Reads the rest of a refused form, within the limits of the whole form, and returns how many photographs it has.
/// A client that is answered before it has sent everything sees a broken connection instead of the error.
pub(crate) async fn drain(form: &mut Multipart) -> usize {
    let mut n_photos = 0;
    while let Ok(Ok(Some(mut field))) = timeout(IDLE_LIMIT, form.next_field()).await {
        n_photos += usize::from(field.name() == Some("image"));
        // Nothing is stored. The body limit and the upload's time limit bound the whole form.
        while let Ok(Ok(Some(_))) = timeout(IDLE_LIMIT, field.chunk()).await {}
    }
    n_photos
}

/// Returns the result of reading a form of at most `limit`. After an error it reads the rest of the form first, so
/// that the client receives the error.
pub(crate) async fn or_drained<T>(
    read: Result<T, ApiError>,
    form: &mut Multipart,
    limit: BodyLimit,
) -> Result<T, ApiError> {
    if read.is_err() {
        drain(form).await;
    }
    read.map_err(|error| error.of_form(&limit.text()))
}

/// The result of `reading` an upload, or an error if it takes longer than `limit`.
pub(crate) async fn within<T>(
    limit: Duration,
    reading: impl Future<Output = Result<T, ApiError>>,
) -> Result<T, ApiError> {
    // Boxed, or the caller's future would contain it twice.
    timeout(limit, Box::pin(reading)).await.unwrap_or_else(|_| Err(ApiError::upload_stalled()))
}

/// The next chunk of a field.
pub(crate) async fn next_chunk(field: &mut Field<'_>) -> Result<Option<Bytes>, ApiError> {
    match timeout(IDLE_LIMIT, field.chunk()).await {
        Ok(chunk) => chunk.map_err(|error| form_error(&error)),
        Err(_) => Err(ApiError::upload_stalled()),
    }
}

/// All bytes of a field, if they are at most `limit`.
pub(crate) async fn read_field(field: &mut Field<'_>, limit: usize, what: &str) -> Result<Vec<u8>, ApiError> {
    let mut bytes = Vec::new();
    let mut size = 0_usize;
    loop {
        let Some(chunk) = next_chunk(field).await? else { break };
        size += chunk.len();
        if size <= limit {
            bytes.extend_from_slice(&chunk);
        } else {
            // Free the memory at once; the rest is only counted.
            bytes = Vec::new();
            // So much is not sent by mistake: the connection may break.
            if size > limit.saturating_mul(DRAIN_FACTOR) {
                break;
            }
        }
    }
    if size > limit {
        return Err(ApiError::too_large(format!(
            "{what} is larger than the limit of {}. Please send a smaller or more compressed one.",
            size_text(limit)
        )));
    }
    Ok(bytes)
}

/// Skips a field that the call does not know: from a later version, or a photograph under a wrong name, whose
/// sender must learn which field is missing. The form's limits of size and time bound it.
pub(crate) async fn skip_field(field: &mut Field<'_>) -> Result<(), ApiError> {
    while next_chunk(field).await?.is_some() {}
    Ok(())
}

/// Refuses an unknown field, for calls in which ignoring it would change the meaning.
pub(crate) fn unknown_field(name: &str) -> InvalidInput {
    let name: String = name.chars().take(100).collect();
    InvalidInput::new("form", messages::FORM_FIELD_UNKNOWN.replace("{field}", &name))
}

/// Writes all bytes of a field to a file. `check` is called with the size so far, in bytes, and may refuse it.
pub(crate) async fn write_field(
    field: &mut Field<'_>,
    mut file: File,
    check: impl Fn(u64) -> Result<(), Error>,
) -> Result<File, ApiError> {
    let mut n_bytes = 0;
    while let Some(chunk) = next_chunk(field).await? {
        n_bytes += chunk.len() as u64;
        check(n_bytes)?;
        let written = tokio::task::spawn_blocking(move || file.write_all(&chunk).map(|()| file)).await;
        file = written.map_err(ApiError::internal)?.map_err(|error| match error.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => ApiError::storage_full(error),
            _ => ApiError::internal(error),
        })?;
    }
    Ok(file)
}

/// Refuses a body that is not a multipart form.
pub(crate) fn not_a_form(_: MultipartRejection) -> ApiError {
    ApiError::unsupported_media_type(messages::FORM_NEEDED)
}

fn form_error(error: &MultipartError) -> ApiError {
    if error.status() == StatusCode::PAYLOAD_TOO_LARGE {
        // The limit is filled in by `of_form`: a field does not know it.
        return ApiError::too_large(messages::FORM_TOO_LARGE);
    }
    if is_stalled(error) {
        return ApiError::upload_stalled();
    }
    InvalidInput::new(
        "image",
        "The upload is incomplete or not a valid form. What had not arrived was not saved; please send it again.",
    )
    .into()
}

#[cfg(test)]
mod tests {
    use axum::Router;
    use axum::body::Body;
    use axum::extract::{FromRequest, Request};
    use axum::routing::post;
    use tower::ServiceExt;

    use super::*;
    use crate::body_limit::body_limit;

    async fn pass_over(request: Request) -> Result<(), ApiError> {
        let limit = BodyLimit::of(&request);
        let mut form = Multipart::from_request(request, &()).await.map_err(not_a_form)?;
        let read = async {
            while let Some(mut field) = next_field(&mut form).await? {
                skip_field(&mut field).await?;
            }
            Ok(())
        }
        .await;
        or_drained(read, &mut form, limit).await
    }

    #[tokio::test]
    async fn a_form_that_is_too_large_is_refused_with_its_limit() {
        let call = Router::new().route("/", post(pass_over)).layer(body_limit(1024));
        let head = b"--xyz\r\ncontent-disposition: form-data; name=\"note\"\r\n\r\n".as_slice();
        for (n_bytes, status) in [(500, StatusCode::OK), (2000, StatusCode::PAYLOAD_TOO_LARGE)] {
            let body = [head, vec![7; n_bytes].as_slice(), b"\r\n--xyz--\r\n"].concat();
            let request = Request::post("/").header("content-type", "multipart/form-data; boundary=xyz");
            let response = call.clone().oneshot(request.body(Body::from(body)).unwrap()).await.unwrap();
            assert_eq!(response.status(), status);
            let error = format!("{:?}", response.extensions().get::<ApiError>());
            assert_eq!(error.contains("larger than the 1 KB that"), n_bytes > 1024, "{error}");
        }
    }

    #[test]
    fn of_a_file_name_only_what_browsers_escape_is_unescaped() {
        assert_eq!(unescaped("16%22 rim%0D%0A.jpg"), "16\" rim\r\n.jpg");
        for name in ["100% worn.jpg", "a%20b.jpg", "a%2522.jpg", "a%0a%0d.jpg", "%2"] {
            assert_eq!(unescaped(name), name);
        }
    }
}
