//! `partsight catalog doctor --index`.

use std::process::ExitCode;

use partsight_app::{App, Owner, ServedCheck};
use serde_json::json;

use super::CatalogFormat;
use super::list::print_json;
use crate::progress::Progress;
use crate::say;

/// Minimum recall@10 of an index server against the exact index: below it, a part with few references may be missed.
const LEAST_RECALL: f64 = 0.95;

pub(super) async fn check(app: &App, owner: &Owner, format: CatalogFormat) -> anyhow::Result<ExitCode> {
    let progress = Progress::start(500, true);
    let checked = app.teaching.check_index(owner, |_| progress.advance(|| {})).await;
    progress.finish();
    let checked = checked?;
    let Some(served) = checked.served else {
        match format {
            CatalogFormat::Json => print_json(&json!({ "place": checked.place, "exact": true }))?,
            CatalogFormat::Table => say(
                "The vector index is in memory: each search looks at every reference, and each server builds it anew \
                 when it starts. There is nothing to compare. Set `qdrant_url` for one that is kept.",
            )?,
        }
        return Ok(ExitCode::SUCCESS);
    };
    let is_sound = served.difference.n() == 0
        && served.status.held == served.status.wanted
        // With too few photographs to measure recall, the index counts as good.
        && served.recall.is_none_or(|recall| recall >= LEAST_RECALL);
    match format {
        CatalogFormat::Json => print_json(&as_json(&checked.place, &served))?,
        CatalogFormat::Table => print(&checked.place, &served)?,
    }
    Ok(if is_sound { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn as_json(place: &str, served: &ServedCheck) -> serde_json::Value {
    let ServedCheck { status, difference, n_visible, n_queries, recall, nearest_found, took } = served;
    let [median, p99] = took.map(|took| took.as_secs_f64() * 1000.0);
    json!({
        "place": place,
        "exact": false,
        "revision": status.revision,
        "held": status.held,
        "wanted": status.wanted,
        "missing": difference.n_missing,
        "extra": difference.n_extra,
        "stale": difference.n_stale,
        "visible": n_visible,
        "queries": n_queries,
        "recallAt10": recall,
        "recallAt1": nearest_found,
        "medianMs": median,
        "p99Ms": p99,
    })
}

fn print(place: &str, served: &ServedCheck) -> anyhow::Result<()> {
    let ServedCheck { status, difference, n_visible, n_queries, recall, nearest_found, took } = served;
    say(&format!(
        "{place} holds {} of {} references, up to change {}.",
        status.held, status.wanted, status.revision
    ))?;
    if difference.n() == 0 {
        say(&format!("Each of {} was compared with the database; none differs.", difference.n_compared))?;
    } else {
        say(&format!(
            "Compared with the database, {} are missing, {} should not be there and {} are out of date. A running server \
             puts them right within the hour; `partsight catalog reindex` builds the index anew.",
            difference.n_missing, difference.n_extra, difference.n_stale
        ))?;
    }
    let (Some(recall), Some(nearest)) = (recall, nearest_found) else {
        return say("There are too few photographs to compare searches.");
    };
    let [median, p99] = took.map(|took| took.as_secs_f64() * 1000.0);
    say(&format!(
        "Of {n_visible} photographs, {n_queries} were searched for: recall at 10 is {:.1}% and at 1 {:.1}%, beside the exact \
         index. A search took {median:.1} ms in the median, and 99% less than {p99:.1} ms.",
        100.0 * recall,
        100.0 * nearest
    ))?;
    if *recall < LEAST_RECALL {
        say(
            "That is little. Make a new collection (`qdrant_collection`) without `qdrant_quantised`, or wait until Qdrant has \
             built its graph.",
        )?;
    }
    Ok(())
}
