//! Uploads, good and bad. What a camera adds to a picture is in each of them (`planted.rs`).

use std::io::Cursor;

use image::codecs::gif::GifEncoder;
use image::codecs::jpeg::JpegEncoder;
use image::{DynamicImage, Frame, ImageFormat, Rgb, RgbImage, RgbaImage};

use crate::planted::planted;

/// A picture that the model recognises: `brake-rotor`, `coil-spring` or `rim`; and `meadow`, which shows no part.
pub(crate) fn golden(name: &str) -> Vec<u8> {
    let path = format!("{}/../../models/partsight-50/golden/{name}.png", env!("CARGO_MANIFEST_DIR"));
    planted(&std::fs::read(path).unwrap())
}

/// A small picture file of one colour, for tests with a stand-in engine.
pub(crate) fn plain() -> Vec<u8> {
    encode(&DynamicImage::ImageRgb8(RgbImage::from_pixel(16, 12, Rgb([200, 40, 40]))), ImageFormat::Png)
}

/// A picture of blocks whose colours follow from `seed`, as somebody photographs it the `again`th time: a little
/// lighter, a pixel aside, compressed in another way.
pub(crate) fn blocks(seed: u32, again: u32) -> Vec<u8> {
    let picture = RgbImage::from_fn(96, 72, |x, y| {
        let (column, row) = ((x + again % 2) / 12, y / 12);
        // Multiplicative hashing (Knuth, volume 3, section 6.4).
        let hash = (seed * 4096 + row * 64 + column).wrapping_mul(2_654_435_761);
        let value = |shift: u32| ((hash >> shift) as u8 / 2).saturating_add(50 + (again % 8) as u8);
        Rgb([value(24), value(16), value(8)])
    });
    let mut jpeg = Vec::new();
    let quality = 95 - (again % 10) as u8;
    JpegEncoder::new_with_quality(&mut jpeg, quality).encode_image(&picture).unwrap();
    planted(&jpeg)
}

/// A recognisable picture in another form.
pub(crate) fn rotor(change: impl FnOnce(DynamicImage) -> DynamicImage, format: ImageFormat) -> Vec<u8> {
    encode(&change(image::load_from_memory(&golden("brake-rotor")).unwrap()), format)
}

/// A recognisable picture as an animation of two frames, the second of them black.
pub(crate) fn animated_rotor() -> Vec<u8> {
    let rotor = image::load_from_memory(&golden("brake-rotor")).unwrap().thumbnail(400, 400).into_rgba8();
    let black = RgbaImage::from_pixel(rotor.width(), rotor.height(), image::Rgba([0, 0, 0, 255]));
    let mut bytes = Vec::new();
    // The fastest palette is good enough here.
    let mut encoder = GifEncoder::new_with_speed(&mut bytes, 30);
    encoder.encode_frames([Frame::new(rotor), Frame::new(black)]).unwrap();
    drop(encoder);
    planted(&bytes)
}

/// A PNG whose header promises 30,000 x 30,000 pixels, with none behind it.
pub(crate) fn huge_png() -> Vec<u8> {
    let mut png = plain();
    // The size stands at offset 16, and the checksum over it at 29 (PNG specification, 5.3 and 11.2.2).
    png[16..20].copy_from_slice(&30_000_u32.to_be_bytes());
    png[20..24].copy_from_slice(&30_000_u32.to_be_bytes());
    let checksum = crc32(&png[12..29]);
    png[29..33].copy_from_slice(&checksum.to_be_bytes());
    png
}

/// A JPEG of four inks, as from a print shop.
pub(crate) fn cmyk_jpeg() -> Vec<u8> {
    let path = format!("{}/../inference/tests/fixtures/cmyk.jpg", env!("CARGO_MANIFEST_DIR"));
    planted(&std::fs::read(path).unwrap())
}

/// The file of a picture.
pub(crate) fn encode(picture: &DynamicImage, format: ImageFormat) -> Vec<u8> {
    let mut bytes = Cursor::new(Vec::new());
    picture.write_to(&mut bytes, format).unwrap();
    planted(&bytes.into_inner())
}

/// CRC-32 as in PNG, annex D: polynomial 0xEDB88320, reflected.
pub(crate) fn crc32(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(u32::MAX, |crc, byte| {
        (0..8).fold(crc ^ u32::from(*byte), |crc, _| (crc >> 1) ^ (0xEDB8_8320 & (crc & 1).wrapping_neg()))
    })
}
