//! `ConvNeXt` (Liu et al. 2022, <https://arxiv.org/abs/2201.03545>) and its second version (Woo et al. 2023,
//! <https://arxiv.org/abs/2301.00808>).

use candle_core::{D, Result as CandleResult, Tensor};
use candle_nn::{LayerNorm, Module};

use super::{
    config::ConvNextConfig,
    window::{Window, channels_first, channels_last},
};
use crate::{
    Result,
    layers::{Dense, Scope, Weights},
};

/// Side of the largest image, in pixels.
pub(super) const LARGEST_IMAGE: usize = 1024;

/// Epsilon of all norms but the last, and of the response norm; no configuration changes it.
const EPS: f64 = 1e-6;

/// Pixels in, embeddings out. Tensors between the blocks are `[n, rows, columns, channels]`.
#[derive(Debug)]
pub(super) struct ConvNext {
    stem: Reduction,
    stem_norm: LayerNorm,
    stages: Vec<Stage>,
    norm: LayerNorm,
}

/// A convolution that reduces `side` x `side` positions to one.
#[derive(Debug)]
struct Reduction {
    kernel: Tensor, // [out, in, side, side]
    bias: Tensor,   // [out]
    side: usize,
}

#[derive(Debug)]
struct Stage {
    /// Before all stages except the first.
    reduction: Option<(LayerNorm, Reduction)>,
    blocks: Vec<Block>,
}

#[derive(Debug)]
struct Block {
    window: Window,
    norm: LayerNorm,
    /// With the activation.
    widen: Dense,
    response_norm: Option<ResponseNorm>,
    narrow: Dense,
    scale: Option<Tensor>, // [channels]
}

/// Global response normalisation: scales each channel by its norm, relative to the mean norm of all channels.
#[derive(Debug)]
struct ResponseNorm {
    weight: Tensor, // [1, 1, 1, channels]
    bias: Tensor,   // [1, 1, 1, channels]
}

impl ConvNext {
    /// Reads the tensors, with the names of `transformers`.
    pub(super) fn load(weights: &Weights, config: &ConvNextConfig) -> Result<Self> {
        let scope = weights.below(&["convnextv2", "convnext"]);
        let embeddings = scope.at("embeddings");
        let mut before = config.stages.first().map_or(0, |(channels, _)| *channels);
        let stem = Reduction::load(&embeddings.at("patch_embeddings"), 3, before, config.patch_size)?;
        let stem_norm = embeddings.layer_norm("layernorm", before, EPS)?;
        let mut stages = Vec::with_capacity(config.stages.len());
        for (index, &(channels, depth)) in config.stages.iter().enumerate() {
            let stage = scope.at(&format!("encoder.stages.{index}"));
            let reduction = if index > 0 {
                let norm = stage.layer_norm("downsampling_layer.0", before, EPS)?;
                Some((norm, Reduction::load(&stage.at("downsampling_layer.1"), before, channels, 2)?))
            } else {
                None
            };
            let blocks =
                (0..depth).map(|block| Block::load(&stage.at(&format!("layers.{block}")), channels, config));
            stages.push(Stage { reduction, blocks: blocks.collect::<Result<_>>()? });
            before = channels;
        }
        let norm = scope.layer_norm("layernorm", before, config.layer_norm_eps)?;
        Ok(Self { stem, stem_norm, stages, norm })
    }

    /// Embeds n images of row-major `[n, 3, image_size, image_size]` into `[n, d]`, not normalised.
    pub(super) fn embed(&self, pixels: &[f32], n_images: usize, image_size: usize) -> CandleResult<Tensor> {
        let shape = (n_images, 3, image_size, image_size);
        let images = Tensor::from_slice(pixels, shape, self.stem.kernel.device())?;
        let mut features = self.stem_norm.forward(&self.stem.forward(&images)?)?;
        for stage in &self.stages {
            if let Some((norm, reduction)) = &stage.reduction {
                features = reduction.forward(&channels_first(&norm.forward(&features)?)?)?;
            }
            for block in &stage.blocks {
                features = block.forward(&features)?;
            }
        }
        self.norm.forward(&features.mean((1, 2))?)
    }
}

impl Reduction {
    fn load(scope: &Scope<'_>, n_in: usize, n_out: usize, side: usize) -> Result<Self> {
        let kernel = scope.tensor("weight", &[n_out, n_in, side, side])?;
        Ok(Self { kernel, bias: scope.tensor("bias", &[n_out])?, side })
    }

    /// `[n, in, rows, columns]` to `[n, rows / side, columns / side, out]`.
    fn forward(&self, features: &Tensor) -> CandleResult<Tensor> {
        let reduced = features.conv2d(&self.kernel, 0, self.side, 1, 1)?;
        channels_last(&reduced)?.broadcast_add(&self.bias)
    }
}

impl Block {
    fn load(scope: &Scope<'_>, channels: usize, config: &ConvNextConfig) -> Result<Self> {
        let inner = 4 * channels;
        let response_norm = || -> Result<ResponseNorm> {
            let norm = scope.at("grn");
            let shape = [1, 1, 1, inner];
            Ok(ResponseNorm { weight: norm.tensor("weight", &shape)?, bias: norm.tensor("bias", &shape)? })
        };
        Ok(Self {
            window: Window::load(&scope.at("dwconv"), channels)?,
            norm: scope.layer_norm("layernorm", channels, EPS)?,
            widen: scope.linear("pwconv1", channels, inner)?.then(config.activation),
            response_norm: config.has_response_norm.then(response_norm).transpose()?,
            narrow: scope.linear("pwconv2", inner, channels)?,
            scale: config
                .has_scale
                .then(|| scope.tensor("layer_scale_parameter", &[channels]))
                .transpose()?,
        })
    }

    /// `[n, rows, columns, channels]` to the same shape.
    fn forward(&self, features: &Tensor) -> CandleResult<Tensor> {
        let seen = self.window.forward(features)?;
        let wide = self.widen.forward(&self.norm.forward(&seen)?)?;
        let wide = match &self.response_norm {
            Some(norm) => norm.forward(&wide)?,
            None => wide,
        };
        let added = self.narrow.forward(&wide)?;
        let added = match &self.scale {
            Some(scale) => added.broadcast_mul(scale)?,
            None => added,
        };
        features + added
    }
}

impl ResponseNorm {
    /// `[n, rows, columns, channels]` to the same shape.
    fn forward(&self, features: &Tensor) -> CandleResult<Tensor> {
        let lengths = features.sqr()?.sum_keepdim((1, 2))?.sqrt()?; // [n, 1, 1, channels]
        let shares = lengths.broadcast_div(&(lengths.mean_keepdim(D::Minus1)? + EPS)?)?;
        let normed =
            features.broadcast_mul(&shares)?.broadcast_mul(&self.weight)?.broadcast_add(&self.bias)?;
        normed + features
    }
}
