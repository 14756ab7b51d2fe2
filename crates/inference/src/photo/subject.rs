//! Finds the part of a photograph that is not plain background.

use super::Photo;
use crate::resize::Crop;

/// Number of samples along the longer side.
const SAMPLES: u32 = 256;
/// A pixel that differs from the background by more than this in any channel is foreground; noise and compression
/// stay below.
const GROUND_LEVELS: u8 = 24;
/// The border is plain if at most this percentage of its samples is foreground.
const MOST_OTHER_PER_CENT: usize = 10;

/// What of a photograph is not plain background.
enum Subject {
    /// The border is not plain, so nothing can be told.
    Unknown,
    /// Nothing differs from the background.
    Nothing,
    /// The smallest rectangle around all foreground.
    Within(Crop),
}

/// The smallest rectangle around all foreground, with a margin. The whole photograph if its border is not plain, or
/// if there is no foreground.
pub(crate) fn find(photo: &Photo) -> Crop {
    let (width, height) = (photo.width(), photo.height());
    let Subject::Within(found) = subject(photo) else {
        return Crop { left: 0, top: 0, width, height };
    };
    let margin = width.max(height) / 50;
    let range = |from: u32, length: u32, side: u32| {
        let start = from.saturating_sub(margin);
        (start, (from + length + margin).min(side) - start)
    };
    let (left, width) = range(found.left, found.width, width);
    let (top, height) = range(found.top, found.height, height);
    Crop { left, top, width, height }
}

impl Photo {
    /// The share of the area of the smallest rectangle around everything that differs from a plain background, in
    /// 0..=1: 0 if nothing does. `None` if the border is busy, so that the background is not plain.
    pub fn subject_share(&self) -> Option<f64> {
        let area = |width: u32, height: u32| f64::from(width) * f64::from(height);
        match subject(self) {
            Subject::Unknown => None,
            Subject::Nothing => Some(0.0),
            Subject::Within(found) => {
                Some(area(found.width, found.height) / area(self.width(), self.height()))
            }
        }
    }
}

fn subject(photo: &Photo) -> Subject {
    let (width, height) = (photo.width(), photo.height());
    let step = (width.max(height) / SAMPLES).max(1);
    let (pixels, _) = photo.rgb().as_chunks::<3>();
    let at = |x: u32, y: u32| pixels[y as usize * width as usize + x as usize];
    let columns = || (0..width).step_by(step as usize);
    let rows = || (0..height).step_by(step as usize);
    let border: Vec<[u8; 3]> = columns()
        .flat_map(|x| [at(x, 0), at(x, height - 1)])
        .chain(rows().flat_map(|y| [at(0, y), at(width - 1, y)]))
        .collect();
    let ground = [0, 1, 2].map(|channel| {
        let mut levels: Vec<u8> = border.iter().map(|pixel| pixel[channel]).collect();
        levels.sort_unstable();
        // The median: unlike a mean, it is not shifted by a part that touches the border.
        levels[levels.len() / 2]
    });
    let is_other = |pixel: [u8; 3]| {
        pixel.iter().zip(ground).any(|(level, ground)| level.abs_diff(ground) > GROUND_LEVELS)
    };
    let n_other = border.iter().filter(|&&pixel| is_other(pixel)).count();
    // With a busy border the background is not plain, and cropping could cut off text.
    if 100 * n_other > MOST_OTHER_PER_CENT * border.len() {
        return Subject::Unknown;
    }
    let other = || rows().flat_map(|y| columns().map(move |x| (x, y))).filter(|&(x, y)| is_other(at(x, y)));
    // Includes what lies between two samples.
    let range = |low: Option<u32>, high: Option<u32>, side: u32| {
        let from = low?.saturating_sub(step);
        Some((from, (high? + step + 1).min(side) - from))
    };
    let across = range(other().map(|(x, _)| x).min(), other().map(|(x, _)| x).max(), width);
    let down = range(other().map(|(_, y)| y).min(), other().map(|(_, y)| y).max(), height);
    across.zip(down).map_or(Subject::Nothing, |((left, width), (top, height))| {
        Subject::Within(Crop { left, top, width, height })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::PhotoFormat;

    fn photo(width: u32, height: u32, pixel: impl Fn(u32, u32) -> [u8; 3]) -> Photo {
        let rgb = (0..height).flat_map(|y| (0..width).map(move |x| (x, y))).flat_map(|(x, y)| pixel(x, y));
        Photo::from_rgb(width, height, rgb.collect(), PhotoFormat::Png).unwrap()
    }

    #[test]
    fn a_part_on_a_plain_ground_is_found_with_a_margin() {
        let part = |x, y| (100..160).contains(&x) && (40..60).contains(&y);
        let found = find(&photo(400, 200, |x, y| if part(x, y) { [90, 40, 30] } else { [250, 251, 252] }));
        assert_eq!(found, Crop { left: 91, top: 31, width: 78, height: 38 });
    }

    #[test]
    fn without_a_plain_ground_or_a_part_it_is_the_whole_photograph() {
        let whole = Crop { left: 0, top: 0, width: 300, height: 200 };
        assert_eq!(find(&photo(300, 200, |x, y| [x as u8, y as u8, 0])), whole);
        assert_eq!(find(&photo(300, 200, |_, _| [255; 3])), whole);
        assert_eq!(find(&photo(1, 1, |_, _| [7; 3])), Crop { left: 0, top: 0, width: 1, height: 1 });
    }
    #[test]
    fn the_share_of_a_part_is_that_of_the_rectangle_around_it() {
        let share = |pixel: &dyn Fn(u32, u32) -> [u8; 3]| photo(200, 100, pixel).subject_share();
        let part = |x, y| (100..160).contains(&x) && (40..60).contains(&y);
        // With a step of one pixel on each side.
        let expected = 62.0 * 22.0 / 20_000.0;
        assert_eq!(share(&|x, y| if part(x, y) { [90, 40, 30] } else { [250, 251, 252] }), Some(expected));
        let corners = |x, y| x + y < 2 || x + y > 296;
        assert_eq!(share(&|x, y| if corners(x, y) { [0; 3] } else { [200; 3] }), Some(1.0));
        assert_eq!(share(&|_, _| [128; 3]), Some(0.0), "nothing but background");
        assert_eq!(share(&|x, y| [x as u8, y as u8, 0]), None, "a busy background");
    }
}
