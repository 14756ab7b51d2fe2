//! The size limit of a call's body, kept with the request so that a refusal can state it.

use axum::Extension;
use axum::extract::{DefaultBodyLimit, Request};
use partsight_domain::messages;

use crate::ApiError;

/// Largest body of a call without photographs, in bytes.
pub(crate) const MAX_BODY_BYTES: usize = 256 * 1024;

/// The most bytes that the body of a request may have.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BodyLimit(usize);

/// Sets the body limit of calls, which overrides that of outer layers.
pub(crate) fn body_limit(max_bytes: usize) -> (DefaultBodyLimit, Extension<BodyLimit>) {
    (DefaultBodyLimit::max(max_bytes), Extension(BodyLimit(max_bytes)))
}

impl BodyLimit {
    /// The limit that applies to `request`.
    pub(crate) fn of(request: &Request) -> Self {
        request.extensions().get().copied().unwrap_or(Self(MAX_BODY_BYTES))
    }

    /// For people: rounded down to whole megabytes if it is at least one. The limit of a form has some kilobytes
    /// more for what surrounds its fields.
    pub(crate) fn text(self) -> String {
        const MEGABYTE: usize = 1024 * 1024;
        size_text(if self.0 < MEGABYTE { self.0 } else { self.0 - self.0 % MEGABYTE })
    }

    pub(crate) fn exceeded(self) -> ApiError {
        body_too_large(self.0)
    }
}

/// Refuses a body that is larger than `max_bytes`.
pub(crate) fn body_too_large(max_bytes: usize) -> ApiError {
    ApiError::too_large(messages::BODY_TOO_LARGE.replace("{limit}", &size_text(max_bytes)))
}

/// `bytes` for people: `2 GB` for whole gigabytes (1,073,741,824 bytes), likewise `25 MB` and `256 KB`, otherwise
/// in bytes.
pub(crate) fn size_text(bytes: usize) -> String {
    const KILOBYTE: usize = 1024;
    const MEGABYTE: usize = 1024 * KILOBYTE;
    const GIGABYTE: usize = 1024 * MEGABYTE;
    if bytes >= GIGABYTE && bytes.is_multiple_of(GIGABYTE) {
        format!("{} GB", bytes / GIGABYTE)
    } else if bytes >= MEGABYTE && bytes.is_multiple_of(MEGABYTE) {
        format!("{} MB", bytes / MEGABYTE)
    } else if bytes >= KILOBYTE && bytes.is_multiple_of(KILOBYTE) {
        format!("{} KB", bytes / KILOBYTE)
    } else {
        format!("{bytes} bytes")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_read_as_people_say_them() {
        assert_eq!(size_text(2 * 1024 * 1024 * 1024), "2 GB");
        assert_eq!(size_text(25 * 1024 * 1024), "25 MB");
        assert_eq!(size_text(256 * 1024), "256 KB");
        assert_eq!(size_text(1000), "1000 bytes");
    }
}
