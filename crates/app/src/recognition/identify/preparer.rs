//! Prepares a photograph for the engine: from its bytes to a tensor.

use std::time::{Duration, Instant};

use partsight_inference::{
    Detail, Fingerprint, Photo, PhotoDecoder, PhotoHeader, Preprocessor, RgbImage, Tensor,
};

use crate::recognition::pixels::Pixels;
use crate::recognition::quarantine::{PhotoHash, Quarantine};
use crate::{Error, Result};

/// The part that runs before the queue.
#[derive(Debug)]
pub(super) struct Preparer {
    pub(super) preprocessor: Preprocessor,
    pub(super) decoder: PhotoDecoder,
}

/// A photograph ready for the engine.
#[derive(Debug)]
pub(super) struct Prepared {
    pub(super) tensor: Tensor,
    pub(super) notes: Notes,
    pub(super) photo: Photo,
    /// The model's input before normalisation.
    pub(super) image: RgbImage,
}

/// Facts from the preparation that the answer needs.
#[derive(Debug, Clone, Copy)]
pub(super) struct Notes {
    pub(super) fingerprint: Fingerprint,
    pub(super) decode: Duration,
    pub(super) preprocess: Duration,
}

impl Preparer {
    /// As [`prepare`](Self::prepare), but quarantines a photograph that caused the loss of a decoder.
    pub(super) fn prepare_watched(
        &self,
        bytes: &[u8],
        detail: Detail,
        hash: PhotoHash,
        quarantine: &Quarantine,
        charge: impl FnOnce(u64) -> Result<()>,
    ) -> Result<Prepared> {
        blame_for_loss(self.prepare(bytes, detail, charge), hash, quarantine)
    }

    /// `detail` is needed in addition to the model's input. `charge` is called with the number of pixels before any is
    /// decoded, and may refuse.
    pub(super) fn prepare(
        &self,
        bytes: &[u8],
        detail: Detail,
        charge: impl FnOnce(u64) -> Result<()>,
    ) -> Result<Prepared> {
        let start = Instant::now();
        // Only the header is read: a photograph that is too large or over the budget costs no decoding.
        charge(PhotoHeader::read(bytes, self.decoder.limits())?.pixels())?;
        let detail = self.preprocessor.detail().and(detail);
        let photo =
            tracing::debug_span!("decode").in_scope(|| self.decoder.decode_at_least(bytes, detail))?;
        let decoded = Instant::now();
        let _preprocess = tracing::debug_span!("preprocess").entered();
        // Resized once for both: the fingerprint is that of the model's input.
        let image = self.preprocessor.resize_rgb(&photo);
        let fingerprint = Fingerprint::of(&image);
        let tensor = self.preprocessor.normalise(&image);
        let notes = Notes { fingerprint, decode: decoded - start, preprocess: decoded.elapsed() };
        Ok(Prepared { tensor, notes, photo, image })
    }

    pub(super) fn pixels<'p>(&'p self, photo: &'p Photo, image: &'p RgbImage) -> Pixels<'p> {
        Pixels { photo, image, preprocessor: &self.preprocessor }
    }
}

/// Quarantines a photograph that caused the loss of a decoder.
pub(super) fn blame_for_loss<T>(outcome: Result<T>, hash: PhotoHash, quarantine: &Quarantine) -> Result<T> {
    outcome.inspect_err(|error| {
        let lost_a_worker = match error {
            Error::Photo { source } => source.lost_a_worker(),
            Error::EngineLost(source) => source.lost_a_worker(),
            _ => false,
        };
        if lost_a_worker {
            quarantine.blame(hash, 1, Instant::now());
        }
    })
}
