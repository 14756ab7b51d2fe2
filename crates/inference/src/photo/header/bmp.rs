//! Windows bitmaps: the header, and whether the pixel data is long enough.

use super::{Claims, Problem, bytes::Cursor};

/// A run of at most 255 pixels takes two bytes.
const MOST_RUN_PIXELS_PER_BYTE: u64 = 128;

pub(super) fn read(bytes: &[u8]) -> Result<Claims, Problem> {
    let mut cursor = Cursor::seek(bytes, 10);
    let data_start = u64::from(cursor.u32_le()?);
    let header_bytes = cursor.u32_le()?;
    let (width, height, bits, compression);
    // The OS/2 header, with 16-bit sides.
    if header_bytes == 12 {
        (width, height) = (u64::from(cursor.u16_le()?), u64::from(cursor.u16_le()?));
        cursor.u16_le()?;
        (bits, compression) = (u64::from(cursor.u16_le()?), 0);
    } else {
        // A negative height means that the rows are stored from the top.
        width = u64::from(cursor.u32_le()?.cast_signed().unsigned_abs());
        height = u64::from(cursor.u32_le()?.cast_signed().unsigned_abs());
        cursor.u16_le()?;
        (bits, compression) = (u64::from(cursor.u16_le()?), cursor.u32_le()?);
    }
    if !matches!(bits, 1 | 2 | 4 | 8 | 16 | 24 | 32) {
        return Err(Problem::Wrong("its header states an unknown depth"));
    }
    let data_bytes = (bytes.len() as u64).saturating_sub(data_start);
    let most_pixels = match compression {
        // Run-length encoding of 8 and 4 bits.
        1 | 2 => data_bytes * MOST_RUN_PIXELS_PER_BYTE,
        _ => data_bytes * 8 / bits,
    };
    Ok(Claims { width, height, bytes_per_pixel: 4 + 4, most_pixels, ..Claims::default() })
}
