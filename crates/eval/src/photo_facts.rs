//! Facts of a photograph that need no model: light, sharpness, size, background, camera, hash.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use image::{RgbImage, imageops};
use partsight_app::{PhotoDecoder, camera_of, open_photo};

use crate::sha256::sha256_hex;

/// Longer side in pixels at which light and sharpness are measured, because sharpness depends on it. Smaller
/// photographs are not scaled.
const SIDE: u32 = 512;

/// Facts of one photograph.
#[derive(Debug, Clone, PartialEq)]
pub struct PhotoFacts {
    /// SHA-256 of the file, lower-case hex.
    pub sha256: String,
    /// Width in pixels, upright.
    pub width: u32,
    /// Height in pixels, upright.
    pub height: u32,
    /// Mean luminance, 0 (black) to 255.
    pub luminance: f64,
    /// Variance of the Laplacian of the luminance, at 512 pixels on the longer side; near 0 for a blurred photograph.
    pub sharpness: f64,
    /// Share of the area of the rectangle around the part, in 0..=1: 0 if nothing differs from the background; `None` on
    /// a busy background.
    pub subject: Option<f64>,
    /// Maker and model by EXIF.
    pub camera: Option<String>,
}

impl PhotoFacts {
    /// Reads a photograph; `None` on an error, which the evaluation itself reports.
    pub fn read(path: &Path, decoder: &PhotoDecoder) -> Option<Self> {
        // Checks the limits of a file before its bytes are read again for hash and EXIF.
        let photo = open_photo(path, decoder).ok()?;
        let mut bytes = Vec::new();
        let limit = u64::try_from(decoder.limits().max_bytes).ok()?;
        File::open(path).ok()?.take(limit).read_to_end(&mut bytes).ok()?;
        let (width, height) = (photo.width(), photo.height());
        let subject = photo.subject_share();
        let picture = RgbImage::from_raw(width, height, photo.into_rgb())?;
        let scale = (f64::from(SIDE) / f64::from(width.max(height))).min(1.0);
        let side = |length: u32| ((f64::from(length) * scale).round() as u32).max(1);
        let small = imageops::thumbnail(&picture, side(width), side(height));
        let luminances = luminances(&small);
        Some(Self {
            sha256: sha256_hex(&bytes),
            width,
            height,
            luminance: luminances.iter().sum::<f64>() / luminances.len() as f64,
            sharpness: laplacian_variance(&luminances, small.width() as usize),
            subject,
            camera: camera_of(&bytes),
        })
    }
}

/// Luma of each pixel by ITU-R BT.601, 0 to 255, `[height, width]`.
fn luminances(picture: &RgbImage) -> Vec<f64> {
    let luma = |[red, green, blue]: [u8; 3]| {
        0.299 * f64::from(red) + 0.587 * f64::from(green) + 0.114 * f64::from(blue)
    };
    picture.pixels().map(|pixel| luma(pixel.0)).collect()
}

/// Variance of the 4-neighbour Laplacian over the inner pixels of `[height, width]`; 0 without inner pixels. A measure
/// of sharpness (Pech-Pacheco et al., "Diatom autofocusing in brightfield microscopy", 2000).
fn laplacian_variance(values: &[f64], width: usize) -> f64 {
    let height = values.len() / width.max(1);
    if width < 3 || height < 3 {
        return 0.0;
    }
    let (mut sum, mut sum_of_squares) = (0.0, 0.0);
    for y in 1..height - 1 {
        for x in 1..width - 1 {
            let at = y * width + x;
            let value =
                values[at - 1] + values[at + 1] + values[at - width] + values[at + width] - 4.0 * values[at];
            sum += value;
            sum_of_squares += value * value;
        }
    }
    let n = ((width - 2) * (height - 2)) as f64;
    (sum_of_squares / n - (sum / n).powi(2)).max(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::assert_near;

    #[test]
    fn the_variance_of_the_laplacian_is_scipys() {
        // scipy.ndimage.laplace of [[(x * x + 3 * y * x + 7 * y) % 11 for x in range(6)] for y in range(5)], its inner
        // pixels, .var().
        let values: Vec<f64> =
            (0..5).flat_map(|y| (0..6).map(move |x| f64::from((x * x + 3 * y * x + 7 * y) % 11))).collect();
        assert_near(laplacian_variance(&values, 6), 244.520_833);
        assert_near(laplacian_variance(&[9.0; 25], 5), 0.0);
        assert_near(laplacian_variance(&[1.0, 2.0], 2), 0.0);
    }

    #[test]
    fn light_is_weighted_as_the_eye_sees_it() {
        let picture = RgbImage::from_raw(3, 1, vec![255, 255, 255, 0, 255, 0, 0, 0, 255]).unwrap();
        let found = luminances(&picture);
        for (found, expected) in found.iter().zip([255.0, 149.685, 29.07]) {
            assert_near(*found, expected);
        }
    }
}
