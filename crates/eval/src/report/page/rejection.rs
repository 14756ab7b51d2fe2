//! Rejection of photographs of unknown types.

use super::{MAX_ROWS, section};
use crate::report::figures;
use crate::report::html::{NOTHING, Table, count_of, counted, interval, put};
use crate::{Evaluation, UnknownLabel};

/// The ROC curve; empty unless there are photographs of known and of unknown types.
pub(super) fn rejection(evaluation: &Evaluation<'_>) -> String {
    let figures = &evaluation.figures;
    let Some(area) = figures.reject_auroc else { return String::new() };
    let reading = format!(
        "ROC curve of the known score: {} of known types against {} of unknown types, AUROC {area:.3}. The orange point \
         is the model's threshold for \"identified\".",
        counted(figures.n, "photograph"),
        figures.n_rejection
    );
    section("rejection", "Rejection of unknown types (ROC curve)", &reading, &figures::rejection(evaluation))
}

/// The verdicts on each unknown label; empty without unknown labels.
pub(super) fn by_label(evaluation: &Evaluation<'_>) -> String {
    let labels = &evaluation.unknown_labels;
    if labels.is_empty() {
        return String::new();
    }
    let row = |of_label: &UnknownLabel| {
        let taken_for = of_label.taken_for;
        vec![
            of_label.label.clone(),
            of_label.identified.total.to_string(),
            count_of(of_label.identified),
            interval(of_label.identified.interval()),
            of_label.n_not_sure.to_string(),
            of_label.n_not_a_part.to_string(),
            taken_for.map_or_else(
                || NOTHING.to_owned(),
                |(guess, count)| format!("{} ({count})", evaluation.model.label(guess)),
            ),
        ]
    };
    let table = Table {
        caption: "Verdicts by unknown label, the worst first",
        head: &["label", "photographs", "identified", "95% interval", "not sure", "not a part", "taken for"],
        numbers: &[1, 2, 3, 4, 5],
        rows: labels.iter().take(MAX_ROWS).map(row).collect(),
    };
    let mut reading = "Labels that the model does not know. The worst come first, by the lower end of the 95% Wilson \
                       interval of the share identified. \"Taken for\" is the most frequent best guess, with its number \
                       of photographs, among those identified, or, if none is, among those not sure."
        .to_owned();
    if labels.len() > MAX_ROWS {
        put!(
            reading,
            " The first {MAX_ROWS} of {}; rejection.csv has them all.",
            counted(labels.len(), "label")
        );
    }
    section("unknown-labels", "Rejection by unknown label", &reading, &table.html())
}
