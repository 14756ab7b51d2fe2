//! The error responses of calls in the OpenAPI document.
//!
//! A handler lists the groups of statuses that it can return, and others as `(status = CONFLICT)`, with a
//! description if [`ErrorCode::meaning`] does not say enough. A response with a status of 400 and up and no body of
//! its own is a [`Problem`](crate::Problem), which the document has once for each status.

use std::collections::BTreeMap;

use axum::http::StatusCode;
use utoipa::IntoResponses;
use utoipa::openapi::{ContentBuilder, OpenApi, Ref, RefOr, Response, ResponseBuilder};

use crate::ErrorCode;

macro_rules! problems {
    ($($(#[$doc:meta])* $name:ident = [$($status:ident $($description:literal)?),* $(,)?];)*) => {$(
        $(#[$doc])*
        pub(crate) enum $name {}

        impl IntoResponses for $name {
            fn responses() -> BTreeMap<String, RefOr<Response>> {
                [$((StatusCode::$status, concat!($($description)?))),*]
                    .map(|(status, description)| (status.as_str().to_owned(), RefOr::T(Response::new(description))))
                    .into()
            }
        }
    )*};
}

problems! {
    /// For every call that needs a signed-in user or a key.
    SignedIn = [UNAUTHORIZED];
    /// For such a call that writes: forbidden to pages of other sites, and to some members of a company.
    Write = [UNAUTHORIZED, FORBIDDEN];
    /// For a call with the id of something.
    NotFound = [NOT_FOUND];
    /// For a call with a body.
    Body = [PAYLOAD_TOO_LARGE, UNSUPPORTED_MEDIA_TYPE, UNPROCESSABLE_ENTITY];
    /// For a call whose query is validated.
    Invalid = [UNPROCESSABLE_ENTITY];
    /// For a call that may be refused because something is busy or a service is down.
    Unavailable = [SERVICE_UNAVAILABLE];
    /// For a call with a rate limit.
    Limited = [TOO_MANY_REQUESTS];
    /// For a write without a sign-in: forbidden to pages of other sites.
    Foreign = [FORBIDDEN];
    /// For a call with photographs.
    PhotoUpload = [
        REQUEST_TIMEOUT,
        PAYLOAD_TOO_LARGE,
        UNSUPPORTED_MEDIA_TYPE "The file is not a photograph.",
        SERVICE_UNAVAILABLE "The server is busy; `Retry-After` has the seconds to wait.",
    ];
    /// For an order of a plan.
    Order = [
        PAYMENT_REQUIRED "The card was declined; `detail` gives the reason of the bank.",
        UNPROCESSABLE_ENTITY "`plan`, `price` or `interval` is invalid; `field` names it.",
        TOO_MANY_REQUESTS "More than 20 orders in a short time; `Retry-After` has the seconds to wait.",
        SERVICE_UNAVAILABLE "Plans cannot be bought on this server (`payments-not-offered`), or the payment provider does not answer (`payment-provider`).",
    ];
    /// For an export of vehicles or records as CSV.
    CsvExport = [
        NOT_FOUND "No such vehicle.",
        UNPROCESSABLE_ENTITY "The format does not exist for these records, or it needs a vehicle.",
    ];
}

/// Moves every error response without a body of its own to the components, and puts a reference in its place.
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
