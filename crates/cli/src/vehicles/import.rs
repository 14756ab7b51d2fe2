//! `partsight vehicles import`.

use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, bail};
use partsight_app::Settings;
use partsight_app::vehicle_reference::{
    ReferenceImport, ReferenceImported, import_reference, import_vin_patterns, imported_file,
    imported_vin_patterns_file,
};

use super::ImportArguments;

pub(super) fn run(arguments: ImportArguments, settings: &Settings) -> anyhow::Result<ExitCode> {
    // The file is written under another name and renamed, which would replace a device or a folder.
    if let Some(output) = arguments.output.as_deref().filter(|output| output.exists() && !output.is_file()) {
        bail!("--output writes a file, and `{}` is none", output.display());
    }
    if let Some(database) = &arguments.vin_patterns {
        let output = arguments.output.unwrap_or_else(|| imported_vin_patterns_file(&settings.data.dir));
        return patterns(database, &arguments.package, &output);
    }
    let request = ReferenceImport {
        // Always set, because clap requires it unless patterns are imported.
        vehicles: arguments.vehicles.unwrap_or_default(),
        emissions: arguments.emissions,
        horsepower: arguments.horsepower,
        body_styles: arguments.body_styles,
        output: arguments.output.unwrap_or_else(|| imported_file(&settings.data.dir)),
    };
    let imported = import_reference(&request).context("cannot import the vehicle facts")?;
    crate::print(&text(&request, &imported))
}

fn patterns(database: &Path, package: &str, output: &Path) -> anyhow::Result<ExitCode> {
    let runtime = crate::runtime()?;
    let imported = runtime
        .block_on(import_vin_patterns(database, package, output))
        .context("cannot import the VIN patterns")?;
    let (report, counts) = (imported.report, imported.counts);
    let lines = [
        format!("Imported {} patterns of {} manufacturers", counts.patterns, counts.manufacturers),
        format!("  {}", imported.source),
        format!(
            "  of {} rows, {} are of elements without use here, {} cannot be read, and others stand in several schemas",
            report.rows, report.unused, report.unreadable
        ),
        format!("Wrote {} ({} kB)", output.display(), imported.size_bytes.div_ceil(1000)),
    ];
    crate::print(&(lines.join("\n") + "\n"))
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
