use partsight_inference::{Detail, Photo, PhotoLimits};

/// Small ones, so that many inputs can be tried; the rules are the same.
pub(crate) const LIMITS: PhotoLimits = PhotoLimits { max_bytes: 1 << 20, max_pixels: 1 << 20 };

/// Bytes that claim to be a photograph, of whichever format: whole, and at each of the smaller sizes.
pub(crate) fn photo(data: &[u8]) {
    let Ok(photo) = Photo::decode(data, &LIMITS) else {
        // What is refused whole may be read at less, or be refused for another reason.
        let _ = Photo::decode_at_least(data, &LIMITS, Detail::default());
        return;
    };
    for eighths in [1, 2, 4] {
        let [width, height] = [photo.width(), photo.height()].map(|side| (side * eighths).div_ceil(8));
        if let Ok(scaled) = Photo::decode_at_least(data, &LIMITS, Detail::covering(width, height)) {
            assert!(
                scaled.width() >= width && scaled.height() >= height,
                "{scaled:?} has fewer pixels than {width} x {height}"
            );
            assert_eq!(scaled.rgb().len() as u64, 3 * u64::from(scaled.width()) * u64::from(scaled.height()));
        }
    }
    let pixels = u64::from(photo.width()) * u64::from(photo.height());
    assert!((1..=LIMITS.max_pixels).contains(&pixels), "{photo:?} is outside the limits");
    assert_eq!(photo.rgb().len() as u64, 3 * pixels, "{photo:?} has another number of bytes");
}
