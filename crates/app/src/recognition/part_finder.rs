//! Where parts are on a photograph that shows several.

use std::path::PathBuf;
use std::sync::OnceLock;

use partsight_domain::{MAX_PROPOSED_REGIONS, RegionBox};
use partsight_inference::{OnnxRuntime, PartDetector, Photo};

use crate::{Error, Result, Settings};

/// The part detector, which is opened when parts are looked for the first time: most servers are asked for one part a
/// photograph, and it takes memory of its own.
pub(crate) struct PartFinder {
    onnxruntime: Option<PathBuf>,
    detector: OnceLock<PartDetector>,
}

impl PartFinder {
    /// One that is not open yet.
    pub(crate) fn new(settings: &Settings) -> Self {
        Self { onnxruntime: settings.model.onnxruntime.clone(), detector: OnceLock::new() }
    }

    /// The boxes of parts, the surest first; one too small to be marked is none.
    ///
    /// # Errors
    /// [`Error::Model`] where the detector cannot be opened or fails.
    pub(crate) fn find(&self, photo: &Photo) -> Result<Vec<RegionBox>> {
        let found = self.detector()?.find(photo, MAX_PROPOSED_REGIONS);
        let found = found.map_err(|source| Error::Model { source })?;
        Ok(found.into_iter().filter_map(|part| RegionBox::new(part.area, 1).ok()).collect())
    }

    fn detector(&self) -> Result<&PartDetector> {
        if let Some(detector) = self.detector.get() {
            return Ok(detector);
        }
        let opened = OnnxRuntime::load(self.onnxruntime.as_deref())
            .map_err(partsight_inference::Error::from)
            .and_then(|runtime| PartDetector::embedded(&runtime))
            .map_err(|source| Error::Model { source })?;
        // Of two that are opened at once, one is dropped.
        Ok(self.detector.get_or_init(|| opened))
    }
}
