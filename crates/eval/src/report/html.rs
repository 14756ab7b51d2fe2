//! HTML: escaping, formatting of numbers, tables, and the page frame.

use std::fmt::{self, Display, Write};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest as _, Sha256};

use crate::metrics::Share;

/// Shown for an undefined figure.
pub(super) const NOTHING: &str = "–";

/// `1 photograph`, `3 photographs`.
pub fn counted(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

/// A text, escaped for HTML.
pub(super) struct Escaped<'a>(pub(super) &'a str);

impl Display for Escaped<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for character in self.0.chars() {
            match character {
                '&' => formatter.write_str("&amp;")?,
                '<' => formatter.write_str("&lt;")?,
                '>' => formatter.write_str("&gt;")?,
                '"' => formatter.write_str("&quot;")?,
                '\'' => formatter.write_str("&#39;")?,
                // Control characters are invalid in HTML, but a file name may contain them.
                control if control.is_control() => formatter.write_char('\u{fffd}')?,
                other => formatter.write_char(other)?,
            }
        }
        Ok(())
    }
}

/// Formats into a `String`, which cannot fail.
macro_rules! put {
    ($out:expr, $($arguments:tt)*) => {{
        use std::fmt::Write as _;
        // Writing into a `String` never fails.
        let _ = write!($out, $($arguments)*);
    }};
}
pub(super) use put;

/// `0.8317` as `83.2%`.
pub(super) fn percent(value: f64) -> String {
    format!("{:.1}%", value * 100.0)
}

/// [`percent`], or [`NOTHING`] for an undefined figure.
pub(super) fn percent_or_nothing(value: Option<f64>) -> String {
    value.map_or_else(|| NOTHING.to_owned(), percent)
}

/// An upper bound with one digit, rounded up as in the dial of the web app: less would promise more than was measured.
pub fn bound_percent(share: f64) -> String {
    // The product of a share such as 0.041 is a little more than 41.
    format!("{:.1}%", (share * 1000.0 - 1e-9).ceil() / 10.0)
}

/// `0.0412` as `4.1 points`.
pub(super) fn points(value: Option<f64>) -> String {
    value.map_or_else(|| NOTHING.to_owned(), |value| format!("{:.1} points", value * 100.0))
}

/// `74.7% to 89.2%`.
pub(super) fn interval([low, high]: [f64; 2]) -> String {
    format!("{} to {}", percent(low), percent(high))
}

/// `83.2% (74.7% to 89.2%)`.
pub(super) fn share(value: Option<f64>, bounds: [f64; 2]) -> String {
    value.map_or_else(|| NOTHING.to_owned(), |value| format!("{} ({})", percent(value), interval(bounds)))
}

/// `84 of 101 (83.2%)`.
pub(super) fn count_of(share: Share) -> String {
    match share.value() {
        Some(value) => format!("{} of {} ({})", share.count, share.total, percent(value)),
        None => "none".to_owned(),
    }
}

/// A number with three decimals.
pub(super) fn decimals(value: Option<f64>) -> String {
    value.map_or_else(|| NOTHING.to_owned(), |value| format!("{value:.3}"))
}

/// Milliseconds with one decimal.
pub(super) fn millis(value: Option<f32>) -> String {
    value.map_or_else(|| NOTHING.to_owned(), |value| format!("{value:.1} ms"))
}

/// A table. `numbers` are the indices, from 0, of right-aligned columns; cells are plain text and escaped.
pub(super) struct Table<'a> {
    pub(super) caption: &'a str,
    pub(super) head: &'a [&'a str],
    pub(super) numbers: &'a [usize],
    pub(super) rows: Vec<Vec<String>>,
}

impl Table<'_> {
    /// The table in a region that scrolls horizontally on a narrow screen.
    pub(super) fn html(&self) -> String {
        let class = |column: usize| if self.numbers.contains(&column) { " class=\"number\"" } else { "" };
        let mut out = String::new();
        put!(
            out,
            "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"{0}\"><table><caption>{0}</caption><thead><tr>",
            Escaped(self.caption)
        );
        for (column, name) in self.head.iter().enumerate() {
            put!(out, "<th scope=\"col\"{}>{}</th>", class(column), Escaped(name));
        }
        out.push_str("</tr></thead><tbody>\n");
        for row in &self.rows {
            out.push_str("<tr>");
            for (column, cell) in row.iter().enumerate() {
                if column == 0 {
                    // The first column is the row header, which screen readers announce with each cell.
                    put!(out, "<th scope=\"row\">{}</th>", Escaped(cell));
                } else {
                    put!(out, "<td{}>{}</td>", class(column), Escaped(cell));
                }
            }
            out.push_str("</tr>\n");
        }
        out.push_str("</tbody></table></div>\n");
        out
    }

    /// The table collapsed under `summary`; a printed page omits it unless it is open.
    pub(super) fn folded(&self, summary: &str) -> String {
        format!("<details><summary>{}</summary>{}</details>\n", Escaped(summary), self.html())
    }
}

/// A whole page with inline styles. Its content security policy allows no scripts and loads nothing.
pub(super) fn page(title: &str, body: &str) -> String {
    page_with(title, body, "", "")
}

/// As [`page`], with one script at its end, which the policy allows by its hash.
pub(super) fn page_with_script(title: &str, body: &str, script: &str) -> String {
    let policy = format!("script-src 'sha256-{}'; ", STANDARD.encode(Sha256::digest(script)));
    page_with(title, body, &policy, &format!("<script>{script}</script>\n"))
}

fn page_with(title: &str, body: &str, policy: &str, script: &str) -> String {
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta http-equiv=\"Content-Security-Policy\" \
         content=\"default-src 'none'; {policy}img-src data:; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'\">\n\
         <title>{}</title>\n<style>\n{}{}</style>\n</head>\n<body>\n<main>\n{body}</main>\n{script}</body>\n</html>\n",
        Escaped(title),
        include_str!("plot.css"),
        include_str!("style.css"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_in_a_text_is_shown_and_not_run() {
        let text = Escaped("<img src=x onerror=\"a('b')\">&\u{1b}[31m").to_string();
        assert_eq!(text, "&lt;img src=x onerror=&quot;a(&#39;b&#39;)&quot;&gt;&amp;\u{fffd}[31m");
    }

    #[test]
    fn figures_read_as_people_write_them() {
        assert_eq!(percent(0.83168), "83.2%");
        assert_eq!(interval([0.0, 1.0]), "0.0% to 100.0%");
        assert_eq!(count_of(Share { count: 84, total: 101 }), "84 of 101 (83.2%)");
        assert_eq!(count_of(Share { count: 0, total: 0 }), "none");
        assert_eq!((millis(None), millis(Some(12.34))), ("–".to_owned(), "12.3 ms".to_owned()));
        assert_eq!(
            (counted(1, "photograph"), counted(0, "photograph")),
            ("1 photograph".into(), "0 photographs".into())
        );
    }

    #[test]
    fn a_table_names_its_rows_and_columns() {
        let table = Table {
            caption: "A & B",
            head: &["name", "n"],
            numbers: &[1],
            rows: vec![vec!["<rim>".to_owned(), "3".to_owned()]],
        };
        let html = table.html();
        for part in [
            "aria-label=\"A &amp; B\"",
            "<th scope=\"col\" class=\"number\">n</th>",
            "<th scope=\"row\">&lt;rim&gt;</th><td class=\"number\">3</td>",
        ] {
            assert!(html.contains(part), "{html}");
        }
    }
}
