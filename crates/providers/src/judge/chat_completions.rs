//! `OpenAI`'s chat completions, which Azure, `OpenRouter`, vLLM, Ollama and llama.cpp support as well.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use partsight_domain::NotJudged;
use serde::Deserialize;
use serde_json::{Value, json};

use super::answer::{Content, Outcome};
use super::prompt::Prompt;
use super::{AnswerFormat, JudgeProvider, JudgeSettings, JudgeUsage};

/// The body of a question.
pub(super) fn body(settings: &JudgeSettings, prompt: &Prompt<'_>) -> Value {
    let mut content = vec![json!({ "type": "text", "text": prompt.text })];
    if let Some(jpeg) = prompt.jpeg {
        let picture = format!("data:image/jpeg;base64,{}", STANDARD.encode(jpeg));
        content.push(json!({ "type": "image_url", "image_url": { "url": picture } }));
    }
    let mut body = json!({
        "model": settings.model,
        "messages": [
            { "role": "system", "content": prompt.system },
            { "role": "user", "content": content },
        ],
    });
    // OpenAI's reasoning models reject `max_tokens` and `temperature`; other servers know only the former.
    match settings.provider {
        Some(JudgeProvider::OpenaiCompatible) => {
            body["max_tokens"] = json!(settings.max_output_tokens);
            body["temperature"] = json!(0);
        }
        _ => body["max_completion_tokens"] = json!(settings.max_output_tokens),
    }
    match settings.answer_format {
        AnswerFormat::JsonSchema => {
            let schema = json!({ "name": prompt.name, "strict": true, "schema": prompt.schema });
            body["response_format"] = json!({ "type": "json_schema", "json_schema": schema });
        }
        AnswerFormat::JsonObject => body["response_format"] = json!({ "type": "json_object" }),
        AnswerFormat::Text => {}
    }
    body
}

#[derive(Deserialize)]
struct Completion {
    #[serde(default)]
    choices: Vec<Choice>,
    usage: Option<Usage>,
}

#[derive(Deserialize)]
struct Choice {
    message: Message,
    finish_reason: Option<String>,
}

#[derive(Deserialize)]
struct Message {
    content: Option<String>,
    refusal: Option<String>,
}

#[derive(Deserialize)]
struct Usage {
    #[serde(default)]
    prompt_tokens: u64,
    #[serde(default)]
    completion_tokens: u64,
}

/// Parses an answer with status 200.
pub(super) fn read(body: &[u8]) -> Outcome {
    let Ok(completion) = serde_json::from_slice::<Completion>(body) else {
        return Outcome { content: Err(NotJudged::AnswerUnreadable), usage: None };
    };
    let usage = completion.usage.map(|usage| JudgeUsage {
        input_tokens: usage.prompt_tokens,
        output_tokens: usage.completion_tokens,
    });
    // Only one choice is requested.
    let content = match completion.choices.into_iter().next() {
        Some(Choice { message, finish_reason })
            if message.refusal.is_some() || finish_reason.as_deref() == Some("content_filter") =>
        {
            Err(NotJudged::Refused)
        }
        Some(Choice { message: Message { content: Some(text), .. }, .. }) => Ok(Content::Text(text)),
        _ => Err(NotJudged::AnswerUnreadable),
    };
    Outcome { content, usage }
}
