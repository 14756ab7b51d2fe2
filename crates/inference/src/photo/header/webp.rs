//! WebP (RFC 9649): the canvas size, and the size of the metadata.

use super::{Claims, Problem, bytes::Cursor};

/// A single colour takes no bits in a lossless picture, and almost none in a lossy one: up to this size, that of a
/// camera, any file is read.
const ALWAYS_PLAUSIBLE_PIXELS: u64 = 16 * 1024 * 1024;

/// For larger pictures: one of a single colour with 48 megapixels by libwebp has a third of this.
const MOST_PIXELS_PER_BYTE: u64 = 65_536;

/// Colours of the canvas, of the frame composed into it, and of the output.
const BYTES_PER_PIXEL: u64 = 14;

const HEADER_BYTES: usize = 12;
/// Position, size, duration and flags before the data of an animation frame.
const FRAME_HEADER_BYTES: usize = 16;

pub(super) fn read(bytes: &[u8]) -> Result<Claims, Problem> {
    let mut chunks = Cursor::seek(bytes, 12);
    let (kind, body) = next(&mut chunks)?;
    let mut body = Cursor::new(body);
    let (width, height) = match &kind {
        b"VP8X" => {
            body.take(4)?;
            (1 + u24(&mut body)?, 1 + u24(&mut body)?)
        }
        b"VP8L" => {
            if body.u8()? != 0x2F {
                return Err(Problem::Wrong("its lossless data has no signature"));
            }
            let sides = u64::from(body.u32_le()?);
            (1 + (sides & 0x3FFF), 1 + (sides >> 14 & 0x3FFF))
        }
        b"VP8 " => {
            // Frame tag and start code (RFC 6386, 9.1); the two highest bits of each side are only a scaling hint.
            body.take(6)?;
            (u64::from(body.u16_le()? & 0x3FFF), u64::from(body.u16_le()? & 0x3FFF))
        }
        _ => return Err(Problem::Wrong("its first chunk is no picture")),
    };
    let mut exif_bytes = 0;
    // A broken chunk after the picture is no reason to refuse it.
    while let Ok((kind, body)) = next(&mut chunks) {
        if kind == *b"EXIF" {
            exif_bytes = exif_bytes.max(body.len() as u64);
        }
    }
    // The decoder allocates a frame before it compares it with the canvas: a picture of one pixel could take 400
    // MB.
    if !frames_fit(bytes, width, height) {
        return Err(Problem::Wrong("a frame is larger than the picture"));
    }
    Ok(Claims {
        width,
        height,
        bytes_per_pixel: BYTES_PER_PIXEL,
        most_pixels: (bytes.len() as u64 * MOST_PIXELS_PER_BYTE).max(ALWAYS_PLAUSIBLE_PIXELS),
        exif_bytes,
        ..Claims::default()
    })
}

/// The next chunk; if the file ends inside it, the bytes present.
fn next<'a>(chunks: &mut Cursor<'a>) -> Result<([u8; 4], &'a [u8]), Problem> {
    let kind = chunks.kind()?;
    let length = u64::from(chunks.u32_le()?);
    // Chunks start at even positions.
    let padded = length + length % 2;
    let there = padded.min(chunks.rest().len() as u64);
    let body = chunks.take(there)?;
    Ok((kind, &body[..body.len().min(usize::try_from(length).unwrap_or(usize::MAX))]))
}

fn u24(cursor: &mut Cursor<'_>) -> Result<u64, Problem> {
    Ok(u64::from(cursor.u16_le()?) | u64::from(cursor.u8()?) << 16)
}

/// Whether every frame fits in a canvas of `width` by `height` pixels.
fn frames_fit(bytes: &[u8], width: u64, height: u64) -> bool {
    chunks(bytes.get(HEADER_BYTES..).unwrap_or_default()).all(|(kind, body)| match &kind {
        // An animation frame contains chunks.
        b"ANMF" => chunks(body.get(FRAME_HEADER_BYTES..).unwrap_or_default())
            .all(|(kind, body)| fits(kind, body, width, height)),
        _ => fits(kind, body, width, height),
    })
}

/// Whether a chunk holds no picture, or one of at most this size.
fn fits(kind: [u8; 4], body: &[u8], width: u64, height: u64) -> bool {
    let claimed = match &kind {
        // After the frame tag and start code; the two highest bits of each side are only a scaling hint (RFC 6386,
        // 9.1).
        b"VP8 " => body.get(6..10).map(|size| {
            let side = |at: usize| u64::from(u16::from_le_bytes([size[at], size[at + 1]]) & 0x3fff);
            (side(0), side(2))
        }),
        // After a signature, 14 bits for each side minus one (RFC 9649, 3.4).
        b"VP8L" => body.get(1..5).and_then(<[u8]>::first_chunk::<4>).map(|size| {
            let sides = u64::from(u32::from_le_bytes(*size));
            ((sides & 0x3fff) + 1, (sides >> 14 & 0x3fff) + 1)
        }),
        _ => None,
    };
    claimed.is_none_or(|(frame_width, frame_height)| frame_width <= width && frame_height <= height)
}

/// Kind and body of each chunk; if the file ends inside one, the bytes present.
fn chunks(mut rest: &[u8]) -> impl Iterator<Item = ([u8; 4], &[u8])> {
    std::iter::from_fn(move || {
        let (kind, after) = rest.split_first_chunk::<4>()?;
        let (length, after) = after.split_first_chunk::<4>()?;
        let length = u32::from_le_bytes(*length) as usize;
        let body = &after[..length.min(after.len())];
        // Chunks start at even positions.
        rest = after.get(length.saturating_add(length % 2)..).unwrap_or_default();
        Some((*kind, body))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chunk(kind: [u8; 4], body: &[u8]) -> Vec<u8> {
        let length = u32::try_from(body.len()).unwrap();
        let padding = &[0][..body.len() % 2];
        [&kind[..], &length.to_le_bytes(), body, padding].concat()
    }

    #[test]
    fn a_frame_is_no_larger_than_its_canvas() {
        let lossy = |width: u16, height: u16| {
            chunk(*b"VP8 ", &[&[0; 6][..], &width.to_le_bytes(), &height.to_le_bytes(), &[0]].concat())
        };
        let lossless = |width: u64, height: u64| {
            let sides = (width - 1) | (height - 1) << 14;
            chunk(*b"VP8L", &[&[0x2f][..], &sides.to_le_bytes()].concat())
        };
        let animated = |frame: Vec<u8>| chunk(*b"ANMF", &[vec![0; FRAME_HEADER_BYTES], frame].concat());
        let cases = [
            ("lossy", lossy(30, 20), true),
            ("lossy and scaled", lossy(30 + 0x4000, 20 + 0x8000), true),
            ("too wide", lossy(31, 20), false),
            ("too high", lossy(30, 16_383), false),
            ("lossless", lossless(30, 20), true),
            ("lossless and too wide", lossless(31, 20), false),
            ("lossless and too high", lossless(1, 16_384), false),
            ("animated", animated(lossy(30, 20)), true),
            ("animated and too wide", animated(lossless(31, 1)), false),
            ("after others", [chunk(*b"ICCP", b"odd"), lossy(31, 20)].concat(), false),
            ("cut off", lossy(31, 20)[..12].to_vec(), true),
            ("no chunk", b"VP8".to_vec(), true),
        ];
        for (what, frames, expected) in cases {
            let file = [b"RIFF\0\0\0\0WEBP".to_vec(), frames].concat();
            assert_eq!(frames_fit(&file, 30, 20), expected, "{what}");
        }
    }
}
