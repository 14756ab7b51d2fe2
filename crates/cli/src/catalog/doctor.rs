//! `partsight catalog doctor`.

use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use partsight_app::{App, Diagnosis, Owner, system_clock};
use partsight_eval::{ReferencePictures, ReportFolder, counted, diagnosis_json, write_diagnosis};

use super::CatalogFormat;
use super::list::print_json;
use crate::progress::Progress;
use crate::text_table::TextTable;
use crate::{say, tell};

/// Maximum of rows in each table; the report and JSON have more.
const ROWS: usize = 20;

pub(super) async fn run(
    app: &App,
    owner: &Owner,
    report: Option<&Path>,
    limit: Option<u32>,
    format: CatalogFormat,
) -> anyhow::Result<ExitCode> {
    // First, so that an unwritable folder fails before the long work.
    let folder = report.map(ReportFolder::prepare).transpose()?;
    let parts = app.teaching.list_parts(owner).await?;
    let n_references = parts.iter().map(|part| part.n_references - part.n_of_other_model).sum();
    let progress = Arc::new(Progress::start(n_references, true));
    let seen = AtomicUsize::new(0);
    let bar = Arc::clone(&progress);
    let advance = move |n_done: usize| {
        // `n_done` is a total, and the bar needs the increment. Calls may overtake each other, hence the saturating
        // subtraction.
        let before = seen.swap(n_done, Ordering::Relaxed);
        bar.advance_by(n_done.saturating_sub(before));
    };
    let limit = limit.map(|seconds| Duration::from_secs(seconds.into()));
    let found = app.teaching.diagnose(owner, limit, advance).await;
    progress.finish();
    let found = found?;
    match format {
        CatalogFormat::Json => print_json(&diagnosis_json(&found))?,
        CatalogFormat::Table => print(&found)?,
    }
    if let Some(folder) = folder {
        let mut pictures = ReferencePictures::new();
        for id in found.references() {
            pictures.extend(app.teaching.reference_picture(owner, id).await?.map(|picture| (id, picture)));
        }
        let now = system_clock().now().strftime("%Y-%m-%d %H:%M UTC").to_string();
        write_diagnosis(&folder, &found, &pictures, &now)?;
        tell(&format!("the report is `{}`", folder.page().display()))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn print(found: &Diagnosis) -> anyhow::Result<()> {
    say(&format!(
        "{} of {}, {} examined. Compared with all others, {} of {} would be recognised as their own part.",
        counted(found.n_references, "photo"),
        counted(found.n_parts, "part"),
        found.n_examined,
        found.n_right,
        found.n_judged
    ))?;
    if found.n_of_other_model > 0 {
        let left_out = counted(found.n_of_other_model, "photo");
        say(&format!("Left out, because they were embedded by another model: {left_out}."))?;
    }
    if !found.confusions.is_empty() {
        let mut confusions = TextTable::new(&["easily confused", "", "in doubt", "confused"]);
        for confusion in found.confusions.iter().take(ROWS) {
            let [one, other] = &confusion.parts;
            confusions.add_row([
                one.to_string(),
                other.to_string(),
                confusion.n.to_string(),
                confusion.n_taken.to_string(),
            ]);
        }
        say(&format!("\n{confusions}"))?;
    }
    if !found.look_alikes.is_empty() {
        let mut pairs = TextTable::new(&["marked as look-alikes", ""]);
        for [one, other] in found.look_alikes.iter().take(ROWS) {
            pairs.add_row([one.to_string(), other.to_string()]);
        }
        say(&format!("\n{pairs}"))?;
    }
    if !found.copies.is_empty() {
        let mut copies = TextTable::new(&["the same picture", "", "of one part"]);
        for copy in found.copies.iter().take(ROWS) {
            let [one, other] = copy.references;
            let same = if copy.is_same_part { "yes" } else { "no" };
            copies.add_row([one.to_string(), other.to_string(), same.to_owned()]);
        }
        say(&format!("\n{copies}"))?;
    }
    if !found.outliers.is_empty() {
        let mut outliers = TextTable::new(&["outlier", "part", "similarity", "nearest part"]);
        for outlier in found.outliers.iter().take(ROWS) {
            let nearest = outlier.nearest.as_ref().map(|(label, _, _)| label.to_string());
            outliers.add_row([
                outlier.reference.to_string(),
                outlier.label.to_string(),
                format!("{:.2}", outlier.similarity),
                nearest.unwrap_or_default(),
            ]);
        }
        say(&format!("\n{outliers}"))?;
    }
    if !found.lonely.is_empty() {
        let labels: Vec<&str> = found.lonely.iter().take(ROWS).map(|lonely| lonely.label.as_str()).collect();
        let more = found.lonely.len().saturating_sub(ROWS);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        say(&format!("\nWith one photo or none: {}{more}.", labels.join(", ")))?;
    }
    Ok(())
}
