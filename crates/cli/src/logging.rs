//! Log lines on standard error.

use std::io::{self, IsTerminal};

use anyhow::Context;
use partsight_app::{LogFormat, Settings};
use tracing_subscriber::EnvFilter;
use tracing_subscriber::util::SubscriberInitExt;

/// Starts logging as the settings say.
///
/// # Errors
/// When the filter cannot be read.
pub(crate) fn start(settings: &Settings) -> anyhow::Result<()> {
    let filter = EnvFilter::try_new(&settings.log).with_context(|| {
        format!("the setting `log` is `{}`, which is no log filter; try `info`", settings.log)
    })?;
    let subscriber = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_ansi(io::stderr().is_terminal())
        .with_writer(io::stderr);
    match settings.log_format {
        LogFormat::Text => subscriber.finish().try_init(),
        LogFormat::Json => subscriber.json().finish().try_init(),
    }
    .context("start logging")
}

/// Starts logging for a command whose results are what it prints: only warnings of the libraries beside them,
/// unless the user asked for more.
///
/// # Errors
/// As [`start`].
pub(crate) fn start_quietly(settings: &Settings) -> anyhow::Result<()> {
    let is_default = settings.log == Settings::default().log;
    let log = if is_default { "warn".to_owned() } else { settings.log.clone() };
    start(&Settings { log, ..settings.clone() })
}
