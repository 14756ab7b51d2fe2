//! Reads a photograph's header with our own bounded parsers before any decoder sees the file.

mod bmp;
mod bytes;
mod gif;
mod heif;
mod jpeg;
mod png;
mod tiff;
mod webp;

use super::{PhotoError, PhotoFormat, PhotoLimits, check_pixels, damaged, sniff};
use crate::Result;

/// Longest side that is read, in pixels. It is the limit of JPEG, GIF and of 16-bit fields in other formats; a
/// panorama from a camera has about 16,000.
pub(super) const MAX_SIDE: u64 = 65_535;

/// Largest EXIF block that is searched for the orientation. In JPEG the limit is 64 KiB; other formats may contain
/// a thumbnail and maker notes too.
const MAX_EXIF_BYTES: u64 = 1024 * 1024;

/// A picture up to this size is decoded whatever the size of its file: it costs a few milliseconds, and icons of
/// one colour need only a few dozen bytes.
const ALWAYS_PLAUSIBLE_PIXELS: u64 = 1024 * 1024;

/// Memory that decoders need in addition to pixels: palettes, lines, tables, dictionaries.
const TABLE_BYTES: u64 = 16 * 1024 * 1024;

/// The size of a photograph and the memory for decoding it, from its header alone.
///
/// Reading it takes at most one pass over the file, about 1 ms per MB, and allocates hardly any memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PhotoHeader {
    format: PhotoFormat,
    width: u32,
    height: u32,
    decoder_bytes: u64,
    has_removable_chunks: bool,
}

impl PhotoHeader {
    /// Detects the format, and checks every limit that can be checked before decoding.
    ///
    /// # Errors
    /// All errors that the header shows, among them [`PhotoError::Implausible`] if the file is too small for the
    /// picture.
    pub fn read(bytes: &[u8], limits: &PhotoLimits) -> Result<Self, PhotoError> {
        if bytes.is_empty() {
            return Err(PhotoError::Empty);
        }
        // In order of cost; the first checks do not look at the content.
        if bytes.len() > limits.max_bytes {
            return Err(PhotoError::TooManyBytes { size_bytes: bytes.len(), limit_bytes: limits.max_bytes });
        }
        let format = sniff::format(bytes)?;
        let claims = match format {
            PhotoFormat::Jpeg => jpeg::read(bytes),
            PhotoFormat::Png => png::read(bytes),
            PhotoFormat::WebP => webp::read(bytes),
            PhotoFormat::Gif => gif::read(bytes),
            PhotoFormat::Bmp => bmp::read(bytes),
            PhotoFormat::Tiff => tiff::read(bytes),
            PhotoFormat::Heic => heif::read(bytes),
        }
        .map_err(|problem| problem.of(format))?;
        claims.check(format, bytes.len(), limits)?;
        Ok(Self {
            format,
            width: claims.width as u32,
            height: claims.height as u32,
            decoder_bytes: claims.decoder_bytes(bytes.len()),
            has_removable_chunks: claims.has_removable_chunks,
        })
    }

    /// The format of the content.
    pub fn format(&self) -> PhotoFormat {
        self.format
    }

    /// Width in the file, in pixels; before the rotation by EXIF.
    pub fn width(&self) -> u32 {
        self.width
    }

    /// Height in the file, in pixels; before the rotation by EXIF.
    pub fn height(&self) -> u32 {
        self.height
    }

    /// Width times height.
    pub fn pixels(&self) -> u64 {
        u64::from(self.width) * u64::from(self.height)
    }

    /// Upper estimate of the memory for decoding, in bytes, including the resulting RGB pixels.
    ///
    /// It is valid for files that state their true size. A file that does not is stopped by the limits of the
    /// decoding process ([`PhotoDecoder`](crate::PhotoDecoder)).
    pub fn memory_bytes(&self) -> u64 {
        // When the decoder is done, its pixels are both in its own process and, as they arrive, in this one.
        self.decoder_bytes.max(8 * self.pixels())
    }

    /// The part of [`memory_bytes`](Self::memory_bytes) for the decoder itself.
    pub(super) fn decoder_bytes(&self) -> u64 {
        self.decoder_bytes
    }

    /// The file for its decoder: without the chunks that the decoder would inflate to any size.
    pub(super) fn without_removable_chunks<'a>(&self, bytes: &'a [u8]) -> std::borrow::Cow<'a, [u8]> {
        if self.has_removable_chunks { png::without_removable_chunks(bytes).into() } else { bytes.into() }
    }
}

/// The values of a header.
#[derive(Debug, Default)]
struct Claims {
    width: u64,
    height: u64,
    /// Peak memory of the decoder, in bytes per pixel.
    bytes_per_pixel: u64,
    /// Maximum number of pixels in data of this length, with the format's best compression.
    most_pixels: u64,
    exif_bytes: u64,
    /// Whether the scans of a JPEG process the picture more often than those of any encoder.
    has_too_many_scans: bool,
    has_removable_chunks: bool,
}

impl Claims {
    fn check(&self, format: PhotoFormat, size_bytes: usize, limits: &PhotoLimits) -> Result<(), PhotoError> {
        let Self { width, height, .. } = *self;
        if width == 0 || height == 0 {
            return Err(damaged(format, "the picture has no pixels"));
        }
        check_pixels(width, height, limits)?;
        // After the pixels, so that the message is about the limit that users can influence.
        if width.max(height) > MAX_SIDE {
            return Err(PhotoError::SideTooLong { width, height, limit: MAX_SIDE });
        }
        if width * height > self.most_pixels.max(ALWAYS_PLAUSIBLE_PIXELS) {
            return Err(PhotoError::Implausible { format, width, height, size_bytes });
        }
        if self.has_too_many_scans {
            return Err(damaged(format, "its scans pass over the picture too often"));
        }
        if self.exif_bytes > MAX_EXIF_BYTES {
            return Err(damaged(format, "its EXIF block is larger than 1 MiB"));
        }
        Ok(())
    }

    fn decoder_bytes(&self, size_bytes: usize) -> u64 {
        // The decoders of WebP and HEIC copy the compressed data once or twice.
        // No overflow: `check` has bounded the pixels, and the factor has two or three digits.
        self.width * self.height * self.bytes_per_pixel + 3 * size_bytes as u64 + TABLE_BYTES
    }
}

/// Why a header cannot be read.
#[derive(Debug, PartialEq, Eq)]
enum Problem {
    EndsEarly,
    Wrong(&'static str),
    Unsupported(&'static str),
}

impl Problem {
    fn of(self, format: PhotoFormat) -> PhotoError {
        match self {
            Self::EndsEarly => PhotoError::Truncated { format },
            Self::Wrong(what) => damaged(format, what),
            Self::Unsupported(format) => PhotoError::UnsupportedFormat { format },
        }
    }
}
