use super::super::html::{Table, interval, percent_or_nothing};
use crate::Evaluation;
use crate::metrics::{ClassFigures, Share};

/// Recall of each class with its interval, the lowest first.
pub(in super::super) fn classes(evaluation: &Evaluation<'_>) -> String {
    let mut classes: Vec<&ClassFigures> =
        evaluation.classes.iter().filter(|figures| figures.recall.total > 0).collect();
    let recall = |figures: &ClassFigures| figures.recall.value().unwrap_or(0.0);
    classes.sort_by(|one, two| recall(one).total_cmp(&recall(two)).then(one.class.cmp(&two.class)));
    format!("<div class=\"labels\">{}</div>{}", bars(evaluation, &classes), table(evaluation, &classes))
}

fn bars(evaluation: &Evaluation<'_>, classes: &[&ClassFigures]) -> String {
    let rows: Vec<(&str, Share)> =
        classes.iter().map(|figures| (evaluation.model.label(figures.class), figures.recall)).collect();
    let description = "A bar for each label, the worst at the top: its recall with the 95% interval.";
    super::bars::bars("classes", "Recall by label", description, &rows)
}

fn table(evaluation: &Evaluation<'_>, classes: &[&ClassFigures]) -> String {
    let row = |figures: &&ClassFigures| {
        vec![
            evaluation.model.label(figures.class).to_owned(),
            figures.recall.total.to_string(),
            figures.recall.count.to_string(),
            percent_or_nothing(figures.recall.value()),
            interval(figures.recall.interval()),
            percent_or_nothing(figures.precision.value()),
        ]
    };
    Table {
        caption: "Recall and precision by label, the worst first",
        head: &["label", "photographs", "right", "recall", "95% interval", "precision"],
        numbers: &[1, 2, 3, 4, 5],
        rows: classes.iter().map(row).collect(),
    }
    .folded("The same as a table, with precision")
}
