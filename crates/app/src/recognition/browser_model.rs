use partsight_domain::PartLabel;
use partsight_inference::{Manifest, Model, SharedOnnx};

use crate::Identifier;

/// The model for a browser that runs it by itself: one ONNX file with scores of its own, and its facts.
#[derive(Debug, Clone)]
pub struct BrowserModel<'a> {
    /// How the photograph becomes a tensor, and the outputs become a verdict.
    pub manifest: &'a Manifest,
    /// The classes in the order of the logits.
    pub labels: &'a [PartLabel],
    /// The ONNX file.
    pub onnx: SharedOnnx,
}

impl Identifier {
    /// The model in use, if a browser can run it: no folder of weights, and no prototypes beside the graph.
    pub fn browser_model(&self) -> Option<BrowserModel<'_>> {
        let model: &Model = self.model()?;
        let manifest = model.manifest();
        let has_scores = manifest.prototypes.is_none() && manifest.known.is_some();
        let onnx = model.shared_onnx().filter(|_| has_scores && manifest.classes.output.is_some())?;
        Some(BrowserModel { manifest, labels: self.labels(), onnx })
    }
}
