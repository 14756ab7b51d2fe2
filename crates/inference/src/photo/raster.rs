//! PNG, WebP, GIF, BMP and TIFF, through the `image` crate.

use std::io::{Cursor, ErrorKind};

use image::{
    DynamicImage, ImageDecoder, ImageError, ImageFormat, ImageReader, Limits, metadata::Orientation,
};

use super::{Alpha, Decoded, PhotoError, PhotoFormat, PhotoHeader, PhotoLimits, check_pixels, damaged};
use crate::Result;

/// Allocation limit in addition to the pixels: palettes, lines, dictionaries.
const DECODER_BYTES: u64 = 16 * 1024 * 1024;

pub(super) fn decode(
    bytes: &[u8],
    header: &PhotoHeader,
    limits: &PhotoLimits,
    alpha: Alpha,
) -> Result<Decoded, PhotoError> {
    let format = header.format();
    let failure = |error| failure(format, error);
    let bytes = header.without_removable_chunks(bytes);
    let reader = ImageReader::with_format(Cursor::new(bytes.as_ref()), image_format(format));
    let mut decoder = reader.into_decoder().map_err(failure)?;
    let (width, height) = decoder.dimensions();
    if (width, height) != (header.width(), header.height()) {
        return Err(damaged(format, "it states two sizes"));
    }
    // A pixel of 16 bits or floats takes up to 16 bytes while decoding; the limit assumes 4.
    let deep = PhotoLimits { max_pixels: limits.max_pixels / bytes_over_four(&decoder), ..*limits };
    check_pixels(u64::from(width), u64::from(height), &deep)?;
    let mut allocation = Limits::no_limits();
    // Twice the output: several decoders have their own buffer in addition to it.
    allocation.max_alloc = Some(decoder.total_bytes().saturating_mul(2).saturating_add(DECODER_BYTES));
    decoder.set_limits(allocation).map_err(failure)?;
    // A damaged EXIF block is ignored.
    let orientation = decoder.orientation().unwrap_or(Orientation::NoTransforms);
    let mut picture = DynamicImage::from_decoder(decoder).map_err(failure)?;
    if alpha == Alpha::Kept && picture.color().has_alpha() {
        picture.apply_orientation(orientation);
        let picture = picture.into_rgba8();
        let (width, height) = picture.dimensions();
        return Ok(Decoded {
            width,
            height,
            pixels: picture.into_raw(),
            has_alpha: true,
            orientation: Orientation::NoTransforms,
        });
    }
    Ok(Decoded { width, height, pixels: over_white(picture), has_alpha: false, orientation })
}

/// Bytes per decoded pixel in units of four, rounded up.
fn bytes_over_four(decoder: &impl ImageDecoder) -> u64 {
    u64::from(decoder.color_type().bytes_per_pixel()).div_ceil(4).max(1)
}

fn image_format(format: PhotoFormat) -> ImageFormat {
    match format {
        PhotoFormat::Png => ImageFormat::Png,
        PhotoFormat::WebP => ImageFormat::WebP,
        PhotoFormat::Gif => ImageFormat::Gif,
        PhotoFormat::Bmp => ImageFormat::Bmp,
        PhotoFormat::Tiff => ImageFormat::Tiff,
        PhotoFormat::Jpeg | PhotoFormat::Heic => {
            unreachable!("BUG: these formats have decoders of their own")
        }
    }
}

/// 8-bit RGB, composited over white.
fn over_white(picture: DynamicImage) -> Vec<u8> {
    if !picture.color().has_alpha() {
        return picture.into_rgb8().into_raw();
    }
    let mut rgba = picture.into_rgba8().into_raw();
    let n_pixels = rgba.len() / 4;
    // In place: the write position (3 bytes per pixel) never passes the read position (4 bytes).
    for pixel in 0..n_pixels {
        let alpha = u32::from(rgba[4 * pixel + 3]);
        for channel in 0..3 {
            let value = u32::from(rgba[4 * pixel + channel]);
            // Adding half of 255 makes the truncating division round to nearest.
            rgba[3 * pixel + channel] = ((value * alpha + 255 * (255 - alpha) + 127) / 255) as u8;
        }
    }
    rgba.truncate(3 * n_pixels);
    rgba
}

fn failure(format: PhotoFormat, error: ImageError) -> PhotoError {
    let ends_early = |io: &std::io::Error| io.kind() == ErrorKind::UnexpectedEof;
    match &error {
        ImageError::IoError(io) if ends_early(io) => PhotoError::Truncated { format },
        _ => damaged(format, error),
    }
}
