use partsight_inference::{Photo, PhotoLimits};

/// Small ones, so that many inputs can be tried; the rules are the same.
pub(crate) const LIMITS: PhotoLimits = PhotoLimits { max_bytes: 1 << 20, max_pixels: 1 << 20 };

/// Bytes that claim to be a photograph, of whichever format.
pub(crate) fn photo(data: &[u8]) {
    let Ok(photo) = Photo::decode(data, &LIMITS) else { return };
    let pixels = u64::from(photo.width()) * u64::from(photo.height());
    assert!((1..=LIMITS.max_pixels).contains(&pixels), "{photo:?} is outside the limits");
    assert_eq!(photo.rgb().len() as u64, 3 * pixels, "{photo:?} has another number of bytes");
}
