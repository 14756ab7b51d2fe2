//! An engine on candle, for networks in Hugging Face format.

use std::sync::Arc;

use crate::{
    ComputeDevice, DualEncoder, Engine, Error, ImageBatch, Manifest, Model, Outputs, PrototypeHead, Result,
    VisionEncoder, towers::Contents,
};

/// Largest batch. Larger ones gain little on a GPU.
const MAX_BATCH: usize = 32;
/// Batch size on a CPU, where a batch reads the weights from memory once: beyond 8 images the time per image hardly
/// falls.
const CPU_BATCH: usize = 8;

/// An image encoder, with prototypes for the scores.
///
/// Clones share the weights, so that another engine needs memory only for its activations.
#[derive(Clone)]
pub struct CandleEngine {
    manifest: Arc<Manifest>,
    encoder: Arc<Encoder>,
    prototypes: Arc<PrototypeHead>,
    provider: String,
}

/// The network that embeds the photographs.
enum Encoder {
    /// Only the vision tower of a dual encoder is loaded.
    Dual(Box<DualEncoder>),
    Vision(VisionEncoder),
}

impl Encoder {
    fn image_size(&self) -> usize {
        match self {
            Self::Dual(encoder) => encoder.image_size(),
            Self::Vision(encoder) => encoder.image_size(),
        }
    }

    fn dimension(&self) -> usize {
        match self {
            Self::Dual(encoder) => encoder.dimension(),
            Self::Vision(encoder) => encoder.dimension(),
        }
    }

    fn device(&self) -> ComputeDevice {
        match self {
            Self::Dual(encoder) => encoder.device(),
            Self::Vision(encoder) => encoder.device(),
        }
    }
}

impl CandleEngine {
    /// Loads the encoder onto the device, and compares it with the manifest.
    ///
    /// # Errors
    /// [`Error::WrongFormat`] for a model that is no safetensors folder, [`Error::GraphMismatch`] if the input's
    /// size or the embedding's length differs from the manifest, [`Error::NoGpu`], and the errors of
    /// [`DualEncoder::load`] and [`VisionEncoder::load`].
    pub fn new(model: &Model, device: ComputeDevice) -> Result<Self> {
        let manifest = model.shared_manifest();
        let (Some(folder), Some(prototypes)) = (model.safetensors_folder(), model.prototypes()) else {
            return Err(Error::WrongFormat {
                model: manifest.name.clone(),
                found: manifest.file.format.as_str(),
                expected: "safetensors",
            });
        };
        let encoder = match Contents::of(folder)? {
            Contents::VisionEncoder(_) => {
                let image_size = manifest.input.width as usize;
                Encoder::Vision(VisionEncoder::load(folder, image_size, &device)?)
            }
            Contents::DualEncoder | Contents::Graph => {
                Encoder::Dual(Box::new(DualEncoder::load_vision(folder, &device)?))
            }
        };
        check_tower(&manifest, encoder.image_size(), encoder.dimension())?;
        let provider = encoder.device().to_string();
        Ok(Self { manifest, encoder: Arc::new(encoder), prototypes: Arc::clone(prototypes), provider })
    }

    /// Runs one blank image: the first run is the slowest, and reveals weights that are NaN.
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

    fn usual_batch(&self) -> usize {
        if self.encoder.device().is_gpu() { MAX_BATCH } else { CPU_BATCH }
    }

    fn provider(&self) -> &str {
        &self.provider
    }

    fn run(&mut self, images: &ImageBatch) -> Result<Outputs> {
        images.check(&self.manifest, MAX_BATCH)?;
        let embeddings = match self.encoder.as_ref() {
            Encoder::Dual(encoder) => encoder.embed_images(images)?,
            Encoder::Vision(encoder) => encoder.embed_images(images)?,
        };
        Outputs::from_prototypes(&self.manifest, &self.prototypes, embeddings)
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
