//! `partsight scan`.

mod arguments;
mod earlier;
mod fields;
mod output;
mod report;
mod row;
mod run_options;
mod shard;
mod standard_input;
mod table;
mod taught;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::{Arc, Mutex};

use anyhow::{Context, bail};
use partsight_app::{
    BulkOptions, Catalog, FileScan, FoundPhoto, Identifier, PartTypes, Settings, TaughtReferences,
    VehiclePrior, open_reader, photos_at,
};

use crate::decoding;
use crate::logging;
use crate::misfit::Misfit;
use crate::progress::Progress;
use crate::tell;
use crate::vehicle_option;
use arguments::Format;
pub(crate) use arguments::ScanArguments;
use earlier::EarlierPaths;
use output::{Output, OutputFile};
use row::{Columns, Row};
use run_options::RunOptions;
use shard::Shard;
use taught::Taught;

pub(crate) fn run(arguments: &ScanArguments, settings: &Settings) -> anyhow::Result<ExitCode> {
    logging::start_quietly(settings)?;
    let columns =
        Columns { read: arguments.read, duplicates: arguments.duplicates, several: arguments.several };
    let format = arguments.format.map_or_else(|| output::format_of(arguments.output.as_deref()), Ok)?;
    if arguments.several && !matches!(format, Format::Json | Format::Jsonl) {
        bail!(Misfit::new(
            "--several gives a list of parts a photograph, which needs --format json or jsonl"
        ));
    }
    if arguments.resume && !output::goes_on(format) {
        bail!(Misfit::new(
            "--resume goes on with rows of --format jsonl and csv, which stand on lines of their own"
        ));
    }
    let is_piped = standard_input::is_named(arguments)?;
    let owner = taught::owner(arguments, settings)?;
    // Before the model is loaded, so that an existing file is reported at once.
    let file = match &arguments.output {
        Some(file) => Some(OutputFile::open(file, format, columns, arguments.resume)?),
        None => None,
    };
    let earlier = file.as_ref().map(OutputFile::earlier).unwrap_or_default();
    let wanted = Wanted { paths: &arguments.paths, shard: arguments.shard, earlier };
    // Folders are walked twice, to count for the progress bar and to scan, so that the paths of a million
    // photographs are not kept in memory.
    let piped = is_piped.then(|| standard_input::read(settings));
    let (n_photos, problems) = if is_piped { (1, Vec::new()) } else { wanted.count() };
    let catalog = Arc::new(Catalog::embedded().context("cannot read the catalogue")?);
    let vehicle = vehicle_option::vehicle(arguments.vehicle.as_ref(), settings, &catalog)?;
    let identifier = Identifier::start(settings, &catalog)?.with_decoder(decoding::decoder(settings));
    if let Some(file) = &file {
        file.settle_options(&RunOptions::new(arguments, &identifier))?;
    }
    let identifier = Arc::new(if arguments.read { with_reader(identifier, settings)? } else { identifier });
    let taught = owner.map(|owner| Taught::open(owner, settings, &catalog, &identifier)).transpose()?;
    let of_catalog = PartTypes::shipped(Arc::clone(&catalog));
    let types = taught.as_ref().map_or(&of_catalog, |taught| taught.parts.types());
    let options = BulkOptions {
        top: usize::from(arguments.top),
        vehicle: vehicle.as_ref(),
        taught: taught.as_ref().map(|taught| &taught.parts as &dyn TaughtReferences),
        jobs: arguments.jobs.map_or(identifier.n_at_a_time(), usize::from),
        with_sha256: columns.duplicates,
        with_regions: arguments.several,
        with_reading: arguments.read,
    };

    // Begun only now, so that nothing is written or printed if there is an error before the first row.
    let mut output = match file {
        Some(file) => Output::to_file(file)?,
        None => Output::to_stdout(format, columns)?,
    };
    let progress = Progress::start(n_photos, format == Format::Table || arguments.output.is_some());
    for (path, reason) in &problems {
        output.add(Row::failed(path, reason.clone()))?;
    }
    let found_later = Mutex::new(Vec::new());
    let mut written = Ok(());
    let mut add = |scan: FileScan| {
        let sha256 = scan.sha256;
        let mut row = Row::new(scan, types, vehicle.as_ref().map(VehiclePrior::name));
        if columns.duplicates {
            row = row.of_file(sha256, output.files());
        }
        progress.advance(|| written = output.add(row));
        // False ends the run: with a full disk or a closed pipe, every further photograph would be scanned in vain.
        written.is_ok()
    };
    match piped {
        Some(bytes) => {
            add(identifier.identify_stream(standard_input::NAME.into(), bytes, options));
        }
        None => identifier.identify_files(wanted.photos(&found_later), options, add)?,
    }
    progress.finish();
    written?;
    for (path, reason) in found_later.into_inner().unwrap_or_default() {
        if problems.iter().all(|(earlier, _)| *earlier != path) {
            output.add(Row::failed(&path, reason))?;
        }
    }
    let failed = output.finish()?;
    if let Some(taught) = taught {
        taught.close();
    }
    Ok(if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

fn with_reader(identifier: Identifier, settings: &Settings) -> anyhow::Result<Identifier> {
    Ok(match open_reader(settings) {
        Ok(reader) => identifier.with_reader(reader),
        // Without reading, the parts are still identified.
        Err(error) => {
            tell(&format!("{:#}; going on without it", anyhow::Error::new(error)))?;
            identifier.with_codes()
        }
    })
}

/// Selects the photographs to scan among those that the arguments name.
struct Wanted<'a> {
    paths: &'a [PathBuf],
    shard: Option<Shard>,
    /// Paths with a row of an earlier run.
    earlier: EarlierPaths,
}

impl Wanted<'_> {
    /// The photographs, and the paths that lead to none, as an iterator: a million paths would take 100 MB.
    fn iter(&self) -> impl Iterator<Item = FoundPhoto> + Send {
        let (shard, earlier) = (self.shard, self.earlier.clone());
        self.paths.iter().flat_map(|named| photos_at(named).map(move |found| (named, found))).filter_map(
            move |(named, found)| {
                let is_wanted = match &found {
                    Ok(photo) => {
                        shard.is_none_or(|shard| shard.holds(below(named, photo))) && !earlier.has(photo)
                    }
                    Err((path, _)) => {
                        shard.is_none_or(|shard| shard.holds(below(named, path))) && !earlier.has(path)
                    }
                };
                is_wanted.then_some(found)
            },
        )
    }

    /// The photographs. Paths that lead to none go to `problems`, such as a folder deleted since they were counted.
    fn photos<'a>(
        &'a self,
        problems: &'a Mutex<Vec<(PathBuf, String)>>,
    ) -> impl Iterator<Item = PathBuf> + Send {
        self.iter().filter_map(|found| {
            found.map_err(|problem| problems.lock().map(|mut problems| problems.push(problem))).ok()
        })
    }

    /// The number of photographs, and the paths that lead to none.
    fn count(&self) -> (usize, Vec<(PathBuf, String)>) {
        let (mut n_photos, mut problems) = (0, Vec::new());
        for found in self.iter() {
            match found {
                Ok(_) => n_photos += 1,
                Err(problem) => problems.push(problem),
            }
        }
        (n_photos, problems)
    }
}

/// The path of `photo` relative to the named folder, or its file name if it was named itself.
fn below<'a>(named: &Path, photo: &'a Path) -> &'a Path {
    match photo.strip_prefix(named) {
        Ok(below) if !below.as_os_str().is_empty() => below,
        _ => photo.file_name().map_or(photo, Path::new),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_folder_that_goes_away_during_a_run_is_a_problem() {
        let folder = tempfile::tempdir().unwrap();
        let shelf = folder.path().join("shelf");
        fs::create_dir(&shelf).unwrap();
        for photo in [folder.path().join("a.jpg"), shelf.join("b.jpg")] {
            fs::write(photo, b"x").unwrap();
        }
        let paths = [folder.path().to_owned()];
        let wanted = Wanted { paths: &paths, shard: None, earlier: EarlierPaths::default() };
        assert_eq!(wanted.count().0, 2);
        let problems = Mutex::new(Vec::new());
        let mut photos = wanted.photos(&problems);
        assert_eq!(photos.next(), Some(folder.path().join("a.jpg")));
        fs::remove_dir_all(&shelf).unwrap();
        assert_eq!(photos.next(), None);
        drop(photos);
        assert_eq!(problems.into_inner().unwrap()[0].0, shelf);
    }
}
