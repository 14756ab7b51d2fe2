//! The Model Context Protocol (MCP): tools for language model clients.
//!
//! Every tool calls our own HTTP API through the same router with the caller's key, so the key's scopes, limits and
//! refusals apply. No session is kept: any server that shares the database can answer any message.

mod arguments;
mod http;
mod photos;
mod protocol;
mod schema;
mod shop_work;
mod tools;

use std::io::Read;
use std::net::SocketAddr;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{ConnectInfo, Request};
use axum::http::header::{AUTHORIZATION, CONTENT_TYPE};
use axum::http::request::Parts;
use axum::http::{HeaderValue, Method, Version};
use partsight_app::{KeyCaller, SecretToken};
use serde_json::{Value, json};
use tower::ServiceExt;

use crate::caller::FORWARDED_FOR;
use crate::middleware::key_access;
use crate::next_page::NEXT_CURSOR;

use arguments::ToolError;
pub(crate) use http::routes;
use tools::Tool;

/// Largest message, in bytes: a photograph of some 9 MB in base64.
pub const MAX_MCP_MESSAGE_BYTES: usize = 12 * 1024 * 1024;
/// Largest response of a call that a tool passes to the client, in bytes.
const MAX_ANSWER_BYTES: usize = 4 * 1024 * 1024;

/// Answers MCP messages. Cheap to clone.
#[derive(Clone)]
pub struct McpServer {
    calls: Router,
    max_photo_bytes: usize,
}

partsight_domain::debug_fields!(McpServer { max_photo_bytes });

/// The sender of a message.
#[derive(Clone)]
pub struct McpCaller {
    authorization: HeaderValue,
    key: KeyCaller,
    origin: Origin,
    /// Whether the sender is on this machine, and may name its files.
    reads_files: bool,
}

partsight_domain::debug_fields!(McpCaller { reads_files });

impl McpCaller {
    /// A program on this machine that started this one. `None` if the key is not valid in a header.
    pub fn on_this_machine(secret: &SecretToken, key: KeyCaller) -> Option<Self> {
        let authorization = HeaderValue::from_str(&format!("Bearer {}", secret.as_str())).ok()?;
        Some(Self { authorization, key, origin: Origin::default(), reads_files: true })
    }
}

/// Where a message came from. Passed to the calls it makes, since their limits count by address.
#[derive(Clone, Default)]
struct Origin {
    peer: Option<ConnectInfo<SocketAddr>>,
    forwarded_for: Vec<HeaderValue>,
}

impl Origin {
    fn of(parts: &Parts) -> Self {
        Self {
            peer: parts.extensions.get().copied(),
            forwarded_for: parts.headers.get_all(FORWARDED_FOR).iter().cloned().collect(),
        }
    }
}

/// The response of one of our calls.
struct Answer {
    is_success: bool,
    body: Value,
    /// Cursor of the next page, for a list whose cursor is in a header instead of the body.
    next: Option<String>,
}

impl McpServer {
    /// A server that makes `calls`, which accept photographs of up to `max_photo_bytes`.
    pub(crate) fn over(calls: Router, max_photo_bytes: usize) -> Self {
        Self { calls, max_photo_bytes }
    }

    /// The response to a message above [`MAX_MCP_MESSAGE_BYTES`] on standard input, of which only the id is kept in
    /// memory. A client waits for a response with the id of its request.
    pub fn refuse_large(message: impl Read) -> Value {
        protocol::write(&protocol::read_id(message), Err(protocol::Refusal::too_large()))
    }

    /// The response to a message of at most [`MAX_MCP_MESSAGE_BYTES`]; `None` for a notification or a response.
    pub async fn answer(&self, message: &[u8], caller: &McpCaller) -> Option<Value> {
        let message = match protocol::read(message) {
            // A notification gets no response, not even if its method is unknown.
            Ok(message) => message?,
            Err(refusal) => return Some(refusal),
        };
        let result = match message.method.as_str() {
            "initialize" => Ok(protocol::initialize(&message.params)),
            "ping" => Ok(json!({})),
            "tools/list" => Ok(json!({ "tools": tools::list(caller) })),
            "tools/call" => self.call_tool(&message.params, caller).await,
            other => Err(protocol::Refusal::unknown_method(other)),
        };
        Some(protocol::write(&message.id, result))
    }

    async fn call_tool(&self, params: &Value, caller: &McpCaller) -> Result<Value, protocol::Refusal> {
        let name = params["name"].as_str().unwrap_or_default();
        let tool = Tool::from_name(name).ok_or_else(|| protocol::Refusal::unknown_tool(name))?;
        let arguments = &params["arguments"];
        Ok(match tools::call(self, tool, arguments, caller).await {
            Ok(answer) if answer.is_success => result(&answer.body),
            // The sentence for people; a model needs nothing else from the problem.
            Ok(answer) => refused(&refusal(&answer.body, |field| tool.takes(field))),
            // A tool result, not a protocol error: the model sees only results, and can correct its call.
            Err(ToolError(message)) => refused(&message),
        })
    }

    /// Makes one of our calls with the caller's key.
    async fn call(
        &self,
        caller: &McpCaller,
        method: Method,
        path: &str,
        body: Option<(&str, Vec<u8>)>,
    ) -> Result<Answer, ToolError> {
        let broken = || ToolError("The call could not be made.".to_owned());
        let mut request = Request::builder().method(method).uri(path).version(Version::HTTP_10);
        // HTTP/1.0, which needs no `Host` header: the host of the client's own request is checked already.
        request = request.header(AUTHORIZATION, caller.authorization.clone());
        let body = match body {
            Some((media_type, bytes)) => {
                request = request.header(CONTENT_TYPE, media_type);
                Body::from(bytes)
            }
            None => Body::empty(),
        };
        for address in &caller.origin.forwarded_for {
            request = request.header(FORWARDED_FOR, address);
        }
        let mut request = request.body(body).map_err(|_| broken())?;
        // So that limits by address count the client, not this program.
        if let Some(peer) = caller.origin.peer {
            request.extensions_mut().insert(peer);
        }
        // Through all layers, as for a call from outside: they check the key's scopes and limits.
        let Ok(response) = self.calls.clone().oneshot(request).await;
        let is_success = response.status().is_success();
        let next = response.headers().get(NEXT_CURSOR).and_then(|next| next.to_str().ok()).map(str::to_owned);
        let bytes = to_bytes(response.into_body(), MAX_ANSWER_BYTES).await.map_err(|_| broken())?;
        let body = if bytes.is_empty() { Ok(Value::Null) } else { serde_json::from_slice(&bytes) };
        Ok(Answer { is_success, body: body.map_err(|_| broken())?, next })
    }
}

/// The reason for a refusal, and the name of the invalid field if the sentence lacks it and the tool has that
/// argument.
fn refusal(problem: &Value, takes: impl Fn(&str) -> bool) -> String {
    let sentence = problem["detail"].as_str().unwrap_or("The call failed.");
    match problem["field"].as_str() {
        Some(field) if takes(field) && !sentence.contains(&format!("`{field}`")) => {
            format!("{sentence} (field: `{field}`)")
        }
        _ => sentence.to_owned(),
    }
}

/// The result of a tool that failed.
fn refused(sentence: &str) -> Value {
    json!({ "content": [{ "type": "text", "text": sentence }], "isError": true })
}

/// The result of a tool: the response of a call, as text and as structured content.
fn result(body: &Value) -> Value {
    // MCP requires an object here.
    let structure = if body.is_object() { body.clone() } else { json!({ "items": body }) };
    json!({
        // Twice, since older clients read only the text.
        "content": [{ "type": "text", "text": structure.to_string() }],
        "structuredContent": structure,
        "isError": false,
    })
}

/// The `Authorization` header of a request that has a key, unchanged.
fn authorization(request: &Request) -> Option<HeaderValue> {
    key_access::has_key(request.headers()).then(|| request.headers().get(AUTHORIZATION).cloned())?
}
