//! Coverage at selective risks.

use super::section;
use crate::report::html::{NOTHING, Table, percent, percent_or_nothing, put};
use crate::{Evaluation, LocalAnswers};

pub(super) fn local(evaluation: &Evaluation<'_>) -> String {
    let mut content = String::new();
    if evaluation.figures.n > 0 {
        put!(content, "<h3>Photographs of known types</h3>\n{}", local_table(&evaluation.local));
    }
    if let Some(local) = &evaluation.local_of_all {
        put!(
            content,
            "<h3>All photographs (every answer to one of an unknown type is wrong)</h3>\n{}",
            local_table(local)
        );
    }
    let reading = format!(
        "Coverage is the share of photographs that are answered, selective risk the share of these answers that are wrong. \
         Photographs with a known score below {:.3}, the threshold of \"identified\", count as not answered. The upper \
         bound is one-sided (Clopper-Pearson). The thresholds were chosen on these photographs, so expect a higher risk \
         on others.",
        evaluation.model.thresholds.identified_known_score
    );
    section("local", "Coverage at a selective risk", &reading, &content)
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
    let mut rows: Vec<_> =
        local.at_most.iter().map(|(risk, point)| row(format!("{:.0}%", risk * 100.0), *point)).collect();
    rows.push(row("thresholds of the model".to_owned(), Some(local.in_force)));
    Table {
        caption: "Coverage at a selective risk",
        head: &[
            "target risk",
            "confidence threshold",
            "coverage",
            "wrong (selective risk)",
            "95% upper bound",
        ],
        numbers: &[1, 2, 3, 4],
        rows,
    }
    .html()
}
