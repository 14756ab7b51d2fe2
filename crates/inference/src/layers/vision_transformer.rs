//! A vision transformer (Dosovitskiy et al. 2020, <https://arxiv.org/abs/2010.11929>): embeds an image from its
//! patches, with the variants of each family as options.

use candle_core::{Device, Result as CandleResult, Tensor};
use candle_nn::{LayerNorm, Module};

use super::{AttentionPooling, Dense, Encoder};

/// Pixels in, embeddings out.
#[derive(Debug)]
pub(crate) struct VisionTransformer {
    pub(crate) patches: PatchEmbedding,
    /// CLIP only.
    pub(crate) norm_before: Option<LayerNorm>,
    pub(crate) encoder: Encoder,
    pub(crate) norm_after: LayerNorm,
    pub(crate) head: Head,
}

/// How the tokens become one vector.
#[derive(Debug)]
pub(crate) enum Head {
    /// The class token itself: DINO.
    ClassToken,
    /// A projection of the class token: CLIP.
    Projection(Dense),
    /// Attention pooling with a learned query: SigLIP.
    Pooling(Box<AttentionPooling>),
}

impl VisionTransformer {
    /// Embeds n images of row-major `[n, 3, image_size, image_size]` into `[n, d]`, not normalised.
    pub(crate) fn embed(&self, pixels: &[f32], n_images: usize) -> CandleResult<Tensor> {
        let tokens = self.patches.forward(pixels, n_images)?;
        let tokens = match &self.norm_before {
            Some(norm) => norm.forward(&tokens)?,
            None => tokens,
        };
        let tokens = self.encoder.forward(tokens, None)?; // [n, tokens, width]
        if let Head::Pooling(pooling) = &self.head {
            return pooling.forward(&self.norm_after.forward(&tokens)?);
        }
        let class_token = tokens.narrow(1, 0, 1)?.squeeze(1)?.contiguous()?;
        let class_token = self.norm_after.forward(&class_token)?;
        match &self.head {
            Head::Projection(projection) => projection.forward(&class_token),
            Head::ClassToken | Head::Pooling(_) => Ok(class_token),
        }
    }
}

/// Cuts an image into patches and embeds each with its position.
#[derive(Debug)]
pub(crate) struct PatchEmbedding {
    /// Input: the 3 x patch x patch values of a patch, colour by colour.
    pub(crate) projection: Dense,
    pub(crate) device: Device,
    pub(crate) class_token: Option<Tensor>, // [width]
    /// Register tokens `[registers, width]` after the class token, whose outputs are not used (Darcet et al. 2023,
    /// <https://arxiv.org/abs/2309.16588>).
    pub(crate) registers: Option<Tensor>,
    /// Added to class token and patches, `[tokens, width]`; absent if the encoder rotates queries and keys.
    pub(crate) positions: Option<Tensor>,
    /// Side of the square picture, in pixels.
    pub(crate) image_size: usize,
    /// Side of a square patch, in pixels.
    pub(crate) patch_size: usize,
}

impl PatchEmbedding {
    /// `[n, 3, image_size, image_size]` to `[n, patches, 3 patch^2]`; pixels beyond the last whole patch are
    /// ignored.
    fn cut(&self, pixels: &[f32], n_images: usize) -> CandleResult<Tensor> {
        let (side, patch) = (self.image_size, self.patch_size);
        let grid = side / patch;
        let mut values = Vec::with_capacity(n_images * 3 * (grid * patch).pow(2));
        for image in pixels.chunks_exact(3 * side * side) {
            for (row, column) in (0..grid).flat_map(|row| (0..grid).map(move |column| (row, column))) {
                for colour in image.chunks_exact(side * side) {
                    for line in colour.chunks_exact(side).skip(row * patch).take(patch) {
                        values.extend_from_slice(&line[column * patch..][..patch]);
                    }
                }
            }
        }
        Tensor::from_vec(values, (n_images, grid * grid, 3 * patch * patch), &self.device)
    }

    /// `[n, 3, image_size, image_size]` to `[n, tokens, width]`.
    fn forward(&self, pixels: &[f32], n_images: usize) -> CandleResult<Tensor> {
        let patches = self.projection.forward(&self.cut(pixels, n_images)?)?;
        let tokens = match &self.class_token {
            Some(class_token) => {
                let class_tokens = class_token.reshape((1, 1, ()))?.repeat((n_images, 1, 1))?;
                Tensor::cat(&[class_tokens, patches], 1)?
            }
            None => patches,
        };
        let tokens = match &self.positions {
            Some(positions) => tokens.broadcast_add(positions)?,
            None => tokens,
        };
        let Some(registers) = &self.registers else { return Ok(tokens) };
        let n_before = usize::from(self.class_token.is_some());
        let (before, after) =
            (tokens.narrow(1, 0, n_before)?, tokens.narrow(1, n_before, tokens.dim(1)? - n_before)?);
        Tensor::cat(&[before, registers.unsqueeze(0)?.repeat((n_images, 1, 1))?, after], 1)
    }
}
