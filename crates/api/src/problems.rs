//! The failed answers of calls, as the OpenAPI document tells them.
//!
//! A handler names the groups of statuses that it can answer with, and others as `(status = CONFLICT)`, with a
//! description where there is more to say than [`ErrorCode::meaning`]. What has a status of 400 and up and no body of
//! its own is a [`Problem`](crate::Problem), which the document has once for each status.

use std::collections::BTreeMap;

use axum::http::StatusCode;
use utoipa::IntoResponses;
use utoipa::openapi::{ContentBuilder, OpenApi, Ref, RefOr, Response, ResponseBuilder};

use crate::ErrorCode;

macro_rules! problems {
    ($($(#[$doc:meta])* $name:ident = [$($status:ident),*];)*) => {$(
        $(#[$doc])*
        pub(crate) enum $name {}

        impl IntoResponses for $name {
            fn responses() -> BTreeMap<String, RefOr<Response>> {
                [$(StatusCode::$status),*]
                    .map(|status| (status.as_str().to_owned(), RefOr::T(Response::default())))
                    .into()
            }
        }
    )*};
}

problems! {
    /// Of every call that needs a signed-in user or a key.
    SignedIn = [UNAUTHORIZED];
    /// Of such a call that writes: another site's page may not, nor everybody in a company.
    Write = [UNAUTHORIZED, FORBIDDEN];
    /// Of a call with an id of something.
    NotFound = [NOT_FOUND];
    /// Of a call that takes a body.
    Body = [PAYLOAD_TOO_LARGE, UNSUPPORTED_MEDIA_TYPE, UNPROCESSABLE_ENTITY];
    /// Of a call with a query that has rules.
    Invalid = [UNPROCESSABLE_ENTITY];
    /// Of a call that may find something busy or a service down.
    Unavailable = [SERVICE_UNAVAILABLE];
}

/// Puts every failed answer without a body of its own into the components, and a reference in its place.
pub(crate) fn share(document: &mut OpenApi) {
    let components = document.components.get_or_insert_default();
    for item in document.paths.paths.values_mut() {
        let operations = [&mut item.get, &mut item.post, &mut item.put, &mut item.delete];
        for (status, response) in
            operations.into_iter().flatten().flat_map(|call| &mut call.responses.responses)
        {
            let status: StatusCode = status.parse().unwrap_or_default();
            let is_failure = status.is_client_error() || status.is_server_error();
            let RefOr::T(own) = response else { continue };
            if !is_failure || !own.content.is_empty() {
                continue;
            }
            let name = status.canonical_reason().unwrap_or_default().replace(' ', "");
            let mut reference = Ref::from_response_name(&name);
            reference.description = std::mem::take(&mut own.description);
            *response = RefOr::Ref(reference);
            components.responses.entry(name).or_insert_with(|| RefOr::T(problem(status)));
        }
    }
}

fn problem(status: StatusCode) -> Response {
    let codes = ErrorCode::ALL.iter().filter(|code| code.status() == status);
    let codes: Vec<String> = codes.map(|code| format!("`{}`", code.as_str())).collect();
    ResponseBuilder::new()
        .description(format!("{}; see the table of errors.", codes.join(", ")))
        .content(
            "application/problem+json",
            ContentBuilder::new().schema(Some(Ref::from_schema_name("Problem"))).build(),
        )
        .build()
}
