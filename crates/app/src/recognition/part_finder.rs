//! The part detector: where parts are on a photograph that shows several.

use std::path::PathBuf;
use std::sync::OnceLock;

use partsight_domain::{MAX_PROPOSED_REGIONS, RegionBox};
use partsight_inference::{OnnxRuntime, PartDetector, Photo};

use crate::{Error, Result, Settings};

/// The part detector, loaded at its first use: most servers never need it, and it takes extra memory.
pub(crate) struct PartFinder {
    onnxruntime: Option<PathBuf>,
    detector: OnceLock<PartDetector>,
}

impl PartFinder {
    /// A detector that is not loaded yet.
    pub(crate) fn new(settings: &Settings) -> Self {
        Self { onnxruntime: settings.model.onnxruntime.clone(), detector: OnceLock::new() }
    }

    /// The boxes of parts, the most confident first, without those that are too small to be marked.
    ///
    /// # Errors
    /// [`Error::Model`] if the detector cannot be opened or fails.
    pub(crate) fn find(&self, photo: &Photo) -> Result<Vec<RegionBox>> {
        let found = self.detector()?.find(photo, MAX_PROPOSED_REGIONS);
        let found = found.map_err(Error::Model)?;
        Ok(found.into_iter().filter_map(|part| RegionBox::new(part.area, 1).ok()).collect())
    }

    fn detector(&self) -> Result<&PartDetector> {
        if let Some(detector) = self.detector.get() {
            return Ok(detector);
        }
        let opened = OnnxRuntime::load(self.onnxruntime.as_deref())
            .map_err(partsight_inference::Error::from)
            .and_then(|runtime| PartDetector::embedded(&runtime))
            .map_err(Error::Model)?;
        // If two threads load it at once, one of the two is dropped.
        Ok(self.detector.get_or_init(|| opened))
    }
}
