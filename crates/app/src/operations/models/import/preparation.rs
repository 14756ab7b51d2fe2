//! Preprocessing: that of the folder, and options that override it.

use partsight_inference::{ImageProcessing, TowerFiles};

use super::ImportError;

/// Preprocessing options; each one that is set overrides the folder's.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Preparation {
    /// Side of the square input, in pixels.
    pub size: Option<u32>,
    /// Mean of each channel, of values in 0..=1.
    pub mean: Option<[f32; 3]>,
    /// Standard deviation of each channel, of values in 0..=1; greater than 0.
    pub std: Option<[f32; 3]>,
}

impl Preparation {
    /// Combines both; a folder without preprocessing needs all three options.
    pub(super) fn of(self, files: &TowerFiles) -> Result<ImageProcessing, ImportError> {
        if ImageProcessing::is_in(&files.folder) {
            let read = ImageProcessing::read(&files.folder)?;
            let sized = match self.size {
                Some(size) => read.with_size(size),
                None => read,
            };
            let (mean, std) = (self.mean.unwrap_or(sized.mean), self.std.unwrap_or(sized.std));
            return Ok(ImageProcessing { mean, std, ..sized });
        }
        if let (Some(size), Some(mean), Some(std)) = (self.size, self.mean, self.std) {
            return Ok(ImageProcessing::cropping(size, mean, std));
        }
        let given =
            [("--size", self.size.is_some()), ("--mean", self.mean.is_some()), ("--std", self.std.is_some())];
        let missing = given.into_iter().filter(|(_, is_given)| !is_given);
        Err(ImportError::NoPreparation {
            folder: files.folder.clone(),
            missing: missing.map(|(option, _)| option.to_owned()).collect(),
        })
    }
}
