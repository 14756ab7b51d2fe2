//! All that there is to know about one model on this machine.

use partsight_inference::{Error as InferenceError, Manifest, start_engines};

use super::ModelSource;
use crate::{Result, Settings};

/// A model, and how it runs here.
#[derive(Debug)]
pub struct ModelInfo {
    /// Where it comes from.
    pub source: ModelSource,
    /// Its facts.
    pub manifest: Manifest,
    /// Its classes, in order.
    pub labels: Vec<String>,
    /// How it runs with the settings in force, or why it does not.
    pub engine: Result<EngineFacts, InferenceError>,
}

/// What an engine that was started says of itself.
#[derive(Debug)]
pub struct EngineFacts {
    /// Where it really runs: `CPU` or `CUDA:N`.
    pub provider: String,
    /// Why there.
    pub reason: String,
    /// What runs the network, such as `ONNX Runtime 1.31.1`.
    pub runtime: String,
}

/// Reads and verifies a model, and starts one engine as the settings say.
///
/// # Errors
/// [`Error::ModelMissing`](crate::Error::ModelMissing) and [`Error::Model`](crate::Error::Model); an engine that does
/// not start is part of the answer.
pub fn model_info(source: ModelSource, settings: &Settings) -> Result<ModelInfo> {
    let model = source.load(settings)?;
    let engine = start_engines(&model, settings.model.device, settings.model.onnxruntime.as_deref(), |_| 1)
        .map(|started| EngineFacts {
            provider: started.device.to_string(),
            reason: started.reason,
            runtime: started.runtime,
        });
    Ok(ModelInfo { source, manifest: model.manifest().clone(), labels: model.labels().to_vec(), engine })
}
