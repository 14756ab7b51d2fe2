//! Limits hold before anything is allocated: huge pictures are refused by their headers alone.

use std::time::{Duration, Instant};

use partsight_inference::{Error, Photo, PhotoLimits};

use crate::common::{decode, fixture};

#[test]
fn more_bytes_than_allowed_are_refused() {
    let bytes = fixture("baseline.jpg");
    let limits = PhotoLimits { max_bytes: bytes.len() - 1, ..PhotoLimits::default() };
    let error = Photo::decode(&bytes, &limits).expect_err("one byte too many");
    assert!(
        matches!(error, Error::TooManyBytes { size_bytes, limit_bytes } if size_bytes == limit_bytes + 1)
    );
    let exact = PhotoLimits { max_bytes: bytes.len(), ..PhotoLimits::default() };
    assert!(Photo::decode(&bytes, &exact).is_ok());
}

#[test]
fn the_pixel_limit_is_inclusive() {
    for name in ["baseline.jpg", "scene.png"] {
        let bytes = fixture(name);
        let exact = PhotoLimits { max_pixels: 96 * 64, ..PhotoLimits::default() };
        assert!(Photo::decode(&bytes, &exact).is_ok(), "{name}");
        let less = PhotoLimits { max_pixels: 96 * 64 - 1, ..PhotoLimits::default() };
        let error = Photo::decode(&bytes, &less).expect_err(name);
        assert!(
            matches!(error, Error::TooManyPixels { width: 96, height: 64, limit_pixels: 6143 }),
            "{error:?}"
        );
    }
    let less = PhotoLimits { max_pixels: 150 * 100 - 1, ..PhotoLimits::default() };
    assert!(matches!(Photo::decode(&fixture("grid.heic"), &less), Err(Error::TooManyPixels { .. })));
}

#[test]
fn pixels_of_16_bits_a_channel_count_twice() {
    let deep = image::DynamicImage::ImageRgba16(image::ImageBuffer::new(20, 10));
    let mut bytes = std::io::Cursor::new(Vec::new());
    deep.write_to(&mut bytes, image::ImageFormat::Png).expect("a picture in memory");
    let enough = PhotoLimits { max_pixels: 400, ..PhotoLimits::default() };
    assert!(Photo::decode(bytes.get_ref(), &enough).is_ok());
    let less = PhotoLimits { max_pixels: 398, ..PhotoLimits::default() };
    let error = Photo::decode(bytes.get_ref(), &less).expect_err("200 pixels that count as 400");
    assert!(matches!(error, Error::TooManyPixels { limit_pixels: 199, .. }), "{error:?}");
}

#[test]
fn a_huge_picture_is_refused_by_its_header_at_once() {
    let cases: [(&str, Vec<u8>); 6] = [
        ("JPEG", huge_jpeg()),
        ("PNG", huge_png()),
        ("GIF", huge_gif()),
        ("BMP", huge_bmp()),
        ("TIFF", huge_tiff()),
        ("WebP", huge_webp()),
    ];
    for (name, bytes) in cases {
        let started = Instant::now();
        let error = decode(&bytes).expect_err(name);
        assert!(matches!(error, Error::TooManyPixels { .. }), "{name}: {error:?}");
        assert!(error.to_string().contains("the limit is 64000000"), "{error}");
        assert!(started.elapsed() < Duration::from_millis(500), "{name} took {:?}", started.elapsed());
    }
}

/// The fixture with its frame header (after marker 0xFF 0xC0) set to 30,000 x 30,000.
fn huge_jpeg() -> Vec<u8> {
    let mut bytes = fixture("baseline.jpg");
    let at = bytes.windows(2).position(|pair| pair == [0xFF, 0xC0]).expect("a baseline frame header");
    bytes[at + 5..at + 9].copy_from_slice(&[0x75, 0x30, 0x75, 0x30]);
    bytes
}

fn huge_png() -> Vec<u8> {
    let size = 30_000_u32.to_be_bytes();
    let header = [&size[..], &size, &[8, 2, 0, 0, 0]].concat();
    let data = [0x78, 0x9C, 0x03, 0x00, 0x00, 0x00, 0x00, 0x01];
    [&b"\x89PNG\r\n\x1A\n"[..], &png_chunk(*b"IHDR", &header), &png_chunk(*b"IDAT", &data)].concat()
}

fn png_chunk(kind: [u8; 4], data: &[u8]) -> Vec<u8> {
    let checked = [&kind[..], data].concat();
    let crc = checked.iter().fold(u32::MAX, |crc, &byte| {
        (0..8).fold(
            crc ^ u32::from(byte),
            |crc, _| if crc & 1 == 1 { crc >> 1 ^ 0xEDB8_8320 } else { crc >> 1 },
        )
    });
    [&(data.len() as u32).to_be_bytes()[..], &checked, &(!crc).to_be_bytes()].concat()
}

/// A screen of 65,535 x 65,535 with one frame of that size.
fn huge_gif() -> Vec<u8> {
    let frame = b"\x2C\0\0\0\0\xFF\xFF\xFF\xFF\0\x02\x02\x4C\x01\0\x3B";
    [&b"GIF89a\xFF\xFF\xFF\xFF\x80\0\0\0\0\0\xFF\xFF\xFF"[..], frame].concat()
}

fn huge_bmp() -> Vec<u8> {
    let size = 30_000_u32.to_le_bytes();
    let header = [&b"BM\x36\0\0\0\0\0\0\0\x36\0\0\0\x28\0\0\0"[..], &size, &size, &[1, 0, 24, 0]].concat();
    [header, vec![0; 24]].concat()
}

/// One strip, grey: tags for width, height, bits, compression, photometric, offset, rows and bytes.
fn huge_tiff() -> Vec<u8> {
    let entries: [(u16, u32); 8] = [
        (256, 30_000),
        (257, 30_000),
        (258, 8),
        (259, 1),
        (262, 1),
        (273, 8),
        (278, 30_000),
        (279, 900_000_000),
    ];
    let mut bytes = b"II\x2A\0\x08\0\0\0\x08\0".to_vec();
    for (tag, value) in entries {
        bytes.extend(tag.to_le_bytes());
        bytes.extend([4, 0, 1, 0, 0, 0]);
        bytes.extend(value.to_le_bytes());
    }
    bytes.extend([0; 4]);
    bytes
}

/// Lossless, 16,383 x 16,383: 14 bits for each side less one.
fn huge_webp() -> Vec<u8> {
    let chunk = [&b"VP8L\x0A\0\0\0\x2F"[..], &0x0FFF_BFFE_u32.to_le_bytes(), &[0; 5]].concat();
    let size = 4 + chunk.len() as u32;
    [&b"RIFF"[..], &size.to_le_bytes(), b"WEBP", &chunk].concat()
}
