use std::sync::Arc;
use std::time::Duration;

use axum::Json;
use axum::extract::rejection::QueryRejection;
use axum::http::header::{CONTENT_TYPE, RETRY_AFTER};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use jiff::SignedDuration;
use partsight_app::{Entity, Error, IDEMPOTENCY_KEY, PhotoError, sentence, with_causes};
use partsight_domain::{InvalidInput, messages};
use serde::Serialize;
use utoipa::ToSchema;

use crate::ErrorCode;
use crate::shop_part_text::ShopPartText;
use crate::unreadable_input::UnreadableInput;

/// The body of every error, as `application/problem+json` (RFC 9457).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Problem {
    /// URI of the kind of error: `urn:partsight:` followed by the code.
    #[serde(rename = "type")]
    #[schema(example = "urn:partsight:limit-reached")]
    pub kind: String,
    /// The kind of error in a few words.
    #[schema(example = "Scan limit reached")]
    pub title: String,
    /// The HTTP status.
    #[schema(example = 429)]
    pub status: u16,
    /// What happened and what to do, for people.
    pub detail: String,
    /// The kind of error, for programs; see the table of errors.
    #[schema(example = "limit-reached")]
    pub code: &'static str,
    /// Equal to `detail`.
    pub message: String,
    /// The invalid input, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub field: Option<String>,
    /// The part type that the photograph looks like, if `code` is `looks-alike`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resembles: Option<ResembledPart>,
    /// Give this to support: the log of the server contains it.
    pub request_id: String,
}

/// The part type that a photograph to be taught looks more like.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ResembledPart {
    /// Number of the sent photograph, from 1.
    #[schema(example = 1)]
    pub photo: usize,
    /// The label of the other part type.
    #[schema(example = "egr-valve-2-0-tdi")]
    pub id: String,
    /// Its name.
    #[schema(example = "EGR valve, 2.0 TDI")]
    pub name: String,
    /// Address of a thumbnail of it, if the server keeps any; null for a part type that the model knows and nobody has
    /// taught.
    #[schema(required, example = "/api/catalog/references/0190a0a0-0000-7000-8000-000000000000/thumbnail")]
    pub thumbnail_url: Option<String>,
    /// The newest shop parts of this type, at most three.
    pub shop_parts: Vec<ShopPartText>,
}

/// The error of a failed call. [`ErrorCode`] lists the kinds.
#[derive(Debug, Clone)]
pub struct ApiError {
    code: ErrorCode,
    detail: String,
    field: Option<String>,
    /// Boxed, since few errors have it.
    resembles: Option<Box<ResembledPart>>,
    retry_after_seconds: Option<u32>,
    // Shared, since an error travels in the extensions of a response, which must be `Clone`.
    cause: Option<Arc<dyn std::error::Error + Send + Sync>>,
}

impl ApiError {
    fn new(code: ErrorCode, detail: impl Into<String>) -> Self {
        Self {
            code,
            detail: detail.into(),
            field: None,
            resembles: None,
            retry_after_seconds: None,
            cause: None,
        }
    }

    /// A path that does not exist, or a thing that has no [`Entity`].
    pub(crate) fn not_found(detail: &'static str) -> Self {
        Self::new(ErrorCode::NotFound, detail)
    }

    /// A record that does not exist, or belongs to somebody else.
    pub(crate) fn missing(entity: Entity) -> Self {
        Error::NotFound { entity }.into()
    }

    /// The path exists, but not with this method.
    pub(crate) fn method_not_allowed() -> Self {
        Self::new(ErrorCode::MethodNotAllowed, messages::METHOD_NOT_ALLOWED)
    }

    /// A write that another site's page sent.
    pub(crate) fn cross_origin() -> Self {
        Self::new(ErrorCode::Forbidden, messages::CROSS_ORIGIN)
    }

    /// A name in the `Host` header that is not this server's.
    pub(crate) fn wrong_host(public_url: Option<&str>) -> Self {
        let detail = match public_url {
            Some(url) => messages::WRONG_HOST_PUBLIC.replace("{url}", url),
            None => messages::WRONG_HOST.to_owned(),
        };
        Self::new(ErrorCode::WrongHost, detail)
    }

    /// A body that is larger than the call accepts.
    pub(crate) fn too_large(detail: impl Into<String>) -> Self {
        Self::new(ErrorCode::TooLarge, detail)
    }

    /// The same call, with the same idempotency key, is running at the moment.
    pub(crate) fn call_is_running() -> Self {
        let mut error = Self::new(ErrorCode::Conflict, messages::CALL_IS_RUNNING);
        error.field = Some(IDEMPOTENCY_KEY.to_owned());
        error.retry_after_seconds = Some(1);
        error
    }

    /// Not a media type that the call accepts.
    pub(crate) fn unsupported_media_type(detail: impl Into<String>) -> Self {
        Self::new(ErrorCode::UnsupportedMediaType, detail)
    }

    /// The client stopped sending.
    pub(crate) fn upload_stalled() -> Self {
        Self::new(ErrorCode::UploadStalled, messages::UPLOAD_STALLED)
    }

    /// A form field that is larger than its limit.
    pub(crate) fn field_too_large(field: &'static str, detail: &'static str) -> Self {
        let mut error = Self::new(ErrorCode::TooLarge, detail);
        error.field = Some(field.to_owned());
        error
    }

    /// Puts `limit` into the message of a form that is too large; other errors stay as they are.
    pub(crate) fn of_form(mut self, limit: &str) -> Self {
        if self.detail == messages::FORM_TOO_LARGE {
            self.detail = self.detail.replace("{limit}", limit);
        }
        self
    }

    /// Names the photograph that the error is about, counted from 1, if there are several.
    pub(crate) fn of_photo(mut self, number: usize, n_photos: usize) -> Self {
        if n_photos > 1 {
            self.detail = format!("Photo {number} of {n_photos}: {}", self.detail);
        }
        self
    }

    /// Replaces messages that say nothing was saved: a batch keeps each photograph as soon as it arrived.
    pub(crate) fn of_batch(mut self) -> Self {
        let detail = match self.detail.as_str() {
            messages::UPLOAD_STALLED => messages::BATCH_UPLOAD_STALLED,
            messages::TOO_LONG => messages::BATCH_TOO_LONG,
            messages::STORAGE_FULL => messages::BATCH_STORAGE_FULL,
            _ => return self,
        };
        detail.clone_into(&mut self.detail);
        self
    }

    /// An error that should not happen.
    pub(crate) fn internal(cause: impl std::error::Error + Send + Sync + 'static) -> Self {
        Self::new(ErrorCode::Internal, messages::INTERNAL).with_cause(cause)
    }

    fn unavailable(code: ErrorCode, detail: &'static str, retry_after_seconds: u32) -> Self {
        let mut error = Self::new(code, detail);
        error.retry_after_seconds = Some(retry_after_seconds);
        error
    }

    /// The disk is full.
    pub(crate) fn storage_full(cause: impl std::error::Error + Send + Sync + 'static) -> Self {
        Self::unavailable(ErrorCode::StorageFull, messages::STORAGE_FULL, 60).with_cause(cause)
    }

    fn with_cause(mut self, cause: impl std::error::Error + Send + Sync + 'static) -> Self {
        self.cause = Some(Arc::new(cause));
        self
    }

    /// The HTTP status of the response.
    pub fn status(&self) -> StatusCode {
        self.code.status()
    }

    /// Renders the response, and logs an error that only the operator can correct. Called once, where the request
    /// id is known.
    pub(crate) fn render(self, request_id: &str) -> Response {
        // Only errors with a cause are logged: client errors are not ours to correct, and would fill the log.
        if let Some(cause) = &self.cause {
            tracing::error!(
                request.id = request_id,
                http.status = self.code.status().as_u16(),
                error = %with_causes(cause.as_ref()),
                "a call failed"
            );
        }
        let problem = Problem {
            kind: format!("urn:partsight:{}", self.code.as_str()),
            title: self.code.title().to_owned(),
            status: self.code.status().as_u16(),
            message: self.detail.clone(),
            detail: self.detail,
            code: self.code.as_str(),
            field: self.field,
            resembles: self.resembles.map(|part| *part),
            request_id: request_id.to_owned(),
        };
        let mut response = (self.code.status(), Json(problem)).into_response();
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/problem+json"));
        if let Some(seconds) = self.retry_after_seconds {
            headers.insert(RETRY_AFTER, seconds.into());
        }
        response
    }
}

impl IntoResponse for ApiError {
    /// Carries the error to the layer that knows the request id, which renders it.
    fn into_response(self) -> Response {
        // See docs/decisions/0011-errors-in-one-layer.md.
        let mut response = self.code.status().into_response();
        response.extensions_mut().insert(self);
        response
    }
}

impl ApiError {
    /// An error that a retry after `wait` avoids. Rounded up: a retry a second too early would be refused again.
    fn to_be_repeated(code: ErrorCode, message: &'static str, wait: SignedDuration) -> Self {
        let mut error = Self::new(code, message);
        error.retry_after_seconds = Some(u32::try_from(wait.as_secs() + 1).unwrap_or(u32::MAX));
        error
    }
}

impl From<InvalidInput> for ApiError {
    fn from(error: InvalidInput) -> Self {
        let field = error.path();
        let mut api_error = Self::new(ErrorCode::Invalid, error.message);
        api_error.field = Some(field);
        api_error
    }
}

impl From<Error> for ApiError {
    fn from(error: Error) -> Self {
        match error {
            Error::NotSignedIn => Self::new(ErrorCode::NotSignedIn, messages::UNAUTHORIZED),
            Error::SignInFailed => Self::new(ErrorCode::SignInFailed, messages::SIGN_IN_FAILED),
            Error::NotFound { entity } => match entity.not_found_message() {
                Some(message) => Self::not_found(message),
                // The missing thing cannot be named by an id in a call: that is our bug.
                None => Self::internal(error),
            },
            Error::ApiKeyRefused { message } => Self::new(ErrorCode::ApiKeyRefused, message),
            Error::ScopeMissing { scope } => scope_missing(scope.as_str()),
            Error::RateLimited { retry_after } => {
                Self::to_be_repeated(ErrorCode::RateLimited, messages::RATE_LIMITED, retry_after)
            }
            Error::Forbidden { message } => Self::new(ErrorCode::Forbidden, message),
            Error::PaymentsNotOffered(source) => {
                let error = Self::new(ErrorCode::PaymentsNotOffered, messages::PAYMENTS_NOT_OFFERED);
                match source {
                    Some(source) => error.with_cause(source),
                    None => error,
                }
            }
            Error::PaymentProvider(source) => {
                Self::unavailable(ErrorCode::PaymentProvider, messages::PAYMENT_PROVIDER_DOWN, 60)
                    .with_cause(source)
            }
            Error::PaymentDeclined(message) => Self::new(
                ErrorCode::PaymentDeclined,
                message.unwrap_or_else(|| messages::PAYMENT_DECLINED.to_owned()),
            ),
            Error::EventRefused(source) => {
                // Logged although it is a client error: a wrong secret in the settings looks the same, and payments
                // would be missed.
                tracing::warn!(error = %source, "an event was refused");
                Self::new(ErrorCode::EventRefused, messages::EVENT_REFUSED)
            }
            Error::Invalid(invalid) => invalid.into(),
            Error::CallRunning => Self::call_is_running(),
            Error::TooManyAttempts { retry_after } => {
                Self::to_be_repeated(ErrorCode::TooManyAttempts, messages::TOO_MANY_ATTEMPTS, retry_after)
            }
            Error::FreshSignInNeeded => {
                Self::new(ErrorCode::FreshSignInNeeded, messages::FRESH_SIGN_IN_NEEDED)
            }
            Error::Conflict { field, message } => {
                let mut error = Self::new(ErrorCode::Conflict, message);
                error.field = Some(field.to_owned());
                error
            }
            Error::LooksAlike { number, resembled, shop_parts } => {
                let mut error = Self::new(ErrorCode::LooksAlike, resembled.question(number));
                error.field = Some("image".to_owned());
                error.resembles = Some(Box::new(ResembledPart {
                    photo: number,
                    id: resembled.label.to_string(),
                    name: resembled.name,
                    thumbnail_url: resembled
                        .nearest
                        .map(|id| format!("/api/catalog/references/{id}/thumbnail")),
                    shop_parts: shop_parts.into_iter().map(ShopPartText::from).collect(),
                }));
                error
            }
            Error::QuotaReached { quota, plan } => {
                let mut error = Self::new(ErrorCode::Conflict, quota.sentence(plan));
                error.field = Some(quota.field().to_owned());
                error
            }
            Error::Photo { source } => photo_error(&source),
            Error::PhotoAmong { number, n_photos, source } => photo_error(&source).of_photo(number, n_photos),
            Error::PhotoQuarantined { number, n_photos } => photo_quarantined().of_photo(number, n_photos),
            Error::EngineLost(source) => {
                Self::unavailable(ErrorCode::Busy, messages::ENGINE_LOST, 5).with_cause(source)
            }
            Error::NotIdentified => Self::new(ErrorCode::NotIdentified, messages::NOT_IDENTIFIED),
            Error::NotIdentifiedAmongLearnt => {
                Self::new(ErrorCode::NotIdentified, messages::NOT_IDENTIFIED_AMONG_LEARNT)
            }
            Error::LimitReached { .. } => Self::new(ErrorCode::LimitReached, messages::SCAN_LIMIT_EXCEEDED),
            Error::Busy | Error::ShuttingDown => Self::unavailable(ErrorCode::Busy, messages::BUSY, 2),
            Error::Overloaded { retry_after } => overloaded(retry_after),
            Error::TooLong => Self::unavailable(ErrorCode::Busy, messages::TOO_LONG, 60),
            Error::PhotoWorkUsedUp { retry_after } => {
                Self::to_be_repeated(ErrorCode::TooManyAttempts, messages::PHOTO_WORK_USED_UP, retry_after)
            }
            Error::NamingsUsedUp { retry_after } => {
                Self::to_be_repeated(ErrorCode::TooManyAttempts, messages::NAMINGS_USED_UP, retry_after)
            }
            Error::DatabaseBusy(source) => {
                Self::unavailable(ErrorCode::Busy, Error::of_busy_database(&source), 5).with_cause(source)
            }
            Error::PhotoStorageAway { source } => {
                Self::unavailable(ErrorCode::ServiceDown, messages::PHOTO_STORAGE_AWAY, 60).with_cause(source)
            }
            Error::StorageFull(source) => Self::storage_full(source),
            Error::VinDecoderOff => Self::not_found(messages::VIN_DECODER_OFF),
            Error::VinDecoder(source) => {
                Self::unavailable(ErrorCode::ServiceDown, messages::VIN_DECODER_DOWN, 60).with_cause(source)
            }
            Error::TaughtPartsAway => vector_index_down(),
            Error::VectorIndex(source) => vector_index_down().with_cause(source),
            other => Self::internal(other),
        }
    }
}

fn vector_index_down() -> ApiError {
    ApiError::unavailable(ErrorCode::ServiceDown, messages::VECTOR_INDEX_DOWN, 60)
}

fn scope_missing(scope: &str) -> ApiError {
    let sentence = format!("This API key does not have the scope `{scope}`. Please make one that has it.");
    ApiError::new(ErrorCode::Forbidden, sentence)
}

/// Rounds the time to wait up: a client that retries too early would be refused once more.
fn overloaded(retry_after: Duration) -> ApiError {
    let seconds = retry_after.as_millis().div_ceil(1000).max(1);
    ApiError::unavailable(ErrorCode::Busy, messages::BUSY, u32::try_from(seconds).unwrap_or(u32::MAX))
}

fn photo_error(source: &PhotoError) -> ApiError {
    let detail = sentence(&source.to_string());
    let mut error = match source {
        PhotoError::TooManyBytes { .. } => ApiError::too_large(detail),
        PhotoError::NotAnImage | PhotoError::UnsupportedFormat { .. } => {
            ApiError::unsupported_media_type(detail)
        }
        _ => ApiError::new(ErrorCode::Invalid, detail),
    };
    error.field = Some("image".to_owned());
    error
}

fn photo_quarantined() -> ApiError {
    let mut error = ApiError::new(ErrorCode::Invalid, messages::PHOTO_QUARANTINED);
    error.field = Some("image".to_owned());
    error
}

impl From<QueryRejection> for ApiError {
    fn from(rejection: QueryRejection) -> Self {
        UnreadableInput::of_query(&rejection).into()
    }
}

impl From<UnreadableInput> for ApiError {
    fn from(input: UnreadableInput) -> Self {
        let mut error = Self::new(ErrorCode::Invalid, input.sentence);
        error.field = Some(input.field);
        error
    }
}

/// Whether a body could not be read because it arrived too slowly.
pub(crate) fn is_stalled(error: &(dyn std::error::Error + 'static)) -> bool {
    let mut next = Some(error);
    while let Some(error) = next {
        if error.is::<Stalled>() {
            return true;
        }
        next = error.source();
    }
    false
}

/// A body missed its deadline.
#[derive(Debug, thiserror::Error)]
#[error("the body came too slowly")]
pub(crate) struct Stalled;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cause_is_found_below_other_errors() {
        let stalled = axum::Error::new(axum::Error::new(Stalled));
        assert!(is_stalled(&stalled));
        assert!(!is_stalled(&axum::Error::new(std::io::Error::other("cut off"))));
    }

    #[test]
    fn no_error_of_a_batch_says_that_nothing_was_saved() {
        let full = ApiError::storage_full(std::io::Error::other("full"));
        for error in [ApiError::upload_stalled(), Error::TooLong.into(), full] {
            let of_batch = error.clone().of_batch();
            assert!(error.detail.to_lowercase().contains("nothing was saved"), "{}", error.detail);
            assert!(of_batch.detail.contains("are in the batch"), "{}", of_batch.detail);
            assert_eq!(
                (of_batch.status(), of_batch.retry_after_seconds),
                (error.status(), error.retry_after_seconds)
            );
        }
        let other = ApiError::not_found(messages::BATCH_NOT_FOUND).of_batch();
        assert_eq!(other.detail, messages::BATCH_NOT_FOUND);
    }
}
