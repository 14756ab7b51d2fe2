//! PNG (W3C, third edition): the header chunk, and the total length of the data chunks.

use super::{Claims, Problem, bytes::Cursor};

const SIGNATURE_BYTES: u64 = 8;

/// DEFLATE encodes at most 258 bytes in two bits (RFC 1951): 1032 per byte.
pub(super) const MOST_INFLATED_PER_BYTE: u64 = 1032;

pub(super) fn read(bytes: &[u8]) -> Result<Claims, Problem> {
    let mut chunks = Chunks(Cursor::seek(bytes, SIGNATURE_BYTES));
    let (first, header) = chunks.next()?;
    if first.kind != *b"IHDR" {
        return Err(Problem::Wrong("its first chunk is no header"));
    }
    let mut header = Cursor::new(header);
    let (width, height) = (u64::from(header.u32_be()?), u64::from(header.u32_be()?));
    let (depth, colour) = (u64::from(header.u8()?), header.u8()?);
    // Only these values of the colour type are defined.
    let samples: u64 = match colour {
        0 | 3 => 1,
        4 => 2,
        2 => 3,
        6 => 4,
        _ => return Err(Problem::Wrong("its header states an unknown kind of colour")),
    };
    if !matches!(depth, 1 | 2 | 4 | 8 | 16) {
        return Err(Problem::Wrong("its header states an unknown depth"));
    }
    let (mut data_bytes, mut exif_bytes, mut has_removable_chunks) = (0, 0, false);
    // After a broken chunk, the decoder decides; so it does if the end is missing.
    while let Ok((chunk, body)) = chunks.next() {
        match &chunk.kind {
            b"IDAT" => data_bytes += body.len() as u64,
            b"eXIf" => exif_bytes = exif_bytes.max(body.len() as u64),
            b"IEND" => break,
            kind => has_removable_chunks |= is_removable(*kind),
        }
    }
    // The chunk in which the file ends may still contain rows.
    data_bytes += chunks.0.rest().len() as u64;
    // Palettes and transparency decode to up to four bytes per pixel, and 16-bit channels are reduced to 8 bits.
    let decoded = if colour == 3 { 4 } else { (samples + 1).min(4) * depth.div_ceil(8) };
    Ok(Claims {
        width,
        height,
        bytes_per_pixel: decoded + 4,
        most_pixels: data_bytes * MOST_INFLATED_PER_BYTE * 8 / (samples * depth),
        exif_bytes,
        has_removable_chunks,
        ..Claims::default()
    })
}

/// Chunks that the decoder would inflate or keep, although they change no pixel: a colour profile of 500 KB can
/// inflate to 500 MB.
fn is_removable(kind: [u8; 4]) -> bool {
    matches!(&kind, b"iCCP" | b"zTXt" | b"iTXt" | b"tEXt")
}

/// The same file without these chunks.
pub(super) fn without_removable_chunks(bytes: &[u8]) -> Vec<u8> {
    let mut kept = Vec::with_capacity(bytes.len());
    let mut chunks = Chunks(Cursor::seek(bytes, SIGNATURE_BYTES));
    let mut kept_until = 0;
    // Data chunks are copied unchanged: their checksums stay valid, and nothing is inflated.
    while let Ok((chunk, _)) = chunks.next() {
        if is_removable(chunk.kind) {
            kept.extend_from_slice(&bytes[kept_until..chunk.start]);
            kept_until = chunks.0.position();
        }
        if chunk.kind == *b"IEND" {
            break;
        }
    }
    kept.extend_from_slice(&bytes[kept_until..]);
    kept
}

struct Chunk {
    start: usize,
    kind: [u8; 4],
}

struct Chunks<'a>(Cursor<'a>);

impl<'a> Chunks<'a> {
    /// The next chunk and its data; after an error the position is that of the broken chunk.
    fn next(&mut self) -> Result<(Chunk, &'a [u8]), Problem> {
        let mut cursor = self.0;
        let start = cursor.position();
        let length = u64::from(cursor.u32_be()?);
        let kind = cursor.kind()?;
        let body = cursor.take(length)?;
        cursor.u32_be()?;
        self.0 = cursor;
        Ok((Chunk { start, kind }, body))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chunk(kind: [u8; 4], body: &[u8]) -> Vec<u8> {
        // The checksum is not verified here.
        [&(body.len() as u32).to_be_bytes()[..], &kind, body, &[0; 4]].concat()
    }

    #[test]
    fn profiles_and_texts_are_taken_out_and_the_rest_stays_as_it_is() {
        let start =
            [&b"\x89PNG\r\n\x1A\n"[..], &chunk(*b"IHDR", &[0, 0, 0, 9, 0, 0, 0, 9, 8, 2, 0, 0, 0])].concat();
        let (data, end) = (chunk(*b"IDAT", &[1, 2, 3]), chunk(*b"IEND", &[]));
        let removed: Vec<u8> =
            [b"iCCP", b"zTXt", b"iTXt", b"tEXt"].iter().flat_map(|&&kind| chunk(kind, &[7; 50])).collect();
        let kept = chunk(*b"gAMA", &[0, 0, 0, 1]);
        let file = [&start[..], &removed, &kept, &data, &removed, &end, b"behind the end"].concat();
        assert!(read(&file).unwrap().has_removable_chunks);
        let expected = [&start[..], &kept, &data, &end, b"behind the end"].concat();
        assert_eq!(without_removable_chunks(&file), expected);
        assert!(!read(&expected).unwrap().has_removable_chunks);
    }
}
