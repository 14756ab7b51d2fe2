//! JPEG, the format of nearly every photograph, by the fastest decoder in plain Rust.

use image::metadata::Orientation;
use zune_core::{bytestream::ZCursor, colorspace::ColorSpace, options::DecoderOptions};
use zune_jpeg::{JpegDecoder, errors::DecodeErrors};

use super::{Decoded, PhotoFormat, PhotoHeader, damaged};
use crate::{Error, Result};

/// Decodes a file whose size, scans and end [`PhotoHeader::read`] has checked.
pub(super) fn decode(bytes: &[u8], header: &PhotoHeader) -> Result<Decoded> {
    let options = DecoderOptions::default()
        .jpeg_set_out_colorspace(ColorSpace::RGB)
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
    // Strict about the pixels, or the decoder fills what it cannot read with grey; lenient about the
    // headers before, where cameras leave stray bytes.
    decoder.set_options(options.set_strict_mode(true));
    let rgb = decoder.decode().map_err(failure)?;
    if rgb.len() as u64 != 3 * u64::from(width) * u64::from(height) {
        return Err(damaged(PhotoFormat::Jpeg, "the picture has another size than its header says"));
    }
    let orientation = decoder
        .exif()
        .and_then(|exif| Orientation::from_exif_chunk(exif))
        .unwrap_or(Orientation::NoTransforms);
    Ok(Decoded { width, height, pixels: rgb, has_alpha: false, orientation })
}

fn failure(error: DecodeErrors) -> Error {
    match error {
        DecodeErrors::ExhaustedData => Error::Truncated { format: PhotoFormat::Jpeg },
        DecodeErrors::IoErrors(io) if io.is_recoverable_eof() => {
            Error::Truncated { format: PhotoFormat::Jpeg }
        }
        other => damaged(PhotoFormat::Jpeg, other),
    }
}
