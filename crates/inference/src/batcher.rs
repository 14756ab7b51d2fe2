//! A bounded queue in front of the engines, which groups waiting requests into batches.

mod pulse;
mod queue;
mod supervision;
mod worker;

use std::{
    sync::{
        Arc, Condvar, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
        mpsc,
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use ndarray::{Array1, ArrayView1, Axis};
use tokio::sync::oneshot;

use crate::{Engine, Error, Manifest, Outputs, Result, Tensor};
use queue::{Entry, Queue, Reply};
use supervision::Pool;
pub use supervision::{EngineFactory, Supervision};

/// Upper bounds (inclusive) of the histogram of batch sizes; one more class holds all larger batches.
pub const BATCH_SIZE_BOUNDS: [usize; 6] = [1, 2, 4, 8, 16, 32];

/// Limits of the queue and of a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BatcherOptions {
    /// Largest number of images in one batch; at least 1. The limit of the engine applies too.
    pub max_batch: usize,
    /// Largest number of requests that may wait, not counting those being run; at least 1.
    pub queue_capacity: usize,
}

impl Default for BatcherOptions {
    /// Batches of 8 and 64 waiting requests: at 10 ms per image, the last of 64 waits 0.64 s.
    fn default() -> Self {
        Self { max_batch: 8, queue_capacity: 64 }
    }
}

/// The outputs of the model for one image, with timings.
#[derive(Clone, Debug, PartialEq)]
pub struct Prediction {
    /// The embedding `[d]`, f32, of L2 length 1 when the manifest says normalised.
    pub embedding: Vec<f32>,
    /// Raw class logits `[c]`, f32, not calibrated.
    pub logits: Vec<f32>,
    /// Raw logit of "shows a known type".
    pub known: f32,
    /// Images in the batch that this one was part of.
    pub batch_size: usize,
    /// Time from the request to the start of its batch.
    pub waited: Duration,
    /// Time that the whole batch ran.
    pub ran: Duration,
}

impl Prediction {
    /// Converts it to outputs with one row.
    pub(crate) fn as_outputs(&self) -> Outputs {
        let row = |values: &[f32]| ArrayView1::from(values).to_owned().insert_axis(Axis(0));
        Outputs {
            embeddings: row(&self.embedding),
            logits: row(&self.logits),
            known: Array1::from_elem(1, self.known),
        }
    }
}

/// Called with the number of images in the batch when an engine stalls or panics on this image.
pub type OnLoss = Box<dyn FnOnce(usize) + Send>;

/// Counters of a batcher since its start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BatcherStats {
    /// Requests waiting now.
    pub waiting: usize,
    /// Batches run, failed ones included.
    pub batches: u64,
    /// Images in those batches.
    pub images: u64,
    /// Batches by their images: one class for each of [`BATCH_SIZE_BOUNDS`], and one for larger ones.
    pub batch_sizes: [u64; BATCH_SIZE_BOUNDS.len() + 1],
    /// Requests dropped because their callers no longer waited.
    pub abandoned: u64,
    /// Requests refused because the queue was full.
    pub refused: u64,
    /// Batches that failed.
    pub failed_batches: u64,
    /// Configured number of engines.
    pub engines: usize,
    /// Engines that accept batches now.
    pub engines_alive: usize,
    /// Threads that were abandoned as stuck and have not returned.
    pub threads_stuck: usize,
    /// Engines that were started in place of one that stalled or panicked.
    pub restarts: u64,
    /// Restarts during the last ten minutes.
    pub recent_restarts: usize,
}

/// Feeds engines from one bounded queue.
///
/// Each engine has a thread. An idle thread takes the waiting requests at once, up to the limit, and leaves a fair
/// share to other idle engines; it never waits for a batch to fill. So a single request runs alone and at once, and
/// batches grow only under load. A request whose future was dropped is left out of the next batch.
///
/// With [`Supervision`], an engine is replaced when its batch runs too long or when it panics.
pub struct Batcher {
    shared: Arc<Shared>,
    watchdog: Mutex<Option<JoinHandle<()>>>,
    manifest: Manifest,
    provider: String,
}

struct Shared {
    queue: Queue,
    max_batch: usize,
    model: String,
    supervision: Option<Supervision>,
    pool: Mutex<Pool>,
    /// Notified when a thread ends, after each check of the engines, and when the watchdog must stop.
    changed: Condvar,
    batches: AtomicU64,
    images: AtomicU64,
    batch_sizes: [AtomicU64; BATCH_SIZE_BOUNDS.len() + 1],
    failed_batches: AtomicU64,
}

impl Batcher {
    /// Starts one thread for each engine; all engines must run the same model.
    ///
    /// Without supervision a batch may run for any time, and an engine that panicked is used again.
    ///
    /// # Errors
    /// [`Error::InvalidBatcher`] without an engine, or when an option is 0; [`Error::StartThread`].
    pub fn start(engines: Vec<Box<dyn Engine>>, options: BatcherOptions) -> Result<Self> {
        Self::start_supervised(engines, options, None)
    }

    /// Like [`Batcher::start`], with engines that are replaced when they stall or panic.
    ///
    /// # Errors
    /// Those of [`Batcher::start`].
    pub fn start_supervised(
        engines: Vec<Box<dyn Engine>>,
        options: BatcherOptions,
        supervision: Option<Supervision>,
    ) -> Result<Self> {
        let Some(first) = engines.first() else {
            return Err(Error::InvalidBatcher { what: "engine" });
        };
        if options.max_batch == 0 {
            return Err(Error::InvalidBatcher { what: "image in a batch" });
        }
        if options.queue_capacity == 0 {
            return Err(Error::InvalidBatcher { what: "place to wait" });
        }
        // Read here, because the engines move to their threads below.
        let (manifest, provider) = (first.manifest().clone(), first.provider().to_owned());
        // Read before `supervision` moves into the shared state.
        let is_supervised = supervision.is_some();
        let shared = Arc::new(Shared {
            queue: Queue::new(options.queue_capacity),
            max_batch: options.max_batch,
            model: manifest.name.clone(),
            supervision,
            pool: Mutex::default(),
            changed: Condvar::new(),
            batches: AtomicU64::new(0),
            images: AtomicU64::new(0),
            batch_sizes: Default::default(),
            failed_batches: AtomicU64::new(0),
        });
        let batcher = Self { shared, watchdog: Mutex::default(), manifest, provider };
        for engine in engines {
            batcher.shared.add(engine)?;
        }
        if is_supervised {
            let shared = Arc::clone(&batcher.shared);
            let thread = thread::Builder::new()
                .name("engine-watchdog".to_owned())
                .spawn(move || shared.watch())
                .map_err(|source| Error::StartThread { source })?;
            *batcher.watchdog.lock().unwrap_or_else(PoisonError::into_inner) = Some(thread);
        }
        Ok(batcher)
    }

    /// The model that the engines run.
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// Device of the first engine, such as `CPU`.
    pub fn provider(&self) -> &str {
        &self.provider
    }

    /// Queues one image and waits for its prediction, without blocking the thread.
    ///
    /// The image is queued when the future is first polled; if the future is dropped before the batch starts, the
    /// image is left out. `on_loss` is called if an engine stalls or panics on the image, even if the future was
    /// dropped by then.
    ///
    /// # Errors
    /// Immediately [`Error::QueueFull`], [`Error::ShutDown`] or [`Error::WrongTensorShape`]; later [`Error::Batch`]
    /// if its batch failed.
    pub async fn submit(&self, tensor: Tensor, on_loss: OnLoss) -> Result<Prediction> {
        self.check(&tensor)?;
        let (sender, receiver) = oneshot::channel();
        // Refused at once if the queue is full: waiting for room would be a second, unbounded queue.
        self.shared.queue.try_push(vec![Entry::new(tensor, Reply::Future(sender), Some(on_loss))])?;
        // A sender is dropped without an answer only when the batcher shuts down.
        receiver.await.unwrap_or(Err(Error::ShutDown))
    }

    /// Like [`Batcher::submit`] for the images of one photograph. Either all of them are queued together, so that
    /// they can share a batch, or none is. The predictions are in the order of the images.
    ///
    /// # Errors
    /// Those of [`Batcher::submit`]; also [`Error::QueueFull`] if there is room for only some of them.
    pub async fn submit_all(
        &self,
        tensors: Vec<Tensor>,
        on_loss: impl Fn() -> OnLoss,
    ) -> Result<Vec<Prediction>> {
        // All are checked before the first is queued, so that an invalid one does not leave part of a photograph
        // queued.
        tensors.iter().try_for_each(|tensor| self.check(tensor))?;
        let (entries, receivers): (Vec<_>, Vec<_>) = tensors
            .into_iter()
            .map(|tensor| {
                let (sender, receiver) = oneshot::channel();
                (Entry::new(tensor, Reply::Future(sender), Some(on_loss())), receiver)
            })
            .unzip();
        self.shared.queue.try_push(entries)?;
        let mut predictions = Vec::with_capacity(receivers.len());
        for receiver in receivers {
            predictions.push(receiver.await.unwrap_or(Err(Error::ShutDown))?);
        }
        Ok(predictions)
    }

    /// Queues one image and blocks until its prediction is available; waits for room in the queue.
    ///
    /// For bulk work on dedicated threads. On a thread of an async runtime it would block all its tasks.
    ///
    /// # Errors
    /// As [`Batcher::submit`], without [`Error::QueueFull`].
    pub fn submit_blocking(&self, tensor: Tensor) -> Result<Prediction> {
        self.check(&tensor)?;
        let (sender, receiver) = mpsc::sync_channel(1);
        self.shared.queue.push_when_room(Entry::new(tensor, Reply::Blocking(sender), None))?;
        receiver.recv().unwrap_or(Err(Error::ShutDown))
    }

    /// Like [`Batcher::submit_blocking`] for several images: all are queued before the first prediction is awaited.
    /// The predictions are in the order of the images.
    ///
    /// # Errors
    /// Those of [`Batcher::submit_blocking`].
    pub fn submit_all_blocking(&self, tensors: Vec<Tensor>) -> Result<Vec<Prediction>> {
        tensors.iter().try_for_each(|tensor| self.check(tensor))?;
        let receivers: Vec<_> = tensors
            .into_iter()
            .map(|tensor| {
                let (sender, receiver) = mpsc::sync_channel(1);
                self.shared.queue.push_when_room(Entry::new(tensor, Reply::Blocking(sender), None))?;
                Ok(receiver)
            })
            .collect::<Result<_>>()?;
        receivers.into_iter().map(|receiver| receiver.recv().unwrap_or(Err(Error::ShutDown))).collect()
    }

    /// The current counters.
    pub fn stats(&self) -> BatcherStats {
        let queue = self.shared.queue.counts();
        let pool = self.shared.pool().figures(Instant::now());
        BatcherStats {
            waiting: queue.waiting,
            batches: self.shared.batches.load(Ordering::Relaxed),
            images: self.shared.images.load(Ordering::Relaxed),
            batch_sizes: std::array::from_fn(|class| self.shared.batch_sizes[class].load(Ordering::Relaxed)),
            abandoned: queue.abandoned,
            refused: queue.refused,
            failed_batches: self.shared.failed_batches.load(Ordering::Relaxed),
            engines: pool.engines,
            engines_alive: pool.alive,
            threads_stuck: pool.stuck,
            restarts: pool.restarts,
            recent_restarts: pool.recent_restarts,
        }
    }

    /// Abandons the batches that have run too long at `now`, and starts engines in place of lost ones.
    ///
    /// With [`Supervision`] the watchdog thread does this every second; without it, this does nothing.
    pub fn check_engines(&self, now: Instant) {
        self.shared.check(now, None);
    }

    /// Accepts no more requests, answers the waiting ones and ends the threads. Blocks until all threads have ended
    /// or were abandoned by the watchdog; a second call does nothing.
    pub fn shut_down(&self) {
        self.shared.queue.close();
        self.shared.join_all();
        // If all engines were lost earlier, nothing else answers the waiting requests.
        self.shared.queue.refuse_waiting(|| Error::ShutDown);
        let watchdog = self.watchdog.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(watchdog) = watchdog {
            self.shared.pool().is_over = true;
            self.shared.changed.notify_all();
            if watchdog.join().is_err() {
                tracing::error!("the watchdog of the engines panicked");
            }
        }
    }

    /// One tensor of the wrong shape must not fail the whole batch.
    fn check(&self, tensor: &Tensor) -> Result<()> {
        let expected = self.manifest.tensor_shape();
        if tensor.shape() == expected {
            return Ok(());
        }
        Err(Error::WrongTensorShape { expected: expected.to_vec(), found: tensor.shape().to_vec() })
    }
}

impl Drop for Batcher {
    fn drop(&mut self) {
        self.shut_down();
    }
}
