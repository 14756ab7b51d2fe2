//! CLIP and SigLIP: two towers that embed images and texts into one space.
//!
//! `DualEncoder` runs a folder as Hugging Face publishes it, in f32, with candle. The reference is the Python
//! library `transformers`; golden files made with it tie the two together. The towers are implemented here on
//! candle's tensors, because candle's own models hard-code what a configuration may set: the activation, the
//! epsilon of the layer norm, the pooling of a text. They also initialise weights that a file lacks.
//!
//! On a CPU, candle spreads each matrix product over the threads of `rayon`, one per core unless
//! `RAYON_NUM_THREADS` is set.
//!
//! Without the cargo feature `candle` there is only [`TowerFacts`]: the configuration and the tokenizer, which ONNX
//! Runtime's towers need too.
//!
//! Not here: preprocessing. The caller resizes and normalises as the model's `preprocessor_config.json` says.

#[cfg_attr(
    not(feature = "candle"),
    expect(dead_code, reason = "only candle's engine uses the layers of the towers")
)]
mod config;
#[cfg(feature = "candle")]
mod encoder;
#[cfg(feature = "candle")]
mod text;
mod tokenizer;
#[cfg(feature = "candle")]
mod vision;

use std::path::{Path, PathBuf};

#[cfg(feature = "candle")]
pub use self::encoder::DualEncoder;
use self::{config::Config, tokenizer::TextTokenizer};
use crate::Result;

/// The architecture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// CLIP: probabilities over texts by softmax. Radford et al. 2021, <https://arxiv.org/abs/2103.00020>.
    Clip,
    /// SigLIP: a probability for each pair by sigmoid. Zhai et al. 2023, <https://arxiv.org/abs/2303.15343>.
    Siglip,
}

/// The configuration and the tokenizer of a folder, for towers that another engine runs.
#[derive(Debug)]
pub(crate) struct TowerFacts {
    config: Config,
    folder: PathBuf,
    tokenizer: Option<TextTokenizer>,
}

impl TowerFacts {
    /// Reads `config.json`.
    pub(crate) fn read(folder: &Path) -> Result<Self> {
        Ok(Self { config: Config::read(folder)?, folder: folder.to_owned(), tokenizer: None })
    }

    /// Side of the square input, in pixels.
    pub(crate) fn image_size(&self) -> usize {
        self.config.vision.image_size
    }

    /// Length d of an embedding.
    pub(crate) fn dimension(&self) -> usize {
        self.config.dimension
    }

    /// The token ids of a text, with its start and end tokens and, for SigLIP, padding.
    pub(crate) fn token_ids(&mut self, text: &str) -> Result<Vec<u32>> {
        // Read at the first text: a model that never embeds one needs no tokenizer.
        let tokenizer = match self.tokenizer.take() {
            Some(tokenizer) => tokenizer,
            None => TextTokenizer::load(&self.folder, self.config.family, &self.config.text)?,
        };
        self.tokenizer.insert(tokenizer).encode(text)
    }
}
