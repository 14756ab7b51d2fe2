mod admission;
mod answer;
mod decoding_threads;
mod occlusion;
mod preparer;
mod reading;
mod regions;
mod second_look;
#[cfg(test)]
mod stand_in;

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::time::{Duration, Instant};

use decoding_threads::DecodingThreads;
pub use occlusion::OcclusionMap;
use preparer::{Notes, Preparer};
use reading::AwaitedReadings;
pub(crate) use regions::RegionsSeen;

use partsight_catalog::Catalog;
use partsight_domain::{
    Candidate, CandidateSet, CategoryGuess, Dial, Embedding, ModelCalibration, PartLabel, RawScores,
    ReferenceCalibration, RegionBox, Scorer, SetCalibration, StageTimings, TaughtIdentification,
    VehicleDoubt, Verdict, VerdictThresholds,
};
use partsight_inference::{
    Batcher, BatcherOptions, BatcherStats, Calibration, Engine, Fingerprint, Manifest, Model, PhotoDecoder,
    PhotoLimits, Prediction, Preprocessor, Reader, ReferenceSpace, References, Supervision,
};

use crate::limits::person::Person;
use crate::limits::places::{Places, Share};
use crate::limits::turns::Turns;
use crate::recognition::model_source::ModelSource;
use crate::recognition::part_finder::PartFinder;
use crate::recognition::photo_budget::PhotoBudget;
use crate::recognition::quarantine::Quarantine;
use crate::recognition::reading::{PhotoReader, PhotoReading};
use crate::recognition::thresholds::dial_of;
use crate::{Error, Result, Settings};

/// Places that one account may always take, even if the queue is short.
const LEAST_PLACES: usize = 2;

/// The answer to one photograph.
#[derive(Debug, Clone, PartialEq)]
pub struct Identification {
    /// Verdict by the thresholds in force.
    pub verdict: Verdict,
    /// The best guess, whatever the verdict.
    pub best: Candidate,
    /// The next best, most probable first.
    pub alternatives: Vec<Candidate>,
    /// The category as the answer, if the best guess ties with others of its category.
    pub category: Option<CategoryGuess>,
    /// The candidate set, if the verdict is not sure; `None` without a coverage guarantee.
    pub candidate_set: Option<CandidateSet>,
    /// Score in 0..=1 that the photograph shows one of the known types.
    pub known_score: f32,
    /// Types that are down-weighted because they cannot be on the vehicle, the most probable first.
    pub vehicle_doubts: Vec<VehicleDoubt>,
    /// Perceptual hash of the photograph, by which copies are found.
    pub fingerprint: Fingerprint,
    /// The embedding of the photograph; `None` for a zero vector, and in bulk work, which does not use it.
    pub embedding: Option<Embedding>,
    /// The text and codes on the photograph; `None` if they were not requested or could not be read.
    pub read: Option<PhotoReading>,
    /// The parts on the photograph with their boxes; `None` if they were not requested.
    pub regions: Option<Vec<(RegionBox, Identification)>>,
    /// Duration of each stage in milliseconds.
    pub timings_ms: StageTimings,
}

/// From the bytes of a photograph to a verdict, for a server's requests and for bulk work alike.
///
/// Decoding runs on threads of its own, beside the async threads; the tensors of all requests share the queue
/// of the engines. Only as many photographs are in both as the machine can process; the rest waits, and accounts are
/// served in turn. Memory is bounded by the number of photographs in flight.
pub struct Identifier {
    batcher: Batcher,
    /// Photographs in progress that keep all cores and engines busy.
    n_at_a_time: usize,
    /// The loaded model; `None` if engines were passed in.
    model: Option<Model>,
    /// A class that the catalogue does not describe has no category.
    scorer: Scorer,
    /// The verdict thresholds of the model, and those that a shop can choose instead.
    dial: Dial,
    preparer: Arc<Preparer>,
    /// One place for each scan that is waiting or being answered.
    places: Places<Person>,
    /// The number of those scans that are of batches.
    n_of_batches: AtomicUsize,
    /// One turn for each photograph that is being decoded or run through the model.
    turns: Turns,
    /// Time limit of an answer, from the request for its turn.
    answer_within: Duration,
    photo_budget: Arc<PhotoBudget>,
    decoding_threads: DecodingThreads,
    quarantine: Quarantine,
    /// The space in which references are compared; `None` for a model without fitted references.
    reference_space: Option<Arc<ReferenceSpace>>,
    /// Reads text and codes; `None` if that is not enabled.
    reading: Option<PhotoReader>,
    /// Readings that somebody waits for, beside scans.
    awaited: AwaitedReadings,
    part_finder: Arc<PartFinder>,
}

/// The model's output for one photograph, before scoring.
#[derive(Debug)]
pub(crate) struct Predicted {
    prediction: Prediction,
    notes: Notes,
    start: Instant,
    /// How long it waited for its turn.
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

    /// Logits `[c]` and known logit.
    pub(crate) fn raw(&self) -> RawScores<'_> {
        RawScores { logits: self.logits(), known: self.known() }
    }

    /// Whether there was a second look, because the first one was unsure.
    pub(crate) fn has_second_look(&self) -> bool {
        self.has_second_look
    }

    /// Perceptual hash of the photograph.
    pub(crate) fn fingerprint(&self) -> &Fingerprint {
        &self.notes.fingerprint
    }

    /// Duration of its stages, and in total since its arrival.
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

impl Identifier {
    /// Loads ONNX Runtime and the model, starts the engines and runs each once, so that the first
    /// photograph is as quick as the rest. `catalog` says in which category each type of the model is.
    ///
    /// # Errors
    /// [`Error::Model`] for a missing or wrong library, a damaged model, an invalid label, or a GPU that was requested
    /// and does not work; [`Error::ModelMissing`].
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

    /// The loaded model with its files; `None` if engines were passed in.
    pub(crate) fn model(&self) -> Option<&Model> {
        self.model.as_ref()
    }

    /// Enables references, if the manifest has a calibration for them; `space` is the model's.
    #[must_use]
    pub fn with_reference_space(mut self, space: Option<Arc<ReferenceSpace>>) -> Self {
        let measured = self.manifest().references.as_ref().map(|references| ReferenceCalibration {
            nearest: references.nearest,
            score_scale: references.score_scale,
            class_scale: references.class_scale,
            model_known_scale: references.model_known_scale,
            score_bias: references.score_bias,
            learnt_offset: references.learnt_offset,
            known_scale: references.known_scale,
            background_scale: references.background_scale,
            known_bias: references.known_bias,
            identification: identification_of(references),
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

    /// Puts engines of one model behind one queue. `labels` names the classes in order, and `catalog` gives their
    /// categories; a type that it does not describe has none.
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

    /// As [`Identifier::new`], with engines that are replaced if they stall or panic.
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
            // Without engines the batcher returns an error below.
            max_batch: engines.first().map_or(1, |engine| settings.model.effective_max_batch(&**engine)),
            // A photograph is queued with one image, or with all of its views.
            queue_capacity: settings.model.queue_capacity
                * engines.first().map_or(1, |engine| most_images(engine.manifest())),
        };
        let n_engines = engines.len();
        let batcher = Batcher::start_supervised(engines, options, supervision).map_err(Error::Model)?;
        let manifest = batcher.manifest();
        let preprocessor = Preprocessor::new(manifest).map_err(Error::Model)?;
        let decoder = PhotoDecoder::in_process(settings.photos.limits())
            .with_memory(settings.photos.max_decoding_bytes);
        let n_cores = std::thread::available_parallelism().map_or(1, usize::from);
        // If engines batch: one batch that runs, and one that is ready.
        let n_idle_below = n_cores.max(n_engines) + 2 * n_engines * (options.max_batch - 1);
        // Some cores decode while others run the model, and neither waits for the other: on two cores with eight
        // clients, three turns answered one and a half times as many scans as two, and four still more.
        let n_turns = n_idle_below + n_engines;
        let labels: Vec<PartLabel> =
            labels.iter().map(|label| PartLabel::new(label)).collect::<Result<_, _>>()?;
        let classes = labels.into_iter().map(|label| {
            let category = catalog.get(&label).map(|part_type| part_type.category);
            (label, category)
        });
        Ok(Self {
            n_at_a_time: n_idle_below,
            scorer: Scorer::new(classes, calibration_of(&manifest.calibration)).with_sets(sets_of(manifest)),
            dial: dial_of(&manifest.thresholds),
            preparer: Arc::new(Preparer { preprocessor, decoder }),
            places: Places::new(settings.model.queue_capacity, Share::OfFree, LEAST_PLACES),
            n_of_batches: AtomicUsize::default(),
            turns: Turns::with_spare_below(n_idle_below, n_turns, n_turns),
            answer_within: Duration::from_millis(settings.model.answer_within_ms.into()),
            photo_budget: Arc::default(),
            decoding_threads: DecodingThreads::new(n_cores)?,
            quarantine: Quarantine::default(),
            batcher,
            model: None,
            reference_space: None,
            reading: None,
            awaited: AwaitedReadings::on_half_of(n_cores),
            part_finder: Arc::new(PartFinder::new(settings)),
        })
    }

    /// Photographs in progress that keep all cores and engines busy; more than one for each core if engines batch.
    pub fn n_at_a_time(&self) -> usize {
        self.n_at_a_time
    }

    /// Enables reading of text and codes: in bulk work for each photograph, for scans when nobody waits.
    #[must_use]
    pub fn with_reader(self, reader: Reader) -> Self {
        Self { reading: Some(PhotoReader::of_text(reader)), ..self }
    }

    /// Enables reading of codes but not of text, if there are no networks for that.
    #[must_use]
    pub fn with_codes(self) -> Self {
        Self { reading: Some(PhotoReader::of_codes()), ..self }
    }

    /// Replaces the time limit of an answer from the settings. For tests.
    #[must_use]
    pub fn with_answer_within(self, deadline: Duration) -> Self {
        Self { answer_within: deadline, ..self }
    }

    /// Verdict thresholds of the model itself, without a dial.
    pub fn thresholds(&self) -> VerdictThresholds {
        self.dial.model
    }

    /// The alternative thresholds, with the measured effects.
    pub(crate) fn dial(&self) -> &Dial {
        &self.dial
    }

    /// The classes in order.
    pub fn labels(&self) -> &[PartLabel] {
        self.scorer.labels()
    }

    /// The decoder of photographs.
    pub fn decoder(&self) -> &PhotoDecoder {
        &self.preparer.decoder
    }

    /// Limits of photographs.
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

    /// The device that runs the model: `CPU`, or `CUDA:N` with the number of the GPU.
    pub fn provider(&self) -> &str {
        self.batcher.provider()
    }

    /// The counters of the engines and of the queue before them.
    pub fn engine_stats(&self) -> BatcherStats {
        self.batcher.stats()
    }

    /// Abandons engines that are stuck at `now`, and replaces missing ones; a server calls this every second.
    pub fn check_engines(&self, now: Instant) {
        self.batcher.check_engines(now);
    }

    /// Number of quarantined photographs.
    pub(crate) fn n_quarantined(&self) -> usize {
        self.quarantine.len()
    }

    /// Answers waiting photographs and accepts no more. Readings that nobody waits for are dropped: they could take a
    /// minute, and the answers are complete without them.
    pub fn shut_down(&self) {
        self.turns.end_spare();
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

/// Most images of one photograph in the queue at a time.
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

/// When a taught part may be identified, from a manifest.
fn identification_of(references: &References) -> TaughtIdentification {
    match &references.identified {
        None => TaughtIdentification::AsLearnt,
        Some(identified) => identified
            .confidence
            .map_or(TaughtIdentification::Never, |least| TaughtIdentification::From(least as f32)),
    }
}

/// The calibration of candidate sets from a manifest.
fn sets_of(manifest: &Manifest) -> Option<SetCalibration> {
    let sets = manifest.sets.as_ref()?;
    Some(SetCalibration { coverage: sets.coverage, probability: sets.probability })
}

pub(crate) fn millis(duration: Duration) -> f32 {
    // Rounded to hundredths of a millisecond: less is noise, and rows stay readable.
    (duration.as_secs_f32() * 100_000.0).round() / 100.0
}
