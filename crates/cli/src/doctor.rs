//! `partsight doctor`.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context;
use clap::{Args, ValueEnum};
use partsight_app::{Examination, Finding, Health, Settings, examine, system_clock, with_causes};
use partsight_domain::EmailAddress;
use partsight_eval::counted;

use crate::logging;
use crate::text_table::TextTable;

#[derive(Debug, Args)]
pub(crate) struct DoctorArguments {
    /// Folder of the database [default: that of the settings, or ~/.local/share/partsight]
    #[arg(long, value_name = "DIR")]
    pub(crate) data_dir: Option<PathBuf>,
    /// Check that the services that the settings name can be reached; no key is sent, except to the mail server and to the
    /// bucket for photographs
    #[arg(long)]
    online: bool,
    /// Send a mail to this address through the mail server
    #[arg(long, value_name = "ADDRESS", value_parser = crate::account::email)]
    mail: Option<EmailAddress>,
    /// How to print the findings
    #[arg(long, value_enum, default_value_t = DoctorFormat::Table)]
    format: DoctorFormat,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum DoctorFormat {
    /// Columns for people
    Table,
    /// One JSON array
    Json,
}

pub(crate) fn run(
    doctor: &DoctorArguments,
    settings: anyhow::Result<Settings>,
    settings_file: Option<PathBuf>,
    unknown_variables: Vec<String>,
) -> anyhow::Result<ExitCode> {
    let findings = match settings {
        Ok(settings) => {
            logging::start_quietly(&settings)?;
            let wanted = Examination {
                is_online: doctor.online,
                mail_to: doctor.mail.clone(),
                settings_file,
                unknown_variables,
            };
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            let runtime = runtime.context("cannot start the runtime")?;
            runtime.block_on(examine(&settings, &wanted, &system_clock()))
        }
        // Without valid settings nothing else can be checked; their error is the only finding.
        Err(error) => vec![Finding {
            check: "settings",
            health: Health::Problem,
            found: with_causes(error.as_ref()),
            advice: Some("correct what is named; `partsight config` prints the settings in force".to_owned()),
        }],
    };
    match doctor.format {
        DoctorFormat::Json => {
            let text = serde_json::to_string_pretty(&findings).context("cannot write JSON")?;
            crate::print(&format!("{text}\n"))?;
        }
        DoctorFormat::Table => {
            crate::print(&table(&findings))?;
        }
    }
    // Warnings do not count, so that a script that runs this fails only for problems.
    let is_sick = findings.iter().any(|finding| finding.health == Health::Problem);
    Ok(if is_sick { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

fn table(findings: &[Finding]) -> String {
    // Wrapped, because findings are sentences.
    let mut table = TextTable::new(&["", "check", "found"]).wrapped();
    let mut counts = [0_usize; 3];
    for finding in findings {
        let (word, place) = match finding.health {
            Health::Ok => ("ok", 0),
            Health::Warning => ("warning", 1),
            Health::Problem => ("PROBLEM", 2),
        };
        counts[place] += 1;
        let advice = finding.advice.as_ref().map(|advice| format!("\n-> {advice}")).unwrap_or_default();
        table.add_row([word.to_owned(), finding.check.to_owned(), format!("{}{advice}", finding.found)]);
    }
    let [ok, warnings, problems] = counts;
    format!("{table}\n\n{ok} ok, {}, {}\n", counted(warnings, "warning"), counted(problems, "problem"))
}
