//! Log lines on standard error.

use std::fmt;
use std::io::{self, IsTerminal};

use anyhow::{Context, bail};
use partsight_app::{LogFormat, Settings, TraceExport};
use tracing::{Event, Level, Subscriber};
use tracing_subscriber::filter::LevelFilter;
use tracing_subscriber::fmt::format::{DefaultFields, Format, FormatEvent, FormatFields, Writer};
use tracing_subscriber::fmt::{FmtContext, Layer as Lines, MakeWriter};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::registry::LookupSpan;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{EnvFilter, Layer, Registry};

/// Starts logging by the settings.
///
/// # Errors
/// For an invalid filter.
pub(crate) fn start(settings: &Settings) -> anyhow::Result<()> {
    start_with(settings, None)
}

/// As [`start`], and exports traces of requests if the settings name a collector. Must be called in a tokio runtime;
/// the export must be closed last.
///
/// # Errors
/// As [`start`], and for a collector whose settings cannot be used.
pub(crate) fn start_with_traces(settings: &Settings) -> anyhow::Result<Option<TraceExport>> {
    let traces = settings.monitoring.otlp_endpoint.as_deref().map(TraceExport::start).transpose()?;
    start_with(settings, traces.as_ref())?;
    Ok(traces)
}

/// Parses the filter of the setting `log`.
///
/// # Errors
/// For an invalid filter.
pub(crate) fn filter(settings: &Settings) -> anyhow::Result<EnvFilter> {
    let log = &settings.server.log;
    // `EnvFilter` takes any word that is no level as the name of a target, and would silence all others.
    let is_lone_name = |word: &&str| {
        !word.is_empty() && !word.contains(['=', '[', ']', '{', '}']) && word.parse::<LevelFilter>().is_err()
    };
    if let Some(word) = log.split(',').find(is_lone_name) {
        bail!(
            "the setting `log` is `{log}`, but `{word}` is no level: write `error`, `warn`, `info`, `debug`, `trace` or \
             `off`, alone or after the name of a part of the program, as in `partsight=debug,warn`"
        );
    }
    EnvFilter::try_new(log)
        .with_context(|| format!("the setting `log` is `{log}`, which is no log filter; try `info`"))
}

/// Prefix of the line of a fatal error: its priority, if standard error goes to the systemd journal.
pub(crate) fn fatal_prefix() -> &'static str {
    if is_journal() { priority(Level::ERROR) } else { "" }
}

/// Whether standard error goes to the systemd journal: `JOURNAL_STREAM` then has its device and inode numbers, see
/// systemd.exec(5).
#[cfg(unix)]
fn is_journal() -> bool {
    let Some(stream) = std::env::var_os("JOURNAL_STREAM") else { return false };
    rustix::fs::fstat(io::stderr())
        .is_ok_and(|found| stream.to_str() == Some(format!("{}:{}", found.st_dev, found.st_ino).as_str()))
}

#[cfg(not(unix))]
fn is_journal() -> bool {
    false
}

/// Priority prefix that the journal parses and removes (sd-daemon(3)).
fn priority(level: Level) -> &'static str {
    match level {
        Level::ERROR => "<3>",
        Level::WARN => "<4>",
        Level::INFO => "<6>",
        _ => "<7>",
    }
}

/// Prefixes lines with their priority for the journal, which otherwise has no priority for standard error.
struct WithPriority<F> {
    lines: F,
    is_journal: bool,
}

impl<S, N, F> FormatEvent<S, N> for WithPriority<F>
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    N: for<'a> FormatFields<'a> + 'static,
    F: FormatEvent<S, N>,
{
    fn format_event(
        &self,
        context: &FmtContext<'_, S, N>,
        mut writer: Writer<'_>,
        event: &Event<'_>,
    ) -> fmt::Result {
        if self.is_journal {
            writer.write_str(priority(*event.metadata().level()))?;
        }
        self.lines.format_event(context, writer, event)
    }
}

fn start_with(settings: &Settings, traces: Option<&TraceExport>) -> anyhow::Result<()> {
    let filter = filter(settings)?;
    let lines =
        tracing_subscriber::fmt::layer().with_ansi(io::stderr().is_terminal()).with_writer(io::stderr);
    // The filter applies to log lines only; traces have their own.
    let lines = formatted(lines, settings.server.log_format, is_journal()).with_filter(filter);
    let subscriber = tracing_subscriber::registry().with(lines);
    match traces {
        Some(traces) => subscriber.with(traces.layer()).try_init(),
        None => subscriber.try_init(),
    }
    .context("cannot start logging")
}

/// A layer that writes lines of this format. Boxed, because the formats have different types.
fn formatted<W>(
    lines: Lines<Registry, DefaultFields, Format, W>,
    format: LogFormat,
    is_journal: bool,
) -> Box<dyn Layer<Registry> + Send + Sync>
where
    W: for<'a> MakeWriter<'a> + Send + Sync + 'static,
{
    match format {
        LogFormat::Text => lines.map_event_format(|lines| WithPriority { lines, is_journal }).boxed(),
        LogFormat::Json => lines.json().map_event_format(|lines| WithPriority { lines, is_journal }).boxed(),
    }
}

/// Starts logging for a command that prints its result: only warnings, unless the settings have another filter.
///
/// # Errors
/// As [`start`].
pub(crate) fn start_quietly(settings: &Settings) -> anyhow::Result<()> {
    let mut settings = settings.clone();
    // A filter that equals the default counts as not chosen.
    if settings.server.log == Settings::default().server.log {
        settings.server.log = "warn".into();
    }
    start(&settings)
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use super::*;

    /// Collects the output for a test.
    #[derive(Clone, Default)]
    struct Written(Arc<Mutex<Vec<u8>>>);

    impl io::Write for Written {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn lines_of(format: LogFormat, is_journal: bool) -> Vec<String> {
        let written = Written::default();
        let writer = written.clone();
        let lines = tracing_subscriber::fmt::layer().with_ansi(false).with_writer(move || writer.clone());
        let subscriber = tracing_subscriber::registry().with(formatted(lines, format, is_journal));
        tracing::subscriber::with_default(subscriber, || {
            tracing::error!("broken");
            tracing::warn!("odd");
            tracing::info!("done");
            tracing::debug!("detail");
        });
        let text = String::from_utf8(written.0.lock().unwrap().clone()).unwrap();
        text.lines().map(str::to_owned).collect()
    }

    #[test]
    fn the_journal_reads_the_priority_of_each_line() {
        for format in [LogFormat::Text, LogFormat::Json] {
            let (with, without) = (lines_of(format, true), lines_of(format, false));
            let begins: Vec<&str> = with.iter().map(|line| &line[..3]).collect();
            assert_eq!(begins, ["<3>", "<4>", "<6>", "<7>"], "{with:?}");
            assert_eq!(without.len(), 4, "{without:?}");
            assert!(without.iter().all(|line| !line.starts_with('<')), "{without:?}");
        }
    }

    #[test]
    fn a_word_that_is_no_level_is_refused() {
        let read = |log: &str| filter(&Settings::with(|settings| settings.server.log = log.to_owned()));
        for log in ["warn", "OFF", "partsight=debug,warn", "[scan{n=1}]=trace,info", ""] {
            assert!(read(log).is_ok(), "{log}");
        }
        for (log, word) in
            [("warning", "warning"), ("verbose", "verbose"), ("info,partsight_app", "partsight_app")]
        {
            let error = read(log).unwrap_err().to_string();
            assert!(error.contains(&format!("`{word}` is no level")) && error.contains("`warn`"), "{error}");
        }
    }
}
