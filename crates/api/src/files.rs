//! Files that calls send and receive.

use axum::extract::rejection::BytesRejection;
use axum::http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};

use crate::ApiError;
use crate::body_limit::size_text;

/// Largest file of records for an import, in bytes.
pub(crate) const MAX_IMPORT_BYTES: usize = 5 * 1024 * 1024;
/// Largest file of parts for an import, in bytes: 100,000 rows of 100 bytes.
pub(crate) const MAX_PARTS_BYTES: usize = 10 * 1024 * 1024;

/// A response that a browser saves as a file of this name.
pub(crate) fn download(content_type: &str, name: &str, file: impl IntoResponse) -> Response {
    let disposition = format!("attachment; filename=\"{name}\"");
    ([(CONTENT_TYPE, content_type), (CONTENT_DISPOSITION, &disposition)], file).into_response()
}

/// Whether the media type is one that browsers use for CSV files; it depends on the program that opens such files.
pub(crate) fn is_csv(headers: &HeaderMap) -> bool {
    const KNOWN: [&str; 5] = [
        "text/csv",
        "text/plain",
        "text/tab-separated-values",
        "application/csv",
        "application/vnd.ms-excel",
    ];
    KNOWN.contains(&media_type(headers).as_str())
}

/// The media type of a request's body, in lower case and without parameters.
pub(crate) fn media_type(headers: &HeaderMap) -> String {
    let kind = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    kind.split(';').next().unwrap_or_default().trim().to_lowercase()
}

/// The error for an import body of at most `max_bytes` that could not be read.
pub(crate) fn too_large(rejection: &BytesRejection, max_bytes: usize) -> ApiError {
    if rejection.status() == StatusCode::PAYLOAD_TOO_LARGE {
        let most = size_text(max_bytes);
        ApiError::too_large(format!("The file is too large; please import at most {most} at a time."))
    } else {
        ApiError::upload_stalled()
    }
}
