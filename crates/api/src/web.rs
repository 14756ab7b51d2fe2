//! The built web app, embedded in the program.

use axum::http::header::{ALLOW, CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE};
use axum::http::{HeaderValue, Method, StatusCode, Uri};
use axum::response::{Html, IntoResponse, Response};
use partsight_domain::messages;
use rust_embed::RustEmbed;

use crate::ApiError;

/// The output of the web build; empty if the program was built without it.
#[derive(RustEmbed)]
#[folder = "../../web/dist"]
#[allow_missing = true]
struct WebApp;

const INDEX: &str = "index.html";
/// Files in this folder have a hash of their content in their name.
const HASHED_ASSETS: &str = "assets/";

/// The page that shows the payment provider's card fields.
pub(crate) const CHECKOUT_PATH: &str = "/subscribe";

/// What the checkout may load in addition to other pages: the card fields are frames of the payment provider,
/// inserted by its script, which must be loaded from its site
/// (<https://docs.stripe.com/security/guide#content-security-policy>).
const CHECKOUT_POLICY: &str = "default-src 'self'; \
     script-src 'self' https://js.stripe.com https://*.js.stripe.com; \
     frame-src https://js.stripe.com https://*.js.stripe.com https://hooks.stripe.com; \
     connect-src 'self' https://api.stripe.com; img-src 'self' blob: data: https://*.stripe.com; \
     style-src 'self' 'unsafe-inline'; object-src 'none'; base-uri 'none'; form-action 'self'; \
     frame-ancestors 'none'";

/// Serves the index page with the policy of the checkout. A server without payments has no such route, and none of
/// its policies names the payment provider.
pub(crate) async fn serve_checkout(method: Method, uri: Uri) -> Response {
    let mut response = serve_web_app(method, uri).await;
    response.headers_mut().insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static(CHECKOUT_POLICY));
    response
}

/// The pages of the web app, as its router lists them in `web/src/config/paths.ts`; a test compares the two.
const PAGES: [&str; 33] = [
    "/",
    "/vehicle",
    "/history",
    "/pricing",
    "/profile",
    "/subscribe",
    "/manage-subscription",
    "/contact",
    "/privacy",
    "/terms",
    "/parts",
    "/parts/:category",
    "/shop",
    "/shop/taught",
    "/shop/taught/:id",
    "/shop/photo-check",
    "/shop/parts",
    "/shop/price-lists",
    "/shop/cross-references",
    "/shop/team",
    "/shop/accuracy",
    "/shop/api-keys",
    "/shop/webhooks",
    "/shop/usage",
    "/shop/exports",
    "/unsubscribe",
    "/bench",
    "/batches",
    "/batches/past",
    "/batches/:id",
    "/batches/:id/sheet",
    "/shop/grades",
    "/carquery-test",
];

/// Former addresses of pages, as `movedPaths` lists them there. The router redirects from them.
const MOVED_PAGES: [&str; 5] = ["/catalog", "/catalog/:id", "/catalog-doctor", "/shop-parts", "/price-lists"];

/// Whether the web app has a page at `path`. Like its router, ignores case and a slash at the end.
fn is_page(path: &str) -> bool {
    let path = path.strip_suffix('/').unwrap_or(path);
    PAGES.iter().chain(&MOVED_PAGES).any(|page| {
        let patterns = page.trim_end_matches('/').split('/');
        path.split('/').count() == patterns.clone().count()
            && path.split('/').zip(patterns).all(|(segment, pattern)| match pattern.strip_prefix(':') {
                Some(_) => !segment.is_empty(),
                None => segment.eq_ignore_ascii_case(pattern),
            })
    })
}

/// Serves a file of the web app, or else its index page, whose router shows the page or a message that there is
/// none. In the latter case the status is 404.
pub(crate) async fn serve_web_app(method: Method, uri: Uri) -> Response {
    let path = uri.path().trim_start_matches('/');
    // A mistyped call must not get a page with status 200.
    if path == "api" || path.starts_with("api/") {
        return ApiError::not_found(messages::CALL_NOT_FOUND).into_response();
    }
    if method != Method::GET && method != Method::HEAD {
        return ([(ALLOW, "GET,HEAD")], ApiError::method_not_allowed()).into_response();
    }
    if let Some(file) = WebApp::get(path) {
        let cache =
            // `no-cache` means to revalidate, not to store nothing: a new version is seen at once.
            if path.starts_with(HASHED_ASSETS) { "public, max-age=31536000, immutable" } else { "no-cache" };
        let media_type = file.metadata.mimetype().to_owned();
        return ([(CONTENT_TYPE, media_type), (CACHE_CONTROL, cache.to_owned())], file.data).into_response();
    }
    let is_page = is_page(uri.path());
    // For a missing file: an old page that requests a file of an earlier build must not get HTML as a script.
    let is_named_like_a_file = path.rsplit('/').next().is_some_and(|name| name.contains('.'));
    if path.starts_with(HASHED_ASSETS) || (is_named_like_a_file && !is_page) {
        return StatusCode::NOT_FOUND.into_response();
    }
    let status = if is_page { StatusCode::OK } else { StatusCode::NOT_FOUND };
    match WebApp::get(INDEX) {
        Some(index) => {
            let headers = [(CONTENT_TYPE, "text/html; charset=utf-8"), (CACHE_CONTROL, "no-cache")];
            (status, headers, index.data).into_response()
        }
        None => (StatusCode::NOT_FOUND, Html(NOT_BUILT)).into_response(),
    }
}

const NOT_BUILT: &str = "<!doctype html><title>Partsight</title><p>This program was built without the web app. \
     Run <code>make build</code> to build both. The calls under <code>/api</code> work.</p>";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pages_are_those_of_the_web_app() {
        let file = include_str!("../../../web/src/config/paths.ts");
        let listed = |start: &str| -> Vec<&str> {
            let list = file.split(start).nth(1).unwrap().split("} as const").next().unwrap();
            list.split('\'').skip(1).step_by(2).collect()
        };
        assert_eq!(listed("export const paths = {"), PAGES);
        assert_eq!(listed("export const movedPaths = {"), MOVED_PAGES);
    }

    #[test]
    fn a_path_is_a_page_where_the_router_finds_one() {
        for (path, expected) in [
            ("/", true),
            ("/history", true),
            ("/History/", true),
            ("/parts/brake", true),
            ("/parts/", true),
            ("/shop/taught/my.part", true),
            ("/catalog/my.part", true),
            ("/parts/brake/rotor", false),
            ("/parts//", false),
            ("/vehicles", false),
            ("/:category", false),
            ("", true),
        ] {
            assert_eq!(is_page(path), expected, "{path}");
        }
    }
}
