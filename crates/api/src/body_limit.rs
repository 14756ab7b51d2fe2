//! How large the body of a call may be, kept with the request so that a refusal can say it.

use axum::Extension;
use axum::extract::{DefaultBodyLimit, Request};
use partsight_domain::messages;

use crate::ApiError;

/// Largest body of a call that takes no photograph, in bytes.
pub(crate) const MAX_BODY_BYTES: usize = 256 * 1024;

/// The most bytes that the body of a request may have.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BodyLimit(usize);

/// Limits the bodies of calls, in place of a limit that is further out.
pub(crate) fn body_limit(max_bytes: usize) -> (DefaultBodyLimit, Extension<BodyLimit>) {
    (DefaultBodyLimit::max(max_bytes), Extension(BodyLimit(max_bytes)))
}

impl BodyLimit {
    /// The one that `request` came through.
    pub(crate) fn of(request: &Request) -> Self {
        request.extensions().get().copied().unwrap_or(Self(MAX_BODY_BYTES))
    }

    /// As people read it: whole megabytes, where there are any. What stands around the fields of a form takes some
    /// kilobytes, which nobody counts.
    pub(crate) fn text(self) -> String {
        const MEGABYTE: usize = 1024 * 1024;
        size_text(if self.0 < MEGABYTE { self.0 } else { self.0 - self.0 % MEGABYTE })
    }

    pub(crate) fn exceeded(self) -> ApiError {
        body_too_large(self.0)
    }
}

/// Refuses a body with more bytes than these.
pub(crate) fn body_too_large(max_bytes: usize) -> ApiError {
    ApiError::too_large(messages::BODY_TOO_LARGE.replace("{limit}", &size_text(max_bytes)))
}

/// `bytes` for people: `2 GB` where it is whole gigabytes of 1,073,741,824 bytes, and so with `25 MB` and `256 KB`.
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
