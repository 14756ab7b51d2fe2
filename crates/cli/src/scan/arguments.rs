use std::path::PathBuf;

use clap::{Args, ValueEnum};
use partsight_domain::{EmailAddress, VehicleName};

use super::shard::Shard;
use crate::account::email;

#[derive(Debug, Args)]
#[command(allow_negative_numbers = true)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of the command line")]
pub(crate) struct ScanArguments {
    /// Photographs, or folders of them (searched with their subfolders); `-` is one photograph on standard input
    #[arg(required = true, value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,
    /// The vehicle the parts are for, such as "2015 Honda Civic"
    #[arg(long, value_name = "YEAR MAKE MODEL")]
    pub(crate) vehicle: Option<VehicleName>,
    /// How many part types to name for each photograph, the best guess included: 1 to 1000
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u16).range(1..=1000))]
    pub(crate) top: u16,
    /// Format of the results [default: that of the extension of --output, or a table if there is none]
    #[arg(long, value_enum)]
    pub(crate) format: Option<Format>,
    /// Write the results into this new file instead of printing them
    #[arg(long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Continue the --output of an interrupted run (jsonl or csv), with the same options: photographs that have a row in it
    /// are not scanned again
    #[arg(long, requires = "output")]
    pub(crate) resume: bool,
    /// Scan one shard of the photographs, such as 3/16, the third of 16; each photograph is in exactly one shard, and there
    /// are at most 10,000
    #[arg(long, value_name = "N/OF")]
    pub(crate) shard: Option<Shard>,
    /// Mark copies: add the SHA-256 of each file, and for a copy the first path with the same bytes
    #[arg(long)]
    pub(crate) duplicates: bool,
    /// Look for several parts on each photograph, such as those on a shelf, and give the place and the answer of each; needs
    /// --format json or jsonl
    #[arg(long)]
    pub(crate) several: bool,
    /// Photographs to read at the same time, 1 to 1024 [default: one per processor core, and more if the model takes several
    /// at once]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) jobs: Option<u16>,
    /// Also read text, barcodes and matrix codes on the parts, such as part numbers
    #[arg(long)]
    pub(crate) read: bool,
    /// Scan as the account with this e-mail address: with the parts that it and its company taught, those that all accounts
    /// share, its dial and its feedback
    #[arg(long, value_name = "EMAIL", value_parser = email, conflicts_with = "shared")]
    pub(crate) user: Option<EmailAddress>,
    /// Also recognise the taught parts that all accounts share
    #[arg(long)]
    pub(crate) shared: bool,
    /// Folder of imported models and vehicle facts, and of the database for --user and --shared [default: that of the
    /// settings, or ~/.local/share/partsight]
    #[arg(long, value_name = "DIR")]
    pub(crate) data_dir: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// Columns for people
    Table,
    /// One JSON array
    Json,
    /// One JSON object per line, written as soon as its photograph is done
    Jsonl,
    /// Comma-separated values with a header, each row written as soon as its photograph is done
    Csv,
    /// A Parquet file with the columns of csv; it is complete only when the run has ended
    Parquet,
}
