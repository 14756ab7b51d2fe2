//! The `partsight` command: reads arguments and settings, and hands over to the crate that does the work.
//!
//! Results go to standard output, everything else to standard error. The exit code is 0 when all went well,
//! 1 when something failed, 2 when the arguments do not fit.

mod admin;
mod arguments;
mod catalog;
mod eval;
mod logging;
mod memory;
mod migrate;
mod models;
mod progress;
mod scan;
mod serve;
mod settings;
mod telemetry;
mod vehicles;

use std::io::{self, Write};
use std::process::ExitCode;

use anyhow::Context;
use clap::Parser;

use crate::arguments::{Arguments, Command};

fn main() -> ExitCode {
    memory::give_back_large_blocks();
    telemetry::forbid();
    let arguments = Arguments::parse();
    match run(arguments) {
        Ok(code) => code,
        // `partsight scan | head` ends early on purpose.
        Err(error) if is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            // The alternate form is the message with all its causes on one line.
            let _ = writeln!(io::stderr(), "partsight: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    let settings = settings::load(&arguments)?;
    match arguments.command {
        Command::Serve(_) => serve::run(&settings),
        Command::Scan(scan) => scan::run(&scan, &settings),
        Command::Eval(eval) => eval::run(&eval, &settings),
        Command::Models(models) => models::run(models.command, &settings),
        Command::Vehicles(vehicles) => vehicles::run(vehicles.command, &settings),
        Command::Catalog(catalog) => catalog::run(catalog, &settings),
        Command::Admin(admin) => admin::run(admin, &settings),
        Command::Migrate(_) => migrate::run(&settings),
        Command::Config => print(&settings::to_toml(&settings)?),
        Command::Openapi => {
            let document = partsight_api::openapi().to_pretty_json().context("write the OpenAPI document")?;
            print(&format!("{document}\n"))
        }
    }
}

fn print(text: &str) -> anyhow::Result<ExitCode> {
    let mut stdout = io::stdout().lock();
    stdout.write_all(text.as_bytes())?;
    stdout.flush()?;
    Ok(ExitCode::SUCCESS)
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| {
        cause.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
    })
}
