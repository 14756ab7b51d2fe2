//! A mail server for tests that speaks SMTP (RFC 5321) over a real connection, and keeps what it takes.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::sync::{Mutex, mpsc};
use tokio::task::JoinSet;
use tokio::time::timeout;

use crate::PATIENCE;
use crate::recorder::{Record, listen};

/// A mail as it came over the wire.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Received {
    pub from: String,
    pub to: Vec<String>,
    /// Headers and body, lines ending in `\n`.
    pub text: String,
}

impl Received {
    /// What stands behind `mark` up to the end of its line.
    #[track_caller]
    pub fn after(&self, mark: &str) -> String {
        let (_, rest) = self.text.split_once(mark).unwrap_or_else(|| panic!("no {mark}: {}", self.text));
        rest.lines().next().unwrap_or_default().trim().to_owned()
    }
}

/// How the server behaves.
#[derive(Debug, Clone, Default)]
pub struct Manners {
    /// What `AUTH PLAIN` must say, in base64 (RFC 4616); anybody may send when there is none.
    pub credentials: Option<&'static str>,
    /// Mails that it refuses with 451 before it takes the first.
    pub temporary_refusals: u32,
    /// Recipients that it refuses for good begin with this.
    pub unknown_prefix: Option<&'static str>,
    /// Recipients that it refuses for now begin with this.
    pub busy_prefix: Option<&'static str>,
    /// It takes connections and never says anything.
    pub is_silent: bool,
}

/// A listening server, which ends with the test.
pub struct SmtpServer {
    pub address: SocketAddr,
    mails: Mutex<mpsc::UnboundedReceiver<Received>>,
    attempts: Arc<AtomicU32>,
    _record: Record,
    _listener: JoinSet<()>,
}

impl SmtpServer {
    pub async fn start(manners: Manners) -> Self {
        let (listener, record) = listen().await;
        let (taken, mails) = mpsc::unbounded_channel();
        let attempts = Arc::new(AtomicU32::new(0));
        let counter = Arc::clone(&attempts);
        let mut tasks = JoinSet::new();
        tasks.spawn(async move {
            let mut connections = JoinSet::new();
            while let Ok((stream, _)) = listener.accept().await {
                let (taken, counter, manners) = (taken.clone(), Arc::clone(&counter), manners.clone());
                connections.spawn(async move {
                    // A client that hangs up is no failure of the server.
                    let _ = Conversation { manners, counter, taken }.hold(stream).await;
                });
            }
        });
        let address = record.address;
        Self { address, mails: Mutex::new(mails), attempts, _record: record, _listener: tasks }
    }

    /// The address for the setting `smtp_url`.
    pub fn url(&self) -> String {
        format!("smtp://{}", self.address)
    }

    /// The next mail, in the order in which they came.
    pub async fn next(&self) -> Received {
        let mut mails = self.mails.lock().await;
        timeout(PATIENCE, mails.recv()).await.expect("a mail").expect("the server runs")
    }

    /// Whether no mail has come that was not read.
    pub async fn is_empty(&self) -> bool {
        self.mails.lock().await.is_empty()
    }

    /// Mails that were offered, taken or not.
    pub fn attempts(&self) -> u32 {
        self.attempts.load(Ordering::SeqCst)
    }
}

struct Conversation {
    manners: Manners,
    counter: Arc<AtomicU32>,
    taken: mpsc::UnboundedSender<Received>,
}

impl Conversation {
    async fn hold(&self, stream: impl AsyncRead + AsyncWrite + Unpin) -> std::io::Result<()> {
        if self.manners.is_silent {
            std::future::pending::<()>().await;
        }
        let mut stream = BufReader::new(stream);
        stream.write_all(b"220 test ESMTP\r\n").await?;
        let mut is_signed_in = self.manners.credentials.is_none();
        let (mut from, mut to) = (String::new(), Vec::new());
        let mut line = String::new();
        loop {
            line.clear();
            if stream.read_line(&mut line).await? == 0 {
                return Ok(());
            }
            let command = line.trim_end();
            let (verb, rest) = command.split_once(' ').unwrap_or((command, ""));
            let answer = match verb.to_uppercase().as_str() {
                "EHLO" => "250-test\r\n250-8BITMIME\r\n250-SMTPUTF8\r\n250 AUTH PLAIN",
                "AUTH" => {
                    is_signed_in = self.is_allowed(rest);
                    if is_signed_in { "235 welcome" } else { "535 wrong credentials" }
                }
                "MAIL" if !is_signed_in => "530 sign in first",
                "MAIL" => {
                    self.counter.fetch_add(1, Ordering::SeqCst);
                    from = path(rest);
                    "250 ok"
                }
                "RCPT" => {
                    to.push(path(rest));
                    let is_to = |prefix: Option<&str>| {
                        prefix.is_some_and(|prefix| to.iter().any(|to| to.starts_with(prefix)))
                    };
                    if is_to(self.manners.unknown_prefix) {
                        "550 5.1.1 no such mailbox"
                    } else if is_to(self.manners.busy_prefix) {
                        "450 4.2.0 come back later"
                    } else {
                        "250 ok"
                    }
                }
                // Counted across connections, because a client may come back on another.
                "DATA" if self.counter.load(Ordering::SeqCst) <= self.manners.temporary_refusals => {
                    "451 not now"
                }
                "DATA" => {
                    stream.write_all(b"354 go on\r\n").await?;
                    let text = read_data(&mut stream).await?;
                    let mail = Received { from: from.clone(), to: std::mem::take(&mut to), text };
                    let _ = self.taken.send(mail);
                    "250 taken"
                }
                "QUIT" => {
                    stream.write_all(b"221 bye\r\n").await?;
                    return Ok(());
                }
                "RSET" | "NOOP" => "250 ok",
                _ => "502 unknown",
            };
            stream.write_all(answer.as_bytes()).await?;
            stream.write_all(b"\r\n").await?;
        }
    }

    fn is_allowed(&self, parameters: &str) -> bool {
        self.manners.credentials.is_none_or(|right| parameters.strip_prefix("PLAIN ") == Some(right))
    }
}

/// The address in `FROM:<ann@example.com> BODY=8BITMIME`.
fn path(parameters: &str) -> String {
    let inner = parameters.split_once('<').and_then(|(_, rest)| rest.split_once('>'));
    inner.map_or_else(String::new, |(path, _)| path.to_owned())
}

/// The lines up to the one with a point alone; a line that begins with a point came with one more.
async fn read_data(stream: &mut BufReader<impl AsyncRead + Unpin>) -> std::io::Result<String> {
    let mut text = String::new();
    loop {
        let mut line = String::new();
        if stream.read_line(&mut line).await? == 0 {
            return Err(std::io::ErrorKind::UnexpectedEof.into());
        }
        let line = line.trim_end_matches(['\r', '\n']);
        if line == "." {
            return Ok(text);
        }
        text.push_str(line.strip_prefix('.').unwrap_or(line));
        text.push('\n');
    }
}
