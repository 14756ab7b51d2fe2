//! The headers of a page of a list that lead to the next.

use std::fmt::Display;

use axum::http::{HeaderMap, HeaderName, HeaderValue, header::LINK};

/// Where the next page begins; absent on the last.
pub(crate) const NEXT_CURSOR: HeaderName = HeaderName::from_static("x-next-cursor");

/// `address` asks for the page that begins behind `cursor`. Both consist of what a header may hold.
pub(crate) fn headers(cursor: impl Display, address: &str) -> HeaderMap {
    let values = [(NEXT_CURSOR, cursor.to_string()), (LINK, format!("<{address}>; rel=\"next\""))];
    values.into_iter().filter_map(|(name, value)| Some((name, HeaderValue::from_str(&value).ok()?))).collect()
}
