mod occlusion;
mod second_look;

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

pub use occlusion::OcclusionMap;

use partsight_catalog::Catalog;
use partsight_domain::{
    Candidate, CandidateSet, CategoryGuess, Conditions, Decision, Dial, Embedding, ModelCalibration,
    NearReference, NearReferences, OpinionPool, PartLabel, RawScores, ReferenceCalibration, Scorer,
    SetCalibration, StageTimings, VehicleDoubt, Verdict, VerdictThresholds,
};
use partsight_inference::{
    Batcher, BatcherOptions, BatcherStats, Calibration, Detail, Engine, Fingerprint, Manifest, Model, Photo,
    PhotoDecoder, PhotoHeader, PhotoLimits, Prediction, Preprocessor, Reader, ReferenceSimilarities,
    ReferenceSpace, Supervision, Tensor, TextLine,
};
use rayon::{ThreadPool, ThreadPoolBuilder};
use tokio::sync::oneshot;

use crate::error::with_causes;
use crate::limits::person::Person;
use crate::limits::places::{Places, Share};
use crate::limits::turns::Turns;
use crate::recognition::model_source::ModelSource;
use crate::recognition::photo_budget::{Asker, PhotoBudget};
use crate::recognition::quarantine::{PhotoHash, Quarantine};
use crate::recognition::thresholds::dial_of;
use crate::recognition::thumbnails;
use crate::recognition::vehicle_prior::VehiclePrior;
use crate::{Error, Result, Settings};

/// Scans of one account in any case, where the queue is short.
const LEAST_PLACES: usize = 2;
/// How long a photograph waits for its turn: what cannot be served by then is better sent again.
const QUEUE_WAIT: Duration = Duration::from_secs(2);
/// How long one waits that is looked at once more, after its scan was let in.
const SECOND_LOOK_WAIT: Duration = Duration::from_secs(30);

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
    /// The few types that the part is one of, where the verdict is not sure; `None` where nothing is promised.
    pub candidate_set: Option<CandidateSet>,
    /// How surely the photograph shows one of the known types, in 0..=1.
    pub known_score: f32,
    /// The types that count for less because they cannot be on the vehicle, the most probable first.
    pub vehicle_doubts: Vec<VehicleDoubt>,
    /// What the photograph looks like, by which copies are found.
    pub fingerprint: Fingerprint,
    /// Where the photograph lies in the model's space; `None` for one without a direction, and in bulk work, which
    /// has no use for it.
    pub embedding: Option<Embedding>,
    /// The text on the photograph, from the top; `None` where it was not asked for or could not be read.
    pub read: Option<Vec<TextLine>>,
    /// Milliseconds a stage.
    pub timings_ms: StageTimings,
}

/// From the bytes of a photograph to a verdict, for a server's requests and for bulk work alike.
///
/// Decoding runs on a thread a processor core, beside the async threads; the tensors of all requests share
/// the engines' queue. So many photographs are in both as the machine can work on; the rest waits, and the accounts that
/// they are of are served in turn. Memory is bounded by the number of photographs in flight.
pub struct Identifier {
    batcher: Batcher,
    /// What was loaded; `None` for engines that were handed over.
    model: Option<Model>,
    /// A class that the catalogue does not describe is in no category.
    scorer: Scorer,
    /// Its thresholds, and those that a shop can choose instead.
    dial: Dial,
    preparer: Arc<Preparer>,
    /// One for each scan that is waiting or worked on.
    places: Places<Person>,
    /// One for each photograph that is worked on.
    turns: Turns,
    /// How long a photograph waits for its turn.
    queue_wait: Duration,
    photo_budget: Arc<PhotoBudget>,
    decoders: ThreadPool,
    quarantine: Quarantine,
    /// Where embeddings are compared with those of references; `None` for a model that was not measured for references.
    reference_space: Option<Arc<ReferenceSpace>>,
    /// What reads the text on photographs in bulk work; `None` where nobody asked for it.
    reader: Option<Reader>,
}

/// What the model gives for one photograph, before it is an answer.
#[derive(Debug)]
pub(crate) struct Predicted {
    prediction: Prediction,
    notes: Notes,
    start: Instant,
    /// How long its turn did not come.
    waited: Duration,
    /// Whether the first look left it unsure.
    has_second_look: bool,
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

    /// Both.
    pub(crate) fn raw(&self) -> RawScores<'_> {
        RawScores { logits: self.logits(), known: self.known() }
    }

    /// Whether it was looked at again, because the first look left it unsure.
    pub(crate) fn has_second_look(&self) -> bool {
        self.has_second_look
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
            queue: millis(self.waited + self.prediction.waited),
            inference: millis(self.prediction.ran),
            judge: 0.0,
            total: millis(self.start.elapsed()),
        }
    }
}

/// How often a photograph is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Looks {
    /// Once, for what is kept of it: references of one model are compared with each other.
    Once,
    /// Again where the first look leaves it unsure, for an answer.
    AgainIfUnsure,
}

/// The part that runs before the queue.
#[derive(Debug)]
struct Preparer {
    preprocessor: Preprocessor,
    decoder: PhotoDecoder,
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
    /// As [`prepare`](Self::prepare); a photograph over which a decoder was lost goes into quarantine.
    fn prepare_watched(
        &self,
        bytes: &[u8],
        detail: Detail,
        hash: PhotoHash,
        quarantine: &Quarantine,
        charge: impl FnOnce(u64) -> Result<()>,
    ) -> Result<Prepared> {
        blame_for_loss(self.prepare(bytes, detail, charge), hash, quarantine)
    }

    /// `detail` is what is needed of the pixels beside the model's input. `charge` is told how many pixels there are
    /// before any is decoded, and may refuse.
    fn prepare(
        &self,
        bytes: &[u8],
        detail: Detail,
        charge: impl FnOnce(u64) -> Result<()>,
    ) -> Result<Prepared> {
        let start = Instant::now();
        charge(PhotoHeader::read(bytes, self.decoder.limits())?.pixels())?;
        let detail = self.preprocessor.detail().and(detail);
        let photo =
            tracing::debug_span!("decode").in_scope(|| self.decoder.decode_at_least(bytes, detail))?;
        let decoded = Instant::now();
        let _preprocess = tracing::debug_span!("preprocess").entered();
        let image = self.preprocessor.resize_rgb(&photo);
        let fingerprint = Fingerprint::of(&image);
        let tensor = self.preprocessor.normalise(&image);
        let notes = Notes { fingerprint, decode: decoded - start, preprocess: decoded.elapsed() };
        Ok(Prepared { tensor, notes, photo })
    }
}

/// The text on a photograph; `None` where reading fails, which costs no answer.
fn text_on(photo: &Photo, reader: &Reader) -> Option<Vec<TextLine>> {
    let read = tracing::debug_span!("read").in_scope(|| reader.read(photo));
    read.inspect_err(
        |error| tracing::warn!(error = %with_causes(error), "the text on a photograph was not read"),
    )
    .ok()
}

/// Puts a photograph over which a decoder was lost into quarantine.
fn blame_for_loss<T>(outcome: Result<T>, hash: PhotoHash, quarantine: &Quarantine) -> Result<T> {
    outcome.inspect_err(|error| {
        if let Error::Photo { source } | Error::EngineLost { source } = error
            && source.lost_a_worker()
        {
            quarantine.blame(hash, 1, Instant::now());
        }
    })
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
        let space = model.reference_space().cloned();
        let supervision = Supervision::new(started.factory, started.warm_up);
        let identifier =
            Self::supervised(started.engines, Some(supervision), model.labels(), catalog, settings)?;
        Ok(Self { model: Some(model), ..identifier.with_reference_space(space) })
    }

    /// The model that was loaded, files included; `None` where engines were handed over.
    pub(crate) fn model(&self) -> Option<&Model> {
        self.model.as_ref()
    }

    /// Lets references be taught, where the manifest says how they compare; `space` is the model's.
    #[must_use]
    pub fn with_reference_space(mut self, space: Option<Arc<ReferenceSpace>>) -> Self {
        let measured = self.manifest().references.as_ref().map(|references| ReferenceCalibration {
            nearest: references.nearest,
            score_scale: references.score_scale,
            class_scale: references.class_scale,
            score_bias: references.score_bias,
            learnt_offset: references.learnt_offset,
            known_scale: references.known_scale,
            known_bias: references.known_bias,
        });
        let (space, calibration) = space.zip(measured).unzip();
        self.reference_space = space;
        self.scorer = self.scorer.with_references(calibration);
        self
    }

    /// Decodes photographs with `decoder`, such as one with processes of its own; without it, in this process.
    #[must_use]
    pub fn with_decoder(mut self, decoder: PhotoDecoder) -> Self {
        let preprocessor = self.preparer.preprocessor.clone();
        self.preparer = Arc::new(Preparer { preprocessor, decoder });
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
        Self::supervised(engines, None, labels, catalog, settings)
    }

    /// As [`Identifier::new`], with engines that are replaced when they stall or panic.
    ///
    /// # Errors
    /// Those of [`Identifier::new`].
    pub fn supervised(
        engines: Vec<Box<dyn Engine>>,
        supervision: Option<Supervision>,
        labels: &[String],
        catalog: &Catalog,
        settings: &Settings,
    ) -> Result<Self> {
        let options = BatcherOptions {
            // Without engines the batcher refuses below, whatever the batch.
            max_batch: settings
                .model
                .effective_max_batch(engines.first().map_or("CPU", |engine| engine.provider())),
            // A photograph waits with one image, or with all of its views.
            queue_capacity: settings.model.queue_capacity
                * engines.first().map_or(1, |engine| most_images(engine.manifest())),
        };
        let n_engines = engines.len();
        let batcher = Batcher::start_supervised(engines, options, supervision)
            .map_err(|source| Error::Model { source })?;
        let manifest = batcher.manifest();
        let preprocessor = Preprocessor::new(manifest).map_err(|source| Error::Model { source })?;
        let decoder = PhotoDecoder::in_process(settings.photos.limits())
            .with_memory(settings.photos.max_decoding_bytes);
        let n_decoders = std::thread::available_parallelism().map_or(1, usize::from);
        // One a core; and where engines take several at once, a batch that runs and one that is ready for it.
        let n_turns = n_decoders.max(n_engines) + 2 * n_engines * (options.max_batch - 1);
        let decoders = ThreadPoolBuilder::new()
            .num_threads(n_decoders)
            .thread_name(|index| format!("decode-{index}"))
            // A panic costs the one request; the default would end the process.
            .panic_handler(|_| tracing::error!("preparing a photograph panicked"))
            .build()
            .map_err(Error::internal)?;
        let labels: Vec<PartLabel> =
            labels.iter().map(|label| PartLabel::new(label)).collect::<Result<_, _>>()?;
        let classes = labels.into_iter().map(|label| {
            let category = catalog.get(&label).map(|part_type| part_type.category);
            (label, category)
        });
        Ok(Self {
            scorer: Scorer::new(classes, calibration_of(&manifest.calibration)).with_sets(sets_of(manifest)),
            dial: dial_of(&manifest.thresholds),
            preparer: Arc::new(Preparer { preprocessor, decoder }),
            places: Places::new(settings.model.queue_capacity, Share::OfFree, LEAST_PLACES),
            turns: Turns::new(n_turns, n_turns),
            queue_wait: QUEUE_WAIT,
            photo_budget: Arc::default(),
            decoders,
            quarantine: Quarantine::default(),
            batcher,
            model: None,
            reference_space: None,
            reader: None,
        })
    }

    /// Reads the text on each photograph in bulk work.
    #[must_use]
    pub fn with_reader(self, reader: Reader) -> Self {
        Self { reader: Some(reader), ..self }
    }

    /// Lets photographs wait for their turn for as long as `wait`, instead of two seconds.
    #[must_use]
    pub fn with_queue_wait(self, wait: Duration) -> Self {
        Self { queue_wait: wait, ..self }
    }

    /// Scans that wait or are worked on.
    pub fn n_in_flight(&self) -> usize {
        self.places.n_taken()
    }

    /// Photographs whose turn has not come.
    pub fn n_waiting(&self) -> usize {
        self.turns.n_waiting()
    }

    /// Identifies a photograph without blocking the thread, with the `top` most probable types.
    ///
    /// # Errors
    /// [`Error::Busy`] when as many photographs are in flight as may be, or its turn does not come; [`Error::Photo`].
    pub async fn identify(
        &self,
        bytes: impl AsRef<[u8]> + Send + 'static,
        top: usize,
    ) -> Result<Identification> {
        let predicted = self.predict_scan(bytes).await?;
        self.answer(&predicted, top, &NearReferences::default())
    }

    /// Runs the model once on a photograph, and makes something else of its pixels meanwhile; `None` should that fail.
    /// Of a large photograph there may be no more of them than [`thumbnails::DETAIL`] and the model ask for.
    /// For what is kept of a photograph rather than answered.
    ///
    /// # Errors
    /// Those of [`Identifier::identify`]; [`Error::PhotoWorkUsedUp`].
    pub(crate) async fn predict_with<T: Send + 'static>(
        &self,
        asker: &Asker,
        bytes: impl AsRef<[u8]> + Send + 'static,
        also: impl FnOnce(&Photo) -> T + Send + 'static,
    ) -> Result<(Predicted, Option<T>)> {
        let _place = self.places.take(asker.person)?;
        self.predict_in_turn(asker, bytes, Looks::Once, also).await
    }

    /// Runs the model on a photograph for an answer, which [`Identifier::answer`] makes of it.
    ///
    /// # Errors
    /// Those of [`Identifier::identify`].
    pub(crate) async fn predict_scan(&self, bytes: impl AsRef<[u8]> + Send + 'static) -> Result<Predicted> {
        let _place = self.places.take(Asker::SERVER.person)?;
        let predicted = self.predict_in_turn(&Asker::SERVER, bytes, Looks::AgainIfUnsure, |_| ()).await?;
        Ok(predicted.0)
    }

    /// As [`predict_with`](Self::predict_with) for the photographs of one scan, one after the other, each looked at
    /// again where it is unsure: together they take the place of one, so that none is refused for its siblings, and
    /// only one is in memory as pixels. Each waits for a turn of its own, so that a scan of five takes no more of the
    /// machine than one of one.
    ///
    /// # Errors
    /// Those of [`Identifier::predict_with`], but of several photographs [`Error::PhotoAmong`].
    pub(crate) async fn predict_all<T: Send + 'static>(
        &self,
        asker: &Asker,
        photos: Vec<impl AsRef<[u8]> + Send + 'static>,
        also: impl Fn(&Photo) -> T + Clone + Send + 'static,
    ) -> Result<Vec<(Predicted, Option<T>)>> {
        let _place = self.places.take(asker.person)?;
        let n_photos = photos.len();
        let mut all = Vec::with_capacity(n_photos);
        for (index, bytes) in photos.into_iter().enumerate() {
            let outcome = self.predict_in_turn(asker, bytes, Looks::AgainIfUnsure, also.clone()).await;
            all.push(outcome.map_err(|error| match error {
                Error::Photo { source } if n_photos > 1 => {
                    Error::PhotoAmong { number: index + 1, n_photos, source }
                }
                Error::PhotoQuarantined { .. } => Error::PhotoQuarantined { number: index + 1, n_photos },
                other => other,
            })?);
        }
        Ok(all)
    }

    /// A person who asks for photographs to be looked at; `is_unlimited` where their plan allows any number of scans.
    pub(crate) fn asker(&self, person: Person, is_unlimited: bool) -> Asker {
        Asker::new(&self.photo_budget, person, is_unlimited)
    }

    async fn predict_in_turn<T: Send + 'static>(
        &self,
        asker: &Asker,
        bytes: impl AsRef<[u8]> + Send + 'static,
        looks: Looks,
        also: impl FnOnce(&Photo) -> T + Send + 'static,
    ) -> Result<(Predicted, Option<T>)> {
        let start = Instant::now();
        let second_look = self.manifest().second_look.as_ref().filter(|_| looks == Looks::AgainIfUnsure);
        let holds_bytes = second_look.is_some();
        let turn = self.turns.turn(asker.person, self.queue_wait).await?;
        let waited = start.elapsed();
        let is_somebody_else_here = self.places.has_others_than(&asker.person);
        let (preparer, quarantine) = (Arc::clone(&self.preparer), self.quarantine.clone());
        let first_asker = asker.clone();
        let (sender, receiver) = oneshot::channel();
        let (also_sender, also_receiver) = oneshot::channel();
        let request = tracing::Span::current();
        self.decoders.spawn(move || {
            let _request = request.entered();
            // Nobody waits any more once the request was cancelled.
            if sender.is_closed() {
                return;
            }
            let charge = |pixels| first_asker.charge(pixels, is_somebody_else_here);
            let hash = PhotoHash::of(bytes.as_ref());
            let outcome = quarantine.admit(&hash, start).and_then(|()| {
                preparer.prepare_watched(bytes.as_ref(), thumbnails::DETAIL, hash, &quarantine, charge)
            });
            let held = holds_bytes.then_some(bytes);
            // The turn goes along: a cancelled request must not let the next photograph into memory while its
            // own is still being decoded.
            match outcome {
                Ok(Prepared { tensor, notes, photo }) => {
                    if sender.send((Ok((tensor, notes, hash, held)), turn)).is_ok() {
                        let _ = also_sender.send(also(&photo));
                    }
                }
                Err(error) => {
                    let _ = sender.send((Err(error), turn));
                }
            }
        });
        // Held to the end, so that a second look takes no more of the machine at a time than a first one.
        let (ready, turn) = receiver.await.map_err(Error::internal)?;
        let (tensor, notes, hash, held) = ready?;
        let prediction = self.batcher.submit_watched(tensor, self.on_loss(hash)).await?;
        let also = also_receiver.await.ok();
        let first = Predicted { prediction, notes, start, waited, has_second_look: false };
        let Some((second_look, bytes)) = second_look.filter(|_| self.is_unsure(&first)).zip(held) else {
            return Ok((first, also));
        };
        let charge = {
            let asker = asker.clone();
            move |pixels| asker.charge(pixels, is_somebody_else_here)
        };
        let again = self.look_again(second_look, first, (bytes, hash), turn, charge);
        Ok((again.await?, also))
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
        let detail = self.bulk_detail();
        let Prepared { tensor, notes, photo } = self.preparer.prepare(bytes, detail, |_| Ok(()))?;
        let prediction = self.batcher.submit_blocking(tensor)?;
        let read = self.reader.as_ref().and_then(|reader| text_on(&photo, reader));
        // Kept only where it may be looked at again: decoding it once more would take longer than looking.
        let photo = Some(photo).filter(|_| self.manifest().second_look.is_some());
        let first = Predicted { prediction, notes, start, waited: Duration::ZERO, has_second_look: false };
        let predicted = self.look_again_blocking(first, photo)?;
        let is_unfit = |label: &PartLabel| vehicle.is_some_and(|vehicle| vehicle.rules_out(label));
        let conditions = self.conditions(top).with_vehicle(&is_unfit);
        let decision = Self::decide(&self.pool_of_one(&predicted, &NearReferences::default()), &conditions)?;
        let unfit = decision.unfit.clone();
        let vehicle_doubts = vehicle.map(|vehicle| vehicle.doubts_by_catalog(unfit)).unwrap_or_default();
        let identification = Self::identification(&predicted, decision);
        Ok(Identification { embedding: None, vehicle_doubts, read, ..identification })
    }

    /// What bulk work needs of a photograph beside the model's input, for it is decoded once: letters are read at full
    /// size.
    fn bulk_detail(&self) -> Detail {
        if self.reader.is_some() {
            return Detail::FULL;
        }
        let second_look = self.manifest().second_look.as_ref();
        second_look.map(|look| look.detail(&self.preparer.preprocessor)).unwrap_or_default()
    }

    /// Decodes a photograph on the decoding threads once more, in as much `detail` as is needed, and makes something of
    /// its pixels; `None` should that fail. For what only few photographs need, and whose pixels are not worth holding for all.
    pub(crate) async fn with_pixels<T: Send + 'static>(
        &self,
        person: Person,
        bytes: impl AsRef<[u8]> + Send + 'static,
        detail: Detail,
        make: impl FnOnce(&Photo) -> Option<T> + Send + 'static,
    ) -> Option<T> {
        let turn = self.turns.turn(person, SECOND_LOOK_WAIT).await.ok()?;
        let decoder = self.decoder().clone();
        let (sender, receiver) = oneshot::channel();
        self.decoders.spawn(move || {
            let _turn = turn;
            if !sender.is_closed() {
                let photo = decoder.decode_at_least(bytes.as_ref(), detail).ok();
                let _ = sender.send(photo.as_ref().and_then(make));
            }
        });
        receiver.await.ok().flatten()
    }

    /// Decodes something else than a scan's photograph of `person`: on the decoding threads, in turn with photographs.
    ///
    /// # Errors
    /// [`Error::Busy`] where its turn does not come in time.
    pub(crate) async fn on_decoding_threads<T: Send + 'static>(
        &self,
        person: Person,
        work: impl FnOnce(&PhotoDecoder) -> T + Send + 'static,
    ) -> Result<T> {
        let turn = self.turns.turn(person, SECOND_LOOK_WAIT).await?;
        let decoder = self.decoder().clone();
        let (sender, receiver) = oneshot::channel();
        self.decoders.spawn(move || {
            let _turn = turn;
            if !sender.is_closed() {
                let _ = sender.send(work(&decoder));
            }
        });
        receiver.await.map_err(Error::internal)
    }

    /// An embedding as it is compared with those of references, f32 `[d]` of L2 length 1. `None` for a model that was not
    /// measured for references, or an embedding without a direction there.
    pub(crate) fn reference_embedding(&self, embedding: &[f32]) -> Option<Vec<f32>> {
        self.reference_space.as_ref()?.place(embedding)
    }

    /// References near to a photograph whose embedding, as references are compared, is f32 `[d]`.
    pub(crate) fn near_references(
        &self,
        references: Vec<NearReference>,
        embedding: &[f32],
    ) -> NearReferences {
        let class_similarity =
            self.reference_space.as_ref().map_or(-1.0, |space| space.class_similarity(embedding));
        NearReferences { references, class_similarity }
    }

    /// Whether the model in use was measured for references.
    pub(crate) fn can_be_taught(&self) -> bool {
        self.reference_space.is_some()
    }

    /// How alike references of the model in use are that belong together.
    pub(crate) fn reference_similarities(&self) -> ReferenceSimilarities {
        self.manifest().references.as_ref().map(|references| references.similarities).unwrap_or_default()
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
        near: &NearReferences,
    ) -> Result<Identification> {
        let pool = self.pool_of_one(predicted, near);
        let decision = Self::decide(&pool, &self.conditions(top))?;
        Ok(Self::identification(predicted, decision))
    }

    /// The model's own conditions, where nothing else is known of a photograph.
    fn conditions(&self, top: usize) -> Conditions<'_> {
        Conditions::of_model(self.thresholds(), top).with_sets(self.scorer.sets())
    }

    /// What turns raw scores into answers.
    pub fn scorer(&self) -> &Scorer {
        &self.scorer
    }

    /// What the model and `near` references say of a single photograph.
    pub(crate) fn pool_of_one(&self, predicted: &Predicted, near: &NearReferences) -> OpinionPool {
        OpinionPool::of_one(self.scorer.photograph(predicted.raw(), near))
    }

    /// The answer under these conditions.
    pub(crate) fn decide(pool: &OpinionPool, conditions: &Conditions<'_>) -> Result<Decision> {
        pool.decide(conditions).ok_or_else(|| Error::internal("the model has no classes"))
    }

    /// A decision with what else is known of the photograph that it is about.
    pub(crate) fn identification(predicted: &Predicted, decision: Decision) -> Identification {
        Identification {
            verdict: decision.verdict,
            best: decision.best,
            alternatives: decision.alternatives,
            category: decision.category,
            candidate_set: decision.candidate_set,
            known_score: decision.known_score,
            vehicle_doubts: Vec::new(),
            fingerprint: predicted.notes.fingerprint,
            embedding: Embedding::new(predicted.prediction.embedding.clone()),
            read: None,
            timings_ms: predicted.timings(),
        }
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
        self.scorer.labels()
    }

    /// What turns files into pixels.
    pub fn decoder(&self) -> &PhotoDecoder {
        &self.preparer.decoder
    }

    /// What photographs may be.
    pub fn limits(&self) -> PhotoLimits {
        *self.decoder().limits()
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

    /// The counters of the engines and of the queue before them.
    pub fn engine_stats(&self) -> BatcherStats {
        self.batcher.stats()
    }

    /// Gives up engines that are stuck at `now`, and replaces those that are gone; a server does so every second.
    pub fn check_engines(&self, now: Instant) {
        self.batcher.check_engines(now);
    }

    /// Photographs that are not tried again, because a worker was lost over them.
    pub(crate) fn n_quarantined(&self) -> usize {
        self.quarantine.len()
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

/// Images that a photograph has in the queue at a time, at most.
fn most_images(manifest: &Manifest) -> usize {
    manifest.second_look.as_ref().map_or(1, |second_look| second_look.views.len().max(1))
}

/// The calibration of a manifest, for scoring.
pub(crate) fn calibration_of(calibration: &Calibration) -> ModelCalibration {
    ModelCalibration {
        temperature: calibration.temperature,
        known_scale: calibration.known_scale,
        known_bias: calibration.known_bias,
    }
}

/// What a manifest promises of candidate sets, for scoring.
fn sets_of(manifest: &Manifest) -> Option<SetCalibration> {
    let sets = manifest.sets.as_ref()?;
    Some(SetCalibration { coverage: sets.coverage, probability: sets.probability })
}

pub(crate) fn millis(duration: Duration) -> f32 {
    // Hundredths of a millisecond: what lies below is noise, and rows stay readable.
    (duration.as_secs_f32() * 100_000.0).round() / 100.0
}
