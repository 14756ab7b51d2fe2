//! Why ONNX Runtime cannot be had.

use std::error::Error as StdError;
use std::path::PathBuf;

/// What is wrong with the shared library, or with its place.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OnnxRuntimeError {
    /// ONNX Runtime's shared library is nowhere in the search order.
    #[error(
        "ONNX Runtime is not installed: name its library in the setting `onnxruntime`, or run `.make/onnxruntime` in a \
         clone of the project (looked at {})",
        list(searched)
    )]
    Missing {
        /// The files looked for, in order.
        searched: Vec<PathBuf>,
    },
    /// The path that was named does not exist.
    #[error("the library of ONNX Runtime, `{}`, does not exist: correct its path in the setting `onnxruntime`", path.display())]
    NoFile {
        /// The path.
        path: PathBuf,
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
    TooOld {
        /// The file.
        path: PathBuf,
        /// Its version.
        found: String,
        /// The oldest that will do.
        minimum: String,
    },
    /// The system refused to load the library, or it refused to start.
    #[error("ONNX Runtime at `{}` cannot be started", path.display())]
    Start {
        /// The file.
        path: PathBuf,
        /// What the loader or the runtime said.
        source: Box<dyn StdError + Send + Sync>,
    },
    /// Another library has been loaded before, and a process can hold only one.
    #[error("ONNX Runtime is already loaded from `{}`: restart to use `{}`", loaded.display(), wanted.display())]
    OtherLoaded {
        /// The one in use.
        loaded: PathBuf,
        /// The one asked for.
        wanted: PathBuf,
    },
}

fn list(paths: &[PathBuf]) -> String {
    paths.iter().map(|path| format!("`{}`", path.display())).collect::<Vec<_>>().join(", ")
}
