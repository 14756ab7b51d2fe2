//! Prints part types and their photographs, as tables and JSON.

use std::process::ExitCode;

use anyhow::Context;
use partsight_app::{App, Enrolment, Owner, PartSummary, TaughtType, path_text};
use partsight_domain::PartLabel;
use serde_json::{Value, json};

use super::{CatalogFormat, explain};
use crate::text_table::TextTable;
use crate::{say, tell};

pub(super) async fn parts(
    app: &App,
    owner: &Owner,
    all: bool,
    format: CatalogFormat,
) -> anyhow::Result<ExitCode> {
    let mut parts = app.teaching.list_parts(owner).await?;
    // A type of this account is listed even without a reference.
    parts.retain(|part| all || part.n_references > 0 || !part.is_learnt && !part.is_shared);
    match format {
        CatalogFormat::Json => print_json(&parts.iter().map(part_json).collect::<Vec<_>>())?,
        CatalogFormat::Table => {
            let mut table =
                TextTable::new(&["label", "name", "category", "known by", "photos", "of another model"]);
            for part in &parts {
                let known_by = match part {
                    PartSummary { is_learnt: true, .. } => "the model",
                    PartSummary { n_references: 0, .. } => "nobody yet",
                    PartSummary { is_shared: true, .. } => "all accounts",
                    PartSummary { is_shared: false, .. } => "this account",
                };
                table.add_row([
                    part.label.to_string(),
                    part.name.clone(),
                    part.category.as_str().to_owned(),
                    known_by.to_owned(),
                    part.n_references.to_string(),
                    part.n_of_other_model.to_string(),
                ]);
            }
            say(&table.to_string())?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

pub(super) async fn part(
    app: &App,
    owner: &Owner,
    label: &PartLabel,
    format: CatalogFormat,
) -> anyhow::Result<ExitCode> {
    let part = app.teaching.taught_type_of(owner, label).await.map_err(explain)?;
    match format {
        CatalogFormat::Json => print_json(&taught_json(&part))?,
        CatalogFormat::Table => {
            say(&format!("{} ({}), {}", part.name, part.label, part.category.as_str()))?;
            let mut table = TextTable::new(&["photo", "from", "since", "whose", "model"]);
            for reference in &part.references {
                table.add_row([
                    reference.stored.id.to_string(),
                    reference.stored.kind.as_str().to_owned(),
                    reference.stored.created_at.strftime("%Y-%m-%d").to_string(),
                    if reference.stored.tenant_id.is_some() { "this account" } else { "all accounts" }
                        .to_owned(),
                    reference.stored.model_sha256.chars().take(12).collect(),
                ]);
            }
            say(&table.to_string())?;
            if !part.look_alikes.is_empty() {
                let labels: Vec<&str> = part.look_alikes.iter().map(|other| other.label.as_str()).collect();
                say(&format!("Looks like: {}.", labels.join(", ")))?;
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Prints the result of enrolling; refused photographs go to standard error as well.
pub(super) fn enrolment(enrolled: &Enrolment, format: CatalogFormat) -> anyhow::Result<()> {
    let n_refused = enrolled.refused.len();
    match format {
        CatalogFormat::Json => print_json(&json!({
            "label": enrolled.part.label,
            "taught": enrolled.n_taught,
            "references": enrolled.part.references.len(),
            "lookAlikes": enrolled.resembled,
            "refused": enrolled.refused.iter().map(|(path, reason)| json!({
                "path": path_text(path), "reason": reason,
            })).collect::<Vec<_>>(),
        }))?,
        CatalogFormat::Table => say(&format!(
            "{} ({}): {} taught, {n_refused} refused, {} in all.",
            enrolled.part.name,
            enrolled.part.label,
            enrolled.n_taught,
            enrolled.part.references.len()
        ))?,
    }
    if format == CatalogFormat::Table && !enrolled.resembled.is_empty() {
        let labels: Vec<&str> = enrolled.resembled.iter().map(PartLabel::as_str).collect();
        say(&format!(
            "Marked as look-alikes: {}. A scan now answers that it is one of them.",
            labels.join(", ")
        ))?;
    }
    for (path, reason) in &enrolled.refused {
        // Control characters in a name must not reach the terminal.
        let path = path_text(path).replace(char::is_control, "\u{fffd}");
        tell(&format!("`{path}`: {reason}"))?;
    }
    Ok(())
}

fn part_json(part: &PartSummary) -> Value {
    json!({
        "label": part.label, "name": part.name, "category": part.category, "learnt": part.is_learnt,
        "shared": part.is_shared, "references": part.n_references, "ofOtherModel": part.n_of_other_model,
    })
}

fn taught_json(part: &TaughtType) -> Value {
    json!({
        "label": part.label, "name": part.name, "category": part.category, "shared": part.is_shared,
        "references": part.references.iter().map(|reference| json!({
            "id": reference.stored.id, "kind": reference.stored.kind.as_str(),
            "createdAt": reference.stored.created_at, "own": reference.is_own,
            "modelSha256": reference.stored.model_sha256,
        })).collect::<Vec<_>>(),
        "lookAlikes": part.look_alikes.iter().map(|other| json!({
            "label": other.label, "name": other.name, "markedAt": other.marked_at, "own": other.is_own,
        })).collect::<Vec<_>>(),
    })
}

pub(super) fn print_json(value: &impl serde::Serialize) -> anyhow::Result<()> {
    say(&serde_json::to_string_pretty(value).context("cannot write JSON")?)
}
