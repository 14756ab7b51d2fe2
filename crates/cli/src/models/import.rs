//! `partsight models import`.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context;
use indicatif::{ProgressBar, ProgressStyle};
use partsight_app::models::{
    FileFormat, ImportReport, ImportRequest, ImportStep, Preparation, PrototypeSource, TokenPool,
    import_model,
};
use partsight_app::{Catalog, Settings, system_clock};
use partsight_eval::bound_percent;

use super::arguments::{ImportArguments, ImportEngine, ImportPool};
use super::{teaching, wanted_percent};

/// Maximum of unreadable photographs that are listed; the rest are counted.
const MAX_NAMED: usize = 10;

pub(super) fn run(arguments: ImportArguments, settings: &Settings) -> anyhow::Result<ExitCode> {
    let catalog = Catalog::embedded().context("cannot read the catalogue")?;
    let today = system_clock().now().to_zoned(jiff::tz::TimeZone::UTC).date();
    let request = ImportRequest {
        folder: arguments.folder,
        name: arguments.name,
        labels: arguments.labels,
        prompts: arguments.prompts,
        photos: arguments.photos,
        calibrate: arguments.calibrate,
        format: arguments.engine.map(|engine| match engine {
            ImportEngine::Candle => FileFormat::Safetensors,
            ImportEngine::Onnx => FileFormat::Onnx,
        }),
        preparation: Preparation { size: arguments.size, mean: arguments.mean, std: arguments.std },
        output: arguments.output,
        pool: arguments.pool.map(|pool| match pool {
            ImportPool::First => TokenPool::First,
            ImportPool::Mean => TokenPool::Mean,
        }),
        force: arguments.force,
    };
    let bar = StepBar::new();
    let imported = import_model(&request, settings, &catalog, today, &|step| bar.show(step));
    bar.finish();
    crate::print(&text(&imported?))
}

/// Progress of the import.
pub(super) struct StepBar(ProgressBar);

impl StepBar {
    pub(super) fn new() -> Self {
        // Draws nothing when standard error is no terminal.
        let bar = ProgressBar::new(0);
        if let Ok(style) = ProgressStyle::with_template("{msg:20} {bar:32} {pos}/{len}") {
            bar.set_style(style);
        }
        Self(bar)
    }

    pub(super) fn show(&self, step: ImportStep) {
        self.0.set_message(step.what);
        self.0.set_length(step.total as u64);
        self.0.set_position(step.done as u64);
    }

    pub(super) fn finish(self) {
        self.0.finish_and_clear();
    }
}

/// Lines about unreadable photographs; empty if there are none.
pub(super) fn unreadable(photos: &[(PathBuf, String)]) -> Vec<String> {
    let n_unreadable = photos.len();
    if n_unreadable == 0 {
        return Vec::new();
    }
    let mut lines = vec![format!("{n_unreadable} photographs could not be read and were left out:")];
    let named = photos.iter().take(MAX_NAMED);
    lines.extend(named.map(|(path, reason)| format!("  {}: {reason}", path.display())));
    if n_unreadable > MAX_NAMED {
        lines.push(format!("  and {} more", n_unreadable - MAX_NAMED));
    }
    lines
}

fn text(report: &ImportReport) -> String {
    let manifest = &report.manifest;
    let name = &manifest.name;
    let mut lines = vec![format!(
        "Imported `{name}` with {} classes into {}",
        manifest.classes.count,
        report.folder.display()
    )];
    lines.push(match report.prototypes {
        PrototypeSource::Texts(n) => format!("The classes are told apart by {n} texts."),
        PrototypeSource::Photos(n) => format!("The classes are told apart by {n} photographs."),
    });
    if report.is_calibrated {
        lines.push(format!("Calibrated on {}", manifest.calibration.fitted_on));
        lines.extend(manifest.thresholds.risk.iter().map(|mark| {
            let reached = if mark.is_met() { "" } else { " (not reached: too few photographs)" };
            format!(
                "  at most {} wrong: {:.1}% answered, bound {}{reached}",
                wanted_percent(mark.wanted_error),
                mark.answered * 100.0,
                bound_percent(mark.error_upper_bound)
            )
        }));
    } else {
        lines.push(
            "Its confidences are NOT calibrated, so every answer is \"not sure\": import it again with \
             `--calibrate DIR --force` and labelled photographs."
                .to_owned(),
        );
    }
    if !report.other_folders.is_empty() {
        let folders = report.other_folders.iter().map(|(name, n_photos)| format!("`{name}` ({n_photos})"));
        lines.push(format!(
            "Photographs in these folders counted as anything else, because the model has no such label: {}. If a name is \
             misspelt, rename the folder and import again with `--force`.",
            folders.collect::<Vec<_>>().join(", ")
        ));
    }
    lines.extend(teaching::sentences(manifest));
    lines.extend(unreadable(&report.unreadable));
    if !report.not_in_catalog.is_empty() {
        lines.push(format!(
            "The catalogue does not describe {}: `partsight serve` refuses this model.",
            report.not_in_catalog.join(", ")
        ));
    }
    lines.push(format!("Verified: {} checks passed.", report.verification.passed.len()));
    lines.push(format!("Use it with `--model {name}` or PARTSIGHT_MODEL={name}"));
    lines.join("\n") + "\n"
}
