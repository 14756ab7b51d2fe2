//! What a photograph's header states, read by a bounded walk of our own before any decoder sees the file.

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

/// Longest side that is read, in pixels. JPEG, GIF and 16-bit tables of other formats end here; a camera's
/// panorama has about 16,000.
pub(super) const MAX_SIDE: u64 = 65_535;

/// Largest EXIF block that is searched for the orientation. JPEG ends at 64 KiB; other formats can hold a
/// thumbnail and a maker's notes beside it.
const MAX_EXIF_BYTES: u64 = 1024 * 1024;

/// A picture up to this size is decoded whatever the size of its file: it costs a few milliseconds, and icons
/// of one colour take only some dozen bytes.
const ALWAYS_PLAUSIBLE_PIXELS: u64 = 1024 * 1024;

/// What decoders take beside pixels: palettes, lines, tables, dictionaries.
const TABLE_BYTES: u64 = 16 * 1024 * 1024;

/// The size of a photograph and what decoding it takes, from its header alone.
///
/// Reading it costs one pass over the file at most, about 1 ms for 1 MB, and allocates next to nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PhotoHeader {
    format: PhotoFormat,
    width: u32,
    height: u32,
    decoder_bytes: u64,
    has_removable_chunks: bool,
}

impl PhotoHeader {
    /// Tells the format, and checks every limit that can be checked before decoding.
    ///
    /// # Errors
    /// What can be told by the header: [`PhotoError::Implausible`] for a picture that the file is too small to hold.
    pub fn read(bytes: &[u8], limits: &PhotoLimits) -> Result<Self, PhotoError> {
        if bytes.is_empty() {
            return Err(PhotoError::Empty);
        }
        // From the cheapest check to the dearest; none has looked at the content so far.
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

    /// The format, by content.
    pub fn format(&self) -> PhotoFormat {
        self.format
    }

    /// Width as the file states it, in pixels; before it is turned upright.
    pub fn width(&self) -> u32 {
        self.width
    }

    /// Height as the file states it, in pixels; before it is turned upright.
    pub fn height(&self) -> u32 {
        self.height
    }

    /// Width times height.
    pub fn pixels(&self) -> u64 {
        u64::from(self.width) * u64::from(self.height)
    }

    /// Upper estimate of the memory that decoding takes, in bytes, the RGB pixels that it gives included.
    ///
    /// It holds for files that state the truth. A file that lies about its size is stopped by the limits of the
    /// decoding process ([`PhotoDecoder`](crate::PhotoDecoder)).
    pub fn memory_bytes(&self) -> u64 {
        // When the decoder is done, its pixels are in its own process and, as they arrive, in this one.
        self.decoder_bytes.max(8 * self.pixels())
    }

    /// The part of [`memory_bytes`](Self::memory_bytes) that the decoder itself takes.
    pub(super) fn decoder_bytes(&self) -> u64 {
        self.decoder_bytes
    }

    /// The file as its decoder may see it: without the chunks that it would inflate whatever their size.
    pub(super) fn without_removable_chunks<'a>(&self, bytes: &'a [u8]) -> std::borrow::Cow<'a, [u8]> {
        if self.has_removable_chunks { png::without_removable_chunks(bytes).into() } else { bytes.into() }
    }
}

/// What one format's header states.
#[derive(Debug, Default)]
struct Claims {
    width: u64,
    height: u64,
    /// Bytes that the decoder holds for each pixel at its peak.
    bytes_per_pixel: u64,
    /// Pixels that data of this length can hold at most, with the format's best compression.
    most_pixels: u64,
    exif_bytes: u64,
    /// Whether the scans of a JPEG pass over the picture more often than any encoder's.
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
        // After the pixels, so that the message is about the limit that people can do something about.
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
        // No overflow: `check` has bounded the pixels, and the factor has two digits or three.
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
