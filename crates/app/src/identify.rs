use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use partsight_catalog::Catalog;
use partsight_domain::{
    Candidate, Category, CategoryGuess, Embedding, PartLabel, StageTimings, Verdict, VerdictThresholds,
};
use partsight_inference::{
    Batcher, BatcherOptions, Engine, Fingerprint, Manifest, Model, Photo, PhotoLimits, Prediction,
    Preprocessor, Scores, Tensor,
};
use rayon::{ThreadPool, ThreadPoolBuilder};
use tokio::sync::{Semaphore, oneshot};

use crate::models::ModelSource;
use crate::{Error, Result, Settings};

/// What the model says of one photograph.
#[derive(Debug, Clone, PartialEq)]
pub struct Identification {
    /// By the thresholds of the model's manifest.
    pub verdict: Verdict,
    /// The best guess, whatever the verdict.
    pub best: Candidate,
    /// The next best, most probable first.
    pub alternatives: Vec<Candidate>,
    /// The category that answers where the best guess ties with its siblings.
    pub category: Option<CategoryGuess>,
    /// How surely the photograph shows one of the known types, in 0..=1.
    pub known_score: f32,
    /// What the photograph looks like, by which copies are found.
    pub fingerprint: Fingerprint,
    /// Where the photograph lies in the model's space; `None` for one without a direction, and in bulk work, which
    /// has no use for it.
    pub embedding: Option<Embedding>,
    /// Milliseconds a stage.
    pub timings_ms: StageTimings,
}

/// From the bytes of a photograph to a verdict, for a server's requests and for bulk work alike.
///
/// Decoding runs on a thread a processor core, beside the async threads; the tensors of all requests share
/// the engines' queue. Memory is bounded by the number of photographs in flight.
pub struct Identifier {
    batcher: Batcher,
    /// What was loaded; `None` for engines that were handed over.
    model: Option<Model>,
    labels: Vec<PartLabel>,
    /// Of each label, in the same order; `None` for one that the catalogue does not describe.
    categories: Vec<Option<Category>>,
    preparer: Arc<Preparer>,
    in_flight: Arc<Semaphore>,
    decoders: ThreadPool,
}

/// The part that runs before the queue.
#[derive(Debug)]
struct Preparer {
    preprocessor: Preprocessor,
    limits: PhotoLimits,
}

/// A photograph ready for the engine.
#[derive(Debug)]
struct Prepared {
    tensor: Tensor,
    notes: Notes,
    photo: Photo,
}

/// What preparing a photograph leaves for its answer.
#[derive(Debug, Clone, Copy)]
struct Notes {
    fingerprint: Fingerprint,
    decode: Duration,
    preprocess: Duration,
}

impl Preparer {
    fn prepare(&self, bytes: &[u8]) -> Result<Prepared> {
        let start = Instant::now();
        let photo = Photo::decode(bytes, &self.limits)?;
        let decoded = Instant::now();
        let image = self.preprocessor.resize_rgb(&photo);
        let fingerprint = Fingerprint::of(&image);
        let tensor = self.preprocessor.normalise(&image);
        let notes = Notes { fingerprint, decode: decoded - start, preprocess: decoded.elapsed() };
        Ok(Prepared { tensor, notes, photo })
    }
}

impl Identifier {
    /// Loads ONNX Runtime and the model, starts the engines and runs each once, so that the first
    /// photograph is as quick as the rest. `catalog` says in which category each type of the model is.
    ///
    /// # Errors
    /// [`Error::Model`] for a missing or wrong library, a damaged model, a label that is none, or a GPU that
    /// was asked for and does not work; [`Error::ModelMissing`].
    pub fn start(settings: &Settings, catalog: &Catalog) -> Result<Self> {
        let (model, started) = ModelSource::in_use(settings).start(settings)?;
        tracing::info!(
            model.name = model.manifest().name,
            model.version = model.manifest().version,
            engine.threads = started.engines.len(),
            engine.runtime = started.runtime,
            engine.provider = %started.device,
            engine.reason = started.reason,
            "the model is ready"
        );
        let identifier = Self::new(started.engines, model.labels(), catalog, settings)?;
        Ok(Self { model: Some(model), ..identifier })
    }

    /// The model that was loaded, files included; `None` where engines were handed over.
    pub(crate) fn model(&self) -> Option<&Model> {
        self.model.as_ref()
    }

    /// Puts engines of one model behind one queue. `labels` names the classes in order, and `catalog` says
    /// where they belong; a type that it does not describe is in no category.
    ///
    /// # Errors
    /// [`Error::Model`] without engines or with an empty queue, [`Error::Invalid`] for a bad label.
    pub fn new(
        engines: Vec<Box<dyn Engine>>,
        labels: &[String],
        catalog: &Catalog,
        settings: &Settings,
    ) -> Result<Self> {
        let options = BatcherOptions {
            // Without engines the batcher refuses below, whatever the batch.
            max_batch: settings
                .effective_max_batch(engines.first().map_or("CPU", |engine| engine.provider())),
            queue_capacity: settings.queue_capacity,
        };
        let batcher = Batcher::start(engines, options).map_err(|source| Error::Model { source })?;
        let manifest = batcher.manifest();
        let preprocessor = Preprocessor::new(manifest).map_err(|source| Error::Model { source })?;
        let limits =
            PhotoLimits { max_bytes: settings.max_photo_bytes, max_pixels: settings.max_photo_pixels };
        let decoders = ThreadPoolBuilder::new()
            .num_threads(std::thread::available_parallelism().map_or(1, usize::from))
            .thread_name(|index| format!("decode-{index}"))
            // A panic costs the one request; the default would end the process.
            .panic_handler(|_| tracing::error!("preparing a photograph panicked"))
            .build()
            .map_err(Error::internal)?;
        let labels: Vec<PartLabel> =
            labels.iter().map(|label| PartLabel::new(label)).collect::<Result<_, _>>()?;
        Ok(Self {
            categories: labels.iter().map(|label| Some(catalog.get(label)?.category)).collect(),
            labels,
            preparer: Arc::new(Preparer { preprocessor, limits }),
            in_flight: Arc::new(Semaphore::new(settings.queue_capacity)),
            decoders,
            batcher,
            model: None,
        })
    }

    /// Identifies a photograph without blocking the thread, with the `top` most probable types.
    ///
    /// # Errors
    /// [`Error::Busy`] at once when as many photographs are in flight as may be, [`Error::Photo`].
    pub async fn identify(
        &self,
        bytes: impl AsRef<[u8]> + Send + 'static,
        top: usize,
    ) -> Result<Identification> {
        Ok(self.identify_with(bytes, top, |_| ()).await?.0)
    }

    /// Identifies a photograph as [`Identifier::identify`] does, and makes something else of its pixels while
    /// the model runs; `None` should that fail.
    ///
    /// # Errors
    /// Those of [`Identifier::identify`].
    pub(crate) async fn identify_with<T: Send + 'static>(
        &self,
        bytes: impl AsRef<[u8]> + Send + 'static,
        top: usize,
        also: impl FnOnce(&Photo) -> T + Send + 'static,
    ) -> Result<(Identification, Option<T>)> {
        let start = Instant::now();
        let in_flight = Arc::clone(&self.in_flight).try_acquire_owned().map_err(|_| Error::Busy)?;
        let preparer = Arc::clone(&self.preparer);
        let (sender, receiver) = oneshot::channel();
        let (also_sender, also_receiver) = oneshot::channel();
        self.decoders.spawn(move || {
            // Nobody waits any more once the request was cancelled.
            if sender.is_closed() {
                return;
            }
            let outcome = preparer.prepare(bytes.as_ref());
            drop(bytes);
            // The place goes along: a cancelled request must not let the next photograph into memory while its
            // own is still being decoded.
            match outcome {
                Ok(Prepared { tensor, notes, photo }) => {
                    if sender.send((Ok((tensor, notes)), in_flight)).is_ok() {
                        let _ = also_sender.send(also(&photo));
                    }
                }
                Err(error) => {
                    let _ = sender.send((Err(error), in_flight));
                }
            }
        });
        let (ready, _in_flight) = receiver.await.map_err(Error::internal)?;
        let (tensor, notes) = ready?;
        let prediction = self.batcher.submit(tensor).await?;
        let identification = self.identification(prediction, top, notes, start)?;
        Ok((identification, also_receiver.await.ok()))
    }

    /// Identifies a photograph on the calling thread; for bulk work, which waits its turn instead of
    /// being refused.
    pub fn identify_blocking(&self, bytes: &[u8], top: usize) -> Result<Identification> {
        let start = Instant::now();
        let Prepared { tensor, notes, .. } = self.preparer.prepare(bytes)?;
        let prediction = self.batcher.submit_blocking(tensor)?;
        let mut identification = self.identification(prediction, top, notes, start)?;
        identification.embedding = None;
        Ok(identification)
    }

    /// Decodes a photograph on the decoding threads once more and makes something of its pixels; `None` should that
    /// fail. For what only few photographs need, and whose pixels are not worth holding for all.
    pub(crate) async fn with_pixels<T: Send + 'static>(
        &self,
        bytes: impl AsRef<[u8]> + Send + 'static,
        make: impl FnOnce(&Photo) -> Option<T> + Send + 'static,
    ) -> Option<T> {
        let in_flight = Arc::clone(&self.in_flight).acquire_owned().await.ok()?;
        let limits = self.preparer.limits;
        let (sender, receiver) = oneshot::channel();
        self.decoders.spawn(move || {
            let _in_flight = in_flight;
            if !sender.is_closed() {
                let photo = Photo::decode(bytes.as_ref(), &limits).ok();
                let _ = sender.send(photo.as_ref().and_then(make));
            }
        });
        receiver.await.ok().flatten()
    }

    /// What a photograph looks like, on the calling thread and without asking the model.
    pub fn fingerprint_blocking(&self, photo: &Photo) -> Fingerprint {
        Fingerprint::of(&self.preparer.preprocessor.resize_rgb(photo))
    }

    fn identification(
        &self,
        prediction: Prediction,
        top: usize,
        notes: Notes,
        start: Instant,
    ) -> Result<Identification> {
        let manifest = self.batcher.manifest();
        let scores = Scores::new(&manifest.calibration, &prediction.logits, prediction.known);
        let mut candidates = scores.ranking(top.max(1)).into_iter().filter_map(|class| {
            let label = self.labels.get(class)?.clone();
            Some(Candidate { label, confidence: scores.probabilities[class] })
        });
        let best = candidates.next().ok_or_else(|| Error::internal("the model has no classes"))?;
        let thresholds = self.thresholds();
        Ok(Identification {
            verdict: Verdict::decide(best.confidence, scores.known_score, &thresholds),
            category: CategoryGuess::roll_up(
                &scores.probabilities,
                &self.categories,
                scores.known_score,
                &thresholds,
            ),
            alternatives: candidates.collect(),
            best,
            known_score: scores.known_score,
            fingerprint: notes.fingerprint,
            embedding: Embedding::new(prediction.embedding),
            timings_ms: StageTimings {
                decode: millis(notes.decode),
                preprocess: millis(notes.preprocess),
                queue: millis(prediction.waited),
                inference: millis(prediction.ran),
                judge: 0.0,
                total: millis(start.elapsed()),
            },
        })
    }

    /// Where the verdicts part.
    pub fn thresholds(&self) -> VerdictThresholds {
        let thresholds = &self.manifest().thresholds;
        VerdictThresholds {
            not_a_part_below: thresholds.not_a_part_below as f32,
            identified_known_score: thresholds.identified_known_score as f32,
            identified_confidence: thresholds.identified_confidence as f32,
            category_confidence: Some(thresholds.category_confidence() as f32),
        }
    }

    /// The classes in order.
    pub fn labels(&self) -> &[PartLabel] {
        &self.labels
    }

    /// What photographs may be.
    pub fn limits(&self) -> PhotoLimits {
        self.preparer.limits
    }

    /// The model's name.
    pub fn model_name(&self) -> &str {
        &self.manifest().name
    }

    /// The model's version.
    pub fn model_version(&self) -> &str {
        &self.manifest().version
    }

    /// SHA-256 of the model file, lower-case hex.
    pub fn model_sha256(&self) -> &str {
        &self.manifest().file.sha256
    }

    /// What really runs the model: `CPU`, or `CUDA:N` with the GPU's number.
    pub fn provider(&self) -> &str {
        self.batcher.provider()
    }

    /// Photographs that wait for an engine.
    pub fn queue_depth(&self) -> usize {
        self.batcher.stats().waiting
    }

    /// Answers the photographs that wait and takes no more.
    pub fn shut_down(&self) {
        self.batcher.shut_down();
    }

    /// The facts about the model.
    pub fn manifest(&self) -> &Manifest {
        self.batcher.manifest()
    }
}

impl fmt::Debug for Identifier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Identifier").field("model", &self.model_name()).finish_non_exhaustive()
    }
}

pub(crate) fn millis(duration: Duration) -> f32 {
    // Hundredths of a millisecond: what lies below is noise, and rows stay readable.
    (duration.as_secs_f32() * 100_000.0).round() / 100.0
}
