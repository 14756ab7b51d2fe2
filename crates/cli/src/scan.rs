//! `partsight scan`.

mod report;

use std::io::{self, Write};
use std::process::ExitCode;
use std::sync::Arc;
use std::thread;

use anyhow::Context;
use partsight_app::{
    Catalog, Identifier, Settings, VehiclePrior, find_photos, open_reader, vehicle_reference,
};

use crate::arguments::{Format, ScanArguments};
use crate::decoding;
use crate::logging;
use crate::progress::Progress;
use report::{Report, Row};

pub(crate) fn run(arguments: &ScanArguments, settings: &Settings) -> anyhow::Result<ExitCode> {
    logging::start_quietly(settings)?;
    let found = find_photos(&arguments.paths);
    let catalog = Arc::new(Catalog::embedded().context("read the catalogue")?);
    let vehicle = match &arguments.vehicle {
        Some(name) => Some(VehiclePrior::of_name(
            vehicle_reference::load(&settings.data.dir)?.as_ref(),
            Arc::clone(&catalog),
            name.clone(),
        )),
        None => None,
    };
    if let Some(vehicle) = vehicle.as_ref().filter(|vehicle| !vehicle.is_known()) {
        // No error, as in the app: our facts end, and vehicles do not.
        let name = vehicle.name();
        writeln!(io::stderr(), "partsight: nothing is known of a {name}, so that it changes no answer")?;
    }
    let mut identifier = Identifier::start(settings, &catalog)?.with_decoder(decoding::decoder(settings));
    if arguments.read {
        match open_reader(settings) {
            Ok(reader) => identifier = identifier.with_reader(reader),
            // Reading is an extra: the parts are still named.
            Err(error) => {
                writeln!(io::stderr(), "partsight: {:#}; going on without it", anyhow::Error::new(error))?;
            }
        }
    }
    let jobs =
        arguments.jobs.map_or_else(|| thread::available_parallelism().map_or(1, usize::from), usize::from);

    let mut report = Report::start(io::stdout().lock(), arguments.format, arguments.read)?;
    let progress = Progress::start(found.photos.len(), arguments.format == Format::Table);
    let mut failed = false;
    for (path, reason) in &found.problems {
        failed = true;
        report.add(&Row::failed(path, reason.clone()).with_reading(arguments.read))?;
    }
    let mut written = Ok(());
    identifier.identify_files(&found.photos, usize::from(arguments.top), vehicle.as_ref(), jobs, |scan| {
        let row =
            Row::new(scan, &catalog, vehicle.as_ref().map(VehiclePrior::name)).with_reading(arguments.read);
        failed |= row.is_error();
        progress.advance(|| written = report.add(&row));
        written.is_ok()
    })?;
    progress.finish();
    written?;
    report.finish()?;
    Ok(if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}
