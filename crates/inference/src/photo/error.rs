//! Errors of decoding a photograph.

use std::error::Error as StdError;

use super::PhotoFormat;

/// What is wrong with a photograph, and what its sender can do.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PhotoError {
    /// The file holds no bytes.
    #[error("the photo is empty (0 bytes): send the whole file")]
    Empty,
    /// The content has no known picture signature.
    #[error("this is not a photo: send a {} file", PhotoFormat::names())]
    NotAnImage,
    /// A picture of a format that is not supported.
    #[error("{format} pictures are not read: save it as JPEG or PNG and send that")]
    UnsupportedFormat {
        /// The format's usual name.
        format: &'static str,
    },
    /// The file is larger than [`PhotoLimits::max_bytes`](crate::PhotoLimits::max_bytes).
    #[error(
        "the photo has {size_bytes} bytes and the limit is {limit_bytes}: send a smaller or more compressed one"
    )]
    TooManyBytes {
        /// Bytes received.
        size_bytes: usize,
        /// Bytes allowed.
        limit_bytes: usize,
    },
    /// The header states more pixels than [`PhotoLimits::max_pixels`](crate::PhotoLimits::max_pixels).
    #[error(
        "the photo has {width} x {height} pixels and the limit is {limit_pixels} in all: send a smaller one"
    )]
    TooManyPixels {
        /// Width in the header, in pixels.
        width: u64,
        /// Height in the header, in pixels.
        height: u64,
        /// Pixels allowed, width times height.
        limit_pixels: u64,
    },
    /// A side is longer than supported.
    #[error("the photo has {width} x {height} pixels and a side may have {limit}: send a smaller one")]
    SideTooLong {
        /// Width in the header, in pixels.
        width: u64,
        /// Height in the header, in pixels.
        height: u64,
        /// Longest side allowed, in pixels.
        limit: u64,
    },
    /// The header states more pixels than data of this length can hold, even with the best compression.
    #[error(
        "the {format} file states {width} x {height} pixels, more than its {size_bytes} bytes can hold: send it again, whole"
    )]
    Implausible {
        /// The format of the content.
        format: PhotoFormat,
        /// Width in the header, in pixels.
        width: u64,
        /// Height in the header, in pixels.
        height: u64,
        /// Size of the whole file, in bytes.
        size_bytes: usize,
    },
    /// Decoding would need more memory than the budget of all photographs.
    #[error(
        "the photo needs {} MB of memory to read and the limit is {}: send a smaller one, or save it as JPEG",
        needed_bytes.div_ceil(1_000_000),
        limit_bytes / 1_000_000
    )]
    TooMuchMemory {
        /// Estimate for this photograph, in bytes.
        needed_bytes: u64,
        /// Bytes allowed.
        limit_bytes: u64,
    },
    /// Decoding exceeded the time limit for a photograph.
    #[error(
        "the {format} file takes more than {} s to read, which is the limit: send a smaller one, or save it as JPEG",
        *limit_ms as f64 / 1000.0
    )]
    TookTooLong {
        /// The format of the content.
        format: PhotoFormat,
        /// CPU time allowed, in milliseconds.
        limit_ms: u64,
    },
    /// The decoding process crashed, or exceeded the memory estimated from the header.
    #[error("the {format} file made its decoder stop: open it and save it again as JPEG")]
    DecoderDied {
        /// The format of the content.
        format: PhotoFormat,
    },
    /// The file ends before the picture does.
    #[error("the {format} file ends too early: send it again, whole")]
    Truncated {
        /// The format of the content.
        format: PhotoFormat,
    },
    /// The file is inconsistent, or uses a feature that the decoder lacks.
    #[error("the {format} file is damaged or of an unusual kind: open it and save it again as JPEG")]
    Damaged {
        /// The format of the content.
        format: PhotoFormat,
        /// The error of the decoder.
        source: Box<dyn StdError + Send + Sync>,
    },
}

impl PhotoError {
    /// Whether a decoding process died or was killed because of the photograph.
    pub fn lost_a_worker(&self) -> bool {
        matches!(self, Self::DecoderDied { .. } | Self::TookTooLong { .. })
    }
}
