//! The page that sets two models side by side.

use std::path::Path;

use partsight_app::PhotoDecoder;

use super::html::{
    self, Escaped, Table, count_of, counted, decimals, millis, percent, percent_or_nothing, put, share,
};
use super::page::{FigureLine, put_picture, section};
use super::thumbnails::thumbnails;
use crate::comparison::p_value;
use crate::{Comparison, Difference, Evaluation};

/// Pictures of photographs that the models judge differently.
const MAX_PICTURES: usize = 48;

/// The whole page.
pub(super) fn page(comparison: &Comparison<'_>, decoder: &PhotoDecoder, written_at: &str) -> String {
    let [first, second] = [comparison.first, comparison.second].map(|one| comparison.name(one));
    let title = format!("{first} and {second}");
    let mut body = String::new();
    put!(
        body,
        "<h1>{}</h1>\n<p class=\"kicker\">{} · {}</p>\n<p class=\"headline\">{}</p>\n",
        Escaped(&title),
        Escaped(&comparison.first.dataset.source().to_string_lossy()),
        Escaped(written_at),
        Escaped(&comparison.verdict())
    );
    put!(
        body,
        "<nav aria-label=\"Full reports\"><a href=\"a/index.html\">Report of {}</a> <a href=\"b/index.html\">Report of {}</a></nav>\n",
        Escaped(&first),
        Escaped(&second)
    );
    body.push_str(&figures(comparison, [&first, &second]));
    body.push_str(&paired(comparison, [&first, &second]));
    body.push_str(&differences(comparison, [&first, &second], decoder));
    html::page(&title, &body)
}

fn figures(comparison: &Comparison<'_>, names: [&str; 2]) -> String {
    let lines: [FigureLine; 12] = [
        ("photographs of known labels", |figures| figures.n.to_string()),
        ("right label first (top-1)", |figures| share(figures.top1, figures.top1_interval)),
        ("among the first three (top-3)", |figures| share(figures.top3, figures.top3_interval)),
        ("among the first five (top-5)", |figures| share(figures.top5, figures.top5_interval)),
        ("top-1, each label counting the same", |figures| percent_or_nothing(figures.macro_top1)),
        ("calibration error (ECE)", |figures| decimals(figures.ece)),
        ("rejection (AUROC)", |figures| decimals(figures.reject_auroc)),
        ("called identified", |figures| count_of(figures.identified)),
        ("right among those", |figures| count_of(figures.identified_right)),
        ("other photographs called identified", |figures| count_of(figures.rejection_identified)),
        ("time, median", |figures| millis(figures.p50_ms)),
        ("time, 95% within", |figures| millis(figures.p95_ms)),
    ];
    let mut rows: Vec<Vec<String>> = lines
        .iter()
        .map(|(name, line)| {
            vec![(*name).to_owned(), line(&comparison.first.figures), line(&comparison.second.figures)]
        })
        .collect();
    let at_two_percent = |evaluation: &Evaluation<'_>| {
        let local = &evaluation.local;
        let point =
            local.at_most.iter().find(|(risk, _)| (risk - 0.02).abs() < 1e-9).and_then(|(_, point)| *point);
        point.map_or_else(|| "none".to_owned(), |point| percent(local.curve.coverage(&point)))
    };
    rows.push(vec![
        "answered locally with at most 2% wrong".to_owned(),
        at_two_percent(comparison.first),
        at_two_percent(comparison.second),
    ]);
    let table = Table {
        caption: "Figures of both models",
        head: &["figure", names[0], names[1]],
        numbers: &[1, 2],
        rows,
    };
    section(
        "figures",
        "Side by side",
        "In brackets the 95% Wilson interval of each model by itself; the paired test below tells more.",
        &table.html(),
    )
}

fn paired(comparison: &Comparison<'_>, names: [&str; 2]) -> String {
    let outcomes = &comparison.outcomes;
    let table = Table {
        caption: "Best guesses on the same photographs",
        head: &["both right", "only the first right", "only the second right", "both wrong"],
        numbers: &[],
        rows: vec![
            [outcomes.both_right, outcomes.only_first, outcomes.only_second, outcomes.both_wrong]
                .map(|count| count.to_string())
                .to_vec(),
        ],
    };
    let mut reading = format!(
        "Over {} whose label both models know. Only those that one of them got wrong tell them apart; McNemar's exact \
         test asks whether their split could be chance: p = {}.",
        counted(outcomes.total(), "photograph"),
        p_value(comparison.p_value)
    );
    if let (Some(difference), Some([low, high])) = (outcomes.difference(), comparison.interval) {
        put!(
            reading,
            " {} less {}: {:+.1} points of top-1 (95% interval {:+.1} to {:+.1}, Newcombe's paired method).",
            names[1],
            names[0],
            difference * 100.0,
            low * 100.0,
            high * 100.0
        );
    }
    section("paired", "Is the difference more than chance?", &reading, &table.html())
}

fn differences(comparison: &Comparison<'_>, names: [&str; 2], decoder: &PhotoDecoder) -> String {
    let shown = &comparison.differences[..comparison.differences.len().min(MAX_PICTURES)];
    let samples = comparison.first.dataset.samples();
    let paths: Vec<&Path> = shown.iter().map(|one| samples[one.first.sample].path.as_path()).collect();
    let mut content = "<ul class=\"gallery\">\n".to_owned();
    for (difference, picture) in shown.iter().zip(thumbnails(&paths, decoder)) {
        put_difference(&mut content, comparison, names, *difference, picture.as_deref());
    }
    content.push_str("</ul>\n");
    let n_all = comparison.differences.len();
    let reading = if n_all > shown.len() {
        format!("The first {} of {n_all}; differences.csv has them all.", shown.len())
    } else {
        format!("{} in all, also in differences.csv.", counted(n_all, "photograph"))
    };
    section("differences", "Where they differ", &reading, &content)
}

fn put_difference(
    out: &mut String,
    comparison: &Comparison<'_>,
    names: [&str; 2],
    difference: Difference<'_>,
    picture: Option<&str>,
) {
    let label = comparison.first.label(difference.first);
    out.push_str("<li>");
    put_picture(out, picture, label);
    put!(out, "<p><strong>{}</strong></p>", Escaped(label));
    let sides =
        [(comparison.first, difference.first, names[0]), (comparison.second, difference.second, names[1])];
    for (evaluation, photo, name) in sides {
        let best = photo.answer.best();
        put!(
            out,
            "<p>{}: <span class=\"{}\">{}</span>, {} sure</p>",
            Escaped(name),
            if photo.is_right() { "was" } else { "took" },
            Escaped(evaluation.model.label(best.class)),
            percent(best.confidence.into())
        );
    }
    put!(out, "<p class=\"quiet\">{}</p></li>\n", Escaped(&comparison.first.path(difference.first)));
}
