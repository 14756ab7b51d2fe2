//! Coverage of the candidate sets.

use super::section;
use crate::Evaluation;
use crate::metrics::SetFigures;
use crate::report::html::{Table, counted, decimals, percent, put, share};

/// Maximum of labels listed, those with the lowest coverage.
const WORST: usize = 10;

/// Empty for a model without candidate sets, or if no answer has one.
pub(super) fn sets(evaluation: &Evaluation<'_>) -> String {
    let Some((rule, coverage)) = evaluation.sets() else { return String::new() };
    if coverage.overall.held.total == 0 {
        return String::new();
    }
    let row = |name: String, figures: &SetFigures| {
        let SetFigures { held, .. } = figures;
        let size = decimals(figures.mean_size());
        vec![name, held.total.to_string(), share(held.value(), held.interval()), size]
    };
    let mut rows = vec![row("all".to_owned(), &coverage.overall)];
    let worst = coverage.classes.iter().take(WORST);
    rows.extend(worst.map(|(class, figures)| row(evaluation.model.label(*class).to_owned(), figures)));
    let table = Table {
        caption: "Coverage of candidate sets, and the labels with the lowest coverage",
        head: &["label", "sets", "coverage", "mean size"],
        numbers: &[1, 2, 3],
        rows,
    };
    let mut content = table.html();
    if coverage.without > 0 {
        put!(
            content,
            "<p>No set, because it would be too large: {}.</p>\n",
            counted(coverage.without, "photograph")
        );
    }
    let reading = format!(
        "Coverage is the share of candidate sets that contain the right label, over photographs of known types whose \
         verdict is \"not sure\". The model guarantees at least {} on average, for photographs like those that its \
         threshold was chosen on.",
        percent(rule.coverage)
    );
    section("sets", "Coverage of candidate sets", &reading, &content)
}
