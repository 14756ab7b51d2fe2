//! Crops a line of text from a photograph, rotated upright.

use super::{detector::tensor_of, geometry::Rectangle, manifest::Recogniser};
use crate::{Photo, PhotoFormat};

/// Maximum sampling height of a line, as a multiple of the recogniser's height.
const MOST_SAMPLED: f32 = 3.0;
/// Smallest input width, in pixels: the recogniser halves the width several times.
const NARROWEST: u32 = 16;

/// The recogniser's input for a line: f32 `[3, height, width]`.
pub(super) struct LineTensor {
    pub(super) width: usize,
    pub(super) height: usize,
    pub(super) values: Vec<f32>,
}

/// Samples the rectangle in the photograph's resolution, then resizes it to the recogniser's height.
pub(super) fn tensor(photo: &Photo, rectangle: &Rectangle, recogniser: &Recogniser) -> LineTensor {
    let height = recogniser.height;
    let aspect = rectangle.width() / rectangle.height().max(1.0);
    let width = ((height as f32 * aspect).ceil() as u32).clamp(NARROWEST, recogniser.max_width);
    // Sampled near the photograph's own resolution and then shrunk with antialiasing: sampling directly at the
    // recogniser's height would skip pixels of a large line.
    let sampled_height = rectangle.height().round().clamp(1.0, MOST_SAMPLED * height as f32) as u32;
    let most = f32::from(u16::MAX).min(MOST_SAMPLED * width as f32);
    let sampled_width = (sampled_height as f32 * aspect).round().clamp(1.0, most) as u32;
    let rgb = sample(photo, rectangle, sampled_width, sampled_height);
    let line = Photo::from_rgb(sampled_width, sampled_height, rgb, PhotoFormat::Png)
        .expect("BUG: as many bytes as the size that they were sampled for");
    let image = line.resized(width, height);
    let values = tensor_of(&image.rgb, [recogniser.mean; 3], [recogniser.std; 3]);
    LineTensor { width: width as usize, height: height as usize, values }
}

/// `[height, width, 3]` u8, by bilinear interpolation; border pixels extend beyond the photograph.
fn sample(photo: &Photo, rectangle: &Rectangle, width: u32, height: u32) -> Vec<u8> {
    let (columns, rows) = (photo.width() as usize, photo.height() as usize);
    let (pixels, _) = photo.rgb().as_chunks::<3>();
    let mut rgb = Vec::with_capacity(3 * (width * height) as usize);
    for y in 0..height {
        for x in 0..width {
            let place = rectangle.at((x as f32 + 0.5) / width as f32, (y as f32 + 0.5) / height as f32);
            // The centre of the first pixel is half a pixel inside the photograph.
            let clamped = |place: f32, side: usize| (place - 0.5).clamp(0.0, (side - 1) as f32);
            let (across, down) = (clamped(place[0], columns), clamped(place[1], rows));
            let (left, top) = (across as usize, down as usize);
            let (right, bottom) = ((left + 1).min(columns - 1), (top + 1).min(rows - 1));
            let (to_right, to_bottom) = (across - left as f32, down - top as f32);
            let at = |x: usize, y: usize| pixels[y * columns + x].map(f32::from);
            let between = |one: [f32; 3], other: [f32; 3], share: f32| -> [f32; 3] {
                std::array::from_fn(|channel| one[channel] * (1.0 - share) + other[channel] * share)
            };
            let upper = between(at(left, top), at(right, top), to_right);
            let lower = between(at(left, bottom), at(right, bottom), to_right);
            rgb.extend(between(upper, lower, to_bottom).map(|value| value.round() as u8));
        }
    }
    rgb
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Red is the column and green the row.
    fn photo() -> Photo {
        let rgb = (0..20_u8).flat_map(|y| (0..30_u8).flat_map(move |x| [x, y, 0])).collect();
        Photo::from_rgb(30, 20, rgb, PhotoFormat::Png).unwrap()
    }

    #[test]
    fn a_rectangle_is_sampled_from_where_its_text_begins() {
        let corners = [[4.0, 2.0], [12.0, 2.0], [12.0, 6.0], [4.0, 6.0]];
        let upright = sample(&photo(), &Rectangle { corners }, 8, 4);
        assert_eq!((&upright[..3], &upright[3 * 31..]), (&[4, 2, 0][..], &[11, 5, 0][..]));
        let turned = sample(&photo(), &Rectangle { corners }.turned(), 8, 4);
        assert_eq!((&turned[..3], &turned[3 * 31..]), (&[11, 5, 0][..], &[4, 2, 0][..]));
        let from_the_top_down = Rectangle { corners: [[12.0, 2.0], [12.0, 10.0], [8.0, 10.0], [8.0, 2.0]] };
        let sampled = sample(&photo(), &from_the_top_down, 8, 4);
        assert_eq!((&sampled[..3], &sampled[3 * 31..]), (&[11, 2, 0][..], &[8, 9, 0][..]));
    }

    #[test]
    fn beyond_the_photograph_its_border_goes_on() {
        let corners = [[-8.0, -8.0], [0.0, -8.0], [0.0, 0.0], [-8.0, 0.0]];
        assert!(sample(&photo(), &Rectangle { corners }, 4, 4).iter().all(|&value| value == 0));
    }
}
