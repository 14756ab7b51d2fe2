//! JSON-RPC 2.0 as MCP uses it.

use std::io::Read;

use serde::Deserialize;
use serde_json::{Value, json};

use super::MAX_MCP_MESSAGE_BYTES;
use crate::objects_only::ObjectsOnly;

/// The supported versions, newest first: <https://modelcontextprotocol.io/specification/2025-11-25>. They differ only in
/// features that we do not use.
const VERSIONS: [&str; 4] = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];

const INSTRUCTIONS: &str = "Identifies car parts on photographs and keeps the garage around them. Begin with \
    identify_part; its answer says how sure it is: `identified`, `not-sure` with what else it may be. Ask a person before \
    you log a repair.";

/// A request that needs a response.
pub(super) struct Message {
    pub(super) id: Value,
    pub(super) method: String,
    pub(super) params: Value,
}

/// Why a request is refused.
pub(super) struct Refusal {
    code: i32,
    message: String,
}

impl Refusal {
    pub(super) fn unknown_method(method: &str) -> Self {
        Self { code: -32601, message: format!("unknown method `{method}`") }
    }

    pub(super) fn too_large() -> Self {
        let limit = MAX_MCP_MESSAGE_BYTES / (1024 * 1024);
        Self {
            code: -32600,
            message: format!("a message has at most {limit} MB; please give the photograph by `path`"),
        }
    }

    pub(super) fn unspoken_version() -> Self {
        Self {
            code: -32600,
            message: format!(
                "this version of the protocol is not spoken; these are: {}",
                VERSIONS.join(", ")
            ),
        }
    }

    pub(super) fn unknown_tool(name: &str) -> Self {
        Self { code: -32602, message: format!("unknown tool `{name}`") }
    }
}

/// Parses a message; `None` if it needs no response, such as a notification.
///
/// # Errors
/// The whole error response, if the bytes are not a valid message.
pub(super) fn read(bytes: &[u8]) -> Result<Option<Message>, Value> {
    // The id is null if it could not be read (JSON-RPC 2.0, section 5).
    let refuse = |code: i32, text: &str| write(&Value::Null, Err(Refusal { code, message: text.to_owned() }));
    let mut message: Value = serde_json::from_slice(bytes).map_err(|_| refuse(-32700, "this is no JSON"))?;
    // For a batch, which is an array, this is null.
    if message["jsonrpc"] != "2.0" {
        return Err(refuse(-32600, "this is no message of JSON-RPC 2.0; batches are not taken"));
    }
    let Some(method) = message["method"].as_str().map(str::to_owned) else {
        // A response. We send no requests, so it is ignored.
        return if message.get("id").is_some() && (message.get("result").or(message.get("error"))).is_some() {
            Ok(None)
        } else {
            Err(refuse(-32600, "a message needs a method"))
        };
    };
    let params = message["params"].take();
    match message.get("id") {
        None => Ok(None),
        Some(id) if id.is_string() || id.is_number() => Ok(Some(Message { id: id.clone(), method, params })),
        // MCP forbids a null id, which JSON-RPC allows.
        Some(_) => Err(refuse(-32600, "an id is a text or a number")),
    }
}

/// The id of a request, which may stand anywhere in it; null without one that can be read. What else the message has
/// is skipped while it is read.
pub(super) fn read_id(message: impl Read) -> Value {
    #[derive(Deserialize)]
    struct Head {
        #[serde(default)]
        id: Value,
    }

    let mut deserializer = serde_json::Deserializer::from_reader(message);
    let head = Head::deserialize(ObjectsOnly(&mut deserializer));
    head.ok().map(|head| head.id).filter(|id| id.is_string() || id.is_number()).unwrap_or_default()
}

/// The response to a request.
pub(super) fn write(id: &Value, result: Result<Value, Refusal>) -> Value {
    match result {
        Ok(result) => json!({ "jsonrpc": "2.0", "id": id, "result": result }),
        Err(Refusal { code, message }) => {
            json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": message } })
        }
    }
}

/// Whether the version in a header is supported.
pub(super) fn speaks(version: &[u8]) -> bool {
    VERSIONS.iter().any(|spoken| spoken.as_bytes() == version)
}

/// The `initialize` result, with the client's version if we support it, otherwise our newest.
pub(super) fn initialize(params: &Value) -> Value {
    let wanted = params["protocolVersion"].as_str().unwrap_or_default();
    let version = VERSIONS.into_iter().find(|version| *version == wanted).unwrap_or(VERSIONS[0]);
    json!({
        "protocolVersion": version,
        "capabilities": { "tools": {} },
        "serverInfo": { "name": "partsight", "title": "Partsight", "version": env!("CARGO_PKG_VERSION") },
        "instructions": INSTRUCTIONS,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_wants_an_answer_and_a_notification_none() {
        let request = br#"{"jsonrpc":"2.0","id":7,"method":"ping"}"#;
        let Ok(Some(message)) = read(request) else { panic!("no request") };
        assert_eq!((message.id, message.method.as_str()), (json!(7), "ping"));
        for silent in [
            &br#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#[..],
            br#"{"jsonrpc":"2.0","id":1,"result":{}}"#,
        ] {
            assert!(matches!(read(silent), Ok(None)));
        }
    }

    #[test]
    fn what_is_no_message_is_refused_by_its_code() {
        for (bytes, code) in [
            (&b"{"[..], -32700),
            (b"[]", -32600),
            (b"{}", -32600),
            (br#"{"jsonrpc":"2.0","id":1}"#, -32600),
            (br#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#, -32600),
            (br#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#, -32600),
        ] {
            let Err(refusal) = read(bytes) else { panic!("{}", String::from_utf8_lossy(bytes)) };
            assert_eq!(refusal["error"]["code"], code, "{}", String::from_utf8_lossy(bytes));
        }
    }

    #[test]
    fn only_the_id_of_the_message_itself_is_read() {
        for (message, id) in [
            (r#"{"id":7,"params":{"id":8}}"#, json!(7)),
            (r#"{"params":{"id":8,"list":[{"id":9}]},"id":"last"}"#, json!("last")),
            (r#"{"params":{"id":8}}"#, Value::Null),
            (r#"{"id":{"id":8}}"#, Value::Null),
            (r#"[{"id":8}]"#, Value::Null),
            (r"[8]", Value::Null),
            (r#"{"params":{"id":8"#, Value::Null),
            ("8", Value::Null),
        ] {
            assert_eq!(read_id(message.as_bytes()), id, "{message}");
        }
    }

    #[test]
    fn the_version_is_the_clients_where_it_is_known() {
        for (wanted, expected) in
            [("2024-11-05", "2024-11-05"), ("2025-06-18", "2025-06-18"), ("1999-01-01", VERSIONS[0])]
        {
            let answer = initialize(&json!({ "protocolVersion": wanted }));
            assert_eq!(answer["protocolVersion"], expected);
        }
    }
}
