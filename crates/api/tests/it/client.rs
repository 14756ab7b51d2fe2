use std::net::SocketAddr;
use std::time::Duration;

use partsight_test_support::PATIENCE;
use reqwest::header::{CONTENT_TYPE, HeaderMap, SET_COOKIE};
use reqwest::multipart::{Form, Part};
use reqwest::redirect::Policy;
use reqwest::{Method, RequestBuilder};
use serde_json::{Value, json};
use tokio::time::{sleep, timeout};

use crate::recorder::{FILE_NAME, PASSWORD, keep};

/// What the cookie of a session begins with, without https and with it.
const SESSIONS: [&str; 2] = ["partsight_session=", "__Host-partsight_session="];

/// A browser as far as the API can tell: it keeps cookies, but follows no redirect.
#[derive(Clone)]
pub(crate) struct Client {
    http: reqwest::Client,
    address: SocketAddr,
}

/// An answer, read whole.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) text: String,
}

impl Client {
    pub(crate) fn new(address: SocketAddr) -> Self {
        // The client has no cryptography of its own; a second one to choose it finds it chosen.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let http = reqwest::Client::builder()
            .cookie_store(true)
            .redirect(Policy::none())
            .no_proxy()
            .build()
            .unwrap();
        Self { http, address }
    }

    /// The same browser, with its cookies, at another port.
    pub(crate) fn at(&self, address: SocketAddr) -> Self {
        Self { http: self.http.clone(), address }
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// A request to be sent with [`send`].
    pub(crate) fn request(&self, method: Method, path: &str) -> RequestBuilder {
        self.http.request(method, format!("http://{}{path}", self.address))
    }

    pub(crate) async fn get(&self, path: &str) -> Reply {
        send(self.request(Method::GET, path)).await
    }

    /// What is at this path once it is as it should be: what is noted beside a call may come after its answer.
    pub(crate) async fn get_until(&self, path: &str, is_noted: impl Fn(&Value) -> bool) -> Value {
        let noted = async {
            loop {
                let body = self.get(path).await.expect_status(200).json();
                if is_noted(&body) {
                    return body;
                }
                sleep(Duration::from_millis(10)).await;
            }
        };
        timeout(PATIENCE, noted).await.unwrap_or_else(|_| panic!("{path} stays as it was"))
    }

    pub(crate) async fn delete(&self, path: &str) -> Reply {
        send(self.request(Method::DELETE, path)).await
    }

    pub(crate) async fn put(&self, path: &str) -> Reply {
        send(self.request(Method::PUT, path)).await
    }

    pub(crate) async fn put_json(&self, path: &str, body: &Value) -> Reply {
        send(self.request(Method::PUT, path).json(body)).await
    }

    pub(crate) async fn post(&self, path: &str, body: &Value) -> Reply {
        send(self.request(Method::POST, path).json(body)).await
    }

    pub(crate) async fn sign_up(&self, name: &str) -> Reply {
        let body = json!({
            "email": format!("{name}@example.com"), "password": PASSWORD,
            "firstName": "Ann", "lastName": "Lee",
        });
        self.post("/api/auth/signup", &body).await
    }

    pub(crate) async fn sign_in(&self, name: &str, password: &str) -> Reply {
        let body = json!({ "email": format!("{name}@example.com"), "password": password });
        self.post("/api/auth/login", &body).await
    }

    /// Adds a 2015 Honda of this model and gives its id.
    pub(crate) async fn add_vehicle(&self, model: &str) -> String {
        let body = json!({ "make": "Honda", "model": model, "year": 2015 });
        let reply = self.post("/api/vehicles", &body).await;
        reply.expect_status(201).json()["id"].as_str().unwrap().to_owned()
    }

    /// Adds a vehicle whose oil nobody knows, and gives its id.
    pub(crate) async fn add_trabant(&self, model: &str) -> String {
        let body = json!({ "make": "Trabant", "model": model, "year": 1988 });
        let reply = self.post("/api/vehicles", &body).await;
        reply.expect_status(201).json()["id"].as_str().unwrap().to_owned()
    }

    /// A write without a body.
    pub(crate) async fn post_bare(&self, path: &str) -> Reply {
        send(self.request(Method::POST, path)).await
    }

    /// Uploads a photograph as a browser does.
    pub(crate) async fn identify(&self, photo: &[u8]) -> Reply {
        self.identify_form(Form::new().part("image", file(photo, "image/jpeg"))).await
    }

    pub(crate) async fn identify_form(&self, form: Form) -> Reply {
        send(self.request(Method::POST, "/api/identify").multipart(form)).await
    }

    /// Scans that have been counted for this user.
    pub(crate) async fn used(&self) -> u64 {
        let reply = self.get("/api/scans/limits").await;
        reply.expect_status(200).json()["used"].as_u64().unwrap()
    }
}

/// A file of a form, named as a camera would.
pub(crate) fn file(bytes: &[u8], media_type: &str) -> Part {
    Part::bytes(bytes.to_vec()).file_name(FILE_NAME).mime_str(media_type).unwrap()
}

pub(crate) async fn send(request: RequestBuilder) -> Reply {
    let response = request.send().await.unwrap();
    for cookie in response.headers().get_all(SET_COOKIE) {
        // What opens an account is for this server alone.
        let pair = cookie.to_str().unwrap().split(';').next().unwrap();
        let token = SESSIONS.iter().find_map(|name| pair.strip_prefix(name));
        if let Some(token) = token.filter(|token| !token.is_empty()) {
            keep("the cookie of a session", token.as_bytes());
        }
    }
    let (status, headers) = (response.status().as_u16(), response.headers().clone());
    let reply = Reply { status, headers, text: response.text().await.unwrap() };
    // The answer to HEAD names its type and has no body.
    if !reply.text.is_empty() && reply.header(CONTENT_TYPE.as_str()).starts_with("application/json") {
        check_moments(&reply.json());
    }
    reply
}

/// Every moment of every answer is in UTC and has milliseconds: `2027-01-15T08:00:00.000Z`.
#[track_caller]
fn check_moments(value: &Value) {
    const FORM: &[u8] = b"0000-00-00T00:00:00.000Z";
    match value {
        Value::String(text) if text.get(..11).is_some_and(|day| is_like(day, &FORM[..11])) => {
            assert!(is_like(text, FORM), "{text}");
        }
        Value::Object(fields) => fields.values().for_each(check_moments),
        Value::Array(items) => items.iter().for_each(check_moments),
        _ => {}
    }
}

/// Whether a text has digits where `form` has zeros, and else the same bytes.
fn is_like(text: &str, form: &[u8]) -> bool {
    let fits =
        |(byte, wanted): (u8, &u8)| if *wanted == b'0' { byte.is_ascii_digit() } else { byte == *wanted };
    text.len() == form.len() && text.bytes().zip(form).all(fits)
}

impl Reply {
    #[track_caller]
    pub(crate) fn expect_status(&self, status: u16) -> &Self {
        assert_eq!(self.status, status, "{}", self.text);
        self
    }

    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_else(|error| panic!("{error}: {}", self.text))
    }

    /// The value of a header, empty without one.
    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }

    /// Checks that this is a whole error body, and gives its `detail`.
    #[track_caller]
    pub(crate) fn problem(&self, status: u16, code: &str) -> String {
        self.expect_status(status);
        assert_eq!(self.header(CONTENT_TYPE.as_str()), "application/problem+json", "{}", self.text);
        let body = self.json();
        assert_eq!(body["status"], status, "{body}");
        assert_eq!(body["code"], code, "{body}");
        assert_eq!(body["type"], format!("urn:partsight:{code}"), "{body}");
        assert_eq!(body["message"], body["detail"], "{body}");
        assert_eq!(body["requestId"], self.header("x-request-id"), "{body}");
        assert!(!body["requestId"].as_str().unwrap().is_empty(), "{body}");
        assert!(!body["title"].as_str().unwrap().is_empty(), "{body}");
        body["detail"].as_str().unwrap().to_owned()
    }

    /// Checks that the input `field` was refused, and gives the `detail`.
    #[track_caller]
    pub(crate) fn invalid(&self, field: &str) -> String {
        let detail = self.problem(422, "invalid");
        assert_eq!(self.json()["field"], field, "{}", self.text);
        detail
    }
}

/// Asserts status and body against a snapshot, without what differs from run to run.
macro_rules! assert_reply_snapshot {
    ($name:literal, $reply:expr) => {{
        let reply = &$reply;
        let body = $crate::client::redacted("", reply.json());
        insta::assert_json_snapshot!($name, serde_json::json!({ "status": reply.status, "body": body }));
    }};
}
pub(crate) use assert_reply_snapshot;

/// The value of the field `name` with what differs between runs or models replaced.
pub(crate) fn redacted(name: &str, value: Value) -> Value {
    match (name, value) {
        ("id", Value::String(id)) if id.len() == UUID_CHARS => "[id]".into(),
        (
            "requestId" | "createdAt" | "changedAt" | "scannedAt" | "modelSha256" | "modelVersion"
            | "catalogVersion",
            _,
        ) => format!("[{name}]").into(),
        ("thumbnailUrl", Value::String(_)) => "[thumbnailUrl]".into(),
        ("decode" | "preprocess" | "queue" | "inference" | "total", _) => "[ms]".into(),
        ("confidence" | "knownScore", Value::Number(_)) => "[score]".into(),
        ("identifiedConfidence" | "identifiedKnownScore" | "notAPartBelow", _) => "[threshold]".into(),
        (_, Value::Object(fields)) => {
            fields.into_iter().map(|(name, value)| (name.clone(), redacted(&name, value))).collect()
        }
        (_, Value::Array(items)) => items.into_iter().map(|item| redacted("", item)).collect(),
        (_, value) => value,
    }
}

/// Ids of rows are of this length, those of parts are names.
const UUID_CHARS: usize = 36;
