//! Why ONNX Runtime cannot be used.

use std::error::Error as StdError;
use std::path::PathBuf;

/// An error of the shared library, or of its path.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OnnxRuntimeError {
    /// ONNX Runtime's shared library was not found in the search order.
    #[error(
        "ONNX Runtime is not installed: name its library in the setting `onnxruntime`, or run `.make/onnxruntime` in a \
         clone of the project (looked at {})",
        list(searched)
    )]
    Missing {
        /// The paths that were searched, in order.
        searched: Vec<PathBuf>,
    },
    /// The configured path does not exist.
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
    /// The library is older than the API version used here.
    #[error("ONNX Runtime {found} at `{}` is too old: install {minimum} or later", path.display())]
    TooOld {
        /// The file.
        path: PathBuf,
        /// Its version.
        found: String,
        /// The oldest supported version.
        minimum: String,
    },
    /// The system could not load the library, or it could not start.
    #[error("ONNX Runtime at `{}` cannot be started", path.display())]
    Start {
        /// The file.
        path: PathBuf,
        /// The error of the loader or the runtime.
        source: Box<dyn StdError + Send + Sync>,
    },
    /// Another library is already loaded, and a process can load only one.
    #[error("ONNX Runtime is already loaded from `{}`: restart to use `{}`", loaded.display(), wanted.display())]
    OtherLoaded {
        /// The path of the loaded library.
        loaded: PathBuf,
        /// The requested path.
        wanted: PathBuf,
    },
}

fn list(paths: &[PathBuf]) -> String {
    paths.iter().map(|path| format!("`{}`", path.display())).collect::<Vec<_>>().join(", ")
}
