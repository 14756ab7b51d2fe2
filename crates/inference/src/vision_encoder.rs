//! Image encoders without texts: DINOv2 with and without registers, DINOv3 and ConvNeXt.
//!
//! As for the dual encoders, the reference is the Python library `transformers`, and golden files made with it tie
//! the two together.
//!
//! The embedding is `pooler_output` of `transformers`: the class token of a vision transformer, or the mean over
//! the image for ConvNeXt, after the last layer norm.

mod config;
mod convnext;
mod dino;
mod positions;
mod window;

use std::path::Path;

use candle_core::{Result as CandleResult, Tensor};
use ndarray::Array2;

use self::{config::EncoderConfig, convnext::ConvNext};
use crate::{
    ComputeDevice, Error, ImageBatch, Result,
    layers::{VisionTransformer, Weights, open_device},
    network_config::model_name,
    prototypes::unit_rows,
};

/// Images per run if each has few tokens.
const AT_ONCE: usize = 16;
/// Largest number of tokens per image for runs of [`AT_ONCE`] images: 16 x 16 patches and one more. The memory of
/// attention grows with its square.
const TOKENS_AT_ONCE: usize = 257;
/// Maximum number of patches along a side: attention over 64 x 64 patches takes about 130 MB per head.
const MAX_GRID: usize = 64;

/// A network that embeds images of one size.
///
/// It may be shared between threads; a call computes on the calling thread and rayon's.
#[derive(Debug)]
pub struct VisionEncoder {
    name: String,
    compute_device: ComputeDevice,
    network: Network,
    image_size: usize,
    dimension: usize,
    at_once: usize,
}

#[derive(Debug)]
enum Network {
    Transformer(Box<VisionTransformer>),
    Convolutions(Box<ConvNext>),
}

impl VisionEncoder {
    /// Loads a Hugging Face folder, `config.json` and the weights as `model.safetensors` or its shards, for square
    /// images of `image_size` pixels. Learned positions are interpolated for a size other than that of
    /// `config.json`, as in `transformers`.
    ///
    /// # Errors
    /// [`Error::ReadModel`], [`Error::InvalidModelFile`], [`Error::UnsupportedModelType`] and
    /// [`Error::InvalidModelConfig`] for the contents of the files, [`Error::ImageSizeUnfit`] for a size that the
    /// network does not support, [`Error::Weights`] for the weights, [`Error::NoGpu`] for the device.
    pub fn load(folder: &Path, image_size: usize, device: &ComputeDevice) -> Result<Self> {
        let config = EncoderConfig::read(folder)?;
        let name = model_name(folder);
        let (smallest, largest) = match &config {
            EncoderConfig::Dino(config) => (config.patch_size, (MAX_GRID + 1) * config.patch_size - 1),
            EncoderConfig::ConvNext(config) => (config.smallest_image(), convnext::LARGEST_IMAGE),
        };
        if !(smallest..=largest).contains(&image_size) {
            return Err(Error::ImageSizeUnfit { model: name, found: image_size, smallest, largest });
        }
        let weights = Weights::open(folder, open_device(*device)?)?;
        let (network, dimension, n_tokens) = match &config {
            EncoderConfig::Dino(config) => {
                let n_tokens = (image_size / config.patch_size).pow(2) + 1 + config.n_registers;
                let network = dino::load(&weights, config, image_size)?;
                (Network::Transformer(Box::new(network)), config.layers.hidden_size, n_tokens)
            }
            EncoderConfig::ConvNext(config) => {
                let network = ConvNext::load(&weights, config)?;
                // Each of the four stages has a quarter of the positions of the previous one, which costs about as
                // much as 16 x 16 pixel patches.
                (Network::Convolutions(Box::new(network)), config.dimension(), (image_size / 16).pow(2))
            }
        };
        let share = TOKENS_AT_ONCE.pow(2) * AT_ONCE / n_tokens.max(1).pow(2);
        Ok(Self {
            name,
            compute_device: *device,
            network,
            image_size,
            dimension,
            at_once: share.clamp(1, AT_ONCE),
        })
    }

    /// Side of the square input, in pixels.
    pub fn image_size(&self) -> usize {
        self.image_size
    }

    /// Length d of an embedding.
    pub fn dimension(&self) -> usize {
        self.dimension
    }

    /// The device that it runs on.
    pub fn device(&self) -> ComputeDevice {
        self.compute_device
    }

    /// Embeds images `[n, 3, image_size, image_size]`, normalised as the model requires, into `[n, d]`; each row
    /// has length 1.
    ///
    /// # Errors
    /// [`Error::WrongTensorShape`] for images of another size, [`Error::Compute`] and [`Error::NotFinite`] if
    /// computing fails.
    pub fn embed_images(&self, images: &ImageBatch) -> Result<Array2<f32>> {
        let size = self.image_size;
        let (n_images, channels, height, width) = images.view().dim();
        if (channels, height, width) != (3, size, size) {
            return Err(Error::WrongTensorShape {
                expected: vec![n_images, 3, size, size],
                found: images.view().shape().to_vec(),
            });
        }
        let image_len = 3 * size * size;
        let mut values = Vec::with_capacity(n_images * self.dimension);
        for pixels in images.as_slice().chunks(self.at_once * image_len) {
            let rows = self
                .embed(pixels, pixels.len() / image_len)
                .and_then(|rows| rows.flatten_all()?.to_vec1::<f32>());
            values.extend(rows.map_err(|source| Error::Compute {
                model: self.name.clone(),
                device: self.compute_device,
                source: Box::new(source),
            })?);
        }
        let found = vec![values.len()];
        let rows = Array2::from_shape_vec((n_images, self.dimension), values)
            .map_err(|_| Error::WrongTensorShape { expected: vec![n_images, self.dimension], found })?;
        let rows = unit_rows(rows);
        // A row of zeros has no direction; dividing by its length gives NaN.
        if rows.iter().all(|value| value.is_finite()) {
            return Ok(rows);
        }
        Err(Error::NotFinite { model: self.name.clone(), output: "image embedding".to_owned() })
    }

    fn embed(&self, pixels: &[f32], n_images: usize) -> CandleResult<Tensor> {
        match &self.network {
            Network::Transformer(network) => network.embed(pixels, n_images),
            Network::Convolutions(network) => network.embed(pixels, n_images, self.image_size),
        }
    }
}
