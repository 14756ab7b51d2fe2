//! A push service as browsers use them, and browsers that subscribe there: they read what arrives with nothing but what
//! RFC 8291 and RFC 8292 say.

use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, HeaderName, StatusCode};
use axum::routing::post;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use p256::elliptic_curve::Generate;
use p256::elliptic_curve::sec1::ToSec1Point;
use p256::{PublicKey, SecretKey};
use ring::aead::{AES_128_GCM, Aad, LessSafeKey, Nonce, UnboundKey};
use ring::hkdf::{HKDF_SHA256, KeyType, Salt};
use ring::signature::{ECDSA_P256_SHA256_FIXED, UnparsedPublicKey};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use tokio::task::JoinSet;

use crate::recorder::{Record, listen};

/// A message as it arrived.
#[derive(Debug, Clone)]
pub(crate) struct Arrived {
    /// Of which browser.
    pub(crate) name: String,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Vec<u8>,
}

/// The status and headers of an answer.
type Answer = (u16, Vec<(&'static str, String)>);

#[derive(Clone)]
struct Shared {
    arrived: Arc<Mutex<Vec<Arrived>>>,
    answer: Arc<Mutex<Answer>>,
}

/// A push service, which ends with its test.
pub(crate) struct PushService {
    shared: Shared,
    record: Record,
    _server: JoinSet<()>,
}

impl PushService {
    pub(crate) async fn start() -> Self {
        let shared = Shared { arrived: Arc::default(), answer: Arc::new(Mutex::new((201, Vec::new()))) };
        let router = Router::new().route("/push/{name}", post(take)).with_state(shared.clone());
        let (recorder, record) = listen().await;
        let mut server = JoinSet::new();
        server.spawn(async move { axum::serve(recorder, router).await.unwrap() });
        Self { shared, record, _server: server }
    }

    pub(crate) fn origin(&self) -> String {
        format!("http://{}", self.record.address)
    }

    /// What is answered from now on.
    pub(crate) fn answer(&self, status: u16, headers: &[(&'static str, &str)]) {
        let headers = headers.iter().map(|(name, value)| (*name, (*value).to_owned())).collect();
        *self.shared.answer.lock().unwrap() = (status, headers);
    }

    pub(crate) fn arrived(&self) -> Vec<Arrived> {
        self.shared.arrived.lock().unwrap().clone()
    }

    /// A browser that takes its messages here.
    pub(crate) fn browser(&self, name: &str) -> Browser {
        Browser {
            name: name.to_owned(),
            origin: self.origin(),
            key: SecretKey::generate(),
            auth: Generate::generate(),
        }
    }
}

async fn take(
    State(shared): State<Shared>,
    Path(name): Path<String>,
    headers: HeaderMap,
    body: Bytes,
) -> (StatusCode, HeaderMap) {
    shared.arrived.lock().unwrap().push(Arrived { name, headers, body: body.to_vec() });
    let (status, headers) = shared.answer.lock().unwrap().clone();
    let headers = headers
        .into_iter()
        .map(|(name, value)| (HeaderName::from_static(name), value.parse().unwrap()))
        .collect();
    (StatusCode::from_u16(status).unwrap(), headers)
}

/// A browser with its keys.
pub(crate) struct Browser {
    name: String,
    origin: String,
    key: SecretKey,
    auth: [u8; 16],
}

impl Browser {
    fn point(&self) -> Vec<u8> {
        self.key.public_key().to_sec1_point(false).as_bytes().to_vec()
    }

    fn endpoint(&self) -> String {
        format!("{}/push/{}", self.origin, self.name)
    }

    /// What the app sends of it.
    pub(crate) fn form(&self) -> Value {
        json!({
            "endpoint": self.endpoint(),
            "p256dh": URL_SAFE_NO_PAD.encode(self.point()),
            "auth": URL_SAFE_NO_PAD.encode(self.auth),
        })
    }

    /// As the server names it.
    pub(crate) fn id(&self) -> String {
        hex::encode(Sha256::digest(self.endpoint().as_bytes()))
    }

    /// Where the app switches it off.
    pub(crate) fn path(&self) -> String {
        format!("/api/reminders/push/{}", self.id())
    }

    /// What a message says, once it is known to come from the server of this public key, and for this browser.
    #[track_caller]
    pub(crate) fn read(&self, message: &Arrived, server: &str) -> Value {
        assert_eq!(message.name, self.name);
        self.check_sender(message, server);
        assert_eq!(message.headers["content-encoding"], "aes128gcm");
        // RFC 8188, section 2.1.
        let (salt, rest) = message.body.split_at(16);
        let (record_size, rest) = rest.split_at(4);
        assert!(u32::from_be_bytes(record_size.try_into().unwrap()) as usize > rest.len(), "one record");
        assert_eq!(rest[0], 65);
        let (sender, record) = rest[1..].split_at(65);
        // RFC 8291, section 3.4.
        let shared = self.key.diffie_hellman(&PublicKey::from_sec1_bytes(sender).unwrap());
        let info = [&b"WebPush: info\0"[..], &self.point()[..], sender].concat();
        let key = derive(&self.auth, shared.raw_secret_bytes(), &info, 32);
        let nonce = derive(salt, &key, b"Content-Encoding: nonce\0", 12);
        let key = derive(salt, &key, b"Content-Encoding: aes128gcm\0", 16);
        let key = LessSafeKey::new(UnboundKey::new(&AES_128_GCM, &key).unwrap());
        let nonce = Nonce::try_assume_unique_for_key(&nonce).unwrap();
        let mut record = record.to_vec();
        let text = key.open_in_place(nonce, Aad::empty(), &mut record).expect("it is for another browser");
        let (end, text) = text.split_last().unwrap();
        assert_eq!(*end, 2, "the last record");
        serde_json::from_slice(text).unwrap()
    }

    /// RFC 8292, sections 2 and 3.
    #[track_caller]
    fn check_sender(&self, message: &Arrived, server: &str) {
        let header = message.headers["authorization"].to_str().unwrap();
        let (token, key) = header.strip_prefix("vapid t=").unwrap().split_once(", k=").unwrap();
        assert_eq!(key, server);
        let decode = |text: &str| URL_SAFE_NO_PAD.decode(text).unwrap();
        let (signed, signature) = token.rsplit_once('.').unwrap();
        UnparsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, decode(key))
            .verify(signed.as_bytes(), &decode(signature))
            .expect("somebody else signed it");
        let claims: Value = serde_json::from_slice(&decode(signed.split_once('.').unwrap().1)).unwrap();
        assert_eq!((&claims["aud"], &claims["sub"]), (&json!(self.origin), &json!("mailto:us@example.com")));
    }
}

struct Length(usize);

impl KeyType for Length {
    fn len(&self) -> usize {
        self.0
    }
}

fn derive(salt: &[u8], key: &[u8], info: &[u8], n_bytes: usize) -> Vec<u8> {
    let mut derived = vec![0; n_bytes];
    let extracted = Salt::new(HKDF_SHA256, salt).extract(key);
    extracted.expand(&[info], Length(n_bytes)).unwrap().fill(&mut derived).unwrap();
    derived
}
