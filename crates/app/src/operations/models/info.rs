//! Facts about one model, and how it runs on this machine.

use partsight_inference::{Error as InferenceError, Manifest, start_engines};

use super::ModelSource;
use crate::{Result, Settings};

/// A model, and how it runs on this machine.
#[derive(Debug)]
pub struct ModelInfo {
    /// Where it comes from.
    pub source: ModelSource,
    /// Its manifest.
    pub manifest: Manifest,
    /// Labels of its classes, in the order of its outputs.
    pub labels: Vec<String>,
    /// How it runs with the current settings, or why it does not start.
    pub engine: Result<EngineFacts, InferenceError>,
}

/// Device and runtime of a started engine.
#[derive(Debug)]
pub struct EngineFacts {
    /// The device in use: `CPU` or `CUDA:N`.
    pub provider: String,
    /// Why this device was chosen.
    pub reason: String,
    /// The runtime, such as `ONNX Runtime 1.31.1`.
    pub runtime: String,
}

/// Reads and verifies a model, and starts one engine with the settings.
///
/// # Errors
/// [`Error::ModelMissing`](crate::Error::ModelMissing) and [`Error::Model`](crate::Error::Model). An engine that does
/// not start is no error: see [`ModelInfo::engine`].
pub fn model_info(source: ModelSource, settings: &Settings) -> Result<ModelInfo> {
    let model = source.load(settings)?;
    let engine =
        start_engines(&model, settings.model.device, settings.model.onnxruntime.as_deref(), |_, _| 1).map(
            |started| EngineFacts {
                provider: started.device.to_string(),
                reason: started.reason,
                runtime: started.runtime,
            },
        );
    Ok(ModelInfo { source, manifest: model.manifest().clone(), labels: model.labels().to_vec(), engine })
}
