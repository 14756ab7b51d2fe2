use axum::http::StatusCode;

macro_rules! error_codes {
    ($($name:ident = $status:ident $code:literal $title:literal $meaning:literal;)*) => {
        /// The kinds of failure. The table of errors in the OpenAPI document is generated from this list.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum ErrorCode {
            $(#[doc = $meaning] $name,)*
        }

        impl ErrorCode {
            /// All kinds, by status.
            pub const ALL: &[Self] = &[$(Self::$name),*];

            /// The HTTP status of the response.
            pub const fn status(self) -> StatusCode {
                match self {
                    $(Self::$name => StatusCode::$status,)*
                }
            }

            /// The kind for programs, in kebab-case: the field `code`.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$name => $code,)*
                }
            }

            /// The kind in a few words.
            pub const fn title(self) -> &'static str {
                match self {
                    $(Self::$name => $title,)*
                }
            }

            /// When it occurs, for the table of errors.
            pub const fn meaning(self) -> &'static str {
                match self {
                    $(Self::$name => $meaning,)*
                }
            }
        }
    };
}

error_codes! {
    EventRefused = BAD_REQUEST "event-refused" "Event refused"
        "The event has no valid signature of the payment provider, or it was signed more than five minutes ago.";
    NotSignedIn = UNAUTHORIZED "not-signed-in" "Unauthorized"
        "Nobody is signed in, or the session has ended.";
    SignInFailed = UNAUTHORIZED "sign-in-failed" "Authentication failed"
        "The e-mail address or the password is wrong; the answer does not say which.";
    ApiKeyRefused = UNAUTHORIZED "api-key-refused" "API key refused"
        "The API key is unknown, revoked or expired, or `Authorization` contains more than one key.";
    PaymentDeclined = PAYMENT_REQUIRED "payment-declined" "Payment declined"
        "The card or its bank declined the payment; nothing was changed.";
    Forbidden = FORBIDDEN "forbidden" "Forbidden"
        "A page of another site sent the request, or the user, their plan or the API key does not permit it; `detail` says which.";
    FreshSignInNeeded = FORBIDDEN "fresh-sign-in-needed" "Fresh sign-in needed"
        "The account has no password, and its last sign-in is too old for this call; sign in again.";
    NotFound = NOT_FOUND "not-found" "Not found"
        "It does not exist, or it belongs to somebody else; the answer does not say which.";
    MethodNotAllowed = METHOD_NOT_ALLOWED "method-not-allowed" "Method not allowed"
        "The path does not support this method; the `Allow` header lists the supported methods.";
    UploadStalled = REQUEST_TIMEOUT "upload-stalled" "Upload stalled"
        "The client stopped sending the body.";
    Conflict = CONFLICT "conflict" "Conflict"
        "The value already exists (`field` names the input), or the state of the object does not allow the call, or a request with the same `Idempotency-Key` is running.";
    LooksAlike = CONFLICT "looks-alike" "Looks like another part"
        "A photograph to be taught looks more like another part type; `resembles` names that type, and `detail` says how to save the photograph nevertheless.";
    TooLarge = PAYLOAD_TOO_LARGE "too-large" "Too large"
        "The photograph or the body is larger than the limit that `detail` states.";
    UnsupportedMediaType = UNSUPPORTED_MEDIA_TYPE "unsupported-media-type" "Unsupported media type"
        "The file is not a photograph, or the call does not accept this media type.";
    WrongHost = MISDIRECTED_REQUEST "wrong-host" "Misdirected request"
        "The `Host` header does not name this server. If the setting `public_url` is set, only its host name is accepted.";
    Invalid = UNPROCESSABLE_ENTITY "invalid" "Invalid input"
        "An input is invalid; `field` names it and `detail` says how to correct it.";
    NotIdentified = UNPROCESSABLE_ENTITY "not-identified" "Part not identified"
        "The photograph shows none of the known part types; the scan does not count against the allowance.";
    LimitReached = TOO_MANY_REQUESTS "limit-reached" "Scan limit reached"
        "The scan allowance is used up.";
    TooManyAttempts = TOO_MANY_REQUESTS "too-many-attempts" "Too many attempts"
        "A rate limit was exceeded, for example for failed sign-ins, mails, messages, or photographs without an answer; `Retry-After` has the seconds to wait.";
    RateLimited = TOO_MANY_REQUESTS "rate-limited" "Too many requests"
        "Too many requests with one API key; `Retry-After` has the seconds to wait.";
    Internal = INTERNAL_SERVER_ERROR "internal" "Internal error"
        "An internal error of the server; its log contains the `requestId`.";
    Busy = SERVICE_UNAVAILABLE "busy" "Service unavailable"
        "The server is overloaded, the database is busy, or the model is restarting; `Retry-After` has the seconds to wait.";
    ServiceDown = SERVICE_UNAVAILABLE "service-down" "Service unavailable"
        "An external service that the call needs does not answer; nothing was saved.";
    PaymentsNotOffered = SERVICE_UNAVAILABLE "payments-not-offered" "Service unavailable"
        "Plans, or this plan, cannot be bought on this server.";
    PaymentProvider = SERVICE_UNAVAILABLE "payment-provider" "Service unavailable"
        "The payment provider does not answer, or its answer is invalid; `Retry-After` has the seconds to wait.";
    StorageFull = SERVICE_UNAVAILABLE "storage-full" "Service unavailable"
        "The disk of the server is full; nothing was saved.";
}

/// The table of errors, in Markdown.
pub(crate) fn error_table() -> String {
    let rows = ErrorCode::ALL
        .iter()
        .map(|code| format!("| {} | `{}` | {} |\n", code.status().as_u16(), code.as_str(), code.meaning()));
    format!("| status | code | when |\n|---|---|---|\n{}", rows.collect::<String>())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn codes_are_unique_and_in_the_order_of_their_status() {
        let codes: BTreeSet<&str> = ErrorCode::ALL.iter().map(|code| code.as_str()).collect();
        assert_eq!(codes.len(), ErrorCode::ALL.len());
        assert!(ErrorCode::ALL.is_sorted_by_key(|code| code.status()));
        for code in ErrorCode::ALL {
            assert!(error_table().contains(&format!("`{}`", code.as_str())), "{code:?}");
        }
    }
}
