//! `partsight vehicles import`.

use std::io::{self, Write};
use std::process::ExitCode;

use anyhow::Context;
use partsight_app::Settings;
use partsight_app::vehicle_reference::{ReferenceImport, ReferenceImported, import_reference, imported_file};

use super::ImportArguments;

pub(super) fn run(arguments: ImportArguments, settings: &Settings) -> anyhow::Result<ExitCode> {
    let request = ReferenceImport {
        vehicles: arguments.vehicles,
        emissions: arguments.emissions,
        horsepower: arguments.horsepower,
        body_styles: arguments.body_styles,
        output: arguments.output.unwrap_or_else(|| imported_file(&settings.data.dir)),
    };
    let imported = import_reference(&request).context("import the vehicle facts")?;
    let mut stdout = io::stdout().lock();
    stdout.write_all(text(&request, &imported).as_bytes())?;
    stdout.flush()?;
    Ok(ExitCode::SUCCESS)
}

fn text(request: &ReferenceImport, imported: &ReferenceImported) -> String {
    let ReferenceImported { report, counts, years: (first, last), size_bytes } = imported;
    let mut lines = vec![
        format!("Imported {} vehicles of model years {first} to {last}", report.vehicles),
        format!(
            "  {} makes, {} models, {} model years, {} engines",
            counts.makes, counts.models, counts.model_years, counts.engines
        ),
    ];
    if request.horsepower.is_some() {
        lines.push(format!("  rated power beyond doubt for {} vehicles", report.with_power));
    }
    if request.body_styles.is_some() {
        lines.push(format!(
            "  body styles for {} model years; {} lines of the list could not be read and were left out",
            report.with_body_styles, report.unreadable_body_styles
        ));
    }
    lines.push(format!("Wrote {} ({} kB)", request.output.display(), size_bytes.div_ceil(1000)));
    lines.join("\n") + "\n"
}
