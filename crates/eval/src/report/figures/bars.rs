//! Shares as horizontal bars.

use super::super::html::{Escaped, interval, put};
use crate::metrics::Share;

/// Width of a full bar, in units of the SVG.
const WIDTH: f64 = 244.0;
const RIGHT: f64 = 60.0;
const ROW: f64 = 19.0;
/// Width of a letter of a name, and the gap between name and bar.
const LETTER: f64 = 7.7;
const GAP: f64 = 8.0;
/// Maximum length of a name in letters; longer names are cut off.
const LONGEST: usize = 40;
/// Minimum length for the layout, so that plots with short names have the same size.
const SHORTEST: usize = 22;

/// A bar for each name, with its 95% Wilson interval. `id` is unique on the page; `title` and `description` are for
/// screen readers.
pub(super) fn bars(id: &str, title: &str, description: &str, rows: &[(&str, Share)]) -> String {
    let height = ROW.mul_add(rows.len() as f64, 24.0);
    let letters = rows.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
    let left = LETTER.mul_add(letters.clamp(SHORTEST, LONGEST) as f64, GAP);
    let x_at = |share: f64| WIDTH.mul_add(share, left);
    let mut svg = String::new();
    put!(
        svg,
        "<svg viewBox=\"0 0 {:.0} {height}\" role=\"img\" aria-labelledby=\"{id}-title {id}-description\">\
         <title id=\"{id}-title\">{}</title><desc id=\"{id}-description\">{}</desc>\n",
        left + WIDTH + RIGHT,
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
            "<g><title>{}: {} of {}, 95% interval {}</title><text class=\"end strong\" x=\"{:.1}\" y=\"{:.1}\">{}</text>\
             <rect class=\"bar-soft\" x=\"{left:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\"/>\
             <line class=\"whisker\" x1=\"{:.1}\" x2=\"{:.1}\" y1=\"{middle:.1}\" y2=\"{middle:.1}\"/>\
             <circle class=\"bar\" cx=\"{:.1}\" cy=\"{middle:.1}\" r=\"3.5\"/>\
             <text x=\"{:.1}\" y=\"{:.1}\">{}/{}</text></g>\n",
            Escaped(name),
            share.count,
            share.total,
            interval([low, high]),
            left - GAP,
            middle + 4.0,
            Escaped(&shortened(name, LONGEST)),
            top + 3.0,
            x_at(share.value().unwrap_or(0.0)) - left,
            ROW - 6.0,
            x_at(low),
            x_at(high),
            x_at(share.value().unwrap_or(0.0)),
            x_at(1.0) + 10.0,
            middle + 4.0,
            share.count,
            share.total,
        );
    }
    svg.push_str("</svg>\n");
    svg
}

/// A label cut to at most `longest` letters.
pub(super) fn shortened(label: &str, longest: usize) -> String {
    if label.chars().count() <= longest {
        return label.to_owned();
    }
    let mut text: String = label.chars().take(longest - 1).collect();
    text.push('…');
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_has_the_room_that_it_takes() {
        let share = Share { count: 1, total: 2 };
        let of = |name: &str| bars("x", "Title", "Description", &[(name, share)]);
        assert!(of("rim").contains("viewBox=\"0 0 481 "));
        let slice = of("resolution: below 0.3 megapixels");
        assert!(
            slice.contains(">resolution: below 0.3 megapixels</text>")
                && slice.contains("viewBox=\"0 0 558 ")
        );
        assert!(of(&"a".repeat(41)).contains(&format!(">{}…</text>", "a".repeat(39))));
    }
}
