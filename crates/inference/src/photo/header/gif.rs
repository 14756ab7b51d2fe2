//! GIF (89a): the screen size, and the data of the first frame.

use super::{Claims, Problem, bytes::Cursor};

/// An LZW code of at most 12 bits represents at most 4,096 pixels.
pub(super) const MOST_LZW_PER_BYTE: u64 = 2731;

/// Indices, colours, and the frame composed into the screen, at four bytes per pixel each.
const BYTES_PER_PIXEL: u64 = 12;

pub(super) fn read(bytes: &[u8]) -> Result<Claims, Problem> {
    let mut cursor = Cursor::seek(bytes, 6);
    let (width, height) = (u64::from(cursor.u16_le()?), u64::from(cursor.u16_le()?));
    let flags = cursor.u8()?;
    // Background colour and aspect ratio.
    cursor.take(2)?;
    cursor.take(colour_table_bytes(flags))?;
    let (frame_width, frame_height) = loop {
        match cursor.u8()? {
            // An image descriptor: left and top, then the frame's size.
            0x2C => {
                cursor.take(4)?;
                break (u64::from(cursor.u16_le()?), u64::from(cursor.u16_le()?));
            }
            // An extension: its kind, then blocks that each start with their length, up to an empty one.
            0x21 => {
                cursor.u8()?;
                while let length @ 1.. = cursor.u8()? {
                    cursor.take(u64::from(length))?;
                }
            }
            _ => return Err(Problem::Wrong("it holds no frame")),
        }
    };
    // The decoder allocates the frame, but only the screen was compared with the limits.
    if frame_width > width || frame_height > height {
        return Err(Problem::Wrong("its first frame is larger than its screen"));
    }
    Ok(Claims {
        width,
        height,
        bytes_per_pixel: BYTES_PER_PIXEL,
        // The frame may be smaller than the screen, but a mostly empty large screen is not a photograph.
        most_pixels: cursor.rest().len() as u64 * MOST_LZW_PER_BYTE,
        ..Claims::default()
    })
}

fn colour_table_bytes(flags: u8) -> u64 {
    if flags & 0x80 == 0 { 0 } else { 3 << ((flags & 7) + 1) }
}
