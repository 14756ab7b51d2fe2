//! The vision-LLM that is asked where the model on this machine is not sure, and that fills in what the catalogue lacks.

mod answer;
mod anthropic;
mod chat_completions;
mod fill;
mod prompt;
mod question;

use std::sync::Arc;
use std::time::Duration;

use openidconnect::http::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use openidconnect::http::{Method, Request, StatusCode};
use openidconnect::{HttpRequest, HttpResponse};
use partsight_domain::{FillQuestion, Filled, Judgement, NotJudged};
use reqwest::Url;
use tokio::time::{Instant, sleep_until, timeout_at};

use crate::breaker::Breaker;
use crate::http::{CallError, CallOptions, OutgoingCalls, retry_after};
use crate::{Error, is_on_this_machine};

use answer::{Content, Outcome};
use prompt::Prompt;

pub use question::{JudgeCandidate, JudgeQuestion};

/// Largest answer that is read, in bytes. A good one has 1 to 4 KB.
const MAX_ANSWER_BYTES: usize = 256 * 1024;
/// How long to wait before the second try where the judge does not say.
const RETRY_DELAY: Duration = Duration::from_millis(500);
/// A judge that asks for more than this is asked again after this.
const MAX_LEFT_ALONE: Duration = Duration::from_mins(10);

/// Which protocol the judge speaks, and how it wants our key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JudgeProtocol {
    /// `OpenAI`'s chat completions.
    OpenAi,
    /// The same on Azure, where the key has a header of its own. The address is that of the resource with
    /// `/openai/v1`, or that of a deployment with its `api-version`.
    Azure,
    /// The same from others: `OpenRouter`, vLLM, Ollama, llama.cpp.
    OpenAiCompatible,
    /// Anthropic's messages.
    Anthropic,
}

impl JudgeProtocol {
    /// What the body of an answer says about a photograph, and the tokens that it counts. It is what [`Judge::ask`]
    /// makes of an answer with the status 200, without a judge.
    ///
    /// # Errors
    /// [`NotJudged`] for anything but the object that the question asks for.
    pub fn read_judgement(
        self,
        body: &[u8],
        question: &JudgeQuestion,
    ) -> (Result<Judgement, NotJudged>, Option<JudgeUsage>) {
        let Outcome { content, usage } = self.read(body, &question.prompt().tool());
        (content.and_then(|content| answer::parse(&content, question)), usage)
    }

    /// The same for what the catalogue lacks, as [`Judge::fill`] reads it.
    ///
    /// # Errors
    /// [`NotJudged`] for anything but the object that the question asks for.
    pub fn read_fill(
        self,
        body: &[u8],
        question: &FillQuestion,
    ) -> (Result<Option<Filled>, NotJudged>, Option<JudgeUsage>) {
        let Outcome { content, usage } = self.read(body, &fill::prompt(question).tool());
        (content.and_then(|content| fill::parse(&content, question.kind())), usage)
    }

    fn read(self, body: &[u8], tool: &str) -> Outcome {
        match self {
            Self::Anthropic => anthropic::read(body, tool),
            _ => chat_completions::read(body),
        }
    }
}

/// How the form of the answer is asked for where the protocol is one of chat completions. Anthropic's is always
/// asked for as the input of a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum JudgeAnswerFormat {
    /// `response_format` with the JSON schema: the server allows no other answer.
    #[default]
    JsonSchema,
    /// `response_format` with any JSON object, for servers that know no schema.
    JsonObject,
    /// In words alone, for servers that know neither.
    Text,
}

/// How the judge is reached. Its `Debug` output does not show the key.
#[derive(Clone)]
pub struct JudgeSettings {
    /// Which protocol.
    pub protocol: JudgeProtocol,
    /// The address below which its calls are, such as `https://api.openai.com/v1`.
    pub base_url: String,
    /// The model's name there.
    pub model: String,
    /// Our key; a server in the house may need none.
    pub api_key: Option<String>,
    /// How the form of the answer is asked for.
    pub answer_format: JudgeAnswerFormat,
    /// Most tokens of an answer.
    pub max_output_tokens: u32,
    /// How long an answer may take in all, a second try among it.
    pub timeout: Duration,
    /// Failures in a row after which it is left alone.
    pub failures_to_open: u32,
    /// For how long.
    pub open_for: Duration,
}

partsight_domain::debug_fields!(JudgeSettings { protocol, model });

/// Tokens that the judge counted, as it says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct JudgeUsage {
    /// Of the question, the photograph among them. What a cache made cheaper counts in full.
    pub input_tokens: u64,
    /// Of the answer, what it thought before it answered among them.
    pub output_tokens: u64,
}

/// What came of a question.
#[derive(Debug, Clone, PartialEq)]
pub struct JudgeReply<T> {
    /// What the judge says, or why there is nothing.
    pub answer: Result<T, NotJudged>,
    /// What was counted. A judge may charge for an answer that is none.
    pub usage: Option<JudgeUsage>,
    /// Whether the question may have left us: it has not only where no connection was tried.
    pub was_sent: bool,
}

/// An answer as it is read, and what was counted for it.
type Read<T> = Result<(T, Option<JudgeUsage>), Failure>;

/// A vision-LLM behind an HTTP API. Cheap to clone; clones share the circuit breaker.
///
/// A question is tried twice at most, the second time only where the first failed for a reason that may have
/// passed: no connection, 429, or 5xx. Several failures in a row open the circuit breaker; then no question is
/// sent until some time has passed and one single question has shown that the judge is back.
///
/// Dropping the future of [`Judge::ask`] or [`Judge::fill`] ends the connection.
#[derive(Clone)]
pub struct Judge {
    settings: Arc<JudgeSettings>,
    endpoint: Url,
    headers: HeaderMap,
    http: OutgoingCalls,
    breaker: Arc<Breaker>,
}

partsight_domain::debug_fields!(Judge { settings });

/// A question on its way.
struct Asked<P> {
    body: Vec<u8>,
    /// The tool whose input the answer is, where the protocol has tools.
    tool: String,
    parse: P,
}

/// One attempt that came to nothing.
struct Failure {
    reason: NotJudged,
    usage: Option<JudgeUsage>,
    /// Whether the same question may be answered now.
    may_pass: bool,
    retry_after: Option<Duration>,
    was_sent: bool,
}

impl Failure {
    fn lasting(reason: NotJudged, usage: Option<JudgeUsage>) -> Self {
        Self { reason, usage, may_pass: false, retry_after: None, was_sent: true }
    }
}

impl Judge {
    /// A judge that is not asked for anything yet.
    ///
    /// # Errors
    /// [`Error::JudgeSettings`] for an address that is none or a key that cannot stand in a header.
    pub fn new(settings: JudgeSettings) -> Result<Self, Error> {
        let invalid = |what| Error::JudgeSettings { what };
        let mut endpoint = Url::parse(&settings.base_url).map_err(|_| invalid("the address is none"))?;
        if !matches!(endpoint.scheme(), "https" | "http") || endpoint.host_str().is_none() {
            return Err(invalid("the address is none of `https` or `http` with a host"));
        }
        let segments: &[&str] = match settings.protocol {
            JudgeProtocol::Anthropic => &["v1", "messages"],
            _ => &["chat", "completions"],
        };
        endpoint
            .path_segments_mut()
            .map_err(|()| invalid("the address has no path"))?
            .pop_if_empty()
            .extend(segments);
        let http = OutgoingCalls::with(CallOptions {
            max_answer_bytes: MAX_ANSWER_BYTES,
            timeout: settings.timeout,
            // A proxy that the environment names would see a photograph that need not leave the machine.
            is_direct: is_on_this_machine(&settings.base_url),
        })?;
        let headers =
            headers(&settings).ok_or_else(|| invalid("the key has a character that keys have not"))?;
        let breaker = Arc::new(Breaker::new(settings.failures_to_open, settings.open_for));
        Ok(Self { settings: Arc::new(settings), endpoint, headers, http, breaker })
    }

    /// The judge's model.
    pub fn model(&self) -> &str {
        &self.settings.model
    }

    /// Where photographs are sent: the host, with the port where it is not the usual one.
    pub fn host(&self) -> String {
        let host = self.endpoint.host_str().unwrap_or_default();
        self.endpoint.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"))
    }

    /// Whether it runs on this very machine, so that a photograph that is sent to it stays here.
    pub fn is_on_this_machine(&self) -> bool {
        is_on_this_machine(self.endpoint.as_str())
    }

    /// Whether no question would be sent now.
    pub fn is_left_alone(&self) -> bool {
        self.breaker.is_open(Instant::now())
    }

    /// Most tokens that a question without its photograph may come to.
    pub fn max_text_tokens(&self, question: &JudgeQuestion) -> u64 {
        question.prompt().max_text_tokens()
    }

    /// Most tokens that a question about what the catalogue lacks may come to.
    pub fn max_fill_tokens(&self, question: &FillQuestion) -> u64 {
        fill::prompt(question).max_text_tokens()
    }

    /// Asks about a photograph. Takes no longer than the timeout of the settings.
    pub async fn ask(&self, question: &JudgeQuestion) -> JudgeReply<Judgement> {
        self.reply(&question.prompt(), |content| answer::parse(content, question)).await
    }

    /// Asks for what the catalogue lacks, in words alone; `None` is that it does not know, or said what cannot be.
    /// Takes no longer than the timeout of the settings.
    pub async fn fill(&self, question: &FillQuestion) -> JudgeReply<Option<Filled>> {
        self.reply(&fill::prompt(question), |content| fill::parse(content, question.kind())).await
    }

    async fn reply<T>(
        &self,
        prompt: &Prompt<'_>,
        parse: impl Fn(&Content) -> Result<T, NotJudged>,
    ) -> JudgeReply<T> {
        let deadline = Instant::now() + self.settings.timeout;
        let Some(pass) = self.breaker.enter(Instant::now()) else {
            return JudgeReply { answer: Err(NotJudged::CircuitOpen), usage: None, was_sent: false };
        };
        let body = match self.settings.protocol {
            JudgeProtocol::Anthropic => anthropic::body(&self.settings, prompt),
            _ => chat_completions::body(&self.settings, prompt),
        };
        let asked = Asked { body: body.to_string().into_bytes(), tool: prompt.tool(), parse };
        let failure = match timeout_at(deadline, self.attempts(&asked, deadline)).await {
            Ok(Ok((answer, usage))) => {
                pass.succeeded();
                return JudgeReply { answer: Ok(answer), usage, was_sent: true };
            }
            Ok(Err(failure)) => failure,
            Err(_) => Failure::lasting(NotJudged::TimedOut, None),
        };
        match failure.reason {
            // That is about the question; everything else is about the judge.
            NotJudged::Refused => pass.succeeded(),
            _ => pass.failed(failure.retry_after.map(|wait| wait.min(MAX_LEFT_ALONE)), Instant::now()),
        }
        JudgeReply { answer: Err(failure.reason), usage: failure.usage, was_sent: failure.was_sent }
    }

    async fn attempts<T, P>(&self, asked: &Asked<P>, deadline: Instant) -> Read<T>
    where
        P: Fn(&Content) -> Result<T, NotJudged>,
    {
        let failure = match self.attempt(asked).await {
            Err(failure) if failure.may_pass => failure,
            result => return result,
        };
        let again_at = Instant::now() + failure.retry_after.unwrap_or(RETRY_DELAY);
        if again_at >= deadline {
            return Err(failure);
        }
        tracing::info!(judge.failure = failure.reason.as_str(), "asking the judge a second time");
        sleep_until(again_at).await;
        let second = self.attempt(asked).await;
        second.map_err(|second| Failure { was_sent: failure.was_sent || second.was_sent, ..second })
    }

    async fn attempt<T, P>(&self, asked: &Asked<P>) -> Read<T>
    where
        P: Fn(&Content) -> Result<T, NotJudged>,
    {
        let answer = match self.http.answer(self.request(&asked.body)).await {
            Ok(answer) => answer,
            Err(CallError::TooLarge { .. }) => return Err(Failure::lasting(NotJudged::AnswerTooLarge, None)),
            Err(CallError::Call(error)) if error.is_timeout() && !error.is_connect() => {
                return Err(Failure::lasting(NotJudged::TimedOut, None));
            }
            Err(error) => {
                let was_sent = !matches!(&error, CallError::Call(error) if error.is_connect());
                let failure = Failure::lasting(NotJudged::Unreachable, None);
                // What was sent may have been answered, and paid for: it is not paid for twice.
                return Err(Failure { may_pass: !was_sent, was_sent, ..failure });
            }
        };
        if answer.status() != StatusCode::OK {
            return Err(failed_status(&answer));
        }
        let outcome = self.settings.protocol.read(answer.body(), &asked.tool);
        match outcome.content.and_then(|content| (asked.parse)(&content)) {
            Ok(answer) => Ok((answer, outcome.usage)),
            Err(reason) => Err(Failure::lasting(reason, outcome.usage)),
        }
    }

    fn request(&self, body: &[u8]) -> HttpRequest {
        let mut request = Request::new(body.to_vec());
        *request.method_mut() = Method::POST;
        // A URL that was parsed is a URI as well; one that is not is refused as no connection.
        *request.uri_mut() = self.endpoint.as_str().parse().unwrap_or_default();
        *request.headers_mut() = self.headers.clone();
        request
    }
}

fn headers(settings: &JudgeSettings) -> Option<HeaderMap> {
    let mut headers = HeaderMap::new();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    if settings.protocol == JudgeProtocol::Anthropic {
        headers.insert("anthropic-version", HeaderValue::from_static("2023-06-01"));
    }
    if let Some(key) = &settings.api_key {
        let (name, value) = match settings.protocol {
            JudgeProtocol::Anthropic => ("x-api-key", key.clone()),
            JudgeProtocol::Azure => ("api-key", key.clone()),
            _ => ("authorization", format!("Bearer {key}")),
        };
        let mut value = HeaderValue::from_str(&value).ok()?;
        value.set_sensitive(true);
        headers.insert(HeaderName::from_static(name), value);
    }
    Some(headers)
}

/// What an answer without an answer means. Its body is neither read nor logged: it may repeat the question.
fn failed_status(answer: &HttpResponse) -> Failure {
    let status = answer.status();
    let reason = match status {
        StatusCode::TOO_MANY_REQUESTS => NotJudged::RateLimited,
        StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => NotJudged::KeyRejected,
        _ if status.is_server_error() => NotJudged::ServerError,
        _ => NotJudged::RequestRejected,
    };
    let may_pass = matches!(reason, NotJudged::RateLimited | NotJudged::ServerError);
    let retry_after = if may_pass { retry_after(answer.headers()) } else { None };
    Failure { may_pass, retry_after, ..Failure::lasting(reason, None) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(base_url: &str) -> JudgeSettings {
        JudgeSettings {
            protocol: JudgeProtocol::OpenAi,
            base_url: base_url.to_owned(),
            model: "m".to_owned(),
            api_key: Some("geheim".to_owned()),
            answer_format: JudgeAnswerFormat::JsonSchema,
            max_output_tokens: 100,
            timeout: Duration::from_secs(5),
            failures_to_open: 3,
            open_for: Duration::from_secs(30),
        }
    }

    #[test]
    fn the_address_of_the_call_stands_below_that_of_the_judge() {
        let endpoint = |url: &str, protocol| {
            Judge::new(JudgeSettings { protocol, ..settings(url) })
                .map(|judge| judge.endpoint.to_string())
                .ok()
        };
        let cases = [
            (
                "https://api.openai.com/v1",
                JudgeProtocol::OpenAi,
                Some("https://api.openai.com/v1/chat/completions"),
            ),
            (
                "http://localhost:11434/v1/",
                JudgeProtocol::OpenAiCompatible,
                Some("http://localhost:11434/v1/chat/completions"),
            ),
            (
                "https://us.openai.azure.com/openai/deployments/d?api-version=2024-10-21",
                JudgeProtocol::Azure,
                Some(
                    "https://us.openai.azure.com/openai/deployments/d/chat/completions?api-version=2024-10-21",
                ),
            ),
            (
                "https://api.anthropic.com",
                JudgeProtocol::Anthropic,
                Some("https://api.anthropic.com/v1/messages"),
            ),
            ("api.openai.com", JudgeProtocol::OpenAi, None),
            ("ftp://example.com", JudgeProtocol::OpenAi, None),
            ("mailto:ann@example.com", JudgeProtocol::OpenAi, None),
        ];
        for (url, protocol, expected) in cases {
            assert_eq!(endpoint(url, protocol).as_deref(), expected, "{url}");
        }
    }

    #[test]
    fn the_key_is_not_shown() {
        let judge = Judge::new(settings("https://api.example.com:8443/v1")).unwrap();
        assert!(!format!("{judge:?} {:?}", judge.headers).contains("geheim"));
        assert_eq!((judge.host(), judge.is_on_this_machine()), ("api.example.com:8443".to_owned(), false));
        let bad = JudgeSettings { api_key: Some("ge\nheim".to_owned()), ..settings("https://example.com") };
        assert!(!Judge::new(bad).unwrap_err().to_string().contains("heim"));
    }
}
