use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use partsight_app::{PhotoDecoder, open_photo, write_jpeg};
use rayon::iter::{IntoParallelRefIterator, ParallelIterator};

/// Maximum of the longer side, in pixels.
pub(super) const SIDE: u32 = 160;
/// The same for the pictures beside a picture.
pub(super) const SMALL_SIDE: u32 = 96;
/// JPEG quality, 1 to 100; about 6 kB for a picture.
const JPEG_QUALITY: u8 = 75;

/// Thumbnails of photographs as `data:` URLs, in order, whose longer side has `side` pixels; `None` for a photograph
/// that can no longer be read.
pub(super) fn thumbnails(paths: &[&Path], decoder: &PhotoDecoder, side: u32) -> Vec<Option<String>> {
    let url = |jpeg: Vec<u8>| format!("data:image/jpeg;base64,{}", STANDARD.encode(jpeg));
    paths.par_iter().map(|path| jpeg_of(path, decoder, side).map(url)).collect()
}

/// The thumbnail of a photograph as JPEG; `None` if the photograph can no longer be read.
pub(crate) fn small_jpeg(path: &Path, decoder: &PhotoDecoder) -> Option<Vec<u8>> {
    jpeg_of(path, decoder, SIDE)
}

fn jpeg_of(path: &Path, decoder: &PhotoDecoder, side: u32) -> Option<Vec<u8>> {
    let photo = open_photo(path, decoder).ok()?;
    Some(write_jpeg(&photo.fitted(side), JPEG_QUALITY))
}
