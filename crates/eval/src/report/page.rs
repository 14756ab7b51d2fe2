//! The page of one model.

mod corrections;
mod duplicates;
mod galleries;
mod gate;
mod local;
mod promises;
mod rejection;
mod sets;
mod summary;

use partsight_app::PhotoDecoder;

use self::corrections::{SCRIPT, wrong_labels};
use self::duplicates::duplicates;
use self::galleries::galleries;
pub(super) use self::galleries::put_picture;
use self::gate::gate;
use self::local::local;
use self::promises::promises;
use self::rejection::{by_label, rejection};
use self::sets::sets;
use self::summary::{headline, notices, tiles};
use super::figures;
use super::html::{
    self, Escaped, Table, count_of, counted, decimals, millis, percent, percent_or_nothing, points, put,
    share,
};
use super::label_noise::label_noise;
use crate::{CascadeJudge, Evaluation, Figures};

/// Maximum of rows of a list.
const MAX_ROWS: usize = 100;

/// The name of a figure, and its formatting.
pub(super) type FigureLine = (&'static str, fn(&Figures) -> String);

/// The whole page.
pub(super) fn page(evaluation: &Evaluation<'_>, decoder: &PhotoDecoder, written_at: &str) -> String {
    let mut body = String::new();
    put!(
        body,
        "<h1>Evaluation of {}</h1>\n<p class=\"kicker\">{} · {} · {}</p>\n<p class=\"headline\">{}</p>\n",
        Escaped(&evaluation.model.name),
        Escaped(&evaluation.dataset.source().to_string_lossy()),
        counted(evaluation.photos.len(), "photograph"),
        Escaped(written_at),
        Escaped(&headline(evaluation))
    );
    body.push_str(&tiles(&evaluation.figures));
    body.push_str(&notices(evaluation));
    let sections = sections(evaluation, decoder);
    body.push_str(&navigation(&sections));
    body.push_str(&sections);
    let title = format!("{} on {}", evaluation.model.name, evaluation.dataset.source().display());
    if evaluation.wrong_labels.is_empty() {
        html::page(&title, &body)
    } else {
        html::page_with_script(&title, &body, SCRIPT)
    }
}

fn sections(evaluation: &Evaluation<'_>, decoder: &PhotoDecoder) -> String {
    let figures = &evaluation.figures;
    let mut body = String::new();
    put!(body, "<div class=\"pair lead\">\n{}{}</div>\n", accuracy(evaluation), model(evaluation));
    body.push_str(&gate(evaluation));
    if figures.n > 0 {
        body.push_str("<div class=\"pair\">\n");
        body.push_str(&calibration(evaluation));
        body.push_str(&risk(evaluation));
        body.push_str("</div>\n");
    }
    body.push_str(&local(evaluation));
    body.push_str(&promises(evaluation));
    body.push_str(&sets(evaluation));
    body.push_str(&cascade(evaluation));
    let rejection = rejection(evaluation);
    // Without rejection, the section has the whole width; otherwise both share a row.
    if rejection.is_empty() {
        body.push_str(&cost(evaluation));
    } else {
        put!(body, "<div class=\"pair\">\n{}{rejection}</div>\n", cost(evaluation));
    }
    if figures.n > 0 {
        body.push_str(&section("labels", "Accuracy by label", "The bar is the recall of a label: the share of its photographs with the right best guess. The line is the 95% Wilson interval.", &figures::classes(evaluation)));
        body.push_str(&section("confusion", "Confusion matrix", "Rows are labels, columns are best guesses; blue is right, orange is wrong. Point at a cell for its numbers.", &figures::confusion(evaluation)));
    }
    body.push_str(&by_label(evaluation));
    body.push_str(&slices(evaluation));
    body.push_str(&galleries(evaluation, decoder));
    body.push_str(&wrong_labels(evaluation, decoder));
    body.push_str("<div class=\"pair\">\n");
    body.push_str(&section("timing", "Latency", &timing_sentence(evaluation), &figures::timing(evaluation)));
    body.push_str(&duplicates(evaluation));
    body.push_str("</div>\n");
    body.push_str(&failures(evaluation));
    body
}

/// A section with its heading, a sentence on how to read it, and its content. `content` is HTML; the other texts are
/// escaped.
pub(super) fn section(id: &str, heading: &str, reading: &str, content: &str) -> String {
    format!(
        "{} aria-labelledby=\"{id}-heading\">\n<h2 id=\"{id}-heading\">{}</h2>\n\
         <p class=\"quiet\">{}</p>\n{content}</section>\n",
        section_start(id),
        Escaped(heading),
        Escaped(reading)
    )
}

fn section_start(id: &str) -> String {
    format!("<section id=\"{id}\"")
}

/// Links to the sections of `sections`, in HTML.
fn navigation(sections: &str) -> String {
    let links = [
        ("accuracy", "Accuracy"),
        ("gate", "Baseline"),
        ("calibration", "Calibration"),
        ("risk", "Risk"),
        ("local", "Coverage"),
        ("promises", "Promises"),
        ("sets", "Candidate sets"),
        ("cascade", "Cascade"),
        ("cost", "Cost"),
        ("rejection", "Rejection"),
        ("labels", "Labels"),
        ("confusion", "Confusion"),
        ("unknown-labels", "Unknown labels"),
        ("slices", "Slices"),
        ("mistakes", "Errors"),
        ("identified", "False identifications"),
        ("wrong-labels", "Labels to check"),
        ("timing", "Latency"),
        ("duplicates", "Duplicates"),
        ("errors", "Unreadable files"),
        ("model", "The model"),
    ];
    let mut out = "<nav aria-label=\"On this page\">\n".to_owned();
    for (id, name) in links {
        // Some sections depend on what was measured.
        if sections.contains(&section_start(id)) {
            put!(out, "<a href=\"#{id}\">{name}</a>\n");
        }
    }
    out.push_str("</nav>\n");
    out
}

fn accuracy(evaluation: &Evaluation<'_>) -> String {
    let mut columns = vec![("all photographs", &evaluation.figures)];
    if let Some(figures) = &evaluation.without_duplicates {
        columns.push(("without duplicates", figures));
    }
    let mut head = vec!["figure"];
    head.extend(columns.iter().map(|(name, _)| *name));
    let lines: [FigureLine; 11] = [
        ("photographs of known types", |figures| figures.n.to_string()),
        ("top-1 accuracy", |figures| share(figures.top1, figures.top1_interval)),
        ("top-3 accuracy", |figures| share(figures.top3, figures.top3_interval)),
        ("top-5 accuracy", |figures| share(figures.top5, figures.top5_interval)),
        ("macro top-1 accuracy", |figures| percent_or_nothing(figures.macro_top1)),
        ("minimum detectable difference in top-1 accuracy", |figures| points(figures.smallest_difference)),
        ("expected calibration error (ECE)", |figures| decimals(figures.ece)),
        ("ECE expected by chance", |figures| decimals(figures.ece_by_chance)),
        ("identified", |figures| count_of(figures.identified)),
        ("precision of identified", |figures| count_of(figures.identified_right)),
        ("false identification rate", |figures| count_of(figures.rejection_identified)),
    ];
    let rows = lines.iter().map(|(name, line)| {
        let mut row = vec![(*name).to_owned()];
        row.extend(columns.iter().map(|(_, figures)| line(figures)));
        row
    });
    let noise =
        label_noise(evaluation).map_or_else(String::new, |text| format!("<p>{}</p>\n", Escaped(&text)));
    let table = Table { caption: "Accuracy", head: &head, numbers: &[1, 2], rows: rows.collect() };
    section(
        "accuracy",
        "Accuracy",
        "In brackets: 95% Wilson intervals. The minimum detectable difference is the difference between two models that \
         McNemar's test at the 5% level detects with 80% power on this number of photographs, if their errors are \
         independent; it is smaller if their errors overlap.",
        &(noise + &table.html()),
    )
}

fn slices(evaluation: &Evaluation<'_>) -> String {
    let slices = &evaluation.slices;
    if slices.is_empty() {
        return String::new();
    }
    let n_worse = slices.iter().filter(|slice| slice.is_worse()).count();
    let reading = format!(
        "Top-1 accuracy of groups of at least 5 photographs, by the columns of the list and by properties of the pictures; \
         the worst first, by the upper end of the interval. Less accurate than all other photographs at a false \
         discovery rate of 5% (Fisher's exact test, Benjamini-Hochberg): {n_worse} of {}. Light is the mean luminance, 0 to 255; \
         sharpness is the variance of the Laplacian at 512 pixels on the longer side. A background is plain if at \
         most a tenth of the border differs from it; the part in the picture is the share of the area of the rectangle \
         around it, on plain backgrounds.",
        counted(slices.len(), "slice")
    );
    section("slices", "Slices", &reading, &figures::slices(evaluation))
}

fn calibration(evaluation: &Evaluation<'_>) -> String {
    let reading = "Each point is the accuracy of the answers in one range of confidence, with its 95% interval. Below the \
                   dashed line the model is overconfident.";
    section("calibration", "Calibration (reliability diagram)", reading, &figures::reliability(evaluation))
}

fn risk(evaluation: &Evaluation<'_>) -> String {
    let reading = match evaluation.selective.area() {
        Some(area) => format!(
            "Photographs of known types, the most confident first: the share of wrong answers (selective risk) against the \
             share of photographs answered (coverage). Area under the curve (AURC, lower is better): {area:.4}."
        ),
        None => String::new(),
    };
    section("risk", "Risk-coverage curve", &reading, &figures::risk_coverage(evaluation))
}

fn cost(evaluation: &Evaluation<'_>) -> String {
    let prices = evaluation.options.prices;
    let reading = format!(
        "The model answers photographs from a confidence threshold on; a vision LLM answers the rest. Assumed, not \
         measured: {} per call, {} of its answers right. The orange point is the model's own threshold.",
        prices.llm_price,
        percent(prices.llm_accuracy)
    );
    section("cost", "Accuracy against cost", &reading, &figures::cost(evaluation))
}

fn cascade(evaluation: &Evaluation<'_>) -> String {
    let Some(cascade) = &evaluation.cascade else { return String::new() };
    let judge = match &cascade.judge {
        CascadeJudge::None => "No judge was set.".to_owned(),
        CascadeJudge::Asked { host, model } => format!(
            "The judge {model} at {host} was asked about photographs that are not sure. Total cost: {:.4} dollars; without a usable answer: {}.",
            cascade.cost,
            counted(cascade.n_unanswered, "question")
        ),
        CascadeJudge::Simulated { accuracy, price } => format!(
            "The judge is a simulation: nobody was asked. Assumed: {} of its answers are right, and a call costs {price}.",
            percent(*accuracy)
        ),
    };
    let references = match cascade.n_references {
        0 => "No reference photographs were given.".to_owned(),
        n => format!("{} taught the parts.", counted(n, "reference photograph")),
    };
    let reading = format!("{references} {judge}");
    let heading = if cascade.is_simulated() { "Cascade with a simulated judge" } else { "Cascade" };
    section("cascade", heading, &reading, &figures::cascade(cascade))
}

fn timing_sentence(evaluation: &Evaluation<'_>) -> String {
    let figures = &evaluation.figures;
    format!(
        "From bytes to answer, with several photographs at a time: median {}, 95th percentile {}, 99th percentile {}.",
        millis(figures.p50_ms),
        millis(figures.p95_ms),
        millis(figures.p99_ms)
    )
}

fn failures(evaluation: &Evaluation<'_>) -> String {
    let failures = &evaluation.failures;
    if failures.is_empty() {
        return String::new();
    }
    let table = Table {
        caption: "Files that could not be read",
        head: &["file", "reason"],
        numbers: &[],
        rows: failures
            .iter()
            .take(MAX_ROWS)
            .map(|failure| vec![evaluation.dataset.shown(&failure.path), failure.reason.clone()])
            .collect(),
    };
    let reading = if failures.len() > MAX_ROWS {
        format!(
            "The first {MAX_ROWS} of {}; photos.csv has them all. They are left out of all figures.",
            failures.len()
        )
    } else {
        "They are left out of all figures.".to_owned()
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
            "Threshold of \"identified\"",
            format!(
                "confidence {:.3} and known score {:.3}",
                thresholds.identified_confidence, thresholds.identified_known_score
            ),
        ),
        ("Program", evaluation.provenance.program.clone()),
        ("Arguments", evaluation.provenance.arguments.join(" ")),
        (
            "Photographs and labels (SHA-256)",
            evaluation.provenance.data_sha256.clone().unwrap_or_else(|| "some could not be read".to_owned()),
        ),
        ("Threshold of \"not a part\"", format!("known score below {:.3}", thresholds.not_a_part_below)),
    ];
    for (name, fact) in facts {
        put!(content, "<dt>{name}</dt><dd>{}</dd>\n", Escaped(&fact));
    }
    content.push_str("</dl>\n");
    section("model", "The model", "", &content)
}
