use std::fmt::Write as _;

use partsight_eval::metrics::{SelectivePoint, Share};
use partsight_eval::{
    Cascade, CascadeJudge, Comparison, Evaluation, Figures, LocalAnswers, comparison_rows, counted,
    label_noise, promise_sentence,
};

use crate::text_table::TextTable;

/// Shown for an undefined figure.
const NOTHING: &str = "-";
/// Maximum of weak slices shown; the report lists all.
const NAMED_SLICES: usize = 3;

/// The figures of one model as text.
pub(super) fn summary(evaluation: &Evaluation<'_>) -> String {
    let mut head = vec!["", "all photographs", "95% interval"];
    let without = evaluation.without_duplicates.as_ref();
    if without.is_some() {
        head.push("without duplicates");
    }
    let mut table = table(&head);
    for (name, value, interval) in lines() {
        let mut row = vec![
            name.to_owned(),
            value(&evaluation.figures),
            interval(&evaluation.figures).unwrap_or_default(),
        ];
        row.extend(without.map(value));
        table.add_row(row);
    }
    let all = evaluation.local_of_all.as_ref();
    let local = [(&evaluation.local, if all.is_some() { ", known types" } else { "" })];
    for (answers, of) in local.into_iter().chain(all.map(|all| (all, ", all photographs"))) {
        for (risk, point) in &answers.at_most {
            let name = format!("coverage at {:.0}% selective risk{of}", risk * 100.0);
            table.add_row(local_row(answers, name, point.as_ref()));
        }
    }
    let model = evaluation.model;
    format!(
        "{} {} on {}, {}\n\n{table}\n{}{}{}",
        model.name,
        model.version,
        model.provider,
        evaluation.dataset.source().display(),
        lookalikes(evaluation),
        remarks(evaluation),
        evaluation.cascade.as_ref().map(cascade).unwrap_or_default()
    )
}

/// Remarks on the baseline, slices and labels, one sentence per line.
fn remarks(evaluation: &Evaluation<'_>) -> String {
    let mut sentences = Vec::new();
    for slice in evaluation.slices.iter().filter(|slice| slice.is_worse()).take(NAMED_SLICES) {
        sentences.push(format!(
            "Weak slice, {} = {}: top-1 accuracy {}; all other photographs: {}.",
            slice.dimension,
            slice.value,
            share(slice.right),
            percent(slice.others.value())
        ));
    }
    sentences.extend(
        label_noise(evaluation).map(|noise| format!("{noise} --wrong-labels lists what to look at.")),
    );
    sentences
        .extend(evaluation.promises.iter().map(|check| format!("Promise, {}.", promise_sentence(check))));
    if let Some(gate) = &evaluation.gate {
        sentences.extend(gate.sentences().into_iter().map(|sentence| format!("Baseline: {sentence}.")));
    }
    sentences.iter().fold(String::new(), |text, sentence| format!("{text}\n{sentence}"))
}

/// The steps of the cascade.
fn cascade(cascade: &Cascade) -> String {
    let judge = match &cascade.judge {
        CascadeJudge::Simulated { accuracy, .. } => format!("with a SIMULATED judge of {accuracy}"),
        CascadeJudge::Asked { model, .. } => format!("with the judge {model}"),
        CascadeJudge::None => "with the judge".to_owned(),
    };
    let steps = [
        ("the model alone".to_owned(), Some(&cascade.local)),
        (format!("{} references alone", cascade.n_references), cascade.references_alone.as_ref()),
        ("with the references".to_owned(), cascade.with_references.as_ref()),
        (
            format!("with the vehicle, a {}", cascade.vehicle.as_deref().unwrap_or_default()),
            cascade.with_vehicle.as_ref(),
        ),
        ("with both".to_owned(), cascade.together.as_ref()),
        (judge, cascade.judged.as_ref()),
    ];
    let mut table =
        table(&["cascade step", "top-1 accuracy", "identified", "precision of identified", "cost per 1,000"]);
    let share = |share: Share| percent(share.value());
    for (index, (name, step)) in steps.iter().enumerate() {
        let Some(step) = step else { continue };
        // Only the last step asks a judge; the others run on this machine.
        let price = if index + 1 < steps.len() {
            0.0
        } else {
            cascade.curve.last().map_or(0.0, |p| p.cost_per_thousand)
        };
        table.add_row([
            name.clone(),
            share(step.right),
            share(step.identified),
            share(step.identified_right),
            format!("{price:.2}"),
        ]);
    }
    format!(
        "\n\n{table}\nNot sure: {} of {} photographs; sent to the judge: {}.",
        cascade.n_unsure, cascade.n, cascade.n_asked
    )
}

/// The figures of several models side by side, and the paired tests.
pub(super) fn comparison(comparison: &Comparison<'_>) -> String {
    let mut head = vec![""];
    head.extend(comparison.names.iter().map(String::as_str));
    let mut table = table(&head);
    for (name, cells) in comparison_rows(comparison) {
        table.add_row(std::iter::once(name.to_owned()).chain(cells));
    }
    let mut text = format!("{table}\n\n{}\n", comparison.remark());
    let verdicts = comparison.verdicts();
    for ((_, name, pair), verdict) in comparison.others().zip(&verdicts) {
        let outcomes = &pair.outcomes;
        let _ = write!(
            text,
            "\n{verdict}\nPhotographs that only {} gets right: {}; only {name}: {}; both: {}; neither: {}.",
            comparison.names[0],
            outcomes.only_first,
            outcomes.only_second,
            outcomes.both_right,
            outcomes.both_wrong,
        );
    }
    text
}

type Line = (&'static str, fn(&Figures) -> String, fn(&Figures) -> Option<String>);

fn lines() -> [Line; 13] {
    [
        ("photographs of known types", |figures| figures.n.to_string(), |_| None),
        ("top-1 accuracy", |figures| percent(figures.top1), |f| interval(f.n, f.top1_interval)),
        ("top-3 accuracy", |figures| percent(figures.top3), |f| interval(f.n, f.top3_interval)),
        ("top-5 accuracy", |figures| percent(figures.top5), |f| interval(f.n, f.top5_interval)),
        (
            "minimum detectable difference in top-1 accuracy",
            |figures| {
                figures.smallest_difference.map_or_else(
                    || NOTHING.to_owned(),
                    |difference| format!("{:.1} points", difference * 100.0),
                )
            },
            |_| None,
        ),
        ("macro top-1 accuracy", |figures| percent(figures.macro_top1), |_| None),
        (
            "expected calibration error (ECE)",
            |figures| decimals(figures.ece),
            |f| f.ece_by_chance.map(|chance| format!("{chance:.3} expected by chance")),
        ),
        ("identified", |figures| share(figures.identified), |f| share_interval(f.identified)),
        (
            "precision of identified",
            |figures| share(figures.identified_right),
            |f| share_interval(f.identified_right),
        ),
        ("photographs of unknown types", |figures| figures.n_rejection.to_string(), |_| None),
        (
            "false identification rate",
            |figures| share(figures.rejection_identified),
            |f| share_interval(f.rejection_identified),
        ),
        ("AUROC, known against unknown", |figures| decimals(figures.reject_auroc), |_| None),
        (
            "latency, median / 95th percentile",
            |figures| format!("{} / {}", millis(figures.p50_ms), millis(figures.p95_ms)),
            |_| None,
        ),
    ]
}

fn local_row(answers: &LocalAnswers, name: String, point: Option<&SelectivePoint>) -> [String; 3] {
    match point {
        Some(point) => [
            name,
            percent(Some(answers.curve.coverage(point))),
            format!("at confidence {:.3} or more", point.threshold),
        ],
        None => [name, "none".to_owned(), String::new()],
    }
}

fn lookalikes(evaluation: &Evaluation<'_>) -> String {
    let photos = &evaluation.duplicates.photos;
    let mut sentences = Vec::new();
    let n_copies = photos.iter().filter(|one| one.earlier.is_some()).count();
    if n_copies > 0 {
        let look = if n_copies == 1 { "looks" } else { "look" };
        sentences.push(format!(
            "{} {look} like an earlier photograph of this set.",
            counted(n_copies, "photograph")
        ));
    }
    let n_training = photos.iter().filter(|one| one.training.is_some()).count();
    if n_training > 0 {
        sentences.push(format!(
            "{} probably used to train the model, so their accuracy says little about new photographs.",
            if n_training == 1 { "1 was".to_owned() } else { format!("{n_training} were") }
        ));
    }
    let n_references = photos.iter().filter(|one| one.reference.is_some()).count();
    if n_references > 0 {
        let look = if n_references == 1 { "looks" } else { "look" };
        sentences.push(format!("{n_references} {look} like a reference photograph."));
    }
    if sentences.is_empty() { String::new() } else { format!("\n{}", sentences.join(" ")) }
}

/// A table whose figures are right-aligned.
fn table(head: &[&str]) -> TextTable {
    TextTable::new(head).right(1..head.len())
}

fn percent(value: Option<f64>) -> String {
    value.map_or_else(|| NOTHING.to_owned(), |value| format!("{:.1}%", value * 100.0))
}

fn decimals(value: Option<f64>) -> String {
    value.map_or_else(|| NOTHING.to_owned(), |value| format!("{value:.3}"))
}

fn millis(value: Option<f32>) -> String {
    value.map_or_else(|| NOTHING.to_owned(), |value| format!("{value:.1} ms"))
}

fn interval(n: usize, [low, high]: [f64; 2]) -> Option<String> {
    (n > 0).then(|| format!("{} to {}", percent(Some(low)), percent(Some(high))))
}

fn share(share: Share) -> String {
    match share.value() {
        Some(_) => format!("{} of {}, {}", share.count, share.total, percent(share.value())),
        None => NOTHING.to_owned(),
    }
}

fn share_interval(share: Share) -> Option<String> {
    interval(share.total, share.interval())
}
