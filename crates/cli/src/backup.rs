//! `partsight backup` and `partsight restore`.

use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::bail;
use clap::Args;
use partsight_app::{
    BackupFacts, BackupRequest, RestorePlan, Settings, back_up, plan_restore, restore, system_clock,
    verify_backup,
};
use partsight_eval::counted;

use crate::logging;
use crate::progress::StepBar;

/// The word to type to confirm the replacement of a database.
const CONFIRMATION: &str = "replace";

#[derive(Debug, Args)]
pub(crate) struct BackupArguments {
    /// The file to write, or a folder in which the file is named after the time
    #[arg(value_name = "FILE|DIR")]
    path: PathBuf,
    /// Folder of the database [default: that of the settings, or ~/.local/share/partsight]
    #[arg(long, value_name = "DIR")]
    pub(crate) data_dir: Option<PathBuf>,
    /// Write nothing, but read the backup FILE and compare all its content with its hashes
    #[arg(long, conflicts_with_all = ["keep", "force", "without_models"])]
    verify: bool,
    /// Keep only the newest N backups in the folder, this one included, 1 or more [default: keep all]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    keep: Option<u16>,
    /// Replace FILE if it exists
    #[arg(long)]
    force: bool,
    /// Leave imported models out
    #[arg(long)]
    without_models: bool,
}

#[derive(Debug, Args)]
pub(crate) struct RestoreArguments {
    /// The backup
    #[arg(value_name = "FILE")]
    path: PathBuf,
    /// Folder of the database [default: that of the settings, or ~/.local/share/partsight]
    #[arg(long, value_name = "DIR")]
    pub(crate) data_dir: Option<PathBuf>,
    /// Replace an existing database: an SQLite file is moved aside, the rows of a PostgreSQL database are deleted
    #[arg(long)]
    replace: bool,
    /// Do not ask for confirmation
    #[arg(long, requires = "replace")]
    yes: bool,
}

pub(crate) fn run_backup(arguments: &BackupArguments, settings: &Settings) -> anyhow::Result<ExitCode> {
    logging::start_quietly(settings)?;
    let mut bar = StepBar::default();
    if arguments.verify {
        let facts = verify_backup(&arguments.path, &mut |step| bar.show(step))?;
        bar.finish();
        let whole = format!("`{}` is whole: {}.\n", arguments.path.display(), describe(&facts));
        return crate::print(&(whole + &outside(&facts)));
    }
    // Checked before the backup is made, which takes long.
    if arguments.keep.is_some() && !arguments.path.is_dir() {
        bail!("--keep needs a folder that is there, and `{}` is none", arguments.path.display());
    }
    let request = BackupRequest {
        target: arguments.path.clone(),
        keep: arguments.keep.map(usize::from),
        force: arguments.force,
        with_models: !arguments.without_models,
    };
    let mut show = |step| bar.show(step);
    let report = crate::runtime()?.block_on(back_up(settings, &request, &system_clock(), &mut show))?;
    bar.finish();
    // Only a warning, because the backup itself is complete.
    if let Some(error) = report.not_noted {
        let folder = settings.data.dir.display();
        say(&format!("`{folder}` could not note the backup for `partsight doctor`: {error}"))?;
    }
    let wrote = format!("Wrote `{}`: {}.\n", report.path.display(), describe(&report.facts));
    let wrote = wrote + &outside(&report.facts);
    let deleted = report.removed.iter().map(|path| format!("Deleted `{}`.\n", path.display()));
    crate::print(&[wrote].into_iter().chain(deleted).collect::<String>())
}

pub(crate) fn run_restore(arguments: &RestoreArguments, settings: &Settings) -> anyhow::Result<ExitCode> {
    logging::start_quietly(settings)?;
    let runtime = crate::runtime()?;
    let mut bar = StepBar::default();
    // The whole backup is verified before the confirmation and before any change.
    let plan = runtime.block_on(plan_restore(settings, &arguments.path, &mut |step| bar.show(step)))?;
    bar.finish();
    if arguments.replace && !arguments.yes && !plan.replaces.is_empty() && !is_confirmed(&plan)? {
        bail!("nothing was changed");
    }
    let mut show = |step| bar.show(step);
    let (path, replace) = (arguments.path.as_path(), arguments.replace);
    let restored = runtime.block_on(restore(settings, path, plan, replace, &system_clock(), &mut show));
    let (plan, restored) = restored?;
    bar.finish();
    let restored_it = format!(
        "Restored {} into `{}`, which is at migration {}.\n",
        describe(&plan.facts),
        plan.target,
        restored.migration
    );
    let moved = restored.moved_aside.map(|aside| {
        let aside = aside.display();
        format!("The database that was there is `{aside}` now; delete it when you need it no more.\n")
    });
    crate::print(&(restored_it + &outside(&plan.facts) + &moved.unwrap_or_default()))
}

fn describe(facts: &BackupFacts) -> String {
    format!(
        "{}, {}, {}, {} in {} and {}; {}, made by partsight {} on {}",
        counted(facts.rows_of("app_user") as usize, "account"),
        counted(facts.rows_of("vehicle") as usize, "vehicle"),
        counted(facts.rows_of("scan") as usize, "scan"),
        counted(facts.n_kept_rows() as usize, "row"),
        counted(facts.tables.len(), "table"),
        counted(facts.files.len(), "file"),
        indicatif::HumanBytes(facts.size_bytes),
        facts.header.program,
        facts.header.created_at.strftime("%Y-%m-%d at %H:%M:%S UTC"),
    )
}

/// A line about photographs that are not in the file.
fn outside(facts: &BackupFacts) -> String {
    match facts.rows_of("photo_object") {
        0 => String::new(),
        n => format!(
            "It does not hold {} in the folder or bucket of `photo_storage`: copy these too (the page \"Photographs \
             outside the database\" of the documentation).\n",
            counted(n as usize, "photograph")
        ),
    }
}

fn is_confirmed(plan: &RestorePlan) -> anyhow::Result<bool> {
    let what = plan.replaces.join("\n  ");
    if !io::stdin().is_terminal() {
        bail!("a restore would replace this: {what}; add --yes to replace it");
    }
    say(&format!("This will be replaced:\n  {what}"))?;
    let mut stderr = io::stderr();
    // A word instead of a single key, so that it is not typed by accident.
    write!(stderr, "Type {CONFIRMATION} to go on: ")?;
    stderr.flush()?;
    let mut line = String::new();
    io::stdin().read_line(&mut line)?;
    Ok(line.trim() == CONFIRMATION)
}

fn say(text: &str) -> anyhow::Result<()> {
    Ok(writeln!(io::stderr(), "{text}")?)
}
