//! Logos and profile pictures: always redrawn, never stored as the uploaded file.

use std::io::Cursor;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use image::codecs::jpeg::JpegEncoder;
use image::{DynamicImage, ImageFormat, RgbImage, RgbaImage};
use partsight_domain::{InvalidInput, LOGO_MAX_BYTES, messages};
use partsight_inference::{Error, PhotoDecoder, PhotoError, PhotoFormat, PhotoLimits, Picture};

use crate::{Person, Result};

/// A logo as a data URL, or the sentence why it is refused.
type DrawnLogo = Result<String, &'static str>;
/// Runs the drawing of a person's logo on the decoding threads, in turn with photographs.
pub(crate) type OnDecodingThreads = Arc<
    dyn Fn(
            Person,
            Box<dyn FnOnce(&PhotoDecoder) -> DrawnLogo + Send>,
        ) -> Pin<Box<dyn Future<Output = Result<DrawnLogo>> + Send>>
        + Send
        + Sync,
>;

/// 4,096 by 4,096 pixels, enough for a camera's picture that somebody uses as a logo.
const LIMITS: PhotoLimits = PhotoLimits { max_bytes: LOGO_MAX_BYTES, max_pixels: 16 * 1024 * 1024 };
const JPEG_QUALITY: u8 = 85;
/// Characters of base64 that hold the first 300 bytes: more than tell the format of a picture.
const HEAD_CHARS: usize = 400;

/// Redraws the picture in a data URL, with at most `side` pixels a side. Returns a data URL of a PNG, or of a JPEG if
/// that is smaller.
///
/// The stated media type is ignored. Only the pixels of the file are used, so a script in it is lost.
///
/// # Errors
/// [`Error::Invalid`](crate::Error::Invalid) for the field `logo`, with the specification's sentences.
pub(crate) async fn redraw(
    url: String,
    side: u32,
    person: Person,
    on_decoding_threads: &OnDecodingThreads,
) -> Result<String> {
    // Before the wait: what is no picture is refused as such on a busy server too, and is not tried again.
    check_head(&url).map_err(|message| InvalidInput::new("logo", message))?;
    let redraw = Box::new(move |decoder: &PhotoDecoder| {
        // The encoders are third-party code: a panic in one must only fail this request.
        catch_unwind(AssertUnwindSafe(|| redraw_now(&url, side, decoder)))
            .unwrap_or(Err(messages::LOGO_DAMAGED))
    });
    let drawn = on_decoding_threads(person, redraw).await?;
    Ok(drawn.map_err(|message| InvalidInput::new("logo", message))?)
}

fn redraw_now(url: &str, side: u32, decoder: &PhotoDecoder) -> Result<String, &'static str> {
    let bytes = STANDARD.decode(data(url)?).map_err(|_| messages::LOGO_NOT_AN_IMAGE)?;
    let picture = decoder.decode_with_alpha(&bytes, &LIMITS).map_err(|error| refusal(&error))?;
    let picture = dynamic(picture).ok_or(messages::LOGO_DAMAGED)?;
    // Never enlarged.
    let picture =
        if picture.width().max(picture.height()) > side { picture.thumbnail(side, side) } else { picture };
    data_url(&picture).ok_or(messages::LOGO_DAMAGED)
}

/// Whether the first bytes are those of a format that a logo may have.
fn check_head(url: &str) -> Result<(), &'static str> {
    let data = data(url)?.as_bytes();
    let head = STANDARD.decode(&data[..data.len().min(HEAD_CHARS)]);
    let format = head.ok().and_then(|head| PhotoFormat::of(&head).ok());
    match format {
        Some(PhotoFormat::Jpeg | PhotoFormat::Png | PhotoFormat::WebP | PhotoFormat::Gif) => Ok(()),
        _ => Err(messages::LOGO_NOT_AN_IMAGE),
    }
}

/// The data of a data URL (RFC 2397) of a picture in base64.
fn data(url: &str) -> Result<&str, &'static str> {
    let (header, data) = url.split_once(',').ok_or(messages::LOGO_NOT_AN_IMAGE)?;
    let header = header.to_ascii_lowercase();
    if !header.starts_with("data:image/") || !header.ends_with(";base64") {
        return Err(messages::LOGO_NOT_AN_IMAGE);
    }
    // Four characters hold three bytes.
    if data.len() / 4 * 3 > LOGO_MAX_BYTES + 3 {
        return Err(messages::LOGO_TOO_LARGE);
    }
    Ok(data)
}

fn refusal(error: &Error) -> &'static str {
    let Error::Photo(error) = error else { return messages::LOGO_DAMAGED };
    match error {
        PhotoError::TooManyBytes { .. } => messages::LOGO_TOO_LARGE,
        PhotoError::TooManyPixels { .. } => messages::LOGO_TOO_MANY_PIXELS,
        PhotoError::Empty | PhotoError::NotAnImage | PhotoError::UnsupportedFormat { .. } => {
            messages::LOGO_NOT_AN_IMAGE
        }
        _ => messages::LOGO_DAMAGED,
    }
}

/// `None` if the number of pixels does not match the sides.
fn dynamic(picture: Picture) -> Option<DynamicImage> {
    let Picture { width, height, pixels, has_alpha, .. } = picture;
    if has_alpha {
        RgbaImage::from_raw(width, height, pixels).map(DynamicImage::ImageRgba8)
    } else {
        RgbImage::from_raw(width, height, pixels).map(DynamicImage::ImageRgb8)
    }
}

/// The smaller of PNG and JPEG; a transparent picture stays a PNG. `None` if an encoder fails.
fn data_url(picture: &DynamicImage) -> Option<String> {
    let mut png = Vec::new();
    picture.write_to(&mut Cursor::new(&mut png), ImageFormat::Png).ok()?;
    let mut jpeg = Vec::new();
    if !picture.color().has_alpha() {
        picture.write_with_encoder(JpegEncoder::new_with_quality(&mut jpeg, JPEG_QUALITY)).ok()?;
    }
    let (kind, bytes) =
        if jpeg.is_empty() || png.len() <= jpeg.len() { ("png", png) } else { ("jpeg", jpeg) };
    Some(format!("data:image/{kind};base64,{}", STANDARD.encode(bytes)))
}

#[cfg(test)]
mod tests {
    use image::{Rgb, Rgba};

    use super::*;

    const SIDE: u32 = 512;

    fn redraw_now(url: &str) -> Result<String, &'static str> {
        check_head(url)?;
        super::redraw_now(url, SIDE, &PhotoDecoder::in_process(PhotoLimits::default()))
    }

    fn url(kind: &str, bytes: &[u8]) -> String {
        format!("data:image/{kind};base64,{}", STANDARD.encode(bytes))
    }

    fn encode(picture: &DynamicImage, format: ImageFormat) -> Vec<u8> {
        let mut bytes = Vec::new();
        picture.write_to(&mut Cursor::new(&mut bytes), format).unwrap();
        bytes
    }

    fn decode(url: &str) -> (DynamicImage, Vec<u8>) {
        let bytes = STANDARD.decode(url.split_once(',').unwrap().1).unwrap();
        (image::load_from_memory(&bytes).unwrap(), bytes)
    }

    #[test]
    fn pictures_are_drawn_anew_and_no_larger_than_needed() {
        let flat = DynamicImage::ImageRgb8(RgbImage::from_pixel(1024, 256, Rgb([10, 20, 200])));
        for (format, kind) in
            [(ImageFormat::Png, "png"), (ImageFormat::Gif, "gif"), (ImageFormat::WebP, "webp")]
        {
            let drawn = redraw_now(&url(kind, &encode(&flat, format))).unwrap();
            assert!(drawn.starts_with("data:image/png;base64,"), "{kind}");
            assert_eq!((decode(&drawn).0.width(), decode(&drawn).0.height()), (512, 128), "{kind}");
        }
        let small = DynamicImage::ImageRgb8(RgbImage::from_pixel(3, 2, Rgb([1, 2, 3])));
        let drawn = redraw_now(&url("png", &encode(&small, ImageFormat::Png))).unwrap();
        assert_eq!((decode(&drawn).0.width(), decode(&drawn).0.height()), (3, 2));
    }

    #[test]
    fn transparency_stays_and_everything_beside_the_pixels_goes() {
        let clear = DynamicImage::ImageRgba8(RgbaImage::from_pixel(8, 8, Rgba([200, 0, 0, 0])));
        let mut bytes = encode(&clear, ImageFormat::Png);
        // A polyglot: a page behind the last chunk.
        bytes.extend_from_slice(b"<script>alert(1)</script>");
        let drawn = redraw_now(&url("png", &bytes)).unwrap();
        let (picture, bytes) = decode(&drawn);
        assert_eq!(picture.to_rgba8().get_pixel(0, 0).0[3], 0);
        assert!(!bytes.windows(7).any(|part| part == b"<script"));
    }

    #[test]
    fn what_a_file_claims_to_be_does_not_count() {
        let picture = DynamicImage::ImageRgb8(RgbImage::from_pixel(4, 4, Rgb([9, 9, 9])));
        let png = encode(&picture, ImageFormat::Png);
        assert!(redraw_now(&url("svg+xml", &png)).unwrap().starts_with("data:image/png;"));
        let svg = br#"<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>"#;
        for (text, expected) in [
            (url("png", svg), messages::LOGO_NOT_AN_IMAGE),
            (url("svg+xml", svg), messages::LOGO_NOT_AN_IMAGE),
            (url("png", b""), messages::LOGO_NOT_AN_IMAGE),
            (url("bmp", &encode(&picture, ImageFormat::Bmp)), messages::LOGO_NOT_AN_IMAGE),
            (url("gif", b"GIF89a/*\x00\x00\x00*/=1;alert(1)"), messages::LOGO_DAMAGED),
            (url("png", &png[..png.len() / 2]), messages::LOGO_DAMAGED),
            ("data:text/html;base64,AAAA".to_owned(), messages::LOGO_NOT_AN_IMAGE),
            ("data:image/png,AAAA".to_owned(), messages::LOGO_NOT_AN_IMAGE),
            ("data:image/png;base64,%%%%".to_owned(), messages::LOGO_NOT_AN_IMAGE),
            ("https://example.com/logo.png".to_owned(), messages::LOGO_NOT_AN_IMAGE),
            (url("png", &[png.as_slice(), &vec![0; LOGO_MAX_BYTES]].concat()), messages::LOGO_TOO_LARGE),
        ] {
            assert_eq!(redraw_now(&text), Err(expected), "{}", &text[..text.len().min(40)]);
        }
    }

    #[tokio::test]
    async fn what_is_no_picture_is_refused_as_such_while_the_server_is_busy() {
        let busy: OnDecodingThreads = Arc::new(|_, _| Box::pin(async { Err(crate::Error::Busy) }));
        let picture = DynamicImage::ImageRgb8(RgbImage::from_pixel(4, 4, Rgb([9, 9, 9])));
        for (bytes, is_busy) in [
            (encode(&picture, ImageFormat::Png), true),
            (encode(&picture, ImageFormat::Bmp), false),
            (b"no picture".to_vec(), false),
        ] {
            let drawn = redraw(url("png", &bytes), SIDE, Person::number(1), &busy).await;
            let is_expected = match &drawn {
                Err(crate::Error::Invalid(error)) => {
                    !is_busy && error.field == "logo" && error.message == messages::LOGO_NOT_AN_IMAGE
                }
                other => is_busy && matches!(other, Err(crate::Error::Busy)),
            };
            assert!(is_expected, "{drawn:?}");
        }
    }
}
