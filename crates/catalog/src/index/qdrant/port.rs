//! Detects another service at Qdrant's address, so that an error names the wrong setting.

use std::time::Duration;

use partsight_domain::ServiceUrl;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;

use super::super::IndexError;

/// Time limit of the probe.
const PATIENCE: Duration = Duration::from_secs(1);
/// The default HTTP port, and the gRPC port that belongs to it.
const PORTS: &str = "of Qdrant's two ports it is the one for gRPC, 6334 unless set otherwise, and not 6333";

/// Replaces `error` by one that names the port if a server answers in HTTP/1: a gRPC error would state only that
/// HTTP/2 was expected.
///
/// A server error (5xx) does not count: it may come from a proxy in front of an unavailable Qdrant, and the port
/// may be right.
pub(super) async fn explain(url: &ServiceUrl, error: IndexError) -> IndexError {
    match timeout(PATIENCE, ask(url)).await {
        Ok(Some(answer)) if answer.starts_with("HTTP/1") && !is_failure(&answer) => {
            let is_qdrant = answer.to_lowercase().contains("qdrant");
            let found = if is_qdrant { "Qdrant's HTTP interface" } else { "a web server that is not Qdrant" };
            IndexError::WrongPort { url: url.to_string(), found, expected: PORTS }
        }
        _ => error,
    }
}

/// Whether a response with the status line `HTTP/1.1 503 Service Unavailable`, for example, is a server error.
fn is_failure(answer: &str) -> bool {
    answer.split(' ').nth(1).is_some_and(|status| status.starts_with('5'))
}

/// The beginning of a server's response to an HTTP/1 request; `None` if there is none, or for TLS.
async fn ask(url: &str) -> Option<String> {
    // Only without TLS, since the request is written in plain text.
    let host = url.strip_prefix("http://")?.split('/').next()?;
    let mut stream = TcpStream::connect(host).await.ok()?;
    let request = format!("GET / HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await.ok()?;
    let mut answer = Vec::new();
    // A server that speaks only HTTP/2 sends something else, or closes the connection.
    // The length is limited, because the service is unknown.
    stream.take(4096).read_to_end(&mut answer).await.ok()?;
    Some(String::from_utf8_lossy(&answer).into_owned())
}
