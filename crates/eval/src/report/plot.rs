//! A plot with two axes, as inline SVG.

use super::html::{Escaped, put};

/// Size of the drawing in its own units; the page scales it. Small, so that the text is readable on a phone.
const WIDTH: f64 = 480.0;
const HEIGHT: f64 = 320.0;
const LEFT: f64 = 52.0;
const RIGHT: f64 = 22.0;
const TOP: f64 = 12.0;
const BOTTOM: f64 = 46.0;
/// Line height of small text.
const LINE: f64 = 12.0;

/// One axis.
pub(super) struct Axis<'a> {
    /// Its title.
    pub(super) name: &'a str,
    /// Value at its start.
    pub(super) from: f64,
    /// Value at its end; must differ from `from`.
    pub(super) to: f64,
    /// Tick values with their labels.
    pub(super) ticks: Vec<(f64, String)>,
}

impl<'a> Axis<'a> {
    /// Shares from `from` to `to`, with a tick every `step`.
    pub(super) fn percent(name: &'a str, from: f64, to: f64, step: f64) -> Self {
        let n_ticks = ((to - from) / step).round() as u32;
        let tick = |index: u32| {
            let value = step.mul_add(f64::from(index), from);
            // Steps below 1% need a decimal.
            let text =
                if step < 0.01 { format!("{:.1}%", value * 100.0) } else { format!("{:.0}%", value * 100.0) };
            (value, text)
        };
        Self { name, from, to, ticks: (0..=n_ticks).map(tick).collect() }
    }

    /// Numbers from 0 to at least `to`, in four to eight steps of a round number.
    pub(super) fn numbers(name: &'a str, to: f64) -> Self {
        let to = if to > 0.0 { to } else { 1.0 };
        // Round steps: 1, 2 or 5 times a power of ten.
        let magnitude = 10.0_f64.powf((to / 4.0).log10().floor());
        let step = [1.0, 2.0, 5.0, 10.0]
            .into_iter()
            .map(|factor| factor * magnitude)
            .find(|step| to / step <= 8.0)
            .unwrap_or(to);
        let n_ticks = (to / step).ceil() as u32;
        let decimals = usize::try_from(-(step.log10().floor() as i32)).unwrap_or(0);
        let tick = |index: u32| {
            let value = step * f64::from(index);
            (value, format!("{value:.decimals$}"))
        };
        Self { name, from: 0.0, to: step * f64::from(n_ticks), ticks: (0..=n_ticks).map(tick).collect() }
    }
}

/// A plot under construction.
pub(super) struct Plot<'a> {
    svg: String,
    x: Axis<'a>,
    y: Axis<'a>,
}

impl<'a> Plot<'a> {
    /// Draws grid and axes. `id` is unique on the page; `title` and `description` are for screen readers.
    pub(super) fn new(id: &str, title: &str, description: &str, x: Axis<'a>, y: Axis<'a>) -> Self {
        let mut svg = String::new();
        put!(
            svg,
            "<svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-labelledby=\"{id}-title {id}-description\">\
             <title id=\"{id}-title\">{}</title><desc id=\"{id}-description\">{}</desc>\n",
            Escaped(title),
            Escaped(description)
        );
        let mut plot = Self { svg, x, y };
        plot.draw_axes();
        plot
    }

    fn draw_axes(&mut self) {
        let (left, right, top, bottom) = (LEFT, WIDTH - RIGHT, TOP, HEIGHT - BOTTOM);
        for (value, text) in &self.y.ticks {
            let y = self.y_at(*value);
            put!(self.svg, "<line class=\"grid\" x1=\"{left}\" x2=\"{right}\" y1=\"{y:.1}\" y2=\"{y:.1}\"/>");
            put!(
                self.svg,
                "<text class=\"end\" x=\"{:.1}\" y=\"{:.1}\">{}</text>",
                left - 6.0,
                y + 4.0,
                Escaped(text)
            );
        }
        for (value, text) in &self.x.ticks {
            let x = self.x_at(*value);
            put!(self.svg, "<line class=\"grid\" x1=\"{x:.1}\" x2=\"{x:.1}\" y1=\"{top}\" y2=\"{bottom}\"/>");
            put!(
                self.svg,
                "<text class=\"middle\" x=\"{x:.1}\" y=\"{:.1}\">{}</text>",
                bottom + 16.0,
                Escaped(text)
            );
        }
        put!(self.svg, "<line class=\"axis\" x1=\"{left}\" x2=\"{right}\" y1=\"{bottom}\" y2=\"{bottom}\"/>");
        put!(
            self.svg,
            "<text class=\"middle strong\" x=\"{:.1}\" y=\"{:.1}\">{}</text>",
            f64::midpoint(left, right),
            HEIGHT - 8.0,
            Escaped(self.x.name)
        );
        put!(
            self.svg,
            "<text class=\"middle strong\" transform=\"translate(12 {:.1}) rotate(-90)\">{}</text>\n",
            f64::midpoint(top, bottom),
            Escaped(self.y.name)
        );
    }

    fn x_at(&self, value: f64) -> f64 {
        let share = ((value - self.x.from) / (self.x.to - self.x.from)).clamp(0.0, 1.0);
        (WIDTH - LEFT - RIGHT).mul_add(share, LEFT)
    }

    fn y_at(&self, value: f64) -> f64 {
        let share = ((value - self.y.from) / (self.y.to - self.y.from)).clamp(0.0, 1.0);
        (HEIGHT - TOP - BOTTOM).mul_add(1.0 - share, TOP)
    }

    /// A line through points; `class` is a CSS class.
    pub(super) fn line(&mut self, points: impl IntoIterator<Item = (f64, f64)>, class: &str) {
        let points: Vec<_> =
            points.into_iter().map(|(x, y)| format!("{:.1},{:.1}", self.x_at(x), self.y_at(y))).collect();
        put!(self.svg, "<polyline class=\"{class}\" points=\"{}\"/>\n", points.join(" "));
    }

    /// A point with a tooltip.
    pub(super) fn dot(&mut self, x: f64, y: f64, class: &str, text: &str) {
        let (x, y) = (self.x_at(x), self.y_at(y));
        put!(
            self.svg,
            "<circle class=\"{class}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"5\"><title>{}</title></circle>\n",
            Escaped(text)
        );
    }

    /// A bar from 0 up to `y`, between two values of the horizontal axis.
    pub(super) fn bar(&mut self, [from, to]: [f64; 2], y: f64, class: &str, text: &str) {
        let (left, right) = (self.x_at(from) + 1.0, self.x_at(to) - 1.0);
        let (top, bottom) = (self.y_at(y), self.y_at(self.y.from));
        put!(
            self.svg,
            "<rect class=\"{class}\" x=\"{left:.1}\" y=\"{top:.1}\" width=\"{:.1}\" height=\"{:.1}\"><title>{}</title></rect>\n",
            (right - left).max(1.0),
            (bottom - top).max(0.0),
            Escaped(text)
        );
    }

    /// A vertical line from `low` to `high`.
    pub(super) fn whisker(&mut self, x: f64, [low, high]: [f64; 2]) {
        let x = self.x_at(x);
        let (low, high) = (self.y_at(low), self.y_at(high));
        put!(
            self.svg,
            "<line class=\"whisker\" x1=\"{x:.1}\" x2=\"{x:.1}\" y1=\"{low:.1}\" y2=\"{high:.1}\"/>\n"
        );
    }

    /// A dotted vertical line over the whole height, with a label.
    pub(super) fn rule(&mut self, value: f64, text: &str) {
        let x = self.x_at(value);
        let (anchor, shift) = if x > WIDTH * 0.6 { ("end", -4.0) } else { ("start", 4.0) };
        put!(
            self.svg,
            "<line class=\"rule\" x1=\"{x:.1}\" x2=\"{x:.1}\" y1=\"{TOP}\" y2=\"{:.1}\"/>\
             <text class=\"{anchor}\" x=\"{:.1}\" y=\"{:.1}\">{}</text>\n",
            HEIGHT - BOTTOM,
            x + shift,
            TOP + 12.0,
            Escaped(text)
        );
    }

    /// Labels beside points with the same `x`, as `(y, text)`, moved apart if they would overlap.
    pub(super) fn texts_beside(&mut self, x: f64, texts: Vec<(f64, String)>) {
        let x = self.x_at(x);
        let (anchor, shift) = if x > WIDTH * 0.6 { ("end", -4.0) } else { ("start", 9.0) };
        let mut places: Vec<(f64, String)> =
            texts.into_iter().map(|(y, text)| (self.y_at(y) + 16.0, text)).collect();
        places.sort_by(|one, other| one.0.total_cmp(&other.0));
        let mut last = f64::NEG_INFINITY;
        for (y, text) in places {
            // Only moved down, so one pass from the top is enough.
            last = y.max(last + LINE);
            put!(
                self.svg,
                "<text class=\"{anchor} small\" x=\"{:.1}\" y=\"{last:.1}\">{}</text>\n",
                x + shift,
                Escaped(&text)
            );
        }
    }

    /// The finished plot as an SVG file with its own colours for light and dark mode.
    pub(super) fn finish_file(self) -> String {
        let style = concat!(
            "<style>",
            include_str!("plot.css"),
            "</style><rect class=\"paper\" width=\"100%\" height=\"100%\"/>"
        );
        // Unlike inline SVG, a separate file needs the namespace.
        let svg = self.finish().replacen("<svg ", "<svg xmlns=\"http://www.w3.org/2000/svg\" ", 1);
        svg.replacen("</desc>", &format!("</desc>{style}"), 1)
    }

    /// The finished plot, as inline SVG.
    pub(super) fn finish(mut self) -> String {
        self.svg.push_str("</svg>\n");
        self.svg
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_stand_at_round_values() {
        let texts = |to: f64| -> Vec<String> {
            Axis::numbers("", to).ticks.into_iter().map(|(_, text)| text).collect()
        };
        assert_eq!(texts(10.0), ["0", "2", "4", "6", "8", "10"]);
        assert_eq!(texts(0.9), ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]);
        assert_eq!(texts(37.0).last().map(String::as_str), Some("40"));
        for to in [0.0, 1e-3, 7.3, 55.0, 12_345.0] {
            let axis = Axis::numbers("", to);
            assert!(axis.to >= to && (2..=9).contains(&axis.ticks.len()), "{to}: {:?}", axis.ticks);
        }
        let percent = Axis::percent("", 0.5, 1.0, 0.1);
        assert_eq!(percent.ticks.len(), 6);
        assert_eq!(percent.ticks[5].1, "100%");
    }

    #[test]
    fn points_are_placed_by_the_axes_and_kept_inside() {
        let axis = || Axis::percent("a", 0.0, 1.0, 0.5);
        let mut plot = Plot::new("p", "t", "d", axis(), axis());
        plot.line([(0.0, 0.0), (1.0, 1.0), (2.0, -1.0)], "line");
        let svg = plot.finish();
        assert!(svg.contains("points=\"52.0,274.0 458.0,12.0 458.0,274.0\""), "{svg}");
    }
}
