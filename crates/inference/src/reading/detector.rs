//! Finds the lines of text in a photograph.

use std::collections::VecDeque;

use ort::{
    session::{RunOptions, Session},
    value::TensorRef,
};

use super::{
    geometry::Rectangle,
    manifest::{Detector, GraphFile, ReadingManifest},
};
use crate::{
    Error, Photo, Result,
    photo::subject,
    resize::{Crop, RgbImage},
};

/// Least shorter side of a line's rectangle in the map, in pixels; after growing, 2 pixels more.
const THINNEST: f32 = 3.0;
/// Maximum number of regions examined in a map: noise can have thousands.
const MOST_REGIONS: usize = 1000;
/// Margin of the second look around the text that the first look found, as a fraction of the longer side: text that
/// was too small for the first look is often beside it.
const MARGIN: f32 = 0.15;
/// Fraction of the first look's area from which the second look may cover all of it.
const WHOLE_FROM: f32 = 0.5;
/// Longest side of a look, in pixels; only narrow strips reach it.
const LONGEST_SIDE: u32 = 2048;
/// Runs on more pixels than this release their memory: the runtime would keep its peak, which reached 390 MB with
/// looks of many shapes. Allocating again makes the largest looks about a sixth slower.
const KEPT_PIXELS: usize = 300_000;

/// The probability of text for each pixel, row-major.
struct Map {
    width: usize,
    height: usize,
    probabilities: Vec<f32>,
}

impl Map {
    fn any_at_least(&self, least: f32) -> bool {
        self.probabilities.iter().any(|&probability| probability >= least)
    }
}

/// The rectangles of lines in pixels of the photograph, the largest first; empty if the first look finds no text.
pub(super) fn find(
    glance: &mut Session,
    detector: &mut Session,
    manifest: &ReadingManifest,
    photo: &Photo,
) -> Result<Vec<Rectangle>> {
    // A part on a white background is examined as closely as one that fills the picture.
    let subject = subject::find(photo);
    let seen = look(glance, manifest, Look::glance(manifest), photo, subject)?;
    // The first look marks faint text in most photographs, so the threshold is near 1. See
    // docs/decisions/0121-pp-ocr-v6.md.
    if !seen.any_at_least(manifest.glance.probability) {
        return Ok(Vec::new());
    }
    let Some(part) = text_part(&seen, manifest.glance.pixel_probability, subject) else {
        return Ok(Vec::new());
    };
    let part = widened(part, subject, &manifest.detector);
    let map = look(detector, manifest, Look::detector(manifest), photo, part)?;
    let detector = &manifest.detector;
    let mut found = lines(&map, detector, part);
    // The largest lines are those that a person would read first.
    found.sort_by(|one, other| {
        let area = |line: &Rectangle| line.width() * line.height();
        area(other).total_cmp(&area(one))
    });
    Ok(found.into_iter().map(Rectangle::along_its_line).collect())
}

/// The network and the resolution of a look.
#[derive(Clone, Copy)]
struct Look<'m> {
    graph: &'m GraphFile,
    mean: [f32; 3],
    std: [f32; 3],
    pixels: u32,
}

impl<'m> Look<'m> {
    fn glance(ReadingManifest { glance, .. }: &'m ReadingManifest) -> Self {
        Self { graph: &glance.graph, mean: glance.mean, std: glance.std, pixels: glance.pixels }
    }

    fn detector(ReadingManifest { detector, .. }: &'m ReadingManifest) -> Self {
        Self { graph: &detector.graph, mean: detector.mean, std: detector.std, pixels: detector.look_pixels }
    }
}

/// Runs a small blank picture through both networks, to compare their graphs with the manifest.
pub(super) fn check(glance: &mut Session, detector: &mut Session, manifest: &ReadingManifest) -> Result<()> {
    let side = manifest.detector.side_multiple;
    let image = RgbImage { width: side, height: side, rgb: vec![0; 3 * (side * side) as usize] };
    run(glance, manifest, Look::glance(manifest), &image)?;
    run(detector, manifest, Look::detector(manifest), &image).map(drop)
}

/// The map of a part of the photograph, scaled to at most about `how.pixels` pixels.
fn look(
    session: &mut Session,
    manifest: &ReadingManifest,
    how: Look<'_>,
    photo: &Photo,
    part: Crop,
) -> Result<Map> {
    let detector = &manifest.detector;
    let pixels = how.pixels;
    let area = part.width as f32 * part.height as f32;
    let longest = part.width.max(part.height) as f32;
    // Limited by three values: the pixels of a look, the longest side, and the largest useful enlargement.
    let scale =
        (pixels as f32 / area).sqrt().min(LONGEST_SIDE as f32 / longest).min(detector.largest_enlargement);
    let multiple = detector.side_multiple;
    let scaled = |length: u32| {
        let steps = (length as f32 * scale / multiple as f32).round() as u32;
        (steps * multiple).max(multiple)
    };
    let size = (scaled(part.width), scaled(part.height));
    run(session, manifest, how, &photo.resized_part(part, size))
}

fn run(session: &mut Session, manifest: &ReadingManifest, how: Look<'_>, image: &RgbImage) -> Result<Map> {
    let (width, height) = (image.width as usize, image.height as usize);
    let tensor = tensor_of(&image.rgb, how.mean, how.std);
    let probabilities = output(session, &manifest.name, how.graph, [height, width], &tensor, |shape| {
        shape == [1, 1, height, width]
    })?;
    Ok(Map { width, height, probabilities: probabilities.1 })
}

/// Converts `[h, w, 3]` u8 in RGB order to f32 `[3, h, w]` in BGR order, `(u8 / 255 - mean) / std`.
pub(super) fn tensor_of(rgb: &[u8], mean: [f32; 3], std: [f32; 3]) -> Vec<f32> {
    let (pixels, _) = rgb.as_chunks::<3>();
    // The published networks were trained with OpenCV, whose channel order is BGR.
    let plane =
        |at: usize| pixels.iter().map(move |pixel| (f32::from(pixel[2 - at]) / 255.0 - mean[at]) / std[at]);
    plane(0).chain(plane(1)).chain(plane(2)).collect()
}

/// Runs a graph on one tensor `[1, 3, h, w]`; returns the shape of its output, which is checked, and the values.
pub(super) fn output(
    session: &mut Session,
    model: &str,
    graph: &GraphFile,
    [height, width]: [usize; 2],
    tensor: &[f32],
    is_expected: impl Fn(&[usize]) -> bool,
) -> Result<(Vec<usize>, Vec<f32>)> {
    let failure = |source| Error::Run { model: model.to_owned(), images: 1, source };
    let mismatch = |found: String| Error::GraphMismatch {
        model: model.to_owned(),
        name: graph.output.clone(),
        expected: "f32 as the manifest says".to_owned(),
        found,
    };
    if !session.inputs().iter().any(|input| input.name() == graph.input) {
        return Err(Error::GraphMismatch {
            model: model.to_owned(),
            name: graph.input.clone(),
            expected: "f32 [n, 3, h, w]".to_owned(),
            found: "missing".to_owned(),
        });
    }
    let input = TensorRef::from_array_view((vec![1, 3, height, width], tensor)).map_err(failure)?;
    let mut options = RunOptions::new().map_err(failure)?;
    if height * width > KEPT_PIXELS {
        options.set("memory.enable_memory_arena_shrinkage", "cpu:0").map_err(failure)?;
    }
    let inputs = ort::inputs![graph.input.as_str() => input];
    let outputs = session.run_with_options(inputs, &options).map_err(failure)?;
    let value = outputs.get(graph.output.as_str()).ok_or_else(|| mismatch("missing".to_owned()))?;
    let (shape, values) = value.try_extract_tensor::<f32>().map_err(failure)?;
    let shape: Vec<usize> = shape.iter().map(|&side| usize::try_from(side).unwrap_or(0)).collect();
    if !is_expected(&shape) {
        return Err(mismatch(format!("f32 {shape:?}")));
    }
    if !values.iter().all(|value| value.is_finite()) {
        return Err(Error::NotFinite { model: model.to_owned(), output: graph.output.clone() });
    }
    Ok((shape, values.to_vec()))
}

/// The part of the photograph around all text in the map, in pixels of the photograph; the map covers `seen`.
fn text_part(map: &Map, least: f32, seen: Crop) -> Option<Crop> {
    let is_text = |at: &usize| map.probabilities[*at] > least;
    let places: Vec<usize> = (0..map.probabilities.len()).filter(is_text).collect();
    let columns = || places.iter().map(|at| at % map.width);
    // The margin depends on the area covered, not on the text: a single word does not show how far the rest
    // extends.
    let margin = MARGIN * seen.width.max(seen.height) as f32;
    let range = |low: usize, high: usize, map_side: usize, start: u32, side: u32| {
        let scale = side as f32 / map_side as f32;
        let from = (low as f32 * scale - margin).max(0.0) as u32;
        let to = ((high + 1) as f32 * scale + margin).ceil().min(side as f32) as u32;
        (start + from, to.max(from + 1) - from)
    };
    let (left, width) = range(columns().min()?, columns().max()?, map.width, seen.left, seen.width);
    // Indices are in row order, so the first and the last are the top and the bottom.
    let (top_place, bottom_place) = (places.first()?, places.last()?);
    let (top, height) =
        range(top_place / map.width, bottom_place / map.width, map.height, seen.top, seen.height);
    Some(Crop { left, top, width, height })
}

/// The whole area of the first look, if the part with text is large and the second look costs the same for both.
/// Text around a part, as on a rim, is too faint for the first look in places.
fn widened(part: Crop, seen: Crop, detector: &Detector) -> Crop {
    let area = |crop: Crop| crop.width as f32 * crop.height as f32;
    let enlarged = area(part) * detector.largest_enlargement * detector.largest_enlargement;
    let costs_the_same = enlarged >= detector.look_pixels as f32;
    if costs_the_same && area(part) >= WHOLE_FROM * area(seen) { seen } else { part }
}

/// One rectangle for each region of text, in pixels of the photograph; the map covers `part`.
fn lines(map: &Map, detector: &Detector, part: Crop) -> Vec<Rectangle> {
    let mut found = Vec::new();
    for region in regions(map, detector.pixel_probability) {
        let Some(rectangle) = Rectangle::around(&region.ends) else { continue };
        if rectangle.shorter_side() < THINNEST || region.mean_probability < detector.line_probability {
            continue;
        }
        // Undoes the shrinking of text regions in the training data, which keeps lines apart.
        let grown = rectangle.grown(rectangle.thickness() * detector.unclip_ratio);
        if grown.shorter_side() < THINNEST + 2.0 {
            continue;
        }
        let scale = [part.width as f32 / map.width as f32, part.height as f32 / map.height as f32];
        let corners = grown
            .corners
            .map(|[x, y]| [part.left as f32 + (x + 0.5) * scale[0], part.top as f32 + (y + 0.5) * scale[1]]);
        found.push(Rectangle { corners });
    }
    found
}

/// A connected region of text.
struct Region {
    /// The leftmost and rightmost pixel of each row, which have the same convex hull as the region.
    ends: Vec<[f32; 2]>,
    /// Over its own pixels: a rectangle around an arc of text also holds much ground.
    mean_probability: f32,
}

/// The connected regions of text, from the top.
///
/// Regions are joined across gaps of one pixel, as in the published reader: a pixel counts if it or its left, upper
/// or upper left neighbour is text.
fn regions(map: &Map, least: f32) -> Vec<Region> {
    let (width, height) = (map.width, map.height);
    let is_text = |x: usize, y: usize| {
        let at = |x: usize, y: usize| map.probabilities[y * width + x] > least;
        at(x, y) || (x > 0 && at(x - 1, y)) || (y > 0 && (at(x, y - 1) || (x > 0 && at(x - 1, y - 1))))
    };
    // A flood fill over eight neighbours; visited pixels are closed, so each is visited once.
    let mut open: Vec<bool> = (0..width * height).map(|at| is_text(at % width, at / width)).collect();
    let mut regions = Vec::new();
    for start in 0..open.len() {
        if !std::mem::take(&mut open[start]) {
            continue;
        }
        if regions.len() == MOST_REGIONS {
            break;
        }
        let mut waiting = VecDeque::from([start]);
        let mut pixels = Vec::new();
        while let Some(at) = waiting.pop_front() {
            let (x, y) = (at % width, at / width);
            pixels.push((y, x));
            for y in y.saturating_sub(1)..(y + 2).min(height) {
                for x in x.saturating_sub(1)..(x + 2).min(width) {
                    if std::mem::take(&mut open[y * width + x]) {
                        waiting.push_back(y * width + x);
                    }
                }
            }
        }
        let sum: f32 = pixels.iter().map(|(y, x)| map.probabilities[y * width + x]).sum();
        let mean_probability = sum / pixels.len() as f32;
        pixels.sort_unstable();
        let rows = pixels.chunk_by(|one, other| one.0 == other.0);
        // Only the ends of each row can be on the hull, which makes the next step cheap.
        let ends = rows.flat_map(|row| [row[0], row[row.len() - 1]]);
        let ends = ends.map(|(y, x)| [x as f32, y as f32]).collect();
        regions.push(Region { ends, mean_probability });
    }
    regions
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reading::manifest::ReadingManifest;

    fn detector() -> Detector {
        let text = include_str!("../../../../models/reading/reading.toml");
        ReadingManifest::parse("the built-in reading model", text).unwrap().detector
    }

    /// A map of `width` by `height` with these rectangles of text: left, top, width, height.
    fn map(width: usize, height: usize, rectangles: &[(usize, usize, usize, usize)]) -> Map {
        let is_text = |x, y| {
            rectangles
                .iter()
                .any(|&(left, top, w, h)| (left..left + w).contains(&x) && (top..top + h).contains(&y))
        };
        let value = |at| if is_text(at % width, at / width) { 0.9 } else { 0.01 };
        Map { width, height, probabilities: (0..width * height).map(value).collect() }
    }

    #[test]
    fn each_region_is_a_line_in_pixels_of_the_photograph() {
        let map = map(64, 32, &[(10, 4, 30, 6), (10, 20, 20, 5)]);
        let part = Crop { left: 100, top: 50, width: 128, height: 64 };
        let found = lines(&map, &detector(), part);
        assert_eq!(found.len(), 2);
        // 30 x 6 pixels of the map grow by 1.4 * 30 * 6 / 72 = 3.5 on each side.
        let corners = found[0].corners;
        let expected = [[100.0 + 2.0 * 7.0, 50.0 + 2.0 * 1.0], [100.0 + 2.0 * 44.0, 50.0 + 2.0 * 14.0]];
        for (found, expected) in [corners[0], corners[2]].into_iter().zip(expected) {
            assert!((found[0] - expected[0]).abs() < 0.5, "{corners:?}");
            assert!((found[1] - expected[1]).abs() < 0.5, "{corners:?}");
        }
    }

    #[test]
    fn what_is_thin_or_hardly_text_is_no_line() {
        let thin = map(64, 32, &[(10, 4, 30, 2)]);
        let part = Crop { left: 0, top: 0, width: 64, height: 32 };
        assert!(lines(&thin, &detector(), part).is_empty());
        let mut faint = map(64, 32, &[(10, 4, 30, 8)]);
        faint.probabilities.iter_mut().for_each(|probability| *probability *= 0.4);
        assert!(lines(&faint, &detector(), part).is_empty());
    }

    #[test]
    fn an_arc_of_text_is_a_line_although_its_rectangle_holds_much_ground() {
        let arc: Vec<_> = (0..12_usize)
            .map(|step| (2 + 5 * step, 4 + (step.abs_diff(5) * step.abs_diff(6)), 6, 12))
            .collect();
        let mut map = map(72, 48, &arc);
        map.probabilities.iter_mut().for_each(|probability| *probability *= 0.8);
        let part = Crop { left: 0, top: 0, width: 72, height: 48 };
        assert_eq!(lines(&map, &detector(), part).len(), 1);
    }

    #[test]
    fn the_second_look_goes_to_the_part_with_text_and_some_way_around() {
        let whole = Crop { left: 0, top: 0, width: 640, height: 320 };
        let found = text_part(&map(64, 32, &[(30, 16, 6, 2)]), 0.3, whole).unwrap();
        assert!((180..240).contains(&found.left) && (40..100).contains(&found.top), "{found:?}");
        assert!(found.width < 280 && found.height < 240, "{found:?}");
        let inner = Crop { left: 100, top: 50, ..whole };
        let moved = text_part(&map(64, 32, &[(30, 16, 6, 2)]), 0.3, inner).unwrap();
        assert_eq!(moved, Crop { left: found.left + 100, top: found.top + 50, ..found });
        let corner = text_part(&map(64, 32, &[(0, 0, 2, 2), (62, 30, 2, 2)]), 0.3, whole);
        assert_eq!(corner, Some(whole));
        assert_eq!(text_part(&map(64, 32, &[]), 0.3, whole), None);
    }

    #[test]
    fn a_large_part_with_text_is_widened_where_that_costs_nothing() {
        let seen = Crop { left: 40, top: 0, width: 1000, height: 1000 };
        let wide = Crop { left: 100, top: 100, width: 800, height: 700 };
        assert_eq!(widened(wide, seen, &detector()), seen);
        let narrow = Crop { left: 100, top: 100, width: 600, height: 700 };
        assert_eq!(widened(narrow, seen, &detector()), narrow);
        // A small photograph is enlarged, so a larger part of it costs more.
        let seen = Crop { left: 0, top: 0, width: 224, height: 224 };
        let part = Crop { left: 0, top: 0, width: 224, height: 180 };
        assert_eq!(widened(part, seen, &detector()), part);
    }

    #[test]
    fn a_tensor_is_blue_green_red() {
        let half = [0.5; 3];
        assert_eq!(tensor_of(&[255, 0, 51, 0, 0, 0], half, half), [-0.6, -1.0, -1.0, -1.0, 1.0, -1.0]);
        let tensor = tensor_of(&[255, 255, 255], [0.0, 0.5, 1.0], [1.0, 0.5, 0.25]);
        assert_eq!(tensor, [1.0, 1.0, 0.0]);
    }
}
