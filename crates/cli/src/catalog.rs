//! `partsight catalog`: taught parts of an account, or those shared by all, directly in the database.

mod doctor;
mod exchange;
mod index;
mod list;

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{Context, bail};
use clap::{ArgGroup, Args, Subcommand, ValueEnum};
use partsight_app::{
    App, Catalog, Entity, Error, Identifier, Lesson, Owner, Settings, find_photos, open_store,
    require_database, system_clock,
};
use partsight_domain::{Category, EmailAddress, PartLabel};

use crate::account;
use crate::decoding;
use crate::logging;
use crate::misfit::Misfit;
use crate::progress::Progress;
use crate::{say, tell};

#[derive(Debug, Args)]
pub(crate) struct CatalogArguments {
    /// Folder of the database [default: that of the settings, or ~/.local/share/partsight]
    #[arg(long, global = true, value_name = "DIR")]
    pub(crate) data_dir: Option<PathBuf>,
    /// The parts of the account with this e-mail address
    #[arg(long, global = true, value_name = "EMAIL", value_parser = crate::account::email)]
    user: Option<EmailAddress>,
    /// The parts that all accounts of this server share
    #[arg(long, global = true)]
    shared: bool,
    #[command(subcommand)]
    command: CatalogCommand,
}

#[derive(Debug, Subcommand)]
enum CatalogCommand {
    /// List the part types with the number of photographs that show them
    List {
        /// Also list part types without a photograph
        #[arg(long)]
        all: bool,
        /// How to print them
        #[arg(long, value_enum, default_value_t = CatalogFormat::Table)]
        format: CatalogFormat,
    },
    /// Show the photographs of a part type
    Show {
        /// The part type
        #[arg(value_name = "LABEL", value_parser = label)]
        label: PartLabel,
        /// How to print them
        #[arg(long, value_enum, default_value_t = CatalogFormat::Table)]
        format: CatalogFormat,
    },
    /// Give a part type that was taught another name; its label stays
    Rename {
        /// The part type
        #[arg(value_name = "LABEL", value_parser = label)]
        label: PartLabel,
        /// What it is called from now on
        #[arg(value_name = "NAME")]
        name: String,
        /// The category that it belongs to from now on, such as brake [default: unchanged]
        #[arg(long, value_name = "CATEGORY", value_parser = category)]
        category: Option<Category>,
    },
    /// Delete a part type that was taught, with its photographs; `restore` brings it back within 30 days
    Delete {
        /// The part type
        #[arg(value_name = "LABEL", value_parser = label)]
        label: PartLabel,
    },
    /// Bring a deleted part type back, with the photographs that were deleted with it
    Restore {
        /// The part type
        #[arg(value_name = "LABEL", value_parser = label)]
        label: PartLabel,
    },
    /// Remove the mark from two part types that are marked as look-alikes
    Unmark {
        /// One of the two
        #[arg(value_name = "LABEL", value_parser = label)]
        label: PartLabel,
        /// The other
        #[arg(value_name = "OTHER", value_parser = label)]
        other: PartLabel,
    },
    /// Teach a part type with photographs; each is checked, and unsuitable ones are left out, with the reason
    Enrol(EnrolArguments),
    /// Write taught parts into one file, with embeddings and small pictures
    Export {
        /// The file; `-` for standard output
        #[arg(value_name = "FILE")]
        file: PathBuf,
        /// Only these part types [default: all]
        #[arg(value_name = "LABEL", value_parser = label)]
        labels: Vec<PartLabel>,
        /// Replace the file if it exists
        #[arg(long)]
        force: bool,
    },
    /// Import a file of `export` that was made with the same model; what exists already is skipped
    Import {
        /// The file; `-` for standard input
        #[arg(value_name = "FILE")]
        file: PathBuf,
        /// Keep photographs that look more like another part, and mark the two as look-alikes
        #[arg(long)]
        accept_collision: bool,
        /// How to print the result of each part
        #[arg(long, value_enum, default_value_t = CatalogFormat::Table)]
        format: CatalogFormat,
    },
    /// Look for parts that are hard to tell apart, duplicate pictures, and photographs that are unlike all others; list the
    /// marked look-alikes
    Doctor {
        /// Check the vector index instead: compare it with the database, and its answers for up to 500 photographs with those
        /// of the exact index; changes nothing
        #[arg(long, conflicts_with_all = ["report", "limit"])]
        index: bool,
        /// Also write a page with pictures (index.html) and the figures behind it (JSON) into this folder
        #[arg(long, value_name = "DIR")]
        report: Option<PathBuf>,
        /// Stop after this many seconds, 1 or more, and print what was found until then [default: no limit]
        #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u32).range(1..))]
        limit: Option<u32>,
        /// How to print what was found
        #[arg(long, value_enum, default_value_t = CatalogFormat::Table)]
        format: CatalogFormat,
    },
    /// Empty the vector index and rebuild it from the database, for all accounts
    Reindex,
}

#[derive(Debug, Args)]
#[command(group(ArgGroup::new("lesson").args(["part", "new"]).required(true)))]
struct EnrolArguments {
    /// Photographs, or folders of them (searched with their subfolders)
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// The part type that they show, if it exists already
    #[arg(long, value_name = "LABEL", value_parser = label)]
    part: Option<PartLabel>,
    /// The number of the shop part that they show, which must be of this type; it gets the photographs too
    #[arg(long, value_name = "NUMBER", requires = "part")]
    shop_part: Option<String>,
    /// The name of a new part type that they show
    #[arg(long, value_name = "NAME", requires = "category")]
    new: Option<String>,
    /// Where a new part type belongs: engine, brake, electrical, suspension, transmission, cooling, exhaust,
    /// fuel or body
    #[arg(long, value_name = "CATEGORY", value_parser = category)]
    category: Option<Category>,
    /// Keep photographs that look more like another part, and mark the two as look-alikes
    #[arg(long)]
    accept_collision: bool,
    /// How to print the results
    #[arg(long, value_enum, default_value_t = CatalogFormat::Table)]
    format: CatalogFormat,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum CatalogFormat {
    /// Columns for people
    Table,
    /// One JSON value
    Json,
}

pub(crate) fn run(arguments: CatalogArguments, settings: &Settings) -> anyhow::Result<ExitCode> {
    logging::start_quietly(settings)?;
    if let CatalogCommand::Export { file, force: false, .. } = &arguments.command {
        // Checked before the model is loaded, so that it fails at once.
        exchange::refuse_to_replace(file)?;
    }
    // The first shared parts may be taught before the server has made the database.
    let may_be_first = matches!(arguments.command, CatalogCommand::Enrol(_) | CatalogCommand::Import { .. });
    if arguments.user.is_some() || !may_be_first {
        require_database(settings)?;
    }
    let is_first = may_be_first && require_database(settings).is_err();
    let runtime = crate::runtime()?;
    runtime.block_on(async {
        let store = open_store(settings).await?;
        if is_first {
            let folder = settings.data.dir.display();
            tell(&format!(
                "there was no database in `{folder}`, so one was made; the server needs the same --data-dir"
            ))?;
        }
        // Before the model is loaded, which takes longest.
        let owner = match whose(&arguments)? {
            Whose::All => Owner::ALL_TENANTS,
            Whose::Account(email) => account::owner(&store, &email).await?,
        };
        let catalog = Catalog::embedded().context("cannot read the catalogue")?;
        let identifier = Identifier::start(settings, &catalog)?.with_decoder(decoding::decoder(settings));
        let app = App::new(store, Arc::new(catalog), Arc::new(identifier), system_clock(), settings)?;
        let result = command(&app, &owner, arguments.command).await;
        app.close().await;
        result
    })
}

/// Whose parts a command is about.
enum Whose {
    /// Parts shared by all accounts.
    All,
    /// Parts of one account.
    Account(EmailAddress),
}

async fn command(app: &App, owner: &Owner, command: CatalogCommand) -> anyhow::Result<ExitCode> {
    match command {
        CatalogCommand::List { all, format } => list::parts(app, owner, all, format).await,
        CatalogCommand::Show { label, format } => list::part(app, owner, &label, format).await,
        CatalogCommand::Rename { label, name, category } => {
            let part = app.teaching.change_type(owner, &label, &name, category).await.map_err(explain)?;
            say(&format!(
                "{label} is called {} now, of the category {}.",
                part.name,
                part.category.as_str()
            ))?;
            Ok(ExitCode::SUCCESS)
        }
        CatalogCommand::Delete { label } => {
            app.teaching.delete_type(owner, &label).await.map_err(explain)?;
            say(&format!(
                "{label} is deleted. Within 30 days, this command with `restore` in place of `delete` brings it back."
            ))?;
            Ok(ExitCode::SUCCESS)
        }
        CatalogCommand::Restore { label } => {
            let part = app.teaching.restore_type(owner, &label).await.map_err(explain)?;
            let n = part.references.len();
            let photographs = if n == 1 { "photograph" } else { "photographs" };
            say(&format!("{} is back, with {n} {photographs}.", part.name))?;
            Ok(ExitCode::SUCCESS)
        }
        CatalogCommand::Unmark { label, other } => {
            app.teaching.unmark_look_alike(owner, &label, &other).await.map_err(explain)?;
            say(&format!("{label} and {other} are no look-alikes any more."))?;
            Ok(ExitCode::SUCCESS)
        }
        CatalogCommand::Enrol(arguments) => enrol(app, owner, arguments).await,
        CatalogCommand::Export { file, labels, .. } => exchange::export(app, owner, &file, &labels).await,
        CatalogCommand::Import { file, accept_collision, format } => {
            exchange::import(app, owner, &file, accept_collision, format).await
        }
        CatalogCommand::Doctor { index: true, format, .. } => index::check(app, owner, format).await,
        CatalogCommand::Doctor { index: false, report, limit, format } => {
            doctor::run(app, owner, report.as_deref(), limit, format).await
        }
        CatalogCommand::Reindex => reindex(app).await,
    }
}

/// Whose parts the arguments name. `reindex` always applies to all.
fn whose(arguments: &CatalogArguments) -> anyhow::Result<Whose> {
    match (&arguments.user, arguments.shared) {
        (Some(_), true) => {
            bail!(Misfit::new("--user and --shared do not go together: name whose parts are meant"))
        }
        (None, true) => Ok(Whose::All),
        (Some(email), false) => Ok(Whose::Account(email.clone())),
        (None, false) if matches!(arguments.command, CatalogCommand::Reindex) => Ok(Whose::All),
        (None, false) => {
            bail!(Misfit::new(
                "whose parts are meant? Add --user EMAIL, or --shared for those that all accounts share"
            ))
        }
    }
}

async fn enrol(app: &App, owner: &Owner, arguments: EnrolArguments) -> anyhow::Result<ExitCode> {
    let lesson = match (arguments.part, arguments.new, arguments.category) {
        (Some(label), _, _) => match arguments.shop_part {
            Some(number) => {
                let id = app.teaching.shop_part_of_number(owner, &label, &number).await.map_err(explain)?;
                Lesson::Part { label, id }
            }
            None => Lesson::Known(label),
        },
        (None, Some(name), Some(category)) => Lesson::NewType { name, category },
        (None, ..) => bail!("name the part with --part, or a new one with --new and --category"),
    };
    let found = find_photos(&arguments.paths);
    let progress = Progress::start(found.photos.len(), true);
    let enrolled = app
        .teaching
        .enrol(owner, lesson, &found.photos, arguments.accept_collision, || progress.advance(|| {}))
        .await
        .map_err(explain);
    progress.finish();
    let mut enrolled = enrolled?;
    // Paths without photographs come first, because they were found first.
    enrolled.refused.splice(0..0, found.problems);
    list::enrolment(&enrolled, arguments.format)?;
    Ok(if enrolled.refused.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

async fn reindex(app: &App) -> anyhow::Result<ExitCode> {
    let (wanted, place) = app.teaching.index_facts().await?;
    let progress = Progress::start(usize::try_from(wanted).unwrap_or(usize::MAX), true);
    let held = app.teaching.reindex(|n| progress.advance_by(n)).await;
    progress.finish();
    let held = held?;
    say(&format!("The vector index in {place} holds {held} of {wanted} references."))?;
    if place == "memory" {
        say(
            "It ends with this program: each server builds its own when it starts. Set `qdrant_url` for one that is kept.",
        )?;
    }
    Ok(if held == wanted { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Errors in the terms of the command line.
fn explain(error: Error) -> anyhow::Error {
    match error {
        Error::NotFound { entity: Entity::Part } => {
            anyhow::anyhow!("there is no part type of this label; `partsight catalog list --all` lists them")
        }
        Error::NotFound { entity: Entity::TaughtType } => anyhow::anyhow!(
            "there are no photographs of your own of this label that can be renamed, deleted or brought back; \
             `partsight catalog list` lists the parts and whose they are"
        ),
        Error::NotFound { entity: Entity::LookAlike } => {
            anyhow::anyhow!(
                "these two are not marked as look-alikes; `partsight catalog doctor` lists the pairs"
            )
        }
        Error::Conflict { message, .. } => anyhow::anyhow!("{message}"),
        Error::Invalid(invalid) => anyhow::anyhow!("{}", invalid.message),
        other => other.into(),
    }
}

fn label(text: &str) -> Result<PartLabel, String> {
    PartLabel::new(text).map_err(|error| error.message)
}

fn category(text: &str) -> Result<Category, String> {
    Category::from_name(text)
        .ok_or_else(|| format!("expected one of {}", Category::ALL.map(Category::as_str).join(", ")))
}
