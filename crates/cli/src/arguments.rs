use std::net::SocketAddr;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use partsight_domain::VehicleName;

/// Identify car parts from photographs, on this machine.
#[derive(Debug, Parser)]
#[command(name = "partsight", version)]
pub(crate) struct Arguments {
    /// Settings file; `partsight.toml` in the current folder is read when it is there
    #[arg(long, global = true, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Run the app: the web pages and the API
    Serve(ServeArguments),
    /// Identify photographs and print what they show
    Scan(ScanArguments),
    /// Print the settings in force, as a settings file
    Config,
    /// Print the OpenAPI document of the API
    Openapi,
}

#[derive(Debug, Args)]
pub(crate) struct ServeArguments {
    /// Address and port to listen on [default: 127.0.0.1:8080]
    #[arg(long, value_name = "ADDRESS:PORT")]
    pub(crate) listen: Option<SocketAddr>,
    /// Folder of the database [default: the user's data folder]
    #[arg(long, value_name = "DIR")]
    pub(crate) data_dir: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct ScanArguments {
    /// Photographs, or folders of them (searched with their subfolders)
    #[arg(required = true, value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,
    /// The vehicle the parts are for, such as "2015 Honda Civic"
    #[arg(long, value_name = "YEAR MAKE MODEL")]
    pub(crate) vehicle: Option<VehicleName>,
    /// How many part types to name for each photograph, the best guess included
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u16).range(1..=1000))]
    pub(crate) top: u16,
    /// How to print the results
    #[arg(long, value_enum, default_value_t = Format::Table)]
    pub(crate) format: Format,
    /// Photographs to read at a time [default: one a processor core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) jobs: Option<u16>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// Columns for people
    Table,
    /// One JSON array
    Json,
    /// One JSON object a line, as each photograph is done
    Jsonl,
    /// Comma-separated values with a header, as each photograph is done
    Csv,
}
