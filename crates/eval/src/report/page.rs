//! The page of one model.

use std::path::Path;

use partsight_app::PhotoLimits;

use super::figures;
use super::html::{
    self, Escaped, NOTHING, Table, count_of, counted, decimals, interval, millis, percent,
    percent_or_nothing, put, share,
};
use super::thumbnails::thumbnails;
use crate::duplicates::MAX_DISTANCE;
use crate::{Evaluation, Figures, LocalAnswers, Match, Measured};

/// Pictures in each gallery.
const MAX_PICTURES: usize = 48;
/// Rows of the lists.
const MAX_ROWS: usize = 100;

/// A figure's name, and how it is written.
pub(super) type FigureLine = (&'static str, fn(&Figures) -> String);

/// The whole page.
pub(super) fn page(evaluation: &Evaluation<'_>, limits: &PhotoLimits, written_at: &str) -> String {
    let figures = &evaluation.figures;
    let mut body = String::new();
    put!(
        body,
        "<h1>How well {} knows these photographs</h1>\n<p class=\"kicker\">{} · {} · {}</p>\n<p class=\"headline\">{}</p>\n",
        Escaped(&evaluation.model.name),
        Escaped(&evaluation.dataset.source().to_string_lossy()),
        counted(evaluation.photos.len(), "photograph"),
        Escaped(written_at),
        Escaped(&headline(evaluation))
    );
    body.push_str(&tiles(figures));
    body.push_str(&notices(evaluation));
    body.push_str(&navigation(evaluation));
    put!(body, "<div class=\"pair lead\">\n{}{}</div>\n", accuracy(evaluation), model(evaluation));
    if figures.n > 0 {
        body.push_str("<div class=\"pair\">\n");
        body.push_str(&calibration(evaluation));
        body.push_str(&risk(evaluation));
        body.push_str("</div>\n");
    }
    body.push_str(&local(evaluation));
    let rejection = rejection(evaluation);
    if rejection.is_empty() {
        body.push_str(&cost(evaluation));
    } else {
        put!(body, "<div class=\"pair\">\n{}{rejection}</div>\n", cost(evaluation));
    }
    if figures.n > 0 {
        body.push_str(&section("labels", "Label by label", "The bar is the share of right best guesses, the line its 95% interval: with few photographs it is wide, and differences mean little.", &figures::classes(evaluation)));
        body.push_str(&section("confusion", "What was taken for what", "A row for what the photographs show, a column for the best guess; blue is right, orange is a mistake. Point at a cell for its numbers.", &figures::confusion(evaluation)));
    }
    body.push_str(&galleries(evaluation, limits));
    body.push_str("<div class=\"pair\">\n");
    body.push_str(&section("timing", "Time", &timing_sentence(evaluation), &figures::timing(evaluation)));
    body.push_str(&duplicates(evaluation));
    body.push_str("</div>\n");
    body.push_str(&failures(evaluation));
    html::page(&format!("{} on {}", evaluation.model.name, evaluation.dataset.source().display()), &body)
}

/// A section with its heading, a sentence on how to read it, and its content. `content` is markup.
pub(super) fn section(id: &str, heading: &str, reading: &str, content: &str) -> String {
    format!(
        "<section id=\"{id}\" aria-labelledby=\"{id}-heading\">\n<h2 id=\"{id}-heading\">{}</h2>\n\
         <p class=\"quiet\">{}</p>\n{content}</section>\n",
        Escaped(heading),
        Escaped(reading)
    )
}

/// What there is to say in a sentence or three.
fn headline(evaluation: &Evaluation<'_>) -> String {
    let figures = &evaluation.figures;
    let model = format!("{} {}", evaluation.model.name, evaluation.model.version);
    let mut text = String::new();
    if let Some(top1) = figures.top1 {
        put!(
            text,
            "{model} puts the right label first on {} of {} ({}; 95% interval {}).",
            figures.n - evaluation.mistakes().len(),
            counted(figures.n, "photograph"),
            percent(top1),
            interval(figures.top1_interval)
        );
        if figures.identified.count > 0 {
            put!(
                text,
                " It is sure of {}, and right on {} of those.",
                count_of(figures.identified),
                percent_or_nothing(figures.identified_right.value())
            );
        } else {
            text.push_str(" It is sure of none of them.");
        }
    } else {
        put!(text, "{model} knows none of the labels here.");
    }
    if figures.n_rejection > 0 {
        let share = figures.rejection_identified;
        put!(
            text,
            " Of {} of anything else it wrongly identifies {}{}.",
            counted(share.total, "photograph"),
            share.count,
            share.value().map_or_else(String::new, |value| format!(" ({})", percent(value)))
        );
    }
    text
}

fn tiles(figures: &Figures) -> String {
    let known = |interval: [f64; 2]| {
        if figures.n > 0 {
            format!("95% interval {}", html::interval(interval))
        } else {
            "no known label".to_owned()
        }
    };
    let tiles = [
        ("Top-1", percent_or_nothing(figures.top1), known(figures.top1_interval)),
        ("Top-3", percent_or_nothing(figures.top3), known(figures.top3_interval)),
        ("Top-5", percent_or_nothing(figures.top5), known(figures.top5_interval)),
        ("Calibration error", decimals(figures.ece), "ECE, 15 bins; 0 is perfect".to_owned()),
        ("Rejection", decimals(figures.reject_auroc), rejection_note(figures)),
        ("Time", millis(figures.p50_ms), format!("median; 95% within {}", millis(figures.p95_ms))),
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

fn rejection_note(figures: &Figures) -> String {
    if figures.reject_auroc.is_some() {
        "AUROC of the known score; 1 is perfect".to_owned()
    } else {
        "AUROC; needs photographs with and without known parts".to_owned()
    }
}

fn notices(evaluation: &Evaluation<'_>) -> String {
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

/// A sentence with what stands between backticks set as code.
fn with_code(sentence: &str) -> String {
    let mut out = String::new();
    for (index, piece) in sentence.split('`').enumerate() {
        if index % 2 == 1 {
            put!(out, "<code>{}</code>", Escaped(piece));
        } else {
            put!(out, "{}", Escaped(piece));
        }
    }
    out
}

fn navigation(evaluation: &Evaluation<'_>) -> String {
    let links = [
        ("accuracy", "Accuracy", true),
        ("calibration", "Calibration", evaluation.figures.n > 0),
        ("local", "Answered locally", true),
        ("cost", "Cost", !evaluation.cost.is_empty()),
        ("rejection", "Rejection", !evaluation.rejection.is_empty()),
        ("labels", "Labels", evaluation.figures.n > 0),
        ("confusion", "Confusion", evaluation.figures.n > 0),
        ("mistakes", "Mistakes", evaluation.figures.n > 0),
        ("timing", "Time", true),
        ("duplicates", "Duplicates", true),
        ("errors", "Unreadable files", !evaluation.failures.is_empty()),
        ("model", "The model", true),
    ];
    let mut out = "<nav aria-label=\"On this page\">\n".to_owned();
    for (id, name, _) in links.iter().filter(|(_, _, is_there)| *is_there) {
        put!(out, "<a href=\"#{id}\">{name}</a>\n");
    }
    out.push_str("</nav>\n");
    out
}

fn accuracy(evaluation: &Evaluation<'_>) -> String {
    let mut columns = vec![("all photographs", &evaluation.figures)];
    if let Some(figures) = &evaluation.without_duplicates {
        columns.push(("without lookalikes", figures));
    }
    let mut head = vec!["figure"];
    head.extend(columns.iter().map(|(name, _)| *name));
    let lines: [FigureLine; 9] = [
        ("photographs of known labels", |figures| figures.n.to_string()),
        ("right label first (top-1)", |figures| share(figures.top1, figures.top1_interval)),
        ("among the first three (top-3)", |figures| share(figures.top3, figures.top3_interval)),
        ("among the first five (top-5)", |figures| share(figures.top5, figures.top5_interval)),
        ("top-1, each label counting the same", |figures| percent_or_nothing(figures.macro_top1)),
        ("calibration error (ECE)", |figures| decimals(figures.ece)),
        ("called identified", |figures| count_of(figures.identified)),
        ("right among those", |figures| count_of(figures.identified_right)),
        ("other photographs called identified", |figures| count_of(figures.rejection_identified)),
    ];
    let rows = lines.iter().map(|(name, line)| {
        let mut row = vec![(*name).to_owned()];
        row.extend(columns.iter().map(|(_, figures)| line(figures)));
        row
    });
    let table = Table { caption: "Accuracy", head: &head, numbers: &[1, 2], rows: rows.collect() };
    section(
        "accuracy",
        "Accuracy",
        "In brackets the 95% Wilson interval: with so many photographs the true figure may well lie anywhere in it.",
        &table.html(),
    )
}

fn calibration(evaluation: &Evaluation<'_>) -> String {
    let reading = "A point is the accuracy of all answers of about that confidence, its line the 95% interval. Below the \
                   dashed line the model is too sure of itself.";
    section("calibration", "Does its confidence hold?", reading, &figures::reliability(evaluation))
}

fn risk(evaluation: &Evaluation<'_>) -> String {
    let reading = match evaluation.selective.area() {
        Some(area) => format!(
            "Photographs of known labels, the surest first: the lower the curve stays, the better doubt is told from \
             knowledge. The area under it (AURC) is {area:.4}."
        ),
        None => String::new(),
    };
    section("risk", "Does it know when it is wrong?", &reading, &figures::risk_coverage(evaluation))
}

fn local(evaluation: &Evaluation<'_>) -> String {
    let mut content = String::new();
    if evaluation.figures.n > 0 {
        put!(content, "<h3>Photographs of known labels</h3>\n{}", local_table(&evaluation.local));
    }
    if let Some(local) = &evaluation.local_of_all {
        put!(
            content,
            "<h3>All photographs, where any answer to one of an unknown label is wrong</h3>\n{}",
            local_table(local)
        );
    }
    let reading = format!(
        "What the model is surest of is answered, and nothing with a known score below {:.3}, its threshold for \
         \"identified\". The bound is one-sided (Clopper-Pearson). Thresholds chosen on these very photographs \
         flatter: on others expect more mistakes.",
        evaluation.model.thresholds.identified_known_score
    );
    section("local", "How much can be answered locally?", &reading, &content)
}

fn local_table(local: &LocalAnswers) -> String {
    let row = |name: String, point: Option<crate::metrics::SelectivePoint>| match point {
        Some(point) => vec![
            name,
            format!("{:.3}", point.threshold),
            format!(
                "{} of {} ({})",
                point.answered,
                local.curve.total,
                percent(local.curve.coverage(&point))
            ),
            format!("{} ({})", point.wrong, percent_or_nothing(point.risk().value())),
            percent(point.risk().upper_bound()),
        ],
        None => vec![name, NOTHING.to_owned(), "none".to_owned(), NOTHING.to_owned(), NOTHING.to_owned()],
    };
    let mut rows: Vec<_> = local
        .at_most
        .iter()
        .map(|(risk, point)| row(format!("at most {:.0}% wrong", risk * 100.0), *point))
        .collect();
    rows.push(row("the model's own thresholds".to_owned(), Some(local.in_force)));
    Table {
        caption: "Answers without asking anybody",
        head: &["wanted", "confidence from", "answered locally", "wrong", "95% upper bound"],
        numbers: &[1, 2, 3, 4],
        rows,
    }
    .html()
}

fn cost(evaluation: &Evaluation<'_>) -> String {
    let prices = evaluation.options.prices;
    let reading = format!(
        "What the model is not sure of goes to a vision LLM. Assumed, not measured: {} for a call, {} of its answers \
         right. The orange point is the model's own threshold.",
        prices.llm_price,
        percent(prices.llm_accuracy)
    );
    section("cost", "What does more accuracy cost?", &reading, &figures::cost(evaluation))
}

fn rejection(evaluation: &Evaluation<'_>) -> String {
    let figures = &evaluation.figures;
    let Some(area) = figures.reject_auroc else { return String::new() };
    let reading = format!(
        "{} of known labels against {} of anything else. The area under the curve (AUROC) is {area:.3}; the orange \
         point is the model's threshold for \"identified\".",
        counted(figures.n, "photograph"),
        figures.n_rejection
    );
    section("rejection", "Does it notice what it does not know?", &reading, &figures::rejection(evaluation))
}

fn timing_sentence(evaluation: &Evaluation<'_>) -> String {
    let figures = &evaluation.figures;
    format!(
        "From bytes to answer, as measured here with several photographs at a time: half within {}, 95% within {}, \
         99% within {}.",
        millis(figures.p50_ms),
        millis(figures.p95_ms),
        millis(figures.p99_ms)
    )
}

fn galleries(evaluation: &Evaluation<'_>, limits: &PhotoLimits) -> String {
    let mut out = String::new();
    let mistakes = evaluation.mistakes();
    if evaluation.figures.n > 0 {
        let content = gallery(evaluation, &mistakes, limits);
        let reading = shown_of(mistakes.len(), "mistake", "The surest mistakes come first.");
        out.push_str(&section("mistakes", "The worst mistakes", &reading, &content));
    }
    let wrong = evaluation.false_identifications();
    if !wrong.is_empty() {
        let content = gallery(evaluation, &wrong, limits);
        let reading = shown_of(
            wrong.len(),
            "photograph",
            "Of labels that the model does not know, and yet called identified.",
        );
        out.push_str(&section(
            "identified",
            "Identified, though it is none of its parts",
            &reading,
            &content,
        ));
    }
    out
}

fn shown_of(count: usize, noun: &str, sentence: &str) -> String {
    if count > MAX_PICTURES {
        format!("{sentence} The first {MAX_PICTURES} of {count}; photos.csv has them all.")
    } else if count == 0 {
        "There is none.".to_owned()
    } else {
        format!("{sentence} {} in all.", counted(count, noun))
    }
}

fn gallery(evaluation: &Evaluation<'_>, photos: &[&Measured], limits: &PhotoLimits) -> String {
    let photos = &photos[..photos.len().min(MAX_PICTURES)];
    let paths: Vec<&Path> =
        photos.iter().map(|photo| evaluation.dataset.samples()[photo.sample].path.as_path()).collect();
    let mut out = "<ul class=\"gallery\">\n".to_owned();
    for (photo, picture) in photos.iter().zip(thumbnails(&paths, limits)) {
        let (label, path) = (evaluation.label(photo), evaluation.path(photo));
        let best = photo.answer.best();
        out.push_str("<li>");
        put_picture(&mut out, picture.as_deref(), label);
        put!(
            out,
            "<p><span class=\"was\">{}</span> taken for <span class=\"took\">{}</span>, {} sure</p><p class=\"quiet\">{}</p></li>\n",
            Escaped(label),
            Escaped(evaluation.model.label(best.class)),
            percent(best.confidence.into()),
            Escaped(&path)
        );
    }
    out.push_str("</ul>\n");
    out
}

/// A thumbnail, or a note in its place.
pub(super) fn put_picture(out: &mut String, picture: Option<&str>, label: &str) {
    match picture {
        Some(picture) => put!(
            out,
            "<img src=\"{picture}\" alt=\"Photograph labelled {}\" loading=\"lazy\">",
            Escaped(label)
        ),
        None => out.push_str("<span class=\"no-picture\">no longer readable</span>"),
    }
}

fn duplicates(evaluation: &Evaluation<'_>) -> String {
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
            "the photographs that the model learnt from".to_owned(),
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
        caption: "Photographs that look like another",
        head: &["look like one of", "compared with", "photographs"],
        numbers: &[1, 2],
        rows,
    };
    let mut content = summary.html();
    let listed = lookalike_rows(evaluation);
    if !listed.is_empty() {
        let table = Table {
            caption: "Lookalikes",
            head: &["photograph", "looks like", "differing bits"],
            numbers: &[2],
            rows: listed.iter().take(MAX_ROWS).cloned().collect(),
        };
        let summary = if listed.len() > MAX_ROWS {
            format!("The first {MAX_ROWS} of {}; photos.csv has them all", listed.len())
        } else {
            "Which they are".to_owned()
        };
        content.push_str(&table.folded(&summary));
    }
    let mut reading = format!(
        "Found by a fingerprint of 240 bits, of which copies differ in {MAX_DISTANCE} at most. Accuracy on a photograph \
         that the model has learnt from proves little."
    );
    if duplicates.n_training == 0 {
        reading.push_str(" This model does not say which photographs it learnt from.");
    }
    if duplicates.n_plain > 0 {
        put!(reading, " {} too plain to compare.", counted(duplicates.n_plain, "photograph"));
    }
    section("duplicates", "Copies and lookalikes", &reading, &content)
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
            if other.truth != photo.truth {
                put!(what, ", which is labelled {}", evaluation.label(other));
            }
            add(what, found);
        }
        if let Some(found) = lookalike.training {
            add("a photograph that the model learnt from".to_owned(), found);
        }
        if let Some(found) = lookalike.reference {
            let path = evaluation.duplicates.reference(lookalike);
            add(path.map(|path| path.display().to_string()).unwrap_or_default(), found);
        }
    }
    rows
}

fn failures(evaluation: &Evaluation<'_>) -> String {
    let failures = &evaluation.failures;
    if failures.is_empty() {
        return String::new();
    }
    let table = Table {
        caption: "Files that could not be read",
        head: &["file", "why"],
        numbers: &[],
        rows: failures
            .iter()
            .take(MAX_ROWS)
            .map(|failure| vec![evaluation.dataset.shown(&failure.path), failure.reason.clone()])
            .collect(),
    };
    let reading = if failures.len() > MAX_ROWS {
        format!("The first {MAX_ROWS} of {}; photos.csv has them all. No figure counts them.", failures.len())
    } else {
        "No figure counts them.".to_owned()
    };
    section("errors", "Files that could not be read", &reading, &table.html())
}

fn model(evaluation: &Evaluation<'_>) -> String {
    let model = evaluation.model;
    let mut content = "<dl>\n".to_owned();
    let thresholds = &model.thresholds;
    let facts = [
        ("Model", format!("{} {}", model.name, model.version)),
        ("Labels", model.labels.len().to_string()),
        ("Runs on", model.provider.clone()),
        ("File (SHA-256)", model.sha256.clone()),
        (
            "Identified from",
            format!(
                "confidence {:.3} and known score {:.3}",
                thresholds.identified_confidence, thresholds.identified_known_score
            ),
        ),
        ("Not a part below", format!("known score {:.3}", thresholds.not_a_part_below)),
    ];
    for (name, fact) in facts {
        put!(content, "<dt>{name}</dt><dd>{}</dd>\n", Escaped(&fact));
    }
    content.push_str("</dl>\n");
    section("model", "The model", "", &content)
}
