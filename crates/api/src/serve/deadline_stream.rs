use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::{Instant, Sleep, sleep};

use crate::ConnectionLimits;

/// A connection that ends if its client reads its responses too slowly.
///
/// Otherwise a response larger than the system's buffers would stay in memory for a client that reads nothing, or a few
/// bytes a minute.
pub(super) struct DeadlineStream {
    stream: TcpStream,
    /// The most that `patience` may be.
    stalled_write: Duration,
    bytes_per_second: u32,
    /// How much longer a write may be blocked. Bytes that were read earn it back.
    patience: Duration,
    /// Runs while a write is blocked.
    wait: Option<Wait>,
}

struct Wait {
    since: Instant,
    end: Pin<Box<Sleep>>,
}

impl DeadlineStream {
    pub(super) fn new(stream: TcpStream, limits: &ConnectionLimits) -> Self {
        let ConnectionLimits { stalled_write, answer_bytes_per_second, .. } = *limits;
        let bytes_per_second = answer_bytes_per_second.max(1);
        Self { stream, stalled_write, bytes_per_second, patience: stalled_write, wait: None }
    }

    fn watch(&mut self, cx: &mut Context<'_>, written: Poll<io::Result<usize>>) -> Poll<io::Result<usize>> {
        if let Poll::Ready(written) = written {
            if let Some(wait) = self.wait.take() {
                self.patience = self.patience.saturating_sub(wait.since.elapsed());
            }
            let n_bytes = u32::try_from(*written.as_ref().unwrap_or(&0)).unwrap_or(u32::MAX);
            let earned = Duration::from_secs(1) * n_bytes / self.bytes_per_second;
            self.patience = self.patience.saturating_add(earned).min(self.stalled_write);
            return Poll::Ready(written);
        }
        let patience = self.patience;
        let wait =
            self.wait.get_or_insert_with(|| Wait { since: Instant::now(), end: Box::pin(sleep(patience)) });
        wait.end.as_mut().poll(cx).map(|()| Err(io::ErrorKind::TimedOut.into()))
    }
}

impl AsyncRead for DeadlineStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        // Reads have deadlines elsewhere: hyper's for headers, `body_deadline` for bodies.
        Pin::new(&mut self.stream).poll_read(cx, buffer)
    }
}

impl AsyncWrite for DeadlineStream {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(cx, bytes);
        self.watch(cx, written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(cx, slices);
        self.watch(cx, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        // A TCP stream has nothing to flush.
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    use tokio::net::{TcpListener, TcpSocket};
    use tokio::task::JoinSet;
    use tokio::time::timeout;

    use super::*;

    /// Sends 8 MiB to a client that reads 1 KiB at a time, with these pauses.
    async fn send(pause: Duration) -> io::Result<()> {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let client = TcpSocket::new_v4().unwrap();
        if !pause.is_zero() {
            client.set_recv_buffer_size(4096).unwrap();
        }
        let connecting = client.connect(listener.local_addr().unwrap());
        let (mut client, accepted) = tokio::try_join!(connecting, listener.accept()).unwrap();
        let limits = ConnectionLimits {
            stalled_write: Duration::from_millis(500),
            answer_bytes_per_second: 1 << 20,
            ..ConnectionLimits::default()
        };
        let mut stream = DeadlineStream::new(accepted.0, &limits);
        let mut reading = JoinSet::new();
        reading.spawn(async move {
            let mut piece = [0; 1024];
            while client.read_exact(&mut piece).await.is_ok() {
                if !pause.is_zero() {
                    sleep(pause).await;
                }
            }
        });
        let sent = timeout(Duration::from_secs(20), stream.write_all(&vec![7; 8 << 20])).await;
        sent.unwrap()
    }

    #[tokio::test]
    async fn whoever_reads_a_little_now_and_then_is_cut_off() {
        send(Duration::ZERO).await.unwrap();
        assert_eq!(send(Duration::from_millis(20)).await.unwrap_err().kind(), io::ErrorKind::TimedOut);
    }
}
