//! What stands out from the background of a photograph, as boxes: things on a bench, a sheet or a floor.
//!
//! Nothing is learnt: the rim of the photograph is taken for background, whose few colours are found by k-means, and what
//! is unlike all of them is cut into connected pieces. Things that touch each other are one piece, and a rim full of things
//! gives none; whoever needs more asks the model.

use crate::preprocess::{Crop, resize_crop};
use crate::{Filter, Photo};

/// Longer side of the picture that is worked on, in pixels: a thing of a twentieth of it is still eight pixels wide.
const SIDE: u32 = 160;
/// Share of the shorter side that counts as rim.
const RIM: f32 = 0.035;
/// Background colours, at most.
const MAX_COLOURS: usize = 4;
/// Rounds of k-means; the rim has few colours, and it settles in fewer.
const ROUNDS: usize = 8;
/// A colour of fewer of the rim's pixels is a thing that reaches the rim.
const LEAST_OF_RIM: f32 = 0.12;
/// Least standard deviation of a background colour, in grey levels: below lies the noise of the camera and of JPEG.
const LEAST_DEVIATION: f32 = 7.0;
/// Where a pixel stops being background, in standard deviations: Otsu's threshold within these bounds.
const THRESHOLD: (f32, f32) = (2.2, 4.5);
/// What is further away than this is no further away.
const MOST_DISTANCE: f32 = 12.0;
/// Gaps of up to twice as many pixels are closed.
const CLOSE_RADIUS: usize = 2;
/// Pieces smaller than this share of the picture are dropped.
const LEAST_AREA: f32 = 0.006;
/// Pieces of which one side is shorter than this share of the picture's shorter side are dropped.
const LEAST_SIDE: f32 = 0.06;
/// Boxes that share this much of the smaller one are one thing.
const JOIN_ABOVE: f32 = 0.45;
/// How much of its sides is added to a box on each side, so that the edge of a thing is in it.
const MARGIN: f32 = 0.04;

/// Left, top, width and height of each thing, as shares of the photograph's sides, the largest first; at most `limit`.
pub fn foreground_boxes(photo: &Photo, limit: usize) -> Vec<[f32; 4]> {
    let scale = (SIDE as f32 / photo.width().max(photo.height()) as f32).min(1.0);
    let side = |length: u32| ((length as f32 * scale).round() as u32).max(1);
    let (width, height) = (side(photo.width()), side(photo.height()));
    if width.min(height) < 8 {
        return Vec::new();
    }
    let whole = Crop { left: 0, top: 0, width: photo.width(), height: photo.height() };
    let small = resize_crop(photo, whole, (width, height), Filter::Bilinear);
    let colours: Vec<Colour> = small.rgb.as_chunks::<3>().0.iter().map(|&pixel| opponent(pixel)).collect();
    let (width, height) = (width as usize, height as usize);
    let background = background(&colours, width, height);
    let distances: Vec<f32> = colours.iter().map(|colour| distance(&background, colour)).collect();
    let distances = blurred(&distances, width, height);
    let threshold = otsu(&distances).clamp(THRESHOLD.0, THRESHOLD.1);
    let mask: Vec<bool> = distances.iter().map(|&distance| distance > threshold).collect();
    let mask = closed(&mask, width, height);
    let pieces = joined(pieces(&mask, width, height));
    let least_area = LEAST_AREA * (width * height) as f32;
    let least_side = LEAST_SIDE * width.min(height) as f32;
    let mut kept: Vec<Piece> = pieces
        .into_iter()
        .filter(|piece| piece.n_pixels as f32 >= least_area && piece.shorter_side() as f32 >= least_side)
        .collect();
    kept.sort_by_key(|piece| std::cmp::Reverse(piece.n_pixels));
    kept.truncate(limit);
    kept.iter().map(|piece| piece.shares(width, height)).collect()
}

/// Brightness, red against green, and blue against both, in grey levels; brightness counts for less, because a shadow
/// changes it and not the others.
type Colour = [f32; 3];

fn opponent([red, green, blue]: [u8; 3]) -> Colour {
    let [red, green, blue] = [red, green, blue].map(f32::from);
    [0.75 * (red + green + blue) / 3.0, red - green, blue - f32::midpoint(red, green)]
}

/// One background colour: its mean, and the standard deviation of each channel.
#[derive(Debug, Clone, Copy)]
struct Background {
    mean: Colour,
    deviation: Colour,
}

/// How far a colour is from the nearest background colour, in its standard deviations.
fn distance(background: &[Background], colour: &Colour) -> f32 {
    let nearest = background
        .iter()
        .map(|one| (0..3).map(|at| ((colour[at] - one.mean[at]) / one.deviation[at]).powi(2)).sum::<f32>())
        .fold(f32::INFINITY, f32::min);
    nearest.sqrt().min(MOST_DISTANCE)
}

fn background(colours: &[Colour], width: usize, height: usize) -> Vec<Background> {
    let depth = ((RIM * width.min(height) as f32).round() as usize).max(2);
    let is_rim = |x: usize, y: usize| x.min(width - 1 - x) < depth || y.min(height - 1 - y) < depth;
    let rim: Vec<Colour> =
        (0..width * height).filter(|at| is_rim(at % width, at / width)).map(|at| colours[at]).collect();
    let groups = grouped(&rim);
    let least = LEAST_OF_RIM * rim.len() as f32;
    let large: Vec<&Vec<Colour>> = groups.iter().filter(|group| group.len() as f32 >= least).collect();
    large.into_iter().map(|group| Background::of(group)).collect()
}

impl Background {
    fn of(group: &[Colour]) -> Self {
        let n = group.len() as f32;
        let mut mean = [0.0; 3];
        let mut deviation = [0.0; 3];
        for at in 0..3 {
            mean[at] = group.iter().map(|colour| colour[at]).sum::<f32>() / n;
            let variance = group.iter().map(|colour| (colour[at] - mean[at]).powi(2)).sum::<f32>() / n;
            deviation[at] = variance.sqrt().max(LEAST_DEVIATION);
        }
        Self { mean, deviation }
    }
}

/// The colours by k-means. The first centre is their mean, each further one the colour that is farthest from all, so that
/// the same picture gives the same groups.
fn grouped(colours: &[Colour]) -> Vec<Vec<Colour>> {
    let square = |one: &Colour, other: &Colour| (0..3).map(|at| (one[at] - other[at]).powi(2)).sum::<f32>();
    let mut centres = vec![Background::of(colours).mean];
    while centres.len() < MAX_COLOURS {
        let far =
            |colour: &Colour| centres.iter().map(|centre| square(centre, colour)).fold(f32::MAX, f32::min);
        let farthest = colours.iter().max_by(|one, other| far(one).total_cmp(&far(other)));
        match farthest.filter(|colour| far(colour) > (3.0 * LEAST_DEVIATION).powi(2)) {
            Some(colour) => centres.push(*colour),
            None => break,
        }
    }
    let mut groups = Vec::new();
    for _ in 0..ROUNDS {
        groups = vec![Vec::new(); centres.len()];
        for colour in colours {
            let nearest = (0..centres.len()).min_by(|&one, &other| {
                square(&centres[one], colour).total_cmp(&square(&centres[other], colour))
            });
            groups[nearest.unwrap_or_default()].push(*colour);
        }
        groups.retain(|group| !group.is_empty());
        centres = groups.iter().map(|group| Background::of(group).mean).collect();
    }
    groups
}

/// Each value as the mean of itself and its neighbours: the grain of a background is no thing.
fn blurred(values: &[f32], width: usize, height: usize) -> Vec<f32> {
    let mean = |at: usize| {
        let (x, y) = (at % width, at / width);
        let (mut sum, mut n) = (0.0, 0.0);
        for near_y in y.saturating_sub(1)..=(y + 1).min(height - 1) {
            for near_x in x.saturating_sub(1)..=(x + 1).min(width - 1) {
                sum += values[near_y * width + near_x];
                n += 1.0;
            }
        }
        sum / n
    };
    (0..values.len()).map(mean).collect()
}

/// The threshold that parts values in 0..=[`MOST_DISTANCE`] into two classes of the least variance: Otsu, "A Threshold
/// Selection Method from Gray-Level Histograms" (1979).
fn otsu(values: &[f32]) -> f32 {
    const BINS: usize = 96;
    let mut counts = [0_u32; BINS];
    for value in values {
        counts[((value / MOST_DISTANCE * BINS as f32) as usize).min(BINS - 1)] += 1;
    }
    let total = values.len() as f64;
    let sum: f64 = counts.iter().enumerate().map(|(bin, &count)| bin as f64 * f64::from(count)).sum();
    let (mut below, mut sum_below, mut best) = (0.0, 0.0, (0.0, 0));
    for (bin, &count) in counts.iter().enumerate() {
        below += f64::from(count);
        sum_below += bin as f64 * f64::from(count);
        // Counts are whole numbers, which add up without rounding.
        if below < 1.0 || total - below < 1.0 {
            continue;
        }
        let between =
            below * (total - below) * (sum_below / below - (sum - sum_below) / (total - below)).powi(2);
        if between > best.0 {
            best = (between, bin);
        }
    }
    (best.1 + 1) as f32 * MOST_DISTANCE / BINS as f32
}

/// Dilation, then erosion, by squares of [`CLOSE_RADIUS`].
fn closed(mask: &[bool], width: usize, height: usize) -> Vec<bool> {
    let wide = spread(mask, width, height, true);
    spread(&wide, width, height, false)
}

/// Each pixel takes `value` if one in its square has it.
fn spread(mask: &[bool], width: usize, height: usize, value: bool) -> Vec<bool> {
    let pass = |mask: &[bool], along_x: bool| -> Vec<bool> {
        let has = |at: usize| {
            let (x, y) = (at % width, at / width);
            let (place, length) = if along_x { (x, width) } else { (y, height) };
            let step = if along_x { 1 } else { width };
            let first = place.saturating_sub(CLOSE_RADIUS);
            let last = (place + CLOSE_RADIUS).min(length - 1);
            (first..=last).any(|other| mask[at + other * step - place * step] == value)
        };
        (0..mask.len()).map(|at| if has(at) { value } else { !value }).collect()
    };
    pass(&pass(mask, true), false)
}

/// Connected pixels: their box, ends included, and their number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Piece {
    left: usize,
    top: usize,
    right: usize,
    bottom: usize,
    n_pixels: usize,
}

impl Piece {
    fn area(&self) -> usize {
        (self.right + 1 - self.left) * (self.bottom + 1 - self.top)
    }

    fn shorter_side(&self) -> usize {
        (self.right + 1 - self.left).min(self.bottom + 1 - self.top)
    }

    /// What both boxes cover, as a share of the smaller one.
    fn shared_with(&self, other: &Self) -> f32 {
        let across = (self.right.min(other.right) + 1).saturating_sub(self.left.max(other.left));
        let down = (self.bottom.min(other.bottom) + 1).saturating_sub(self.top.max(other.top));
        (across * down) as f32 / self.area().min(other.area()) as f32
    }

    fn with(&self, other: &Self) -> Self {
        Self {
            left: self.left.min(other.left),
            top: self.top.min(other.top),
            right: self.right.max(other.right),
            bottom: self.bottom.max(other.bottom),
            n_pixels: self.n_pixels + other.n_pixels,
        }
    }

    /// With a margin, inside the picture.
    fn shares(&self, width: usize, height: usize) -> [f32; 4] {
        let along = |first: usize, last: usize, length: usize| {
            let margin = MARGIN * (last + 1 - first) as f32;
            let start = (first as f32 - margin).max(0.0) / length as f32;
            let end = ((last + 1) as f32 + margin).min(length as f32) / length as f32;
            (start, end - start)
        };
        let (left, across) = along(self.left, self.right, width);
        let (top, down) = along(self.top, self.bottom, height);
        [left, top, across, down]
    }
}

/// The pieces of a mask, a pixel touching its eight neighbours.
fn pieces(mask: &[bool], width: usize, height: usize) -> Vec<Piece> {
    let mut seen = vec![false; mask.len()];
    let mut found = Vec::new();
    let mut open = Vec::new();
    for start in 0..mask.len() {
        if !mask[start] || seen[start] {
            continue;
        }
        seen[start] = true;
        open.push(start);
        let (x, y) = (start % width, start / width);
        let mut piece = Piece { left: x, top: y, right: x, bottom: y, n_pixels: 0 };
        while let Some(at) = open.pop() {
            let (x, y) = (at % width, at / width);
            piece = piece.with(&Piece { left: x, top: y, right: x, bottom: y, n_pixels: 1 });
            for near_y in y.saturating_sub(1)..=(y + 1).min(height - 1) {
                for near_x in x.saturating_sub(1)..=(x + 1).min(width - 1) {
                    let near = near_y * width + near_x;
                    if mask[near] && !seen[near] {
                        seen[near] = true;
                        open.push(near);
                    }
                }
            }
        }
        found.push(piece);
    }
    found
}

/// Pieces whose boxes overlap are one thing: the spokes of a wheel, the letters on a carton.
fn joined(mut pieces: Vec<Piece>) -> Vec<Piece> {
    // Specks would pull boxes together that are apart.
    pieces.retain(|piece| piece.n_pixels >= 12);
    loop {
        let pair = (0..pieces.len()).find_map(|one| {
            let other = (one + 1..pieces.len())
                .find(|&other| pieces[one].shared_with(&pieces[other]) > JOIN_ABOVE)?;
            Some((one, other))
        });
        let Some((one, other)) = pair else { return pieces };
        let taken = pieces.swap_remove(other);
        pieces[one] = pieces[one].with(&taken);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::PhotoFormat;

    /// The colour of a place.
    type Colour = fn(u32, u32) -> [u8; 3];

    /// A picture of 200 x 100 with rectangles on it.
    fn photo(background: impl Fn(u32, u32) -> [u8; 3], things: &[[u32; 4]]) -> Photo {
        let pixel = |x: u32, y: u32| {
            let is_thing = |[left, top, width, height]: &[u32; 4]| {
                (*left..left + width).contains(&x) && (*top..top + height).contains(&y)
            };
            if things.iter().any(is_thing) { [40, 60, 90] } else { background(x, y) }
        };
        let rgb = (0..100).flat_map(|y| (0..200).flat_map(move |x| [x, y])).collect::<Vec<u32>>();
        let rgb = rgb.as_chunks::<2>().0.iter().flat_map(|&[x, y]| pixel(x, y)).collect();
        Photo::from_rgb(200, 100, rgb, PhotoFormat::Png).unwrap()
    }

    fn assert_near(found: [f32; 4], [left, top, width, height]: [u32; 4]) {
        let expected = [left as f32 / 200.0, top as f32 / 100.0, width as f32 / 200.0, height as f32 / 100.0];
        for (found, expected) in found.iter().zip(expected) {
            // The margin on both sides, and a cell of the mask.
            assert!((found - expected).abs() < 2.0 * MARGIN + 1.0 / SIDE as f32, "{found} for {expected}");
        }
    }

    #[test]
    fn each_thing_on_a_background_has_a_box_the_largest_first() {
        let things = [[20, 20, 30, 40], [80, 30, 60, 50], [165, 10, 20, 20]];
        let cases: [(&str, Colour); 3] = [
            ("plain", |_, _| [250, 250, 250]),
            ("two colours", |_, y| if y < 50 { [200, 190, 180] } else { [150, 110, 80] }),
            ("a shade", |x, _| [(180 + x / 5) as u8; 3]),
        ];
        for (case, background) in cases {
            let boxes = foreground_boxes(&photo(background, &things), 12);
            assert_eq!(boxes.len(), 3, "{case}: {boxes:?}");
            for (found, expected) in boxes.iter().zip([things[1], things[0], things[2]]) {
                assert_near(*found, expected);
            }
        }
        let boxes = foreground_boxes(&photo(|_, _| [250; 3], &things), 2);
        assert_eq!(boxes.len(), 2);
    }

    #[test]
    fn a_picture_of_one_colour_has_nothing_on_it_and_specks_are_none() {
        assert_eq!(foreground_boxes(&photo(|_, _| [128; 3], &[]), 12), [[0.0; 4]; 0]);
        assert_eq!(foreground_boxes(&photo(|_, _| [250; 3], &[[50, 50, 3, 3]]), 12), [[0.0; 4]; 0]);
        let thin = Photo::from_rgb(1, 40, vec![9; 120], PhotoFormat::Png).unwrap();
        assert_eq!(foreground_boxes(&thin, 12), [[0.0; 4]; 0]);
    }

    #[test]
    fn a_thing_in_pieces_is_one() {
        // A frame with a hub in it.
        let things =
            [[40, 20, 100, 6], [40, 74, 100, 6], [40, 20, 6, 60], [134, 20, 6, 60], [80, 45, 20, 12]];
        let boxes = foreground_boxes(&photo(|_, _| [250; 3], &things), 12);
        assert_eq!(boxes.len(), 1, "{boxes:?}");
        assert_near(boxes[0], [40, 20, 100, 60]);
    }
}
