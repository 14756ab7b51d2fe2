//! Decoding: every format, every orientation, and the errors for damaged files.

use std::io::Cursor;

use image::{
    DynamicImage, Frame, GrayImage, ImageFormat, LumaA, Rgb, RgbImage, Rgba, RgbaImage,
    codecs::gif::GifEncoder,
};
use partsight_inference::{Photo, PhotoError, PhotoFormat};
use proptest::prelude::*;

use crate::common::{decode, fixture, mean_difference};

fn scene() -> Photo {
    decode(&fixture("scene.png")).expect("a PNG")
}

fn encoded(picture: &DynamicImage, format: ImageFormat) -> Vec<u8> {
    let mut bytes = Cursor::new(Vec::new());
    picture.write_to(&mut bytes, format).expect("the encoder takes this picture");
    bytes.into_inner()
}

fn rgb_scene() -> RgbImage {
    let scene = scene();
    RgbImage::from_raw(scene.width(), scene.height(), scene.into_rgb()).expect("as many bytes as pixels")
}

#[test]
fn every_kind_of_jpeg_shows_the_scene() {
    let cases = [
        ("baseline.jpg", 3.0),
        ("progressive.jpg", 3.0),
        ("restarts.jpg", 2.0),
        ("cmyk.jpg", 6.0),
        ("ycck.jpg", 6.0),
    ];
    for (name, tolerance) in cases {
        let photo = decode(&fixture(name)).unwrap_or_else(|error| panic!("{name}: {error:?}"));
        assert_eq!(photo.format(), PhotoFormat::Jpeg, "{name}");
        let difference = mean_difference(&photo, &scene());
        assert!(difference < tolerance, "{name} differs by {difference}");
    }
}

#[test]
fn grey_jpeg_has_three_equal_channels() {
    let photo = decode(&fixture("grey.jpg")).expect("a JPEG");
    assert!(photo.rgb().chunks(3).all(|pixel| pixel[0] == pixel[1] && pixel[1] == pixel[2]));
    // ITU-R BT.601, as JPEG defines its luma.
    let luma = |pixel: &[u8]| {
        (299 * u32::from(pixel[0]) + 587 * u32::from(pixel[1]) + 114 * u32::from(pixel[2])) / 1000
    };
    let expected = scene().rgb().chunks(3).flat_map(|pixel| [luma(pixel) as u8; 3]).collect();
    let expected = Photo::from_rgb(96, 64, expected, PhotoFormat::Png).expect("whole");
    assert!(mean_difference(&photo, &expected) < 2.0);
}

#[test]
fn all_eight_orientations_give_the_same_upright_picture() {
    for orientation in 1..=8 {
        let photo = decode(&fixture(&format!("orientation-{orientation}.jpg"))).expect("a JPEG");
        let difference = mean_difference(&photo, &scene());
        assert!(difference < 2.0, "orientation {orientation} differs by {difference}");
    }
}

#[test]
fn of_two_exif_blocks_the_first_turns_the_picture() {
    // Everything up to the end of the EXIF segment, which both files begin with.
    let head = |file: &[u8]| {
        let at = file.windows(2).position(|bytes| bytes == [0xFF, 0xE1]).expect("an EXIF segment") + 2;
        at + usize::from(u16::from_be_bytes([file[at], file[at + 1]]))
    };
    let (turned, upright) = (fixture("orientation-6.jpg"), fixture("orientation-1.jpg"));
    let both = [&turned[..head(&turned)], &upright[2..]].concat();
    let (one, two) = (decode(&upright).expect("a JPEG"), decode(&both).expect("a JPEG"));
    assert_eq!((two.width(), two.height()), (one.height(), one.width()));
}

#[test]
fn lossless_formats_keep_every_pixel() {
    let picture = DynamicImage::from(rgb_scene());
    let cases = [
        (ImageFormat::Png, PhotoFormat::Png),
        (ImageFormat::WebP, PhotoFormat::WebP),
        (ImageFormat::Bmp, PhotoFormat::Bmp),
        (ImageFormat::Tiff, PhotoFormat::Tiff),
    ];
    for (written, expected) in cases {
        let photo =
            decode(&encoded(&picture, written)).unwrap_or_else(|error| panic!("{expected}: {error:?}"));
        assert_eq!(photo.format(), expected);
        assert_eq!(photo.rgb(), scene().rgb(), "{expected}");
    }
}

#[test]
fn sixteen_bits_are_rounded_to_eight() {
    let picture = DynamicImage::from(rgb_scene()).into_rgb16();
    let photo = decode(&encoded(&picture.into(), ImageFormat::Png)).expect("a PNG");
    assert_eq!(photo.rgb(), scene().rgb());
}

#[test]
fn grey_png_has_three_equal_channels() {
    let picture = GrayImage::from_fn(5, 4, |x, y| image::Luma([(40 * x + 10 * y) as u8]));
    let photo = decode(&encoded(&picture.into(), ImageFormat::Png)).expect("a PNG");
    assert_eq!(&photo.rgb()[..6], &[0, 0, 0, 40, 40, 40]);
}

#[test]
fn transparent_pixels_show_white() {
    let colours = [Rgba([200, 0, 0, 255]), Rgba([200, 0, 0, 0]), Rgba([0, 0, 0, 128])];
    let picture = RgbaImage::from_fn(3, 1, |x, _| colours[x as usize]);
    let photo = decode(&encoded(&picture.into(), ImageFormat::Png)).expect("a PNG");
    assert_eq!(photo.rgb(), [200, 0, 0, 255, 255, 255, 127, 127, 127]);

    let grey = image::ImageBuffer::from_fn(2, 1, |x, _| LumaA([10_u8, if x == 0 { 255 } else { 0 }]));
    let photo = decode(&encoded(&DynamicImage::ImageLumaA8(grey), ImageFormat::Png)).expect("a PNG");
    assert_eq!(photo.rgb(), [10, 10, 10, 255, 255, 255]);
}

#[test]
fn an_animation_shows_its_first_frame() {
    let mut bytes = Vec::new();
    let mut encoder = GifEncoder::new(&mut bytes);
    for colour in [Rgba([250, 0, 0, 255]), Rgba([0, 0, 250, 255])] {
        encoder.encode_frame(Frame::new(RgbaImage::from_pixel(4, 3, colour))).expect("a frame");
    }
    drop(encoder);
    let photo = decode(&bytes).expect("a GIF");
    assert_eq!((photo.width(), photo.height(), photo.format()), (4, 3, PhotoFormat::Gif));
    assert_eq!(&photo.rgb()[..3], &[250, 0, 0]);
}

#[test]
fn heic_is_read_single_and_as_a_turned_grid() {
    let expected = decode(&fixture("scene-150x100.png")).expect("a PNG");
    for name in ["single.heic", "grid.heic"] {
        let photo = decode(&fixture(name)).unwrap_or_else(|error| panic!("{name}: {error:?}"));
        assert_eq!(photo.format(), PhotoFormat::Heic);
        let difference = mean_difference(&photo, &expected);
        assert!(difference < 4.0, "{name} differs by {difference}");
    }
}

#[test]
fn one_pixel_is_a_picture() {
    let picture = DynamicImage::from(RgbImage::from_pixel(1, 1, Rgb([9, 8, 7])));
    for format in [ImageFormat::Png, ImageFormat::WebP, ImageFormat::Bmp, ImageFormat::Tiff, ImageFormat::Gif]
    {
        let photo =
            decode(&encoded(&picture, format)).unwrap_or_else(|error| panic!("{format:?}: {error:?}"));
        assert_eq!((photo.width(), photo.height(), photo.rgb()), (1, 1, &[9, 8, 7][..]), "{format:?}");
    }
    assert_eq!(decode(&fixture("one-pixel.jpg")).expect("a JPEG").rgb().len(), 3);
}

#[test]
fn the_content_tells_the_format() {
    let cases: [(&[u8], &str); 9] = [
        (b"", "the photo is empty (0 bytes): send the whole file"),
        (b"hello, this is text", "this is not a photo: send a JPEG, PNG, WebP, HEIC, GIF, BMP or TIFF file"),
        (
            b"BMW brake pads, front",
            "this is not a photo: send a JPEG, PNG, WebP, HEIC, GIF, BMP or TIFF file",
        ),
        (b"MZ\x90\0\x03\0\0\0", "this is not a photo: send a JPEG, PNG, WebP, HEIC, GIF, BMP or TIFF file"),
        (b"%PDF-1.7\n", "PDF pictures are not read: save it as JPEG or PNG and send that"),
        (
            b"\0\0\0\x1Cftypavif\0\0\0\0avifmif1miaf",
            "AVIF pictures are not read: save it as JPEG or PNG and send that",
        ),
        (
            b"\0\0\0\x18ftypisom\0\0\0\0isommp42",
            "video pictures are not read: save it as JPEG or PNG and send that",
        ),
        (b"\0\0\0\x0CJXL \r\n\x87\n", "JPEG XL pictures are not read: save it as JPEG or PNG and send that"),
        (
            b"<svg xmlns='http://www.w3.org/2000/svg'/>",
            "SVG pictures are not read: save it as JPEG or PNG and send that",
        ),
    ];
    for (bytes, expected) in cases {
        let error = decode(bytes).expect_err("not a photo");
        assert_eq!(error.to_string(), expected);
    }
}

#[test]
fn a_jpeg_cut_anywhere_is_an_error() {
    for name in ["baseline.jpg", "progressive.jpg", "restarts.jpg", "grey.jpg", "cmyk.jpg"] {
        let whole = fixture(name);
        for length in (3..whole.len()).step_by(7).chain([whole.len() - 2, whole.len() - 1]) {
            let result = decode(&whole[..length]);
            assert!(
                matches!(result, Err(PhotoError::Truncated { .. } | PhotoError::Damaged { .. })),
                "{name} cut to {length} of {} gave {result:?}",
                whole.len()
            );
        }
    }
}

#[test]
fn other_formats_cut_short_are_errors() {
    let picture = DynamicImage::from(rgb_scene());
    for format in [ImageFormat::Png, ImageFormat::WebP, ImageFormat::Bmp, ImageFormat::Tiff, ImageFormat::Gif]
    {
        let whole = encoded(&picture, format);
        for length in [whole.len() / 4, whole.len() / 2, whole.len() * 3 / 4] {
            let result = decode(&whole[..length]);
            assert!(
                matches!(result, Err(PhotoError::Truncated { .. } | PhotoError::Damaged { .. })),
                "{format:?} cut to {length} of {} gave {result:?}",
                whole.len()
            );
        }
    }
    let whole = fixture("grid.heic");
    assert!(decode(&whole[..whole.len() / 2]).is_err());
}

#[test]
fn stray_bytes_after_the_picture_are_no_matter() {
    for name in ["baseline.jpg", "scene.png", "single.heic"] {
        let photo = decode(&[fixture(name), b"trailing".to_vec()].concat());
        assert!(photo.is_ok() || name == "single.heic", "{name}: {photo:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(256) })]

    #[test]
    fn decoding_changed_bytes_never_panics(
        which in 0..8_usize,
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..12),
        cut in any::<prop::sample::Index>(),
        is_cut in any::<bool>(),
    ) {
        let picture = DynamicImage::from(rgb_scene());
        let mut bytes = match which {
            0 => fixture("baseline.jpg"),
            1 => fixture("progressive.jpg"),
            2 => fixture("single.heic"),
            3 => fixture("grid.heic"),
            4 => encoded(&picture, ImageFormat::Gif),
            5 => encoded(&picture, ImageFormat::WebP),
            6 => encoded(&picture, ImageFormat::Tiff),
            _ => fixture("scene.png"),
        };
        for (at, value) in changes {
            let at = at.index(bytes.len());
            bytes[at] = value;
        }
        if is_cut {
            bytes.truncate(cut.index(bytes.len()));
        }
        if let Ok(photo) = decode(&bytes) {
            prop_assert_eq!(photo.rgb().len() as u64, 3 * u64::from(photo.width()) * u64::from(photo.height()));
        }
    }

    #[test]
    fn decoding_any_bytes_never_panics(bytes in prop::collection::vec(any::<u8>(), 0..512)) {
        drop(decode(&bytes));
    }
}
