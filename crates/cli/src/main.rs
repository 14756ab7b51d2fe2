//! The `partsight` command: reads arguments and settings, and hands over to the crate that does the work.
//!
//! Results go to standard output, everything else to standard error. The exit code is 0 for success, 1 for a failure,
//! 2 for invalid arguments, and 3 for a failed check of `eval --baseline` or `eval --verify`.

mod account;
mod admin;
mod arguments;
mod backup;
mod bench;
mod catalog;
mod config;
mod decoding;
mod doctor;
mod eval;
mod logging;
mod mcp;
mod memory;
mod migrate;
mod misfit;
mod models;
mod open_files;
mod progress;
mod reader;
mod scan;
mod serve;
mod settings;
mod telemetry;
mod text_table;
mod vehicle_option;
mod vehicles;

use std::io::{self, Write};
use std::process::ExitCode;

use anyhow::Context;
use clap::Parser;
use partsight_app::with_causes;

use crate::arguments::{Arguments, Command};
use crate::misfit::Misfit;

/// Exit code for invalid arguments, the same as clap's.
const MISFIT: u8 = 2;

fn main() -> ExitCode {
    // Both first, because their `unsafe` requires that no other thread runs yet.
    memory::give_back_large_blocks();
    telemetry::forbid();
    // Before the arguments and settings are read: it gets neither, and has an empty environment.
    let outcome = if decoding::is_asked() { decoding::serve() } else { run(Arguments::parse()) };
    match outcome {
        Ok(code) => code,
        // A closed pipe, as in `partsight scan | head`, is no failure.
        Err(error) if reader::has_gone(&error) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(
                io::stderr(),
                "{}partsight: {}",
                logging::fatal_prefix(),
                with_causes(error.as_ref())
            );
            if error.is::<Misfit>() { ExitCode::from(MISFIT) } else { ExitCode::FAILURE }
        }
    }
}

fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    let settings = match (settings::load(&arguments), &arguments.command) {
        (settings, Command::Doctor(doctor)) => {
            let unknown = settings::unknown_variables()?;
            return doctor::run(doctor, settings, settings::file(&arguments), unknown);
        }
        (settings, _) => settings?,
    };
    match arguments.command {
        Command::Serve(_) => serve::run(&settings),
        Command::Mcp(arguments) => mcp::run(&arguments, &settings),
        Command::Scan(scan) => scan::run(&scan, &settings),
        Command::Eval(eval) => eval::run(&eval, &settings),
        Command::Bench(arguments) => bench::run(&arguments, &settings),
        Command::Models(models) => models::run(models.command, &settings),
        Command::Vehicles(vehicles) => vehicles::run(vehicles.command, &settings),
        Command::Catalog(catalog) => catalog::run(catalog, &settings),
        Command::Admin(admin) => admin::run(admin, &settings),
        Command::Migrate(_) => migrate::run(&settings),
        Command::Backup(arguments) => backup::run_backup(&arguments, &settings),
        Command::Restore(arguments) => backup::run_restore(&arguments, &settings),
        // Handled above, because invalid settings are one of its findings.
        Command::Doctor(_) => Ok(ExitCode::SUCCESS),
        Command::Config(config) => config::run(&config, &settings),
        Command::Openapi => {
            let document =
                partsight_api::openapi().to_pretty_json().context("cannot write the OpenAPI document")?;
            print(&format!("{document}\n"))
        }
    }
}

/// Prints a result. A closed pipe does not end the command, because its exit code counts as well.
fn print(text: &str) -> anyhow::Result<ExitCode> {
    let mut stdout = io::stdout().lock();
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(error).context("cannot write to standard output")
        }
        _ => Ok(ExitCode::SUCCESS),
    }
}

/// Prints a line.
fn say(text: &str) -> anyhow::Result<()> {
    print(&format!("{text}\n")).map(drop)
}

/// Prints a message to standard error; a closed pipe is ignored.
fn tell(sentence: &str) -> anyhow::Result<()> {
    match writeln!(io::stderr(), "partsight: {sentence}") {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(error.into()),
        _ => Ok(()),
    }
}

fn runtime() -> anyhow::Result<tokio::runtime::Runtime> {
    tokio::runtime::Builder::new_current_thread().enable_all().build().context("cannot start the runtime")
}
