//! JPEG, the format of nearly every photograph, by the fastest decoder in plain Rust.

use image::metadata::Orientation;
use zune_core::{bytestream::ZCursor, colorspace::ColorSpace, options::DecoderOptions};
use zune_jpeg::{JpegDecoder, errors::DecodeErrors};

use super::{Decoded, PhotoFormat, PhotoLimits, check_pixels, damaged};
use crate::{Error, Result};

/// Largest side that the format can state; the limit on pixels is the one that counts here.
const MAX_SIDE: usize = 65_535;

/// Scans of a progressive file. Encoders write about ten; a file with thousands of almost empty ones
/// costs a full pass over the picture for each.
const MAX_SCANS: usize = 64;

pub(super) fn decode(bytes: &[u8], limits: &PhotoLimits) -> Result<Decoded> {
    let options = DecoderOptions::default()
        .jpeg_set_out_colorspace(ColorSpace::RGB)
        .set_max_width(MAX_SIDE)
        .set_max_height(MAX_SIDE)
        .jpeg_set_max_scans(MAX_SCANS);
    let mut decoder = JpegDecoder::new_with_options(ZCursor::new(bytes), options);
    decoder.decode_headers().map_err(failure)?;
    let Some(info) = decoder.info() else {
        return Err(damaged(PhotoFormat::Jpeg, "no frame header"));
    };
    let (width, height) = (u32::from(info.width), u32::from(info.height));
    if height == 0 {
        // The height may follow the first scan (a DNL marker), but then no limit holds before decoding.
        return Err(damaged(PhotoFormat::Jpeg, "the header leaves the height open"));
    }
    check_pixels(u64::from(width), u64::from(height), limits)?;
    if !ends_with_its_picture(bytes) {
        return Err(Error::Truncated { format: PhotoFormat::Jpeg });
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
    Ok(Decoded { width, height, rgb, orientation })
}

/// Whether an end-of-image marker follows the last scan (ITU-T T.81, B.1.1).
///
/// The decoder notices a missing end only between rows of blocks, and not in the last one. A file that was
/// cut and then closed with a marker passes: its missing blocks decode as flat grey, in every decoder.
fn ends_with_its_picture(bytes: &[u8]) -> bool {
    const END: u8 = 0xD9;
    const START_OF_SCAN: u8 = 0xDA;
    let mut rest = bytes.get(2..).unwrap_or_default();
    let mut is_in_scan = false;
    loop {
        // Inside a scan 0xFF 0x00 is data, and 0xD0 to 0xD7 only part the scan into intervals.
        let Some(at) = rest.iter().position(|&byte| byte == 0xFF) else { return false };
        let Some(&marker) = rest.get(at + 1) else { return false };
        match marker {
            0xFF => rest = &rest[at + 1..],
            0x00 | 0x01 | 0xD0..=0xD7 => rest = &rest[at + 2..],
            END if is_in_scan => return true,
            _ => {
                is_in_scan |= marker == START_OF_SCAN;
                let length = rest
                    .get(at + 2..at + 4)
                    .map_or(0, |length| usize::from(length[0]) << 8 | usize::from(length[1]));
                let Some(after) = rest.get(at + 2 + length..) else { return false };
                rest = after;
            }
        }
    }
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
