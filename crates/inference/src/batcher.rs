//! A bounded queue before the engines, which gathers what is waiting into batches.

mod queue;

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
        mpsc,
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use tokio::sync::oneshot;

use crate::{Engine, Error, ImageBatch, Manifest, Outputs, Result, Tensor};
use queue::{Entry, Queue, Reply};

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
    /// Raw class logits `[c]`, f32; see [`Scores`](crate::Scores).
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

/// Counters of a batcher since its start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BatcherStats {
    /// Requests waiting now.
    pub waiting: usize,
    /// Batches run, failed ones included.
    pub batches: u64,
    /// Images in those batches.
    pub images: u64,
    /// Requests dropped because nobody waited for them any more.
    pub abandoned: u64,
    /// Requests refused because the queue was full.
    pub refused: u64,
    /// Batches that failed.
    pub failed_batches: u64,
}

/// Feeds engines from one bounded queue.
///
/// Each engine has a thread. An idle thread takes what is waiting at once, up to the limit, and leaves a
/// fair share to other idle engines; it never waits for a batch to fill. So a lone request runs alone and
/// at once, and batches grow only under load. A request whose future was dropped is left out of the next
/// batch.
pub struct Batcher {
    shared: Arc<Shared>,
    threads: Mutex<Vec<JoinHandle<()>>>,
    manifest: Manifest,
    provider: String,
}

struct Shared {
    queue: Queue,
    batches: AtomicU64,
    images: AtomicU64,
    failed_batches: AtomicU64,
}

impl Batcher {
    /// Starts one thread for each engine; all engines must run the same model.
    ///
    /// # Errors
    /// [`Error::InvalidBatcher`] without an engine, or when an option is 0; [`Error::StartThread`].
    pub fn start(engines: Vec<Box<dyn Engine>>, options: BatcherOptions) -> Result<Self> {
        let Some(first) = engines.first() else {
            return Err(Error::InvalidBatcher { what: "engine" });
        };
        if options.max_batch == 0 {
            return Err(Error::InvalidBatcher { what: "image in a batch" });
        }
        if options.queue_capacity == 0 {
            return Err(Error::InvalidBatcher { what: "place to wait" });
        }
        let (manifest, provider) = (first.manifest().clone(), first.provider().to_owned());
        let shared = Arc::new(Shared {
            queue: Queue::new(options.queue_capacity),
            batches: AtomicU64::new(0),
            images: AtomicU64::new(0),
            failed_batches: AtomicU64::new(0),
        });
        let batcher = Self { shared, threads: Mutex::default(), manifest, provider };
        for (index, engine) in engines.into_iter().enumerate() {
            let shared = Arc::clone(&batcher.shared);
            let thread = thread::Builder::new()
                .name(format!("engine-{index}"))
                .spawn(move || shared.serve(engine, options.max_batch))
                .map_err(|source| Error::StartThread { source })?;
            batcher.threads.lock().unwrap_or_else(PoisonError::into_inner).push(thread);
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
    /// takes the image out again.
    ///
    /// # Errors
    /// At once [`Error::QueueFull`], [`Error::ShutDown`], or [`Error::WrongTensorShape`]; later
    /// [`Error::Batch`] when its batch failed.
    pub async fn submit(&self, tensor: Tensor) -> Result<Prediction> {
        self.check(&tensor)?;
        let (sender, receiver) = oneshot::channel();
        self.shared.queue.try_push(Entry::new(tensor, Reply::Future(sender)))?;
        receiver.await.unwrap_or(Err(Error::ShutDown))
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
        self.shared.queue.push_when_room(Entry::new(tensor, Reply::Blocking(sender)))?;
        receiver.recv().unwrap_or(Err(Error::ShutDown))
    }

    /// The counters as they stand.
    pub fn stats(&self) -> BatcherStats {
        let queue = self.shared.queue.counts();
        BatcherStats {
            waiting: queue.waiting,
            batches: self.shared.batches.load(Ordering::Relaxed),
            images: self.shared.images.load(Ordering::Relaxed),
            abandoned: queue.abandoned,
            refused: queue.refused,
            failed_batches: self.shared.failed_batches.load(Ordering::Relaxed),
        }
    }

    /// Takes no more requests, answers those that wait, and ends the threads. Blocks until that is done;
    /// a second call does nothing.
    pub fn shut_down(&self) {
        self.shared.queue.close();
        let threads = std::mem::take(&mut *self.threads.lock().unwrap_or_else(PoisonError::into_inner));
        for thread in threads {
            if thread.join().is_err() {
                tracing::error!("an engine thread panicked");
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

impl Shared {
    fn serve(&self, mut engine: Box<dyn Engine>, max_batch: usize) {
        let max_batch = max_batch.min(engine.max_batch()).max(1);
        while let Some(entries) = self.queue.take(max_batch) {
            self.run(engine.as_mut(), entries);
        }
    }

    fn run(&self, engine: &mut dyn Engine, entries: Vec<Entry>) {
        let started = Instant::now();
        let n_images = entries.len();
        let (tensors, waiting): (Vec<_>, Vec<_>) = entries.into_iter().map(Entry::into_parts).unzip();
        // A panic in an engine must cost one batch, not the thread: without it the queue would fill and
        // every later request be refused.
        let result = catch_unwind(AssertUnwindSafe(|| {
            let outputs = engine.run(&ImageBatch::stack(&tensors)?)?;
            check_rows(&outputs, engine.manifest(), n_images)?;
            Ok(outputs)
        }))
        .unwrap_or_else(|_| Err(Error::EnginePanicked { model: engine.manifest().name.clone() }));
        let ran = started.elapsed();

        self.batches.fetch_add(1, Ordering::Relaxed);
        self.images.fetch_add(n_images as u64, Ordering::Relaxed);
        match result {
            Ok(outputs) => {
                for (row, (reply, queued)) in waiting.into_iter().enumerate() {
                    reply.send(Ok(Prediction {
                        embedding: outputs.embeddings.row(row).to_vec(),
                        logits: outputs.logits.row(row).to_vec(),
                        known: outputs.known[row],
                        batch_size: n_images,
                        waited: started.duration_since(queued),
                        ran,
                    }));
                }
            }
            Err(source) => {
                self.failed_batches.fetch_add(1, Ordering::Relaxed);
                let source = Arc::new(source);
                for (reply, _) in waiting {
                    reply.send(Err(Error::Batch { images: n_images, source: Arc::clone(&source) }));
                }
            }
        }
    }
}

/// An engine that gives fewer rows than images would hand one requester the answer of another.
fn check_rows(outputs: &Outputs, manifest: &Manifest, n_images: usize) -> Result<()> {
    for (name, found) in [
        (manifest.embedding.output.as_str(), outputs.embeddings.nrows()),
        (manifest.logits_name(), outputs.logits.nrows()),
        (manifest.known_name(), outputs.known.len()),
    ] {
        if found != n_images {
            return Err(Error::GraphMismatch {
                model: manifest.name.clone(),
                name: name.to_owned(),
                expected: format!("{n_images} rows"),
                found: format!("{found} rows"),
            });
        }
    }
    Ok(())
}
