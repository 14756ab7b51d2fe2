//! The section on duplicates.

use partsight_app::path_text;

use super::{MAX_ROWS, section};
use crate::duplicates::MAX_DISTANCE;
use crate::report::html::{Table, counted, put};
use crate::{Evaluation, Match};

pub(super) fn duplicates(evaluation: &Evaluation<'_>) -> String {
    let duplicates = &evaluation.duplicates;
    let count =
        |side: fn(&crate::Lookalike) -> bool| duplicates.photos.iter().filter(|one| side(one)).count();
    let mut rows = vec![vec![
        "an earlier photograph of this set".to_owned(),
        evaluation.photos.len().to_string(),
        count(|one| one.earlier.is_some()).to_string(),
    ]];
    if duplicates.n_training > 0 {
        rows.push(vec![
            "the training photographs of the model".to_owned(),
            duplicates.n_training.to_string(),
            count(|one| one.training.is_some()).to_string(),
        ]);
    }
    if let Some(n_references) = duplicates.n_references() {
        rows.push(vec![
            "the reference photographs".to_owned(),
            n_references.to_string(),
            count(|one| one.reference.is_some()).to_string(),
        ]);
    }
    let summary = Table {
        caption: "Number of duplicates",
        head: &["duplicate of", "compared with", "duplicates"],
        numbers: &[1, 2],
        rows,
    };
    let mut content = summary.html();
    let listed = lookalike_rows(evaluation);
    if !listed.is_empty() {
        let table = Table {
            caption: "List of duplicates",
            head: &["photograph", "looks like", "differing bits"],
            numbers: &[2],
            rows: listed.iter().take(MAX_ROWS).cloned().collect(),
        };
        let summary = if listed.len() > MAX_ROWS {
            format!("The first {MAX_ROWS} of {}; photos.csv has them all", listed.len())
        } else {
            "List of duplicates".to_owned()
        };
        content.push_str(&table.folded(&summary));
    }
    let mut reading = format!(
        "Duplicates have perceptual fingerprints (240 bits) that differ in at most {MAX_DISTANCE} bits. Accuracy on \
         training photographs says little about new ones."
    );
    if duplicates.n_training == 0 {
        reading.push_str(" The training photographs of this model are not known.");
    }
    if duplicates.n_plain > 0 {
        put!(reading, " Too plain to compare: {}.", counted(duplicates.n_plain, "photograph"));
    }
    section("duplicates", "Duplicates", &reading, &content)
}

fn lookalike_rows(evaluation: &Evaluation<'_>) -> Vec<Vec<String>> {
    let mut rows = Vec::new();
    for (photo, lookalike) in evaluation.photos.iter().zip(&evaluation.duplicates.photos) {
        let mut add = |what: String, found: Match| {
            rows.push(vec![evaluation.path(photo), what, found.distance.to_string()]);
        };
        if let Some(found) = lookalike.earlier {
            let other = &evaluation.photos[found.index];
            let mut what = evaluation.path(other);
            if lookalike.is_same_file {
                what.push_str(" (the same file)");
            }
            // If the labels of two copies differ, one of them is wrong.
            if other.truth != photo.truth {
                put!(what, ", which is labelled {}", evaluation.label(other));
            }
            add(what, found);
        }
        if let Some(found) = lookalike.training {
            add("a training photograph of the model".to_owned(), found);
        }
        if let Some(found) = lookalike.reference {
            let path = evaluation.duplicates.reference(lookalike);
            add(path.map(|path| path_text(path).into_owned()).unwrap_or_default(), found);
        }
    }
    rows
}
