//! Checks whether a service is reachable.

use std::time::Duration;

use openidconnect::http;
use openidconnect::url::Url;
use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::Error;
use crate::egress::is_on_this_machine;
use crate::http::{CallError, CallOptions, OutgoingCalls};

/// How long an answer may take.
const ANSWER_LIMIT: Duration = Duration::from_secs(10);
/// Bytes of an answer that are read; a longer answer still counts.
const MAX_ANSWER_BYTES: usize = 64 * 1024;

/// Scheme, host and port of a URL, without user, password, path and query, any of which may be secret.
pub fn origin_of(url: &str) -> Option<String> {
    let url = Url::parse(url).ok()?;
    let port = url.port().map(|port| format!(":{port}")).unwrap_or_default();
    Some(format!("{}://{}{port}", url.scheme(), url.host_str()?))
}

/// Status and body of the answer to a plain GET without credentials. A redirect is an answer.
///
/// # Errors
/// [`Error::Unanswered`] without the address.
pub async fn fetch(url: &str) -> Result<(u16, Vec<u8>), Error> {
    let options = CallOptions {
        max_answer_bytes: MAX_ANSWER_BYTES,
        timeout: ANSWER_LIMIT,
        is_direct: is_on_this_machine(url),
    };
    let request =
        http::Request::get(url).body(Vec::new()).map_err(|error| Error::Unanswered(error.into()))?;
    match OutgoingCalls::with(options)?.answer(request).await {
        Ok(answer) => Ok((answer.status().as_u16(), answer.into_body())),
        // It answered, so it is reachable.
        Err(CallError::TooLarge { .. }) => Ok((200, Vec::new())),
        Err(CallError::Call(error)) => Err(Error::Unanswered(error.into())),
        Err(error) => Err(Error::Unanswered(error.into())),
    }
}

/// Opens a TCP connection to the host and port of `url`, and sends nothing.
///
/// # Errors
/// [`Error::Unanswered`].
pub async fn can_connect(url: &str) -> Result<(), Error> {
    let unanswered = Error::Unanswered;
    let parsed = Url::parse(url).map_err(|error| unanswered(error.into()))?;
    let host = parsed.host_str().unwrap_or_default().trim_matches(['[', ']']);
    // The default port of Qdrant, the only service that is checked in this way.
    let port = parsed.port_or_known_default().unwrap_or(6334);
    match timeout(ANSWER_LIMIT, TcpStream::connect((host, port))).await {
        Ok(connected) => connected.map(drop).map_err(|error| unanswered(error.into())),
        Err(error) => Err(unanswered(error.into())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_secret_of_an_address_is_shown() {
        let cases = [
            ("smtps://ann:geheim@mail.example.com:465", Some("smtps://mail.example.com:465")),
            ("https://erp.example.com/prices?key=geheim#geheim", Some("https://erp.example.com")),
            ("http://geheim@[::1]:8000/v1", Some("http://[::1]:8000")),
            ("geheim", None),
        ];
        for (url, expected) in cases {
            assert_eq!(origin_of(url).as_deref(), expected, "{url}");
        }
    }
}
