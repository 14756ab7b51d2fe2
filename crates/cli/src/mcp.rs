//! `partsight mcp`.

use std::process::ExitCode;

use anyhow::{Context, bail};
use partsight_api::{ApiState, MAX_MCP_MESSAGE_BYTES, McpCaller, McpServer};
use partsight_app::{SecretToken, Settings};
use tokio::io::{AsyncBufRead, AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader, stdin, stdout};

use crate::arguments::McpArguments;
use crate::{logging, serve};

pub(crate) fn run(arguments: &McpArguments, settings: &Settings) -> anyhow::Result<ExitCode> {
    let Some(secret) = arguments.key.as_deref().filter(|key| !key.is_empty()) else {
        bail!("an API key is needed: give it as PARTSIGHT_API_KEY; `partsight admin key create` makes one");
    };
    logging::start(settings)?;
    let runtime =
        tokio::runtime::Builder::new_multi_thread().enable_all().build().context("start the runtime")?;
    runtime.block_on(talk(SecretToken::from_text(secret), settings))?;
    // A thread may still wait for standard input.
    runtime.shutdown_background();
    Ok(ExitCode::SUCCESS)
}

async fn talk(secret: SecretToken, settings: &Settings) -> anyhow::Result<()> {
    let app = serve::open_app(settings).await?;
    app.teaching.prepare_references().await?;
    let key = app.accounts.key_caller(&secret).await.context("use the API key")?;
    app.accounts.check_key_plan(&key).context("use the API key")?;
    let caller = McpCaller::on_this_machine(&secret, key).context("the API key is no plain text")?;
    let server = McpServer::new(ApiState::new(app.clone(), settings));
    let (mut input, mut output) = (BufReader::new(stdin()), stdout());
    while let Some(line) = next_line(&mut input).await? {
        if line.trim_ascii().is_empty() {
            continue;
        }
        if let Some(answer) = server.answer(&line, &caller).await {
            output.write_all(format!("{answer}\n").as_bytes()).await?;
            output.flush().await?;
        }
    }
    app.close().await;
    Ok(())
}

/// The next message, which is a line; `None` at the end.
async fn next_line(input: &mut (impl AsyncBufRead + Unpin)) -> anyhow::Result<Option<Vec<u8>>> {
    let mut line = Vec::new();
    let n_read = input.take(MAX_MCP_MESSAGE_BYTES as u64 + 1).read_until(b'\n', &mut line).await?;
    if line.len() > MAX_MCP_MESSAGE_BYTES {
        bail!("a message is larger than {MAX_MCP_MESSAGE_BYTES} bytes");
    }
    Ok((n_read > 0).then_some(line))
}
