//! Facts about vehicles: makes, models, years, engines, and what a VIN says.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use jiff::tz::TimeZone;
use partsight_domain::InvalidInput;
pub use partsight_vehicle_data::{
    Counts, DecodedVin, Engine, FormatError, ImportError, ImportReport, Make, Model, Propulsion, Reference,
    VinWarning,
};
use partsight_vehicle_data::{Sources, decode_vin, import};

use crate::garage::Garage;
use crate::{Clock, Error, Result};

/// The file of imported vehicle facts in the data folder. Where it is, it stands in for the embedded table.
const IMPORTED_FILE: &str = "vehicles.bin";

impl Garage {
    /// Makes, models, years and engines.
    pub fn vehicle_reference(&self) -> &Reference {
        &self.vehicle_reference
    }

    /// What a vehicle identification number says.
    ///
    /// # Errors
    /// [`Error::Invalid`] for what cannot be such a number. A wrong check digit is a warning, no error.
    pub fn decode_vin(&self, text: &str) -> Result<DecodedVin> {
        decode(text, &self.clock)
    }
}

/// What a vehicle identification number says.
///
/// # Errors
/// [`Error::Invalid`] for what cannot be such a number. A wrong check digit is a warning, no error.
pub fn decode(text: &str, clock: &Clock) -> Result<DecodedVin> {
    // Next year's models are sold this year.
    let latest_year = clock.now().to_zoned(TimeZone::UTC).year().unsigned_abs() + 1;
    Ok(decode_vin(text, latest_year).map_err(|error| InvalidInput::new("vin", error.sentence()))?)
}

/// The imported table of the data folder, else the embedded one.
///
/// # Errors
/// [`Error::VehicleFacts`] for an imported table that cannot be read, is damaged, or is of another version of this
/// program.
pub fn load(data_dir: &Path) -> Result<Arc<Reference>> {
    let path = imported_file(data_dir);
    let bytes = match fs::read(&path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return Reference::embedded().map_err(Error::internal);
        }
        Err(error) => return Err(Error::VehicleFacts { path, source: error.into() }),
    };
    match Reference::from_bytes(&bytes) {
        Ok(reference) => {
            tracing::info!(file = %path.display(), "using the imported vehicle facts");
            Ok(Arc::new(reference))
        }
        Err(error) => Err(Error::VehicleFacts { path, source: error.into() }),
    }
}

/// Which files to import vehicle facts from, and where to.
#[derive(Debug, Clone, Default)]
pub struct ReferenceImport {
    /// EPA's `vehicles.csv`; `-` is standard input.
    pub vehicles: PathBuf,
    /// EPA's `emissions.csv`.
    pub emissions: Option<PathBuf>,
    /// Rated horsepower of EPA's test cars.
    pub horsepower: Option<PathBuf>,
    /// A CSV file of body styles, or a folder of them.
    pub body_styles: Option<PathBuf>,
    /// The file to write.
    pub output: PathBuf,
}

/// Where `partsight serve` looks for imported facts.
pub fn imported_file(data_dir: &Path) -> PathBuf {
    data_dir.join(IMPORTED_FILE)
}

/// What an import found and wrote.
#[derive(Debug, Clone, Copy)]
pub struct ReferenceImported {
    /// What the files held.
    pub report: ImportReport,
    /// What the table holds.
    pub counts: Counts,
    /// First and last model year.
    pub years: (u16, u16),
    /// Size of the table.
    pub size_bytes: usize,
}

/// Why vehicle facts were not imported. The file that was there is as it was.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReferenceImportError {
    /// A file cannot be opened.
    #[error("open `{}`", path.display())]
    Open {
        /// The file, or the folder of files.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A file does not hold what it should.
    #[error(transparent)]
    Import(#[from] ImportError),
    /// The table cannot be written.
    #[error("write `{}`", path.display())]
    Write {
        /// The table.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

/// Makes a table of vehicle facts out of EPA's files and writes it; the file that was there stays until the new one
/// is whole.
pub fn import_reference(request: &ReferenceImport) -> Result<ReferenceImported, ReferenceImportError> {
    let vehicles: Box<dyn Read> = if request.vehicles == Path::new("-") {
        Box::new(io::stdin().lock())
    } else {
        open(&request.vehicles)?
    };
    let sources = Sources {
        vehicles: Some(vehicles),
        emissions: request.emissions.as_deref().map(open).transpose()?,
        horsepower: request.horsepower.as_deref().map(open).transpose()?,
        body_styles: request.body_styles.as_deref().map(open_all).transpose()?.unwrap_or_default(),
    };
    let (table, report) = import(sources)?;
    let bytes = table.to_bytes();
    write_whole(&request.output, &bytes)
        .map_err(|source| ReferenceImportError::Write { path: request.output.clone(), source })?;
    let years = table.years().next_back().zip(table.years().next()).unwrap_or_default();
    Ok(ReferenceImported { report, counts: table.counts(), years, size_bytes: bytes.len() })
}

/// Writes under another name first, so that a server that starts meanwhile never sees half a file.
fn write_whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        fs::create_dir_all(folder)?;
    }
    let mut name = path.as_os_str().to_owned();
    name.push(".part");
    let partial = PathBuf::from(name);
    fs::write(&partial, bytes).and_then(|()| fs::rename(&partial, path)).inspect_err(|_| {
        // The message is about the first failure; this one changes nothing.
        let _ = fs::remove_file(&partial);
    })
}

fn open(path: &Path) -> Result<Box<dyn Read>, ReferenceImportError> {
    let failed = |source| ReferenceImportError::Open { path: path.to_owned(), source };
    let file = File::open(path).map_err(failed)?;
    Ok(Box::new(file))
}

/// The file, or the CSV files of the folder in the order of their names.
fn open_all(path: &Path) -> Result<Vec<Box<dyn Read>>, ReferenceImportError> {
    if !path.is_dir() {
        return Ok(vec![open(path)?]);
    }
    let failed = |source| ReferenceImportError::Open { path: path.to_owned(), source };
    let mut files = Vec::new();
    for entry in fs::read_dir(path).map_err(failed)? {
        let file = entry.map_err(failed)?.path();
        if file.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("csv")) {
            files.push(file);
        }
    }
    files.sort();
    files.iter().map(|file| open(file)).collect()
}
