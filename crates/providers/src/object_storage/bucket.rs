//! Objects of a bucket, by the S3 protocol.

use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use http_body_util::BodyExt as _;
use object_store::aws::{AmazonS3, AmazonS3Builder};
use object_store::client::{
    HttpClient, HttpConnector, HttpError, HttpErrorKind, HttpRequest, HttpResponse, HttpService,
};
use object_store::path::Path;
use object_store::{ClientOptions, ObjectStoreExt as _, RetryConfig};
use openidconnect::http;

use super::hashes::Hashes;
use super::{ObjectStorageFailure, ObjectStorageSettings};
use crate::http::{CallError, CallOptions, OutgoingCalls};
use crate::is_on_this_machine;

/// Time limit of one request: the largest photograph, 25 MB unless a setting says more, at 4 Mbit/s.
const CALL_LIMIT: Duration = Duration::from_mins(1);
/// Bytes of an answer that are read: more than any photograph has.
const MAX_ANSWER_BYTES: usize = 1 << 30;

/// A bucket, and where in it the objects are.
#[derive(Debug, Clone)]
pub(super) struct Bucket {
    client: Arc<AmazonS3>,
    prefix: String,
}

impl Bucket {
    /// The bucket at `place`, such as `bucket/prefix`.
    pub(super) fn new(place: &str, settings: &ObjectStorageSettings) -> Result<Self, ObjectStorageFailure> {
        let (bucket, prefix) = place.split_once('/').unwrap_or((place, ""));
        let (Some(id), Some(key)) = (&settings.access_key_id, &settings.secret_access_key) else {
            return Err(ObjectStorageFailure::NoKey);
        };
        let endpoint = settings.endpoint_of_buckets();
        let calls = OutgoingCalls::with(CallOptions {
            max_answer_bytes: MAX_ANSWER_BYTES,
            timeout: CALL_LIMIT,
            is_direct: is_on_this_machine(&endpoint),
        })
        .map_err(|error| ObjectStorageFailure::Away { reason: error.to_string() })?;
        let client = AmazonS3Builder::new()
            .with_bucket_name(bucket)
            .with_region(&settings.region)
            .with_endpoint(endpoint)
            // The settings allow it only in this network.
            .with_allow_http(true)
            .with_access_key_id(id)
            .with_secret_access_key(key.reveal())
            // Not all services know the deletion of many objects at once.
            .with_disable_bulk_delete(true)
            .with_retry(RetryConfig { max_retries: 1, retry_timeout: CALL_LIMIT, ..RetryConfig::default() })
            .with_crypto_provider(Arc::new(Hashes))
            .with_http_connector(Calls(calls))
            .build()
            .map_err(|error| failure(&error))?;
        Ok(Self { client: Arc::new(client), prefix: prefix.to_owned() })
    }

    pub(super) async fn put(&self, key: &str, bytes: Vec<u8>) -> Result<(), ObjectStorageFailure> {
        self.client.put(&self.path(key), bytes.into()).await.map_err(|error| failure(&error))?;
        Ok(())
    }

    pub(super) async fn get(&self, key: &str) -> Result<Option<Vec<u8>>, ObjectStorageFailure> {
        let found = match self.client.get(&self.path(key)).await {
            Ok(found) => found.bytes().await,
            Err(error) => Err(error),
        };
        match found {
            Ok(bytes) => Ok(Some(bytes.into())),
            Err(error) if is_without_object(&error) => Ok(None),
            Err(error) => Err(failure(&error)),
        }
    }

    pub(super) async fn delete(&self, key: &str) -> Result<(), ObjectStorageFailure> {
        match self.client.delete(&self.path(key)).await {
            // S3 says that it has deleted what is not there; some services say the truth.
            Err(error) if !is_without_object(&error) => Err(failure(&error)),
            _ => Ok(()),
        }
    }

    fn path(&self, key: &str) -> Path {
        Path::from(format!("{}/{key}", self.prefix))
    }
}

/// Whether the bucket says that it has no such object. A bucket that is missing says 404 as well.
fn is_without_object(error: &object_store::Error) -> bool {
    match error {
        object_store::Error::NotFound { source, .. } => !source.to_string().contains("NoSuchBucket"),
        _ => false,
    }
}

fn failure(error: &object_store::Error) -> ObjectStorageFailure {
    match error {
        object_store::Error::NotFound { .. } => ObjectStorageFailure::Missing,
        object_store::Error::PermissionDenied { .. } | object_store::Error::Unauthenticated { .. } => {
            ObjectStorageFailure::Refused
        }
        other => {
            let mut innermost: &dyn std::error::Error = other;
            while let Some(source) = innermost.source() {
                innermost = source;
            }
            let text = innermost.to_string();
            // An answer of the service follows in XML.
            let reason = text.split(['<', '\n']).next().unwrap_or_default().trim_end_matches([' ', ':']);
            ObjectStorageFailure::Away { reason: reason.to_owned() }
        }
    }
}

/// Lets the requests go out by the client of all other calls.
#[derive(Debug, Clone)]
struct Calls(OutgoingCalls);

impl HttpConnector for Calls {
    fn connect(&self, _: &ClientOptions) -> object_store::Result<HttpClient> {
        Ok(HttpClient::new(self.clone()))
    }
}

impl HttpService for Calls {
    fn call<'call, 'asynchronous>(
        &'call self,
        request: HttpRequest,
    ) -> Pin<Box<dyn Future<Output = Result<HttpResponse, HttpError>> + Send + 'asynchronous>>
    where
        'call: 'asynchronous,
        Self: 'asynchronous,
    {
        Box::pin(async move {
            let (parts, body) = request.into_parts();
            let body = body.collect().await?.to_bytes().to_vec();
            let answer = self.0.answer(http::Request::from_parts(parts, body)).await.map_err(http_error)?;
            Ok(answer.map(Into::into))
        })
    }
}

fn http_error(error: CallError) -> HttpError {
    let kind = match &error {
        CallError::Call(cause) if cause.is_timeout() => HttpErrorKind::Timeout,
        CallError::Call(cause) if cause.is_connect() => HttpErrorKind::Connect,
        CallError::Call(_) => HttpErrorKind::Interrupted,
        CallError::TooLarge { .. } | CallError::Malformed(_) => HttpErrorKind::Decode,
    };
    HttpError::new(kind, error)
}
