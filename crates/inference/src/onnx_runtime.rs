//! Finds and checks ONNX Runtime's shared library, and loads it when the first session needs it, once per process.

mod error;
mod library;

use std::{
    env, fmt,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, OnceLock, PoisonError},
};

use ort::{environment::Environment, logging::LogLevel};

use crate::Result;
pub use error::OnnxRuntimeError;
use library::Version;

/// The version that `.make/onnxruntime` downloads, and with which everything is tested.
pub const ONNX_RUNTIME_VERSION: &str = "1.31.1";

// Not linked: a linked program would not start without the library. See docs/decisions/0002-load-onnx-runtime.md.
// One per process: the runtime has global state, and `ort` loads one library per process.
static CHOSEN: Mutex<Option<OnnxRuntime>> = Mutex::new(None);

/// ONNX Runtime, chosen for this process and started when it is first needed. Clones share one instance.
///
/// A program whose network runs on another engine never starts it.
#[derive(Clone)]
pub struct OnnxRuntime {
    path: PathBuf,
    version: Version,
    environment: Arc<OnceLock<Environment>>,
}

impl OnnxRuntime {
    /// Chooses the library, or returns the one that was chosen before.
    ///
    /// Without a path the library is searched in this order: `libonnxruntime.so` beside the executable; in
    /// `partsight/onnxruntime/<version>/` of the user's cache folder (`$XDG_CACHE_HOME`, else `~/.cache`); in
    /// `$LD_LIBRARY_PATH`; in the system's library folders. File names follow the platform.
    ///
    /// The file is examined here: a truncated library, or one for another processor or too old, is refused, because
    /// loading it can crash the process.
    ///
    /// # Errors
    /// [`OnnxRuntimeError::OtherLoaded`] if another file than `path` was chosen before, and all others except
    /// [`OnnxRuntimeError::Start`]. After an error, a later call may try another path.
    pub fn load(path: Option<&Path>) -> Result<Self, OnnxRuntimeError> {
        let mut chosen = CHOSEN.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(runtime) = chosen.as_ref() {
            return match path.map(absolute).filter(|wanted| *wanted != runtime.path) {
                Some(wanted) => {
                    // An error of the other file is more useful to know than that another library is loaded.
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
        let version = library::check(&path)?;
        let runtime = Self { path, version, environment: Arc::default() };
        *chosen = Some(runtime.clone());
        Ok(runtime)
    }

    /// Loads and starts the library, unless it was started before.
    ///
    /// # Errors
    /// [`OnnxRuntimeError::Start`] with the error of the system's loader or of the runtime. Afterwards
    /// [`OnnxRuntime::load`] may choose another path.
    pub fn start(&self) -> Result<(), OnnxRuntimeError> {
        self.environment().map(drop)
    }

    pub(crate) fn environment(&self) -> Result<&Environment, OnnxRuntimeError> {
        if let Some(environment) = self.environment.get() {
            return Ok(environment);
        }
        // Held while loading, so that two threads do not start it twice.
        let mut chosen = CHOSEN.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(environment) = self.environment.get() {
            return Ok(environment);
        }
        let environment = self.started().inspect_err(|_| *chosen = None)?;
        tracing::debug!(onnxruntime.path = %self.path.display(), onnxruntime.version = %self.version, "loaded ONNX Runtime");
        Ok(self.environment.get_or_init(|| environment))
    }

    fn started(&self) -> Result<Environment, OnnxRuntimeError> {
        let failed = |source| OnnxRuntimeError::Start { path: self.path.clone(), source };
        let builder = ort::init_from(&self.path).map_err(|source| failed(Box::new(source)))?;
        let environment = builder
            .with_name("partsight")
            .with_telemetry(false)
            .with_logger(Arc::new(log))
            .build()
            .map_err(|source| failed(Box::new(source)))?;
        environment.set_log_level(LogLevel::Warning);
        Ok(environment)
    }

    /// Whether CUDA's provider library is beside it, as in the GPU builds.
    pub(crate) fn is_for_gpus(&self) -> bool {
        let name =
            format!("{}onnxruntime_providers_cuda{}", env::consts::DLL_PREFIX, env::consts::DLL_SUFFIX);
        // The runtime searches beside its own file; whether symbolic links are resolved first depends on the
        // system.
        let real = self.path.canonicalize().ok();
        [Some(&self.path), real.as_ref()]
            .into_iter()
            .flatten()
            .filter_map(|path| path.parent())
            .any(|folder| folder.join(&name).is_file())
    }

    /// The library in use.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Its version, such as `1.31.1`.
    pub fn version(&self) -> String {
        self.version.to_string()
    }
}

impl fmt::Debug for OnnxRuntime {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "OnnxRuntime({} at `{}`)", self.version, self.path.display())
    }
}

/// Forwards the runtime's messages to the program's log instead of standard error.
fn log(level: LogLevel, category: &str, _id: &str, code_location: &str, message: &str) {
    match level {
        LogLevel::Verbose | LogLevel::Info => tracing::trace!(category, code_location, "{message}"),
        LogLevel::Warning => tracing::debug!(category, code_location, "{message}"),
        LogLevel::Error | LogLevel::Fatal => tracing::warn!(category, code_location, "{message}"),
    }
}

/// A bare name would be searched in the loader's own path, bypassing every check.
fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}
