//! What leaves the program, byte by byte: each fake service of the tests takes its connections through a [`Recorder`],
//! and when its [`Record`] ends with the test, nothing in it may be what must never leave.
//!
//! That is what a camera hides in a photograph, the name of its file, passwords, and what a test says with [`keep`],
//! such as the cookies of its sessions: as they are, and in base64 wherever they begin.

use std::collections::HashMap;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::pin::Pin;
use std::sync::{Arc, LazyLock, Mutex, PoisonError, RwLock};
use std::task::{Context, Poll};
use std::thread;

use axum::serve::Listener;
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

/// The camera, as its EXIF data names it.
pub const CAMERA: &[u8] = b"Spionkamera GmbH 4711";
/// Latitude as EXIF writes it: three fractions, 47.37 degrees, 22.0 minutes and 47.1 seconds.
pub const PLACE: &[u8] =
    b"\xa9\x68\xe3\x95\x03\x93\x87\x0b\x4e\xad\xa1\x97\x03\x93\x87\x31\xa8\x86\xf4\xe9\x03\x93\x87\x49";
/// The owner, as its XMP data names them.
pub const OWNER: &[u8] = b"Inhaberin Annegret Leeuwenhoek-Grabowski";
/// A comment in the file.
pub const COMMENT: &[u8] = b"Hobbykeller, Akazienallee 12, Zweitschluessel beim Nachbarn";
/// What some cameras put behind the end of the picture.
pub const BEHIND: &[u8] = b"MPF-Zweitbild-der-Garagenauffahrt";
/// The name of the file.
pub const FILE_NAME: &str = "IMG_0001.jpg";
/// The password of everybody in the tests.
pub const PASSWORD: &str = "correct horse";

/// Bytes in a row that give a secret away; no shorter secret can be kept.
const PIECE: usize = 12;

/// Pieces of what must not leave, each with what it is of.
static SECRETS: LazyLock<RwLock<HashMap<u128, &'static str>>> = LazyLock::new(|| {
    let mut pieces = HashMap::new();
    for (what, secret) in [
        ("the camera", CAMERA),
        ("the place of the photograph", PLACE),
        ("the owner of the camera", OWNER),
        ("the comment of the photograph", COMMENT),
        ("what lies behind the photograph", BEHIND),
        ("the name of the photograph's file", FILE_NAME.as_bytes()),
        ("a password", PASSWORD.as_bytes()),
        // Without the name of the program, which services are told: nine bytes of it are a piece in base64.
        ("the name of the session's cookie", b"ight_session"),
    ] {
        add(&mut pieces, what, secret);
    }
    RwLock::new(pieces)
});

/// From here on, `secret` must not leave; an error names it as `what`.
pub fn keep(what: &'static str, secret: &[u8]) {
    add(&mut SECRETS.write().unwrap_or_else(PoisonError::into_inner), what, secret);
}

/// What of all secrets is in these bytes, if anything.
pub fn secret_in(bytes: &[u8]) -> Option<&'static str> {
    let secrets = SECRETS.read().unwrap_or_else(PoisonError::into_inner);
    pieces(bytes).find_map(|piece| secrets.get(&piece).copied())
}

fn add(known: &mut HashMap<u128, &'static str>, what: &'static str, secret: &[u8]) {
    assert!(secret.len() >= PIECE, "{what} is too short to be told from chance");
    known.extend(pieces(secret).map(|piece| (piece, what)));
    // In base64 a text looks one of three ways, by where it begins. Its last letters depend on what follows.
    for shifted in [secret, &secret[1..], &secret[2..]] {
        let whole = &shifted[..shifted.len() / 3 * 3];
        for encoded in [STANDARD_NO_PAD.encode(whole), URL_SAFE_NO_PAD.encode(whole)] {
            known.extend(pieces(encoded.as_bytes()).map(|piece| (piece, what)));
        }
    }
}

/// Every [`PIECE`] bytes in a row, as a number.
fn pieces(bytes: &[u8]) -> impl Iterator<Item = u128> {
    // Twelve bytes fit into a number of sixteen, which as a key needs no allocation.
    let number = |window: &[u8]| window.iter().fold(0, |number, &byte| number << 8 | u128::from(byte));
    bytes.windows(PIECE).map(number)
}

/// A listener whose connections keep what comes.
pub struct Recorder {
    listener: TcpListener,
    log: Arc<Log>,
}

/// A connection that keeps what comes.
pub struct Recording {
    stream: TcpStream,
    log: Arc<Log>,
    number: usize,
}

/// What came, to be held for as long as a test runs.
pub struct Record {
    pub address: SocketAddr,
    log: Arc<Log>,
}

struct Log {
    /// What came on each connection: mixed up, the bytes of two would hide what either says.
    connections: Mutex<Vec<Vec<u8>>>,
    count: watch::Sender<usize>,
}

/// A recorder on a free port of this machine.
pub async fn listen() -> (Recorder, Record) {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
    let address = listener.local_addr().unwrap();
    let log = Arc::new(Log { connections: Mutex::default(), count: watch::channel(0).0 });
    (Recorder { listener, log: Arc::clone(&log) }, Record { address, log })
}

impl Recorder {
    /// The next connection.
    pub async fn accept(&self) -> io::Result<(Recording, SocketAddr)> {
        let (stream, fake) = self.listener.accept().await?;
        let number = {
            let mut connections = self.log.connections.lock().unwrap();
            connections.push(Vec::new());
            connections.len() - 1
        };
        self.log.count.send_replace(number + 1);
        Ok((Recording { stream, log: Arc::clone(&self.log), number }, fake))
    }
}

impl Listener for Recorder {
    type Io = Recording;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Recording, SocketAddr) {
        Recorder::accept(self).await.unwrap()
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }
}

impl Record {
    /// Every byte that has come, one connection after the other.
    pub fn bytes(&self) -> Vec<u8> {
        self.log.connections.lock().unwrap().concat()
    }

    /// Connections so far, those without a byte included.
    pub fn n_connections(&self) -> usize {
        *self.log.count.borrow()
    }

    /// Waits until there have been `n` connections.
    pub async fn wait_for_connections(&self, n: usize) {
        self.log.count.subscribe().wait_for(|count| *count >= n).await.unwrap();
    }
}

impl Drop for Record {
    /// Fails the test where something has left that must not.
    fn drop(&mut self) {
        // A second panic would abort the process and hide the first.
        if thread::panicking() {
            return;
        }
        // What came before a panic must not leave either.
        let connections = self.log.connections.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(what) = connections.iter().find_map(|bytes| secret_in(bytes)) {
            // Before the panic, so that the lock is not poisoned for whoever still records.
            drop(connections);
            panic!("{what} has left this machine");
        }
    }
}

impl AsyncRead for Recording {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let result = Pin::new(&mut self.stream).poll_read(context, buffer);
        let came = &buffer.filled()[before..];
        self.log.connections.lock().unwrap()[self.number].extend_from_slice(came);
        result
    }
}

impl AsyncWrite for Recording {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        // Not kept: what a fake answers comes to the program and does not leave it.
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};

    use base64::engine::general_purpose::{STANDARD, URL_SAFE};
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    use super::*;

    /// What the end of a record says after `bytes` came in two pieces; `None` where it says nothing.
    async fn said_of(bytes: &[u8]) -> Option<String> {
        let (recorder, record) = listen().await;
        let (start, rest) = bytes.split_at(bytes.len() / 2);
        let mut sender = TcpStream::connect(record.address).await.unwrap();
        let (mut receiver, _) = recorder.accept().await.unwrap();
        record.wait_for_connections(1).await;
        for piece in [start, rest] {
            sender.write_all(piece).await.unwrap();
            receiver.read_exact(&mut vec![0; piece.len()]).await.unwrap();
        }
        assert_eq!((record.n_connections(), record.bytes().as_slice()), (1, bytes));
        let fault = catch_unwind(AssertUnwindSafe(|| drop(record))).err()?;
        Some(fault.downcast_ref::<String>().unwrap().clone())
    }

    #[tokio::test]
    async fn a_record_notices_what_must_not_leave() {
        keep("a word of this test", b"Sesam-oeffne-dich\xff\xfe\xfd");
        let secrets = [
            (CAMERA, "the camera"),
            (PLACE, "the place of the photograph"),
            (OWNER, "the owner of the camera"),
            (COMMENT, "the comment of the photograph"),
            (BEHIND, "what lies behind the photograph"),
            (FILE_NAME.as_bytes(), "the name of the photograph's file"),
            (PASSWORD.as_bytes(), "a password"),
            (b"Sesam-oeffne-dich\xff\xfe\xfd", "a word of this test"),
        ];
        for (secret, what) in secrets {
            let expected = Some(format!("{what} has left this machine"));
            for before in ["", "a", "ab"] {
                let inside = [before.as_bytes(), secret, b" and so on"].concat();
                assert_eq!(said_of(&inside).await, expected);
                assert_eq!(said_of(STANDARD.encode(&inside).as_bytes()).await, expected, "{before}");
                assert_eq!(said_of(URL_SAFE.encode(&inside).as_bytes()).await, expected, "{before}");
            }
        }
    }

    #[tokio::test]
    async fn a_record_says_nothing_of_what_may_leave() {
        assert_eq!(said_of(b"").await, None);
        assert_eq!(said_of(b"POST /v1/messages HTTP/1.1\r\nuser-agent: partsight/1.0\r\n\r\n{}").await, None);
        assert_eq!(said_of(&[0; 4096]).await, None);
    }
}
