use super::super::html::{Table, count_of, percent, percent_or_nothing};
use super::super::plot::{Axis, Plot};
use super::thin;
use crate::{Cascade, CascadePoint, CascadeStep};

/// Points of the drawn curve; more are not visible.
const DRAWN: usize = 300;
/// Rows of the curve's table.
const ROWS: usize = 21;

/// Accuracy of the model alone, with references and with the judge, against cost.
pub(in super::super) fn cascade(cascade: &Cascade) -> String {
    let value = |point: &CascadePoint| point.right.value().unwrap_or(0.0);
    let local = cascade.local.right.value().unwrap_or(0.0);
    let lowest = cascade.curve.iter().map(value).fold(local, f64::min);
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
            "Share of right best guesses: the model alone and with references cost nothing; the curve asks the {judge} \
             about more and more photographs, the least sure first."
        ),
        Axis::numbers("price of 1,000 photographs", most),
        Axis::percent("right", from, from + ((1.0 - from) / step).ceil() * step, step),
    );
    let points = thin(&cascade.curve, DRAWN);
    plot.line(points.iter().map(|point| (point.cost_per_thousand, value(point))), "line");
    plot.dot(0.0, local, "dot", &format!("the model alone: {}", count_of(cascade.local.right)));
    if let Some(step) = &cascade.with_references {
        let right = step.right;
        plot.dot(0.0, right.value().unwrap_or(0.0), "dot", &format!("with references: {}", count_of(right)));
    }
    if let (Some(step), Some(point)) = (&cascade.judged, cascade.curve.last()) {
        let text = format!("with the {judge}: {}", count_of(step.right));
        plot.dot(point.cost_per_thousand, value(point), "dot now", &text);
    }
    let steps = [
        ("the model alone".to_owned(), Some(&cascade.local)),
        ("with references".to_owned(), cascade.with_references.as_ref()),
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
        head: &["step", "right", "called identified", "right among those", "others called identified"],
        numbers: &[1, 2, 3, 4],
        rows: steps.iter().filter_map(row).collect(),
    };
    let curve = Table {
        caption: "Accuracy by number of questions",
        head: &["asked about", "price of 1,000", "right"],
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
    plot.finish()
        + &format!("<p class=\"quiet\">Asked about {} of {} ({asked}).</p>\n", cascade.n_asked, cascade.n)
        + &table.html()
        + &curve.folded("The curve as a table")
}
