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
        "The event is not signed by the payment provider for this server, or too long ago.";
    NotSignedIn = UNAUTHORIZED "not-signed-in" "Unauthorized"
        "Nobody is signed in, or the session has ended.";
    SignInFailed = UNAUTHORIZED "sign-in-failed" "Authentication failed"
        "The e-mail address or the password is wrong; which of them is not said.";
    ApiKeyRefused = UNAUTHORIZED "api-key-refused" "API key refused"
        "The API key is unknown, revoked or expired, or `Authorization` holds more than one.";
    PaymentDeclined = PAYMENT_REQUIRED "payment-declined" "Payment declined"
        "The card, or the bank behind it, did not allow the payment; nothing was changed.";
    Forbidden = FORBIDDEN "forbidden" "Forbidden"
        "The write came from another site's page, or this is not for this user, plan or key; `detail` says which.";
    FreshSignInNeeded = FORBIDDEN "fresh-sign-in-needed" "Fresh sign-in needed"
        "The account has no password, and the last sign-in is too long ago for this call.";
    NotFound = NOT_FOUND "not-found" "Not found"
        "There is no such thing, or it belongs to somebody else; which of them is not said.";
    MethodNotAllowed = METHOD_NOT_ALLOWED "method-not-allowed" "Method not allowed"
        "The path exists, but not with this method; the `Allow` header names those that it takes.";
    UploadStalled = REQUEST_TIMEOUT "upload-stalled" "Upload stalled"
        "The client stopped sending.";
    Conflict = CONFLICT "conflict" "Conflict"
        "Something with this value exists, or the same call is running; `field` says which value.";
    LooksAlike = CONFLICT "looks-alike" "Looks like another part"
        "A photograph that is to be taught looks more like another part; `resembles` names it, and `detail` says how to keep it.";
    TooLarge = PAYLOAD_TOO_LARGE "too-large" "Too large"
        "The photograph or the body is larger than the call takes; `detail` states the limit.";
    UnsupportedMediaType = UNSUPPORTED_MEDIA_TYPE "unsupported-media-type" "Unsupported media type"
        "This is not a photograph, or not the media type that the call takes.";
    WrongHost = MISDIRECTED_REQUEST "wrong-host" "Misdirected request"
        "The `Host` header does not name this server; with `public_url` set, only its name does.";
    Invalid = UNPROCESSABLE_ENTITY "invalid" "Invalid input"
        "An input breaks its rule; `field` names it and `detail` says what to do.";
    NotIdentified = UNPROCESSABLE_ENTITY "not-identified" "Part not identified"
        "The photograph shows none of the known parts; no scan was used.";
    LimitReached = TOO_MANY_REQUESTS "limit-reached" "Scan limit reached"
        "The scan allowance is used up.";
    TooManyAttempts = TOO_MANY_REQUESTS "too-many-attempts" "Too many attempts"
        "Too many failed sign-ins, mails or messages; `Retry-After` has the seconds to wait.";
    RateLimited = TOO_MANY_REQUESTS "rate-limited" "Too many requests"
        "Too many requests with one API key; `Retry-After` has the seconds to wait.";
    Internal = INTERNAL_SERVER_ERROR "internal" "Internal error"
        "Something went wrong on our side; the log has the `requestId`.";
    Busy = SERVICE_UNAVAILABLE "busy" "Service unavailable"
        "Too much is waiting, the database is busy, or the model is being restarted; `Retry-After` has the seconds to wait.";
    ServiceDown = SERVICE_UNAVAILABLE "service-down" "Service unavailable"
        "A service elsewhere that the call needs does not answer; nothing was saved.";
    PaymentsNotOffered = SERVICE_UNAVAILABLE "payments-not-offered" "Service unavailable"
        "Plans are not for sale on this server, or not this one.";
    PaymentProvider = SERVICE_UNAVAILABLE "payment-provider" "Service unavailable"
        "The payment provider does not answer as it should; `Retry-After` has the seconds to wait.";
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
