//! Decoding for many at a time: how much memory all may take together, and where it happens.

use std::sync::Arc;
use std::time::Duration;

use super::budget::Budget;
use super::memory::within_limits;
use super::process::{Allowance, DecoderCommand, Processes};
use super::{Alpha, Detail, Photo, PhotoError, PhotoFormat, PhotoHeader, PhotoLimits, Picture, decode};
use crate::Result;

/// Memory that decoding may take, all photographs at a time together, unless set: 1 GiB. The largest that
/// phones save need about 1.0 GB: 48 megapixels as HEIC, turned.
const DECODING_BYTES: u64 = 1 << 30;

/// Processor time that a photograph may take in a decoding process. Of the others the slowest that people send,
/// a WebP of 12 megapixels, takes a quarter of it.
const CPU_TIME: Duration = Duration::from_secs(2);

/// The same for HEIC, whose tiles are decoded on several threads: 24 megapixels, what an iPhone saves by default,
/// take 1.9 s.
const HEIC_CPU_FACTOR: u32 = 2;

/// A process that has not answered after so many times its processor time is stuck, or the machine is.
const WALL_FACTOR: u32 = 8;

/// Decodes photographs within a budget of memory, in processes of their own where a program for it is named.
///
/// JPEG, nearly every photograph, is always decoded in this process: its decoder is mature, and scans and size
/// bound what it costs. The others run in a process each, which has no files, no environment, and hard limits of
/// memory and processor time. A photograph that crashes its decoder is an error like any other.
///
/// Cheap to clone; clones share budget and processes. Waits on the calling thread.
#[derive(Clone, Debug)]
pub struct PhotoDecoder {
    limits: PhotoLimits,
    cpu_time: Duration,
    budget: Arc<Budget>,
    /// `None` where all is decoded in this process.
    processes: Option<Arc<Processes>>,
}

impl PhotoDecoder {
    /// Decodes everything in this process: for tests, and for photographs of one's own.
    pub fn in_process(limits: PhotoLimits) -> Self {
        Self { limits, cpu_time: CPU_TIME, budget: Budget::new(DECODING_BYTES), processes: None }
    }

    /// Decodes everything but JPEG in processes that `command` starts.
    pub fn isolated(limits: PhotoLimits, command: DecoderCommand) -> Self {
        Self { processes: Some(Arc::new(Processes::new(command))), ..Self::in_process(limits) }
    }

    /// With another limit on the memory that all photographs at a time may take, in bytes; less where the limits of
    /// this process leave less.
    #[must_use]
    pub fn with_memory(self, bytes: u64) -> Self {
        Self { budget: Budget::new(within_limits(bytes)), ..self }
    }

    /// With another limit on the processor time that one photograph may take in a decoding process; HEIC has twice
    /// of it. For tests.
    #[must_use]
    pub fn with_cpu_time(self, cpu_time: Duration) -> Self {
        Self { cpu_time, ..self }
    }

    /// What photographs may be.
    pub fn limits(&self) -> &PhotoLimits {
        &self.limits
    }

    /// Decodes a photograph and turns it upright; transparency is laid over white. Waits until the budget has
    /// room for it, and keeps its pixels counted until the photograph is dropped.
    ///
    /// A thread that holds a photograph must not decode another, or it can wait for itself.
    ///
    /// # Errors
    /// Those of [`PhotoHeader::read`]; [`PhotoError::TooMuchMemory`], [`PhotoError::TookTooLong`],
    /// [`PhotoError::DecoderDied`]; [`Error::DecoderUnavailable`](crate::Error::DecoderUnavailable) where no process
    /// can be started.
    pub fn decode(&self, bytes: &[u8]) -> Result<Photo> {
        self.decode_at_least(bytes, Detail::FULL)
    }

    /// As [`PhotoDecoder::decode`], with no more pixels than `detail` asks for where fewer take less time.
    ///
    /// # Errors
    /// Those of [`PhotoDecoder::decode`].
    pub fn decode_at_least(&self, bytes: &[u8], detail: Detail) -> Result<Photo> {
        let (picture, lease) = self.run(bytes, &self.limits, Alpha::OverWhite, detail)?;
        Ok(Photo::of(picture, Some(lease)))
    }

    /// Decodes a picture within other limits and keeps its transparency, which HEIC alone loses here. Its pixels
    /// are no longer counted once it is given, so `limits` should be small.
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
        // By the header, because a few large photographs at a time could exhaust the memory before any is decoded. See
        // docs/decisions/0083-decoding-memory-budget.md.
        let memory_bytes = header.memory_bytes();
        let mut lease = self.budget.take(memory_bytes).ok_or_else(|| PhotoError::TooMuchMemory {
            needed_bytes: memory_bytes,
            limit_bytes: self.budget.limit_bytes(),
        })?;
        let picture = match &self.processes {
            // Decoding in a process costs the way of the pixels through a pipe, which JPEG is spared; see
            // docs/decisions/0082-decoder-process.md. `detail` is for JPEG alone.
            Some(processes) if header.format() != PhotoFormat::Jpeg => {
                let is_heic = header.format() == PhotoFormat::Heic;
                let cpu = self.cpu_time * if is_heic { HEIC_CPU_FACTOR } else { 1 };
                let allowance = Allowance { cpu, wall: cpu * WALL_FACTOR };
                processes.decode(bytes, &header, limits, alpha, allowance)?
            }
            _ => decode(bytes, &header, limits, alpha, detail)?,
        };
        // The decoder's own memory is free now; only the pixels stay counted.
        lease.shrink_to(picture.pixels.len() as u64);
        Ok((picture, lease))
    }
}
