use super::super::html::{Escaped, Table, interval, percent_or_nothing, put};
use crate::Evaluation;
use crate::metrics::ClassFigures;

const WIDTH: f64 = 480.0;
const LEFT: f64 = 150.0;
const RIGHT: f64 = 60.0;
const ROW: f64 = 19.0;

/// Recall of each class with its interval, the worst first.
pub(in super::super) fn classes(evaluation: &Evaluation<'_>) -> String {
    let mut classes: Vec<&ClassFigures> =
        evaluation.classes.iter().filter(|figures| figures.recall.total > 0).collect();
    let recall = |figures: &ClassFigures| figures.recall.value().unwrap_or(0.0);
    classes.sort_by(|one, two| recall(one).total_cmp(&recall(two)).then(one.class.cmp(&two.class)));
    format!("<div class=\"labels\">{}</div>{}", bars(evaluation, &classes), table(evaluation, &classes))
}

fn bars(evaluation: &Evaluation<'_>, classes: &[&ClassFigures]) -> String {
    let height = ROW.mul_add(classes.len() as f64, 24.0);
    let x_at = |share: f64| (WIDTH - LEFT - RIGHT).mul_add(share, LEFT);
    let mut svg = String::new();
    put!(
        svg,
        "<svg viewBox=\"0 0 {WIDTH} {height}\" role=\"img\" aria-labelledby=\"classes-title classes-description\">\
         <title id=\"classes-title\">Right best guesses by label</title>\
         <desc id=\"classes-description\">A bar for each label, the worst at the top: the share of its photographs \
         that got the right best guess, with its 95% interval.</desc>\n"
    );
    for tick in [0.0, 0.25, 0.5, 0.75, 1.0] {
        let x = x_at(tick);
        put!(svg, "<line class=\"grid\" x1=\"{x:.1}\" x2=\"{x:.1}\" y1=\"4\" y2=\"{:.1}\"/>", height - 18.0);
        put!(
            svg,
            "<text class=\"middle small\" x=\"{x:.1}\" y=\"{:.1}\">{:.0}%</text>",
            height - 5.0,
            tick * 100.0
        );
    }
    for (row, figures) in classes.iter().enumerate() {
        let label = evaluation.model.label(figures.class);
        let share = figures.recall;
        let [low, high] = share.interval();
        let top = ROW.mul_add(row as f64, 4.0);
        let middle = top + ROW / 2.0;
        put!(
            svg,
            "<g><title>{} right: {} of {}, interval {}</title><text class=\"end strong\" x=\"{:.1}\" y=\"{:.1}\">{}</text>\
             <rect class=\"bar-soft\" x=\"{LEFT}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\"/>\
             <line class=\"whisker\" x1=\"{:.1}\" x2=\"{:.1}\" y1=\"{middle:.1}\" y2=\"{middle:.1}\"/>\
             <circle class=\"bar\" cx=\"{:.1}\" cy=\"{middle:.1}\" r=\"3.5\"/>\
             <text x=\"{:.1}\" y=\"{:.1}\">{}/{}</text></g>\n",
            Escaped(label),
            share.count,
            share.total,
            interval([low, high]),
            LEFT - 8.0,
            middle + 4.0,
            Escaped(&shortened(label)),
            top + 3.0,
            x_at(share.value().unwrap_or(0.0)) - LEFT,
            ROW - 6.0,
            x_at(low),
            x_at(high),
            x_at(share.value().unwrap_or(0.0)),
            WIDTH - RIGHT + 10.0,
            middle + 4.0,
            share.count,
            share.total,
        );
    }
    svg.push_str("</svg>\n");
    svg
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
        caption: "Figures by label, the worst first",
        head: &["label", "photographs", "right", "recall", "95% interval", "precision"],
        numbers: &[1, 2, 3, 4, 5],
        rows: classes.iter().map(row).collect(),
    }
    .folded("The same as a table, with precision")
}

/// A label short enough for the space beside its bar.
pub(super) fn shortened(label: &str) -> String {
    const LONGEST: usize = 22;
    if label.chars().count() <= LONGEST {
        return label.to_owned();
    }
    let mut text: String = label.chars().take(LONGEST - 1).collect();
    text.push('…');
    text
}
