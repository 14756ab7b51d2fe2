use partsight_app::part_code;
use partsight_inference::{Photo, PhotoFormat, find_codes};

/// Longest sides of a picture that is made of the bytes, in pixels.
const MOST_ROWS: usize = 255;

/// The grey pixels of a picture, row by row, after a byte with its width: what is found on it lies in it, and can be shown.
pub(crate) fn codes(data: &[u8]) {
    let Some((&width, levels)) = data.split_first() else { return };
    let width = usize::from(width).max(1);
    let height = (levels.len() / width).min(MOST_ROWS);
    let rgb = levels[..width * height].iter().flat_map(|&level| [level; 3]).collect();
    let Ok(photo) = Photo::from_rgb(width as u32, height as u32, rgb, PhotoFormat::Png) else { return };
    for code in find_codes(&photo) {
        assert!(!code.text.is_empty(), "{code:?} holds nothing");
        let is_finite = code.corners.iter().flatten().all(|place| place.is_finite());
        assert!(is_finite, "{code:?} lies nowhere");
        if let Some((part, text)) = part_code(&code) {
            assert!(!text.is_empty() && !text.chars().any(char::is_control), "{text:?} cannot be shown");
            let _ = (part.numbers(&text), part.vin(&text));
        }
    }
}
