//! Occlusion maps: which part of a photograph an answer depends on.

use partsight_domain::{CalibratedScores, RawScores};
use partsight_inference::{OCCLUSION_GRID, Occlusions, Photo, Prediction};

use super::{Identifier, calibration_of};
use crate::{Error, Result};

/// The drop of an answer's probability when a patch of its photograph is painted over in the mean colour.
#[derive(Debug, Clone, PartialEq)]
pub struct OcclusionMap {
    /// The decrease of the natural logarithm of the answer's calibrated probability with each patch, f32
    /// `[`[`OCCLUSION_GRID`]`, `[`OCCLUSION_GRID`]`]`, row-major from the upper left; negative for an increase.
    pub drops: Vec<f32>,
    /// The area that the patches cover: left, top, width and height, as fractions of the photograph's sides.
    pub seen: [f64; 4],
    /// Width of the upright photograph in pixels.
    pub width: u32,
    /// Height of the upright photograph in pixels.
    pub height: u32,
}

impl OcclusionMap {
    /// Row, column and drop of the patch with the largest drop; `None` without patches.
    pub fn peak(&self) -> Option<(usize, usize, f32)> {
        let (index, drop) = self.drops.iter().enumerate().max_by(|one, other| one.1.total_cmp(other.1))?;
        Some((index / OCCLUSION_GRID, index % OCCLUSION_GRID, *drop))
    }
}

impl Identifier {
    /// The map of a photograph for the answer `class`, an index into [`Identifier::labels`], on the calling thread.
    ///
    /// It is computed for the first look: a second look is pooled with it and sees the same pixels.
    pub(crate) fn occlusion_map_blocking(&self, photo: &Photo, class: usize) -> Result<OcclusionMap> {
        let calibration = calibration_of(&self.manifest().calibration);
        let log_probability = |prediction: &Prediction| {
            let raw = RawScores { logits: &prediction.logits, known: prediction.known };
            let probabilities = CalibratedScores::new(&calibration, raw).probabilities;
            let probability =
                probabilities.get(class).ok_or_else(|| Error::internal("there is no such class"))?;
            // A probability that was rounded to 0 has no finite logarithm.
            Ok::<_, Error>(probability.max(f32::MIN_POSITIVE).ln())
        };
        let occlusions = Occlusions::new(&self.preparer.preprocessor, photo);
        let whole = log_probability(&self.batcher.submit_blocking(occlusions.whole().clone())?)?;
        let mut drops = Vec::with_capacity(OCCLUSION_GRID * OCCLUSION_GRID);
        // A row at a time: all patches at once would be fifty inputs in memory.
        for row in 0..OCCLUSION_GRID {
            for prediction in self.batcher.submit_all_blocking(occlusions.row(row))? {
                drops.push(whole - log_probability(&prediction)?);
            }
        }
        Ok(OcclusionMap { drops, seen: occlusions.seen(), width: photo.width(), height: photo.height() })
    }
}

#[cfg(test)]
mod tests {
    use image::codecs::jpeg::JpegEncoder;
    use image::{ExtendedColorType, RgbImage};
    use ndarray::s;

    use super::super::stand_in;
    use super::*;
    use crate::Settings;

    /// A photograph with equal contrast everywhere.
    fn photo() -> Vec<u8> {
        let picture = RgbImage::from_fn(96, 64, |x, y| {
            image::Rgb([if (x / 4 + y / 4) % 2 == 0 { 40 } else { 220 }; 3])
        });
        let mut jpeg = Vec::new();
        let mut encoder = JpegEncoder::new(&mut jpeg);
        encoder.encode(picture.as_raw(), 96, 64, ExtendedColorType::Rgb8).unwrap();
        jpeg
    }

    /// The map of an engine whose first class depends only on the contrast in one place: by row and column of sixteen
    /// places, four a side; `None` for an engine that depends on no place.
    fn map(place: Option<(usize, usize)>) -> OcclusionMap {
        let manifest = stand_in::manifest();
        let [_, height, width] = manifest.tensor_shape().map(|side| side / 4);
        let room_for_one = |settings: &mut Settings| settings.model.queue_capacity = 1;
        let identifier = stand_in::identifier(manifest, room_for_one, move |manifest, images| {
            let logit = place.map_or(1.0, |(row, column)| {
                let (top, left) = (row * height, column * width);
                let images = images.view();
                let place = images.slice(s![0, .., top..top + height, left..left + width]);
                4.0 * place.std(0.0)
            });
            Ok(stand_in::output(manifest, logit, 0.0, 0))
        });
        let photo = identifier.decoder().decode(&photo()).unwrap();
        identifier.occlusion_map_blocking(&photo, 0).unwrap()
    }

    #[test]
    fn the_peak_lies_where_the_evidence_is() {
        for (case, place, rows, columns) in [
            ("upper left", (0, 0), 0..=1, 0..=1),
            ("upper right", (0, 3), 0..=1, 5..=6),
            ("lower left", (3, 0), 5..=6, 0..=1),
            ("lower right", (3, 3), 5..=6, 5..=6),
        ] {
            let map = map(Some(place));
            assert_eq!(map.drops.len(), OCCLUSION_GRID * OCCLUSION_GRID);
            let (row, column, drop) = map.peak().unwrap();
            assert!(rows.contains(&row) && columns.contains(&column), "{case}: {row}, {column}");
            assert!(drop > 0.01, "{case}: {drop}");
            let opposite = map.drops[(6 - row) * OCCLUSION_GRID + 6 - column];
            assert!(opposite.abs() < 1e-5, "{case}: {opposite} far from the evidence");
        }
    }

    #[test]
    fn an_answer_that_rests_on_nothing_has_no_drops() {
        let map = map(None);
        assert!(map.drops.iter().all(|drop| drop.abs() < 1e-6), "{:?}", map.drops);
        assert_eq!((map.seen, map.width, map.height), ([0.0, 0.0, 1.0, 1.0], 96, 64));
    }
}
