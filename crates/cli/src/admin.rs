//! `partsight admin`: accounts, API keys, cancellation requests and messages to support, directly in the database.

mod cancellations;
mod contact;
mod key;

use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, bail};
use clap::{Args, Subcommand, ValueEnum};
use partsight_app::{
    AccountAdmin, ContactAdmin, Entity, Error, KeyAdmin, Settings, open_store, require_database, system_clock,
};
use partsight_domain::{EmailAddress, NewUser, Password, PersonName, Plan, User};
use serde_json::json;

use crate::logging;
use crate::say;
use crate::text_table::TextTable;
use cancellations::CancellationsCommand;
use contact::ContactCommand;
use key::KeyCommand;

#[derive(Debug, Args)]
pub(crate) struct AdminArguments {
    /// Folder of the database [default: that of the settings, or ~/.local/share/partsight]
    #[arg(long, global = true, value_name = "DIR")]
    pub(crate) data_dir: Option<PathBuf>,
    #[command(subcommand)]
    command: AdminCommand,
}

#[derive(Debug, Subcommand)]
enum AdminCommand {
    /// List, show, create and delete accounts, and set passwords
    ///
    /// Passwords are asked for, or read from the first line of standard input; they are never arguments, which other
    /// people on the machine can see.
    #[command(subcommand)]
    User(UserCommand),
    /// List the cancellation requests of subscriptions, and approve them
    #[command(subcommand)]
    Cancellations(CancellationsCommand),
    /// Create, list and revoke API keys
    ///
    /// A key is printed once, when it is created; only its SHA-256 is kept.
    #[command(subcommand)]
    Key(KeyCommand),
    /// Read what people wrote to support
    #[command(subcommand)]
    Contact(ContactCommand),
    /// Change the plan of an account
    Plan {
        /// The account
        #[arg(value_name = "EMAIL", value_parser = crate::account::email)]
        email: EmailAddress,
        /// The plan: basic, pro or business
        #[arg(value_name = "PLAN", value_parser = plan)]
        plan: Plan,
    },
}

#[derive(Debug, Subcommand)]
enum UserCommand {
    /// List all accounts
    List {
        /// How to print them
        #[arg(long, value_enum, default_value_t = AdminFormat::Table)]
        format: AdminFormat,
    },
    /// Show one account
    Show {
        /// The account
        #[arg(value_name = "EMAIL", value_parser = crate::account::email)]
        email: EmailAddress,
        /// How to print it
        #[arg(long, value_enum, default_value_t = AdminFormat::Table)]
        format: AdminFormat,
    },
    /// Create an account; the password is asked for or read from standard input
    Create {
        /// The account
        #[arg(value_name = "EMAIL", value_parser = crate::account::email)]
        email: EmailAddress,
        /// First name
        #[arg(long, value_name = "NAME", default_value = "")]
        first_name: String,
        /// Last name
        #[arg(long, value_name = "NAME", default_value = "")]
        last_name: String,
        /// The plan: basic, pro or business
        #[arg(long, value_name = "PLAN", default_value = "basic", value_parser = plan)]
        plan: Plan,
    },
    /// Delete an account with all vehicles, records and scans that nobody else shares
    Delete {
        /// The account
        #[arg(value_name = "EMAIL", value_parser = crate::account::email)]
        email: EmailAddress,
        /// Do not ask for confirmation
        #[arg(long)]
        yes: bool,
    },
    /// Set the password of an account and end its sessions
    SetPassword {
        /// The account
        #[arg(value_name = "EMAIL", value_parser = crate::account::email)]
        email: EmailAddress,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum AdminFormat {
    /// Columns for people
    Table,
    /// One JSON value
    Json,
}

pub(crate) fn run(arguments: AdminArguments, settings: &Settings) -> anyhow::Result<ExitCode> {
    // The output is the result; unless a filter is set, only warnings are logged beside it.
    logging::start_quietly(settings)?;
    // The first account may be created before the server has made the database.
    if !matches!(arguments.command, AdminCommand::User(UserCommand::Create { .. })) {
        require_database(settings)?;
    }
    let runtime = crate::runtime()?;
    runtime.block_on(async {
        let store = open_store(settings).await?;
        let admin = AccountAdmin::new(store.clone(), system_clock(), settings)?;
        let result = match arguments.command {
            AdminCommand::Contact(command) => contact::run(&ContactAdmin::new(store), command).await,
            AdminCommand::Cancellations(command) => cancellations::run(&admin, command, settings).await,
            AdminCommand::Key(command) => {
                key::run(&admin, &KeyAdmin::new(store, system_clock()), command).await
            }
            AdminCommand::User(command) => user_command(&admin, command).await,
            AdminCommand::Plan { email, plan } => set_plan(&admin, &email, plan).await,
        };
        // Also after an error, because closing writes SQLite's WAL into its file.
        admin.close().await;
        result
    })?;
    Ok(ExitCode::SUCCESS)
}

async fn set_plan(admin: &AccountAdmin, email: &EmailAddress, plan: Plan) -> anyhow::Result<()> {
    let user = admin.set_plan(email, plan).await.map_err(|error| explain(error, email))?;
    say(&format!("{} has the plan {}.", user.email, user.plan.as_str()))
}

async fn user_command(admin: &AccountAdmin, command: UserCommand) -> anyhow::Result<()> {
    match command {
        UserCommand::List { format } => print(format, &admin.list().await?),
        UserCommand::Show { email, format } => {
            let user = admin.find(&email).await.map_err(|error| explain(error, &email))?;
            print(format, &[user])
        }
        UserCommand::Create { email, first_name, last_name, plan } => {
            let new = NewUser {
                first_name: PersonName::new("--first-name", &first_name)?,
                last_name: PersonName::new("--last-name", &last_name)?,
                password: password()?,
                email,
            };
            let user = admin.create(&new, plan).await.map_err(|error| explain(error, &new.email))?;
            say(&format!("{} has an account.", user.email))
        }
        UserCommand::Delete { email, yes } => {
            // Before the confirmation, so that a wrong address fails first.
            admin.find(&email).await.map_err(|error| explain(error, &email))?;
            if !yes && !is_confirmed(&email)? {
                bail!("nothing was deleted");
            }
            admin.delete(&email).await.map_err(|error| match error {
                Error::Conflict { field: "company", .. } => anyhow::anyhow!(
                    "{} owns a company that has other members; nothing was deleted. The owner can make one \
                     of them the owner, remove them, or delete the company on the page Company and Team",
                    email.as_str()
                ),
                other => explain(other, &email),
            })?;
            say(&format!("{} is deleted.", email.as_str()))
        }
        UserCommand::SetPassword { email } => {
            admin.find(&email).await.map_err(|error| explain(error, &email))?;
            admin.set_password(&email, password()?).await?;
            say(&format!("{} has a new password; all its sessions were ended.", email.as_str()))
        }
    }
}

/// The password, typed twice without being shown, or the first line of standard input.
fn password() -> anyhow::Result<Password> {
    let text = if io::stdin().is_terminal() {
        let text = rpassword::prompt_password("Password: ").context("cannot read the password")?;
        // Typed without echo, so that a typing error would lock the owner out.
        if rpassword::prompt_password("Once more: ").context("cannot read the password")? != text {
            bail!("the two passwords differ; nothing was changed");
        }
        text
    } else {
        let mut line = String::new();
        io::stdin().read_line(&mut line).context("cannot read the password from standard input")?;
        // Only the line ending is removed, because spaces may belong to the password.
        line.trim_end_matches(['\r', '\n']).to_owned()
    };
    Password::new(text).map_err(|error| anyhow::anyhow!(error.message))
}

fn is_confirmed(email: &EmailAddress) -> anyhow::Result<bool> {
    // A script must neither hang at the question nor count as confirmed.
    if !io::stdin().is_terminal() {
        bail!("deleting an account cannot be taken back; add --yes to delete {}", email.as_str());
    }
    let mut stderr = io::stderr();
    write!(stderr, "Delete {} and all that it owns? Type yes to go on: ", email.as_str())?;
    stderr.flush()?;
    let mut line = String::new();
    io::stdin().read_line(&mut line)?;
    Ok(line.trim() == "yes")
}

fn explain(error: Error, email: &EmailAddress) -> anyhow::Error {
    match error {
        Error::NotFound { entity: Entity::User } => {
            anyhow::anyhow!("there is no account with the e-mail address {}", email.as_str())
        }
        Error::Conflict { field: "subscription", .. } => anyhow::anyhow!(
            "{} pays for a subscription that cannot be ended without the `stripe` settings of the server; \
             nothing was deleted",
            email.as_str()
        ),
        Error::Conflict { .. } => {
            anyhow::anyhow!("{} has an account already; nothing was changed", email.as_str())
        }
        Error::PaymentProvider(_) => anyhow::Error::from(error).context(format!(
            "the subscription of {} could not be ended; nothing was deleted",
            email.as_str()
        )),
        other => other.into(),
    }
}

fn print(format: AdminFormat, users: &[User]) -> anyhow::Result<()> {
    if format == AdminFormat::Json {
        let users: Vec<_> = users
            .iter()
            .map(|user| {
                json!({
                    "id": user.id, "email": user.email, "emailVerified": user.email_verified_at.is_some(),
                    "firstName": user.first_name, "lastName": user.last_name, "planType": user.plan.as_str(),
                    "createdAt": user.created_at, "termsAccepted": user.has_accepted_terms(),
                    "hasPassword": user.has_password,
                })
            })
            .collect();
        return say(&serde_json::to_string_pretty(&users).context("cannot write JSON")?);
    }
    let mut table = TextTable::new(&["e-mail", "name", "plan", "verified", "since", "id"]);
    for user in users {
        let name = format!("{} {}", user.first_name, user.last_name);
        table.add_row([
            user.email.clone(),
            name.trim().to_owned(),
            user.plan.as_str().to_owned(),
            if user.email_verified_at.is_some() { "yes" } else { "no" }.to_owned(),
            user.created_at.strftime("%Y-%m-%d").to_string(),
            user.id.to_string(),
        ]);
    }
    say(&table.to_string())
}

fn plan(name: &str) -> Result<Plan, String> {
    Plan::from_name(name).ok_or_else(|| "expected basic, pro or business".to_owned())
}
