use super::super::html::{Table, count_of, percent, percent_or_nothing};
use super::super::plot::{Axis, Plot};
use super::thin;
use crate::metrics::Share;
use crate::{Cascade, CascadePoint, CascadeStep};

/// Maximum of drawn points; more are not visible.
const DRAWN: usize = 300;
/// Maximum of rows of the curve's table.
const ROWS: usize = 21;

/// Accuracy against cost: the model alone, with references, with the vehicle, and with the judge.
pub(in super::super) fn cascade(cascade: &Cascade) -> String {
    plot(cascade).finish() + &tables(cascade)
}

/// The plot of [`cascade`] as an SVG file.
pub(in super::super) fn cascade_picture(cascade: &Cascade) -> String {
    plot(cascade).finish_file()
}

fn plot(cascade: &Cascade) -> Plot<'static> {
    let value = |point: &CascadePoint| point.right.value().unwrap_or(0.0);
    let free = [
        ("the model alone", Some(&cascade.local)),
        ("with references", cascade.with_references.as_ref()),
        ("with the vehicle", cascade.with_vehicle.as_ref()),
        ("with both", cascade.together.as_ref()),
    ];
    let free = free.map(|(name, step)| (name, step.map(|step| step.right)));
    let right = |share: Share| share.value().unwrap_or(0.0);
    let lowest = free.iter().filter_map(|(_, share)| share.map(right)).fold(1.0, f64::min);
    let lowest = cascade.curve.iter().map(value).fold(lowest, f64::min);
    // The axis starts at a round number below the lowest value, so that differences of a few points are visible.
    let from = ((lowest * 10.0).floor() / 10.0).min(0.9);
    let step = if from < 0.45 {
        0.2
    } else if from < 0.75 {
        0.1
    } else {
        0.05
    };
    let most = cascade.curve.iter().map(|point| point.cost_per_thousand).fold(0.0, f64::max);
    let judge = if cascade.is_simulated() { "simulated judge" } else { "judge" };
    let mut plot = Plot::new(
        "cascade",
        "Accuracy of the cascade against cost",
        &format!(
            "Top-1 accuracy. The steps without the {judge} cost nothing; along the curve, the {judge} answers more and more \
             photographs, the least confident first."
        ),
        Axis::numbers("cost per 1,000 photographs", most),
        Axis::percent("top-1 accuracy", from, from + ((1.0 - from) / step).ceil() * step, step),
    );
    let points = thin(&cascade.curve, DRAWN);
    plot.line(points.iter().map(|point| (point.cost_per_thousand, value(point))), "line");
    let named = |name: &str, share: Share| format!("{name}: {}", count_of(share));
    let mut texts = Vec::new();
    for (name, share) in free {
        let Some(share) = share else { continue };
        plot.dot(0.0, right(share), "dot", &named(name, share));
        texts.push((right(share), named(name, share)));
    }
    plot.texts_beside(0.0, texts);
    if let (Some(step), Some(point)) = (&cascade.judged, cascade.curve.last()) {
        let text = named(&format!("with the {judge}"), step.right);
        plot.dot(point.cost_per_thousand, value(point), "dot now", &text);
        plot.texts_beside(point.cost_per_thousand, vec![(value(point), text)]);
    }
    plot
}

fn tables(cascade: &Cascade) -> String {
    let judge = if cascade.is_simulated() { "simulated judge" } else { "judge" };
    let steps = [
        ("the model alone".to_owned(), Some(&cascade.local)),
        ("the references alone".to_owned(), cascade.references_alone.as_ref()),
        ("with references".to_owned(), cascade.with_references.as_ref()),
        ("with the vehicle".to_owned(), cascade.with_vehicle.as_ref()),
        ("with both".to_owned(), cascade.together.as_ref()),
        (format!("with the {judge}"), cascade.judged.as_ref()),
    ];
    let row = |(name, step): &(String, Option<&CascadeStep>)| {
        let step = (*step)?;
        Some(vec![
            name.clone(),
            count_of(step.right),
            count_of(step.identified),
            count_of(step.identified_right),
            count_of(step.others_identified),
        ])
    };
    let table = Table {
        caption: "The steps of the cascade",
        head: &[
            "step",
            "top-1 accuracy",
            "identified",
            "precision of identified",
            "false identification rate",
        ],
        numbers: &[1, 2, 3, 4],
        rows: steps.iter().filter_map(row).collect(),
    };
    let curve = Table {
        caption: "Top-1 accuracy by number of questions to the judge",
        head: &["questions", "cost per 1,000", "top-1 accuracy"],
        numbers: &[0, 1, 2],
        rows: thin(&cascade.curve, ROWS)
            .iter()
            .map(|point| {
                vec![
                    point.asked.to_string(),
                    format!("{:.2}", point.cost_per_thousand),
                    percent_or_nothing(point.right.value()),
                ]
            })
            .collect(),
    };
    let asked = percent(cascade.n_asked as f64 / cascade.n.max(1) as f64);
    format!(
        "<p class=\"quiet\">Photographs sent to the judge: {} of {} ({asked}).</p>\n",
        cascade.n_asked, cascade.n
    ) + &table.html()
        + &curve.folded("The curve as a table")
}
