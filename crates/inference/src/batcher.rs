//! A bounded queue before the engines, which gathers what is waiting into batches.

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

/// Upper bounds of the classes in which batches are counted by their images; a last class holds the larger.
pub const BATCH_SIZE_BOUNDS: [usize; 6] = [1, 2, 4, 8, 16, 32];

/// How much may wait and how much is run at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BatcherOptions {
    /// Images in one batch at most; at least 1. An engine's own limit holds as well.
    pub max_batch: usize,
    /// Requests that may wait beside those being run; at least 1.
    pub queue_capacity: usize,
}

impl Default for BatcherOptions {
    /// Batches of 8 and 64 waiting: with 10 ms an image the last of 64 waits well under a second.
    fn default() -> Self {
        Self { max_batch: 8, queue_capacity: 64 }
    }
}

/// What the model says of one image, and how long that took.
#[derive(Clone, Debug, PartialEq)]
pub struct Prediction {
    /// The embedding `[d]`, f32, of L2 length 1 when the manifest says normalised.
    pub embedding: Vec<f32>,
    /// Raw class logits `[c]`, f32, which the caller calibrates.
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
    /// As the outputs of a run of one image.
    pub(crate) fn as_outputs(&self) -> Outputs {
        let row = |values: &[f32]| ArrayView1::from(values).to_owned().insert_axis(Axis(0));
        Outputs {
            embeddings: row(&self.embedding),
            logits: row(&self.logits),
            known: Array1::from_elem(1, self.known),
        }
    }
}

/// Told when a worker is lost over an image, with the number of images in its batch.
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
    /// Requests dropped because nobody waited for them any more.
    pub abandoned: u64,
    /// Requests refused because the queue was full.
    pub refused: u64,
    /// Batches that failed.
    pub failed_batches: u64,
    /// Engines that there should be.
    pub engines: usize,
    /// Engines that take batches now.
    pub engines_alive: usize,
    /// Threads that were given up and have not come back.
    pub threads_stuck: usize,
    /// Engines that were started in place of one that stalled or panicked.
    pub restarts: u64,
    /// Those of the last ten minutes.
    pub recent_restarts: usize,
}

/// Feeds engines from one bounded queue.
///
/// Each engine has a thread. An idle thread takes what is waiting at once, up to the limit, and leaves a
/// fair share to other idle engines; it never waits for a batch to fill. So a lone request runs alone and
/// at once, and batches grow only under load. A request whose future was dropped is left out of the next
/// batch.
///
/// With [`Supervision`], a batch that runs too long is given up, and its engine is replaced as is one that
/// panicked.
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
    /// Rung whenever a thread ends, and when the watchdog is to end.
    changed: Condvar,
    batches: AtomicU64,
    images: AtomicU64,
    batch_sizes: [AtomicU64; BATCH_SIZE_BOUNDS.len() + 1],
    failed_batches: AtomicU64,
}

impl Batcher {
    /// Starts one thread for each engine; all engines must run the same model.
    ///
    /// Without supervision a batch may run as long as it likes, and an engine that panicked is used again.
    ///
    /// # Errors
    /// [`Error::InvalidBatcher`] without an engine, or when an option is 0; [`Error::StartThread`].
    pub fn start(engines: Vec<Box<dyn Engine>>, options: BatcherOptions) -> Result<Self> {
        Self::start_supervised(engines, options, None)
    }

    /// As [`Batcher::start`], with engines that are replaced when they stall or panic.
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
        // Kept here, because the engines move to their threads and can no longer be asked.
        let (manifest, provider) = (first.manifest().clone(), first.provider().to_owned());
        // Asked before `supervision` moves into the shared state.
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

    /// Where the first engine runs, such as `CPU`.
    pub fn provider(&self) -> &str {
        &self.provider
    }

    /// Queues one image and waits for its prediction, without blocking the thread.
    ///
    /// The image is queued when the future is first polled; dropping the future before its batch starts
    /// takes the image out again. `on_loss` is called should an engine stall or panic over the image, also when the
    /// future was dropped by then.
    ///
    /// # Errors
    /// At once [`Error::QueueFull`], [`Error::ShutDown`], or [`Error::WrongTensorShape`]; later
    /// [`Error::Batch`] when its batch failed.
    pub async fn submit(&self, tensor: Tensor, on_loss: OnLoss) -> Result<Prediction> {
        self.check(&tensor)?;
        let (sender, receiver) = oneshot::channel();
        // Refused at once when it is full: waiting for a place would be a second queue, without a bound.
        self.shared.queue.try_push(vec![Entry::new(tensor, Reply::Future(sender), Some(on_loss))])?;
        // A sender is dropped without an answer only where the batcher ends.
        receiver.await.unwrap_or(Err(Error::ShutDown))
    }

    /// As [`Batcher::submit`] for images of one photograph: they are queued at once, so that they can share a
    /// batch, or none is. The predictions come in their order.
    ///
    /// # Errors
    /// Those of [`Batcher::submit`]; [`Error::QueueFull`] as well when there is room for some of them only.
    pub async fn submit_all(
        &self,
        tensors: Vec<Tensor>,
        on_loss: impl Fn() -> OnLoss,
    ) -> Result<Vec<Prediction>> {
        // All are checked before the first is queued, so that a bad one does not leave half a photograph in the queue.
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

    /// Queues one image and blocks until its prediction is there; waits for room in the queue.
    ///
    /// For bulk work on threads of its own. On a thread that drives futures it would hold them all up.
    ///
    /// # Errors
    /// As [`Batcher::submit`], without [`Error::QueueFull`].
    pub fn submit_blocking(&self, tensor: Tensor) -> Result<Prediction> {
        self.check(&tensor)?;
        let (sender, receiver) = mpsc::sync_channel(1);
        self.shared.queue.push_when_room(Entry::new(tensor, Reply::Blocking(sender), None))?;
        receiver.recv().unwrap_or(Err(Error::ShutDown))
    }

    /// As [`Batcher::submit_blocking`] for several images, of which all wait before the first is answered. The
    /// predictions come in their order.
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

    /// The counters as they stand.
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

    /// Gives up the batches that have run too long by `now`, and starts engines in place of those that are gone.
    ///
    /// The watchdog's thread does this every second where there is [`Supervision`]; without, it does nothing.
    pub fn check_engines(&self, now: Instant) {
        self.shared.check(now, None);
    }

    /// Takes no more requests, answers those that wait, and ends the threads. Blocks until that is done, or
    /// the watchdog has given up what does not end; a second call does nothing.
    pub fn shut_down(&self) {
        self.shared.queue.close();
        self.shared.join_all();
        // Where the engines were lost before.
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

    /// One bad tensor must not spoil the batch of others.
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
