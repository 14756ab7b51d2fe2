use std::collections::BTreeSet;

use super::super::html::{Escaped, Table, counted, percent, put};
use super::bars::shortened;
use crate::Evaluation;
use crate::metrics::Share;

/// Side of a cell, and margin for the labels, in units of the SVG.
const CELL: f64 = 15.0;
const MARGIN: f64 = 150.0;
/// Maximum of drawn classes: those with the most errors.
const MAX_CLASSES: usize = 60;
/// Maximum length of a label in letters; longer labels are cut off.
const LONGEST: usize = 22;
/// Maximum of pairs in the table.
const MAX_PAIRS: usize = 30;

/// The confusion matrix of the classes that occur, and the most frequent confusions as a table.
pub(in super::super) fn confusion(evaluation: &Evaluation<'_>) -> String {
    let mistakes = evaluation.confusion.mistakes();
    let mut out = matrix(evaluation);
    if mistakes.is_empty() {
        out.push_str("<p class=\"quiet\">There are no errors.</p>\n");
        return out;
    }
    let n_pairs = mistakes.len();
    let rows = mistakes.iter().take(MAX_PAIRS).map(|mistake| {
        let of = evaluation.classes.iter().find(|figures| figures.class == mistake.truth);
        let share = Share { count: mistake.count, total: of.map_or(0, |figures| figures.recall.total) };
        vec![
            evaluation.model.label(mistake.truth).to_owned(),
            evaluation.model.label(mistake.guess).to_owned(),
            format!("{} of {}", share.count, share.total),
            share.value().map_or_else(String::new, percent),
        ]
    });
    let table = Table {
        caption: "Confusions",
        head: &["label", "best guess", "photographs", "share"],
        numbers: &[2, 3],
        rows: rows.collect(),
    };
    let summary = if n_pairs > MAX_PAIRS {
        format!("The {MAX_PAIRS} most frequent of {} as a table", counted(n_pairs, "confusion"))
    } else {
        "Confusions as a table".to_owned()
    };
    out.push_str(&table.folded(&summary));
    out
}

fn matrix(evaluation: &Evaluation<'_>) -> String {
    let confusion = &evaluation.confusion;
    let classes = drawn_classes(evaluation);
    let side = MARGIN + CELL * classes.len() as f64 + 8.0;
    let mut svg = String::new();
    put!(
        svg,
        "<div class=\"scroll wide\" tabindex=\"0\" role=\"region\" aria-label=\"Confusion matrix\">\
         <svg viewBox=\"0 0 {side:.0} {side:.0}\" role=\"img\" aria-labelledby=\"confusion-title confusion-description\">\
         <title id=\"confusion-title\">Confusion matrix</title><desc id=\"confusion-description\">Rows are \
         labels, columns are best guesses. The diagonal is right; every other filled cell is an error. The table below \
         lists the errors.</desc>\n"
    );
    for (index, &class) in classes.iter().enumerate() {
        let middle = CELL.mul_add(index as f64 + 0.5, MARGIN);
        let label = shortened(evaluation.model.label(class), LONGEST);
        let (edge, baseline, label) = (MARGIN - 6.0, middle + 3.5, Escaped(&label));
        put!(svg, "<text class=\"end small strong\" x=\"{edge:.1}\" y=\"{baseline:.1}\">{label}</text>");
        put!(
            svg,
            "<text class=\"small strong\" transform=\"translate({baseline:.1} {edge:.1}) rotate(-90)\">{label}</text>\n"
        );
    }
    for (row, &truth) in classes.iter().enumerate() {
        let y = CELL.mul_add(row as f64, MARGIN);
        put!(
            svg,
            "<rect class=\"empty\" x=\"{MARGIN}\" y=\"{:.1}\" width=\"{:.1}\" height=\"0.6\"/>",
            y + CELL,
            CELL * classes.len() as f64
        );
        // Only over the drawn classes, so that the shares of a row add up in the plot.
        let total: usize = classes.iter().map(|&guess| confusion.count(truth, guess)).sum();
        for (column, &guess) in classes.iter().enumerate() {
            let count = confusion.count(truth, guess);
            if count > 0 {
                let share = count as f64 / total as f64;
                put_cell(
                    &mut svg,
                    evaluation,
                    [truth, guess],
                    (count, share),
                    [CELL.mul_add(column as f64, MARGIN), y],
                );
            }
        }
    }
    svg.push_str("</svg></div>\n");
    let n_hidden = evaluation.classes.len().saturating_sub(classes.len());
    if n_hidden > 0 {
        put!(
            svg,
            "<p class=\"quiet\">The {} with the most errors; {n_hidden} others are in <code>confusion.csv</code>.</p>\n",
            counted(classes.len(), "label")
        );
    }
    svg
}

fn put_cell(
    svg: &mut String,
    evaluation: &Evaluation<'_>,
    [truth, guess]: [usize; 2],
    (count, share): (usize, f64),
    [x, y]: [f64; 2],
) {
    let [truth_label, guess_label] = [truth, guess].map(|class| evaluation.model.label(class));
    let is_right = truth == guess;
    let verb = if is_right { "right" } else { "taken for" };
    let other = if is_right { "" } else { guess_label };
    // A single error must still be visible.
    let opacity = 0.75_f64.mul_add(share, 0.25);
    put!(
        svg,
        "<g><title>{} {verb} {}: {count} ({})</title>\
         <rect class=\"cell {}\" fill-opacity=\"{opacity:.2}\" x=\"{x:.1}\" y=\"{y:.1}\" width=\"{CELL}\" height=\"{CELL}\"/>",
        Escaped(truth_label),
        Escaped(other),
        percent(share),
        if is_right { "hit" } else { "miss" },
    );
    // A longer number does not fit into the cell; the tooltip shows it.
    if count < 1000 {
        put!(
            svg,
            "<text class=\"middle tiny {}\" x=\"{:.1}\" y=\"{:.1}\">{count}</text>",
            if opacity > 0.6 { "on-dark" } else { "on-light" },
            x + CELL / 2.0,
            y + CELL / 2.0 + 3.0
        );
    }
    svg.push_str("</g>\n");
}

fn drawn_classes(evaluation: &Evaluation<'_>) -> Vec<usize> {
    if evaluation.classes.len() <= MAX_CLASSES {
        return evaluation.classes.iter().map(|figures| figures.class).collect();
    }
    let mut chosen = BTreeSet::new();
    // The classes of the most frequent confusions first, then others up to the limit.
    let by_mistakes = evaluation.confusion.mistakes().into_iter().flat_map(|one| [one.truth, one.guess]);
    for class in by_mistakes.chain(evaluation.classes.iter().map(|figures| figures.class)) {
        if chosen.len() == MAX_CLASSES {
            break;
        }
        chosen.insert(class);
    }
    // In class order, so that rows and columns match.
    chosen.into_iter().collect()
}
