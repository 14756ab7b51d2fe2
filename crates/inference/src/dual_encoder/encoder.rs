//! The two towers on candle.

use std::path::Path;

use candle_core::Tensor;
use ndarray::Array2;

use super::{Family, config::Config, text::TextTower, tokenizer::TextTokenizer, vision};
use crate::{
    ComputeDevice, Error, ImageBatch, Result,
    layers::{VisionTransformer, Weights, open_device},
    network_config::model_name,
};

/// Images or texts per run. It bounds the memory: by the shapes of its widest tensors, ViT-L/14 needs about 300 MB
/// for 16 images.
const AT_ONCE: usize = 16;

/// Two towers for one space of images and texts.
///
/// The raw score of an image and a text is `logit_scale * cosine + logit_bias`. It may be shared between threads; a
/// call computes on the calling thread and rayon's.
#[derive(Debug)]
pub struct DualEncoder {
    name: String,
    compute_device: ComputeDevice,
    config: Config,
    vision: VisionTransformer,
    text: Option<(TextTokenizer, TextTower)>,
    logit_scale: f32,
    logit_bias: f32,
}

impl DualEncoder {
    /// Loads a Hugging Face folder: `config.json`, the weights as `model.safetensors` or as the shards listed in
    /// `model.safetensors.index.json`, and the tokenizer as `tokenizer.json`, or for CLIP as `vocab.json` and
    /// `merges.txt`. `tokenizer_config.json` is used if present.
    ///
    /// Weights of f16 and bf16 are converted to f32. Missing fields of `config.json` have the defaults of
    /// `transformers`.
    ///
    /// # Errors
    /// [`Error::ReadModel`] for a missing file, [`Error::InvalidModelFile`], [`Error::UnsupportedModelType`] and
    /// [`Error::InvalidModelConfig`] for the contents of the files, [`Error::Weights`] for the weights,
    /// [`Error::TokenizerMissing`], [`Error::InvalidTokenizer`] and [`Error::VocabularyTooLarge`] for the tokenizer,
    /// [`Error::NoGpu`] for the device.
    pub fn load(folder: &Path, device: &ComputeDevice) -> Result<Self> {
        let mut encoder = Self::load_vision(folder, device)?;
        let tokenizer = TextTokenizer::load(folder, encoder.config.family, &encoder.config.text)?;
        let weights = Weights::open(folder, open_device(*device)?)?;
        let tower = TextTower::load(&weights, &encoder.config)?;
        encoder.text = Some((tokenizer, tower));
        Ok(encoder)
    }

    /// Loads only the vision tower, for callers that embed no texts: the text tower's weights and the tokenizer are
    /// not read and may be missing.
    ///
    /// # Errors
    /// Those of [`DualEncoder::load`], except for the tokenizer's.
    pub fn load_vision(folder: &Path, device: &ComputeDevice) -> Result<Self> {
        let config = Config::read(folder)?;
        let weights = Weights::open(folder, open_device(*device)?)?;
        let vision = vision::load(&weights, &config)?;
        let logit_scale = weights.scalar("logit_scale")?.exp();
        let logit_bias = match config.family {
            Family::Clip => 0.0,
            Family::Siglip => weights.scalar("logit_bias")?,
        };
        Ok(Self {
            name: model_name(folder),
            compute_device: *device,
            config,
            vision,
            text: None,
            logit_scale,
            logit_bias,
        })
    }

    /// The architecture.
    pub fn family(&self) -> Family {
        self.config.family
    }

    /// Side of the square input, in pixels.
    pub fn image_size(&self) -> usize {
        self.config.vision.image_size
    }

    /// Length d of an embedding.
    pub fn dimension(&self) -> usize {
        self.config.dimension
    }

    /// Factor of the cosine: the exponential of the stored `logit_scale`.
    pub fn logit_scale(&self) -> f32 {
        self.logit_scale
    }

    /// Added to the scaled cosine; 0 for CLIP.
    pub fn logit_bias(&self) -> f32 {
        self.logit_bias
    }

    /// The device that it runs on.
    pub fn device(&self) -> ComputeDevice {
        self.compute_device
    }

    /// Embeds images `[n, 3, image_size, image_size]`, normalised as the model requires, into `[n, d]`; each row
    /// has length 1.
    ///
    /// # Errors
    /// [`Error::WrongTensorShape`] for images of another size, [`Error::Compute`] and
    /// [`Error::NotFinite`] when computing fails.
    pub fn embed_images(&self, images: &ImageBatch) -> Result<Array2<f32>> {
        let size = self.image_size();
        let (n_images, channels, height, width) = images.view().dim();
        // Position embeddings are learnt for exactly this number of patches.
        if (channels, height, width) != (3, size, size) {
            return Err(Error::WrongTensorShape {
                expected: vec![n_images, 3, size, size],
                found: images.view().shape().to_vec(),
            });
        }
        let image_len = 3 * size * size;
        let mut embeddings = Vec::with_capacity(n_images * self.dimension());
        for pixels in images.as_slice().chunks(AT_ONCE * image_len) {
            let embedded = self.vision.embed(pixels, pixels.len() / image_len);
            embeddings.extend(self.unit_rows(embedded, "image embedding")?);
        }
        self.rows(n_images, embeddings)
    }

    /// Embeds texts into `[n, d]`; each row has length 1. A text longer than the model's context is truncated, and
    /// keeps its end token.
    ///
    /// # Errors
    /// [`Error::NoTexts`] for an empty list, [`Error::NoTextTower`] when only the vision tower was
    /// loaded, [`Error::Tokenize`], [`Error::Compute`] and [`Error::NotFinite`] when computing fails.
    pub fn embed_texts(&self, texts: &[&str]) -> Result<Array2<f32>> {
        let (tokenizer, tower) = self.text_side()?;
        if texts.is_empty() {
            return Err(Error::NoTexts);
        }
        let mut embeddings = Vec::with_capacity(texts.len() * self.dimension());
        for some in texts.chunks(AT_ONCE) {
            let token_ids = some.iter().map(|text| tokenizer.encode(text)).collect::<Result<Vec<_>>>()?;
            embeddings.extend(self.unit_rows(tower.embed(token_ids), "text embedding")?);
        }
        self.rows(texts.len(), embeddings)
    }

    /// The token ids of a text, with its start and end tokens and, for SigLIP, padding; at most as many as the
    /// model's context.
    ///
    /// # Errors
    /// [`Error::NoTextTower`] when only the vision tower was loaded, [`Error::Tokenize`].
    pub fn token_ids(&self, text: &str) -> Result<Vec<u32>> {
        self.text_side()?.0.encode(text)
    }

    fn text_side(&self) -> Result<&(TextTokenizer, TextTower)> {
        self.text.as_ref().ok_or_else(|| Error::NoTextTower { model: self.name.clone() })
    }

    /// The rows of a computed tensor `[n, d]`, flattened and scaled to length 1.
    fn unit_rows(&self, embedded: candle_core::Result<Tensor>, output: &str) -> Result<Vec<f32>> {
        let mut rows = embedded
            .and_then(|tensor| tensor.flatten_all()?.to_vec1::<f32>())
            .map_err(|source| self.compute_error(source))?;
        for row in rows.chunks_mut(self.dimension()) {
            let length = row.iter().map(|value| value * value).sum::<f32>().sqrt();
            for value in &mut *row {
                *value /= length;
            }
            // A row of zeros has no direction; dividing by its length gives NaN.
            if row.iter().any(|value| !value.is_finite()) {
                return Err(Error::NotFinite { model: self.name.clone(), output: output.to_owned() });
            }
        }
        Ok(rows)
    }

    fn rows(&self, n_rows: usize, values: Vec<f32>) -> Result<Array2<f32>> {
        let found = vec![values.len() / self.dimension(), self.dimension()];
        Array2::from_shape_vec((n_rows, self.dimension()), values)
            .map_err(|_| Error::WrongTensorShape { expected: vec![n_rows, self.dimension()], found })
    }

    fn compute_error(&self, source: candle_core::Error) -> Error {
        Error::Compute { model: self.name.clone(), device: self.compute_device, source: Box::new(source) }
    }
}
