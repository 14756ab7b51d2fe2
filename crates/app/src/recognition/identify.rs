mod admission;
mod answer;
mod occlusion;
mod preparer;
mod reading;
mod regions;
mod second_look;

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::time::{Duration, Instant};

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
use rayon::{ThreadPool, ThreadPoolBuilder};

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

/// Places that one account may always take, where the queue is short.
const LEAST_PLACES: usize = 2;

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
    /// The text and the codes on the photograph; `None` where they were not asked for or could not be read.
    pub read: Option<PhotoReading>,
    /// The parts on the photograph with their places; `None` where they were not looked for.
    pub regions: Option<Vec<(RegionBox, Identification)>>,
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
    /// Photographs under way that keep all cores and engines busy.
    n_at_a_time: usize,
    /// What was loaded; `None` for engines that were handed over.
    model: Option<Model>,
    /// A class that the catalogue does not describe is in no category.
    scorer: Scorer,
    /// Its verdict thresholds, and those that a shop can choose instead.
    dial: Dial,
    preparer: Arc<Preparer>,
    /// Holds one place for each scan that is waiting or being answered.
    places: Places<Person>,
    /// Of the scans that hold a place, those of batches.
    n_of_batches: AtomicUsize,
    /// Holds one turn for each photograph that is being decoded or run through the model.
    turns: Turns,
    /// Within which time a photograph is to be answered once its turn was asked for.
    answer_within: Duration,
    photo_budget: Arc<PhotoBudget>,
    decoders: ThreadPool,
    quarantine: Quarantine,
    /// Where embeddings are compared with those of references; `None` for a model that was not measured for references.
    reference_space: Option<Arc<ReferenceSpace>>,
    /// What is read on photographs; `None` where nobody asked for it.
    reading: Option<PhotoReader>,
    /// What is read while somebody waits for it, beside scans.
    awaited: AwaitedReadings,
    part_finder: Arc<PartFinder>,
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

    /// Logits `[c]` and known logit.
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
            max_batch: engines.first().map_or(1, |engine| settings.model.effective_max_batch(&**engine)),
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
        // Where engines take several at once, a batch that runs and one that is ready for it.
        let n_idle_below = n_decoders.max(n_engines) + 2 * n_engines * (options.max_batch - 1);
        // A core decodes while others run the model, and neither waits for the other: on two cores and for eight clients,
        // three turns answered half as many scans again as two, and four still more.
        let n_turns = n_idle_below + n_engines;
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
            n_at_a_time: n_idle_below,
            scorer: Scorer::new(classes, calibration_of(&manifest.calibration)).with_sets(sets_of(manifest)),
            dial: dial_of(&manifest.thresholds),
            preparer: Arc::new(Preparer { preprocessor, decoder }),
            places: Places::new(settings.model.queue_capacity, Share::OfFree, LEAST_PLACES),
            n_of_batches: AtomicUsize::default(),
            turns: Turns::with_spare_below(n_idle_below, n_turns, n_turns),
            answer_within: Duration::from_millis(settings.model.answer_within_ms.into()),
            photo_budget: Arc::default(),
            decoders,
            quarantine: Quarantine::default(),
            batcher,
            model: None,
            reference_space: None,
            reading: None,
            awaited: AwaitedReadings::on_half_of(n_decoders),
            part_finder: Arc::new(PartFinder::new(settings)),
        })
    }

    /// Photographs under way that keep all cores and engines busy; more than a core each where an engine takes several at
    /// once.
    pub fn n_at_a_time(&self) -> usize {
        self.n_at_a_time
    }

    /// Lets text and codes on photographs be read: in bulk work on each, for scans when nobody waits.
    #[must_use]
    pub fn with_reader(self, reader: Reader) -> Self {
        Self { reading: Some(PhotoReader::of_text(reader)), ..self }
    }

    /// Lets codes on photographs be read and no text, where there are no networks for it.
    #[must_use]
    pub fn with_codes(self) -> Self {
        Self { reading: Some(PhotoReader::of_codes()), ..self }
    }

    /// Lets photographs take so long to be answered, instead of what the settings say. For tests.
    #[must_use]
    pub fn with_answer_within(self, deadline: Duration) -> Self {
        Self { answer_within: deadline, ..self }
    }

    /// Verdict thresholds of the model itself, without a dial.
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

    /// Answers the photographs that wait and takes no more. Those that wait to be read, for nobody, are not read any more:
    /// that could take a minute, and their answers stand.
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

/// When a taught part may be called identified, by a manifest.
fn identification_of(references: &References) -> TaughtIdentification {
    match &references.identified {
        None => TaughtIdentification::AsLearnt,
        Some(identified) => identified
            .confidence
            .map_or(TaughtIdentification::Never, |least| TaughtIdentification::From(least as f32)),
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
