//! Benchmarks of this machine: the network by batch size, from file to answer, and under offered load.
//!
//! Times are wall-clock times, because devices are compared: while a GPU works, the processor is idle.

use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use ndarray::Array4;
use partsight_inference::{Engine, ImageBatch, Manifest};
use tokio::task::JoinSet;
use tokio::time;

use super::bulk_options::BulkOptions;
use super::identify::Identifier;
use super::model_source::ModelSource;
use crate::{Error, Result, Settings};

/// Size of the synthetic photograph that is used if none is given: what phones send after resizing.
const DRAWN_SIZE: [u32; 2] = [1280, 720];
const NOTHING_MEASURED: &str = "there was nothing to measure";

/// Durations of repeated steps.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Durations {
    /// Median.
    pub median: Duration,
    /// 99th percentile.
    pub p99: Duration,
}

impl Durations {
    /// `None` without any.
    fn of(mut all: Vec<Duration>) -> Option<Self> {
        all.sort_unstable();
        // The nearest rank: with few steps the 99th percentile is the slowest.
        let at = |percent: usize| all.get((all.len() * percent).div_ceil(100).saturating_sub(1)).copied();
        Some(Self { median: at(50)?, p99: at(99)? })
    }
}

/// The network with batches of one size, all engines at once.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BatchSpeed {
    /// Images in a batch.
    pub batch: usize,
    /// Images a second, all engines together.
    pub images_per_second: f64,
    /// How long a batch takes.
    pub durations: Durations,
}

/// What runs the network, and how fast.
#[derive(Debug, Clone, PartialEq)]
pub struct NetworkSpeed {
    /// Name and version of the model.
    pub model: String,
    /// `CPU`, or `CUDA:N`.
    pub provider: String,
    /// Why it is that one.
    pub reason: String,
    /// Such as `ONNX Runtime 1.31.1`.
    pub runtime: String,
    /// Engines that run side by side.
    pub engines: usize,
    /// Batches of rising size.
    pub batches: Vec<BatchSpeed>,
}

/// Throughput: each core takes the next photograph as soon as it is free.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BulkSpeed {
    /// Photographs that are worked on at a time.
    pub at_once: usize,
    /// Photographs a second.
    pub photos_per_second: f64,
    /// From the bytes of a file to its answer.
    pub durations: Durations,
}

/// Open-loop load: photographs arrive at a fixed rate, whether earlier ones are answered or not.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LoadSpeed {
    /// Photographs a second that were sent.
    pub offered_per_second: f64,
    /// Photographs a second that were answered.
    pub answered_per_second: f64,
    /// Photographs that were sent.
    pub sent: usize,
    /// Of those, refused because they could not have been answered in time.
    pub refused: usize,
    /// From the due time of an answered photograph to its answer; `None` if all were refused.
    pub durations: Option<Durations>,
}

/// Runs the network of the model in use for about `time` with each size of batch, in rising order.
///
/// Sizes that the engine does not take are left out.
///
/// # Errors
/// Those of [`ModelSource::start`]; [`Error::Model`] when the network fails.
pub fn network_speed(settings: &Settings, sizes: &[usize], time: Duration) -> Result<NetworkSpeed> {
    let (model, mut started) = ModelSource::in_use(settings).start(settings)?;
    let manifest = model.manifest();
    let largest = started.engines.iter().map(|engine| engine.max_batch()).min().unwrap_or(1);
    let mut sizes: Vec<usize> = sizes.iter().copied().filter(|size| (1..=largest).contains(size)).collect();
    sizes.sort_unstable();
    sizes.dedup();
    let mut batches = Vec::with_capacity(sizes.len());
    for size in sizes {
        let images = drawn_batch(manifest, size)?;
        batches.push(batch_speed(&mut started.engines, &images, time)?);
    }
    Ok(NetworkSpeed {
        model: format!("{} {}", manifest.name, manifest.version),
        provider: started.engines.first().map(|engine| engine.provider().to_owned()).unwrap_or_default(),
        reason: started.reason,
        runtime: started.runtime,
        engines: started.engines.len(),
        batches,
    })
}

fn batch_speed(engines: &mut [Box<dyn Engine>], images: &ImageBatch, time: Duration) -> Result<BatchSpeed> {
    // The first run with a new shape includes planning by the engine, and is not counted.
    for engine in &mut *engines {
        engine.run(images).map_err(Error::Model)?;
    }
    let start = Instant::now();
    let run = |engine: &mut Box<dyn Engine>| {
        let mut durations = Vec::new();
        while start.elapsed() < time {
            let began = Instant::now();
            engine.run(images).map_err(Error::Model)?;
            durations.push(began.elapsed());
        }
        Ok(durations)
    };
    let durations = thread::scope(|scope| {
        let threads: Vec<_> = engines.iter_mut().map(|engine| scope.spawn(move || run(engine))).collect();
        threads.into_iter().map(joined).collect::<Result<Vec<Vec<Duration>>>>()
    })?
    .concat();
    let batch = images.n_images();
    let per_second = (durations.len() * batch) as f64 / start.elapsed().as_secs_f64();
    let durations = Durations::of(durations).ok_or_else(|| Error::internal(NOTHING_MEASURED))?;
    Ok(BatchSpeed { batch, images_per_second: per_second, durations })
}

/// Hands the photographs to `identifier` again and again for about `time`, as many at once as there are cores.
///
/// # Errors
/// [`Error::Photo`] and all other errors of an answer; [`Error::Internal`] without photographs.
pub fn bulk_speed(identifier: &Identifier, photos: &[Arc<[u8]>], time: Duration) -> Result<BulkSpeed> {
    let at_once = thread::available_parallelism().map_or(1, usize::from);
    let (next, start) = (AtomicUsize::new(0), Instant::now());
    let work = || {
        let mut durations = Vec::new();
        while start.elapsed() < time || durations.is_empty() {
            let photo = nth(photos, next.fetch_add(1, Ordering::Relaxed))?;
            let began = Instant::now();
            identifier.identify_blocking(photo, BulkOptions::of_model(1))?;
            durations.push(began.elapsed());
        }
        Ok(durations)
    };
    let durations = thread::scope(|scope| {
        let threads: Vec<_> = (0..at_once).map(|_| scope.spawn(work)).collect();
        threads.into_iter().map(joined).collect::<Result<Vec<Vec<Duration>>>>()
    })?
    .concat();
    let photos_per_second = durations.len() as f64 / start.elapsed().as_secs_f64();
    let durations = Durations::of(durations).ok_or_else(|| Error::internal(NOTHING_MEASURED))?;
    Ok(BulkSpeed { at_once, photos_per_second, durations })
}

/// Sends photographs at a fixed rate for about `time`, through the queue and the deadline that a server has.
///
/// Each is timed from its due time and not from when it was sent, so that a stall shows in all photographs that it
/// delays.
///
/// # Errors
/// All errors of an answer except a refusal; [`Error::Internal`] without photographs.
pub fn load_speed(
    identifier: &Arc<Identifier>,
    photos: &[Arc<[u8]>],
    per_second: f64,
    time: Duration,
) -> impl Future<Output = Result<LoadSpeed>> {
    let (identifier, photos) = (Arc::clone(identifier), photos.to_vec());
    async move {
        let sent = ((per_second * time.as_secs_f64()).ceil() as usize).max(1);
        let (start, mut answers) = (Instant::now(), JoinSet::new());
        for number in 0..sent {
            let due = start + Duration::from_secs_f64(number as f64 / per_second);
            time::sleep_until(due.into()).await;
            let photo = Arc::clone(nth(&photos, number)?);
            let identifier = Arc::clone(&identifier);
            answers.spawn(async move {
                match identifier.identify(photo, 1).await {
                    Ok(_) => Ok(Some(due.elapsed())),
                    Err(Error::Busy | Error::Overloaded { .. }) => Ok(None),
                    Err(error) => Err(error),
                }
            });
        }
        let (mut durations, mut refused) = (Vec::new(), 0);
        while let Some(answer) = answers.join_next().await {
            match answer.map_err(Error::internal)?? {
                Some(duration) => durations.push(duration),
                None => refused += 1,
            }
        }
        Ok(LoadSpeed {
            offered_per_second: per_second,
            answered_per_second: durations.len() as f64 / start.elapsed().as_secs_f64(),
            sent,
            refused,
            durations: Durations::of(durations),
        })
    }
}

/// A synthetic photograph for measurements: a JPEG of 1280x720 with shapes and sensor noise.
///
/// # Errors
/// [`Error::Internal`] when it cannot be encoded.
pub fn drawn_photo() -> Result<Vec<u8>> {
    let [width, height] = DRAWN_SIZE;
    let mut noise = Noise(20_261_125);
    let picture = image::RgbImage::from_fn(width, height, |x, y| {
        let (dx, dy) = (f64::from(x) - 640.0, f64::from(y) - 360.0);
        let distance = dx.hypot(dy);
        // A disc with holes on a slope of light: edges and plain areas, as a part on a bench has.
        let is_part = distance < 280.0 && distance > 70.0 && (dy.atan2(dx) * 5.0).sin().abs() > 0.1;
        let light = if is_part { 0.7 } else { 0.25 } + f64::from(x) / 6400.0;
        image::Rgb([1.0, 0.97, 0.9].map(|tint| (light * tint).mul_add(255.0, noise.next()) as u8))
    });
    let mut bytes = Vec::new();
    image::codecs::jpeg::JpegEncoder::new_with_quality(&mut bytes, 90)
        .encode_image(&picture)
        .map_err(Error::internal)?;
    Ok(bytes)
}

/// Images of the model's input size with photograph-like values: all zeros could be faster.
fn drawn_batch(manifest: &Manifest, n_images: usize) -> Result<ImageBatch> {
    let [channels, height, width] = manifest.tensor_shape();
    let mut noise = Noise(7);
    let images = Array4::from_shape_simple_fn((n_images, channels, height, width), || {
        noise.next() as f32 / Noise::LARGEST as f32
    });
    ImageBatch::new(images).map_err(Error::Model)
}

/// A seeded generator, for reproducible results (xorshift, Marsaglia 2003).
struct Noise(u32);

impl Noise {
    /// The largest absolute value.
    const LARGEST: f64 = 8.0;

    fn next(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 17;
        self.0 ^= self.0 << 5;
        (f64::from(self.0) / f64::from(u32::MAX)).mul_add(2.0 * Self::LARGEST, -Self::LARGEST)
    }
}

fn nth(photos: &[Arc<[u8]>], number: usize) -> Result<&Arc<[u8]>> {
    // A remainder by the length of an empty list would panic.
    number
        .checked_rem(photos.len())
        .and_then(|index| photos.get(index))
        .ok_or_else(|| Error::internal(NOTHING_MEASURED))
}

fn joined<T>(thread: thread::ScopedJoinHandle<'_, Result<T>>) -> Result<T> {
    match thread.join() {
        Ok(outcome) => outcome,
        Err(panic) => std::panic::resume_unwind(panic),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_steps_that_were_measured() {
        let durations = |n: u64| Durations::of((1..=n).rev().map(Duration::from_millis).collect());
        let expect = |n, median, p99| {
            let expected =
                Durations { median: Duration::from_millis(median), p99: Duration::from_millis(p99) };
            assert_eq!(durations(n), Some(expected), "{n}");
        };
        assert_eq!(durations(0), None);
        expect(1, 1, 1);
        expect(4, 2, 4);
        expect(100, 50, 99);
        expect(1000, 500, 990);
    }

    #[test]
    fn the_drawn_photograph_is_one_that_can_be_read() {
        let photo = image::load_from_memory(&drawn_photo().unwrap()).unwrap();
        assert_eq!([photo.width(), photo.height()], DRAWN_SIZE);
    }

    #[test]
    fn photographs_are_taken_in_turn_and_none_is_an_error() {
        let photos: Vec<Arc<[u8]>> = vec![Arc::from([1].as_slice()), Arc::from([2].as_slice())];
        let taken: Vec<u8> = (0..4).map(|number| nth(&photos, number).unwrap()[0]).collect();
        assert_eq!(taken, [1, 2, 1, 2]);
        assert!(nth(&[], 3).is_err());
    }
}
