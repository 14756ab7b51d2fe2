//! How large the body of a call may be, kept with the request so that a refusal can say it.

use axum::Extension;
use axum::extract::{DefaultBodyLimit, Request};
use partsight_domain::messages;

use crate::ApiError;
use crate::forms::size_text;

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
