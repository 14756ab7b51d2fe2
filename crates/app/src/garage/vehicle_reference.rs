//! Facts about vehicles: makes, models, years, engines, and what a VIN says.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use flate2::read::GzDecoder;
use partsight_store::{VpicRows, create_private_folder, read_vpic};
pub use partsight_vehicle_data::{
    Counts, DecodedVin, Engine, FormatError, ImportError, ImportReport, Make, Model, Propulsion, Reference,
    VinDetails, VinPatternCounts, VinPatternReport, VinWarning,
};
use partsight_vehicle_data::{Sources, VinPatternsImport, import};

use crate::garage::Garage;
use crate::{Error, Result};

/// The file of imported vehicle facts in the data folder. If it exists, it replaces the embedded table.
const IMPORTED_FILE: &str = "vehicles.bin";
/// The file of imported VIN patterns in the data folder. If it exists, it replaces the embedded ones.
pub(crate) const VIN_PATTERNS_FILE: &str = "vin-patterns.bin";
/// How a gzip file begins: RFC 1952, section 2.3.1.
const GZIP_MAGIC: [u8; 2] = [0x1f, 0x8b];
/// Most bytes that are unpacked, so that a small file cannot fill the disk. The database of March 2026 has 75 MB.
const MAX_DATABASE_BYTES: u64 = 2 * 1024 * 1024 * 1024;

impl Garage {
    /// Makes, models, years and engines.
    pub fn vehicle_reference(&self) -> &Reference {
        &self.vehicle_reference
    }
}

/// The imported table of the data folder, else the embedded one.
///
/// # Errors
/// [`Error::VehicleFacts`] for an imported table that cannot be read, is damaged, or is of another version of this
/// program.
pub fn load(data_dir: &Path) -> Result<Arc<Reference>> {
    match read_imported(&imported_file(data_dir), Reference::from_bytes)? {
        Some(imported) => Ok(imported),
        None => Reference::embedded().map_err(Error::internal),
    }
}

/// Reads facts that were imported into `path`, if there are any.
pub(crate) fn read_imported<T>(
    path: &Path,
    read: impl Fn(&[u8]) -> std::result::Result<T, FormatError>,
) -> Result<Option<Arc<T>>> {
    let unusable = |source| Error::VehicleFacts { path: path.to_owned(), source };
    let bytes = match fs::read(path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(unusable(error.into())),
    };
    let facts = read(&bytes).map_err(|error| unusable(error.into()))?;
    tracing::info!(file = %path.display(), "using the imported vehicle facts");
    Ok(Some(Arc::new(facts)))
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
    #[error("cannot open `{}`", path.display())]
    Open {
        /// The file, or the folder of files.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// A file does not have the expected content.
    #[error(transparent)]
    Import(#[from] ImportError),
    /// A file holds no VIN patterns.
    #[error(transparent)]
    Database(#[from] partsight_store::Error),
    /// The table cannot be written.
    #[error("cannot write `{}`", path.display())]
    Write {
        /// The table.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
}

/// Builds a table of vehicle facts from EPA's files and writes it; an existing file is replaced only when the new one
/// is complete.
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

/// Where `partsight serve` looks for imported VIN patterns.
pub fn imported_vin_patterns_file(data_dir: &Path) -> PathBuf {
    data_dir.join(VIN_PATTERNS_FILE)
}

/// What an import of VIN patterns found and wrote.
#[derive(Debug, Clone)]
pub struct VinPatternsImported {
    /// What was left out.
    pub report: VinPatternReport,
    /// What the patterns hold.
    pub counts: VinPatternCounts,
    /// Where they come from, with the day of the last change.
    pub source: String,
    /// Size of the file.
    pub size_bytes: usize,
}

/// Builds VIN patterns from NHTSA's database (vPIC), an SQLite file that may be gzipped, and writes them to `output`;
/// an existing file is replaced only when the new one is complete. `package` names the package of the database.
pub async fn import_vin_patterns(
    database: &Path,
    package: &str,
    output: &Path,
) -> Result<VinPatternsImported, ReferenceImportError> {
    let failed = |source| ReferenceImportError::Open { path: database.to_owned(), source };
    let mut beginning = Vec::new();
    File::open(database)
        .and_then(|file| file.take(GZIP_MAGIC.len() as u64).read_to_end(&mut beginning))
        .map_err(failed)?;
    let mut rows = Rows(VinPatternsImport::default());
    if beginning == GZIP_MAGIC {
        // Next to the output, where there must be enough space anyway; a temporary folder may be in memory.
        let unpacked = beside(output, ".unpacked");
        let read = match unpack(database, &unpacked) {
            Ok(()) => read_vpic(&unpacked, &mut rows).await.map_err(ReferenceImportError::from),
            Err(source) => Err(failed(source)),
        };
        // The first error is returned, whatever happens here.
        let _ = fs::remove_file(&unpacked);
        read?;
    } else {
        read_vpic(database, &mut rows).await?;
    }
    let (patterns, report) = rows.0.finish(package)?;
    let bytes = patterns.to_bytes();
    write_whole(output, &bytes)
        .map_err(|source| ReferenceImportError::Write { path: output.to_owned(), source })?;
    let (counts, source) = (patterns.counts(), patterns.source().to_owned());
    Ok(VinPatternsImported { report, counts, source, size_bytes: bytes.len() })
}

/// Unpacks a gzip file.
fn unpack(packed: &Path, unpacked: &Path) -> io::Result<()> {
    if let Some(folder) = unpacked.parent() {
        create_private_folder(folder)?;
    }
    let mut limited = GzDecoder::new(File::open(packed)?).take(MAX_DATABASE_BYTES);
    let written = io::copy(&mut limited, &mut File::create(unpacked)?)?;
    // A file that fills the limit exactly counts as too large: no such database is anywhere near it.
    if written == MAX_DATABASE_BYTES {
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, "it is larger than any such database"));
    }
    Ok(())
}

/// `path` with `end` appended to its name.
fn beside(path: &Path, end: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(end);
    PathBuf::from(name)
}

/// Passes rows of the store to the importer.
struct Rows(VinPatternsImport);

impl VpicRows for Rows {
    fn lookup(&mut self, element: i64, id: i64, name: &str) {
        self.0.lookup(element, id, name);
    }

    fn model(&mut self, id: i64, name: &str, make: Option<&str>) {
        self.0.model(id, name, make);
    }

    fn manufacturer(
        &mut self,
        id: i64,
        code: &str,
        name: Option<&str>,
        make: Option<&str>,
        vehicle_and_truck_type: (Option<i64>, Option<i64>),
    ) {
        self.0.manufacturer(id, code, name, make, vehicle_and_truck_type);
    }

    fn link(&mut self, manufacturer: i64, schema: i64, first_year: i64, last_year: Option<i64>) {
        self.0.link(manufacturer, schema, first_year, last_year);
    }

    fn engine(&mut self, code: &str, element: i64, attribute: &str) {
        self.0.engine(code, element, attribute);
    }

    fn pattern(&mut self, schema: i64, key: &str, element: i64, attribute: &str, changed: &str) {
        self.0.pattern(schema, key, element, attribute, changed);
    }
}

/// Writes to a temporary name first, so that a starting server never sees a partial file.
fn write_whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        create_private_folder(folder)?;
    }
    let partial = beside(path, ".part");
    let write = || {
        let mut file = File::create(&partial)?;
        file.write_all(bytes)?;
        // Before it is renamed: after a power cut, the name could exist without the bytes.
        file.sync_all()?;
        fs::rename(&partial, path)
    };
    write().inspect_err(|_| {
        // The first error is returned, whatever happens here.
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
    // Sorted, so that the same files give the same table.
    files.sort();
    files.iter().map(|file| open(file)).collect()
}
