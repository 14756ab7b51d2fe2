//! `partsight admin cancellations`: requests to cancel a subscription.

use anyhow::Context;
use clap::Subcommand;
use partsight_app::{AccountAdmin, Entity, Error, Settings};
use partsight_domain::{CancellationRequest, CancellationRequestId, CancellationState, messages};
use serde_json::json;

use super::AdminFormat;
use crate::text_table::TextTable;
use crate::{say, tell};

#[derive(Debug, Subcommand)]
pub(super) enum CancellationsCommand {
    /// List the cancellation requests that nobody has dealt with, the oldest first
    List {
        /// Also list those that were dealt with
        #[arg(long)]
        all: bool,
        /// How to print them
        #[arg(long, value_enum, default_value_t = AdminFormat::Table)]
        format: AdminFormat,
    },
    /// Approve a request: the subscription ends with its billing period, and its owner is told by mail
    Approve {
        /// Id of the request, as `list` and the mail to support show it
        #[arg(value_name = "ID", value_parser = id)]
        id: CancellationRequestId,
    },
}

pub(super) async fn run(
    admin: &AccountAdmin,
    command: CancellationsCommand,
    settings: &Settings,
) -> anyhow::Result<()> {
    match command {
        CancellationsCommand::List { all, format } => {
            let mut requests = admin.list_cancellations().await?;
            requests.retain(|request| all || request.state == CancellationState::Open);
            print(format, &requests)
        }
        CancellationsCommand::Approve { id } => {
            match admin.approve_cancellation(id).await.map_err(|error| explain(error, id))? {
                Some(subscription) => {
                    if settings.server.public_url.is_none() {
                        tell(
                            "the setting `public_url` is not set here, so the mail to the owner names the page to \
                             reactivate the subscription without a link",
                        )?;
                    }
                    let end = subscription.current_period_end.strftime("%Y-%m-%d");
                    say(&format!("The {} subscription ends on {end}.", subscription.plan.name()))
                }
                None => say("The subscription has ended already; the request is closed."),
            }
        }
    }
}

/// Parses the id of a request.
fn id(text: &str) -> Result<CancellationRequestId, String> {
    text.parse().map_err(|_| {
        "this is no id; `partsight admin cancellations list` shows those of all requests".to_owned()
    })
}

fn explain(error: Error, id: CancellationRequestId) -> anyhow::Error {
    match error {
        Error::NotFound { entity: Entity::CancellationRequest } => {
            anyhow::anyhow!(
                "there is no cancellation request {id}; `partsight admin cancellations list` names them"
            )
        }
        Error::Conflict { message: messages::CANCELLATION_CLOSED, .. } => {
            anyhow::anyhow!("the cancellation request {id} was dealt with already")
        }
        Error::PaymentsNotOffered(_) => anyhow::anyhow!(
            "the payment provider is not set up here: the `stripe` settings of the server are needed"
        ),
        other => other.into(),
    }
}

fn print(format: AdminFormat, requests: &[CancellationRequest]) -> anyhow::Result<()> {
    if format == AdminFormat::Json {
        let requests: Vec<_> = requests
            .iter()
            .map(|request| {
                json!({
                    "id": request.id, "userId": request.user_id, "email": request.email,
                    "requestedAt": request.requested_at, "state": request.state.as_str(),
                })
            })
            .collect();
        return say(&serde_json::to_string_pretty(&requests).context("cannot write JSON")?);
    }
    let mut table = TextTable::new(&["id", "e-mail", "asked on", "state"]);
    for request in requests {
        table.add_row([
            request.id.to_string(),
            request.email.clone(),
            request.requested_at.strftime("%Y-%m-%d %H:%M UTC").to_string(),
            request.state.as_str().to_owned(),
        ]);
    }
    say(&table.to_string())
}
