//! `partsight admin contact`: messages to support.

use anyhow::Context;
use clap::Subcommand;
use partsight_app::{ContactAdmin, Entity, Error, SupportMessage};
use partsight_domain::{ContactMessage, ContactMessageId, ContactTrap, Plan};
use serde_json::json;

use super::AdminFormat;
use crate::say;
use crate::text_table::TextTable;

#[derive(Debug, Subcommand)]
pub(super) enum ContactCommand {
    /// List what people wrote to support: first those with the plan Business, then Pro, then all others; newest first in each
    List {
        /// Also list what was taken for spam and not mailed
        #[arg(long)]
        all: bool,
        /// How many messages to list at most
        #[arg(long, value_name = "N", default_value_t = 50)]
        limit: u32,
        /// How to print them
        #[arg(long, value_enum, default_value_t = AdminFormat::Table)]
        format: AdminFormat,
    },
    /// Show one message
    Show {
        /// Its id, as `list` shows it
        #[arg(value_name = "ID")]
        id: String,
        /// How to print it
        #[arg(long, value_enum, default_value_t = AdminFormat::Table)]
        format: AdminFormat,
    },
}

pub(super) async fn run(admin: &ContactAdmin, command: ContactCommand) -> anyhow::Result<()> {
    match command {
        ContactCommand::List { all, limit, format: AdminFormat::Json } => {
            let messages: Vec<_> = admin.list(all, limit).await?.iter().map(row_as_json).collect();
            say(&serde_json::to_string_pretty(&messages).context("cannot write JSON")?)
        }
        ContactCommand::List { all, limit, format: AdminFormat::Table } => {
            say(&table(&admin.list(all, limit).await?))
        }
        ContactCommand::Show { id, format } => {
            let missing = || {
                anyhow::anyhow!(
                    "there is no message `{}`; `partsight admin contact list` shows their ids",
                    id.escape_debug()
                )
            };
            // An invalid id is reported as an unknown message.
            let parsed: ContactMessageId = id.parse().map_err(|_| missing())?;
            let message = admin.find(parsed).await.map_err(|error| match error {
                Error::NotFound { entity: Entity::ContactMessage } => missing(),
                other => other.into(),
            })?;
            if format == AdminFormat::Json {
                return say(&serde_json::to_string_pretty(&as_json(&message)).context("cannot write JSON")?);
            }
            say(&page(&message))
        }
    }
}

fn row_as_json(row: &SupportMessage) -> serde_json::Value {
    let mut json = as_json(&row.message);
    json["plan"] = json!(row.plan.map(Plan::as_str));
    json
}

fn as_json(message: &ContactMessage) -> serde_json::Value {
    json!({
        "id": message.id, "createdAt": message.created_at, "userId": message.user_id,
        "name": message.details.name, "email": message.details.email.as_str(),
        "subject": message.details.subject, "message": message.details.message,
        "trappedBy": message.trapped_by.map(ContactTrap::as_str),
    })
}

fn table(messages: &[SupportMessage]) -> String {
    let mut table = TextTable::new(&["written", "name", "e-mail", "plan", "subject", "spam", "id"]);
    for SupportMessage { message, plan } in messages {
        table.add_row([
            message.created_at.strftime("%Y-%m-%d %H:%M").to_string(),
            message.details.name.clone(),
            message.details.email.as_str().to_owned(),
            plan.map_or("none", Plan::name).to_owned(),
            message.details.subject.clone().unwrap_or_default(),
            message.trapped_by.map_or("no", ContactTrap::as_str).to_owned(),
            message.id.to_string(),
        ]);
    }
    table.to_string()
}

fn page(message: &ContactMessage) -> String {
    let details = &message.details;
    let account = message.user_id.map_or_else(|| "none".to_owned(), |id| id.to_string());
    format!(
        "Written: {}\nFrom:    {} <{}>\nAccount: {account}\nSubject: {}\nSpam:    {}\n\n{}",
        message.created_at,
        details.name,
        details.email.as_str(),
        details.subject.as_deref().unwrap_or_default(),
        message.trapped_by.map_or("no", ContactTrap::as_str),
        details.message
    )
}
