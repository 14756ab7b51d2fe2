//! Photographs as sent to the judge.

use image::codecs::jpeg::JpegEncoder;
use image::{ExtendedColorType, ImageBuffer, Rgb, imageops};
use partsight_inference::{Detail, Photo};

/// Longer side, in pixels. The vision models that we know downscale larger images themselves, and charge more.
const SIDE: u32 = 1024;
/// Resolution at which a photograph is decoded for the judge.
pub(crate) const DETAIL: Detail = Detail::fitting(SIDE, SIDE);
/// Keeps embossed part numbers legible; a photograph has 100 to 250 KB.
const QUALITY: u8 = 85;

/// A JPEG of at most 1024 pixels a side, with the same aspect ratio and never enlarged. It is encoded from the upright
/// pixels, so that it has no metadata such as place, time and camera. `None` if encoding fails.
pub(crate) fn judge_photo(photo: &Photo) -> Option<Vec<u8>> {
    let (width, height) = (photo.width(), photo.height());
    let picture = ImageBuffer::<Rgb<u8>, &[u8]>::from_raw(width, height, photo.rgb())?;
    let mut jpeg = Vec::new();
    let mut encode = |rgb: &[u8], width, height| {
        JpegEncoder::new_with_quality(&mut jpeg, QUALITY).encode(rgb, width, height, ExtendedColorType::Rgb8)
    };
    let longer = width.max(height);
    if longer <= SIDE {
        encode(photo.rgb(), width, height).ok()?;
    } else {
        // At least 1 pixel, even for a very narrow photograph.
        let side =
            |length: u32| ((f64::from(length) * f64::from(SIDE) / f64::from(longer)).round() as u32).max(1);
        let small = imageops::thumbnail(&picture, side(width), side(height));
        encode(small.as_raw(), small.width(), small.height()).ok()?;
    }
    Some(jpeg)
}

#[cfg(test)]
mod tests {
    use partsight_inference::{PhotoFormat, PhotoLimits};

    use super::*;

    #[test]
    fn photographs_are_bounded_and_keep_their_proportions() {
        for (from, to) in
            [((4000, 3000), (1024, 768)), ((300, 3000), (102, 1024)), ((40, 30), (40, 30)), ((1, 1), (1, 1))]
        {
            let rgb = vec![120; from.0 * from.1 * 3];
            let photo = Photo::from_rgb(from.0 as u32, from.1 as u32, rgb, PhotoFormat::Png).unwrap();
            let sent = Photo::decode(&judge_photo(&photo).unwrap(), &PhotoLimits::default()).unwrap();
            assert_eq!((sent.width(), sent.height()), to, "{from:?}");
            assert!(sent.rgb().iter().all(|value| value.abs_diff(120) <= 3));
        }
    }
}
