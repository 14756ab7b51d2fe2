//! Small handwritten sources, and the real ones if they are available.

use std::path::{Path, PathBuf};
use std::process::Command;

use partsight_vehicle_data::{ImportError, ImportReport, Reference, Sources, import};

const COLUMNS: &str = "id,make,model,baseModel,year,displ,cylinders,trany,drive,fuelType,VClass,eng_dscr,tCharger,\
                       sCharger,atvType,city08";

/// A list of vehicles with these lines.
pub(crate) fn vehicles(lines: &[&str]) -> String {
    format!("{COLUMNS}\n{}\n", lines.join("\n"))
}

pub(crate) fn import_vehicles(csv: &str) -> Result<(Reference, ImportReport), ImportError> {
    import(Sources { vehicles: Some(Box::new(csv.as_bytes())), ..Sources::default() })
}

/// The message of the error for an invalid list of vehicles, with its cause.
pub(crate) fn import_error(csv: &str) -> String {
    let error = import_vehicles(csv).expect_err("the list is wrong");
    let source = std::error::Error::source(&error).map(|source| format!(": {source}")).unwrap_or_default();
    format!("{error}{source}")
}

/// The folder of the original files: `PARTSIGHT_VEHICLES`, or beside the repository. Prints the reason if there is
/// none.
pub(crate) fn folder() -> Option<PathBuf> {
    let folder = std::env::var_os("PARTSIGHT_VEHICLES").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/vehicles"),
        PathBuf::from,
    );
    if folder.is_dir() {
        return Some(folder);
    }
    eprintln!(
        "skipped: {} is not there; PARTSIGHT_VEHICLES names the folder of EPA's files",
        folder.display()
    );
    None
}

/// The output of a command that unpacks a file; prints the reason if it fails.
pub(crate) fn unpacked(program: &str, option: &str, file: &Path) -> Option<Vec<u8>> {
    match Command::new(program).arg(option).arg(file).output() {
        Ok(output) if output.status.success() => Some(output.stdout),
        Ok(output) => {
            eprintln!("skipped: {program} {}: {}", file.display(), String::from_utf8_lossy(&output.stderr));
            None
        }
        Err(error) => {
            assert!(std::env::var_os("CI").is_none(), "CI must have `{program}`: {error}");
            eprintln!("skipped: {program} cannot be run: {error}");
            None
        }
    }
}
