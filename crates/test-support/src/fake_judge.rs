//! A vision-LLM that speaks `OpenAI`'s chat completions and Anthropic's messages over a real connection, says what a
//! test tells it to, and keeps every byte that it gets.

use std::collections::VecDeque;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{HeaderMap, Response, StatusCode, Uri};
use axum::routing::post;
use serde_json::{Value, json};
use tokio::sync::watch;
use tokio::task::JoinSet;

use crate::recorder::{Record, listen};

/// The key that the fake takes.
pub const KEY: &str = "sk-test-0123456789";
/// What it counts for each answer that it gives.
pub const INPUT_TOKENS: u64 = 1000;
pub const OUTPUT_TOKENS: u64 = 100;

/// What it says to one question.
#[derive(Clone)]
pub enum Says {
    /// The candidate of this place, or "none of these" beyond the last.
    Candidate(usize),
    /// This object in place of a judgement.
    Object(Value),
    /// This text in place of a JSON object.
    Text(String),
    /// That it would rather not.
    Refusal,
    /// This status, with these headers, and an error in the form of its protocol.
    Status(u16, Vec<(&'static str, String)>),
    /// These bytes with the status 200.
    Bytes(Vec<u8>),
    /// Nothing, ever.
    Silence,
    /// Something else, after this.
    After(Duration, Box<Says>),
    /// Something else, once the test opens the gate.
    AtGate(Box<Says>),
}

/// One question as it came.
#[derive(Debug, Clone)]
pub struct Question {
    pub path: String,
    pub headers: HeaderMap,
    pub body: Value,
}

impl Question {
    /// Whether it came in Anthropic's protocol.
    fn is_messages(&self) -> bool {
        self.path.ends_with("/messages")
    }

    /// The instructions.
    pub fn system(&self) -> &str {
        let system =
            if self.is_messages() { &self.body["system"] } else { &self.body["messages"][0]["content"] };
        system.as_str().unwrap()
    }

    /// The JSON object beside the photograph, or without one.
    pub fn text(&self) -> Value {
        let message = usize::from(!self.is_messages());
        let parts = &self.body["messages"][message]["content"];
        let part = parts.as_array().unwrap().iter().find(|part| part["type"] == "text").unwrap();
        serde_json::from_str(part["text"].as_str().unwrap()).unwrap()
    }

    /// The photograph, still in base64.
    pub fn picture(&self) -> String {
        if self.is_messages() {
            return self.body["messages"][0]["content"][0]["source"]["data"].as_str().unwrap().to_owned();
        }
        let url = self.body["messages"][1]["content"][1]["image_url"]["url"].as_str().unwrap();
        url.strip_prefix("data:image/jpeg;base64,").unwrap().to_owned()
    }

    fn label(&self, index: usize) -> String {
        let label = self.text()["candidates"][index]["label"].as_str().map(str::to_owned);
        label.unwrap_or_else(|| "none_of_these".to_owned())
    }

    /// What a real server refuses: a key, a header or a field that is not as its reference says.
    fn fault(&self) -> Option<u16> {
        let header = |name: &str| self.headers.get(name).and_then(|value| value.to_str().ok());
        let bearer = format!("Bearer {KEY}");
        if self.is_messages() {
            if header("x-api-key") != Some(KEY) {
                return Some(401);
            }
            let schema = &self.body["tools"][0]["input_schema"]["type"];
            let forced = &self.body["tool_choice"]["name"];
            let is_good = header("anthropic-version") == Some("2023-06-01")
                && self.body["max_tokens"].is_u64()
                && self.body["system"].is_string()
                && schema == "object"
                && *forced == self.body["tools"][0]["name"];
            return (!is_good).then_some(400);
        }
        // Azure takes the key in a header of its own.
        if header("authorization") != Some(&bearer) && header("api-key") != Some(KEY) {
            return Some(401);
        }
        let limits = [&self.body["max_tokens"], &self.body["max_completion_tokens"]];
        let format = &self.body["response_format"];
        let schema = &format["json_schema"];
        // Strict schemas name every property as required, and allow no other.
        let is_strict = schema["strict"] == true
            && schema["schema"]["additionalProperties"] == false
            && schema["schema"]["required"].as_array().map(Vec::len)
                == schema["schema"]["properties"].as_object().map(serde_json::Map::len);
        let is_good = limits.iter().filter(|limit| limit.is_u64()).count() == 1
            && self.body["messages"][0]["role"] == "system"
            && (format.is_null() || format["type"] == "json_object" || is_strict);
        (!is_good).then_some(400)
    }
}

/// The fake. It ends with the test.
pub struct FakeJudge {
    pub address: SocketAddr,
    shared: Arc<Shared>,
    record: Record,
    _server: JoinSet<()>,
}

struct Shared {
    script: Mutex<VecDeque<Says>>,
    otherwise: Says,
    questions: watch::Sender<Vec<Question>>,
    gate: watch::Sender<bool>,
    dropped: watch::Sender<usize>,
}

impl FakeJudge {
    /// A fake that says each of `script` in turn, and `otherwise` from then on.
    pub async fn start(script: Vec<Says>, otherwise: Says) -> Self {
        let shared = Arc::new(Shared {
            script: Mutex::new(script.into()),
            otherwise,
            questions: watch::channel(Vec::new()).0,
            gate: watch::channel(false).0,
            dropped: watch::channel(0).0,
        });
        let (recorder, record) = listen().await;
        let router = Router::new()
            .route("/v1/chat/completions", post(answer))
            .route("/v1/messages", post(answer))
            .with_state(Arc::clone(&shared));
        let mut server = JoinSet::new();
        server.spawn(async move { axum::serve(recorder, router).await.unwrap() });
        Self { address: record.address, shared, record, _server: server }
    }

    /// A fake that always says the same.
    pub async fn saying(says: Says) -> Self {
        Self::start(Vec::new(), says).await
    }

    /// The address below which chat completions are.
    pub fn base_url(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    /// The questions so far.
    pub fn questions(&self) -> Vec<Question> {
        self.shared.questions.borrow().clone()
    }

    /// Waits until `n` questions have come.
    pub async fn wait_for_questions(&self, n: usize) {
        self.shared.questions.subscribe().wait_for(|questions| questions.len() >= n).await.unwrap();
    }

    /// Waits until `n` questions were given up by whoever asked.
    pub async fn wait_for_dropped(&self, n: usize) {
        self.shared.dropped.subscribe().wait_for(|dropped| *dropped >= n).await.unwrap();
    }

    /// Lets what waits at the gate through, now and from now on.
    pub fn open_gate(&self) {
        self.shared.gate.send_replace(true);
    }

    /// Every byte that has come, of all connections.
    pub fn bytes(&self) -> Vec<u8> {
        self.record.bytes()
    }
}

async fn answer(
    State(shared): State<Arc<Shared>>,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> Response<Body> {
    let question =
        Question { path: uri.path().to_owned(), headers, body: serde_json::from_slice(&body).unwrap() };
    shared.questions.send_modify(|questions| questions.push(question.clone()));
    // After it was noted, so that a test can see what was refused.
    if let Some(status) = question.fault() {
        return error(status, Vec::new(), question.is_messages());
    }
    let says = shared.script.lock().unwrap().pop_front().unwrap_or_else(|| shared.otherwise.clone());
    // axum drops the handler where the client goes away, and with it this guard.
    let dropped = Dropped { shared: Arc::clone(&shared), is_answered: false };
    let response = say(says, &question, &shared).await;
    dropped.answered();
    response
}

/// Notes a question whose connection ended before its answer.
struct Dropped {
    shared: Arc<Shared>,
    is_answered: bool,
}

impl Dropped {
    fn answered(mut self) {
        self.is_answered = true;
    }
}

impl Drop for Dropped {
    fn drop(&mut self) {
        if !self.is_answered {
            self.shared.dropped.send_modify(|dropped| *dropped += 1);
        }
    }
}

async fn say(mut says: Says, question: &Question, shared: &Shared) -> Response<Body> {
    loop {
        says = match says {
            Says::After(delay, then) => {
                tokio::time::sleep(delay).await;
                *then
            }
            Says::AtGate(then) => {
                shared.gate.subscribe().wait_for(|is_open| *is_open).await.unwrap();
                *then
            }
            Says::Silence => std::future::pending().await,
            Says::Candidate(index) => Says::Object(judgement(&question.label(index))),
            other => return respond(other, question),
        }
    }
}

/// The object of a good answer.
pub fn judgement(label: &str) -> Value {
    json!({
        "label": label,
        "confidence": 0.93,
        "visibleEvidence": "A vented disc with five holes around the hub.",
        "partNumbers": ["45251-TBA-A00"],
        "betterPhoto": null,
    })
}

fn respond(says: Says, question: &Question) -> Response<Body> {
    let is_messages = question.is_messages();
    let message = match says {
        Says::Object(object) if is_messages => anthropic(
            &json!({
                "type": "tool_use", "id": "toolu_1", "name": question.body["tools"][0]["name"], "input": object,
            }),
            "tool_use",
        ),
        Says::Text(text) if is_messages => anthropic(&json!({ "type": "text", "text": text }), "end_turn"),
        Says::Refusal if is_messages => anthropic(&json!({ "type": "text", "text": "No." }), "refusal"),
        // Chat completions carry the object as text, messages as the input of a tool.
        Says::Object(object) => completion(&json!(object.to_string()), &Value::Null),
        Says::Text(text) => completion(&json!(text), &Value::Null),
        Says::Refusal => completion(&Value::Null, &json!("I cannot help with that.")),
        Says::Status(status, headers) => return error(status, headers, is_messages),
        Says::Bytes(bytes) => return json_response(200, Vec::new(), bytes),
        _ => unreachable!("resolved before"),
    };
    json_response(200, Vec::new(), message.to_string().into_bytes())
}

fn completion(content: &Value, refusal: &Value) -> Value {
    json!({
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1_800_000_000,
        "model": "judge-1",
        "choices": [{
            "index": 0,
            "message": { "role": "assistant", "content": content, "refusal": refusal },
            "logprobs": null,
            "finish_reason": "stop",
        }],
        "usage": {
            "prompt_tokens": INPUT_TOKENS,
            "completion_tokens": OUTPUT_TOKENS,
            "total_tokens": INPUT_TOKENS + OUTPUT_TOKENS,
        },
    })
}

fn anthropic(block: &Value, stop_reason: &str) -> Value {
    json!({
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "judge-1",
        // Words before the tool, so that nobody takes the first block for the answer.
        "content": [{ "type": "text", "text": "Let me see." }, block],
        "stop_reason": stop_reason,
        "stop_sequence": null,
        "usage": {
            // Parted as Anthropic does it: what came from a cache is not among the input tokens.
            "input_tokens": INPUT_TOKENS - 300,
            "cache_creation_input_tokens": null,
            "cache_read_input_tokens": 300,
            "output_tokens": OUTPUT_TOKENS,
        },
    })
}

fn error(status: u16, headers: Vec<(&'static str, String)>, is_messages: bool) -> Response<Body> {
    let body = if is_messages {
        json!({ "type": "error", "error": { "type": "api_error", "message": "no" } })
    } else {
        json!({ "error": { "message": "no", "type": "server_error", "param": null, "code": null } })
    };
    json_response(status, headers, body.to_string().into_bytes())
}

fn json_response(status: u16, headers: Vec<(&'static str, String)>, body: Vec<u8>) -> Response<Body> {
    let mut response = Response::builder()
        .status(StatusCode::from_u16(status).unwrap())
        .header("content-type", "application/json");
    for (name, value) in headers {
        response = response.header(name, value);
    }
    response.body(Body::from(body)).unwrap()
}
