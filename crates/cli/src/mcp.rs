//! `partsight mcp`.

use std::io::{self, BufRead, Read, Write};
use std::process::ExitCode;
use std::thread;

use anyhow::{Context, bail};
use partsight_api::{ApiState, MAX_MCP_MESSAGE_BYTES, McpCaller, mcp_server};
use partsight_app::{Error, SecretToken, Settings, require_database};
use partsight_domain::messages;
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
            if let Some(answer) = server.answer(&line?, &caller).await {
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

/// The lines of standard input, each of which is a message. Read by a separate thread, because a blocking read in the
/// runtime would delay its shutdown.
fn lines_of_input() -> mpsc::Receiver<anyhow::Result<Vec<u8>>> {
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

/// The next line that is not empty; `None` at the end. A line above the limit of a message is cut off one byte above
/// it, so that it is refused as a message.
fn next_line(input: &mut impl BufRead) -> anyhow::Result<Option<Vec<u8>>> {
    loop {
        let mut line = Vec::new();
        let limit = MAX_MCP_MESSAGE_BYTES as u64 + 1;
        let n_read =
            input.by_ref().take(limit).read_until(b'\n', &mut line).context("cannot read standard input")?;
        if n_read == 0 {
            return Ok(None);
        }
        if n_read > MAX_MCP_MESSAGE_BYTES {
            if !line.ends_with(b"\n") {
                input.skip_until(b'\n').context("cannot read standard input")?;
            }
            return Ok(Some(line));
        }
        if !line.trim_ascii().is_empty() {
            return Ok(Some(line));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_lines_and_empty_ones_are_none() {
        let mut input = &b"{}\n\n  \r\n[1]"[..];
        assert_eq!(next_line(&mut input).unwrap().unwrap(), b"{}\n");
        assert_eq!(next_line(&mut input).unwrap().unwrap(), b"[1]");
        assert!(next_line(&mut input).unwrap().is_none());
        let mut long = vec![b'x'; MAX_MCP_MESSAGE_BYTES + 2];
        long.extend(b"\n{}\n");
        let mut long = long.as_slice();
        assert_eq!(next_line(&mut long).unwrap().unwrap().len(), MAX_MCP_MESSAGE_BYTES + 1);
        assert_eq!(next_line(&mut long).unwrap().unwrap(), b"{}\n", "the next one is read as ever");
    }
}
