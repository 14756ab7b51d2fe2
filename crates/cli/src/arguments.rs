use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use clap::{ArgAction, Args, Parser, Subcommand, ValueEnum};
use partsight_app::models::Device;
use partsight_domain::VehicleName;
use partsight_eval::MAX_MODELS;

use crate::admin::AdminArguments;
use crate::backup::{BackupArguments, RestoreArguments};
use crate::bench::BenchArguments;
use crate::catalog::CatalogArguments;
use crate::config::ConfigArguments;
use crate::doctor::DoctorArguments;
use crate::models::ModelsArguments;
use crate::scan::ScanArguments;
use crate::vehicles::VehiclesArguments;

/// Identify car parts from photographs, on this machine.
#[derive(Debug, Parser)]
#[command(name = "partsight", version)]
pub(crate) struct Arguments {
    /// Settings file [default: partsight.toml in the current folder, if there is one]
    #[arg(long, global = true, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// What to compute on: auto, cpu or cuda:N [default: auto]
    #[arg(long, global = true, value_name = "DEVICE")]
    pub(crate) device: Option<Device>,
    /// Model to use: a name that `partsight models list` shows, or a folder [default: partsight-50]
    #[arg(long, global = true, value_name = "NAME|DIR")]
    pub(crate) model: Option<String>,
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Run the app: the web pages and the API
    Serve(ServeArguments),
    /// Identify photographs and print what they show
    Scan(ScanArguments),
    /// Measure the model on labelled photographs
    ///
    /// The label of a photograph is the name of its folder, or is given in a list; the model's answer is compared with it.
    /// Photographs labelled `not-a-part`, and those with labels that the model does not know, measure rejection: any answer
    /// but "identified" is right.
    ///
    /// An interrupted run continues where it stopped when it is started again. Its answers are kept in the user's cache
    /// folder, under `partsight/eval`.
    Eval(Box<EvalArguments>),
    /// Measure how fast this machine answers: by batch size, from file to answer, and under load
    ///
    /// Measures the network alone, by batch size; the highest rate of photographs from the bytes of a file to the answer; and
    /// latency while photographs arrive at several fractions of that rate. Use it on an otherwise idle machine: other
    /// programs change the figures.
    Bench(BenchArguments),
    /// Teach parts with photographs, list, check, export and import what was taught
    ///
    /// Whose parts are meant is given by --user or --shared. A running server uses changed parts from its next scan on.
    Catalog(CatalogArguments),
    /// List, inspect, verify and import models
    Models(ModelsArguments),
    /// Decode VINs, and import vehicle facts
    Vehicles(VehiclesArguments),
    /// Manage accounts: list, create and delete them, set passwords and plans
    Admin(AdminArguments),
    /// Migrate the database to the version of this program
    ///
    /// `serve` migrates an SQLite file by itself. A PostgreSQL database is migrated only by this command; make a backup of
    /// it first.
    Migrate(MigrateArguments),
    /// Copy everything that the server keeps into one file; the server may keep running
    ///
    /// A backup holds the database with the kept photographs, imported vehicle facts, and imported models. It does not hold
    /// the settings: keep those and their secrets yourself. The file is read back and compared before it gets its name.
    Backup(BackupArguments),
    /// Fill an empty database from a backup
    ///
    /// Stop the server first. The database must be empty or missing, unless --replace is given. A backup of SQLite can be
    /// restored into PostgreSQL, and the other way round.
    Restore(RestoreArguments),
    /// Check this machine: disk, permissions, database, model, network, settings
    ///
    /// Each check ends with ok, warning or problem, and says what to do. The exit code is 1 if there is a problem.
    ///
    /// Nothing is changed, and no secret is printed. No outside service is contacted unless --online or --mail is given.
    Doctor(DoctorArguments),
    /// Print the settings in force, or a list of all settings
    Config(ConfigArguments),
    /// Print the OpenAPI document of the API
    Openapi,
    /// Offer tools to a program with a language model, over standard input and output (MCP)
    ///
    /// The program that starts this command speaks the Model Context Protocol (MCP) with it. The API key decides what the
    /// tools may do, and whose scans and records they use. A running server offers the same tools at `/mcp`.
    Mcp(McpArguments),
}

#[derive(Debug, Args)]
pub(crate) struct ServeArguments {
    /// Address and port to listen on [default: 127.0.0.1:8080]
    #[arg(long, value_name = "ADDRESS:PORT", value_parser = address)]
    pub(crate) listen: Option<SocketAddr>,
    /// Folder of the database [default: that of the settings, or ~/.local/share/partsight]
    #[arg(long, value_name = "DIR")]
    pub(crate) data_dir: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct McpArguments {
    /// The API key of the account, `ps_live_...`
    #[arg(long, value_name = "KEY", env = "PARTSIGHT_API_KEY", hide_env_values = true)]
    pub(crate) key: Option<String>,
    /// Folder of the database [default: that of the settings, or ~/.local/share/partsight]
    #[arg(long, value_name = "DIR")]
    pub(crate) data_dir: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct MigrateArguments {
    /// Folder of the database [default: that of the settings, or ~/.local/share/partsight]
    #[arg(long, value_name = "DIR")]
    pub(crate) data_dir: Option<PathBuf>,
}

#[derive(Debug, Args)]
#[command(allow_negative_numbers = true)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of the command line")]
pub(crate) struct EvalArguments {
    /// Folder with a folder of photographs for each label, or a CSV file with the columns `path` and `label`; any other
    /// columns become slices of the report
    #[arg(value_name = "DIR|CSV", required_unless_present_any = ["verify", "compare"])]
    pub(crate) path: Option<PathBuf>,
    /// Translation of foreign labels: a CSV file with the columns `from` and `to`, or a TOML file with lines such as
    /// "Spark Plugs" = "spark-plug"; `to` is one of our labels, `not-a-part`, or empty to leave photographs out
    #[arg(long, value_name = "FILE")]
    pub(crate) label_map: Option<PathBuf>,
    /// Corrected labels: a CSV file with the columns `path` and `label`, such as the one of --wrong-labels after it was
    /// corrected; paths are relative to the photographs' folder, and an empty label leaves a photograph out
    #[arg(long, value_name = "FILE")]
    pub(crate) labels: Option<PathBuf>,
    /// Write the labels that are probably wrong into this CSV file, the most probable errors first
    #[arg(long, value_name = "FILE", conflicts_with = "compare")]
    pub(crate) wrong_labels: Option<PathBuf>,
    /// Compare with the report.json of an earlier run on the same photographs: the exit code is 3 if top-1 accuracy certainly
    /// dropped by more than --max-drop, over all photographs or in a slice
    #[arg(long, value_name = "REPORT", conflicts_with = "compare")]
    pub(crate) baseline: Option<PathBuf>,
    /// For --baseline: the allowed drop of top-1 accuracy, in percentage points from 0 to 100
    #[arg(long, value_name = "POINTS", requires = "baseline", default_value_t = 0.5, value_parser = percentage_points)]
    pub(crate) max_drop: f64,
    /// The exit code is 3 if these photographs refute a promise in the model's manifest: how many identified answers are wrong,
    /// and how many photographs of no part or of unknown labels are identified
    #[arg(long, conflicts_with = "compare")]
    pub(crate) check_promises: bool,
    /// Repeat the run that made this report.json and compare: the exit code is 3 if a hash or a figure differs
    #[arg(
        long,
        value_name = "REPORT",
        conflicts_with_all = [
            "compare", "baseline", "check_promises", "cascade", "report", "labels", "label_map", "wrong_labels", "references",
        ]
    )]
    pub(crate) verify: Option<PathBuf>,
    /// For --verify: the largest difference of a figure, and the largest share of photographs with another best guess, 0 to 1
    #[arg(long, value_name = "X", requires = "verify", default_value_t = 0.001, value_parser = fraction)]
    pub(crate) tolerance: f64,
    /// Measure drift: compare the confidences of these photographs, which need no labels, with those of an earlier report.json
    /// of the same model; if that report was written with --embeddings, compare the embeddings too
    #[arg(
        long,
        value_name = "REPORT",
        requires = "path",
        conflicts_with_all = [
            "compare", "baseline", "check_promises", "verify", "cascade", "report", "labels", "label_map", "wrong_labels",
            "references", "resume", "fresh",
        ]
    )]
    pub(crate) drift_from: Option<PathBuf>,
    /// Write a page with pictures (index.html) and the figures behind it (JSON, CSV) into this folder, replacing an
    /// earlier report there
    #[arg(long, value_name = "DIR")]
    pub(crate) report: Option<PathBuf>,
    /// For --report: leave out, beside each mistake, the map that shows where in the picture the evidence lies, and the nearest
    /// photographs; they take many runs of the model
    #[arg(long, requires = "report")]
    pub(crate) no_maps: bool,
    /// For --report: also write the embeddings of at most 1,000 of the photographs (embeddings.npy), so that --drift-from can
    /// compare them
    #[arg(long, requires = "report", conflicts_with = "compare")]
    pub(crate) embeddings: bool,
    /// How to print the figures
    #[arg(long, value_enum, default_value_t = EvalFormat::Table)]
    pub(crate) format: EvalFormat,
    /// Photographs to read at the same time, 1 to 1024 [default: one per processor core, and more if the model takes several
    /// at once]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) jobs: Option<u16>,
    /// Also report photographs that look like one in this folder, such as the pictures of the catalogue
    #[arg(long, value_name = "DIR")]
    pub(crate) references: Option<PathBuf>,
    /// Compare two to eight models on the same photographs, each with the first: `embedded`, folders, or names of
    /// installed models; if no photographs are named before this option, its last value names them
    #[arg(long, value_name = "MODEL", num_args = 2..=MAX_MODELS + 1, action = ArgAction::Set)]
    pub(crate) compare: Vec<String>,
    /// For the cost curve: the assumed price of one call of a vision LLM, in any currency, 0 to 1,000,000
    #[arg(long, value_name = "X", default_value_t = 0.01, value_parser = price)]
    pub(crate) llm_price: f64,
    /// For the cost curve: the assumed share of the LLM's answers that are right, 0 to 1
    #[arg(long, value_name = "A", default_value_t = 0.95, value_parser = fraction)]
    pub(crate) llm_accuracy: f64,
    /// Also measure the steps of the cascade: the model alone, with the references of --teach, with the vehicle of
    /// --vehicle, and with the judge that the settings name
    #[arg(long, conflicts_with = "compare")]
    pub(crate) cascade: bool,
    /// For --cascade: photographs to teach first: a folder with a folder for each label, or a CSV file as for the photographs
    /// to measure
    #[arg(long, value_name = "DIR|CSV", requires = "cascade")]
    pub(crate) teach: Option<PathBuf>,
    /// For --cascade: the vehicle that the parts on all photographs are for, such as "2015 Honda Civic"
    #[arg(long, value_name = "YEAR MAKE MODEL", requires = "cascade")]
    pub(crate) vehicle: Option<VehicleName>,
    /// For --cascade: ask no judge, but simulate one that is right with this probability, 0 to 1; the report says so
    #[arg(long, value_name = "A", requires = "cascade", value_parser = fraction)]
    pub(crate) simulate_judge: Option<f64>,
    /// For --cascade: the most questions to ask the judge
    #[arg(long, value_name = "N", requires = "cascade", default_value_t = 200)]
    pub(crate) judge_calls: u32,
    /// Reuse the answers of the last run even if it was complete, for another report on the same photographs
    #[arg(long, conflicts_with = "fresh")]
    pub(crate) resume: bool,
    /// Do not reuse the answers of an interrupted run
    #[arg(long)]
    pub(crate) fresh: bool,
}

impl EvalArguments {
    /// The photographs, and the models of `--compare`: an option of several values takes what stands behind it as well.
    pub(crate) fn photographs_and_models(&self) -> (Option<&Path>, &[String]) {
        match (self.path.as_deref(), self.compare.split_last()) {
            (None, Some((last, models))) if models.len() > 1 => (Some(Path::new(last)), models),
            (path, _) => (path, &self.compare),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum EvalFormat {
    /// Columns for people
    Table,
    /// One JSON object
    Json,
}

fn address(text: &str) -> Result<SocketAddr, String> {
    let expected =
        "write an IP address and a port, such as 127.0.0.1:8090, or 0.0.0.0:8090 for other machines too";
    text.parse().map_err(|_| expected.to_owned())
}

fn price(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(price) if (0.0..=1e6).contains(&price) => Ok(price),
        _ => Err("expected a price of 0 or more, such as 0.01".to_owned()),
    }
}

fn percentage_points(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(points) if (0.0..=100.0).contains(&points) => Ok(points),
        _ => Err("expected percentage points from 0 to 100, such as 0.5".to_owned()),
    }
}

fn fraction(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(fraction) if (0.0..=1.0).contains(&fraction) => Ok(fraction),
        _ => Err("expected a number from 0 to 1, such as 0.95".to_owned()),
    }
}
