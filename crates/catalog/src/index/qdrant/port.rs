//! What answers where Qdrant should, for a message that says which setting is wrong.

use std::time::Duration;

use partsight_domain::ServiceUrl;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;

use super::super::IndexError;

/// How long somebody may take to say who they are.
const PATIENCE: Duration = Duration::from_secs(1);
/// The HTTP port where nothing else is set, and the gRPC port that belongs to it.
const PORTS: &str = "of Qdrant's two ports it is the one for gRPC, 6334 unless set otherwise, and not 6333";

/// Makes `error` one that names the port, where a server that speaks HTTP/1 answers in Qdrant's place: gRPC would say
/// no more than that HTTP/2 was expected.
///
/// A failure (5xx) is no such answer: a proxy speaks for a Qdrant that is away, and the port may be right.
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

/// Whether the status line of an answer, `HTTP/1.1 503 Service Unavailable`, is that of a failure of the server.
fn is_failure(answer: &str) -> bool {
    answer.split(' ').nth(1).is_some_and(|status| status.starts_with('5'))
}

/// The beginning of what a server says to an HTTP/1 request; `None` where it does not, or speaks TLS.
async fn ask(url: &str) -> Option<String> {
    // Without TLS only: the question is asked in plain text by hand.
    let host = url.strip_prefix("http://")?.split('/').next()?;
    let mut stream = TcpStream::connect(host).await.ok()?;
    let request = format!("GET / HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await.ok()?;
    let mut answer = Vec::new();
    // Who speaks HTTP/2 alone says something else, or hangs up.
    // A bound: whoever answers there is not known.
    stream.take(4096).read_to_end(&mut answer).await.ok()?;
    Some(String::from_utf8_lossy(&answer).into_owned())
}
