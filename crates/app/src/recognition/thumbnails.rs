//! Thumbnails of photographs.

use partsight_inference::{Detail, PhotoFormat, RgbImage, write_jpeg};

use super::pixels::Pixels;

/// Longer side, in pixels: a tile of the history, on a display of twice the density.
const SIDE: u32 = 256;
/// The detail that a thumbnail needs of a photograph.
pub(crate) const DETAIL: Detail = Detail::fitting(SIDE, SIDE);
/// Largest thumbnail in bytes; most have 8,000 to 15,000.
pub(crate) const MAX_BYTES: usize = 20_000;
/// JPEG qualities, tried in this order until the thumbnail fits; the last one always does.
const QUALITIES: [u8; 5] = [75, 60, 40, 20, 5];

/// A JPEG with at most 256 pixels a side and 20,000 bytes, of the same proportions, without the metadata of the
/// camera.
pub(crate) fn thumbnail(pixels: &Pixels<'_>) -> Vec<u8> {
    encoded(&pixels.fitted(SIDE))
}

fn encoded(small: &RgbImage) -> Vec<u8> {
    let mut jpeg = Vec::new();
    for quality in QUALITIES {
        jpeg = write_jpeg(small, quality);
        if jpeg.len() <= MAX_BYTES {
            break;
        }
    }
    jpeg
}

/// The media type of a file of this format.
pub(crate) const fn media_type(format: PhotoFormat) -> &'static str {
    match format {
        PhotoFormat::Jpeg => "image/jpeg",
        PhotoFormat::Png => "image/png",
        PhotoFormat::WebP => "image/webp",
        PhotoFormat::Gif => "image/gif",
        PhotoFormat::Bmp => "image/bmp",
        PhotoFormat::Tiff => "image/tiff",
        PhotoFormat::Heic => "image/heic",
        // A format that a later version of the decoder may support.
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use partsight_inference::{Photo, PhotoLimits};

    use super::*;

    fn photo(width: u32, height: u32, pixel: impl Fn(u32) -> u8) -> Photo {
        let rgb = (0..width * height * 3).map(pixel).collect();
        Photo::from_rgb(width, height, rgb, PhotoFormat::Png).unwrap()
    }

    #[test]
    fn small_pictures_keep_the_proportions_and_are_never_enlarged() {
        let limits = PhotoLimits::default();
        for (from, to) in
            [((1280, 720), (256, 144)), ((300, 3000), (26, 256)), ((40, 30), (40, 30)), ((1, 1), (1, 1))]
        {
            let jpeg = encoded(&photo(from.0, from.1, |_| 200).fitted(SIDE));
            let small = Photo::decode(&jpeg, &limits).unwrap();
            assert_eq!((small.width(), small.height()), to, "{from:?}");
            let worst = small.rgb().iter().map(|&value| value.abs_diff(200)).max();
            assert!(worst <= Some(3), "{worst:?}");
        }
    }

    #[test]
    fn a_picture_of_noise_fits_as_well() {
        // Multiplicative hashing: no two neighbours are alike, the worst for a JPEG.
        let noise = photo(512, 512, |index| (index.wrapping_mul(2_654_435_761) >> 13) as u8);
        let jpeg = encoded(&noise.fitted(SIDE));
        assert!(jpeg.len() <= MAX_BYTES, "{}", jpeg.len());
    }
}
