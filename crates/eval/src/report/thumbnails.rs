use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use partsight_app::{PhotoDecoder, open_photo, write_jpeg};
use rayon::iter::{IntoParallelRefIterator, ParallelIterator};

/// Maximum of the longer side, in pixels.
const SIDE: u32 = 160;
/// JPEG quality, 1 to 100; about 6 kB for a picture.
const JPEG_QUALITY: u8 = 75;

/// Thumbnails of photographs as `data:` URLs, in order; `None` for a photograph that can no longer be read.
pub(super) fn thumbnails(paths: &[&Path], decoder: &PhotoDecoder) -> Vec<Option<String>> {
    paths.par_iter().map(|path| thumbnail(path, decoder)).collect()
}

fn thumbnail(path: &Path, decoder: &PhotoDecoder) -> Option<String> {
    Some(format!("data:image/jpeg;base64,{}", STANDARD.encode(small_jpeg(path, decoder)?)))
}

/// The thumbnail of a photograph as JPEG; `None` if the photograph can no longer be read.
pub(crate) fn small_jpeg(path: &Path, decoder: &PhotoDecoder) -> Option<Vec<u8>> {
    let photo = open_photo(path, decoder).ok()?;
    Some(write_jpeg(&photo.fitted(SIDE), JPEG_QUALITY))
}
