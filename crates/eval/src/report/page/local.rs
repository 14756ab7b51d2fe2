//! How much the model can answer without asking anybody.

use super::section;
use crate::report::html::{NOTHING, Table, percent, percent_or_nothing, put};
use crate::{Evaluation, LocalAnswers};

pub(super) fn local(evaluation: &Evaluation<'_>) -> String {
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
