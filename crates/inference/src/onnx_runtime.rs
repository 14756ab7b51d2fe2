//! Finds, checks and loads ONNX Runtime's shared library, once a process.

mod error;
mod library;

use std::{
    fmt,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use ort::{environment::Environment, logging::LogLevel};

use crate::Result;
pub use error::OnnxRuntimeError;
use library::Version;

/// The version that `.make/onnxruntime` fetches, and that everything is tested with.
pub const ONNX_RUNTIME_VERSION: &str = "1.31.1";

// Not linked: a program that is would not start without it. See docs/decisions/0002-load-onnx-runtime.md.
// One a process: the runtime has a global state, and `ort` takes one library for the whole process.
static LOADED: Mutex<Option<OnnxRuntime>> = Mutex::new(None);

/// ONNX Runtime, loaded and started. Clones share the one instance of the process.
#[derive(Clone)]
pub struct OnnxRuntime {
    path: PathBuf,
    version: Version,
    environment: Environment,
}

impl OnnxRuntime {
    /// Loads the library, or gives what has been loaded before.
    ///
    /// Without a path it is looked for, in this order: `libonnxruntime.so` beside the executable; in
    /// `partsight/onnxruntime/<version>/` of the user's cache folder (`$XDG_CACHE_HOME`, else `~/.cache`);
    /// in `$LD_LIBRARY_PATH`; in the system's library folders. File names follow the platform.
    ///
    /// The file is examined before it is loaded: a library cut short, of another processor or too old is
    /// refused here, because loading it can end the process.
    ///
    /// # Errors
    /// [`OnnxRuntimeError::OtherLoaded`] when another file than `path` is loaded already, and all others. After an
    /// error a later call may try another path.
    pub fn load(path: Option<&Path>) -> Result<Self, OnnxRuntimeError> {
        // Held while loading, so that two threads do not start it twice.
        let mut loaded = LOADED.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(runtime) = loaded.as_ref() {
            return match path.map(absolute).filter(|wanted| *wanted != runtime.path) {
                Some(wanted) => {
                    // What is wrong with the other file is more useful to know than that it came too late.
                    library::check(&wanted)?;
                    Err(OnnxRuntimeError::OtherLoaded { loaded: runtime.path.clone(), wanted })
                }
                None => Ok(runtime.clone()),
            };
        }
        let path = match path {
            Some(path) => absolute(path),
            None => library::find()?,
        };
        let runtime = Self::start(path)?;
        tracing::debug!(onnxruntime.path = %runtime.path.display(), onnxruntime.version = %runtime.version, "loaded ONNX Runtime");
        *loaded = Some(runtime.clone());
        Ok(runtime)
    }

    fn start(path: PathBuf) -> Result<Self, OnnxRuntimeError> {
        let version = library::check(&path)?;
        let builder = ort::init_from(&path)
            .map_err(|source| OnnxRuntimeError::Start { path: path.clone(), source: Box::new(source) })?;
        let environment = builder
            .with_name("partsight")
            .with_telemetry(false)
            .with_logger(Arc::new(log))
            .build()
            .map_err(|source| OnnxRuntimeError::Start { path: path.clone(), source: Box::new(source) })?;
        environment.set_log_level(LogLevel::Warning);
        Ok(Self { path, version, environment })
    }

    /// The library in use.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Its version, such as `1.31.1`.
    pub fn version(&self) -> String {
        self.version.to_string()
    }

    pub(crate) fn environment(&self) -> &Environment {
        &self.environment
    }
}

impl fmt::Debug for OnnxRuntime {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "OnnxRuntime({} at `{}`)", self.version, self.path.display())
    }
}

/// The runtime's own messages, in the program's log instead of on standard error.
fn log(level: LogLevel, category: &str, _id: &str, code_location: &str, message: &str) {
    match level {
        LogLevel::Verbose | LogLevel::Info => tracing::trace!(category, code_location, "{message}"),
        LogLevel::Warning => tracing::debug!(category, code_location, "{message}"),
        LogLevel::Error | LogLevel::Fatal => tracing::warn!(category, code_location, "{message}"),
    }
}

/// A bare name would be looked for in the loader's own search path, past every check.
fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}
