//! `partsight admin key`: the API keys of an account.

use anyhow::Context;
use clap::Subcommand;
use jiff::SignedDuration;
use partsight_app::{AccountAdmin, KeyAdmin};
use partsight_domain::{ApiKey, ApiKeyId, ApiScope, EmailAddress, User};
use serde_json::json;

use super::{AdminFormat, explain};
use crate::account::email;
use crate::say;
use crate::text_table::TextTable;

#[derive(Debug, Subcommand)]
pub(super) enum KeyCommand {
    /// Create a key and print it; it works only while the plan of the account, or of the server, includes API keys
    Create {
        /// The account
        #[arg(value_name = "EMAIL", value_parser = email)]
        email: EmailAddress,
        /// Name of the key, such as what it is for
        #[arg(long, value_name = "NAME")]
        name: String,
        /// What the key may be used for, separated by commas: scan, catalog, garage-read, garage-write, events
        #[arg(long = "scope", value_name = "SCOPE", value_delimiter = ',', required = true, value_parser = scope)]
        scopes: Vec<String>,
        /// Days after which the key expires, 1 to 3660 [default: never]
        #[arg(long, value_name = "DAYS", value_parser = clap::value_parser!(u16).range(1..=3660))]
        days: Option<u16>,
    },
    /// List the keys of an account
    List {
        /// The account
        #[arg(value_name = "EMAIL", value_parser = email)]
        email: EmailAddress,
        /// How to print them
        #[arg(long, value_enum, default_value_t = AdminFormat::Table)]
        format: AdminFormat,
    },
    /// Revoke a key of an account: it stops working at once
    Revoke {
        /// The account
        #[arg(value_name = "EMAIL", value_parser = email)]
        email: EmailAddress,
        /// Its id, as `list` shows it
        #[arg(value_name = "ID")]
        id: String,
    },
}

/// Checks the name of a scope.
fn scope(text: &str) -> Result<String, String> {
    let names: Vec<&str> = ApiScope::ALL.iter().map(|scope| scope.as_str()).collect();
    if names.contains(&text) {
        Ok(text.to_owned())
    } else {
        Err(format!("known scopes are {}", names.join(", ")))
    }
}

pub(super) async fn run(accounts: &AccountAdmin, keys: &KeyAdmin, command: KeyCommand) -> anyhow::Result<()> {
    match command {
        KeyCommand::Create { email, name, scopes, days } => {
            let user = find(accounts, &email).await?;
            let valid_for = days.map(|days| SignedDuration::from_hours(24 * i64::from(days)));
            let created = keys.create(&user, &name, &scopes, valid_for).await?;
            // Nothing else goes to standard output, so that a script can capture it.
            say(created.secret.as_str())
        }
        KeyCommand::List { email, format } => {
            print(format, &keys.list(&find(accounts, &email).await?).await?)
        }
        KeyCommand::Revoke { email, id } => {
            let user = find(accounts, &email).await?;
            let missing = || anyhow::anyhow!("{} has no key `{}`", user.email, id.escape_debug());
            let parsed: ApiKeyId = id.parse().map_err(|_| missing())?;
            if !keys.revoke(&user, parsed).await? {
                return Err(missing());
            }
            say(&format!("The key {parsed} is revoked."))
        }
    }
}

async fn find(accounts: &AccountAdmin, email: &EmailAddress) -> anyhow::Result<User> {
    accounts.find(email).await.map_err(|error| explain(error, email))
}

fn scopes(key: &ApiKey) -> Vec<&'static str> {
    key.scopes.iter().map(|scope| scope.as_str()).collect()
}

fn print(format: AdminFormat, keys: &[ApiKey]) -> anyhow::Result<()> {
    if format == AdminFormat::Json {
        let keys: Vec<_> = keys
            .iter()
            .map(|key| {
                json!({
                    "id": key.id, "name": key.name, "prefix": key.prefix, "scopes": scopes(key),
                    "createdAt": key.created_at, "expiresAt": key.expires_at, "lastUsedAt": key.last_used_at,
                })
            })
            .collect();
        return say(&serde_json::to_string_pretty(&keys).context("cannot write JSON")?);
    }
    let mut table = TextTable::new(&["key", "name", "scopes", "since", "until", "last used", "id"]);
    let day = |moment: jiff::Timestamp| moment.strftime("%Y-%m-%d").to_string();
    for key in keys {
        table.add_row([
            format!("{}...", key.prefix),
            key.name.clone(),
            scopes(key).join(" "),
            day(key.created_at),
            key.expires_at.map_or_else(|| "no end".to_owned(), day),
            key.last_used_at.map_or_else(|| "never".to_owned(), day),
            key.id.to_string(),
        ]);
    }
    say(&table.to_string())
}
