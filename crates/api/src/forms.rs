//! Reading multipart forms within limits of size and time.

use std::fs::File;
use std::io::{self, Write as _};
use std::time::Duration;

use axum::body::Bytes;
use axum::extract::multipart::{Field, Multipart, MultipartError, MultipartRejection};
use axum::http::StatusCode;
use partsight_app::Error;
use partsight_domain::{InvalidInput, MAX_SCAN_PHOTOS, messages};
use tokio::time::timeout;

use crate::ApiError;
use crate::body_limit::{BodyLimit, size_text};
use crate::error::is_stalled;

/// A client that sends nothing for this long has gone.
const IDLE_LIMIT: Duration = Duration::from_secs(30);
/// An upload that takes longer than this keeps its place from others: 25 MB at 0.7 Mbit/s.
pub(crate) const UPLOAD_LIMIT: Duration = Duration::from_mins(5);
/// Bytes of the fields beside the photograph.
pub(crate) const TEXT_FIELD_LIMIT: usize = 16 * 1024;
/// How much of an oversize upload is read and thrown away, in multiples of the limit, so that its sender
/// gets to see the reason.
const DRAIN_FACTOR: usize = 4;

/// The most that a form with photographs may take, all fields and what stands around them, in bytes: photographs of
/// the largest size, and in the place of the last one that is too large.
pub(crate) fn max_form_bytes(max_photo_bytes: usize) -> usize {
    max_photo_bytes
        .saturating_mul(MAX_SCAN_PHOTOS - 1 + DRAIN_FACTOR)
        .saturating_add((MAX_SCAN_PHOTOS + 8) * TEXT_FIELD_LIMIT)
}

/// Browsers say what they send; anything that is said not to be a picture is refused before it is read.
pub(crate) fn check_media_type(field: &Field<'_>) -> Result<(), ApiError> {
    match field.content_type() {
        // Programs often say nothing of the type; the header of the photograph decides then.
        None | Some("application/octet-stream") => Ok(()),
        Some(media_type) if media_type.starts_with("image/") => Ok(()),
        Some(media_type) => Err(ApiError::unsupported_media_type(format!(
            "The file is of the type `{media_type}`, not a photo. Please choose a JPEG, PNG or WebP file."
        ))),
    }
}

/// What the file of a field is called, if it has a name: browsers write the three characters that would end the name in
/// a header as escapes, and leave every other `%` as it is.
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

/// Reads what is left of a form that has been refused, within the limits of the whole form, and returns how many
/// photographs that is: a client that is answered before it has sent everything sees a broken connection instead of
/// the reason.
pub(crate) async fn drain(form: &mut Multipart) -> usize {
    let mut n_photos = 0;
    while let Ok(Ok(Some(mut field))) = timeout(IDLE_LIMIT, form.next_field()).await {
        n_photos += usize::from(field.name() == Some("image"));
        // Nothing is kept. The whole form is bounded by the limit of its body and by the time of the upload.
        while let Ok(Ok(Some(_))) = timeout(IDLE_LIMIT, field.chunk()).await {}
    }
    n_photos
}

/// What was read of a form of at most `limit`. Of one that is refused the rest is read as well, so that its sender sees
/// the reason.
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

/// What `reading` an upload gives, if it takes no longer than `limit`.
pub(crate) async fn within<T>(
    limit: Duration,
    reading: impl Future<Output = Result<T, ApiError>>,
) -> Result<T, ApiError> {
    // Boxed, or it would lie in the caller's future twice.
    timeout(limit, Box::pin(reading)).await.unwrap_or_else(|_| Err(ApiError::upload_stalled()))
}

/// A further piece of a field, as it arrives.
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
            // Give the memory back at once; the rest is only counted.
            bytes = Vec::new();
            // Nobody sends so much by mistake: then the connection may break.
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

/// Reads over a field that the call does not know: one of a later version, or a photograph under a wrong name, whose
/// sender has to learn which field is missing. The form's own limits of size and time bound it.
pub(crate) async fn skip_field(field: &mut Field<'_>) -> Result<(), ApiError> {
    while next_chunk(field).await?.is_some() {}
    Ok(())
}

/// Refuses a field that the call does not know, where leaving it out would mean something else.
pub(crate) fn unknown_field(name: &str) -> InvalidInput {
    let name: String = name.chars().take(100).collect();
    InvalidInput::new("form", messages::FORM_FIELD_UNKNOWN.replace("{field}", &name))
}

/// Writes all bytes of a field into a file, as many as `check` takes.
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

/// Refuses a body that is no form with photographs of one part.
pub(crate) fn not_a_form(_: MultipartRejection) -> ApiError {
    ApiError::unsupported_media_type(messages::FORM_NEEDED)
}

fn form_error(error: &MultipartError) -> ApiError {
    if error.status() == StatusCode::PAYLOAD_TOO_LARGE {
        // The limit is named by `of_form`: a field does not know it.
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
