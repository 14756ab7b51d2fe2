use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use partsight_domain::{Candidate, PartLabel, StageTimings, Verdict, VerdictThresholds};
use partsight_inference::{
    Batcher, BatcherOptions, Engine, Manifest, Model, OnnxRuntime, OrtEngine, Photo, PhotoLimits, Prediction,
    Preprocessor, Scores, Tensor,
};
use rayon::{ThreadPool, ThreadPoolBuilder};
use tokio::sync::{Semaphore, oneshot};

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
    /// How surely the photograph shows one of the known types, in 0..=1.
    pub known_score: f32,
    /// Milliseconds a stage.
    pub timings_ms: StageTimings,
}

/// From the bytes of a photograph to a verdict, for a server's requests and for bulk work alike.
///
/// Decoding runs on a thread a processor core, beside the async threads; the tensors of all requests share
/// the engines' queue. Memory is bounded by the number of photographs in flight.
pub struct Identifier {
    batcher: Batcher,
    labels: Vec<PartLabel>,
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
    decode: Duration,
    preprocess: Duration,
}

impl Preparer {
    fn prepare(&self, bytes: &[u8]) -> Result<Prepared> {
        let start = Instant::now();
        let photo = Photo::decode(bytes, &self.limits)?;
        let decoded = Instant::now();
        let tensor = self.preprocessor.tensor(&photo);
        Ok(Prepared { tensor, decode: decoded - start, preprocess: decoded.elapsed() })
    }
}

impl Identifier {
    /// Loads ONNX Runtime and the model, starts the engines and runs each once, so that the first
    /// photograph is as quick as the rest.
    ///
    /// # Errors
    /// [`Error::Model`] for a missing or wrong library, a damaged model, or a label that is none.
    pub fn start(settings: &Settings) -> Result<Self> {
        let started = || -> Result<_, partsight_inference::Error> {
            let runtime = OnnxRuntime::load(settings.onnxruntime.as_deref())?;
            let model = match &settings.model_dir {
                Some(folder) => Model::load(folder)?,
                None => Model::embedded()?,
            };
            let engines = (0..settings.effective_engine_threads())
                .map(|_| {
                    let mut engine = OrtEngine::new(&runtime, &model, 1)?;
                    engine.warm_up()?;
                    Ok(Box::new(engine) as Box<dyn Engine>)
                })
                .collect::<Result<Vec<_>, partsight_inference::Error>>()?;
            tracing::info!(
                model.name = model.manifest().name,
                model.version = model.manifest().version,
                engine.threads = engines.len(),
                engine.runtime = runtime.version(),
                "the model is ready"
            );
            Ok((model, engines))
        };
        let (model, engines) = started().map_err(|source| Error::Model { source })?;
        Self::new(engines, model.labels(), settings)
    }

    /// Puts engines of one model behind one queue. `labels` names the classes in order.
    ///
    /// # Errors
    /// [`Error::Model`] without engines or with an empty queue, [`Error::Invalid`] for a bad label.
    pub fn new(engines: Vec<Box<dyn Engine>>, labels: &[String], settings: &Settings) -> Result<Self> {
        let options = BatcherOptions {
            max_batch: settings.effective_max_batch(),
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
        Ok(Self {
            labels: labels.iter().map(|label| PartLabel::new(label)).collect::<Result<_, _>>()?,
            preparer: Arc::new(Preparer { preprocessor, limits }),
            in_flight: Arc::new(Semaphore::new(settings.queue_capacity)),
            decoders,
            batcher,
        })
    }

    /// Identifies a photograph without blocking the thread, with the `top` most probable types.
    ///
    /// # Errors
    /// [`Error::Busy`] at once when as many photographs are in flight as may be, [`Error::Photo`].
    pub async fn identify(&self, bytes: Vec<u8>, top: usize) -> Result<Identification> {
        let start = Instant::now();
        let in_flight = Arc::clone(&self.in_flight).try_acquire_owned().map_err(|_| Error::Busy)?;
        let preparer = Arc::clone(&self.preparer);
        let (sender, receiver) = oneshot::channel();
        self.decoders.spawn(move || {
            // Nobody waits any more once the request was cancelled.
            if !sender.is_closed() {
                // The place goes along: a cancelled request must not let the next photograph into memory
                // while its own is still being decoded.
                let _ = sender.send((preparer.prepare(&bytes), in_flight));
            }
        });
        let (ready, _in_flight) = receiver.await.map_err(Error::internal)?;
        let ready = ready?;
        let (decode, preprocess) = (ready.decode, ready.preprocess);
        let prediction = self.batcher.submit(ready.tensor).await?;
        self.identification(&prediction, top, decode, preprocess, start)
    }

    /// Identifies a photograph on the calling thread; for bulk work, which waits its turn instead of
    /// being refused.
    pub fn identify_blocking(&self, bytes: &[u8], top: usize) -> Result<Identification> {
        let start = Instant::now();
        let prepared = self.preparer.prepare(bytes)?;
        let prediction = self.batcher.submit_blocking(prepared.tensor)?;
        self.identification(&prediction, top, prepared.decode, prepared.preprocess, start)
    }

    fn identification(
        &self,
        prediction: &Prediction,
        top: usize,
        decode: Duration,
        preprocess: Duration,
        start: Instant,
    ) -> Result<Identification> {
        let manifest = self.batcher.manifest();
        let scores = Scores::new(&manifest.calibration, &prediction.logits, prediction.known);
        let mut candidates = scores.ranking(top.max(1)).into_iter().filter_map(|class| {
            let label = self.labels.get(class)?.clone();
            Some(Candidate { label, confidence: scores.probabilities[class] })
        });
        let best = candidates.next().ok_or_else(|| Error::internal("the model has no classes"))?;
        Ok(Identification {
            verdict: Verdict::decide(best.confidence, scores.known_score, &self.thresholds()),
            alternatives: candidates.collect(),
            best,
            known_score: scores.known_score,
            timings_ms: StageTimings {
                decode: millis(decode),
                preprocess: millis(preprocess),
                queue: millis(prediction.waited),
                inference: millis(prediction.ran),
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

    /// What runs the model: `CPU`.
    pub fn provider(&self) -> &str {
        self.batcher.provider()
    }

    /// Answers the photographs that wait and takes no more.
    pub fn shut_down(&self) {
        self.batcher.shut_down();
    }

    fn manifest(&self) -> &Manifest {
        self.batcher.manifest()
    }
}

impl fmt::Debug for Identifier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Identifier").field("model", &self.model_name()).finish_non_exhaustive()
    }
}

fn millis(duration: Duration) -> f32 {
    // Hundredths of a millisecond: what lies below is noise, and rows stay readable.
    (duration.as_secs_f32() * 100_000.0).round() / 100.0
}
