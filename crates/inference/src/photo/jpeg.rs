//! JPEG, the format of nearly every photograph: at full size by `zune-jpeg`, the fastest decoder in pure Rust; at
//! reduced size by our own.

mod bits;
mod coefficients;
mod colour;
mod huffman;
mod inverse;
mod scaled;
mod segments;
mod writer;

use image::metadata::Orientation;
use zune_core::{bytestream::ZCursor, colorspace::ColorSpace, options::DecoderOptions};
use zune_jpeg::{JpegDecoder, errors::DecodeErrors};

use super::{Decoded, Detail, PhotoError, PhotoFormat, PhotoHeader, damaged, exif, orientation};
use crate::Result;
use colour::Colours;
use scaled::Scaled;
pub use writer::write_jpeg;

/// Decodes a file whose size, scans and end [`PhotoHeader::read`] has checked, to enough pixels for `detail`.
pub(super) fn decode(bytes: &[u8], header: &PhotoHeader, detail: Detail) -> Result<Decoded, PhotoError> {
    let options = DecoderOptions::default()
        .jpeg_set_out_colorspace(ColorSpace::RGB)
        // The decoder must not read a larger size than the one for which memory was reserved.
        .set_max_width(header.width() as usize)
        .set_max_height(header.height() as usize);
    let mut decoder = JpegDecoder::new_with_options(ZCursor::new(bytes), options);
    decoder.decode_headers().map_err(failure)?;
    let Some(info) = decoder.info() else {
        return Err(damaged(PhotoFormat::Jpeg, "no frame header"));
    };
    let (width, height) = (u32::from(info.width), u32::from(info.height));
    if (width, height) != (header.width(), header.height()) {
        return Err(damaged(PhotoFormat::Jpeg, "it states two sizes"));
    }
    let orientation = decoder
        .exif()
        // The decoder has the last of several blocks, and other programs go by the first.
        .and_then(|last| Orientation::from_exif_chunk(exif::first_block(bytes).unwrap_or(last)))
        .unwrap_or(Orientation::NoTransforms);
    let (upright_width, upright_height) = orientation::upright(orientation, width, height);
    // `detail` refers to the upright photograph, but the file may be rotated.
    let eighths = detail.eighths(upright_width, upright_height);
    let colours = match decoder.input_colorspace() {
        Some(ColorSpace::Luma) => Some(Colours::Grey),
        Some(ColorSpace::YCbCr) => Some(Colours::YCbCr),
        // Three colours in an Adobe file that are called CMYK are RGB; four colours are left to the other decoder.
        Some(ColorSpace::RGB | ColorSpace::CMYK) => Some(Colours::Rgb),
        _ => None,
    };
    if let Some(colours) = colours.filter(|_| eighths < 8)
        && let Some(Scaled { width, height, rgb }) = scaled::decode(bytes, header, colours, eighths)?
    {
        return Ok(Decoded { width, height, pixels: rgb, has_alpha: false, orientation });
    }
    // Strict about the pixels, or the decoder would fill unreadable parts with grey; lenient about the headers,
    // where cameras leave stray bytes.
    decoder.set_options(options.set_strict_mode(true));
    let rgb = decoder.decode().map_err(failure)?;
    // All later code relies on this length.
    if rgb.len() as u64 != 3 * u64::from(width) * u64::from(height) {
        return Err(damaged(PhotoFormat::Jpeg, "the picture has another size than its header says"));
    }
    Ok(Decoded { width, height, pixels: rgb, has_alpha: false, orientation })
}

fn failure(error: DecodeErrors) -> PhotoError {
    match error {
        DecodeErrors::ExhaustedData => PhotoError::Truncated { format: PhotoFormat::Jpeg },
        DecodeErrors::IoErrors(io) if io.is_recoverable_eof() => {
            PhotoError::Truncated { format: PhotoFormat::Jpeg }
        }
        other => damaged(PhotoFormat::Jpeg, other),
    }
}
