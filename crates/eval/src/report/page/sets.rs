//! How far candidate sets can be relied on.

use super::section;
use crate::Evaluation;
use crate::metrics::SetFigures;
use crate::report::html::{Table, counted, decimals, percent, put, share};

/// Labels with the lowest coverage that are listed.
const WORST: usize = 10;

/// Nothing for a model without candidate sets, and where no answer has one.
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
        caption: "Candidate sets, and the labels whose sets hold them least often",
        head: &["photographs of", "sets", "hold the right label", "mean size"],
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
        "Photographs of known labels whose answer is not sure. The model promises that a set holds the right label at \
         least {} of the time, on average over photographs like those that its threshold was chosen on.",
        percent(rule.coverage)
    );
    section("sets", "Which few labels is it one of?", &reading, &content)
}
