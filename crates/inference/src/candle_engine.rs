//! An engine on candle, for CLIP and `SigLIP` as Hugging Face keeps them.

use std::sync::Arc;

use crate::{
    ComputeDevice, DualEncoder, Engine, Error, ImageBatch, Manifest, Model, Outputs, PrototypeHead, Result,
};

/// Images in one run. A processor gains nothing by more, and a GPU little.
const MAX_BATCH: usize = 32;

/// The vision tower of a dual encoder, with prototypes that give the scores.
///
/// Clones share the weights, so that an engine more costs no memory but that of its work.
#[derive(Clone)]
pub struct CandleEngine {
    manifest: Arc<Manifest>,
    encoder: Arc<DualEncoder>,
    prototypes: Arc<PrototypeHead>,
    provider: String,
}

impl CandleEngine {
    /// Reads the vision tower onto the device, and compares it with the manifest.
    ///
    /// # Errors
    /// [`Error::WrongFormat`] for a model that is no safetensors folder, [`Error::GraphMismatch`] when the
    /// input's size or the embedding's length is not that of the manifest, [`Error::NoGpu`], and whatever
    /// [`DualEncoder::load`] refuses.
    pub fn new(model: &Model, device: ComputeDevice) -> Result<Self> {
        let manifest = model.shared_manifest();
        let (Some(folder), Some(prototypes)) = (model.safetensors_folder(), model.prototypes()) else {
            return Err(Error::WrongFormat {
                model: manifest.name.clone(),
                found: manifest.file.format.as_str(),
                expected: "safetensors",
            });
        };
        // The text tower is not needed: what the classes are compared with was embedded when the model was imported.
        let encoder = DualEncoder::load_vision(folder, &device)?;
        check_tower(&manifest, encoder.image_size(), encoder.dimension())?;
        let provider = encoder.device().to_string();
        Ok(Self { manifest, encoder: Arc::new(encoder), prototypes: Arc::clone(prototypes), provider })
    }

    /// Runs one blank image: the first run is the slowest, and weights that are no numbers show in it.
    ///
    /// # Errors
    /// As [`Engine::run`].
    pub fn warm_up(&mut self) -> Result<()> {
        self.run(&ImageBatch::blank(&self.manifest)?).map(drop)
    }
}

impl Engine for CandleEngine {
    fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    fn max_batch(&self) -> usize {
        MAX_BATCH
    }

    fn provider(&self) -> &str {
        &self.provider
    }

    fn run(&mut self, images: &ImageBatch) -> Result<Outputs> {
        images.check(&self.manifest, MAX_BATCH)?;
        Outputs::from_prototypes(&self.manifest, &self.prototypes, self.encoder.embed_images(images)?)
    }
}

fn check_tower(manifest: &Manifest, image_size: usize, dimension: usize) -> Result<()> {
    let mismatch = |name: &str, expected: String, found: String| Error::GraphMismatch {
        model: manifest.name.clone(),
        name: name.to_owned(),
        expected,
        found,
    };
    let expected = manifest.tensor_shape();
    let found = [3, image_size, image_size];
    if expected != found {
        return Err(mismatch(
            &manifest.input.name,
            format!("f32 [n, ...{expected:?}]"),
            format!("f32 [n, ...{found:?}]"),
        ));
    }
    if manifest.embedding.dimension != dimension {
        return Err(mismatch(
            &manifest.embedding.output,
            format!("f32 [n, {}]", manifest.embedding.dimension),
            format!("f32 [n, {dimension}]"),
        ));
    }
    Ok(())
}
