//! Reads the camera and the time of capture from a photograph's EXIF block.
//!
//! EXIF 2.32: a TIFF header, then directory 0 with entries of 12 bytes: tag, type, count, and the value or its
//! offset. One entry points to another directory, which holds the settings of the exposure.

/// Start of an EXIF block, in JPEG and in HEIC.
const MARK: &[u8] = b"Exif\0\0";
const MAKE: u16 = 0x010F;
const MODEL: u16 = 0x0110;
const CAMERA_DIRECTORY: u16 = 0x8769;
/// `DateTimeOriginal`.
const CAPTURED: u16 = 0x9003;
const ASCII: u16 = 2;
/// Longest text that is read, in bytes.
const MAX_TEXT: usize = 64;

/// Make and model in the EXIF block, without repeating the make: `Canon EOS 80D`. `None` without a model.
pub fn camera_of(bytes: &[u8]) -> Option<String> {
    let block = Block::find(bytes)?;
    let directory = block.first()?;
    let (make, model) = (block.text(directory, MAKE), block.text(directory, MODEL)?);
    Some(match make {
        Some(make) if !model.to_lowercase().starts_with(&make.to_lowercase()) => format!("{make} {model}"),
        _ => model,
    })
}

/// Time of capture by the camera's clock, without a time zone: `2026:11:20 14:03:59`. `None` without it.
pub fn captured_at(bytes: &[u8]) -> Option<String> {
    let block = Block::find(bytes)?;
    let pointer = block.entry(block.first()?, CAMERA_DIRECTORY)?;
    block.text(block.u32(pointer + 8)? as usize, CAPTURED)
}

/// From the first EXIF block of a file to the end of the file.
pub(super) fn first_block(bytes: &[u8]) -> Option<&[u8]> {
    // Searched instead of walking through the container, so that it works for JPEG and HEIC.
    let start = memchr::memmem::find(bytes, MARK)? + MARK.len();
    bytes.get(start..)
}

/// A TIFF structure.
struct Block<'a> {
    bytes: &'a [u8],
    is_little_endian: bool,
}

impl<'a> Block<'a> {
    fn find(bytes: &'a [u8]) -> Option<Self> {
        Self::new(first_block(bytes)?)
    }

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

    /// Offset of directory 0.
    fn first(&self) -> Option<usize> {
        Some(self.u32(4)? as usize)
    }

    /// Offset of the entry of a tag.
    fn entry(&self, directory: usize, tag: u16) -> Option<usize> {
        let n_entries = usize::from(self.u16(directory)?);
        // Entries of 12 bytes follow the 2 bytes of their count. Offsets beyond the end find nothing.
        let entries = (0..n_entries).map_while(|index| directory.checked_add(2 + 12 * index));
        entries.into_iter().find(|&entry| self.u16(entry) == Some(tag))
    }

    /// The text of a tag, without control characters.
    fn text(&self, directory: usize, tag: u16) -> Option<String> {
        let entry = self.entry(directory, tag)?;
        if self.u16(entry + 2)? != ASCII {
            return None;
        }
        let length = self.u32(entry + 4)? as usize;
        // Up to four bytes are stored in the entry itself.
        let at = if length <= 4 { entry + 8 } else { self.u32(entry + 8)? as usize };
        let raw = self.bytes.get(at..at.checked_add(length.min(MAX_TEXT))?)?;
        let raw = raw.split(|&byte| byte == 0).next()?;
        let text: String = String::from_utf8_lossy(raw).chars().filter(|c| !c.is_control()).collect();
        Some(text.trim().to_owned()).filter(|text| !text.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The start of a JPEG whose directory 0 has these texts.
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
            let name = |texts: &[(u16, &str)]| camera_of(&exif(is_little_endian, texts));
            assert_eq!(name(&[(MAKE, "samsung"), (MODEL, "SM-G991B")]), Some("samsung SM-G991B".into()));
            assert_eq!(name(&[(MAKE, "Canon"), (MODEL, "Canon EOS 80D")]), Some("Canon EOS 80D".into()));
            assert_eq!(name(&[(0x0112, "x"), (MODEL, "X1")]), Some("X1".into()));
            assert_eq!(name(&[(MAKE, "Canon"), (MODEL, " ")]), None);
            assert_eq!(name(&[(MODEL, "a\u{1b}[31mb")]), Some("a[31mb".into()));
        }
        assert_eq!(camera_of(b"no picture"), None);
    }

    #[test]
    fn the_time_is_read_from_the_directory_of_the_picture() {
        for is_little_endian in [true, false] {
            let inner = exif(is_little_endian, &[(CAPTURED, "2026:11:20 14:03:59")]);
            assert_eq!(captured_at(&inner), None, "it stands in the wrong directory");
            // Directory 0 has only a pointer to the other directory behind it; offsets count from the same start.
            let u16 = |value: u16| if is_little_endian { value.to_le_bytes() } else { value.to_be_bytes() };
            let u32 = |value: u32| if is_little_endian { value.to_le_bytes() } else { value.to_be_bytes() };
            let mut block = if is_little_endian { b"II*\0".to_vec() } else { b"MM\0*".to_vec() };
            block.extend(u32(8));
            for (tag, kind, count, value) in [(CAMERA_DIRECTORY, 4, 1, 26), (CAPTURED, ASCII, 20, 44)] {
                block.extend(u16(1));
                block.extend([u16(tag), u16(kind)].concat());
                block.extend([u32(count), u32(value), u32(0)].concat());
            }
            block.extend(b"2026:11:20 14:03:59\0");
            let photo = [b"\xff\xd8\xff\xe1\0\0Exif\0\0".to_vec(), block].concat();
            assert_eq!(captured_at(&photo), Some("2026:11:20 14:03:59".into()));
            assert_eq!(camera_of(&photo), None);
        }
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
            let _ = (camera_of(&bytes), captured_at(&bytes));
            let _ = camera_of(&[b"Exif\0\0II*\0".to_vec(), noise].concat());
        }
    }
}
