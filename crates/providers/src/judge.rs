//! The vision LLM: gives a second opinion if the local model is uncertain, and fills in missing catalogue data.

mod answer;
mod anthropic;
mod chat_completions;
mod fill;
mod prompt;
mod question;
mod settings;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use openidconnect::http::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use openidconnect::http::{Method, Request, StatusCode};
use openidconnect::{HttpRequest, HttpResponse};
use partsight_domain::{FillQuestion, Filled, Judgement, NotJudged, Secret};
use reqwest::Url;
use tokio::time::{Instant, sleep_until, timeout, timeout_at};

use crate::breaker::Breaker;
use crate::http::{CallError, CallOptions, OutgoingCalls, retry_after};
use crate::{Error, is_on_this_machine};

use answer::{Content, Outcome};
use prompt::Prompt;

pub use question::{JudgeCandidate, JudgeQuestion};
pub use settings::{AnswerFormat, JudgeConsent, JudgeProvider, JudgeSettings};

/// Largest answer that is read, in bytes. A good one has 1 to 4 KB.
const MAX_ANSWER_BYTES: usize = 256 * 1024;
/// Delay before the second attempt if the answer has no `Retry-After`.
const RETRY_DELAY: Duration = Duration::from_millis(500);
/// Longest `Retry-After` of the judge that is respected.
const MAX_LEFT_ALONE: Duration = Duration::from_mins(10);
/// Failures in a row that open the circuit breaker.
const FAILURES_TO_OPEN: u32 = 5;
/// How long the breaker stays open before one question passes as a probe.
const OPEN_FOR: Duration = Duration::from_secs(30);

/// Longest wait for a probe: the wait and an answer fit into the time of a photograph of a batch.
const LONGEST_WAIT_FOR_PROBE: Duration = Duration::from_secs(20);

impl JudgeProvider {
    /// Parses the body of an answer with status 200 about a photograph, as [`Judge::ask`] does, without a judge.
    /// Returns the judgement and the counted tokens.
    ///
    /// # Errors
    /// [`NotJudged`] for anything but the requested object.
    pub fn read_judgement(
        self,
        body: &[u8],
        question: &JudgeQuestion,
    ) -> (Result<Judgement, NotJudged>, Option<JudgeUsage>) {
        let Outcome { content, usage } = self.read(body, &question.prompt().tool());
        (content.and_then(|content| answer::parse(&content, question)), usage)
    }

    /// Like [`read_judgement`](Self::read_judgement), for a question of [`Judge::fill`].
    ///
    /// # Errors
    /// [`NotJudged`] for anything but the requested object.
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

/// Tokens, as the judge counted them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct JudgeUsage {
    /// Tokens of the question, the photograph included. Cached tokens count in full, though they are cheaper.
    pub input_tokens: u64,
    /// Tokens of the answer, reasoning included.
    pub output_tokens: u64,
}

/// The outcome of a question.
#[derive(Debug, Clone, PartialEq)]
pub struct JudgeReply<T> {
    /// The judge's answer, or why there is no usable one.
    pub answer: Result<T, NotJudged>,
    /// The counted tokens. A judge may also charge for an unusable answer.
    pub usage: Option<JudgeUsage>,
    /// Whether the question may have been sent: false only if no connection was made.
    pub was_sent: bool,
}

/// A parsed answer, and the tokens counted for it.
type Read<T> = Result<(T, Option<JudgeUsage>), Failure>;

/// A vision-LLM behind an HTTP API. Cheap to clone; clones share the circuit breaker.
/// A question is sent at most twice, the second time only if the first failure may be temporary: no connection, 429
/// or 5xx. Several failures in a row open the circuit breaker; then no question is sent until some time has passed
/// and a single probe has succeeded.
///
/// Dropping the future of [`Judge::ask`] or [`Judge::fill`] ends the connection.
#[derive(Clone)]
pub struct Judge {
    provider: JudgeProvider,
    settings: Arc<JudgeSettings>,
    endpoint: Url,
    headers: HeaderMap,
    http: OutgoingCalls,
    breaker: Arc<Breaker>,
    /// Whether the key was rejected and no question has been answered since.
    is_key_rejected: Arc<AtomicBool>,
}

partsight_domain::debug_fields!(Judge { settings });

/// A question, ready to be sent.
struct PreparedQuestion<P> {
    body: Vec<u8>,
    /// The tool whose input is the answer; only used by protocols with tools.
    tool: String,
    parse: P,
}

/// Why one attempt failed.
struct Failure {
    reason: NotJudged,
    usage: Option<JudgeUsage>,
    /// Whether a retry of the same question may succeed.
    is_temporary: bool,
    /// Whether the question caused it, so that it does not count as a failure of the judge.
    is_question_fault: bool,
    retry_after: Option<Duration>,
    was_sent: bool,
}

impl Failure {
    fn lasting(reason: NotJudged, usage: Option<JudgeUsage>) -> Self {
        let is_question_fault = reason == NotJudged::Refused;
        Self { reason, usage, is_temporary: false, is_question_fault, retry_after: None, was_sent: true }
    }
}

impl Judge {
    /// The judge of these settings; no connection is made yet. `None` if no judge is set.
    ///
    /// # Errors
    /// [`Error::JudgeSettings`] for an invalid address, or a key with characters that are not allowed in a header.
    pub fn new(settings: JudgeSettings) -> Result<Option<Self>, Error> {
        let Some(provider) = settings.provider else { return Ok(None) };
        let invalid = Error::JudgeSettings;
        let base_url = settings.effective_base_url().unwrap_or_default();
        let mut endpoint = Url::parse(base_url).map_err(|_| invalid("the address is none"))?;
        if !matches!(endpoint.scheme(), "https" | "http") || endpoint.host_str().is_none() {
            return Err(invalid("the address is none of `https` or `http` with a host"));
        }
        let segments: &[&str] = match provider {
            JudgeProvider::Anthropic => &["v1", "messages"],
            _ => &["chat", "completions"],
        };
        endpoint
            .path_segments_mut()
            .map_err(|()| invalid("the address has no path"))?
            // The address may end with a slash.
            .pop_if_empty()
            .extend(segments);
        let http = OutgoingCalls::with(CallOptions {
            max_answer_bytes: MAX_ANSWER_BYTES,
            timeout: settings.timeout(),
            // A proxy from the environment would get photographs that need not leave the machine.
            is_direct: is_on_this_machine(base_url),
        })?;
        let headers = headers(provider, settings.api_key.as_ref())
            .ok_or_else(|| invalid("the key has a character that keys have not"))?;
        let breaker = Arc::new(Breaker::new(FAILURES_TO_OPEN, OPEN_FOR));
        let is_key_rejected = Arc::default();
        Ok(Some(Self {
            provider,
            settings: Arc::new(settings),
            endpoint,
            headers,
            http,
            breaker,
            is_key_rejected,
        }))
    }

    /// Replaces the limits of the circuit breaker: it opens after `failures_to_open` failures in a row, for
    /// `open_for`. For tests.
    #[must_use]
    pub fn with_breaker(self, failures_to_open: u32, open_for: Duration) -> Self {
        Self { breaker: Arc::new(Breaker::new(failures_to_open, open_for)), ..self }
    }

    /// The settings of this judge.
    pub fn settings(&self) -> &JudgeSettings {
        &self.settings
    }

    /// The judge's model.
    pub fn model(&self) -> &str {
        self.settings.model.as_deref().unwrap_or_default()
    }

    /// The host to which photographs are sent, with the port if it is not the default.
    pub fn host(&self) -> String {
        let host = self.endpoint.host_str().unwrap_or_default();
        self.endpoint.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"))
    }

    /// Whether the judge runs on this machine, so that photographs sent to it stay here.
    pub fn is_on_this_machine(&self) -> bool {
        is_on_this_machine(self.endpoint.as_str())
    }

    /// Whether the circuit breaker is open, so that no question would be sent now.
    pub fn is_left_alone(&self) -> bool {
        self.breaker.is_open(Instant::now())
    }

    /// Whether no question will be sent for a while, not even as a probe.
    pub fn is_resting(&self) -> bool {
        self.breaker.is_resting(Instant::now())
    }

    /// Waits until a running probe ends: at most the time limit of an answer, and at most 20 seconds. Returns at
    /// once while the breaker is open. For questions without a waiting user.
    pub async fn settled(&self) {
        // If the time runs out, the question is refused as usual.
        let _ = timeout(self.settings.timeout().min(LONGEST_WAIT_FOR_PROBE), self.breaker.settled()).await;
    }

    /// Upper bound on the tokens of a question without its photograph.
    pub fn max_text_tokens(&self, question: &JudgeQuestion) -> u64 {
        question.prompt().max_text_tokens()
    }

    /// Upper bound on the tokens of a question about missing catalogue data.
    pub fn max_fill_tokens(&self, question: &FillQuestion) -> u64 {
        fill::prompt(question).max_text_tokens()
    }

    /// Asks about a photograph, within the timeout of the settings.
    pub async fn ask(&self, question: &JudgeQuestion) -> JudgeReply<Judgement> {
        self.reply(&question.prompt(), |content| answer::parse(content, question)).await
    }

    /// Asks for missing catalogue data, by text alone; `None` if the judge does not know or its answer is not
    /// plausible. Within the timeout of the settings.
    pub async fn fill(&self, question: &FillQuestion) -> JudgeReply<Option<Filled>> {
        self.reply(&fill::prompt(question), |content| fill::parse(content, question.kind())).await
    }

    async fn reply<T>(
        &self,
        prompt: &Prompt<'_>,
        parse: impl Fn(&Content) -> Result<T, NotJudged>,
    ) -> JudgeReply<T> {
        // For both attempts together, since a user waits for the scan.
        let deadline = Instant::now() + self.settings.timeout();
        // Held for both attempts, so that a question counts as one success or one failure.
        let Some(pass) = self.breaker.enter(Instant::now()) else {
            return JudgeReply { answer: Err(NotJudged::CircuitOpen), usage: None, was_sent: false };
        };
        let body = match self.provider {
            JudgeProvider::Anthropic => anthropic::body(&self.settings, prompt),
            _ => chat_completions::body(&self.settings, prompt),
        };
        let question = PreparedQuestion { body: body.to_string().into_bytes(), tool: prompt.tool(), parse };
        let failure = match timeout_at(deadline, self.attempts(&question, deadline)).await {
            Ok(Ok((answer, usage))) => {
                pass.succeeded();
                self.is_key_rejected.store(false, Ordering::Relaxed);
                return JudgeReply { answer: Ok(answer), usage, was_sent: true };
            }
            Ok(Err(failure)) => failure,
            // Counts as sent: the judge may charge for it.
            Err(_) => Failure::lasting(NotJudged::TimedOut, None),
        };
        // Logged once, not for each photograph.
        if failure.reason == NotJudged::KeyRejected && !self.is_key_rejected.swap(true, Ordering::Relaxed) {
            tracing::warn!("the vision LLM rejects its key: check `judge_api_key`");
        }
        if failure.is_question_fault {
            pass.succeeded();
        } else if pass.failed(failure.retry_after.map(|wait| wait.min(MAX_LEFT_ALONE)), Instant::now()) {
            tracing::warn!(
                judge.failure = failure.reason.as_str(),
                "the vision LLM failed repeatedly or asked for time, and is left alone for a while"
            );
        }
        JudgeReply { answer: Err(failure.reason), usage: failure.usage, was_sent: failure.was_sent }
    }

    async fn attempts<T, P>(&self, question: &PreparedQuestion<P>, deadline: Instant) -> Read<T>
    where
        P: Fn(&Content) -> Result<T, NotJudged>,
    {
        let failure = match self.attempt(question).await {
            Err(failure) if failure.is_temporary => failure,
            result => return result,
        };
        let again_at = Instant::now() + failure.retry_after.unwrap_or(RETRY_DELAY);
        // An attempt that would exceed the deadline would only cost money.
        if again_at >= deadline {
            return Err(failure);
        }
        tracing::info!(judge.failure = failure.reason.as_str(), "asking the judge a second time");
        sleep_until(again_at).await;
        let second = self.attempt(question).await;
        // The first attempt may have been charged, even if the second was not sent.
        second.map_err(|second| Failure { was_sent: failure.was_sent || second.was_sent, ..second })
    }

    async fn attempt<T, P>(&self, question: &PreparedQuestion<P>) -> Read<T>
    where
        P: Fn(&Content) -> Result<T, NotJudged>,
    {
        let answer = match self.http.answer(self.request(&question.body)).await {
            Ok(answer) => answer,
            Err(CallError::TooLarge { .. }) => return Err(Failure::lasting(NotJudged::AnswerTooLarge, None)),
            // A timeout while connecting is handled below: nothing was sent, so a second attempt costs nothing.
            Err(CallError::Call(error)) if error.is_timeout() && !error.is_connect() => {
                return Err(Failure::lasting(NotJudged::TimedOut, None));
            }
            Err(error) => {
                let was_sent = !matches!(&error, CallError::Call(error) if error.is_connect());
                let failure = Failure::lasting(NotJudged::Unreachable, None);
                // A sent question may have been charged, so it is not sent again.
                return Err(Failure { is_temporary: !was_sent, was_sent, ..failure });
            }
        };
        if answer.status() != StatusCode::OK {
            return Err(failed_status(&answer));
        }
        let outcome = self.provider.read(answer.body(), &question.tool);
        match outcome.content.and_then(|content| (question.parse)(&content)) {
            Ok(answer) => Ok((answer, outcome.usage)),
            Err(reason) => Err(Failure::lasting(reason, outcome.usage)),
        }
    }

    fn request(&self, body: &[u8]) -> HttpRequest {
        let mut request = Request::new(body.to_vec());
        *request.method_mut() = Method::POST;
        // Every parsed URL should be a URI; one that is not is reported as unreachable.
        *request.uri_mut() = self.endpoint.as_str().parse().unwrap_or_default();
        *request.headers_mut() = self.headers.clone();
        request
    }
}

fn headers(provider: JudgeProvider, api_key: Option<&Secret>) -> Option<HeaderMap> {
    let mut headers = HeaderMap::new();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    if provider == JudgeProvider::Anthropic {
        headers.insert("anthropic-version", HeaderValue::from_static("2023-06-01"));
    }
    if let Some(key) = api_key.map(Secret::reveal) {
        let (name, value) = match provider {
            JudgeProvider::Anthropic => ("x-api-key", key.to_owned()),
            JudgeProvider::Azure => ("api-key", key.to_owned()),
            _ => ("authorization", format!("Bearer {key}")),
        };
        let mut value = HeaderValue::from_str(&value).ok()?;
        // `Debug` output of the headers shows this one as `Sensitive`.
        value.set_sensitive(true);
        headers.insert(HeaderName::from_static(name), value);
    }
    Some(headers)
}

/// The failure for an error status. The body is neither read nor logged: it may repeat the question.
fn failed_status(answer: &HttpResponse) -> Failure {
    let status = answer.status();
    let reason = match status {
        StatusCode::TOO_MANY_REQUESTS => NotJudged::RateLimited,
        StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => NotJudged::KeyRejected,
        _ if status.is_server_error() => NotJudged::ServerError,
        _ => NotJudged::RequestRejected,
    };
    // A question that is too long, or blocked by a filter, is not a failure of the judge.
    let is_question_fault = matches!(
        status,
        StatusCode::BAD_REQUEST | StatusCode::PAYLOAD_TOO_LARGE | StatusCode::UNPROCESSABLE_ENTITY
    );
    let is_temporary = matches!(reason, NotJudged::RateLimited | NotJudged::ServerError);
    // Waiting does not help with a rejected key.
    let retry_after = if is_temporary { retry_after(answer.headers()) } else { None };
    Failure { is_temporary, is_question_fault, retry_after, ..Failure::lasting(reason, None) }
}

#[cfg(test)]
mod tests {
    use partsight_domain::ServiceUrl;

    use super::*;

    fn settings(base_url: &str) -> JudgeSettings {
        JudgeSettings {
            provider: Some(JudgeProvider::Openai),
            base_url: Some(ServiceUrl::new(base_url)),
            api_key: Some(Secret::new("geheim")),
            ..JudgeSettings::default()
        }
    }

    #[test]
    fn the_address_of_the_call_stands_below_that_of_the_judge() {
        let endpoint = |url: &str, provider| {
            let judge = Judge::new(JudgeSettings { provider: Some(provider), ..settings(url) });
            Some(judge.ok()??.endpoint.to_string())
        };
        let cases = [
            (
                "https://api.openai.com/v1",
                JudgeProvider::Openai,
                Some("https://api.openai.com/v1/chat/completions"),
            ),
            (
                "http://localhost:11434/v1/",
                JudgeProvider::OpenaiCompatible,
                Some("http://localhost:11434/v1/chat/completions"),
            ),
            (
                "https://us.openai.azure.com/openai/deployments/d?api-version=2024-10-21",
                JudgeProvider::Azure,
                Some(
                    "https://us.openai.azure.com/openai/deployments/d/chat/completions?api-version=2024-10-21",
                ),
            ),
            (
                "https://api.anthropic.com",
                JudgeProvider::Anthropic,
                Some("https://api.anthropic.com/v1/messages"),
            ),
            ("api.openai.com", JudgeProvider::Openai, None),
            ("ftp://example.com", JudgeProvider::Openai, None),
            ("mailto:ann@example.com", JudgeProvider::Openai, None),
        ];
        for (url, provider, expected) in cases {
            assert_eq!(endpoint(url, provider).as_deref(), expected, "{url}");
        }
    }

    #[test]
    fn the_key_is_not_shown() {
        assert!(Judge::new(JudgeSettings::default()).unwrap().is_none());
        let judge = Judge::new(settings("https://api.example.com:8443/v1")).unwrap().unwrap();
        assert!(!format!("{judge:?} {:?}", judge.headers).contains("geheim"));
        assert_eq!((judge.host(), judge.is_on_this_machine()), ("api.example.com:8443".to_owned(), false));
        let bad = JudgeSettings { api_key: Some(Secret::new("ge\nheim")), ..settings("https://example.com") };
        assert!(!Judge::new(bad).unwrap_err().to_string().contains("heim"));
    }
}
