//! Errors, with pictures.

use std::path::Path;

use partsight_app::{OCCLUSION_GRID, OcclusionMap, PhotoDecoder};

use super::section;
use crate::maps::{MAX_MAPS, cell, evidence, place};
use crate::report::html::{Escaped, counted, percent, put};
use crate::report::thumbnails::{SIDE, SMALL_SIDE, thumbnails};
use crate::{Evaluation, Measured};

/// Maximum of pictures in a gallery.
pub(super) const MAX_PICTURES: usize = 48;
// Checked at compile time, because the constants are in two files.
const _: () = assert!(MAX_MAPS <= MAX_PICTURES, "a map is drawn over a picture");
/// Opacity of the strongest place of a map; the picture stays visible behind it.
const MAX_OPACITY: f32 = 0.7;

pub(super) fn galleries(evaluation: &Evaluation<'_>, decoder: &PhotoDecoder) -> String {
    let mut out = String::new();
    let mistakes = evaluation.mistakes();
    if evaluation.figures.n > 0 {
        let content = legend(evaluation, &mistakes) + &gallery(evaluation, &mistakes, decoder);
        let reading = shown_of(mistakes.len(), "error", "The most confident errors come first.");
        out.push_str(&section("mistakes", "Most confident errors", &reading, &content));
    }
    let wrong = evaluation.false_identifications();
    if !wrong.is_empty() {
        let content = legend(evaluation, &wrong) + &gallery(evaluation, &wrong, decoder);
        let reading = shown_of(
            wrong.len(),
            "photograph",
            "Photographs of unknown types with the verdict \"identified\".",
        );
        out.push_str(&section("identified", "False identifications", &reading, &content));
    }
    out
}

fn shown_of(count: usize, noun: &str, sentence: &str) -> String {
    if count > MAX_PICTURES {
        format!("{sentence} The first {MAX_PICTURES} of {count}; photos.csv has them all.")
    } else if count == 0 {
        "None.".to_owned()
    } else {
        format!("{sentence} {} in all.", counted(count, noun))
    }
}

fn gallery(evaluation: &Evaluation<'_>, photos: &[&Measured], decoder: &PhotoDecoder) -> String {
    let photos = &photos[..photos.len().min(MAX_PICTURES)];
    let paths: Vec<&Path> =
        photos.iter().map(|photo| evaluation.dataset.samples()[photo.sample].path.as_path()).collect();
    let mut out = "<ul class=\"gallery\">\n".to_owned();
    for (photo, picture) in photos.iter().zip(thumbnails(&paths, decoder, SIDE)) {
        let (label, path) = (evaluation.label(photo), evaluation.path(photo));
        let best = photo.answer.best();
        let map = evaluation.maps.get(&photo.sample);
        out.push_str("<li><div class=\"picture\">");
        put_picture(&mut out, picture.as_deref(), label);
        // Without a picture there is nothing to lay the map over.
        if let (Some(map), Some(_)) = (map, &picture) {
            put_map(&mut out, map);
        }
        put!(
            out,
            "</div><p><span class=\"was\">{}</span> taken for <span class=\"took\">{}</span>, confidence {}</p>",
            Escaped(label),
            Escaped(evaluation.model.label(best.class)),
            percent(best.confidence.into()),
        );
        if let Some(map) = map {
            put!(out, "<p>{}</p>", evidence(map));
        }
        put!(out, "<p class=\"quiet\">{}</p>", Escaped(&path));
        put_nearest(&mut out, evaluation, photo, decoder);
        out.push_str("</li>\n");
    }
    out.push_str("</ul>\n");
    out
}

/// How to read the maps and the nearest photographs of a gallery; empty without both.
fn legend(evaluation: &Evaluation<'_>, photos: &[&Measured]) -> String {
    let mut out = String::new();
    let n_maps =
        photos.iter().take(MAX_PICTURES).filter(|photo| evaluation.maps.contains_key(&photo.sample)).count();
    if n_maps > 0 {
        out.push_str(&map_legend(n_maps));
    }
    if photos.iter().any(|photo| evaluation.nearest.contains_key(&photo.sample)) {
        out.push_str(
            "<p class=\"quiet\">Nearest: the other photographs of this evaluation whose embeddings are most similar (cosine, \
             at most 1), with their labels.</p>\n",
        );
    }
    out
}

fn map_legend(n_maps: usize) -> String {
    format!(
        "<p class=\"legend\"><span>no effect</span><span class=\"ramp\" aria-hidden=\"true\"></span><span>strongest place \
         of the picture</span></p>\n<p class=\"quiet\">{} {} how much less probable the wrong answer gets when a patch is \
         covered with the picture's mean colour, one of {} patches at a time; the text below names the strongest \
         place. Point at a picture to see it without the map.</p>\n",
        counted(n_maps, "map"),
        if n_maps == 1 { "shows" } else { "show" },
        OCCLUSION_GRID * OCCLUSION_GRID,
    )
}

/// The nearest other photographs with their labels; nothing if they were not looked for.
fn put_nearest(out: &mut String, evaluation: &Evaluation<'_>, photo: &Measured, decoder: &PhotoDecoder) {
    let Some(nearest) = evaluation.nearest.get(&photo.sample).filter(|nearest| !nearest.is_empty()) else {
        return;
    };
    let samples = evaluation.dataset.samples();
    let paths: Vec<&Path> =
        nearest.iter().map(|neighbour| samples[neighbour.sample].path.as_path()).collect();
    out.push_str("<p>Nearest:</p><ul class=\"nearest\">");
    for (neighbour, picture) in nearest.iter().zip(thumbnails(&paths, decoder, SMALL_SIDE)) {
        let label = evaluation.label_of(neighbour.sample);
        put!(out, "<li title=\"{}\">", Escaped(&evaluation.path_of(neighbour.sample)));
        put_picture(out, picture.as_deref(), label);
        put!(out, "<p>{}, {:.2}</p></li>", Escaped(label), neighbour.similarity);
    }
    out.push_str("</ul>");
}

/// The map as a layer over its picture, which has the same proportions. It is hidden from screen readers, because the
/// text states the result too.
fn put_map(out: &mut String, map: &OcclusionMap) {
    let Some((_, _, strongest)) = map.peak().filter(|_| place(map).is_some()) else { return };
    let (width, height) = (f64::from(map.width), f64::from(map.height));
    put!(out, "<svg class=\"heat\" viewBox=\"0 0 {width} {height}\" aria-hidden=\"true\">");
    let [left, top, across, down] = map.seen;
    for (row, drops) in map.drops.chunks(OCCLUSION_GRID).enumerate() {
        for (column, drop) in drops.iter().enumerate().filter(|(_, drop)| **drop > 0.0) {
            let ([x, x_end], [y, y_end]) = (cell(column), cell(row));
            put!(
                out,
                "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\" fill-opacity=\"{:.2}\"/>",
                (left + across * x) * width,
                (top + down * y) * height,
                across * (x_end - x) * width,
                down * (y_end - y) * height,
                // Relative to the strongest place of this picture, because absolute drops would leave most pictures
                // blank.
                MAX_OPACITY * drop / strongest,
            );
        }
    }
    out.push_str("</svg>");
}

/// A thumbnail, or a note if there is none.
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
