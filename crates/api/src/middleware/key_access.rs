//! Which calls accept API keys, and the limits of keys.

use std::collections::HashMap;
use std::sync::LazyLock;

use axum::extract::{MatchedPath, Request, State};
use axum::http::header::{AUTHORIZATION, COOKIE, WWW_AUTHENTICATE};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use partsight_app::{Error, KeyCaller, RateLimitState, SecretToken};
use partsight_domain::{ApiScope, messages};
use utoipa::openapi::path::PathItem;

use crate::{ApiError, ApiState};

/// What a key needs for a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Needs {
    /// Nothing: the call is for everybody.
    Nothing,
    /// This scope.
    Scope(ApiScope),
    /// Both of these scopes: its own, and the one for what it answers.
    Both(ApiScope, ApiScope),
}

use ApiScope::{Catalog, Events, GarageRead, GarageWrite, Scan};
use Needs::{Both, Nothing, Scope};

/// Every call that accepts an API key. All others refuse keys: accounts, companies, plans, keys, and new calls unless
/// they are added here.
const CALLS: &[(Method, &str, Needs)] = &[
    (Method::POST, "/api/identify", Scope(Scan)),
    (Method::GET, "/api/scans", Scope(Scan)),
    (Method::GET, "/api/scans/recent", Scope(Scan)),
    (Method::GET, "/api/scans/limits", Scope(Scan)),
    (Method::POST, "/api/scans/discard", Scope(Scan)),
    (Method::GET, "/api/scans/{id}", Scope(Scan)),
    (Method::GET, "/api/scans/{id}/photo", Scope(Scan)),
    (Method::GET, "/api/scans/{id}/thumbnail", Scope(Scan)),
    (Method::GET, "/api/scans/{id}/reading", Scope(Scan)),
    (Method::PUT, "/api/scans/{id}/reading", Scope(Scan)),
    (Method::GET, "/api/scans/{id}/regions", Scope(Scan)),
    (Method::PUT, "/api/scans/{id}/regions", Scope(Scan)),
    (Method::POST, "/api/scans/{id}/feedback", Scope(Scan)),
    (Method::DELETE, "/api/scans/{id}/feedback", Scope(Scan)),
    (Method::GET, "/api/export/scans.csv", Scope(Scan)),
    (Method::GET, "/api/batches", Scope(Scan)),
    (Method::POST, "/api/batches", Scope(Scan)),
    (Method::GET, "/api/batches/{id}", Scope(Scan)),
    (Method::DELETE, "/api/batches/{id}", Scope(Scan)),
    (Method::POST, "/api/batches/{id}/photos", Scope(Scan)),
    (Method::GET, "/api/batches/folders", Scope(Scan)),
    (Method::POST, "/api/batches/{id}/folder", Scope(Scan)),
    (Method::POST, "/api/batches/{id}/start", Scope(Scan)),
    (Method::POST, "/api/batches/{id}/cancel", Scope(Scan)),
    (Method::POST, "/api/batches/{id}/retry", Scope(Scan)),
    (Method::GET, "/api/batches/{id}/items", Scope(Scan)),
    (Method::GET, "/api/batches/{id}/types", Scope(Scan)),
    (Method::GET, "/api/batches/{id}/results", Scope(Scan)),
    (Method::GET, "/api/batches/{id}/events", Scope(Scan)),
    (Method::POST, "/api/batches/{id}/groups", Scope(Scan)),
    (Method::PUT, "/api/batches/{id}/groups", Scope(Scan)),
    (Method::GET, "/api/grades/scale", Scope(Scan)),
    (Method::GET, "/api/grades/totals", Scope(Scan)),
    (Method::PUT, "/api/scans/{id}/grade", Scope(Scan)),
    (Method::DELETE, "/api/scans/{id}/grade", Scope(Scan)),
    (Method::POST, "/api/batches/{id}/groups/propose", Scope(Scan)),
    (Method::POST, "/api/batches/{id}/groups/split", Scope(Scan)),
    (Method::POST, "/api/batches/{id}/discard", Scope(Scan)),
    (Method::DELETE, "/api/scans", Scope(GarageWrite)),
    (Method::DELETE, "/api/scans/{id}", Scope(GarageWrite)),
    (Method::GET, "/api/parts/{id}/ai-suppliers", Scope(Catalog)),
    (Method::GET, "/api/parts/{id}/recalls", Both(Catalog, GarageRead)),
    (Method::GET, "/api/parts/category/{category}", Scope(Catalog)),
    (Method::GET, "/api/parts/search", Scope(Catalog)),
    // The calls that ask a language model are for people only: a program could request everything.
    (Method::GET, "/api/parts/{id}/fits", Both(Catalog, GarageRead)),
    (Method::GET, "/api/scans/{id}/similar-parts", Scope(Catalog)),
    (Method::GET, "/api/parts/{id}/guide", Scope(Catalog)),
    (Method::GET, "/api/catalog/parts", Scope(Catalog)),
    (Method::POST, "/api/catalog/parts", Scope(Catalog)),
    (Method::POST, "/api/catalog/parts/import", Scope(Catalog)),
    (Method::GET, "/api/catalog/parts/{id}", Scope(Catalog)),
    (Method::PUT, "/api/catalog/parts/{id}", Scope(Catalog)),
    (Method::DELETE, "/api/catalog/parts/{id}", Scope(Catalog)),
    (Method::POST, "/api/catalog/parts/{id}/restore", Scope(Catalog)),
    (Method::GET, "/api/export/parts.csv", Scope(Catalog)),
    (Method::GET, "/api/export/parts.xml", Scope(Catalog)),
    (Method::GET, "/api/price-lists", Scope(Catalog)),
    (Method::POST, "/api/price-lists", Scope(Catalog)),
    (Method::DELETE, "/api/price-lists/{id}", Scope(Catalog)),
    (Method::POST, "/api/price-lists/{id}/restore", Scope(Catalog)),
    (Method::GET, "/api/cross-references", Scope(Catalog)),
    (Method::POST, "/api/cross-references", Scope(Catalog)),
    (Method::DELETE, "/api/cross-references/{id}", Scope(Catalog)),
    (Method::POST, "/api/cross-references/{id}/restore", Scope(Catalog)),
    (Method::GET, "/api/catalog", Scope(Catalog)),
    (Method::GET, "/api/catalog/doctor", Scope(Catalog)),
    (Method::GET, "/api/catalog/types", Scope(Catalog)),
    (Method::POST, "/api/catalog/types", Scope(Catalog)),
    (Method::GET, "/api/catalog/types/{id}", Scope(Catalog)),
    (Method::PUT, "/api/catalog/types/{id}", Scope(Catalog)),
    (Method::DELETE, "/api/catalog/types/{id}", Scope(Catalog)),
    (Method::POST, "/api/catalog/types/{id}/restore", Scope(Catalog)),
    (Method::POST, "/api/catalog/types/{id}/references", Scope(Catalog)),
    (Method::PUT, "/api/catalog/types/{id}/look-alikes/{other}", Scope(Catalog)),
    (Method::DELETE, "/api/catalog/types/{id}/look-alikes/{other}", Scope(Catalog)),
    (Method::DELETE, "/api/catalog/references/{id}", Scope(Catalog)),
    (Method::POST, "/api/catalog/references/{id}/restore", Scope(Catalog)),
    (Method::GET, "/api/catalog/references/{id}/thumbnail", Scope(Catalog)),
    (Method::GET, "/api/vehicles/ai/oil-specs/{make}/{model}/{year}", Scope(Catalog)),
    (Method::GET, "/api/vehicles/ai/oil-specs/{make}/{model}/{year}/{engine}", Scope(Catalog)),
    (Method::GET, "/api/vehicles", Scope(GarageRead)),
    (Method::GET, "/api/vehicles/default", Scope(GarageRead)),
    (Method::GET, "/api/vehicles/{id}", Scope(GarageRead)),
    (Method::GET, "/api/vehicles/{id}/oil", Scope(GarageRead)),
    (Method::GET, "/api/vehicles/{id}/recalls", Scope(GarageRead)),
    (Method::GET, "/api/maintenance", Scope(GarageRead)),
    (Method::GET, "/api/vehicles/{id}/maintenance", Scope(GarageRead)),
    (Method::GET, "/api/vehicles/{id}/maintenance/{item}", Scope(GarageRead)),
    (Method::GET, "/api/vehicles/{id}/odometer", Scope(GarageRead)),
    (Method::GET, "/api/oil-changes", Scope(GarageRead)),
    (Method::GET, "/api/repair-history", Scope(GarageRead)),
    (Method::GET, "/api/alerts", Scope(GarageRead)),
    (Method::GET, "/api/export/vehicles.csv", Scope(GarageRead)),
    (Method::GET, "/api/export/oil-changes.csv", Scope(GarageRead)),
    (Method::GET, "/api/export/repairs.csv", Scope(GarageRead)),
    (Method::GET, "/api/export/odometer.csv", Scope(GarageRead)),
    (Method::POST, "/api/vehicles", Scope(GarageWrite)),
    (Method::PUT, "/api/vehicles/{id}", Scope(GarageWrite)),
    (Method::DELETE, "/api/vehicles/{id}", Both(GarageWrite, GarageRead)),
    (Method::PUT, "/api/vehicles/{id}/default", Both(GarageWrite, GarageRead)),
    (Method::PUT, "/api/vehicles/{id}/oil", Scope(GarageWrite)),
    (Method::DELETE, "/api/vehicles/{id}/oil", Scope(GarageWrite)),
    (Method::POST, "/api/vehicles/{id}/odometer", Scope(GarageWrite)),
    (Method::DELETE, "/api/vehicles/{id}/odometer", Scope(GarageWrite)),
    (Method::PUT, "/api/vehicles/{id}/maintenance/{item}", Scope(GarageWrite)),
    (Method::DELETE, "/api/vehicles/{id}/maintenance/{item}", Scope(GarageWrite)),
    (Method::POST, "/api/vehicles/{id}/maintenance/{item}/done", Scope(GarageWrite)),
    (Method::POST, "/api/vehicles/{id}/maintenance/{item}/snooze", Scope(GarageWrite)),
    (Method::DELETE, "/api/vehicles/{id}/maintenance/{item}/snooze", Scope(GarageWrite)),
    (Method::POST, "/api/oil-changes", Scope(GarageWrite)),
    (Method::PUT, "/api/oil-changes/{id}", Scope(GarageWrite)),
    (Method::DELETE, "/api/oil-changes/{id}", Scope(GarageWrite)),
    (Method::POST, "/api/repair-history", Scope(GarageWrite)),
    (Method::PUT, "/api/repair-history/{id}", Scope(GarageWrite)),
    (Method::DELETE, "/api/repair-history/{id}", Scope(GarageWrite)),
    (Method::POST, "/api/import/{kind}", Scope(GarageWrite)),
    (Method::GET, "/api/events", Scope(Events)),
    (Method::GET, "/api/webhooks", Scope(Events)),
    (Method::POST, "/api/webhooks", Scope(Events)),
    (Method::GET, "/api/webhooks/{id}", Scope(Events)),
    (Method::PUT, "/api/webhooks/{id}", Scope(Events)),
    (Method::DELETE, "/api/webhooks/{id}", Scope(Events)),
    (Method::POST, "/api/webhooks/{id}/secret", Scope(Events)),
    (Method::POST, "/api/webhooks/{id}/test", Scope(Events)),
    (Method::GET, "/api/webhooks/{id}/deliveries", Scope(Events)),
    (Method::POST, "/api/webhooks/{id}/deliveries/retry", Scope(Events)),
    (Method::POST, "/api/webhooks/{id}/deliveries/{event}/retry", Scope(Events)),
    (Method::GET, "/api/settings", Nothing),
    (Method::GET, "/api/openapi.json", Nothing),
    (Method::GET, "/api/docs", Nothing),
    (Method::GET, "/api/docs/page.js", Nothing),
    (Method::GET, "/api/docs/page.css", Nothing),
    (Method::GET, "/api/plans", Nothing),
    (Method::GET, "/api/model", Nothing),
    (Method::GET, "/api/model/{sha256}", Nothing),
    (Method::GET, "/api/calendar/{file}", Nothing),
    (Method::GET, "/api/suppliers", Nothing),
    (Method::GET, "/api/vehicles/makes", Nothing),
    (Method::GET, "/api/vehicles/models/{makeId}", Nothing),
    (Method::GET, "/api/vehicles/years", Nothing),
    (Method::GET, "/api/vehicles/engines/{makeId}/{modelId}/{year}", Nothing),
    (Method::GET, "/api/vehicles/vin/{vin}", Nothing),
    (Method::POST, "/api/vehicles/read-vin", Scope(GarageRead)),
    // Each tool makes calls of this table.
    (Method::POST, "/mcp", Nothing),
    (Method::GET, "/health", Nothing),
    (Method::GET, "/ready", Nothing),
    (Method::GET, "/metrics", Nothing),
];

/// What a key needs for a call; `None` if the call refuses keys.
pub(crate) fn needs(method: &Method, path: &str) -> Option<Needs> {
    let method = answered_as(method);
    CALLS.iter().find(|call| call.0 == method && call.1 == path).map(|call| call.2)
}

/// The answer to HEAD is that of GET without its body.
fn answered_as(method: &Method) -> Method {
    if method == Method::HEAD { Method::GET } else { method.clone() }
}

/// Authenticates a request with `Authorization: Bearer` as the owner of the key, for the calls that accept the key.
///
/// The cookies of a request with a key are removed. A page of another site cannot know the key, so its writes need no
/// check of their origin.
pub(crate) async fn admit_key(State(state): State<ApiState>, mut request: Request, next: Next) -> Response {
    let secret = match bearer(request.headers()) {
        Ok(Some(secret)) => secret,
        Ok(None) => return next.run(request).await,
        Err(error) => return unauthorised(error),
    };
    let caller = match state.app.accounts.key_caller(&secret).await {
        Ok(caller) => caller,
        Err(error @ Error::ApiKeyRefused { .. }) => return unauthorised(error.into()),
        Err(error) => return ApiError::from(error).into_response(),
    };
    // With both, a call could mix the rights of the key with those of the session.
    request.headers_mut().remove(COOKIE);
    // Counted before plan and scope are checked, so that refused requests count as well.
    let (limit, counted) = state.app.accounts.count_key_request(&caller);
    let admitted = counted
        .and_then(|()| state.app.accounts.check_key_plan(&caller))
        .map_err(ApiError::from)
        .and_then(|()| check_call(&caller, &request));
    let mut response = match admitted {
        Ok(is_call) => {
            if is_call {
                // A request with this extension counts as signed in: see `SignedIn`.
                request.extensions_mut().insert(caller);
            }
            next.run(request).await
        }
        Err(error) => error.into_response(),
    };
    // Refusals have these headers too, so that a program learns how long to wait.
    if let Some(limit) = limit {
        add_rate_limit(response.headers_mut(), limit);
    }
    response
}

/// Whether the request is handled as a call of the owner of the key; false if its method does not exist. Fails if the
/// key may not make the call.
fn check_call(caller: &KeyCaller, request: &Request) -> Result<bool, ApiError> {
    // An unknown path gets the usual answer.
    let Some(path) = request.extensions().get::<MatchedPath>() else { return Ok(true) };
    match needs(request.method(), path.as_str()) {
        Some(Nothing) => Ok(true),
        Some(Scope(scope)) => {
            caller.check_scope(scope)?;
            Ok(true)
        }
        Some(Both(own, of_answer)) => {
            caller.check_scope(own)?;
            caller.check_scope(of_answer)?;
            Ok(true)
        }
        None if is_no_call(request.method(), path.as_str()) => Ok(false),
        None => Err(Error::Forbidden { message: messages::API_KEY_NOT_FOR_THIS }.into()),
    }
}

/// The methods of each path in the OpenAPI document.
static METHODS: LazyLock<HashMap<String, Vec<Method>>> = LazyLock::new(|| {
    let methods = |item: PathItem| {
        let there = [
            item.get.map(|_| Method::GET),
            item.post.map(|_| Method::POST),
            item.put.map(|_| Method::PUT),
            item.delete.map(|_| Method::DELETE),
        ];
        there.into_iter().flatten().collect::<Vec<_>>()
    };
    crate::openapi().paths.paths.into_iter().map(|(path, item)| (path, methods(item))).collect()
});

/// Whether the path has no such method, so that the router answers with the existing ones. Clients of the Model Context
/// Protocol query by GET whether there is a stream, and accept only 405 as "no".
fn is_no_call(method: &Method, path: &str) -> bool {
    METHODS.get(path).map_or(path == "/mcp", |methods| !methods.contains(&answered_as(method)))
}

/// Whether a request has a key.
pub(crate) fn has_key(headers: &HeaderMap) -> bool {
    matches!(bearer(headers), Ok(Some(_)))
}

/// The key of a request. Other schemes are for a proxy in front of this server.
pub(crate) fn bearer(headers: &HeaderMap) -> Result<Option<SecretToken>, ApiError> {
    let mut values = headers.get_all(AUTHORIZATION).iter();
    let Some(value) = values.next() else { return Ok(None) };
    let refused = || ApiError::from(Error::ApiKeyRefused { message: messages::API_KEY_UNKNOWN });
    // With two keys, a proxy could read one and this server the other.
    if values.next().is_some() {
        return Err(refused());
    }
    let Ok(text) = value.to_str() else { return Err(refused()) };
    let (scheme, secret) = text.split_once(' ').unwrap_or((text, ""));
    Ok(scheme.eq_ignore_ascii_case("bearer").then(|| SecretToken::from_text(secret.trim())))
}

/// The refusal, with the accepted scheme (RFC 6750, section 3).
fn unauthorised(error: ApiError) -> Response {
    let mut response = error.into_response();
    response.headers_mut().insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
    response
}

/// The rate limit in headers (draft-ietf-httpapi-ratelimit-headers-10): `q` requests in `w` seconds, `r` of them left,
/// and all of them available again after `t` seconds.
fn add_rate_limit(headers: &mut HeaderMap, limit: RateLimitState) {
    let policy = format!("\"key\";q={};w={}", limit.quota, limit.window_seconds);
    let left = format!("\"key\";r={};t={}", limit.remaining, limit.full_after_seconds);
    for (name, value) in [("ratelimit-policy", policy), ("ratelimit", left)] {
        if let Ok(value) = HeaderValue::from_str(&value) {
            headers.insert(HeaderName::from_static(name), value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(values: &[&str]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(AUTHORIZATION, HeaderValue::from_bytes(value.as_bytes()).unwrap());
        }
        headers
    }

    #[test]
    fn a_key_comes_in_one_header_of_the_scheme_bearer() {
        let secret = |values: &[&str]| {
            bearer(&headers(values)).map(|found| found.map(|secret| secret.as_str().to_owned()))
        };
        for (values, expected) in [
            (&["Bearer ps_live_1"][..], Some("ps_live_1")),
            (&["bearer  ps_live_1 "], Some("ps_live_1")),
            (&["Bearer"], Some("")),
            (&["Basic YW5uOng="], None),
            (&[], None),
        ] {
            assert_eq!(secret(values).unwrap().as_deref(), expected, "{values:?}");
        }
        for values in [&["Bearer a", "Bearer a"][..], &["Basic YQ==", "Bearer a"], &["Bearer é"]] {
            assert!(secret(values).is_err(), "{values:?}");
        }
    }

    #[test]
    fn no_call_stands_twice() {
        for (at, call) in CALLS.iter().enumerate() {
            let first = CALLS.iter().position(|other| other.0 == call.0 && other.1 == call.1);
            assert_eq!(first, Some(at), "{} {}", call.0, call.1);
        }
    }
}
