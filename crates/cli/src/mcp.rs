//! `partsight mcp`.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::process::ExitCode;
use std::thread;

use anyhow::{Context, bail};
use partsight_api::{ApiState, MAX_MCP_MESSAGE_BYTES, McpCaller, McpServer, mcp_server};
use partsight_app::{Error, SecretToken, Settings, require_database};
use partsight_domain::messages;
use serde_json::Value;
use tokio::sync::mpsc;

use crate::arguments::McpArguments;
use crate::{logging, reader, serve};

pub(crate) fn run(arguments: &McpArguments, settings: &Settings) -> anyhow::Result<ExitCode> {
    let Some(secret) = arguments.key.as_deref().filter(|key| !key.is_empty()) else {
        bail!("an API key is needed: give it as PARTSIGHT_API_KEY; `partsight admin key create` makes one");
    };
    logging::start_quietly(settings)?;
    require_database(settings)?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .context("cannot start the runtime")?;
    runtime.block_on(talk(&SecretToken::from_text(secret), settings))?;
    Ok(ExitCode::SUCCESS)
}

async fn talk(secret: &SecretToken, settings: &Settings) -> anyhow::Result<()> {
    let app = serve::open_app(settings).await?;
    app.teaching.prepare_references().await?;
    let key = app.accounts.key_caller(secret).await.map_err(explain)?;
    app.accounts.check_key_plan(&key).map_err(explain)?;
    let caller = McpCaller::on_this_machine(secret, key).context("the API key is no plain text")?;
    let server = mcp_server(ApiState::new(app.clone(), settings));
    let mut lines = lines_of_input();
    let conversation = async {
        while let Some(line) = lines.recv().await {
            let answer = match line? {
                Line::Message(message) => server.answer(&message, &caller).await,
                Line::TooLarge(refusal) => Some(refusal),
            };
            if let Some(answer) = answer {
                let mut output = reader::rows();
                writeln!(output, "{answer}")?;
                output.flush()?;
            }
        }
        anyhow::Ok(())
    };
    // Batches are answered even without a running server; with one, the two share the work.
    let ended = tokio::select! {
        ended = conversation => ended,
        never = app.batches.run() => match never {},
    };
    app.close().await;
    ended
}

/// Errors in terms of the given key.
fn explain(error: Error) -> anyhow::Error {
    match error {
        // The sentence for people says how a key is sent over HTTP.
        Error::ApiKeyRefused { message: messages::API_KEY_UNKNOWN } => anyhow::anyhow!(
            "the API key is not valid: give a valid one as PARTSIGHT_API_KEY; `partsight admin key create` makes one"
        ),
        Error::ApiKeyRefused { message } => anyhow::anyhow!("{message}"),
        Error::Forbidden { .. } => anyhow::anyhow!(
            "the API key opens nothing: the plan of its account includes no keys; `partsight admin plan EMAIL \
             business` gives it one that does, and so does the setting `plan`, which must be the server's here too"
        ),
        other => anyhow::Error::new(other).context("cannot use the API key"),
    }
}

/// A line of standard input that is not empty.
#[derive(Debug, PartialEq)]
enum Line {
    Message(Vec<u8>),
    /// The answer to a message above the limit.
    TooLarge(Value),
}

/// The lines of standard input, each of which is a message. Read by a separate thread, because a blocking read in the
/// runtime would delay its shutdown.
fn lines_of_input() -> mpsc::Receiver<anyhow::Result<Line>> {
    // At most one message waits, because a message can have 12 MB: a client that writes faster than it is answered is
    // blocked.
    let (sender, lines) = mpsc::channel(1);
    thread::spawn(move || {
        let mut input = io::stdin().lock();
        loop {
            let line = next_line(&mut input);
            let is_last = line.is_err();
            let Some(line) = line.transpose() else { return };
            if sender.blocking_send(line).is_err() || is_last {
                return;
            }
        }
    });
    lines
}

/// The next line that is not empty; `None` at the end. Of a line above the limit of a message no more is in memory.
fn next_line(input: &mut impl BufRead) -> anyhow::Result<Option<Line>> {
    loop {
        let mut line = Vec::new();
        let limit = MAX_MCP_MESSAGE_BYTES as u64 + 1;
        let n_read =
            input.by_ref().take(limit).read_until(b'\n', &mut line).context("cannot read standard input")?;
        if n_read == 0 {
            return Ok(None);
        }
        if n_read > MAX_MCP_MESSAGE_BYTES {
            let mut rest = RestOfLine { input, has_ended: line.ends_with(b"\n") };
            // The id may stand at the end.
            let refusal = McpServer::refuse_large(BufReader::new(line.as_slice().chain(&mut rest)));
            io::copy(&mut rest, &mut io::sink()).context("cannot read standard input")?;
            return Ok(Some(Line::TooLarge(refusal)));
        }
        if !line.trim_ascii().is_empty() {
            return Ok(Some(Line::Message(line)));
        }
    }
}

/// Reads to the end of a line, and nothing of the next one.
struct RestOfLine<'i, I> {
    input: &'i mut I,
    has_ended: bool,
}

impl<I: BufRead> Read for RestOfLine<'_, I> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.has_ended {
            return Ok(0);
        }
        let available = self.input.fill_buf()?;
        let available = &available[..available.len().min(buffer.len())];
        let end = available.iter().position(|byte| *byte == b'\n');
        let n_read = end.map_or(available.len(), |end| end + 1);
        buffer[..n_read].copy_from_slice(&available[..n_read]);
        self.has_ended = end.is_some();
        self.input.consume(n_read);
        Ok(n_read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_lines_and_empty_ones_are_none() {
        let message = |bytes: &[u8]| Some(Line::Message(bytes.to_vec()));
        let mut input = &b"{}\n\n  \r\n[1]"[..];
        assert_eq!(next_line(&mut input).unwrap(), message(b"{}\n"));
        assert_eq!(next_line(&mut input).unwrap(), message(b"[1]"));
        assert_eq!(next_line(&mut input).unwrap(), None);
        // One byte too many, the newline included, and more.
        for n_bytes in [MAX_MCP_MESSAGE_BYTES, MAX_MCP_MESSAGE_BYTES + 1, 2 * MAX_MCP_MESSAGE_BYTES] {
            let mut long = br#"{"params":""#.to_vec();
            long.resize(n_bytes - 10, b'x');
            long.extend(b"\",\"id\": 7}\n{}\n");
            // In pieces, as from a pipe.
            let mut long = BufReader::with_capacity(4096, long.as_slice());
            let Some(Line::TooLarge(refusal)) = next_line(&mut long).unwrap() else { panic!("{n_bytes}") };
            assert_eq!(refusal["id"], 7, "{n_bytes}");
            assert_eq!(next_line(&mut long).unwrap(), message(b"{}\n"), "the next one is read as ever");
        }
    }
}
