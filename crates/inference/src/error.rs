//! One error type for the crate: what went wrong, with the facts as fields. What is wrong with a photograph, with
//! ONNX Runtime or with weights has a type of its own.

use std::{error::Error as StdError, io, path::PathBuf, sync::Arc, time::Duration};

#[cfg(feature = "candle")]
use crate::layers::WeightsError;
use crate::{device::ComputeDevice, onnx_runtime::OnnxRuntimeError, photo::PhotoError};

/// The result of every fallible function of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why a photograph, a model, the runtime or the queue could not do its part.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The photograph itself is the cause, and its sender can correct that; all else is for whoever runs the program.
    #[error(transparent)]
    Photo(#[from] PhotoError),
    /// No decoding process can be started.
    #[error(
        "cannot start a process that decodes photographs: raise the limit of processes, or restart the program if its \
         file was replaced"
    )]
    DecoderUnavailable {
        /// What the system said.
        source: io::Error,
    },
    /// Pixels and stated size disagree.
    #[error("a picture of {width} x {height} RGB pixels needs {expected} bytes, not {found}")]
    WrongPixelCount {
        /// Stated width, in pixels.
        width: u32,
        /// Stated height, in pixels.
        height: u32,
        /// Bytes that size needs.
        expected: u64,
        /// Bytes given.
        found: usize,
    },

    /// A file of a model could not be read.
    #[error("cannot read the model file `{}`: check that it exists and may be read", path.display())]
    ReadModel {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The file of training fingerprints does not hold whole records.
    #[error("`{name}` has {size_bytes} bytes, which is no multiple of 30: fetch or copy the model again")]
    WrongFingerprintLength {
        /// The file.
        name: String,
        /// Bytes found.
        size_bytes: usize,
    },
    /// The manifest is not the TOML that [`Manifest`](crate::Manifest) describes.
    #[error(
        "the model manifest `{name}` does not have the expected form: correct it, or fetch or copy the model again"
    )]
    ParseManifest {
        /// Where it came from.
        name: String,
        /// Line and reason.
        source: Box<toml::de::Error>,
    },
    /// A value of the manifest is out of its range.
    #[error("the manifest of `{model}` sets `{field}` to {found}, but it must be {expected}")]
    InvalidManifest {
        /// Name of the model.
        model: String,
        /// Dotted name of the value.
        field: &'static str,
        /// The value found.
        found: String,
        /// The rule it breaks.
        expected: &'static str,
    },
    /// A file of a model has another length than its manifest says.
    #[error(
        "the file `{file}` of `{model}` has {found_bytes} bytes instead of {expected_bytes}: fetch or copy the model again"
    )]
    WrongModelSize {
        /// Name of the model.
        model: String,
        /// Name of the file.
        file: String,
        /// Bytes by the manifest.
        expected_bytes: u64,
        /// Bytes found.
        found_bytes: u64,
    },
    /// A file of a model is not the one that its manifest describes.
    #[error(
        "the file `{file}` of `{model}` has SHA-256 {found} instead of {expected}: fetch or copy the model again"
    )]
    WrongModelHash {
        /// Name of the model.
        model: String,
        /// Name of the file.
        file: String,
        /// Digest by the manifest, lower-case hex.
        expected: String,
        /// Digest found, lower-case hex.
        found: String,
    },
    /// The label file and the manifest disagree.
    #[error(
        "the label file of `{model}` names {found} classes, but its manifest {expected}: fetch or copy the model again"
    )]
    WrongLabelCount {
        /// Name of the model.
        model: String,
        /// Classes by the manifest.
        expected: usize,
        /// Lines in the label file.
        found: usize,
    },
    /// A label is not kebab-case, or stands twice.
    #[error(
        "line {line} of the label file of `{model}` must be a new lower-case kebab-case label, not `{label}`"
    )]
    InvalidLabel {
        /// Name of the model.
        model: String,
        /// Line, from 1.
        line: usize,
        /// The text of that line.
        label: String,
    },

    /// A manifest has a value that TOML cannot hold.
    #[error("cannot write the manifest of `{model}`")]
    WriteManifest {
        /// Name of the model.
        model: String,
        /// What the writer said.
        source: Box<toml::ser::Error>,
    },
    /// The file of prototypes is not in the safetensors format.
    #[error("the prototypes of `{model}` cannot be read: fetch or copy the model again")]
    ReadPrototypes {
        /// Name of the model.
        model: String,
        /// What the reader said.
        source: safetensors::SafeTensorError,
    },
    /// The prototypes are not unit vectors that fit the manifest.
    #[error("the prototypes of `{model}` do not fit: {reason}")]
    InvalidPrototypes {
        /// Name of the model.
        model: String,
        /// What is wrong with them.
        reason: String,
    },
    /// A value of the calibration cannot be fitted to what there is.
    #[error("cannot calibrate {what}: it takes {missing}")]
    CannotCalibrate {
        /// The value.
        what: &'static str,
        /// What there must be.
        missing: &'static str,
    },
    /// A GPU was asked for and cannot be used.
    #[error("the GPU `cuda:{number}` cannot be used: {missing}; or set `device` to `cpu`")]
    NoGpu {
        /// Number of the GPU, from 0.
        number: usize,
        /// What is missing and what to do about it.
        missing: String,
        /// What the runtime said, where it said something.
        source: Option<Box<dyn StdError + Send + Sync>>,
    },

    /// ONNX Runtime cannot be had.
    #[error(transparent)]
    OnnxRuntime(#[from] OnnxRuntimeError),

    /// A folder holds none of the files that a network may be in.
    #[error(
        "there is no network in `{}`: one of {} is needed",
        folder.display(),
        expected.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
    )]
    NoNetwork {
        /// The folder.
        folder: PathBuf,
        /// The files looked for.
        expected: Vec<String>,
    },
    /// The model is of a kind that this engine does not run.
    #[error("`{model}` is kept as `{found}`, but this engine runs `{expected}`")]
    WrongFormat {
        /// Name of the model.
        model: String,
        /// Format by the manifest.
        found: &'static str,
        /// What the engine runs.
        expected: &'static str,
    },
    /// The runtime does not accept the graph.
    #[error("ONNX Runtime does not accept the graph of `{model}`")]
    BuildSession {
        /// Name of the model.
        model: String,
        /// What the runtime said.
        source: ort::Error,
    },
    /// The graph has other inputs or outputs than its manifest says.
    #[error(
        "the graph of `{model}` does not match its manifest: `{name}` should be {expected}, but is {found}"
    )]
    GraphMismatch {
        /// Name of the model.
        model: String,
        /// The input or output.
        name: String,
        /// Kind and shape by the manifest.
        expected: String,
        /// Kind and shape in the graph.
        found: String,
    },
    /// A tensor has another shape than the model takes.
    #[error("the tensor has shape {found:?}, but the model takes {expected:?}")]
    WrongTensorShape {
        /// The model's shape.
        expected: Vec<usize>,
        /// The tensor's shape.
        found: Vec<usize>,
    },
    /// A batch holds no image, or more than the engine takes at once.
    #[error("a batch must hold 1 to {limit} images, not {found}")]
    WrongBatchSize {
        /// Images given.
        found: usize,
        /// Images that the engine takes at once.
        limit: usize,
    },
    /// The runtime failed while computing.
    #[error("`{model}` failed on a batch of {images}")]
    Run {
        /// Name of the model.
        model: String,
        /// Images in the batch.
        images: usize,
        /// What the runtime said.
        source: ort::Error,
    },
    /// The graph gave a value that is not a finite number, which no score may rest on.
    #[error("`{model}` gave a value in `{output}` that is not a finite number")]
    NotFinite {
        /// Name of the model.
        model: String,
        /// Name of the output.
        output: String,
    },

    /// A file of a Hugging Face folder has not the form it should have.
    #[error("`{}` does not have the expected form: fetch or copy the model again", path.display())]
    InvalidModelFile {
        /// The file.
        path: PathBuf,
        /// What the reader said.
        source: Box<dyn StdError + Send + Sync>,
    },
    /// A `config.json` is for an architecture that is not known here.
    #[error(
        "`{}` is for a model of type `{found}`, but only `clip`, `siglip`, `dinov2`, `dinov2_with_registers`, \
         `dinov3_vit`, `convnext` and `convnextv2` run from safetensors: export it to ONNX and import that",
        path.display()
    )]
    UnsupportedModelType {
        /// The file.
        path: PathBuf,
        /// The type found.
        found: String,
    },
    /// Photographs are to be prepared to a size that the network does not take.
    #[error("`{model}` takes square pictures of {smallest} to {largest} pixels a side, not {found}")]
    ImageSizeUnfit {
        /// Name of the model.
        model: String,
        /// Side wanted, in pixels.
        found: usize,
        /// The smallest side that the network sees anything of, in pixels.
        smallest: usize,
        /// The largest side that is computed, in pixels.
        largest: usize,
    },
    /// A graph is none that embeds photographs.
    #[error("the graph `{}` cannot be used: {name} should be {expected}, but is {found}", path.display())]
    GraphUnfit {
        /// The file.
        path: PathBuf,
        /// The input or output.
        name: String,
        /// What it should be.
        expected: String,
        /// What it is.
        found: String,
    },
    /// A graph keeps its weights in another file, which is not there.
    #[error(
        "the graph `{}` keeps weights in `{name}`, which {problem}: copy it beside the graph, or export the graph \
         into one file",
        path.display()
    )]
    ExternalWeights {
        /// The file of the graph.
        path: PathBuf,
        /// The other file, as the graph names it.
        name: String,
        /// What is wrong with it.
        problem: &'static str,
    },
    /// A value of a `config.json` is missing or out of its range.
    #[error("`{}` sets `{field}` to {found}, but it must be {expected}", path.display())]
    InvalidModelConfig {
        /// The file.
        path: PathBuf,
        /// Dotted name of the value.
        field: String,
        /// The value found.
        found: String,
        /// The rule it breaks.
        expected: &'static str,
    },
    /// The weights of a network on candle cannot be used.
    #[cfg(feature = "candle")]
    #[error(transparent)]
    Weights(#[from] WeightsError),
    /// A model folder holds no tokenizer.
    #[error("`{}` holds no tokenizer: it needs {needed}", folder.display())]
    TokenizerMissing {
        /// The folder.
        folder: PathBuf,
        /// The files that would do.
        needed: &'static str,
    },
    /// A tokenizer lacks something that the model needs of it.
    #[error("the tokenizer `{}` does not fit its model: {reason}", path.display())]
    InvalidTokenizer {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// The tokenizer knows tokens for which the model has no embedding.
    #[error(
        "the tokenizer of `{model}` has a token {highest_id}, but the model has {embeddings} token embeddings: they do not belong together"
    )]
    VocabularyTooLarge {
        /// Name of the model.
        model: String,
        /// The tokenizer's highest id.
        highest_id: u32,
        /// Rows of the token embedding.
        embeddings: usize,
    },
    /// The tokenizer failed on a text.
    #[error("the tokenizer of `{model}` failed on a text")]
    Tokenize {
        /// Name of the model.
        model: String,
        /// What the tokenizer said.
        source: Box<dyn StdError + Send + Sync>,
    },
    /// A list of texts is empty.
    #[error("there are no texts to embed: give at least one")]
    NoTexts,
    /// A text came to a model whose vision tower alone was loaded.
    #[error("`{model}` was loaded without its text tower, so that it embeds images only")]
    NoTextTower {
        /// Name of the model.
        model: String,
    },
    /// The model needs an engine that this program was built without.
    #[error(
        "`{model}` is in the format `safetensors`, which takes the cargo feature `{feature}`, and this program was built without it: use a program built by `make build` or `make run FEATURES={feature}`, or a model in the format `onnx`"
    )]
    MissingFeature {
        /// Name of the model, or the folder that it is to be made of.
        model: String,
        /// The cargo feature.
        feature: &'static str,
    },
    /// Candle failed while loading or computing.
    #[error("`{model}` could not be computed on {device}")]
    Compute {
        /// Name of the model.
        model: String,
        /// Where it computed.
        device: ComputeDevice,
        /// What candle said.
        source: Box<dyn StdError + Send + Sync>,
    },

    /// As many requests wait as may wait.
    #[error("{capacity} photos are waiting already: try again shortly")]
    QueueFull {
        /// Requests that may wait.
        capacity: usize,
    },
    /// The batcher no longer takes requests.
    #[error("the inference queue is shutting down")]
    ShutDown,
    /// The batcher was set up with nothing to run, or no room to wait.
    #[error("the inference queue needs at least one {what}")]
    InvalidBatcher {
        /// What is missing.
        what: &'static str,
    },
    /// The system gave no thread for an engine.
    #[error("cannot start a thread for inference: raise the limit of threads or run fewer engines")]
    StartThread {
        /// What the system said.
        source: io::Error,
    },
    /// The batch that the request was part of failed; each of its requesters gets the same source.
    #[error("a batch of {images} photos failed")]
    Batch {
        /// Images in the batch.
        images: usize,
        /// The engine's error.
        source: Arc<Error>,
    },
    /// The engine panicked and was replaced, where there is something to replace it with.
    #[error("the engine of `{model}` stopped unexpectedly")]
    EnginePanicked {
        /// Name of the model.
        model: String,
    },
    /// The batch ran longer than it may, and its engine was given up.
    #[error("the engine of `{model}` did not end within {} s", limit.as_secs())]
    EngineStalled {
        /// Name of the model.
        model: String,
        /// How long a batch may run.
        limit: Duration,
    },
    /// No engine is left, and none could be started in its place so far.
    #[error("no engine of `{model}` is running")]
    NoEngine {
        /// Name of the model.
        model: String,
    },
}

impl Error {
    /// Whether a worker died or had to be given up over the work, and not only refused it.
    pub fn lost_a_worker(&self) -> bool {
        match self {
            Self::EnginePanicked { .. } | Self::EngineStalled { .. } => true,
            Self::Photo(photo) => photo.lost_a_worker(),
            // The requester of a batch sees the engine's error only through it.
            Self::Batch { source, .. } => source.lost_a_worker(),
            _ => false,
        }
    }
}
