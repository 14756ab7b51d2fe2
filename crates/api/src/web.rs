//! The built web app, embedded in the program.

use axum::http::header::{ALLOW, CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE};
use axum::http::{HeaderValue, Method, StatusCode, Uri};
use axum::response::{Html, IntoResponse, Response};
use partsight_domain::messages;
use rust_embed::RustEmbed;

use crate::ApiError;

/// The output of the web build; empty when the program was built without it.
#[derive(RustEmbed)]
#[folder = "../../web/dist"]
#[allow_missing = true]
struct WebApp;

const INDEX: &str = "index.html";
/// Files under this folder carry a hash of their content in their name.
const HASHED_ASSETS: &str = "assets/";

/// The page that shows the payment provider's card fields.
pub(crate) const CHECKOUT_PATH: &str = "/subscribe";

/// What the checkout may load beyond other pages: the card fields are frames of the payment provider, put there by
/// its script, which has to come from there (<https://docs.stripe.com/security/guide#content-security-policy>).
const CHECKOUT_POLICY: &str = "default-src 'self'; \
     script-src 'self' https://js.stripe.com https://*.js.stripe.com; \
     frame-src https://js.stripe.com https://*.js.stripe.com https://hooks.stripe.com; \
     connect-src 'self' https://api.stripe.com; img-src 'self' blob: data: https://*.stripe.com; \
     style-src 'self' 'unsafe-inline'; object-src 'none'; base-uri 'none'; form-action 'self'; \
     frame-ancestors 'none'";

/// The front page of the web app as the checkout. A server without payments has no such page: there it is one
/// like any other, and no policy names the payment provider.
pub(crate) async fn serve_checkout(method: Method, uri: Uri) -> Response {
    let mut response = serve_web_app(method, uri).await;
    response.headers_mut().insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static(CHECKOUT_POLICY));
    response
}

/// A file of the web app, or its front page for any path that the app's own router knows or refuses.
pub(crate) async fn serve_web_app(method: Method, uri: Uri) -> Response {
    let path = uri.path().trim_start_matches('/');
    if path == "api" || path.starts_with("api/") {
        return ApiError::not_found(messages::CALL_NOT_FOUND).into_response();
    }
    if method != Method::GET && method != Method::HEAD {
        return ([(ALLOW, "GET,HEAD")], ApiError::method_not_allowed()).into_response();
    }
    if let Some(file) = WebApp::get(path) {
        let cache =
            if path.starts_with(HASHED_ASSETS) { "public, max-age=31536000, immutable" } else { "no-cache" };
        let media_type = file.metadata.mimetype().to_owned();
        return ([(CONTENT_TYPE, media_type), (CACHE_CONTROL, cache.to_owned())], file.data).into_response();
    }
    // An old page asking for a file of an earlier build must not get HTML as a script.
    if path.starts_with(HASHED_ASSETS) {
        return StatusCode::NOT_FOUND.into_response();
    }
    match WebApp::get(INDEX) {
        Some(index) => {
            ([(CONTENT_TYPE, "text/html; charset=utf-8"), (CACHE_CONTROL, "no-cache")], index.data)
                .into_response()
        }
        None => (StatusCode::NOT_FOUND, Html(NOT_BUILT)).into_response(),
    }
}

const NOT_BUILT: &str = "<!doctype html><title>Partsight</title><p>This program was built without the web app. \
     Run <code>make build</code> to build both. The calls under <code>/api</code> work.</p>";
