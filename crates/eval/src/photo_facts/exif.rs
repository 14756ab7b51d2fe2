//! The camera's name in a photograph's EXIF block.

/// How EXIF begins, in JPEG and in HEIC alike.
const MARK: &[u8] = b"Exif\0\0";
const MAKE: u16 = 0x010F;
const MODEL: u16 = 0x0110;
const ASCII: u16 = 2;
/// Longest name that is taken over, in bytes.
const MAX_NAME: usize = 64;

/// Maker and model as EXIF states them, the maker once: `Canon EOS 80D`. `None` where it states no model.
///
/// EXIF 2.32: a TIFF header, then directory 0, of entries of 12 bytes: tag, type, count, and the value or its offset.
pub(super) fn camera(bytes: &[u8]) -> Option<String> {
    let start = bytes.windows(MARK.len()).position(|window| window == MARK)? + MARK.len();
    let block = Block::new(bytes.get(start..)?)?;
    let directory = block.u32(4)? as usize;
    let n_entries = usize::from(block.u16(directory)?);
    let (mut make, mut model) = (None, None);
    for index in 0..n_entries {
        let entry = directory.checked_add(2 + 12 * index)?;
        match block.u16(entry)? {
            MAKE => make = block.text(entry),
            MODEL => model = block.text(entry),
            _ => {}
        }
    }
    let model = model?;
    Some(match make {
        Some(make) if !model.to_lowercase().starts_with(&make.to_lowercase()) => format!("{make} {model}"),
        _ => model,
    })
}

/// A TIFF structure.
struct Block<'a> {
    bytes: &'a [u8],
    is_little_endian: bool,
}

impl<'a> Block<'a> {
    fn new(bytes: &'a [u8]) -> Option<Self> {
        let is_little_endian = match bytes.get(..4)? {
            b"II*\0" => true,
            b"MM\0*" => false,
            _ => return None,
        };
        Some(Self { bytes, is_little_endian })
    }

    fn array<const N: usize>(&self, at: usize) -> Option<[u8; N]> {
        let mut array: [u8; N] = self.bytes.get(at..at.checked_add(N)?)?.try_into().ok()?;
        if self.is_little_endian {
            array.reverse();
        }
        Some(array)
    }

    fn u16(&self, at: usize) -> Option<u16> {
        self.array(at).map(u16::from_be_bytes)
    }

    fn u32(&self, at: usize) -> Option<u32> {
        self.array(at).map(u32::from_be_bytes)
    }

    /// The text of a directory entry, without what a terminal or page could take for more than text.
    fn text(&self, entry: usize) -> Option<String> {
        if self.u16(entry + 2)? != ASCII {
            return None;
        }
        let length = self.u32(entry + 4)? as usize;
        let at = if length <= 4 { entry + 8 } else { self.u32(entry + 8)? as usize };
        let raw = self.bytes.get(at..at.checked_add(length.min(MAX_NAME))?)?;
        let raw = raw.split(|&byte| byte == 0).next()?;
        let text: String = String::from_utf8_lossy(raw).chars().filter(|c| !c.is_control()).collect();
        Some(text.trim().to_owned()).filter(|text| !text.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// A JPEG's beginning with directory 0 of these texts.
    fn exif(is_little_endian: bool, texts: &[(u16, &str)]) -> Vec<u8> {
        let u16 = |value: u16| if is_little_endian { value.to_le_bytes() } else { value.to_be_bytes() };
        let u32 = |value: u32| if is_little_endian { value.to_le_bytes() } else { value.to_be_bytes() };
        let mut block = if is_little_endian { b"II*\0".to_vec() } else { b"MM\0*".to_vec() };
        block.extend(u32(8));
        block.extend(u16(texts.len() as u16));
        let mut values = Vec::new();
        let first = 8 + 2 + 12 * texts.len() + 4;
        for (tag, text) in texts {
            let length = text.len() + 1;
            block.extend(u16(*tag));
            block.extend(u16(ASCII));
            block.extend(u32(length as u32));
            let mut value = text.as_bytes().to_vec();
            value.push(0);
            if length <= 4 {
                value.resize(4, 0);
                block.extend(value);
            } else {
                block.extend(u32((first + values.len()) as u32));
                values.extend(value);
            }
        }
        block.extend([0; 4]);
        block.extend(values);
        [b"\xff\xd8\xff\xe1\0\0Exif\0\0".to_vec(), block].concat()
    }

    #[test]
    fn the_camera_is_read_in_both_byte_orders() {
        for is_little_endian in [true, false] {
            let name = |texts: &[(u16, &str)]| camera(&exif(is_little_endian, texts));
            assert_eq!(name(&[(MAKE, "samsung"), (MODEL, "SM-G991B")]), Some("samsung SM-G991B".into()));
            assert_eq!(name(&[(MAKE, "Canon"), (MODEL, "Canon EOS 80D")]), Some("Canon EOS 80D".into()));
            assert_eq!(name(&[(0x0112, "x"), (MODEL, "X1")]), Some("X1".into()));
            assert_eq!(name(&[(MAKE, "Canon"), (MODEL, " ")]), None);
            assert_eq!(name(&[(MODEL, "a\u{1b}[31mb")]), Some("a[31mb".into()));
        }
        assert_eq!(camera(b"no picture"), None);
    }

    proptest! {
        #[test]
        fn damage_is_no_panic(
            at in 0_usize..80,
            value in any::<u8>(),
            cut in 0_usize..100,
            noise in prop::collection::vec(any::<u8>(), 0..64),
        ) {
            let mut bytes = exif(cut % 2 == 0, &[(MAKE, "samsung"), (MODEL, "SM-G991B")]);
            let last = bytes.len() - 1;
            bytes[at.min(last)] = value;
            bytes.truncate(bytes.len().saturating_sub(cut));
            let _ = camera(&bytes);
            let _ = camera(&[b"Exif\0\0II*\0".to_vec(), noise].concat());
        }
    }
}
