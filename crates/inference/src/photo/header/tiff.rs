//! TIFF 6.0: the first directory, and the lengths of its strips or tiles.

use super::{Claims, Problem, bytes::Cursor, gif::MOST_LZW_PER_BYTE, png::MOST_INFLATED_PER_BYTE};

/// Maximum number of tags in a directory. The standard has about eighty, cameras add a few dozen.
const MAX_ENTRIES: u16 = 512;

/// Maximum number of strips or tiles of a picture.
const MAX_PARTS: u64 = 65_536;

/// Fax and JPEG data may encode white areas in almost no bits; up to this size, that of a camera, any file is read.
const ALWAYS_PLAUSIBLE_PIXELS: u64 = 16 * 1024 * 1024;

/// Tiles may extend beyond the picture, and are decoded as a whole.
const MAX_TILE_PIXELS: u64 = 4 * 1024 * 1024;

pub(super) fn read(bytes: &[u8]) -> Result<Claims, Problem> {
    let is_big_endian = bytes.starts_with(b"MM");
    let start = Reader { cursor: Cursor::seek(bytes, 4), is_big_endian }.u32()?;
    let mut directory = Reader { cursor: Cursor::seek(bytes, u64::from(start)), is_big_endian };
    let n_entries = directory.u16()?;
    if n_entries > MAX_ENTRIES {
        return Err(Problem::Wrong("its directory has more than 512 entries"));
    }
    let mut tags = Tags::default();
    for _ in 0..n_entries {
        let (tag, kind, count) = (directory.u16()?, directory.u16()?, u64::from(directory.u32()?));
        let value = directory.cursor;
        directory.cursor.take(4)?;
        if is_decoded(tag) && count > MAX_PARTS {
            return Err(Problem::Wrong("its directory claims more values than a picture has"));
        }
        tags.note(tag, &Values { bytes, value, kind, count, is_big_endian })?;
    }
    tags.claims(bytes.len() as u64)
}

/// Tags that describe how pixels are stored. The decoder allocates about 32 bytes for every value that such an
/// entry claims, before it checks that the file has them. It skips the others, such as descriptions and profiles.
fn is_decoded(tag: u16) -> bool {
    matches!(
        tag,
        254..=259 | 262 | 266 | 273 | 274 | 277..=279 | 282..=284 | 296 | 317 | 320 | 322..=325 | 338 | 339 | 347 | 530..=532
    )
}

/// The values of the relevant tags.
struct Tags {
    width: u64,
    height: u64,
    bits: u64,
    samples: u64,
    compression: u64,
    tile: (u64, u64),
    data_bytes: u64,
}

impl Default for Tags {
    fn default() -> Self {
        Self { width: 0, height: 0, bits: 1, samples: 1, compression: 1, tile: (0, 0), data_bytes: 0 }
    }
}

impl Tags {
    fn note(&mut self, tag: u16, values: &Values<'_>) -> Result<(), Problem> {
        match tag {
            256 => self.width = values.first()?,
            257 => self.height = values.first()?,
            258 => self.bits = values.first()?,
            259 => self.compression = values.first()?,
            277 => self.samples = values.first()?,
            322 => self.tile.0 = values.first()?,
            323 => self.tile.1 = values.first()?,
            // Lengths of strips, and of tiles.
            279 | 325 => self.data_bytes += values.sum()?,
            _ => {}
        }
        Ok(())
    }

    fn claims(&self, size_bytes: u64) -> Result<Claims, Problem> {
        // Used as divisors below: at least 1, and at most what any format has.
        let (samples, bits) = (self.samples.clamp(1, 8), self.bits.clamp(1, 64));
        // Strips that share their bytes could claim any number of pixels.
        let data_bytes = match self.data_bytes {
            0 => size_bytes,
            // Then no pixels are plausible, so only a picture below `ALWAYS_PLAUSIBLE_PIXELS` of the header passes.
            shared if shared > size_bytes => 0,
            data_bytes => data_bytes,
        };
        let pixels = self.width.saturating_mul(self.height);
        let tile_pixels = self.tile.0.saturating_mul(self.tile.1);
        if tile_pixels > MAX_TILE_PIXELS.max(pixels.saturating_mul(2)) {
            return Err(Problem::Wrong("its tiles are far larger than the picture"));
        }
        let raw = |times: u64| data_bytes.saturating_mul(8 * times) / (samples * bits);
        let most_pixels = match self.compression {
            1 => raw(1),
            5 => raw(MOST_LZW_PER_BYTE),
            8 | 32_946 => raw(MOST_INFLATED_PER_BYTE),
            // PackBits: 128 bytes encoded in two.
            32_773 => raw(64),
            _ => raw(1).max(ALWAYS_PLAUSIBLE_PIXELS),
        };
        // The decoder fills its own buffer before it returns the picture.
        let decoded = samples.max(3) * bits.div_ceil(8);
        Ok(Claims {
            width: self.width,
            height: self.height,
            bytes_per_pixel: 2 * decoded + 4,
            most_pixels,
            ..Claims::default()
        })
    }
}

/// The values of an entry: inside it if they fit in four bytes, otherwise at an offset.
struct Values<'a> {
    bytes: &'a [u8],
    value: Cursor<'a>,
    kind: u16,
    count: u64,
    is_big_endian: bool,
}

impl<'a> Values<'a> {
    fn reader(&self) -> Result<Reader<'a>, Problem> {
        let here = Reader { cursor: self.value, is_big_endian: self.is_big_endian };
        if self.count * self.size()? <= 4 {
            return Ok(here);
        }
        let offset = u64::from(Reader { ..here }.u32()?);
        Ok(Reader { cursor: Cursor::seek(self.bytes, offset), ..here })
    }

    fn size(&self) -> Result<u64, Problem> {
        match self.kind {
            1 => Ok(1),
            3 => Ok(2),
            4 => Ok(4),
            _ => Err(Problem::Wrong("its directory states a size that is no number")),
        }
    }

    fn first(&self) -> Result<u64, Problem> {
        self.reader()?.number(self.kind)
    }

    fn sum(&self) -> Result<u64, Problem> {
        // The limit on the count bounds the time, since each value is read.
        if self.count > MAX_PARTS {
            return Err(Problem::Wrong("it has more than 65536 strips or tiles"));
        }
        let mut reader = self.reader()?;
        (0..self.count).try_fold(0, |sum, _| Ok(sum + reader.number(self.kind)?))
    }
}

#[derive(Clone, Copy)]
struct Reader<'a> {
    cursor: Cursor<'a>,
    is_big_endian: bool,
}

impl Reader<'_> {
    fn u16(&mut self) -> Result<u16, Problem> {
        if self.is_big_endian { self.cursor.u16_be() } else { self.cursor.u16_le() }
    }

    fn u32(&mut self) -> Result<u32, Problem> {
        if self.is_big_endian { self.cursor.u32_be() } else { self.cursor.u32_le() }
    }

    fn number(&mut self, kind: u16) -> Result<u64, Problem> {
        Ok(match kind {
            1 => u64::from(self.cursor.u8()?),
            3 => u64::from(self.u16()?),
            _ => u64::from(self.u32()?),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_entry_claims_more_values_than_pictures_have() {
        const STRIP_OFFSETS: u16 = 273;
        const DESCRIPTION: u16 = 270;
        let most = u32::try_from(MAX_PARTS).unwrap();
        let cases = [
            ("three strips", STRIP_OFFSETS, 3, true),
            ("as many as may be", STRIP_OFFSETS, most, true),
            ("one more", STRIP_OFFSETS, most + 1, false),
            ("all that can be said", STRIP_OFFSETS, u32::MAX, false),
            ("a long description", DESCRIPTION, 1_000_000, true),
        ];
        for (what, tag, count, expected) in cases {
            let little =
                [b"II*\0\x08\0\0\0\x01\0", &tag.to_le_bytes()[..], b"\x04\0", &count.to_le_bytes(), &[0; 8]];
            let big =
                [b"MM\0*\0\0\0\x08\0\x01", &tag.to_be_bytes()[..], b"\0\x04", &count.to_be_bytes(), &[0; 8]];
            let is_read = |file: &[u8]| {
                !matches!(
                    read(file),
                    Err(Problem::Wrong("its directory claims more values than a picture has"))
                )
            };
            assert_eq!(is_read(&little.concat()), expected, "{what}");
            assert_eq!(is_read(&big.concat()), expected, "{what}, the other way round");
        }
    }
}
