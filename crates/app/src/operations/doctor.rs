//! Checks a machine before it is trusted with a year of work.
//!
//! Each check reports its result in a sentence, and the remedy if something is wrong. Nothing is changed, no secret
//! is shown, and of people's data only the time of the newest row is read.

mod machine;
mod model;
mod network;
mod photo_storage;
mod replicas;
mod risks;
mod storage;

use std::path::PathBuf;

use partsight_domain::EmailAddress;
use serde::Serialize;

use crate::operations::database::other_database_folder;
use crate::{Clock, Settings};

/// The result of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Health {
    /// As it should be.
    Ok,
    /// It works, and could be better.
    Warning,
    /// It does not work, or endangers what is stored.
    Problem,
}

/// What one check found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Finding {
    /// The name of the check.
    pub check: &'static str,
    /// How it ended.
    pub health: Health,
    /// What was found.
    pub found: String,
    /// What to do about it.
    pub advice: Option<String>,
}

impl Finding {
    fn ok(check: &'static str, found: impl Into<String>) -> Self {
        Self { check, health: Health::Ok, found: found.into(), advice: None }
    }

    fn warning(check: &'static str, found: impl Into<String>, advice: impl Into<String>) -> Self {
        Self { check, health: Health::Warning, found: found.into(), advice: Some(advice.into()) }
    }

    fn problem(check: &'static str, found: impl Into<String>, advice: impl Into<String>) -> Self {
        Self { check, health: Health::Problem, found: found.into(), advice: Some(advice.into()) }
    }
}

/// What is to be checked.
#[derive(Debug, Clone, Default)]
pub struct Examination {
    /// Whether the configured services are contacted.
    pub is_online: bool,
    /// Address for a test mail.
    pub mail_to: Option<EmailAddress>,
    /// The file of the settings.
    pub settings_file: Option<PathBuf>,
    /// Environment variables that look like settings and are none.
    pub unknown_variables: Vec<String>,
}

/// Checks this machine with these settings.
pub async fn examine(settings: &Settings, wanted: &Examination, clock: &Clock) -> Vec<Finding> {
    let now = clock.now();
    // At the same time: services that do not answer take as long as the slowest, and not as all of them.
    let (photo_storage, mail, services) = tokio::join!(
        photo_storage::photo_storage(settings, wanted.is_online),
        network::mail(settings, wanted),
        network::services(settings, wanted.is_online),
    );
    let mut findings = vec![machine::processor(), machine::memory(), machine::open_files()];
    findings.push(storage::disk(&settings.data.dir));
    findings.extend(other_database_folder(settings).as_deref().map(storage::disk));
    findings.extend(storage::rights(settings));
    let (database, facts) = storage::database(settings).await;
    findings.extend(database);
    findings.extend(facts.iter().flat_map(|facts| replicas::replicas(settings, facts, clock.now())));
    let newest_row = facts.and_then(|facts| facts.newest_row);
    findings.push(storage::vehicle_facts(&settings.data.dir));
    findings.extend(settings.model.batch_dir.as_deref().map(storage::batch_folder));
    findings.extend(photo_storage);
    findings.push(machine::clock(now, newest_row));
    findings.push(storage::last_backup(settings, now));
    findings.extend(model::model(settings));
    findings.push(network::port(settings).await);
    findings.extend(network::metrics_port(settings).await);
    findings.push(network::certificates());
    findings.push(mail);
    findings.extend(services);
    findings.extend(risks::risks(settings, wanted));
    findings
}

/// A size for display, in decimal units as disks are sold.
fn size(bytes: u64) -> String {
    match bytes {
        0..1_000_000 => format!("{} kB", bytes / 1000),
        1_000_000..1_000_000_000 => format!("{} MB", bytes / 1_000_000),
        _ => format!("{:.1} GB", bytes as f64 / 1e9),
    }
}
