//! Several parts in one photograph: where they are, and what the model gives for each.
//!
//! The photograph is decoded once, in one turn; each look is a part of its pixels at the model's input size, and goes through
//! the same queue and calibration as a photograph. At most 47 looks find the regions, and each of the dozen is looked at once
//! more and, where it is unsure, in every view of a second look. They are taken one after the other, so that nobody else waits
//! for more than one of them.

use std::sync::Arc;
use std::time::{Duration, Instant};

use partsight_domain::{
    CalibratedScores, LookedAt, MAX_PROPOSED_REGIONS, NearReferences, RawScores, RegionBox, RegionLook,
    RegionRule, region_looks,
};
use partsight_inference::{
    Detail, Fingerprint, Photo, PhotoHeader, Prediction, Preprocessor, Tensor, foreground_boxes,
};
use tokio::sync::oneshot;

use super::preparer::{Notes, blame_for_loss};
use super::{Identification, Identifier, Predicted, calibration_of, most_images};
use crate::limits::turns::Turn;
use crate::recognition::photo_budget::Asker;
use crate::recognition::quarantine::PhotoHash;
use crate::{Error, Result};

/// Pixels a side from which on a third of a side is no smaller than the model's input.
const DETAIL: Detail = Detail::covering(800, 800);

/// A photograph whose parts are looked at.
#[derive(Debug)]
pub(crate) struct RegionsSeen {
    /// What the whole photograph looks like.
    pub(crate) fingerprint: Fingerprint,
    /// Each region with what the model gives for it, in reading order or as they were asked for.
    pub(crate) regions: Vec<(RegionBox, Predicted)>,
}

/// Regions that are asked for, or none to have them proposed.
pub(crate) type Wanted = Option<Vec<RegionBox>>;

/// A decoded photograph.
struct Opened {
    photo: Arc<Photo>,
    fingerprint: Fingerprint,
    start: Instant,
    decode: Duration,
}

impl Opened {
    fn new(photo: Photo, preprocessor: &Preprocessor, start: Instant) -> Self {
        let fingerprint = Fingerprint::of(&preprocessor.resize_rgb(&photo));
        Self { photo: Arc::new(photo), fingerprint, start, decode: start.elapsed() }
    }

    /// As the model's output for a photograph of its own.
    fn predicted(&self, prediction: Prediction) -> Predicted {
        let notes = Notes { fingerprint: self.fingerprint, decode: self.decode, preprocess: Duration::ZERO };
        Predicted { prediction, notes, start: self.start, waited: Duration::ZERO, has_second_look: false }
    }

    fn foreground(&self) -> Vec<RegionBox> {
        let boxes = foreground_boxes(&self.photo, MAX_PROPOSED_REGIONS).into_iter();
        // One too small to be marked is none.
        boxes.filter_map(|shares| RegionBox::new(shares, 1).ok()).collect()
    }
}

/// The model's inputs for parts of a photograph.
fn tensors(preprocessor: &Preprocessor, photo: &Photo, areas: &[RegionBox]) -> Vec<Tensor> {
    areas.iter().map(|area| preprocessor.tensor(&photo.part(area.shares()))).collect()
}

impl Identifier {
    /// Looks at the regions `wanted` of a photograph, or at those that are found on it, in the turn of one photograph. Unlike a
    /// scan's, the pixels that are charged for it are not given back: nothing else counts how often it is asked for.
    ///
    /// `is_the_one` is told what the photograph looks like before anything is looked at, and may refuse.
    ///
    /// # Errors
    /// Those of [`Identifier::identify`], [`Error::PhotoWorkUsedUp`], and those of `is_the_one`.
    pub(crate) async fn predict_regions(
        &self,
        asker: &Asker,
        bytes: impl AsRef<[u8]> + Send + 'static,
        wanted: Wanted,
        is_the_one: impl FnOnce(&Fingerprint) -> Result<()>,
    ) -> Result<RegionsSeen> {
        let _place = self.places.take(asker.person)?;
        let start = Instant::now();
        let turn = self.turns.turn_within(asker.person, self.answer_within).await?;
        let is_somebody_else_here = self.places.has_others_than(&asker.person);
        let hash = PhotoHash::of(bytes.as_ref());
        let (preparer, quarantine, its_asker) =
            (Arc::clone(&self.preparer), self.quarantine.clone(), asker.clone());
        let open = move || {
            let opened = quarantine.admit(&hash, start).and_then(|()| {
                let decoder = &preparer.decoder;
                let pixels = PhotoHeader::read(bytes.as_ref(), decoder.limits())?.pixels();
                its_asker.charge(pixels, is_somebody_else_here)?;
                let photo = decoder.decode_at_least(bytes.as_ref(), DETAIL)?;
                Ok(Opened::new(photo, &preparer.preprocessor, start))
            });
            blame_for_loss(opened, hash, &quarantine)
        };
        let (opened, turn) = self.in_turn(turn, open).await?;
        let opened = opened?;
        is_the_one(&opened.fingerprint)?;
        let (areas, mut turn) = match wanted {
            Some(areas) => (areas, turn),
            None => self.proposed(&opened, hash, turn).await?,
        };
        let mut regions = Vec::with_capacity(areas.len());
        for area in areas {
            let (mut first, next) = self.look_at(&opened, vec![area], hash, turn).await?;
            turn = next;
            let Some(first) = first.pop() else { continue };
            let mut predicted = opened.predicted(first);
            if let Some(second_look) =
                self.manifest().second_look.clone().filter(|_| self.is_unsure(&predicted))
            {
                let (preparer, photo, look) =
                    (Arc::clone(&self.preparer), Arc::clone(&opened.photo), second_look.clone());
                let views = move || look.tensors(&preparer.preprocessor, &photo.part(area.shares()));
                let (views, next) = self.in_turn(turn, views).await?;
                turn = next;
                let views = self.batcher.submit_all_watched(views, || self.on_loss(hash)).await?;
                predicted.prediction = second_look.pool_predictions(&predicted.prediction, &views)?;
                predicted.has_second_look = true;
            }
            regions.push((area, predicted));
        }
        drop(turn);
        Ok(RegionsSeen { fingerprint: opened.fingerprint, regions })
    }

    /// The regions that a photograph shows.
    async fn proposed(&self, opened: &Opened, hash: PhotoHash, turn: Turn) -> Result<(Vec<RegionBox>, Turn)> {
        let photo = Opened { photo: Arc::clone(&opened.photo), ..*opened };
        let (foreground, turn) = self.in_turn(turn, move || photo.foreground()).await?;
        let plan = region_looks(&foreground);
        let areas: Vec<RegionBox> = plan.iter().map(|(area, _)| *area).collect();
        let (predictions, turn) = self.look_at(opened, areas, hash, turn).await?;
        Ok((self.chosen(&plan, &predictions), turn))
    }

    /// Runs the model once on each of these parts of a photograph, with no more images in the queue at a time than a
    /// photograph may have there.
    async fn look_at(
        &self,
        opened: &Opened,
        areas: Vec<RegionBox>,
        hash: PhotoHash,
        mut turn: Turn,
    ) -> Result<(Vec<Prediction>, Turn)> {
        let mut predictions = Vec::with_capacity(areas.len());
        for chunk in areas.chunks(most_images(self.manifest())) {
            let (preparer, photo, chunk) =
                (Arc::clone(&self.preparer), Arc::clone(&opened.photo), chunk.to_vec());
            let inputs = move || tensors(&preparer.preprocessor, &photo, &chunk);
            let (inputs, next) = self.in_turn(turn, inputs).await?;
            turn = next;
            predictions.extend(self.batcher.submit_all_watched(inputs, || self.on_loss(hash)).await?);
        }
        Ok((predictions, turn))
    }

    /// Which of the looks are regions.
    fn chosen(&self, plan: &[(RegionBox, LookedAt)], predictions: &[Prediction]) -> Vec<RegionBox> {
        let calibration = calibration_of(&self.manifest().calibration);
        let looks: Vec<RegionLook> = plan
            .iter()
            .zip(predictions)
            .map(|(&(area, looked_at), prediction)| {
                let raw = RawScores { logits: &prediction.logits, known: prediction.known };
                let scores = CalibratedScores::new(&calibration, raw);
                RegionLook {
                    area,
                    looked_at,
                    class: scores.best().unwrap_or_default(),
                    confidence: scores.confidence(),
                    known_score: scores.known_score,
                }
            })
            .collect();
        RegionRule::default().choose(&looks).into_iter().map(|at| looks[at].area).collect()
    }

    /// Does something on the decoding threads. The turn goes along: a cancelled request must not let the next photograph in
    /// while its own is still worked on.
    async fn in_turn<T: Send + 'static>(
        &self,
        turn: Turn,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<(T, Turn)> {
        let (sender, receiver) = oneshot::channel();
        self.decoders.spawn(move || {
            if !sender.is_closed() {
                let _ = sender.send((work(), turn));
            }
        });
        receiver.await.map_err(Error::internal)
    }

    /// The parts of a photograph on the calling thread, each with the `top` most probable types, for bulk work.
    ///
    /// # Errors
    /// Those of [`Identifier::identify_blocking`].
    pub(crate) fn identify_regions_blocking(
        &self,
        bytes: &[u8],
        top: usize,
    ) -> Result<Vec<(RegionBox, Identification)>> {
        let start = Instant::now();
        let preprocessor = &self.preparer.preprocessor;
        let photo = self.preparer.decoder.decode_at_least(bytes, DETAIL)?;
        let opened = Opened::new(photo, preprocessor, start);
        let plan = region_looks(&opened.foreground());
        let mut predictions = Vec::with_capacity(plan.len());
        let areas: Vec<RegionBox> = plan.iter().map(|(area, _)| *area).collect();
        for chunk in areas.chunks(most_images(self.manifest())) {
            predictions.extend(self.batcher.submit_all_blocking(tensors(
                preprocessor,
                &opened.photo,
                chunk,
            ))?);
        }
        let regions = self.chosen(&plan, &predictions).into_iter().map(|area| {
            let part = opened.photo.part(area.shares());
            let first = opened.predicted(self.batcher.submit_blocking(preprocessor.tensor(&part))?);
            let predicted = self.look_again_blocking(first, Some(part))?;
            Ok((area, self.answer(&predicted, top, &NearReferences::default())?))
        });
        regions.collect()
    }
}
