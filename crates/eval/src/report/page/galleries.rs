//! The mistakes as pictures.

use std::path::Path;

use partsight_app::PhotoDecoder;

use super::section;
use crate::report::html::{Escaped, counted, percent, put};
use crate::report::thumbnails::thumbnails;
use crate::{Evaluation, Measured};

/// Pictures in each gallery.
const MAX_PICTURES: usize = 48;

pub(super) fn galleries(evaluation: &Evaluation<'_>, decoder: &PhotoDecoder) -> String {
    let mut out = String::new();
    let mistakes = evaluation.mistakes();
    if evaluation.figures.n > 0 {
        let content = gallery(evaluation, &mistakes, decoder);
        let reading = shown_of(mistakes.len(), "mistake", "The surest mistakes come first.");
        out.push_str(&section("mistakes", "The worst mistakes", &reading, &content));
    }
    let wrong = evaluation.false_identifications();
    if !wrong.is_empty() {
        let content = gallery(evaluation, &wrong, decoder);
        let reading = shown_of(
            wrong.len(),
            "photograph",
            "Of labels that the model does not know, and yet called identified.",
        );
        out.push_str(&section(
            "identified",
            "Identified, though it is none of its parts",
            &reading,
            &content,
        ));
    }
    out
}

/// Labels that the probabilities contradict, with pictures.
pub(super) fn wrong_labels(evaluation: &Evaluation<'_>, decoder: &PhotoDecoder) -> String {
    let all = &evaluation.wrong_labels;
    if all.is_empty() {
        return String::new();
    }
    let shown = &all[..all.len().min(MAX_PICTURES)];
    let paths: Vec<&Path> =
        shown.iter().map(|wrong| evaluation.dataset.samples()[wrong.photo.sample].path.as_path()).collect();
    let mut content = "<ul class=\"gallery\">\n".to_owned();
    for (wrong, picture) in shown.iter().zip(thumbnails(&paths, decoder)) {
        let (label, path) = (evaluation.label(wrong.photo), evaluation.path(wrong.photo));
        content.push_str("<li>");
        put_picture(&mut content, picture.as_deref(), label);
        put!(
            content,
            "<p>labelled <span class=\"took\">{}</span>, {}</p><p>likely <span class=\"was\">{}</span>, {}</p><p class=\"quiet\">{}</p></li>\n",
            Escaped(label),
            percent(wrong.issue.label_probability),
            Escaped(evaluation.model.label(wrong.issue.likely)),
            percent(wrong.issue.likely_probability),
            Escaped(&path)
        );
    }
    content.push_str("</ul>\n");
    let reading = format!(
        "Confident learning (Northcutt et al., 2021) takes {} to have another label than given, first here; then come \
         the other mistakes, by the margin of the likely label. A hard photograph with the right label can be among \
         them: look before you change one. {} in all; wrong-labels.csv has them all, and --labels applies it once \
         corrected.",
        counted(evaluation.n_confidently_wrong_labels(), "photograph"),
        counted(all.len(), "photograph")
    );
    section("wrong-labels", "Labels that may be wrong", &reading, &content)
}

fn shown_of(count: usize, noun: &str, sentence: &str) -> String {
    if count > MAX_PICTURES {
        format!("{sentence} The first {MAX_PICTURES} of {count}; photos.csv has them all.")
    } else if count == 0 {
        "There is none.".to_owned()
    } else {
        format!("{sentence} {} in all.", counted(count, noun))
    }
}

fn gallery(evaluation: &Evaluation<'_>, photos: &[&Measured], decoder: &PhotoDecoder) -> String {
    let photos = &photos[..photos.len().min(MAX_PICTURES)];
    let paths: Vec<&Path> =
        photos.iter().map(|photo| evaluation.dataset.samples()[photo.sample].path.as_path()).collect();
    let mut out = "<ul class=\"gallery\">\n".to_owned();
    for (photo, picture) in photos.iter().zip(thumbnails(&paths, decoder)) {
        let (label, path) = (evaluation.label(photo), evaluation.path(photo));
        let best = photo.answer.best();
        out.push_str("<li>");
        put_picture(&mut out, picture.as_deref(), label);
        put!(
            out,
            "<p><span class=\"was\">{}</span> taken for <span class=\"took\">{}</span>, {} sure</p><p class=\"quiet\">{}</p></li>\n",
            Escaped(label),
            Escaped(evaluation.model.label(best.class)),
            percent(best.confidence.into()),
            Escaped(&path)
        );
    }
    out.push_str("</ul>\n");
    out
}

/// A thumbnail, or a note in its place.
pub(in crate::report) fn put_picture(out: &mut String, picture: Option<&str>, label: &str) {
    match picture {
        Some(picture) => put!(
            out,
            "<img src=\"{picture}\" alt=\"Photograph labelled {}\" loading=\"lazy\">",
            Escaped(label)
        ),
        None => out.push_str("<span class=\"no-picture\">no longer readable</span>"),
    }
}
