//! Decodes a photograph's bytes to upright RGB pixels, within fixed limits.

mod budget;
mod confine;
mod decoder;
mod detail;
mod error;
mod exif;
mod header;
mod heic;
mod jpeg;
mod memory;
mod orientation;
mod process;
mod raster;
mod sniff;
pub(crate) mod subject;
mod wire;
mod worker;

use std::{
    fmt,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
};

use image::metadata::Orientation;

use budget::Lease;
pub use decoder::PhotoDecoder;
pub use detail::Detail;
pub use error::PhotoError;
pub use exif::{camera_of, captured_at};
pub use header::PhotoHeader;
pub use jpeg::write_jpeg;
pub use memory::control_group_memory;
pub use process::DecoderCommand;
pub use worker::serve_decoding;

use crate::resize::{Crop, Region, RgbImage, squash};
use crate::{Error, Filter, Result};

/// Limits on the size of a photograph. Both are checked before any pixel is allocated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PhotoLimits {
    /// Maximum size of the file, in bytes; default 25 MiB (26,214,400).
    pub max_bytes: usize,
    /// Maximum width times height, in pixels; default 64 million. A pixel takes 3 bytes while the photograph is
    /// held, and up to 30 in a decoder.
    pub max_pixels: u64,
}

impl Default for PhotoLimits {
    fn default() -> Self {
        Self { max_bytes: 25 * 1024 * 1024, max_pixels: 64_000_000 }
    }
}

/// The supported file formats.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum PhotoFormat {
    /// JPEG: baseline and progressive; grey, YCbCr, RGB, CMYK and YCCK.
    Jpeg,
    /// PNG: every depth and colour type.
    Png,
    /// WebP, lossy and lossless; the first frame of an animation.
    WebP,
    /// GIF; the first frame of an animation.
    Gif,
    /// Windows bitmap.
    Bmp,
    /// TIFF; the first of several pages.
    Tiff,
    /// HEIC and HEIF with HEVC data, single or tiled.
    Heic,
}

impl PhotoFormat {
    /// Every format, the most common first.
    pub const ALL: [Self; 7] =
        [Self::Jpeg, Self::Png, Self::WebP, Self::Heic, Self::Gif, Self::Bmp, Self::Tiff];

    /// The format of a file by its first bytes, which takes no time worth waiting for.
    ///
    /// # Errors
    /// [`PhotoError::Empty`], [`PhotoError::UnsupportedFormat`], [`PhotoError::NotAnImage`].
    pub fn of(bytes: &[u8]) -> Result<Self, PhotoError> {
        if bytes.is_empty() { Err(PhotoError::Empty) } else { sniff::format(bytes) }
    }

    /// The names of all formats, for a sentence: `JPEG, PNG or TIFF`.
    pub fn names() -> String {
        let [first @ .., last] = Self::ALL.map(|format| format.to_string());
        format!("{} or {last}", first.join(", "))
    }
}

impl fmt::Display for PhotoFormat {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Jpeg => "JPEG",
            Self::Png => "PNG",
            Self::WebP => "WebP",
            Self::Gif => "GIF",
            Self::Bmp => "BMP",
            Self::Tiff => "TIFF",
            Self::Heic => "HEIC",
        })
    }
}

/// Upright RGB pixels of a photograph, 8 bits per channel, row-major from the top left.
///
/// It has at least one pixel, and exactly `3 * width * height` bytes. Colours are as in the file: embedded colour
/// profiles are not applied. It has fewer pixels than the file if it was decoded with less [`Detail`].
#[derive(Clone)]
pub struct Photo {
    width: u32,
    height: u32,
    rgb: Vec<u8>,
    format: PhotoFormat,
    /// Reserves memory for its pixels in the budget of its decoder.
    #[expect(dead_code, reason = "returns the memory when it is dropped")]
    lease: Option<Arc<Lease>>,
}

impl Photo {
    /// Decodes a photograph on this thread and in this process, and rotates it upright by its EXIF orientation.
    ///
    /// The format is detected from the content, never from a name. Transparency is composited over white. For
    /// photographs from untrusted people use [`PhotoDecoder`](crate::PhotoDecoder).
    ///
    /// # Errors
    /// Those of [`PhotoHeader::read`]. A truncated file is an error, unless it was closed with an end marker.
    pub fn decode(bytes: &[u8], limits: &PhotoLimits) -> Result<Self, PhotoError> {
        Self::decode_at_least(bytes, limits, Detail::FULL)
    }

    /// Like [`Photo::decode`], but may return fewer pixels, with enough of them for `detail`, if that is faster.
    ///
    /// # Errors
    /// Those of [`Photo::decode`].
    pub fn decode_at_least(bytes: &[u8], limits: &PhotoLimits, detail: Detail) -> Result<Self, PhotoError> {
        let header = PhotoHeader::read(bytes, limits)?;
        Ok(Self::of(decode(bytes, &header, limits, Alpha::OverWhite, detail)?, None))
    }

    /// `picture` must have no transparency.
    fn of(picture: Picture, lease: Option<Lease>) -> Self {
        let Picture { width, height, pixels, format, .. } = picture;
        Self { width, height, rgb: pixels, format, lease: lease.map(Arc::new) }
    }

    /// Wraps pixels that are already upright RGB.
    ///
    /// # Errors
    /// [`Error::WrongPixelCount`] unless `rgb` holds `3 * width * height` bytes, and at least one pixel.
    pub fn from_rgb(width: u32, height: u32, rgb: Vec<u8>, format: PhotoFormat) -> Result<Self> {
        let expected = 3 * u64::from(width) * u64::from(height);
        if expected == 0 || rgb.len() as u64 != expected {
            return Err(Error::WrongPixelCount {
                width,
                height,
                expected: expected.max(3),
                found: rgb.len(),
            });
        }
        Ok(Self { width, height, rgb, format, lease: None })
    }

    /// A copy of the part with this left, top, width and height, as fractions of the photograph's sides; rounded to
    /// pixels, at least one, and clipped to the photograph.
    #[must_use]
    pub fn part(&self, [left, top, width, height]: [f32; 4]) -> Self {
        let pixels = |start: f32, length: f32, side: u32| {
            let first = ((start * side as f32).round() as u32).min(side - 1);
            (first, ((length * side as f32).round() as u32).clamp(1, side - first))
        };
        let (left, width) = pixels(left, width, self.width);
        let (top, height) = pixels(top, height, self.height);
        let row = 3 * self.width as usize;
        let kept = 3 * left as usize..3 * (left + width) as usize;
        let rows = self.rgb.chunks_exact(row).skip(top as usize).take(height as usize);
        let rgb = rows.flat_map(|row| &row[kept.clone()]).copied().collect();
        Self { width, height, rgb, format: self.format, lease: None }
    }

    /// The photograph scaled down to a longer side of at most `side` pixels, with its aspect ratio; never enlarged.
    ///
    /// Its pixels no longer count towards the budget of its decoder, so that it can be held while others are decoded.
    #[must_use]
    pub fn at_most(self, side: u32) -> Self {
        let longer = self.width.max(self.height);
        if longer <= side {
            return Self { lease: None, ..self };
        }
        let scaled = |length: u32| (u64::from(length) * u64::from(side) / u64::from(longer)).max(1) as u32;
        let RgbImage { width, height, rgb } = self.resized(scaled(self.width), scaled(self.height));
        Self { width, height, rgb, format: self.format, lease: None }
    }

    /// The whole photograph at this size, ignoring its aspect ratio: `[height, width, 3]`, bilinear with
    /// antialiasing.
    ///
    /// # Panics
    /// If a side is 0.
    #[must_use]
    pub fn resized(&self, width: u32, height: u32) -> RgbImage {
        assert!(width > 0 && height > 0, "a picture of {width}x{height} has no pixels");
        let whole = Region::whole(&self.rgb, self.width, self.height);
        squash(&whole, (width, height), Filter::Bilinear)
    }

    /// The whole photograph with at most `side` pixels on its longer side, in the same proportions and never enlarged.
    ///
    /// # Panics
    /// If `side` is 0.
    #[must_use]
    pub fn fitted(&self, side: u32) -> RgbImage {
        let (width, height) = self.fitted_size(side);
        self.resized(width, height)
    }

    /// Width and height of [`Photo::fitted`].
    pub(crate) fn fitted_size(&self, side: u32) -> (u32, u32) {
        assert!(side > 0, "a picture of {side} pixels on its longer side has no pixels");
        let scale = (f64::from(side) / f64::from(self.width.max(self.height))).min(1.0);
        let scaled = |length: u32| ((f64::from(length) * scale).round() as u32).max(1);
        (scaled(self.width), scaled(self.height))
    }

    /// Like [`resized`](Self::resized), for a part of the photograph.
    pub(crate) fn resized_part(&self, part: Crop, (width, height): (u32, u32)) -> RgbImage {
        squash(&Region::of(&self.rgb, self.width, part), (width, height), Filter::Bilinear)
    }

    /// Width in pixels, at least 1.
    pub fn width(&self) -> u32 {
        self.width
    }

    /// Height in pixels, at least 1.
    pub fn height(&self) -> u32 {
        self.height
    }

    /// The pixels: `[height, width, 3]` u8, row-major.
    pub fn rgb(&self) -> &[u8] {
        &self.rgb
    }

    /// The pixels, without copying.
    pub fn into_rgb(self) -> Vec<u8> {
        self.rgb
    }

    /// The format of the file that it came from.
    pub fn format(&self) -> PhotoFormat {
        self.format
    }
}

impl PartialEq for Photo {
    fn eq(&self, other: &Self) -> bool {
        let parts = |photo: &Self| (photo.width, photo.height, photo.format);
        parts(self) == parts(other) && self.rgb == other.rgb
    }
}

impl Eq for Photo {}

impl fmt::Debug for Photo {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Photo({}, {} x {})", self.format, self.width, self.height)
    }
}

/// How transparency is handled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Alpha {
    /// Composited over white.
    OverWhite,
    /// Kept as a fourth channel.
    Kept,
}

/// Upright pixels, 8 bits per channel, row-major from the top left, with their transparency.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    /// Width in pixels.
    pub width: u32,
    /// Height in pixels.
    pub height: u32,
    /// RGBA if `has_alpha`, otherwise RGB.
    pub pixels: Vec<u8>,
    /// Whether there is a fourth channel; 0 is transparent.
    pub has_alpha: bool,
    /// The format of the file that it came from.
    pub format: PhotoFormat,
}

/// Decodes a file whose header was read with the same limits.
fn decode(
    bytes: &[u8],
    header: &PhotoHeader,
    limits: &PhotoLimits,
    alpha: Alpha,
    detail: Detail,
) -> Result<Picture, PhotoError> {
    let format = header.format();
    // The decoders are third-party code on untrusted bytes. A panic there must fail one request, not the process;
    // nothing of the decoder survives the unwinding.
    let decoded = catch_unwind(AssertUnwindSafe(|| match format {
        PhotoFormat::Jpeg => jpeg::decode(bytes, header, detail),
        PhotoFormat::Heic => heic::decode(bytes, header, limits),
        _ => raster::decode(bytes, header, limits, alpha),
    }))
    .unwrap_or_else(|_| Err(damaged(format, "the decoder stopped unexpectedly")))?;
    Ok(decoded.upright(format))
}

/// Pixels from a decoder, and the rotation that is still to be applied.
struct Decoded {
    width: u32,
    height: u32,
    pixels: Vec<u8>,
    /// If true, the pixels are already upright.
    has_alpha: bool,
    orientation: Orientation,
}

impl Decoded {
    fn upright(self, format: PhotoFormat) -> Picture {
        let Self { width, height, pixels, has_alpha, orientation } = self;
        // Decoders of formats with a fourth channel have applied the rotation.
        let (width, height, pixels) = if has_alpha {
            (width, height, pixels)
        } else {
            orientation::apply(orientation, width, height, pixels)
        };
        Picture { width, height, pixels, has_alpha, format }
    }
}

/// Refuses too large a size in a header before any allocation.
fn check_pixels(width: u64, height: u64, limits: &PhotoLimits) -> Result<(), PhotoError> {
    // A product that overflows exceeds every limit.
    if width.checked_mul(height).is_none_or(|pixels| pixels > limits.max_pixels) {
        return Err(PhotoError::TooManyPixels { width, height, limit_pixels: limits.max_pixels });
    }
    Ok(())
}

fn damaged(format: PhotoFormat, source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> PhotoError {
    PhotoError::Damaged { format, source: source.into() }
}
