//! The pixels of a photograph that the model sees.

use partsight_inference::{Photo, Preprocessor, RgbImage};

/// A photograph and the model's input for it.
pub(crate) struct Pixels<'p> {
    pub(crate) photo: &'p Photo,
    /// The model's input before normalisation.
    pub(super) image: &'p RgbImage,
    pub(super) preprocessor: &'p Preprocessor,
}

impl Pixels<'_> {
    /// The whole photograph with at most `side` pixels on its longer side.
    pub(crate) fn fitted(&self, side: u32) -> RgbImage {
        self.preprocessor.fitted(self.photo, self.image, side)
    }
}
