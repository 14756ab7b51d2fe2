//! HTTP calls to addresses that accounts configure; all of them are made here.

use std::sync::Arc;
use std::time::Duration;

use reqwest::header::HeaderMap;
use reqwest::{Client, RequestBuilder, StatusCode, Url};

use super::addresses::{AddressRule, AllowedAddresses, InsideAddress};
use super::{WebhookAddressFault, WebhookFailure, WebhookSettings};
use crate::Error;
use crate::http::{CallOptions, build, client_builder};

/// Time limit of a call in total.
const CALL_LIMIT: Duration = Duration::from_secs(10);
/// Bytes of an answer that are read, so that the connection can be reused after a short one.
const MAX_ANSWER_BYTES: usize = 4 * 1024;
/// Longest address, in bytes.
const MAX_URL_BYTES: usize = 2_000;

/// A client that connects to allowed addresses only and follows no redirect. Cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct GuardedCalls {
    client: Client,
    rule: AddressRule,
    limit: Duration,
}

impl GuardedCalls {
    /// Makes no connection.
    ///
    /// # Errors
    /// [`Error::HttpClient`] when no client can be built.
    pub(crate) fn new(settings: &WebhookSettings) -> Result<Self, Error> {
        let rule = AddressRule { allows_private: settings.private_addresses };
        // A proxy would resolve names itself, without the check.
        let options =
            CallOptions { max_answer_bytes: MAX_ANSWER_BYTES, timeout: CALL_LIMIT, is_direct: true };
        let client = build(|| client_builder(options).dns_resolver(Arc::new(AllowedAddresses(rule))))?;
        Ok(Self { client, rule, limit: CALL_LIMIT })
    }

    /// Replaces the time limit of a call.
    pub(super) fn with_limit(self, limit: Duration) -> Self {
        Self { limit, ..self }
    }

    /// Parses an address, and checks it as far as possible without resolving its name.
    ///
    /// # Errors
    /// What is wrong with it.
    pub(crate) fn parse(&self, text: &str) -> Result<Url, WebhookAddressFault> {
        if text.len() > MAX_URL_BYTES {
            return Err(WebhookAddressFault::TooLong);
        }
        let url = Url::parse(text).map_err(|_| WebhookAddressFault::Malformed)?;
        let is_plain = url.username().is_empty() && url.password().is_none() && url.fragment().is_none();
        if !is_plain || !matches!(url.scheme(), "https" | "http") {
            return Err(WebhookAddressFault::Malformed);
        }
        let host = url.host_str().unwrap_or_default().trim_matches(['[', ']']);
        // An IP address as host is never resolved, so the resolver does not check it.
        if let Ok(address) = host.parse()
            && !self.rule.allows(address)
        {
            return Err(WebhookAddressFault::Inside);
        }
        // In a private network few services have a certificate.
        if url.scheme() == "http" && !self.rule.allows_private {
            return Err(WebhookAddressFault::NotEncrypted);
        }
        Ok(url)
    }

    /// Posts once the request that `fill` builds for `url`, and returns status and headers of the answer, whatever
    /// the status is.
    ///
    /// # Errors
    /// [`WebhookFailure::TimedOut`], [`WebhookFailure::NoConnection`], [`WebhookFailure::NoAnswer`], or
    /// [`WebhookFailure::Address`] where the name leads to no allowed address.
    pub(crate) async fn post(
        &self,
        url: Url,
        fill: impl FnOnce(RequestBuilder) -> RequestBuilder,
    ) -> Result<(StatusCode, HeaderMap), WebhookFailure> {
        let call = fill(self.client.post(url)).timeout(self.limit);
        let mut answer = call.send().await.map_err(|error| failure(&error))?;
        let status = answer.status();
        let headers = std::mem::take(answer.headers_mut());
        let mut n_bytes = 0;
        // The content is irrelevant, and so is whether the body is complete, also where the time is over.
        while let Ok(Some(chunk)) = answer.chunk().await {
            n_bytes += chunk.len();
            if n_bytes > MAX_ANSWER_BYTES {
                break;
            }
        }
        Ok((status, headers))
    }
}

fn failure(error: &reqwest::Error) -> WebhookFailure {
    let mut cause: Option<&(dyn std::error::Error + 'static)> = Some(error);
    while let Some(found) = cause {
        // The client wraps the resolver's error.
        if found.is::<InsideAddress>() {
            return WebhookFailure::Address(WebhookAddressFault::Inside);
        }
        cause = found.source();
    }
    if error.is_timeout() {
        WebhookFailure::TimedOut
    } else if error.is_connect() {
        WebhookFailure::NoConnection
    } else {
        WebhookFailure::NoAnswer
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read as _, Write as _};
    use std::net::TcpListener;
    use std::sync::mpsc::{RecvTimeoutError, channel};
    use std::thread;

    use tokio::time::timeout;

    use super::*;

    fn calls(private_addresses: bool) -> GuardedCalls {
        GuardedCalls::new(&WebhookSettings { private_addresses }).unwrap()
    }

    #[test]
    fn an_address_is_encrypted_and_leads_outside_unless_the_house_is_allowed() {
        use WebhookAddressFault::{Inside, Malformed, NotEncrypted};
        let cases = [
            ("https://shop.example.com/hooks?a=1", Ok(()), Ok(())),
            ("https://8.8.8.8:8443/", Ok(()), Ok(())),
            ("http://shop.example.com/", Err(NotEncrypted), Ok(())),
            ("https://127.0.0.1/", Err(Inside), Ok(())),
            ("http://10.0.0.7/", Err(Inside), Ok(())),
            // Other ways to write loopback.
            ("https://2130706433/", Err(Inside), Ok(())),
            ("https://0x7f.1/", Err(Inside), Ok(())),
            ("https://[::ffff:10.0.0.1]/", Err(Inside), Ok(())),
            ("https://[fe80::1]/", Err(Inside), Err(Inside)),
            ("https://169.254.169.254/latest", Err(Inside), Err(Inside)),
            ("https://0.0.0.0/", Err(Inside), Err(Inside)),
            ("https://ann@example.com/", Err(Malformed), Err(Malformed)),
            ("https://example.com/#x", Err(Malformed), Err(Malformed)),
            ("ftp://example.com/", Err(Malformed), Err(Malformed)),
            ("shop", Err(Malformed), Err(Malformed)),
            ("", Err(Malformed), Err(Malformed)),
        ];
        let (outside, house) = (calls(false), calls(true));
        for (url, expected, in_house) in cases {
            let check = |calls: &GuardedCalls| calls.parse(url).map(drop);
            assert_eq!((check(&outside), check(&house)), (expected, in_house), "{url}");
        }
        let long = format!("https://example.com/{}", "x".repeat(MAX_URL_BYTES));
        assert_eq!(outside.parse(&long), Err(WebhookAddressFault::TooLong));
    }

    #[tokio::test]
    async fn only_the_head_of_an_answer_must_come_in_time() {
        // What is sent at once, and what then follows piece by piece without an end.
        let cases = [
            ("", "", Err(WebhookFailure::TimedOut)),
            ("HTTP/1.1 200 OK\r\n", "x-more: 1\r\n", Err(WebhookFailure::TimedOut)),
            ("HTTP/1.1 200 OK\r\ncontent-length: 1000000\r\n\r\n", "x", Ok(StatusCode::OK)),
            ("HTTP/1.1 503 Busy\r\ncontent-length: 1000000\r\n\r\n", "", Ok(StatusCode::SERVICE_UNAVAILABLE)),
        ];
        for (head, piece, expected) in cases {
            let listener = TcpListener::bind("127.0.0.1:0").unwrap();
            let url = format!("http://{}/", listener.local_addr().unwrap());
            let (left, is_left) = channel::<()>();
            let receiver = thread::spawn(move || {
                let (mut stream, _) = listener.accept().unwrap();
                assert!(stream.read(&mut [0; 4096]).unwrap() > 0, "the message comes first");
                stream.write_all(head.as_bytes()).unwrap();
                // Until the caller has gone on.
                while is_left.recv_timeout(Duration::from_millis(10)) == Err(RecvTimeoutError::Timeout) {
                    let _ = stream.write_all(piece.as_bytes());
                }
            });
            let calls = calls(true).with_limit(Duration::from_millis(500));
            let post = calls.post(calls.parse(&url).unwrap(), |request| request.body("{}"));
            let met = timeout(Duration::from_secs(30), post).await.expect("no receiver holds a caller");
            assert_eq!(met.map(|(status, _)| status), expected, "{head:?}");
            drop(left);
            receiver.join().unwrap();
        }
    }

    #[tokio::test]
    async fn an_answer_that_does_not_come_is_told_from_a_connection_that_does_not() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/", listener.local_addr().unwrap());
        let receiver = thread::spawn(move || {
            for answer in ["", "this is no HTTP\r\n\r\n"] {
                let (mut stream, _) = listener.accept().unwrap();
                assert!(stream.read(&mut [0; 4096]).unwrap() > 0, "the message comes first");
                stream.write_all(answer.as_bytes()).unwrap();
            }
        });
        let calls = calls(true);
        let post = async || calls.post(calls.parse(&url).unwrap(), |request| request.body("{}")).await;
        for _ in 0..2 {
            assert_eq!(post().await.unwrap_err(), WebhookFailure::NoAnswer);
        }
        // The listener is gone with its thread.
        receiver.join().unwrap();
        assert_eq!(post().await.unwrap_err(), WebhookFailure::NoConnection);
    }
}
