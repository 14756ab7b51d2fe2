//! Refuses writes that a page of another site sends with our user's cookie.

use axum::extract::{Request, State};
use axum::http::header::{HOST, ORIGIN};
use axum::http::{HeaderMap, Method};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use partsight_app::KeyCaller;

use crate::{ApiError, ApiState};

/// Where the payment provider sends its events. It is not a browser and sends no cookie: only its signature counts.
const EVENTS_PATH: &str = "/api/stripe/webhook";
/// Where a mail program unsubscribes with one click (RFC 8058), some from a page of their own. Only the secret in
/// the path counts.
const UNSUBSCRIBE_PATH: &str = "/api/reminders/unsubscribe/";

/// Allows a write only from our own pages, or from a program that is not a browser.
///
/// Browsers send `Origin` with every write, and `Sec-Fetch-Site` states the sender's relation to us. A request with
/// neither comes from a program, which has no cookie that another site could misuse.
pub(crate) async fn check_origin(State(state): State<ApiState>, request: Request, next: Next) -> Response {
    let reads = matches!(*request.method(), Method::GET | Method::HEAD | Method::OPTIONS);
    // These calls ignore cookies, so a forged request from a browser gains nothing.
    let path = request.uri().path();
    let is_signed = path == EVENTS_PATH || path.starts_with(UNSUBSCRIBE_PATH);
    // A page of another site cannot know a key, and a request with a key ignores cookies.
    let has_key = request.extensions().get::<KeyCaller>().is_some();
    if reads || is_signed || has_key || is_own_origin(request.headers(), state.public_origin.as_deref()) {
        next.run(request).await
    } else {
        ApiError::cross_origin().into_response()
    }
}

/// Whether a browser sent `headers` from one of our own pages, or a program sent them.
pub(crate) fn is_own_origin(headers: &HeaderMap, public_origin: Option<&str>) -> bool {
    let header = |name| headers.get(name).and_then(|value| value.to_str().ok());
    if let Some(origin) = header(ORIGIN.as_str()) {
        let origin = origin.to_lowercase();
        // The public address is compared first: a proxy may change `Host`.
        if public_origin == Some(origin.as_str()) {
            return true;
        }
        let origin_host = origin.split_once("://").map(|(_, host)| host);
        // The scheme is ignored: behind a proxy we are called by http and the page by https. `null`, which
        // sandboxed pages send, has no host.
        return origin_host.is_some()
            && origin_host == header(HOST.as_str()).map(str::to_lowercase).as_deref();
    }
    !matches!(header("sec-fetch-site"), Some("cross-site" | "same-site"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_our_own_pages_and_programs_may_write() {
        let cases: [(&[(&'static str, &'static str)], bool); 8] = [
            (&[("host", "localhost:8080")], true),
            (&[("host", "localhost:8080"), ("origin", "http://localhost:8080")], true),
            (&[("host", "localhost:8080"), ("origin", "http://LOCALHOST:8080")], true),
            (&[("host", "localhost:8080"), ("origin", "http://evil.example")], false),
            (&[("host", "localhost:8080"), ("origin", "null")], false),
            (&[("host", "10.0.0.5"), ("origin", "https://parts.example.com")], true),
            (&[("host", "localhost:8080"), ("sec-fetch-site", "cross-site")], false),
            (&[("host", "localhost:8080"), ("sec-fetch-site", "same-origin")], true),
        ];
        for (headers, expected) in cases {
            let map: HeaderMap = headers
                .iter()
                .map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap()))
                .collect::<HeaderMap>();
            assert_eq!(is_own_origin(&map, Some("https://parts.example.com")), expected, "{headers:?}");
        }
    }
}
