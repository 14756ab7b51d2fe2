//! An identifier for tests, whose engine is a function.

use ndarray::{Array1, Array2};
use partsight_catalog::Catalog;
use partsight_inference::{Engine, Error, ImageBatch, Manifest, Model, Outputs};

use super::Identifier;
use crate::Settings;

struct StandIn<F> {
    manifest: Manifest,
    run: F,
}

impl<F: FnMut(&Manifest, &ImageBatch) -> Result<Outputs, Error> + Send> Engine for StandIn<F> {
    fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    fn max_batch(&self) -> usize {
        1
    }

    fn provider(&self) -> &'static str {
        "test"
    }

    fn run(&mut self, images: &ImageBatch) -> Result<Outputs, Error> {
        (self.run)(&self.manifest, images)
    }
}

/// An identifier with one engine, which states this manifest.
pub(super) fn identifier(
    manifest: Manifest,
    change: impl FnOnce(&mut Settings),
    run: impl FnMut(&Manifest, &ImageBatch) -> Result<Outputs, Error> + Send + 'static,
) -> Identifier {
    let (catalog, settings) = (Catalog::embedded().unwrap(), Settings::with(change));
    let engine = Box::new(StandIn { manifest, run });
    let model = Model::embedded().unwrap();
    Identifier::new(vec![engine], model.labels(), &catalog, &settings).unwrap()
}

/// The manifest of the shipped model.
pub(super) fn manifest() -> Manifest {
    Model::embedded().unwrap().manifest().clone()
}

/// The output for one image: a logit of the first class, and an embedding along one axis.
pub(super) fn output(manifest: &Manifest, logit: f32, known: f32, axis: usize) -> Outputs {
    let mut logits = Array2::zeros((1, manifest.classes.count));
    logits[[0, 0]] = logit;
    let mut embeddings = Array2::zeros((1, manifest.embedding.dimension));
    embeddings[[0, axis]] = 1.0;
    Outputs { embeddings, logits, known: Array1::from_elem(1, known) }
}
