//! The top of the page: headline, tiles and notices.

use crate::report::html::{
    self, Escaped, count_of, counted, decimals, interval, millis, percent, percent_or_nothing, put,
};
use crate::{Evaluation, Figures};

/// The most important results, in one to three sentences.
pub(super) fn headline(evaluation: &Evaluation<'_>) -> String {
    let figures = &evaluation.figures;
    let model = format!("{} {}", evaluation.model.name, evaluation.model.version);
    let mut text = String::new();
    if let Some(top1) = figures.top1 {
        put!(
            text,
            "{model} has a top-1 accuracy of {} ({} of {}; 95% interval {}).",
            percent(top1),
            figures.n - evaluation.mistakes().len(),
            counted(figures.n, "photograph"),
            interval(figures.top1_interval)
        );
        if figures.identified.count > 0 {
            put!(
                text,
                " It identifies {}, with a precision of {}.",
                count_of(figures.identified),
                percent_or_nothing(figures.identified_right.value())
            );
        } else {
            text.push_str(" It identifies none of them.");
        }
    } else {
        put!(text, "{model} knows none of the labels of these photographs.");
    }
    if figures.n_rejection > 0 {
        let share = figures.rejection_identified;
        put!(
            text,
            " False identifications: {} of {} of unknown types{}.",
            share.count,
            counted(share.total, "photograph"),
            share.value().map_or_else(String::new, |value| format!(" ({})", percent(value)))
        );
    }
    text
}

pub(super) fn tiles(figures: &Figures) -> String {
    let known = |interval: [f64; 2]| {
        if figures.n > 0 {
            format!("95% interval {}", html::interval(interval))
        } else {
            "no photographs of known types".to_owned()
        }
    };
    let tiles = [
        ("Top-1 accuracy", percent_or_nothing(figures.top1), known(figures.top1_interval)),
        ("Top-3 accuracy", percent_or_nothing(figures.top3), known(figures.top3_interval)),
        ("Top-5 accuracy", percent_or_nothing(figures.top5), known(figures.top5_interval)),
        ("Calibration error (ECE)", decimals(figures.ece), calibration_note(figures)),
        ("Rejection (AUROC)", decimals(figures.reject_auroc), rejection_note(figures)),
        ("Latency", millis(figures.p50_ms), format!("median; 95th percentile {}", millis(figures.p95_ms))),
    ];
    let mut out = "<ul class=\"tiles\">\n".to_owned();
    for (name, value, note) in tiles {
        put!(
            out,
            "<li><span class=\"name\">{}</span><strong>{}</strong><span>{}</span></li>\n",
            Escaped(name),
            Escaped(&value),
            Escaped(&note)
        );
    }
    out.push_str("</ul>\n");
    out
}

fn calibration_note(figures: &Figures) -> String {
    match figures.ece_by_chance {
        Some(chance) => format!("15 bins; {chance:.3} expected by chance with this number of photographs"),
        None => "15 bins; 0 is perfect".to_owned(),
    }
}

fn rejection_note(figures: &Figures) -> String {
    if figures.reject_auroc.is_some() {
        "known score, known against unknown types; 1 is perfect".to_owned()
    } else {
        "needs photographs of known and of unknown types".to_owned()
    }
}

pub(super) fn notices(evaluation: &Evaluation<'_>) -> String {
    if evaluation.notices.is_empty() {
        return String::new();
    }
    let mut out =
        "<section class=\"notices\" aria-label=\"Please note\"><h2>Please note</h2><ul>\n".to_owned();
    for notice in &evaluation.notices {
        put!(out, "<li>{}</li>\n", with_code(notice));
    }
    out.push_str("</ul></section>\n");
    out
}

/// A sentence as HTML, with text between backticks as `<code>`.
fn with_code(sentence: &str) -> String {
    let mut out = String::new();
    // Every second piece is between backticks; after an unpaired backtick, the rest becomes code.
    for (index, piece) in sentence.split('`').enumerate() {
        if index % 2 == 1 {
            put!(out, "<code>{}</code>", Escaped(piece));
        } else {
            put!(out, "{}", Escaped(piece));
        }
    }
    out
}
