//! Protocol of a decoding process: a length, that many bytes of JSON (the head), then the file or the pixels.

use std::io::{self, Read, Write};

use serde::{Deserialize, Serialize, de::DeserializeOwned};

use super::{Alpha, PhotoError, PhotoFormat, PhotoLimits, Picture, damaged};
use crate::{Result, with_causes};

/// A head has a few numbers, or the message of an error.
const MAX_HEAD_BYTES: u32 = 64 * 1024;

/// Requests the decoding of the `n_bytes` that follow.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Request {
    pub(super) n_bytes: usize,
    pub(super) max_bytes: usize,
    pub(super) max_pixels: u64,
    pub(super) keeps_alpha: bool,
    /// CPU time limit.
    pub(super) cpu_ms: u64,
    /// Memory limit, in addition to what the process used before.
    pub(super) memory_bytes: u64,
}

impl Request {
    pub(super) fn limits(&self) -> PhotoLimits {
        PhotoLimits { max_bytes: self.max_bytes, max_pixels: self.max_pixels }
    }

    pub(super) fn alpha(&self) -> Alpha {
        if self.keeps_alpha { Alpha::Kept } else { Alpha::OverWhite }
    }
}

/// The head of a reply.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Reply {
    /// The pixels follow: `width * height` times 3 bytes, or 4 with alpha.
    Picture { width: u32, height: u32, has_alpha: bool },
    /// [`PhotoError::TooManyPixels`].
    TooManyPixels { width: u64, height: u64, limit_pixels: u64 },
    /// [`PhotoError::Truncated`].
    Truncated,
    /// [`PhotoError::Damaged`] and all others, with all causes.
    Damaged { reason: String },
}

impl Reply {
    pub(super) fn of(outcome: &Result<Picture, PhotoError>) -> Self {
        match outcome {
            Ok(Picture { width, height, has_alpha, .. }) => {
                Self::Picture { width: *width, height: *height, has_alpha: *has_alpha }
            }
            Err(PhotoError::TooManyPixels { width, height, limit_pixels }) => {
                Self::TooManyPixels { width: *width, height: *height, limit_pixels: *limit_pixels }
            }
            Err(PhotoError::Truncated { .. }) => Self::Truncated,
            Err(PhotoError::Damaged { source, .. }) => Self::Damaged { reason: with_causes(source.as_ref()) },
            // Header limits were checked before the request was sent; an error of them here means damage.
            Err(other) => Self::Damaged { reason: with_causes(other) },
        }
    }

    /// Reads the pixels from `rest`; `None` for an impossible reply.
    pub(super) fn read_picture(
        self,
        rest: &mut impl Read,
        format: PhotoFormat,
        limits: &PhotoLimits,
    ) -> io::Result<Option<Result<Picture, PhotoError>>> {
        Ok(Some(match self {
            Self::Picture { width, height, has_alpha } => {
                let n_pixels = u64::from(width) * u64::from(height);
                // The process has decoded hostile bytes, so its reply is no more trusted than the file.
                if n_pixels == 0 || n_pixels > limits.max_pixels {
                    return Ok(None);
                }
                let n_bytes = n_pixels * if has_alpha { 4 } else { 3 };
                let Ok(n_bytes) = usize::try_from(n_bytes) else { return Ok(None) };
                let mut pixels = vec![0; n_bytes];
                rest.read_exact(&mut pixels)?;
                Ok(Picture { width, height, pixels, has_alpha, format })
            }
            Self::TooManyPixels { width, height, limit_pixels } => {
                Err(PhotoError::TooManyPixels { width, height, limit_pixels })
            }
            Self::Truncated => Err(PhotoError::Truncated { format }),
            Self::Damaged { reason } => Err(damaged(format, reason)),
        }))
    }
}

/// Writes a head; its data is written afterwards.
pub(super) fn write_head(to: &mut impl Write, head: &impl Serialize) -> io::Result<()> {
    let head = serde_json::to_vec(head)?;
    let length = u32::try_from(head.len()).map_err(io::Error::other)?;
    to.write_all(&length.to_le_bytes())?;
    to.write_all(&head)
}

/// Reads a head; `None` at the end of the stream.
pub(super) fn read_head<T: DeserializeOwned>(from: &mut impl Read) -> io::Result<Option<T>> {
    let mut length = [0; 4];
    match from.read_exact(&mut length) {
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
        read => read?,
    }
    let length = u32::from_le_bytes(length);
    // Checked before memory is allocated, in both directions.
    if length > MAX_HEAD_BYTES {
        return Err(io::Error::other("a head is longer than any can be"));
    }
    let mut head = vec![0; length as usize];
    from.read_exact(&mut head)?;
    Ok(Some(serde_json::from_slice(&head)?))
}
