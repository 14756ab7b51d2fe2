use std::future::Future;
use std::io::Write as _;
use std::net::SocketAddr;
use std::sync::LazyLock;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::ConnectInfo;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use partsight_domain::messages;
use tokio::net::TcpStream;
use tokio::sync::watch;
use tower::ServiceExt;

use super::deadline_stream::DeadlineStream;
use super::until_stopped;
use crate::ConnectionLimits;
use crate::connection_limits::MAX_HEADER_BYTES;

/// Largest read buffer of a connection, in bytes. By default hyper grows it to 400 kB, and keeps that as long as the
/// connection.
const READ_BUFFER_BYTES: usize = 64 * 1024;

/// The response to a connection over the limit.
static REFUSAL: LazyLock<String> = LazyLock::new(|| {
    let body = format!("{}\r\n", messages::TOO_MANY_CONNECTIONS);
    format!(
        "HTTP/1.1 503 Service Unavailable\r\ncontent-type: text/plain; charset=utf-8\r\ncontent-length: {}\r\n\
         retry-after: 2\r\nconnection: close\r\n\r\n{body}",
        body.len()
    )
});

/// Answers the requests of one connection, in HTTP/1.1 or 1.0 only.
///
/// A client that begins with the HTTP/2 preface is disconnected. `headers` is its time for the headers of a
/// request.
pub(super) fn answer(
    stream: TcpStream,
    peer: SocketAddr,
    router: Router,
    headers: Duration,
    limits: &ConnectionLimits,
    mut stopping: watch::Receiver<bool>,
) -> impl Future<Output = ()> + Send + use<> {
    let io = TokioIo::new(DeadlineStream::new(stream, limits));
    let service = service_fn(move |request: hyper::Request<Incoming>| {
        let mut request = request.map(Body::new);
        request.extensions_mut().insert(ConnectInfo(peer));
        router.clone().oneshot(request)
    });
    // Only HTTP/1: see docs/decisions/0086-own-accept-loop.md.
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(headers)
        .max_header_size(MAX_HEADER_BYTES)
        .max_buf_size(READ_BUFFER_BYTES)
        .serve_connection(io, service);
    async move {
        tokio::pin!(connection);
        let result = tokio::select! {
            result = connection.as_mut() => result,
            () = until_stopped(&mut stopping) => {
                // A running request is answered; an idle connection ends at once.
                connection.as_mut().graceful_shutdown();
                connection.await
            }
        };
        if let Err(error) = result {
            // Clients disconnect all the time, and invalid requests are not our fault.
            tracing::trace!(%peer, %error, "a connection ended early");
        }
    }
}

/// Sends a 503 if that is possible without blocking, and closes the connection.
pub(super) fn refuse(stream: TcpStream) {
    // As a standard stream: in the runtime the first write waits until the system reports that it can write.
    if let Ok(mut stream) = stream.into_std() {
        // Does not block. If the client does not receive it, it is disconnected nevertheless.
        let _ = stream.write(REFUSAL.as_bytes());
    }
}
