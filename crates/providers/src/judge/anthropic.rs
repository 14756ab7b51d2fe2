//! Anthropic's Messages API. The answer is the input of a tool that the model must use; the tool's schema is that of
//! the answer.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use partsight_domain::NotJudged;
use serde::Deserialize;
use serde_json::{Value, json};

use super::answer::{Content, Outcome};
use super::prompt::Prompt;
use super::{JudgeSettings, JudgeUsage};

/// The body of a question.
pub(super) fn body(settings: &JudgeSettings, prompt: &Prompt<'_>) -> Value {
    let mut content = Vec::new();
    if let Some(jpeg) = prompt.jpeg {
        let source = json!({ "type": "base64", "media_type": "image/jpeg", "data": STANDARD.encode(jpeg) });
        content.push(json!({ "type": "image", "source": source }));
    }
    // The image before the text, as Anthropic advises; nothing else depends on the order.
    content.push(json!({ "type": "text", "text": prompt.text }));
    json!({
        "model": settings.model,
        "max_tokens": settings.max_output_tokens,
        "system": prompt.system,
        "messages": [{ "role": "user", "content": content }],
        "tools": [{ "name": prompt.tool(), "description": prompt.purpose, "input_schema": prompt.schema }],
        "tool_choice": { "type": "tool", "name": prompt.tool() },
    })
}

#[derive(Deserialize)]
struct Message {
    #[serde(default)]
    content: Vec<Block>,
    stop_reason: Option<String>,
    usage: Option<Usage>,
}

#[derive(Deserialize)]
struct Block {
    #[serde(rename = "type")]
    kind: String,
    name: Option<String>,
    input: Option<Value>,
}

/// Tokens.
#[derive(Deserialize)]
struct Usage {
    #[serde(default, rename = "input_tokens")]
    input: u64,
    // Null if nothing was cached.
    #[serde(rename = "cache_creation_input_tokens")]
    written_to_cache: Option<u64>,
    #[serde(rename = "cache_read_input_tokens")]
    read_from_cache: Option<u64>,
    #[serde(default, rename = "output_tokens")]
    output: u64,
}

/// Parses an answer with status 200, which should contain the input of `tool`.
pub(super) fn read(body: &[u8], tool: &str) -> Outcome {
    let Ok(message) = serde_json::from_slice::<Message>(body) else {
        return Outcome { content: Err(NotJudged::AnswerUnreadable), usage: None };
    };
    let usage = message.usage.map(|usage| {
        // Cached tokens are not part of the input tokens here, unlike in the other protocol.
        let cached = [usage.written_to_cache, usage.read_from_cache];
        let input_tokens = cached.into_iter().flatten().fold(usage.input, u64::saturating_add);
        JudgeUsage { input_tokens, output_tokens: usage.output }
    });
    let input = message
        .content
        .into_iter()
        // Text blocks may precede it.
        .find(|block| block.kind == "tool_use" && block.name.as_deref() == Some(tool))
        .and_then(|block| block.input);
    let content = match (message.stop_reason.as_deref(), input) {
        // Before the input: a refusal can end in the middle of one.
        (Some("refusal"), _) => Err(NotJudged::Refused),
        (_, Some(input)) => Ok(Content::Object(input)),
        _ => Err(NotJudged::AnswerUnreadable),
    };
    Outcome { content, usage }
}
