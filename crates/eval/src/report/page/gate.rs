//! The comparison with a baseline report.

use super::section;
use crate::report::html::{Escaped, NOTHING, Table, put};
use crate::{Change, Evaluation, GateVerdict};

pub(super) fn gate(evaluation: &Evaluation<'_>) -> String {
    let Some(gate) = &evaluation.gate else { return String::new() };
    let mut content = "<ul>\n".to_owned();
    for sentence in gate.sentences() {
        put!(content, "<li>{}</li>\n", Escaped(&sentence));
    }
    content.push_str("</ul>\n");
    let mut rows = vec![row("all photographs", "", &gate.overall, gate.overall.p_value)];
    rows.extend(
        gate.slices
            .iter()
            .map(|slice| row(&slice.dimension, &slice.value, &slice.change, slice.false_discovery_rate)),
    );
    let table = Table {
        caption: "Change in top-1 accuracy, the largest drop first",
        head: &[
            "dimension",
            "slice",
            "photographs",
            "right before, wrong now",
            "wrong before, right now",
            "change in points",
            "95% interval",
            "p-value",
            "false discovery rate",
            "verdict",
        ],
        numbers: &[2, 3, 4, 5, 6, 7, 8],
        rows,
    };
    content.push_str(&table.html());
    let reading = format!(
        "Both runs on the same photographs, with the labels of this run. A drop of {:.1} points is allowed. The gate fails \
         if the whole 95% interval (Newcombe's paired method) lies beyond that; for a slice, the false discovery rate \
         over all slices (Benjamini-Hochberg) must also be at most 5%.",
        gate.max_drop * 100.0
    );
    section("gate", "Comparison with the baseline", &reading, &content)
}

fn row(dimension: &str, value: &str, change: &Change, rate: f64) -> Vec<String> {
    let points = |share: f64| format!("{:+.1}", share * 100.0);
    vec![
        dimension.to_owned(),
        value.to_owned(),
        change.outcomes.total().to_string(),
        change.outcomes.only_first.to_string(),
        change.outcomes.only_second.to_string(),
        change.difference.map_or_else(|| NOTHING.to_owned(), points),
        change
            .interval
            .map_or_else(|| NOTHING.to_owned(), |[low, high]| format!("{} to {}", points(low), points(high))),
        crate::comparison::p_value(change.p_value),
        crate::comparison::p_value(rate),
        match change.verdict {
            GateVerdict::Held => "held",
            GateVerdict::CannotTell => "cannot tell",
            GateVerdict::Failed => "failed",
        }
        .to_owned(),
    ]
}
