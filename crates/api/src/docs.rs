//! The page `/api/docs`, on which people read the calls and try them. Also completes the OpenAPI document beyond
//! the handlers: the table of errors, the `Idempotency-Key` header, the scopes of API keys, and the refusals that any
//! call may get.

use axum::Router;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::http::{Method, StatusCode};
use axum::response::IntoResponse;
use axum::routing::get;
use partsight_app::{IDEMPOTENCY_KEY, SCAN_PATH};
use utoipa::openapi::path::{Operation, ParameterBuilder, ParameterIn};
use utoipa::openapi::schema::{AnyOf, ObjectBuilder, Type};
use utoipa::openapi::security::{
    ApiKey, ApiKeyValue, HttpAuthScheme, HttpBuilder, SecurityRequirement, SecurityScheme,
};
use utoipa::openapi::{OpenApi, RefOr, Required, ResponseBuilder, Schema};

use crate::error_code::error_table;
use crate::middleware::idempotency::IDEMPOTENT_PATHS;
use crate::middleware::key_access::{Needs, needs};
use crate::state::SESSION_COOKIE;
use crate::{ApiState, problems};

const PAGE: &str = include_str!("docs/page.html");
const SCRIPT: &str = include_str!("docs/page.js");
const STYLE: &str = include_str!("docs/page.css");

/// The routes of the page, its script and its style.
pub(crate) fn routes() -> Router<ApiState> {
    Router::new()
        .route("/api/docs", get(|| async { file("text/html; charset=utf-8", PAGE) }))
        .route("/api/docs/page.js", get(|| async { file("text/javascript; charset=utf-8", SCRIPT) }))
        .route("/api/docs/page.css", get(|| async { file("text/css; charset=utf-8", STYLE) }))
}

fn file(media_type: &'static str, text: &'static str) -> impl IntoResponse {
    // The file names have no hash, so a browser must check whether its copy is current.
    ([(CONTENT_TYPE, media_type), (CACHE_CONTROL, "no-cache")], text)
}

/// Adds to the document what no handler declares by itself.
pub(crate) fn complete(document: &mut OpenApi) {
    let description = document.info.description.get_or_insert_default();
    description.push_str("\n\n## Errors\n\n");
    description.push_str(&error_table());
    for path in IDEMPOTENT_PATHS.into_iter().chain([SCAN_PATH]) {
        let operation = document.paths.paths.get_mut(path).and_then(|item| item.post.as_mut());
        if let Some(operation) = operation {
            describe_idempotency(operation);
        }
    }
    describe_keys(document);
    describe_refusals(document);
    // After all responses were added, since it goes through each of them.
    problems::share(document);
    describe_answers(document);
    let schemas = document.components.as_mut().map(|components| &mut components.schemas);
    if let Some(RefOr::T(schema)) = schemas.and_then(|schemas| schemas.get_mut("CarQueryAnswer")) {
        allow_several(schema);
    }
}

/// Declares the two ways to authenticate. Adds to each call that accepts a key the scopes that it needs, and to each
/// other call that it refuses keys.
fn describe_keys(document: &mut OpenApi) {
    let components = document.components.get_or_insert_default();
    let cookie = ApiKey::Cookie(ApiKeyValue::with_description(
        SESSION_COOKIE,
        "The session cookie of a signed-in browser. Over https its name begins with `__Host-`.",
    ));
    components.add_security_scheme("session", SecurityScheme::ApiKey(cookie));
    let key = HttpBuilder::new()
        .scheme(HttpAuthScheme::Bearer)
        .description(Some(
            "An API key, `ps_live_...`, which you create on the page API Keys. Answers to it have the headers \
             `RateLimit-Policy` and `RateLimit` (draft-ietf-httpapi-ratelimit-headers-10).",
        ))
        .build();
    components.add_security_scheme("key", SecurityScheme::Http(key));
    for (path, item) in &mut document.paths.paths {
        for (method, operation) in [
            (Method::GET, &mut item.get),
            (Method::POST, &mut item.post),
            (Method::PUT, &mut item.put),
            (Method::DELETE, &mut item.delete),
        ] {
            let Some(operation) = operation else { continue };
            let scopes = match needs(&method, path) {
                Some(Needs::Scope(scope)) => Some(vec![scope.as_str()]),
                Some(Needs::Both(own, of_answer)) => Some(vec![own.as_str(), of_answer.as_str()]),
                Some(Needs::Nothing) => continue,
                None => None,
            };
            match scopes {
                Some(scopes) => {
                    operation.security = Some(vec![
                        SecurityRequirement::new("session", [""; 0]),
                        SecurityRequirement::new("key", scopes),
                    ]);
                    add_problem(
                        operation,
                        "403",
                        "Refused for this API key: it lacks the scope of this call.",
                    );
                    add_problem(
                        operation,
                        "429",
                        "Too many requests with this API key; `Retry-After` has the seconds to wait.",
                    );
                }
                None if needs_session(path, operation) => {
                    operation.security = Some(vec![SecurityRequirement::new("session", [""; 0])]);
                    add_problem(operation, "403", "Refused for API keys: this call needs a session.");
                }
                None => add_problem(operation, "403", "Refused for API keys."),
            }
        }
    }
}

/// Whether a call that refuses API keys is for people who are signed in.
fn needs_session(path: &str, operation: &Operation) -> bool {
    // Signing in answers 401 for a wrong password.
    path != "/api/auth/login" && operation.responses.responses.contains_key("401")
}

/// Adds the refusals that any call may get.
fn describe_refusals(document: &mut OpenApi) {
    for item in document.paths.paths.values_mut() {
        let operations = [&mut item.get, &mut item.post, &mut item.put, &mut item.delete];
        for operation in operations.into_iter().flatten() {
            // A call without a session as well: its API key is looked up in the database.
            add_problem(
                operation,
                "503",
                "The server or its database is busy; `Retry-After` has the seconds to wait.",
            );
            if operation.request_body.is_some() {
                add_problem(operation, "408", "");
            }
        }
    }
}

/// Documents a status that does not come from the handler itself.
fn add_problem(operation: &mut Operation, status: &str, description: &str) {
    let response = || ResponseBuilder::new().description(description).into();
    operation.responses.responses.entry(status.to_owned()).or_insert_with(response);
}

/// Gives every response a description: OpenAPI 3.1 requires one, and a handler writes one only if the status does
/// not say enough.
fn describe_answers(document: &mut OpenApi) {
    for item in document.paths.paths.values_mut() {
        let operations = [&mut item.get, &mut item.post, &mut item.put, &mut item.delete];
        for (status, response) in
            operations.into_iter().flatten().flat_map(|call| &mut call.responses.responses)
        {
            let RefOr::T(own) = response else { continue };
            if own.description.is_empty() {
                let status: StatusCode = status.parse().unwrap_or_default();
                status.canonical_reason().unwrap_or_default().clone_into(&mut own.description);
            }
        }
    }
}

/// Turns `oneOf` into `anyOf`: an empty list matches every list schema.
fn allow_several(schema: &mut Schema) {
    if let Schema::OneOf(one) = schema {
        let mut any = AnyOf::new();
        any.items = std::mem::take(&mut one.items);
        any.description = one.description.take();
        *schema = Schema::AnyOf(any);
    }
}

fn describe_idempotency(operation: &mut Operation) {
    let parameter = ParameterBuilder::new()
        .name(IDEMPOTENCY_KEY)
        .parameter_in(ParameterIn::Header)
        .required(Required::False)
        .description(Some(
            "A key of your choice for this request, so that you can safely repeat it if no answer arrives. For 24 \
             hours, a request with the same key and body returns the first answer, with the header \
             `Idempotency-Replayed`, and changes nothing more.",
        ))
        .schema(Some(ObjectBuilder::new().schema_type(Type::String).min_length(Some(1)).max_length(Some(255))))
        .build();
    operation.parameters.get_or_insert_default().push(parameter.into());
    add_problem(operation, "409", "A request with the same `Idempotency-Key` is still running.");
}
