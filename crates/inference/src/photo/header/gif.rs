//! GIF (89a): the screen, and the data of the first frame.

use super::{Claims, Problem, bytes::Cursor};

/// A code of LZW has at most 12 bits and stands for at most 4,096 pixels.
pub(super) const MOST_LZW_PER_BYTE: u64 = 2731;

/// Screen (indices, colours, the frame put into the screen) at four bytes a pixel each.
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
            // An image descriptor: left and top, then its size.
            0x2C => {
                cursor.take(4)?;
                break (u64::from(cursor.u16_le()?), u64::from(cursor.u16_le()?));
            }
            // An extension: its kind, then blocks that each begin with their length, up to an empty one.
            0x21 => {
                cursor.u8()?;
                while let length @ 1.. = cursor.u8()? {
                    cursor.take(u64::from(length))?;
                }
            }
            _ => return Err(Problem::Wrong("it holds no frame")),
        }
    };
    // The decoder makes room for the frame, but only the screen has been compared with the limits.
    if frame_width > width || frame_height > height {
        return Err(Problem::Wrong("its first frame is larger than its screen"));
    }
    Ok(Claims {
        width,
        height,
        bytes_per_pixel: BYTES_PER_PIXEL,
        // A first frame that leaves most of a large screen empty is no photograph either.
        most_pixels: cursor.rest().len() as u64 * MOST_LZW_PER_BYTE,
        ..Claims::default()
    })
}

fn colour_table_bytes(flags: u8) -> u64 {
    if flags & 0x80 == 0 { 0 } else { 3 << ((flags & 7) + 1) }
}
