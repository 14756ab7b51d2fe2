//! One error type for the crate: what went wrong, with the facts as fields.

use std::{error::Error as StdError, io, path::PathBuf, sync::Arc};

use crate::photo::PhotoFormat;

/// The result of every fallible function of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why a photograph, a model, the runtime or the queue could not do its part.
///
/// [`Error::is_about_the_photo`] tells the failures that whoever sent the photograph can mend from
/// those that whoever runs the program must.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The file holds no bytes.
    #[error("the photo is empty (0 bytes): send the whole file")]
    EmptyPhoto,
    /// The bytes begin like no picture format known here.
    #[error("this is not a photo: send a JPEG, PNG, WebP or HEIC file")]
    NotAnImage,
    /// A picture, but of a kind that is not read here.
    #[error("{format} pictures are not read: save it as JPEG or PNG and send that")]
    UnsupportedFormat {
        /// The format's usual name.
        format: &'static str,
    },
    /// The file is larger than [`PhotoLimits::max_bytes`](crate::PhotoLimits::max_bytes).
    #[error(
        "the photo has {size_bytes} bytes and the limit is {limit_bytes}: send a smaller or more compressed one"
    )]
    TooManyBytes {
        /// Bytes received.
        size_bytes: usize,
        /// Bytes allowed.
        limit_bytes: usize,
    },
    /// The header promises more pixels than [`PhotoLimits::max_pixels`](crate::PhotoLimits::max_pixels).
    #[error(
        "the photo has {width} x {height} pixels and the limit is {limit_pixels} in all: send a smaller one"
    )]
    TooManyPixels {
        /// Width by the header, in pixels.
        width: u64,
        /// Height by the header, in pixels.
        height: u64,
        /// Pixels allowed, width times height.
        limit_pixels: u64,
    },
    /// The file ends before the picture does.
    #[error("the {format} file ends too early: send it again, whole")]
    Truncated {
        /// The format by content.
        format: PhotoFormat,
    },
    /// The file contradicts itself, or uses a feature that the decoder lacks.
    #[error("the {format} file is damaged or of an unusual kind: open it and save it again as JPEG")]
    Damaged {
        /// The format by content.
        format: PhotoFormat,
        /// What the decoder said.
        source: Box<dyn StdError + Send + Sync>,
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
    /// The manifest is not the TOML that [`Manifest`](crate::Manifest) describes.
    #[error("the model manifest `{name}` does not have the expected form")]
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
    /// The graph's file has another length than its manifest says.
    #[error(
        "the graph of `{model}` has {found_bytes} bytes instead of {expected_bytes}: fetch or copy the model again"
    )]
    WrongModelSize {
        /// Name of the model.
        model: String,
        /// Bytes by the manifest.
        expected_bytes: u64,
        /// Bytes found.
        found_bytes: u64,
    },
    /// The graph's file is not the one that its manifest describes.
    #[error(
        "the graph of `{model}` has SHA-256 {found} instead of {expected}: fetch or copy the model again"
    )]
    WrongModelHash {
        /// Name of the model.
        model: String,
        /// Digest by the manifest, lower-case hex.
        expected: String,
        /// Digest found, lower-case hex.
        found: String,
    },
    /// The label file and the manifest disagree.
    #[error("the label file of `{model}` names {found} classes and its manifest {expected}")]
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

    /// ONNX Runtime's shared library is nowhere in the search order.
    #[error(
        "ONNX Runtime is not installed: run `.make/onnxruntime`, or give its path in the settings (looked at {})",
        list(searched)
    )]
    OnnxRuntimeMissing {
        /// The files looked for, in order.
        searched: Vec<PathBuf>,
    },
    /// The file is not a usable build of ONNX Runtime.
    #[error("`{}` is not ONNX Runtime for this machine: {reason}", path.display())]
    NotOnnxRuntime {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// The library is older than the interface used here.
    #[error("ONNX Runtime {found} at `{}` is too old: install {minimum} or later", path.display())]
    OnnxRuntimeTooOld {
        /// The file.
        path: PathBuf,
        /// Its version.
        found: String,
        /// The oldest that will do.
        minimum: String,
    },
    /// The system refused to load the library, or it refused to start.
    #[error("ONNX Runtime at `{}` cannot be started", path.display())]
    StartOnnxRuntime {
        /// The file.
        path: PathBuf,
        /// What the loader or the runtime said.
        source: Box<dyn StdError + Send + Sync>,
    },
    /// Another library has been loaded before, and a process can hold only one.
    #[error("ONNX Runtime is already loaded from `{}`: restart to use `{}`", loaded.display(), wanted.display())]
    OtherOnnxRuntimeLoaded {
        /// The one in use.
        loaded: PathBuf,
        /// The one asked for.
        wanted: PathBuf,
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
    #[error("cannot start a thread for inference")]
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
    /// The engine panicked; the thread lives on.
    #[error("the engine of `{model}` stopped unexpectedly")]
    EnginePanicked {
        /// Name of the model.
        model: String,
    },
}

impl Error {
    /// Whether the photograph itself is the cause, so that another photograph may do.
    pub fn is_about_the_photo(&self) -> bool {
        matches!(
            self,
            Self::EmptyPhoto
                | Self::NotAnImage
                | Self::UnsupportedFormat { .. }
                | Self::TooManyBytes { .. }
                | Self::TooManyPixels { .. }
                | Self::Truncated { .. }
                | Self::Damaged { .. }
        )
    }
}

fn list(paths: &[PathBuf]) -> String {
    paths.iter().map(|path| format!("`{}`", path.display())).collect::<Vec<_>>().join(", ")
}
