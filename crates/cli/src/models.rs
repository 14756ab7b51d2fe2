//! `partsight models`.

mod arguments;
mod fit_references;
mod import;
mod info;
mod list;
mod teaching;
mod verify;

use std::process::ExitCode;

use anyhow::Context;
use partsight_app::Settings;
use partsight_app::models::ModelSource;
use serde::Serialize;

pub(crate) use arguments::ModelsArguments;
use arguments::{ModelsCommand, ModelsFormat};

use crate::logging;

pub(crate) fn run(command: ModelsCommand, settings: &Settings) -> anyhow::Result<ExitCode> {
    // The output is the result; unless a filter is set, only warnings are logged beside it.
    logging::start_quietly(settings)?;
    match command {
        ModelsCommand::List(output) => list::run(output.format, settings),
        ModelsCommand::Info(one) => {
            info::run(source(one.name_or_folder.as_deref(), settings), one.output.format, settings)
        }
        ModelsCommand::Verify(one) => {
            verify::run(&source(one.name_or_folder.as_deref(), settings), one.output.format, settings)
        }
        ModelsCommand::Import(import) => import::run(import, settings),
        ModelsCommand::FitReferences(arguments) => fit_references::run(&arguments, settings),
    }
}

/// The named model, else the one in use.
fn source(name: Option<&str>, settings: &Settings) -> ModelSource {
    name.map_or_else(|| ModelSource::in_use(settings), |name| ModelSource::named(settings, name))
}

/// Prints text, or the value as JSON.
fn print(format: ModelsFormat, value: &impl Serialize, text: impl FnOnce() -> String) -> anyhow::Result<()> {
    let text = match format {
        ModelsFormat::Table => text(),
        ModelsFormat::Json => serde_json::to_string_pretty(value).context("cannot write JSON")?,
    };
    crate::say(text.trim_end())
}

/// A size such as `8.9 MiB`.
fn size(bytes: u64) -> String {
    let mebibytes = bytes as f64 / (1024.0 * 1024.0);
    if mebibytes >= 1024.0 { format!("{:.1} GiB", mebibytes / 1024.0) } else { format!("{mebibytes:.1} MiB") }
}

/// A wanted share of wrong answers, such as `5%` or `0.5%`, to the hundredth that the dial of the web app has as well.
fn wanted_percent(share: f64) -> String {
    format!("{}%", (share * 10_000.0).round() / 100.0)
}

#[cfg(test)]
mod tests {
    use partsight_eval::bound_percent;

    use super::*;

    #[test]
    fn the_marks_of_the_dial_read_as_in_the_web_app() {
        let wanted = [(0.01, "1%"), (0.1, "10%"), (0.005, "0.5%"), (0.07, "7%")];
        assert_eq!(wanted.map(|(share, _)| wanted_percent(share)), wanted.map(|(_, text)| text));
        let bounds = [(0.0161, "1.7%"), (0.0892, "9.0%"), (0.041, "4.1%"), (0.1, "10.0%")];
        assert_eq!(bounds.map(|(share, _)| bound_percent(share)), bounds.map(|(_, text)| text));
    }
}
