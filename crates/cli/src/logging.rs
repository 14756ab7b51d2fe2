//! Log lines on standard error.

use std::io::{self, IsTerminal};

use anyhow::Context;
use partsight_app::{LogFormat, Settings, TraceExport};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{EnvFilter, Layer, Registry};

/// Starts logging as the settings say.
///
/// # Errors
/// When the filter cannot be read.
pub(crate) fn start(settings: &Settings) -> anyhow::Result<()> {
    start_with(settings, None)
}

/// As [`start`], with traces of the requests where the settings name a collector; must be called in a tokio runtime.
/// The traces are to be closed when everything else has ended.
///
/// # Errors
/// As [`start`], and for a collector that cannot be called.
pub(crate) fn start_with_traces(settings: &Settings) -> anyhow::Result<Option<TraceExport>> {
    let traces = settings.monitoring.otlp_endpoint.as_deref().map(TraceExport::start).transpose()?;
    start_with(settings, traces.as_ref())?;
    Ok(traces)
}

/// The filter that the setting `log` is.
///
/// # Errors
/// When it is none.
pub(crate) fn filter(settings: &Settings) -> anyhow::Result<EnvFilter> {
    EnvFilter::try_new(&settings.server.log).with_context(|| {
        format!("the setting `log` is `{}`, which is no log filter; try `info`", settings.server.log)
    })
}

fn start_with(settings: &Settings, traces: Option<&TraceExport>) -> anyhow::Result<()> {
    let filter = filter(settings)?;
    let lines =
        tracing_subscriber::fmt::layer().with_ansi(io::stderr().is_terminal()).with_writer(io::stderr);
    // Boxed, because the two formats are layers of two types. The filter is on the lines alone: traces have their own.
    let lines: Box<dyn Layer<Registry> + Send + Sync> = match settings.server.log_format {
        LogFormat::Text => lines.with_filter(filter).boxed(),
        LogFormat::Json => lines.json().with_filter(filter).boxed(),
    };
    let subscriber = tracing_subscriber::registry().with(lines);
    match traces {
        Some(traces) => subscriber.with(traces.layer()).try_init(),
        None => subscriber.try_init(),
    }
    .context("start logging")
}

/// Starts logging for a command whose results are what it prints: only warnings of the libraries beside them,
/// unless the user asked for more.
///
/// # Errors
/// As [`start`].
pub(crate) fn start_quietly(settings: &Settings) -> anyhow::Result<()> {
    let mut settings = settings.clone();
    // The default cannot be told from a filter that nobody chose; any other is kept.
    if settings.server.log == Settings::default().server.log {
        settings.server.log = "warn".into();
    }
    start(&settings)
}
