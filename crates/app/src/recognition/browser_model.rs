use partsight_domain::PartLabel;
use partsight_inference::{Manifest, Model, SharedOnnx};

use crate::Identifier;

/// The model for inference in a browser: one self-contained ONNX file, and its manifest.
#[derive(Debug, Clone)]
pub struct BrowserModel<'a> {
    /// The preprocessing, and how the outputs become a verdict.
    pub manifest: &'a Manifest,
    /// The classes in the order of the logits.
    pub labels: &'a [PartLabel],
    /// The ONNX file.
    pub onnx: SharedOnnx,
}

impl Identifier {
    /// The model in use, if a browser can run it: not a folder of weights, nor a graph with prototypes beside it.
    pub fn browser_model(&self) -> Option<BrowserModel<'_>> {
        let model: &Model = self.model()?;
        let manifest = model.manifest();
        let has_scores = manifest.prototypes.is_none() && manifest.known.is_some();
        let onnx = model.shared_onnx().filter(|_| has_scores && manifest.classes.output.is_some())?;
        Some(BrowserModel { manifest, labels: self.labels(), onnx })
    }
}
