//! Finds the part of a photograph that is not plain background.

use crate::{Photo, resize::Crop};

/// Number of samples along the longer side.
const SAMPLES: u32 = 256;
/// A pixel that differs from the background by more than this in any channel is foreground; noise and compression
/// stay below.
const GROUND_LEVELS: u8 = 24;
/// The border is plain if at most this percentage of its samples is foreground.
const MOST_OTHER_PER_CENT: usize = 10;

/// The smallest rectangle around all foreground, with a margin. The whole photograph if its border is not plain, or
/// if there is no foreground.
pub(super) fn find(photo: &Photo) -> Crop {
    let (width, height) = (photo.width(), photo.height());
    let whole = Crop { left: 0, top: 0, width, height };
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
        return whole;
    }
    let other = || rows().flat_map(|y| columns().map(move |x| (x, y))).filter(|&(x, y)| is_other(at(x, y)));
    // Includes what lies between two samples.
    let margin = step + width.max(height) / 50;
    let range = |low: Option<u32>, high: Option<u32>, side: u32| {
        let from = low?.saturating_sub(margin);
        Some((from, (high? + margin + 1).min(side) - from))
    };
    let across = range(other().map(|(x, _)| x).min(), other().map(|(x, _)| x).max(), width);
    let down = range(other().map(|(_, y)| y).min(), other().map(|(_, y)| y).max(), height);
    across.zip(down).map_or(whole, |((left, width), (top, height))| Crop { left, top, width, height })
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
}
