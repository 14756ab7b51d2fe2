//! Shares as horizontal bars.

use super::super::html::{Escaped, interval, put};
use crate::metrics::Share;

const WIDTH: f64 = 480.0;
const LEFT: f64 = 176.0;
const RIGHT: f64 = 60.0;
const ROW: f64 = 19.0;

/// A bar for each name, with its 95% interval. `id` is unique on the page; `title` and `description` are what a
/// screen reader says.
pub(super) fn bars(id: &str, title: &str, description: &str, rows: &[(&str, Share)]) -> String {
    let height = ROW.mul_add(rows.len() as f64, 24.0);
    let x_at = |share: f64| (WIDTH - LEFT - RIGHT).mul_add(share, LEFT);
    let mut svg = String::new();
    put!(
        svg,
        "<svg viewBox=\"0 0 {WIDTH} {height}\" role=\"img\" aria-labelledby=\"{id}-title {id}-description\">\
         <title id=\"{id}-title\">{}</title><desc id=\"{id}-description\">{}</desc>\n",
        Escaped(title),
        Escaped(description)
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
    for (row, (name, share)) in rows.iter().enumerate() {
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
            Escaped(name),
            share.count,
            share.total,
            interval([low, high]),
            LEFT - 8.0,
            middle + 4.0,
            Escaped(&shortened(name)),
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
