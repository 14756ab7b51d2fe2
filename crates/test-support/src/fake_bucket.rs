//! A bucket that speaks the S3 protocol over a real connection: it checks each signature (AWS Signature Version 4) and
//! the hash of what is sent, and answers as Amazon does. What it is asked for by path, as `/bucket/key`.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, Method, StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::{Digest as _, Sha256};
use tokio::task::JoinSet;

use crate::recorder::{Record, listen};

/// The name of the only bucket.
pub const BUCKET: &str = "shop-photographs";
/// The key that it takes, and its id.
pub const KEY_ID: &str = "AKIDTEST";
pub const KEY: &str = "a-secret-access-key";
/// The region for which requests are signed.
pub const REGION: &str = "eu-central-1";

/// The fake. It ends with the test.
pub struct FakeBucket {
    pub endpoint: String,
    shared: Arc<Shared>,
    _record: Record,
    _server: JoinSet<()>,
}

#[derive(Default)]
struct Shared {
    objects: Mutex<BTreeMap<String, Vec<u8>>>,
    is_away: AtomicBool,
}

impl FakeBucket {
    pub async fn start() -> Self {
        let (recorder, record) = listen().await;
        let shared = Arc::new(Shared::default());
        let router = Router::new().fallback(answer).with_state(Arc::clone(&shared));
        let mut server = JoinSet::new();
        server.spawn(async move { axum::serve(recorder, router).await.unwrap() });
        Self { endpoint: format!("http://{}", record.address), shared, _record: record, _server: server }
    }

    /// Lets it answer 503 to everything, or work again.
    pub fn be_away(&self, is_away: bool) {
        self.shared.is_away.store(is_away, Ordering::SeqCst);
    }

    /// What it holds, by key.
    pub fn objects(&self) -> BTreeMap<String, Vec<u8>> {
        self.shared.objects.lock().unwrap().clone()
    }
}

async fn answer(
    State(shared): State<Arc<Shared>>,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    if shared.is_away.load(Ordering::SeqCst) {
        return error(StatusCode::SERVICE_UNAVAILABLE, "SlowDown");
    }
    if let Err(code) = check_signature(&method, &uri, &headers, &body) {
        return error(StatusCode::FORBIDDEN, code);
    }
    let Some(key) = uri.path().strip_prefix(&format!("/{BUCKET}/")).map(str::to_owned) else {
        return error(StatusCode::NOT_FOUND, "NoSuchBucket");
    };
    let mut objects = shared.objects.lock().unwrap();
    match method {
        Method::PUT => {
            objects.insert(key, body.to_vec());
            [("etag", "\"1\"")].into_response()
        }
        Method::GET => match objects.get(&key) {
            Some(bytes) => {
                let headers = [("etag", "\"1\""), ("last-modified", "Wed, 21 Oct 2015 07:28:00 GMT")];
                (headers, bytes.clone()).into_response()
            }
            None => error(StatusCode::NOT_FOUND, "NoSuchKey"),
        },
        Method::DELETE => {
            objects.remove(&key);
            StatusCode::NO_CONTENT.into_response()
        }
        _ => error(StatusCode::METHOD_NOT_ALLOWED, "MethodNotAllowed"),
    }
}

fn error(status: StatusCode, code: &'static str) -> Response {
    (status, format!("<?xml version=\"1.0\"?><Error><Code>{code}</Code></Error>")).into_response()
}

fn check_signature(method: &Method, uri: &Uri, headers: &HeaderMap, body: &[u8]) -> Result<(), &'static str> {
    let header = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let fields = header("authorization").strip_prefix("AWS4-HMAC-SHA256 ").ok_or("AccessDenied")?;
    let field = |name: &str| {
        let mut fields = fields.split(',').filter_map(|field| field.trim().split_once('='));
        fields.find(|(known, _)| *known == name).map(|(_, value)| value).unwrap_or_default()
    };
    let (id, scope) = field("Credential").split_once('/').unwrap_or_default();
    if id != KEY_ID {
        return Err("InvalidAccessKeyId");
    }
    let content = header("x-amz-content-sha256");
    if content != hex::encode(Sha256::digest(body)) {
        return Err("XAmzContentSHA256Mismatch");
    }
    let signed = field("SignedHeaders");
    if !["host", "x-amz-content-sha256", "x-amz-date"]
        .iter()
        .all(|name| signed.split(';').any(|s| s == *name))
    {
        return Err("AccessDenied");
    }
    let mut request = format!("{method}\n{}\n{}\n", uri.path(), uri.query().unwrap_or_default());
    for name in signed.split(';') {
        writeln!(request, "{name}:{}", header(name).trim()).unwrap();
    }
    write!(request, "\n{signed}\n{content}").unwrap();
    let moment = header("x-amz-date");
    let day = moment.get(..8).unwrap_or_default();
    if scope != format!("{day}/{REGION}/s3/aws4_request") {
        return Err("AuthorizationHeaderMalformed");
    }
    let text = format!("AWS4-HMAC-SHA256\n{moment}\n{scope}\n{}", hex::encode(Sha256::digest(&request)));
    let mut key = format!("AWS4{KEY}").into_bytes();
    for part in [day, REGION, "s3", "aws4_request"] {
        key = mac(&key, part);
    }
    let is_right = hex::encode(mac(&key, &text)) == field("Signature");
    if is_right { Ok(()) } else { Err("SignatureDoesNotMatch") }
}

fn mac(key: &[u8], text: &str) -> Vec<u8> {
    let mut mac = Hmac::<Sha256>::new_from_slice(key).unwrap();
    mac.update(text.as_bytes());
    mac.finalize().into_bytes().to_vec()
}
