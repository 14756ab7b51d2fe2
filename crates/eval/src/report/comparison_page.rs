//! The page that compares several models.

use std::path::Path;

use partsight_app::PhotoDecoder;

use super::comparison_rows::comparison_rows;
use super::html::{self, Escaped, Table, counted, percent, put};
use super::page::{put_picture, section};
use super::thumbnails::{SIDE, thumbnails};
use crate::comparison::letter;
use crate::{Comparison, Difference, Truth};

/// Maximum of pictures of discordant photographs.
const MAX_PICTURES: usize = 48;

/// The whole page.
pub(super) fn page(comparison: &Comparison<'_>, decoder: &PhotoDecoder, written_at: &str) -> String {
    let title = match comparison.names.split_last() {
        Some((last, others)) if !others.is_empty() => format!("{} and {last}", others.join(", ")),
        _ => comparison.names.join(""),
    };
    let mut body = String::new();
    put!(
        body,
        "<h1>{}</h1>\n<p class=\"kicker\">{} · {}</p>\n",
        Escaped(&title),
        Escaped(&comparison.first().dataset.source().to_string_lossy()),
        Escaped(written_at),
    );
    for verdict in comparison.verdicts() {
        put!(body, "<p class=\"headline\">{}</p>\n", Escaped(&verdict));
    }
    body.push_str("<nav aria-label=\"Full reports\">");
    for (index, name) in comparison.names.iter().enumerate() {
        put!(body, "<a href=\"{}/index.html\">Report of {}</a> ", letter(index), Escaped(name));
    }
    body.push_str("</nav>\n");
    body.push_str(&figures(comparison));
    body.push_str(&paired(comparison));
    body.push_str(&differences(comparison, decoder));
    html::page(&title, &body)
}

fn figures(comparison: &Comparison<'_>) -> String {
    let mut head = vec!["figure"];
    head.extend(comparison.names.iter().map(String::as_str));
    let numbers: Vec<usize> = (1..head.len()).collect();
    let rows = comparison_rows(comparison).into_iter().map(|(name, cells)| {
        let mut row = vec![name.to_owned()];
        row.extend(cells);
        row
    });
    let table = Table { caption: "Figures by model", head: &head, numbers: &numbers, rows: rows.collect() };
    let reading = format!(
        "In brackets: 95% intervals of each model by itself (Wilson for accuracies, Zou, Huang and Zhang for macro top-1 \
         accuracy, bootstrap for ECE and coverage, Newcombe for AUROC, binomial ranks for the median). Judge two models \
         by their paired difference, not by whether their intervals overlap. {}",
        comparison.remark()
    );
    section("figures", "Figures", &reading, &table.html())
}

fn paired(comparison: &Comparison<'_>) -> String {
    let first = &comparison.names[0];
    let rows = comparison.others().map(|(_, name, pair)| {
        let outcomes = &pair.outcomes;
        let counts = [outcomes.both_right, outcomes.only_first, outcomes.only_second, outcomes.both_wrong];
        std::iter::once(name.to_owned()).chain(counts.map(|count| count.to_string())).collect()
    });
    let only_first = format!("only {first} right");
    let table = Table {
        caption: "Paired outcomes of the best guesses",
        head: &["model", "both right", &only_first, "only this model right", "both wrong"],
        numbers: &[1, 2, 3, 4],
        rows: rows.collect(),
    };
    let reading = format!(
        "Each model against {first} on the same photographs. McNemar's exact test uses the discordant pairs: photographs \
         that only one of the two models gets right. The interval of the difference is Newcombe's for paired data.",
    );
    section("paired", "Paired comparison (McNemar's test)", &reading, &table.html())
}

fn differences(comparison: &Comparison<'_>, decoder: &PhotoDecoder) -> String {
    let shown = &comparison.differences[..comparison.differences.len().min(MAX_PICTURES)];
    let samples = comparison.first().dataset.samples();
    let paths: Vec<&Path> = shown.iter().map(|one| samples[one.first.sample].path.as_path()).collect();
    let mut content = "<ul class=\"gallery\">\n".to_owned();
    for (difference, picture) in shown.iter().zip(thumbnails(&paths, decoder, SIDE)) {
        put_difference(&mut content, comparison, difference, picture.as_deref());
    }
    content.push_str("</ul>\n");
    let n_all = comparison.differences.len();
    let reading = if n_all > shown.len() {
        format!("The first {} of {n_all}; differences.csv has them all.", shown.len())
    } else {
        format!("{} in all, also in differences.csv.", counted(n_all, "photograph"))
    };
    section("differences", "Discordant photographs", &reading, &content)
}

fn put_difference(
    out: &mut String,
    comparison: &Comparison<'_>,
    difference: &Difference<'_>,
    picture: Option<&str>,
) {
    let label = comparison.first().label(difference.first);
    out.push_str("<li>");
    put_picture(out, picture, label);
    put!(out, "<p><strong>{}</strong></p>", Escaped(label));
    let answers = std::iter::once(Some(difference.first)).chain(difference.others.iter().copied());
    for ((evaluation, name), photo) in comparison.evaluations.iter().zip(&comparison.names).zip(answers) {
        // A model that could not read the photograph has no answer.
        let Some(photo) = photo else { continue };
        let best = photo.answer.best();
        put!(
            out,
            "<p>{}: <span class=\"{}\">{}</span>, confidence {}{}</p>",
            Escaped(name),
            if photo.is_right() { "was" } else { "took" },
            Escaped(evaluation.model.label(best.class)),
            percent(best.confidence.into()),
            if photo.truth == Truth::NotKnown { "; label unknown to this model" } else { "" }
        );
    }
    put!(out, "<p class=\"quiet\">{}</p></li>\n", Escaped(&comparison.first().path(difference.first)));
}
