//! What a camera writes into a file beside the picture. Every photograph of these tests carries it, so that every test
//! with a fake shows that it does not leave (`recorder.rs`).

use image::GenericImageView;

use crate::pictures::crc32;
use crate::recorder::{BEHIND, CAMERA, COMMENT, OWNER, PLACE};

/// The file with EXIF data (camera, time and place), XMP data and a comment in it, where its format has room for them,
/// and something behind its end.
pub(crate) fn planted(file: &[u8]) -> Vec<u8> {
    let mut planted = match file {
        [0xff, 0xd8, ..] => in_jpeg(file),
        [0x89, b'P', b'N', b'G', ..] => in_png(file),
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => in_webp(file),
        // The other formats end where they say, and what lies behind is nobody's.
        _ => [file, CAMERA, PLACE, OWNER, COMMENT].concat(),
    };
    // Some cameras put a second picture there.
    planted.extend(BEHIND);
    planted
}

/// Camera, time and place in the form of EXIF 2.32: a TIFF with one directory and one of GPS.
fn exif() -> Vec<u8> {
    let entry = |tag: u16, kind: u16, count: u32, value: u32| {
        [&tag.to_be_bytes()[..], &kind.to_be_bytes(), &count.to_be_bytes(), &value.to_be_bytes()].concat()
    };
    let length = |text: &[u8]| u32::try_from(text.len()).unwrap() + 1;
    let mut tiff = b"MM\0*\0\0\0\x08".to_vec();
    // Make and time lie at 200 and 240, the GPS directory at 80, the latitude at 160.
    tiff.extend(3_u16.to_be_bytes());
    tiff.extend(entry(0x010f, 2, length(CAMERA), 200));
    tiff.extend(entry(0x0132, 2, 20, 240));
    tiff.extend(entry(0x8825, 4, 1, 80));
    tiff.resize(80, 0);
    tiff.extend(2_u16.to_be_bytes());
    tiff.extend(entry(0x0001, 2, 2, u32::from_be_bytes(*b"N\0\0\0")));
    tiff.extend(entry(0x0002, 5, 3, 160));
    tiff.resize(160, 0);
    tiff.extend(PLACE);
    tiff.resize(200, 0);
    tiff.extend(CAMERA);
    tiff.resize(240, 0);
    tiff.extend(b"2027:01:15 08:00:00\0");
    tiff
}

fn xmp() -> Vec<u8> {
    [b"<x:xmpmeta>owner ", OWNER, b"</x:xmpmeta>"].concat()
}

fn in_jpeg(file: &[u8]) -> Vec<u8> {
    let segment = |marker: u8, payload: &[u8]| {
        let length = u16::try_from(payload.len() + 2).unwrap().to_be_bytes();
        [&[0xff, marker], &length[..], payload].concat()
    };
    let exif = segment(0xe1, &[b"Exif\0\0", &exif()[..]].concat());
    let xmp = segment(0xe1, &[b"http://ns.adobe.com/xap/1.0/\0", &xmp()[..]].concat());
    [&file[..2], &exif, &xmp, &segment(0xfe, COMMENT), &file[2..]].concat()
}

fn in_png(file: &[u8]) -> Vec<u8> {
    let chunk = |kind: &[u8; 4], payload: &[u8]| {
        let length = u32::try_from(payload.len()).unwrap().to_be_bytes();
        let checked = [kind, payload].concat();
        [&length[..], &checked, &crc32(&checked).to_be_bytes()].concat()
    };
    let xmp = [b"XML:com.adobe.xmp\0\0\0\0\0", &xmp()[..]].concat();
    let comment = [b"Comment\0", COMMENT].concat();
    let chunks = [chunk(b"eXIf", &exif()), chunk(b"iTXt", &xmp), chunk(b"tEXt", &comment)].concat();
    // Behind the signature and the header, which is always of one length.
    [&file[..33], &chunks, &file[33..]].concat()
}

fn in_webp(file: &[u8]) -> Vec<u8> {
    let chunk = |kind: &[u8; 4], payload: &[u8]| {
        let length = u32::try_from(payload.len()).unwrap().to_le_bytes();
        let padding = vec![0; payload.len() % 2];
        [kind, &length[..], payload, &padding].concat()
    };
    // The simple form of the file has no room; the extended one begins with what is in it and how large it is.
    let (width, height) = image::load_from_memory(file).unwrap().dimensions();
    let size = |pixels: u32| (pixels - 1).to_le_bytes()[..3].to_vec();
    let (exif_flag, xmp_flag) = (8, 4);
    let header = [&[exif_flag | xmp_flag, 0, 0, 0][..], &size(width), &size(height)].concat();
    let xmp = [&xmp(), COMMENT].concat();
    let chunks =
        [&chunk(b"VP8X", &header)[..], &file[12..], &chunk(b"EXIF", &exif()), &chunk(b"XMP ", &xmp)].concat();
    let length = u32::try_from(chunks.len() + 4).unwrap().to_le_bytes();
    [b"RIFF", &length[..], b"WEBP", &chunks].concat()
}

#[cfg(test)]
mod tests {
    use image::ImageFormat;

    use crate::{pictures, recorder};

    #[test]
    fn every_picture_carries_every_secret_and_shows_what_it_showed() {
        let formats = [
            ImageFormat::Jpeg,
            ImageFormat::Png,
            ImageFormat::WebP,
            ImageFormat::Gif,
            ImageFormat::Bmp,
            ImageFormat::Tiff,
        ];
        for format in formats {
            let file = pictures::rotor(|picture| picture.thumbnail(64, 64), format);
            for secret in
                [recorder::CAMERA, recorder::PLACE, recorder::OWNER, recorder::COMMENT, recorder::BEHIND]
            {
                assert!(file.windows(secret.len()).any(|found| found == secret), "{format:?}");
            }
            assert_eq!(image::load_from_memory(&file).unwrap().width(), 64, "{format:?}");
        }
        let others = [
            pictures::golden("rim"),
            pictures::plain(),
            pictures::blocks(1, 0),
            pictures::animated_rotor(),
            pictures::huge_png(),
            pictures::cmyk_jpeg(),
        ];
        for file in others {
            assert!(recorder::secret_in(&file).is_some());
        }
    }
}
