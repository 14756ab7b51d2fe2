//! Labels to check, with pictures and controls to correct them.

use std::collections::BTreeSet;
use std::path::Path;

use partsight_app::PhotoDecoder;
use partsight_domain::PartLabel;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, PercentEncode, utf8_percent_encode};

use super::galleries::{MAX_PICTURES, put_picture};
use super::section;
use crate::report::csv_files::field;
use crate::report::html::{Escaped, counted, percent, put};
use crate::report::thumbnails::{SIDE, thumbnails};
use crate::{Evaluation, NOT_A_PART, WrongLabel};

/// Shows the controls, and joins what was chosen to a file for `--labels`.
pub(super) const SCRIPT: &str = include_str!("../corrections.js");

/// What is encoded in an attribute: all but letters, digits and what most names of files have.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.');

/// Maximum of pictures if so many labels are probably wrong.
const MAX_TO_CORRECT: usize = 200;

/// The section; empty without labels to check.
pub(super) fn wrong_labels(evaluation: &Evaluation<'_>, decoder: &PhotoDecoder) -> String {
    let all = &evaluation.wrong_labels;
    if all.is_empty() {
        return String::new();
    }
    let n_wrong = evaluation.n_confidently_wrong_labels();
    let shown = &all[..all.len().min(n_wrong.clamp(MAX_PICTURES, MAX_TO_CORRECT))];
    let paths: Vec<&Path> =
        shown.iter().map(|wrong| evaluation.dataset.samples()[wrong.photo.sample].path.as_path()).collect();
    let mut content = controls(evaluation);
    content.push_str("<ul class=\"gallery check\">\n");
    for (index, (wrong, picture)) in shown.iter().zip(thumbnails(&paths, decoder, SIDE)).enumerate() {
        put_item(&mut content, evaluation, index, wrong, picture.as_deref());
    }
    content.push_str("</ul>\n");
    let first = if shown.len() < all.len() {
        format!(" Here are the first {}; wrong-labels.csv lists all.", shown.len())
    } else {
        " wrong-labels.csv lists them too.".to_owned()
    };
    let reading = format!(
        "Probably wrong by confident learning (Northcutt et al., 2021), and first in the list: {}. The other errors \
         follow, by how much more probable the likely label is. A hard photograph with the right label can be among \
         them, so look at each and decide; the button downloads what was decided, and --labels applies that file. \
         Choices last while this page is open. {} in all.{first}",
        counted(n_wrong, "photograph"),
        counted(all.len(), "photograph")
    );
    section("wrong-labels", "Labels to check", &reading, &content)
}

/// The button with its count, and the list of labels that the script copies into each item. All controls are hidden
/// until the script runs.
fn controls(evaluation: &Evaluation<'_>) -> String {
    let labels: BTreeSet<&str> = evaluation
        .model
        .labels
        .iter()
        .map(PartLabel::as_str)
        .chain(evaluation.dataset.labels().iter().map(String::as_str))
        .chain([NOT_A_PART])
        .collect();
    let mut out = "<div class=\"corrections\" hidden><p role=\"status\"></p>\
                   <button type=\"button\">Download corrections.csv</button></div>\n\
                   <select id=\"other-labels\" hidden><option>choose</option><option value=\"\">none: leave it out</option>"
        .to_owned();
    for label in labels {
        put!(out, "<option value=\"{}\">{}</option>", encoded(&field(label)), Escaped(label));
    }
    out.push_str("</select>\n");
    out
}

fn put_item(
    out: &mut String,
    evaluation: &Evaluation<'_>,
    index: usize,
    wrong: &WrongLabel<'_>,
    picture: Option<&str>,
) {
    let (label, path) = (evaluation.label(wrong.photo), evaluation.path(wrong.photo));
    let likely = evaluation.model.label(wrong.issue.likely);
    put!(out, "<li data-path=\"{}\">", encoded(&field(&path)));
    put_picture(out, picture, label);
    put!(
        out,
        "<p>labelled <span class=\"took\">{}</span>, {}</p><p>likely <span class=\"was\">{}</span>, {}</p><p class=\"quiet\">{}</p>",
        Escaped(label),
        percent(wrong.issue.label_probability),
        Escaped(likely),
        percent(wrong.issue.likely_probability),
        Escaped(&path)
    );
    put!(out, "<fieldset hidden><legend>Label of {}</legend>", Escaped(&path));
    for (text, value) in [("Right", label), ("Wrong, it is", likely)] {
        put!(
            out,
            "<label><input type=\"radio\" name=\"check-{index}\" value=\"{}\">{text}: {}</label>",
            encoded(&field(value)),
            Escaped(value)
        );
    }
    put!(
        out,
        "<label><input type=\"radio\" name=\"check-{index}\" data-other>Another</label><select aria-label=\"Another label\"></select></fieldset></li>\n"
    );
}

/// A text for an attribute from which the script gets it back unchanged: an attribute in HTML keeps neither control
/// characters nor line breaks.
fn encoded(text: &str) -> PercentEncode<'_> {
    utf8_percent_encode(text, ENCODED)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_character_survives_an_attribute() {
        assert_eq!(encoded("rim/a-1_b.jpg").to_string(), "rim%2Fa-1_b.jpg");
        assert_eq!(encoded("\"é\n'<%").to_string(), "%22%C3%A9%0A%27%3C%25");
    }
}
