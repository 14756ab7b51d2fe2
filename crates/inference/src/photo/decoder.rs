//! Decodes photographs concurrently within a memory budget, and chooses the process for each.

use std::sync::Arc;
use std::time::Duration;

use super::budget::Budget;
use super::memory::within_limits;
use super::process::{Allowance, DecoderCommand, Processes};
use super::{Alpha, Detail, Photo, PhotoError, PhotoFormat, PhotoHeader, PhotoLimits, Picture, decode};
use crate::Result;

/// Default memory for all photographs that are decoded at the same time: 1 GiB. The largest photographs of phones,
/// 48 megapixels as HEIC, rotated, need about 1.0 GB.
const DECODING_BYTES: u64 = 1 << 30;

/// CPU time limit for a photograph in a decoding process. The slowest common one other than HEIC, a WebP of 12
/// megapixels, takes a quarter of it.
const CPU_TIME: Duration = Duration::from_secs(2);

/// Factor of the limit for HEIC, whose tiles are decoded on several threads: 24 megapixels, the default of an
/// iPhone, take 1.9 s.
const HEIC_CPU_FACTOR: u32 = 2;

/// Factor of the CPU time after which a process without an answer is considered stuck.
const WALL_FACTOR: u32 = 8;

/// Decodes photographs within a memory budget, in separate processes if a command for them is given.
///
/// JPEG, nearly every photograph, is always decoded in this process: its decoder is mature, and its cost is bounded
/// by the size and the number of scans. Other formats are decoded in separate processes, without file access or
/// environment, and with hard limits on memory and CPU time. A photograph that crashes its decoder is an ordinary
/// error.
///
/// Cheap to clone; clones share the budget and the processes. Calls block the calling thread.
#[derive(Clone, Debug)]
pub struct PhotoDecoder {
    limits: PhotoLimits,
    cpu_time: Duration,
    budget: Arc<Budget>,
    /// `None` if everything is decoded in this process.
    processes: Option<Arc<Processes>>,
}

impl PhotoDecoder {
    /// Decodes everything in this process: for tests, and for trusted photographs.
    pub fn in_process(limits: PhotoLimits) -> Self {
        Self { limits, cpu_time: CPU_TIME, budget: Budget::new(DECODING_BYTES), processes: None }
    }

    /// Decodes everything but JPEG in processes started with `command`.
    pub fn isolated(limits: PhotoLimits, command: DecoderCommand) -> Self {
        Self { processes: Some(Arc::new(Processes::new(command))), ..Self::in_process(limits) }
    }

    /// Sets the memory for all photographs that are decoded at the same time, in bytes; reduced if the resource
    /// limits of this process are lower.
    #[must_use]
    pub fn with_memory(self, bytes: u64) -> Self {
        Self { budget: Budget::new(within_limits(bytes)), ..self }
    }

    /// Sets the CPU time limit of a photograph in a decoding process; HEIC has twice as much. For tests.
    #[must_use]
    pub fn with_cpu_time(self, cpu_time: Duration) -> Self {
        Self { cpu_time, ..self }
    }

    /// The limits on the size of a photograph.
    pub fn limits(&self) -> &PhotoLimits {
        &self.limits
    }

    /// Decodes a photograph and rotates it upright; transparency is composited over white. Waits until the budget
    /// has room for it; its pixels count towards the budget until the photograph is dropped.
    ///
    /// A thread that holds a photograph must not decode another: it could wait for itself.
    ///
    /// # Errors
    /// Those of [`PhotoHeader::read`]; [`PhotoError::TooMuchMemory`], [`PhotoError::TookTooLong`],
    /// [`PhotoError::DecoderDied`]; [`Error::DecoderUnavailable`](crate::Error::DecoderUnavailable) if no process
    /// can be started.
    pub fn decode(&self, bytes: &[u8]) -> Result<Photo> {
        self.decode_at_least(bytes, Detail::FULL)
    }

    /// Like [`PhotoDecoder::decode`], but may return fewer pixels, with enough of them for `detail`, if that is
    /// faster.
    ///
    /// # Errors
    /// Those of [`PhotoDecoder::decode`].
    pub fn decode_at_least(&self, bytes: &[u8], detail: Detail) -> Result<Photo> {
        let (picture, lease) = self.run(bytes, &self.limits, Alpha::OverWhite, detail)?;
        Ok(Photo::of(picture, Some(lease)))
    }

    /// Decodes a picture within other limits and keeps its transparency, except for HEIC. Its pixels no longer
    /// count towards the budget once it is returned, so `limits` should be small.
    ///
    /// # Errors
    /// Those of [`PhotoDecoder::decode`].
    pub fn decode_with_alpha(&self, bytes: &[u8], limits: &PhotoLimits) -> Result<Picture> {
        Ok(self.run(bytes, limits, Alpha::Kept, Detail::FULL)?.0)
    }

    fn run(
        &self,
        bytes: &[u8],
        limits: &PhotoLimits,
        alpha: Alpha,
        detail: Detail,
    ) -> Result<(Picture, super::budget::Lease)> {
        let header = PhotoHeader::read(bytes, limits)?;
        // Estimated from the header, because a few large photographs at the same time could exhaust the memory
        // before any is decoded. See docs/decisions/0083-decoding-memory-budget.md.
        let memory_bytes = header.memory_bytes();
        let mut lease = self.budget.take(memory_bytes).ok_or_else(|| PhotoError::TooMuchMemory {
            needed_bytes: memory_bytes,
            limit_bytes: self.budget.limit_bytes(),
        })?;
        let picture = match &self.processes {
            // A decoding process must send the pixels through a pipe; JPEG avoids this cost. See
            // docs/decisions/0082-decoder-process.md. `detail` affects only JPEG.
            Some(processes) if header.format() != PhotoFormat::Jpeg => {
                let is_heic = header.format() == PhotoFormat::Heic;
                let cpu = self.cpu_time * if is_heic { HEIC_CPU_FACTOR } else { 1 };
                let allowance = Allowance { cpu, wall: cpu * WALL_FACTOR };
                processes.decode(bytes, &header, limits, alpha, allowance)?
            }
            _ => decode(bytes, &header, limits, alpha, detail)?,
        };
        // The decoder's own memory is free now; only the pixels still count.
        lease.shrink_to(picture.pixels.len() as u64);
        Ok((picture, lease))
    }
}
