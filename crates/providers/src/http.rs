//! The one HTTP client for all outgoing calls.

use std::future::Future;
use std::pin::Pin;
use std::sync::Once;
use std::time::Duration;

use jiff::Timestamp;
use jiff::fmt::rfc2822;
use openidconnect::http::header::{DATE, HeaderMap, RETRY_AFTER};
use openidconnect::{AsyncHttpClient, HttpRequest, HttpResponse, http};
use reqwest::redirect::Policy;
use reqwest::{Client, ClientBuilder};

use crate::{Error, is_on_this_machine};

/// Total time limit of a call; a user waits for it.
const CALL_LIMIT: Duration = Duration::from_secs(10);
const CONNECT_LIMIT: Duration = Duration::from_secs(5);
/// How long an idle connection is kept: less than the 5 s after which common servers (Node, uvicorn) close theirs.
/// A call on a connection that is being closed fails, and most calls must not be sent twice.
const IDLE_LIMIT: Duration = Duration::from_secs(4);
/// Longest `Retry-After` that is respected; callers have shorter limits of their own.
const LONGEST_WAIT: Duration = Duration::from_hours(24);

/// The warning below is logged once, however many clients there are.
static WARNING: Once = Once::new();
const NO_AUTHORITIES: &str = "no certificates of authorities (CA) were found on this machine: calls over https will fail. \
                              On Debian, install ca-certificates.";

/// A client for configured services that reads each answer up to a size limit.
#[derive(Debug, Clone)]
pub(crate) struct OutgoingCalls {
    client: Client,
    max_answer_bytes: usize,
}

/// Installs ring as the process's default `CryptoProvider`: a `reqwest` client built without one panics. Only the
/// first call has an effect.
pub(crate) fn install_crypto_provider() {
    let _ = rustls::crypto::ring::default_provider().install_default();
}

/// Options of a client.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CallOptions {
    /// Largest answer that is read.
    pub(crate) max_answer_bytes: usize,
    /// Time limit of a call in total.
    pub(crate) timeout: Duration,
    /// Whether proxies from the environment are bypassed.
    pub(crate) is_direct: bool,
}

/// Why a call has no answer.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CallError {
    /// Without the URL, which may name a person or a vehicle: this error is logged.
    #[error("cannot call a service")]
    Call(#[source] reqwest::Error),
    #[error("the answer is larger than {limit} bytes")]
    TooLarge { limit: usize },
    #[error("the answer is no HTTP")]
    Malformed(#[from] http::Error),
}

impl From<reqwest::Error> for CallError {
    /// Removes the URL, which contains data such as a VIN, because error causes are logged.
    fn from(error: reqwest::Error) -> Self {
        Self::Call(error.without_url())
    }
}

impl OutgoingCalls {
    /// A client for a service at `url` whose answer a user waits for.
    pub(crate) fn to(url: &str, max_answer_bytes: usize) -> Result<Self, Error> {
        Self::with(CallOptions { max_answer_bytes, timeout: CALL_LIMIT, is_direct: is_on_this_machine(url) })
    }

    /// Like [`OutgoingCalls::to`], with other options.
    pub(crate) fn with(options: CallOptions) -> Result<Self, Error> {
        let client = build(|| client_builder(options))?;
        Ok(Self { client, max_answer_bytes: options.max_answer_bytes })
    }

    /// The answer to one call, its body read up to the limit.
    pub(crate) async fn answer(&self, request: HttpRequest) -> Result<HttpResponse, CallError> {
        let mut answer = self.client.execute(request.try_into()?).await?;
        let mut body = Vec::new();
        while let Some(chunk) = answer.chunk().await? {
            // Counted while it arrives: `Content-Length` may be missing or wrong.
            if body.len() + chunk.len() > self.max_answer_bytes {
                return Err(CallError::TooLarge { limit: self.max_answer_bytes });
            }
            body.extend_from_slice(&chunk);
        }
        // Built after the body is read, because `chunk` borrows the answer.
        let mut builder = http::Response::builder().status(answer.status());
        for (name, value) in answer.headers() {
            builder = builder.header(name, value);
        }
        Ok(builder.body(body)?)
    }
}

/// The options that all clients share.
pub(crate) fn client_builder(options: CallOptions) -> ClientBuilder {
    install_crypto_provider();
    let builder = Client::builder()
        // Redirects are not followed: a configured service must not send us into our own network.
        .redirect(Policy::none())
        .timeout(options.timeout)
        .connect_timeout(CONNECT_LIMIT.min(options.timeout))
        .pool_idle_timeout(IDLE_LIMIT)
        .user_agent(concat!("partsight/", env!("CARGO_PKG_VERSION")));
    // A proxy cannot reach this machine's own `localhost`, and would see the traffic.
    if options.is_direct { builder.no_proxy() } else { builder }
}

/// Builds a client. Without root certificates on the machine it is built too, but its https calls fail: a server
/// that calls no service must start there.
pub(crate) fn build(builder: impl Fn() -> ClientBuilder) -> Result<Client, Error> {
    builder().build().or_else(|source| {
        // With no root certificates to load, this succeeds if their absence was the cause.
        let client = builder().tls_certs_only([]).build().map_err(|_| Error::HttpClient(source))?;
        WARNING.call_once(|| tracing::warn!("{NO_AUTHORITIES}"));
        Ok(client)
    })
}

/// Whether this machine has root certificates, which all https calls need.
pub fn has_root_certificates() -> bool {
    let options = CallOptions { max_answer_bytes: 0, timeout: CALL_LIMIT, is_direct: true };
    client_builder(options).build().is_ok()
}

impl<'c> AsyncHttpClient<'c> for OutgoingCalls {
    type Error = CallError;
    type Future = Pin<Box<dyn Future<Output = Result<HttpResponse, CallError>> + Send + 'c>>;

    fn call(&'c self, request: HttpRequest) -> Self::Future {
        Box::pin(self.answer(request))
    }
}

/// The wait of `Retry-After` (RFC 9110, section 10.2.3), at most a day. A date is compared with the `Date` header
/// of the same answer.
pub(crate) fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    // Bounded, because adding a huge wait to the time would overflow and panic.
    wait_in(headers).map(|wait| wait.min(LONGEST_WAIT))
}

fn wait_in(headers: &HeaderMap) -> Option<Duration> {
    let text = headers.get(RETRY_AFTER)?.to_str().ok()?.trim();
    if let Ok(seconds) = text.parse() {
        return Some(Duration::from_secs(seconds));
    }
    let moment = |text: &str| rfc2822::parse(text).map(|moment| moment.timestamp());
    let until: Timestamp = moment(text).ok()?;
    // Compared with the service's own clock, because ours may be wrong.
    let now = moment(headers.get(DATE)?.to_str().ok()?).ok()?;
    Some(until.duration_since(now).try_into().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use openidconnect::http::header::HeaderValue;

    use super::*;

    #[tokio::test]
    async fn a_failure_does_not_say_what_was_asked() {
        let options = CallOptions { max_answer_bytes: 9, timeout: Duration::from_mins(1), is_direct: true };
        let calls = OutgoingCalls::with(options).unwrap();
        // No server listens on this port.
        let request =
            http::Request::get("http://127.0.0.1:9/vin/1HGCM82633A004352").body(Vec::new()).unwrap();
        let error = calls.answer(request).await.unwrap_err();
        let causes = std::iter::successors(Some(&error as &dyn std::error::Error), |error| error.source());
        let text: Vec<String> = causes.map(ToString::to_string).collect();
        assert!(text.len() > 1 && text.iter().all(|text| !text.contains("1HGCM")), "{text:?}");
    }

    #[test]
    fn the_wait_is_read_in_seconds_and_as_a_moment() {
        let now = "Wed, 21 Oct 2015 07:28:00 GMT";
        let cases = [
            ("3", Some(3)),
            // Limited to a day: adding this number of seconds to a time would overflow.
            ("18446744073709551615", Some(24 * 3600)),
            ("Wed, 21 Oct 2099 07:28:00 GMT", Some(24 * 3600)),
            ("Wed, 21 Oct 2015 07:28:09 GMT", Some(9)),
            ("Wed, 21 Oct 2015 07:27:00 GMT", Some(0)),
            ("-3", None),
            ("soon", None),
        ];
        for (text, expected) in cases {
            let mut headers = HeaderMap::new();
            headers.insert(DATE, HeaderValue::from_static(now));
            headers.insert(RETRY_AFTER, HeaderValue::from_static(text));
            assert_eq!(retry_after(&headers), expected.map(Duration::from_secs), "{text}");
        }
    }
}
