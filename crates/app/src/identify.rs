use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use partsight_catalog::Catalog;
use partsight_domain::{
    Candidate, Category, CategoryGuess, ClassScores, Dial, Embedding, FusedScores, NearReference, PartLabel,
    ReferenceCalibration, StageTimings, VehicleDoubt, Verdict, VerdictThresholds,
};
use partsight_inference::{
    Batcher, BatcherOptions, Engine, Fingerprint, Manifest, Model, Photo, PhotoLimits, Prediction,
    Preprocessor, Scores, Tensor,
};
use rayon::{ThreadPool, ThreadPoolBuilder};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};

use crate::dial::dial_of;
use crate::models::ModelSource;
use crate::vehicle_prior::VehiclePrior;
use crate::{Error, Result, Settings};

/// What the model says of one photograph.
#[derive(Debug, Clone, PartialEq)]
pub struct Identification {
    /// By the thresholds in force.
    pub verdict: Verdict,
    /// The best guess, whatever the verdict.
    pub best: Candidate,
    /// The next best, most probable first.
    pub alternatives: Vec<Candidate>,
    /// The category that answers where the best guess ties with its siblings.
    pub category: Option<CategoryGuess>,
    /// How surely the photograph shows one of the known types, in 0..=1.
    pub known_score: f32,
    /// The types that count for less because they cannot be on the vehicle, the most probable first.
    pub vehicle_doubts: Vec<VehicleDoubt>,
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
    /// Its thresholds, and those that a shop can choose instead.
    dial: Dial,
    preparer: Arc<Preparer>,
    in_flight: Arc<Semaphore>,
    decoders: ThreadPool,
    /// `None` for a model that was not measured for references.
    references: Option<ReferenceSpace>,
}

/// Where a model's embeddings are compared with those of references.
struct ReferenceSpace {
    /// f32 `[d]`.
    centre: Arc<[f32]>,
    calibration: ReferenceCalibration,
}

/// What the model gives for one photograph, before it is an answer.
#[derive(Debug)]
pub(crate) struct Predicted {
    prediction: Prediction,
    notes: Notes,
    start: Instant,
}

impl Predicted {
    /// The model's embedding of the photograph, f32 `[d]`.
    pub(crate) fn embedding(&self) -> &[f32] {
        &self.prediction.embedding
    }

    /// Raw scores of the model's classes, f32 `[c]`.
    pub(crate) fn logits(&self) -> &[f32] {
        &self.prediction.logits
    }

    /// Raw score of "shows one of them".
    pub(crate) fn known(&self) -> f32 {
        self.prediction.known
    }

    /// What the photograph looks like.
    pub(crate) fn fingerprint(&self) -> &Fingerprint {
        &self.notes.fingerprint
    }

    /// How long its stages took, and all since it came.
    pub(crate) fn timings(&self) -> StageTimings {
        StageTimings {
            decode: millis(self.notes.decode),
            preprocess: millis(self.notes.preprocess),
            queue: millis(self.prediction.waited),
            inference: millis(self.prediction.ran),
            judge: 0.0,
            total: millis(self.start.elapsed()),
        }
    }
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
        let centre = model.reference_centre().cloned();
        let identifier = Self::new(started.engines, model.labels(), catalog, settings)?;
        Ok(Self { model: Some(model), ..identifier.with_reference_centre(centre) })
    }

    /// The model that was loaded, files included; `None` where engines were handed over.
    pub(crate) fn model(&self) -> Option<&Model> {
        self.model.as_ref()
    }

    /// Lets references be taught, where the manifest says how they compare; `centre` is the model's, f32 `[d]`.
    #[must_use]
    pub fn with_reference_centre(mut self, centre: Option<Arc<[f32]>>) -> Self {
        let measured = self.manifest().references.as_ref().map(|references| ReferenceCalibration {
            score_scale: references.score_scale,
            score_bias: references.score_bias,
            known_scale: references.known_scale,
            known_bias: references.known_bias,
        });
        self.references =
            centre.zip(measured).map(|(centre, calibration)| ReferenceSpace { centre, calibration });
        self
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
            dial: dial_of(&manifest.thresholds),
            preparer: Arc::new(Preparer { preprocessor, limits }),
            in_flight: Arc::new(Semaphore::new(settings.queue_capacity)),
            decoders,
            batcher,
            model: None,
            references: None,
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
        let (predicted, _) = self.predict_with(bytes, |_| ()).await?;
        self.answer(&predicted, top, &[])
    }

    /// Runs the model on a photograph, and makes something else of its pixels meanwhile; `None` should that fail.
    /// [`Identifier::answer`] makes an answer of it.
    ///
    /// # Errors
    /// Those of [`Identifier::identify`].
    pub(crate) async fn predict_with<T: Send + 'static>(
        &self,
        bytes: impl AsRef<[u8]> + Send + 'static,
        also: impl FnOnce(&Photo) -> T + Send + 'static,
    ) -> Result<(Predicted, Option<T>)> {
        let (predicted, made, _place) = self.predict_in(self.take_place()?, bytes, also).await?;
        Ok((predicted, made))
    }

    /// As [`predict_with`](Self::predict_with) for the photographs of one scan, one after the other: together they
    /// take the place of one, so that none is refused for its siblings, and only one is in memory as pixels.
    ///
    /// # Errors
    /// [`Error::Busy`] at once when as many photographs are in flight as may be; of several photographs
    /// [`Error::PhotoAmong`], of one [`Error::Photo`].
    pub(crate) async fn predict_all<T: Send + 'static>(
        &self,
        photos: Vec<impl AsRef<[u8]> + Send + 'static>,
        also: impl Fn(&Photo) -> T + Clone + Send + 'static,
    ) -> Result<Vec<(Predicted, Option<T>)>> {
        let mut place = self.take_place()?;
        let n_photos = photos.len();
        let mut all = Vec::with_capacity(n_photos);
        for (index, bytes) in photos.into_iter().enumerate() {
            let outcome = self.predict_in(place, bytes, also.clone()).await;
            let (predicted, made, same_place) = outcome.map_err(|error| match error {
                Error::Photo { source } if n_photos > 1 => {
                    Error::PhotoAmong { number: index + 1, n_photos, source }
                }
                other => other,
            })?;
            place = same_place;
            all.push((predicted, made));
        }
        Ok(all)
    }

    fn take_place(&self) -> Result<OwnedSemaphorePermit> {
        Arc::clone(&self.in_flight).try_acquire_owned().map_err(|_| Error::Busy)
    }

    async fn predict_in<T: Send + 'static>(
        &self,
        in_flight: OwnedSemaphorePermit,
        bytes: impl AsRef<[u8]> + Send + 'static,
        also: impl FnOnce(&Photo) -> T + Send + 'static,
    ) -> Result<(Predicted, Option<T>, OwnedSemaphorePermit)> {
        let start = Instant::now();
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
        let (ready, in_flight) = receiver.await.map_err(Error::internal)?;
        let (tensor, notes) = ready?;
        let prediction = self.batcher.submit(tensor).await?;
        Ok((Predicted { prediction, notes, start }, also_receiver.await.ok(), in_flight))
    }

    /// Identifies a photograph on the calling thread, of a part for `vehicle` where one is given; for bulk work, which
    /// waits its turn instead of being refused.
    pub fn identify_blocking(
        &self,
        bytes: &[u8],
        top: usize,
        vehicle: Option<&VehiclePrior>,
    ) -> Result<Identification> {
        let start = Instant::now();
        let Prepared { tensor, notes, .. } = self.preparer.prepare(bytes)?;
        let prediction = self.batcher.submit_blocking(tensor)?;
        let mut fused = self.fuse(&prediction.logits, prediction.known, &[]);
        let sunk = vehicle.map(|vehicle| vehicle.sink(&mut fused)).unwrap_or_default();
        let predicted = Predicted { prediction, notes, start };
        let identification = Self::answer_with(&predicted, top, &fused, &self.thresholds())?;
        let vehicle_doubts = vehicle.map(|vehicle| vehicle.doubts_by_catalog(sunk)).unwrap_or_default();
        Ok(Identification { embedding: None, vehicle_doubts, ..identification })
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

    /// An embedding as it is compared with those of references, f32 `[d]` of L2 length 1: without the centre that
    /// all have in common. `None` for a model that was not measured for references, or an embedding that is the
    /// centre itself.
    pub(crate) fn reference_embedding(&self, embedding: &[f32]) -> Option<Vec<f32>> {
        let space = self.references.as_ref()?;
        let rest = || embedding.iter().zip(space.centre.iter()).map(|(x, centre)| f64::from(x - centre));
        let length = rest().map(|x| x * x).sum::<f64>().sqrt();
        (length > 1e-6).then(|| rest().map(|x| (x / length) as f32).collect())
    }

    /// Probability in 0..=1 that a photograph shows the part of a reference, by their cosine similarity; 0 for a model
    /// that was not measured for references.
    pub(crate) fn reference_known_score(&self, similarity: f32) -> f64 {
        self.references.as_ref().map_or(0.0, |space| space.calibration.known_score(similarity.into()))
    }

    /// Whether the model in use was measured for references.
    pub(crate) fn can_be_taught(&self) -> bool {
        self.references.is_some()
    }

    /// What a photograph looks like, on the calling thread and without asking the model.
    pub fn fingerprint_blocking(&self, photo: &Photo) -> Fingerprint {
        Fingerprint::of(&self.preparer.preprocessor.resize_rgb(photo))
    }

    /// The answer to a photograph, with the `top` most probable types, among those that the model has learnt and
    /// those that `near` references show.
    pub(crate) fn answer(
        &self,
        predicted: &Predicted,
        top: usize,
        near: &[NearReference],
    ) -> Result<Identification> {
        let fused = self.fuse(predicted.logits(), predicted.known(), near);
        Self::answer_with(predicted, top, &fused, &self.thresholds())
    }

    /// What the model's raw scores, `[c]` of the classes and the one of "shows one of them", and `near` references
    /// say together.
    pub(crate) fn fuse(&self, logits: &[f32], known: f32, near: &[NearReference]) -> FusedScores {
        let calibration = &self.batcher.manifest().calibration;
        let scores = Scores::new(calibration, logits, known);
        let logits: Vec<f64> =
            logits.iter().map(|&logit| f64::from(logit) / calibration.temperature).collect();
        let classes = ClassScores {
            labels: &self.labels,
            categories: &self.categories,
            logits: &logits,
            known_score: scores.known_score,
        };
        match &self.references {
            Some(space) if !near.is_empty() => FusedScores::new(&classes, near, &space.calibration),
            // Exactly what the model says, to the last bit.
            _ => FusedScores {
                labels: self.labels.clone(),
                categories: self.categories.clone(),
                probabilities: scores.probabilities,
                known_score: scores.known_score,
            },
        }
    }

    /// What `near` references say without the model; `None` without any, or where the model was not measured for them.
    pub(crate) fn references_alone(&self, near: &[NearReference]) -> Option<FusedScores> {
        let space = self.references.as_ref().filter(|_| !near.is_empty())?;
        let nothing = ClassScores { labels: &[], categories: &[], logits: &[], known_score: 0.0 };
        Some(FusedScores::new(&nothing, near, &space.calibration))
    }

    /// The answer that these scores make where these thresholds hold, with the `top` most probable types.
    pub(crate) fn answer_with(
        predicted: &Predicted,
        top: usize,
        fused: &FusedScores,
        thresholds: &VerdictThresholds,
    ) -> Result<Identification> {
        let mut candidates = fused.ranking(top.max(1)).into_iter();
        let best = candidates.next().ok_or_else(|| Error::internal("the model has no classes"))?;
        Ok(Identification {
            verdict: Verdict::decide(best.confidence, fused.known_score, thresholds),
            category: CategoryGuess::roll_up(
                &fused.probabilities,
                &fused.categories,
                fused.known_score,
                thresholds,
            ),
            alternatives: candidates.collect(),
            best,
            known_score: fused.known_score,
            vehicle_doubts: Vec::new(),
            fingerprint: predicted.notes.fingerprint,
            embedding: Embedding::new(predicted.prediction.embedding.clone()),
            timings_ms: predicted.timings(),
        })
    }

    /// Where the verdicts part by the model's own choice.
    pub fn thresholds(&self) -> VerdictThresholds {
        self.dial.model
    }

    /// Where they can part instead, and what that was measured to lead to.
    pub(crate) fn dial(&self) -> &Dial {
        &self.dial
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
