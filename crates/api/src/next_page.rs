//! The headers that lead from one page of a list to the next.

use std::fmt::Display;

use axum::http::{HeaderMap, HeaderName, HeaderValue, header::LINK};

/// The cursor of the next page; absent on the last page.
pub(crate) const NEXT_CURSOR: HeaderName = HeaderName::from_static("x-next-cursor");

/// The headers for the page after `cursor`, whose URL is `address`. Both must be valid in a header.
pub(crate) fn headers(cursor: impl Display, address: &str) -> HeaderMap {
    let values = [(NEXT_CURSOR, cursor.to_string()), (LINK, format!("<{address}>; rel=\"next\""))];
    values.into_iter().filter_map(|(name, value)| Some((name, HeaderValue::from_str(&value).ok()?))).collect()
}
