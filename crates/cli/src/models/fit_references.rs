//! `partsight models fit-references`.

use std::process::ExitCode;

use partsight_app::Settings;
use partsight_app::models::{ModelSource, fit_references};

use super::arguments::FitReferencesArguments;
use super::import::{StepBar, unreadable};
use super::teaching;

pub(super) fn run(arguments: &FitReferencesArguments, settings: &Settings) -> anyhow::Result<ExitCode> {
    let source = ModelSource::named(settings, &arguments.name_or_folder);
    let bar = StepBar::new();
    let fitted = fit_references(&source, &arguments.photos, settings, &|step| bar.show(step));
    bar.finish();
    let report = fitted?;
    let mut lines = vec![format!(
        "Fitted teaching for `{}`, in {}",
        report.manifest.name,
        report.folder.join("model.toml").display()
    )];
    lines.extend(teaching::sentences(&report.manifest));
    lines.extend(unreadable(&report.unreadable));
    lines.push("A running server uses it after a restart.".to_owned());
    crate::print(&(lines.join("\n") + "\n"))
}
