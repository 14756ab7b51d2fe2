//! Limits are checked before any allocation: huge pictures are refused by their headers alone.

use std::time::Duration;

use image::{DynamicImage, ImageFormat, Rgb, RgbImage};
use partsight_inference::{DecoderCommand, Error, Photo, PhotoDecoder, PhotoError, PhotoHeader, PhotoLimits};
use partsight_test_support::cpu_time;

use crate::common::{decode, fixture};

#[test]
fn more_bytes_than_allowed_are_refused() {
    let bytes = fixture("baseline.jpg");
    let limits = PhotoLimits { max_bytes: bytes.len() - 1, ..PhotoLimits::default() };
    let error = Photo::decode(&bytes, &limits).expect_err("one byte too many");
    assert!(
        matches!(error, PhotoError::TooManyBytes { size_bytes, limit_bytes } if size_bytes == limit_bytes + 1)
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
            matches!(error, PhotoError::TooManyPixels { width: 96, height: 64, limit_pixels: 6143 }),
            "{error:?}"
        );
    }
    let less = PhotoLimits { max_pixels: 150 * 100 - 1, ..PhotoLimits::default() };
    assert!(matches!(Photo::decode(&fixture("grid.heic"), &less), Err(PhotoError::TooManyPixels { .. })));
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
    assert!(matches!(error, PhotoError::TooManyPixels { limit_pixels: 199, .. }), "{error:?}");
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
        let start = cpu_time();
        let error = decode(&bytes).expect_err(name);
        let took = cpu_time().saturating_sub(start);
        assert!(matches!(error, PhotoError::TooManyPixels { .. }), "{name}: {error:?}");
        assert!(error.to_string().contains("the limit is 64000000"), "{error}");
        assert!(took < Duration::from_millis(500), "{name} took {took:?}");
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

/// Lossless, 16,383 x 16,383: 14 bits for each side minus one.
fn huge_webp() -> Vec<u8> {
    let chunk = [&b"VP8L\x0A\0\0\0\x2F"[..], &0x0FFF_BFFE_u32.to_le_bytes(), &[0; 5]].concat();
    let size = 4 + chunk.len() as u32;
    [&b"RIFF"[..], &size.to_le_bytes(), b"WEBP", &chunk].concat()
}

/// The reason in the error for a damaged file.
fn damage(bytes: &[u8]) -> String {
    let outcome = decode(bytes);
    let Err(PhotoError::Damaged { source, .. }) = outcome else { unreachable!("{outcome:?}") };
    source.to_string()
}

#[test]
fn a_picture_that_its_file_cannot_hold_is_refused() {
    let gif = [&b"GIF89a\x40\x1F\x40\x1F\x80\0\0\0\0\0\xFF\xFF\xFF"[..], GIF_FRAME_8000].concat();
    let bmp = {
        let side = 2000_u32.to_le_bytes();
        let header = [&b"BM\x36\0\0\0\0\0\0\0\x36\0\0\0\x28\0\0\0"[..], &side, &side, &[1, 0, 24, 0]];
        [header.concat(), vec![0; 1024]].concat()
    };
    let cases = [
        ("GIF of 35 bytes", gif),
        ("JPEG", sized_jpeg("baseline.jpg", 8000, 8000)),
        ("PNG", png_of(8000, 8000, &[0; 16])),
        ("BMP", bmp),
        ("TIFF whose strips are the same bytes", tiff_of_same_strips(1000)),
    ];
    for (name, bytes) in cases {
        let error = decode(&bytes).expect_err(name);
        assert!(matches!(error, PhotoError::Implausible { .. }), "{name}: {error:?}");
        assert!(error.to_string().ends_with("send it again, whole"), "{error}");
    }
}

#[test]
fn plain_white_pictures_are_read_however_small_their_files() {
    let white = DynamicImage::from(RgbImage::from_pixel(2400, 1800, Rgb([255; 3])));
    for format in [ImageFormat::Png, ImageFormat::Gif, ImageFormat::WebP] {
        let mut bytes = std::io::Cursor::new(Vec::new());
        white.write_to(&mut bytes, format).expect("a picture in memory");
        let photo = decode(bytes.get_ref()).unwrap_or_else(|error| panic!("{format:?}: {error:?}"));
        assert!(photo.rgb().iter().all(|&value| value == 255), "{format:?}");
    }
}

#[test]
fn sides_have_a_limit_of_their_own() {
    for (width, height) in [(1, 64_000_000), (64_000_000, 1), (65_536, 900)] {
        let error = decode(&png_of(width, height, &vec![0; 100_000])).expect_err("too long");
        assert!(
            matches!(error, PhotoError::SideTooLong { limit: 65_535, .. }),
            "{width} x {height}: {error:?}"
        );
    }
}

#[test]
fn jpeg_scans_may_not_pass_over_a_large_picture_again_and_again() {
    let pictures = [("progressive.jpg", 8000, 30), ("progressive.jpg", 100, 65)];
    for (name, side, n_scans) in pictures {
        let mut bytes = sized_jpeg(name, side, side);
        // Empty refinement scans of the luma.
        let scan = b"\xFF\xDA\0\x08\x01\x01\0\x01\x3F\0\x7F";
        let end = bytes.split_off(bytes.len() - 2);
        bytes.extend(scan.repeat(n_scans));
        bytes.extend(vec![0; 200_000]);
        bytes.extend(end);
        assert_eq!(damage(&bytes), "its scans pass over the picture too often", "{side}, {n_scans} scans");
    }
}

#[test]
fn heic_tables_cannot_name_the_same_bytes_again_and_again() {
    assert!(decode(&heic_in_extents(1)).is_ok());
    assert_eq!(damage(&heic_in_extents(2)), "its items are together longer than the file");
    let more_than_needed = "its tables have more entries than any photograph needs";
    assert_eq!(damage(&heic_in_extents(65_535)), more_than_needed);
    assert_eq!(damage(&heic_with_exif(17)), more_than_needed);
    assert!(decode(&heic_with_exif(16)).is_ok());
}

#[test]
fn heic_tiles_are_counted_as_often_as_they_are_used() {
    let mut bytes = fixture("grid.heic");
    // The references of the grid, from item 7 to the six tiles, are all changed to the first tile.
    let at = bytes.windows(4).position(|kind| kind == b"dimg").expect("references") + 8;
    for tile in 0..6 {
        bytes[at + 2 * tile + 1] = 1;
    }
    // The tile's location states the length of its bytes.
    let at = bytes.windows(4).position(|kind| kind == b"iloc").expect("places") + 24;
    let length = u32::from_be_bytes(bytes[at..at + 4].try_into().expect("four bytes"));
    assert!(decode(&bytes).is_ok(), "six times {length} bytes are no more than the file has");
    bytes[at..at + 4].copy_from_slice(&(length + 300).to_be_bytes());
    assert_eq!(damage(&bytes), "its tiles use the same bytes again and again");
}

#[test]
fn an_estimate_holds_at_least_the_pixels() {
    for name in ["baseline.jpg", "progressive.jpg", "scene.png", "single.heic", "grid.heic"] {
        let bytes = fixture(name);
        let header = PhotoHeader::read(&bytes, &PhotoLimits::default()).expect(name);
        let photo = decode(&bytes).expect(name);
        assert_eq!(header.format(), photo.format());
        assert_eq!(header.pixels(), u64::from(photo.width()) * u64::from(photo.height()), "{name}");
        assert!(header.memory_bytes() > 3 * header.pixels(), "{name}");
    }
}

#[test]
fn a_photograph_that_needs_more_memory_than_all_may_take_is_refused() {
    let decoder = PhotoDecoder::in_process(PhotoLimits::default()).with_memory(1_000_000);
    let error = decoder.decode(&fixture("scene.png")).expect_err("tables alone take more");
    assert!(
        matches!(error, Error::Photo(PhotoError::TooMuchMemory { limit_bytes: 1_000_000, .. })),
        "{error:?}"
    );
    assert!(error.to_string().contains("the limit is 1"), "{error}");
}

#[test]
fn pixels_count_until_their_photograph_is_dropped() {
    let bytes = fixture("scene.png");
    let needed = PhotoHeader::read(&bytes, &PhotoLimits::default()).expect("a PNG").memory_bytes();
    let decoder = PhotoDecoder::in_process(PhotoLimits::default()).with_memory(needed);
    for _ in 0..3 {
        // If the previous photograph did not release its memory, this would wait forever.
        assert!(decoder.decode(&bytes).is_ok());
    }
}

#[test]
fn pixels_that_are_held_at_most_so_large_do_not_count() {
    let bytes = fixture("scene.png");
    let needed = PhotoHeader::read(&bytes, &PhotoLimits::default()).expect("a PNG").memory_bytes();
    let decoder = PhotoDecoder::in_process(PhotoLimits::default()).with_memory(needed);
    // If a held photograph counted, the next one would wait forever.
    let held = [1600, 10, 1600].map(|side| decoder.decode(&bytes).expect("a PNG").at_most(side));
    assert_eq!(held.map(|photo| photo.width().max(photo.height()) > 10), [true, false, true]);
}

#[cfg(target_os = "linux")]
#[test]
fn a_process_that_dies_or_cannot_start_is_an_error_and_no_panic() {
    let isolated = |program: &str| {
        let command = DecoderCommand { program: program.into(), arguments: Vec::new() };
        PhotoDecoder::isolated(PhotoLimits::default(), command)
    };
    let died = isolated("/bin/true").decode(&fixture("scene.png")).expect_err("no answer");
    assert!(matches!(died, Error::Photo(PhotoError::DecoderDied { .. })), "{died:?}");
    let absent = isolated("/nowhere/at/all").decode(&fixture("scene.png")).expect_err("no program");
    assert!(matches!(absent, Error::DecoderUnavailable { .. }), "{absent:?}");
    // JPEG needs no process.
    assert!(isolated("/nowhere/at/all").decode(&fixture("baseline.jpg")).is_ok());
}

#[cfg(target_os = "linux")]
#[test]
fn a_process_that_does_not_answer_is_ended_and_the_limit_named() {
    let command = DecoderCommand { program: "/bin/sleep".into(), arguments: vec!["3600".to_owned()] };
    let decoder = PhotoDecoder::isolated(PhotoLimits::default(), command);
    let error = decoder.with_cpu_time(Duration::from_millis(1)).decode(&fixture("scene.png"));
    let error = error.expect_err("no answer");
    assert!(matches!(error, Error::Photo(PhotoError::TookTooLong { limit_ms: 1, .. })), "{error:?}");
    assert!(error.to_string().contains("more than 0.001 s to read, which is the limit"), "{error}");
}

/// A frame of 8,000 x 8,000 with two bytes of data, and the end.
const GIF_FRAME_8000: &[u8] = b"\x2C\0\0\0\0\x40\x1F\x40\x1F\0\x02\x02\x4C\x01\0\x3B";

fn sized_jpeg(name: &str, width: u16, height: u16) -> Vec<u8> {
    let mut bytes = fixture(name);
    let is_frame = |pair: &[u8]| pair == [0xFF, 0xC0] || pair == [0xFF, 0xC2];
    let at = bytes.windows(2).position(is_frame).expect("a frame header");
    bytes[at + 5..at + 7].copy_from_slice(&height.to_be_bytes());
    bytes[at + 7..at + 9].copy_from_slice(&width.to_be_bytes());
    bytes
}

/// RGB with 8 bits; `data` need not be valid DEFLATE data.
fn png_of(width: u32, height: u32, data: &[u8]) -> Vec<u8> {
    let header = [&width.to_be_bytes()[..], &height.to_be_bytes(), &[8, 2, 0, 0, 0]].concat();
    let chunks = [png_chunk(*b"IHDR", &header), png_chunk(*b"IDAT", data), png_chunk(*b"IEND", &[])];
    [&b"\x89PNG\r\n\x1A\n"[..], &chunks.concat()].concat()
}

/// Grey, 2,000 x 2,000, with strips that all refer to the same 4,000 bytes.
fn tiff_of_same_strips(n_strips: u32) -> Vec<u8> {
    let tables = 8 + 2 + 12 * 8 + 4;
    let data = tables + 8 * n_strips;
    let entries: [(u16, u32, u32); 8] = [
        (256, 1, 2000),
        (257, 1, 2000),
        (258, 1, 8),
        (259, 1, 1),
        (262, 1, 1),
        (273, n_strips, tables),
        (278, 1, 2),
        (279, n_strips, tables + 4 * n_strips),
    ];
    let mut bytes = b"II\x2A\0\x08\0\0\0\x08\0".to_vec();
    for (tag, count, value) in entries {
        bytes.extend(tag.to_le_bytes());
        bytes.extend([4, 0]);
        bytes.extend(count.to_le_bytes());
        bytes.extend(value.to_le_bytes());
    }
    bytes.extend([0; 4]);
    bytes.extend((0..n_strips).flat_map(|_| data.to_le_bytes()));
    bytes.extend((0..n_strips).flat_map(|_| 4000_u32.to_le_bytes()));
    bytes.extend([0; 4000]);
    bytes
}

/// The fixture with its picture in `n_extents` identical extents.
fn heic_in_extents(n_extents: u16) -> Vec<u8> {
    let mut bytes = fixture("single.heic");
    let iloc = bytes.windows(4).position(|kind| kind == b"iloc").expect("places");
    // Version, sizes, one item: its id, its base offset, the number of extents, and then offset and length.
    let (base, count, extent) = (iloc + 16, iloc + 20, iloc + 22);
    let added = 8 * (usize::from(n_extents) - 1);
    let start = add(&bytes[base..base + 4], added);
    bytes[base..base + 4].copy_from_slice(&start);
    let one = bytes[extent..extent + 8].to_vec();
    bytes[count..count + 2].copy_from_slice(&n_extents.to_be_bytes());
    bytes.splice(extent + 8..extent + 8, one.repeat(usize::from(n_extents) - 1));
    grown(bytes, &[b"iloc", b"meta"], added)
}

/// The fixture with `n_items` empty EXIF blocks.
fn heic_with_exif(n_items: u16) -> Vec<u8> {
    let mut bytes = fixture("single.heic");
    let added = 21 * usize::from(n_items);
    let iloc = bytes.windows(4).position(|kind| kind == b"iloc").expect("places");
    let start = add(&bytes[iloc + 16..iloc + 20], added);
    bytes[iloc + 16..iloc + 20].copy_from_slice(&start);
    let iinf = bytes.windows(4).position(|kind| kind == b"iinf").expect("items");
    bytes[iinf + 8..iinf + 10].copy_from_slice(&(n_items + 1).to_be_bytes());
    let item = |id: u16| [&b"\0\0\0\x15infe\x02\0\0\0"[..], &id.to_be_bytes(), b"\0\0Exif\0"].concat();
    let items: Vec<u8> = (2..n_items + 2).flat_map(item).collect();
    bytes.splice(iinf + 31..iinf + 31, items);
    grown(bytes, &[b"iinf", b"meta"], added)
}

/// The same file with the sizes of these boxes increased by `added`.
fn grown(mut bytes: Vec<u8>, boxes: &[&[u8; 4]], added: usize) -> Vec<u8> {
    for kind in boxes {
        let at = bytes.windows(4).position(|found| found == *kind).expect("a box") - 4;
        let size = add(&bytes[at..at + 4], added);
        bytes[at..at + 4].copy_from_slice(&size);
    }
    bytes
}

fn add(number: &[u8], added: usize) -> [u8; 4] {
    (u32::from_be_bytes(number.try_into().expect("four bytes")) + added as u32).to_be_bytes()
}
