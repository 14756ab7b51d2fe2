//! HEIC, the default format of iPhones, decoded in pure Rust.

use heic_decoder::{
    HeifError,
    bitreader::strip_emulation_prevention,
    hevc::{
        nal::{NAL_SPS, parse_nal_header},
        params::parse_sps,
    },
    isobmff::{self, ParsedHeif},
};
use image::metadata::Orientation;

use super::{Decoded, PhotoError, PhotoFormat, PhotoHeader, PhotoLimits, check_pixels, damaged};
use crate::Result;

/// Maximum ratio of coded to shown pixels: tiles extend beyond the picture's edges, and an alpha plane doubles the
/// pixels.
const MAX_CODED_FACTOR: u64 = 3;

/// Pixels by which a picture may exceed the size in its container, for the edges of its coded blocks.
const MAX_PADDING_PIXELS: u64 = 1024 * 1024;

/// Decodes a file whose tables [`PhotoHeader::read`] has checked.
pub(super) fn decode(
    bytes: &[u8],
    header: &PhotoHeader,
    limits: &PhotoLimits,
) -> Result<Decoded, PhotoError> {
    let info = heic_decoder::probe(bytes).map_err(failure)?;
    let (width, height) = (info.coded_width as u64, info.coded_height as u64);
    check_pixels(width, height, limits)?;
    // The decoder reads the size from another place than `PhotoHeader`, for whose size memory was reserved.
    if width * height > header.pixels().saturating_add(MAX_PADDING_PIXELS) {
        return Err(damaged(PhotoFormat::Heic, "it states two sizes"));
    }
    let coded_pixels = coded_pixels(&isobmff::parse(bytes).map_err(failure)?).map_err(failure)?;
    if coded_pixels > limits.max_pixels.saturating_mul(MAX_CODED_FACTOR) {
        return Err(damaged(PhotoFormat::Heic, "its tiles hold far more pixels than the picture shows"));
    }
    // The returned picture is already assembled from its tiles, rotated and cropped.
    let picture = heic_decoder::decode(bytes).map_err(failure)?;
    let rgb = picture.to_rgb8().map_err(failure)?;
    // The decoder applies the container's rotation; by the standard only that one applies, and the EXIF orientation
    // is a copy that must not be applied again (ISO 23008-12, 6.5.10).
    Ok(Decoded {
        width: rgb.width as u32,
        height: rgb.height as u32,
        pixels: rgb.data,
        has_alpha: false,
        orientation: Orientation::NoTransforms,
    })
}

/// Pixels that decoding would allocate: those of every tile, even if cropped away later, and of the alpha plane. A
/// small picture can be cropped out of huge tiles, so its own size bounds nothing.
fn coded_pixels(picture: &ParsedHeif) -> heic_decoder::Result<u64> {
    let mut total = 0_u64;
    for image in picture.images.iter().chain(&picture.reference_image) {
        for nal in image.hevc_config.nalus_of_type(NAL_SPS) {
            let (_, payload) = parse_nal_header(nal)?;
            let sps = parse_sps(&strip_emulation_prevention(payload))?;
            let pixels = u64::from(sps.pic_width_in_luma_samples) * u64::from(sps.pic_height_in_luma_samples);
            total = total.saturating_add(pixels);
        }
    }
    match &picture.alpha {
        Some(alpha) => Ok(total.saturating_add(coded_pixels(&alpha.image)?)),
        None => Ok(total),
    }
}

fn failure(error: HeifError) -> PhotoError {
    match error {
        HeifError::Truncated { .. } => PhotoError::Truncated { format: PhotoFormat::Heic },
        _ => damaged(PhotoFormat::Heic, error),
    }
}
