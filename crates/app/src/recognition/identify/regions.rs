//! Several parts in one photograph: their regions, and the model's output for each.
//!
//! The photograph is decoded once. The part detector runs once and finds at most a dozen boxes. Each is cropped and
//! resized to the model's input size, and goes through the same queue and calibration as a photograph, with every view
//! of a second look if it is unsure. Each run waits for a turn of its own, so that nobody else waits for more than one
//! of them.

use std::sync::Arc;
use std::time::{Duration, Instant};

use partsight_domain::{CalibratedScores, PartLabel, RawScores, RegionBox, RegionLook, RegionRule};
use partsight_inference::{Detail, Fingerprint, Photo, PhotoHeader, Prediction, Preprocessor, Tensor};
use tokio::sync::oneshot;

use super::admission::SECOND_LOOK_WAIT;
use super::preparer::{Notes, blame_for_loss};
use super::{Identification, Identifier, Predicted, calibration_of, most_images};
use crate::limits::turns::Turn;
use crate::recognition::bulk_options::BulkOptions;
use crate::recognition::photo_budget::Asker;
use crate::recognition::quarantine::PhotoHash;
use crate::{Error, Result};

/// Side in pixels from which a region of a third of a side is no smaller than the model's input.
const DETAIL: Detail = Detail::covering(800, 800);
/// Longer side of the photograph that is held while its parts are processed, in pixels: 8 MB at most, whatever was
/// sent.
const HELD_SIDE: u32 = 1600;
/// The charge for one run of the model, in pixels: decoding this many takes about as long.
const LOOK_PIXELS: u64 = 2_000_000;
/// The charge for the part detector, in runs of the model: it takes four times as long.
const DETECTION_LOOKS: usize = 4;

/// A photograph with its regions.
#[derive(Debug)]
pub(crate) struct RegionsSeen {
    /// Each region with the model's output, in reading order or in the requested order.
    pub(crate) regions: Vec<(RegionBox, Predicted)>,
}

/// Requested regions, or `None` to locate them.
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
        Self { photo: Arc::new(photo.at_most(HELD_SIDE)), fingerprint, start, decode: start.elapsed() }
    }

    /// The model's output, as for a separate photograph.
    fn predicted(&self, prediction: Prediction) -> Predicted {
        let notes = Notes { fingerprint: self.fingerprint, decode: self.decode, preprocess: Duration::ZERO };
        Predicted { prediction, notes, start: self.start, waited: Duration::ZERO, has_second_look: false }
    }
}

/// Runs the model on regions of one photograph for a person, each run in a turn of its own.
struct Looker<'a> {
    identifier: &'a Identifier,
    asker: &'a Asker,
    is_somebody_else_here: bool,
    opened: &'a Opened,
    hash: PhotoHash,
}

impl Looker<'_> {
    /// Locates the regions of the photograph, each with the output of its first look.
    async fn propose(&self) -> Result<Vec<(RegionBox, Prediction)>> {
        self.charge(DETECTION_LOOKS)?;
        let (finder, photo) = (Arc::clone(&self.identifier.part_finder), Arc::clone(&self.opened.photo));
        let turn = self.turn().await?;
        let areas = self.identifier.in_turn(turn, move || finder.find(&photo)).await?.0?;
        self.charge(1 + areas.len())?;
        let whole = self.look(vec![RegionBox::WHOLE]).await?;
        let whole = whole.into_iter().next().ok_or_else(|| Error::internal("a look gave nothing"))?;
        let mut places = Vec::with_capacity(areas.len());
        for chunk in areas.chunks(most_images(self.identifier.manifest())) {
            places.extend(chunk.iter().copied().zip(self.look(chunk.to_vec()).await?));
        }
        Ok(self.identifier.regions_of(whole, places))
    }

    /// The model's output for one region with the output `first`, with a second look if that is unsure.
    async fn answer(&self, area: RegionBox, first: Prediction) -> Result<Predicted> {
        let mut predicted = self.opened.predicted(first);
        let second_look = self.identifier.manifest().second_look.clone();
        if let Some(second_look) = second_look.filter(|_| self.identifier.is_unsure(&predicted)) {
            let look = second_look.clone();
            let views = self.run(move |model, photo| look.tensors(model, &photo.part(area.shares()))).await?;
            predicted.prediction = second_look.pool_predictions(&predicted.prediction, &views)?;
            predicted.has_second_look = true;
        }
        Ok(predicted)
    }

    /// The model's output for each of these areas of the photograph, at most as many as a photograph may have in the
    /// queue.
    async fn look(&self, areas: Vec<RegionBox>) -> Result<Vec<Prediction>> {
        self.run(move |model, photo| tensors(model, photo, &areas)).await
    }

    /// Runs the model on images that are made from the photograph, at most as many as a photograph may have in the
    /// queue.
    async fn run(
        &self,
        make: impl FnOnce(&Preprocessor, &Photo) -> Vec<Tensor> + Send + 'static,
    ) -> Result<Vec<Prediction>> {
        let (preparer, photo) = (Arc::clone(&self.identifier.preparer), Arc::clone(&self.opened.photo));
        let turn = self.turn().await?;
        let tensors = self.identifier.in_turn(turn, move || make(&preparer.preprocessor, &photo));
        let (images, _turn) = tensors.await?;
        let on_loss = || self.identifier.on_loss(self.hash);
        Ok(self.identifier.batcher.submit_all(images, on_loss).await?)
    }

    /// Charges runs before they begin: their work does not depend on the size of the photograph, which may be tiny.
    fn charge(&self, n_looks: usize) -> Result<()> {
        self.asker.charge(n_looks as u64 * LOOK_PIXELS, self.is_somebody_else_here)
    }

    async fn turn(&self) -> Result<Turn> {
        self.identifier.turns.turn(self.asker.person, SECOND_LOOK_WAIT).await
    }
}

/// The model's inputs for parts of a photograph.
fn tensors(preprocessor: &Preprocessor, photo: &Photo, areas: &[RegionBox]) -> Vec<Tensor> {
    areas.iter().map(|area| preprocessor.tensor(&photo.part(area.shares()))).collect()
}

impl Identifier {
    /// Processes the regions `wanted` of a photograph, or locates them, each run of the model in a turn of its own.
    /// Both the photograph and the runs are charged. Unlike those of a scan, these charges are not refunded: nothing
    /// else limits how often regions are requested.
    ///
    /// `is_the_one` gets the fingerprint of the photograph before anything is run, and may refuse.
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
        let is_somebody_else_here = self.has_others_than(asker.person);
        let hash = PhotoHash::of(bytes.as_ref());
        let (preparer, quarantine, its_asker) =
            (Arc::clone(&self.preparer), self.quarantine.clone(), asker.clone());
        let open = move || {
            let opened = quarantine.admit(hash, start).and_then(|()| {
                let decoder = &preparer.decoder;
                let pixels = PhotoHeader::read(bytes.as_ref(), decoder.limits())?.pixels();
                its_asker.charge(pixels, is_somebody_else_here)?;
                let photo = decoder.decode_at_least(bytes.as_ref(), DETAIL)?;
                Ok(Opened::new(photo, &preparer.preprocessor, start))
            });
            blame_for_loss(opened, hash, &quarantine)
        };
        let opened = self.in_turn(turn, open).await?.0?;
        is_the_one(&opened.fingerprint)?;
        let looker = Looker { identifier: self, asker, is_somebody_else_here, opened: &opened, hash };
        let seen = match wanted {
            Some(areas) => {
                looker.charge(areas.len())?;
                let mut seen = Vec::with_capacity(areas.len());
                for area in areas {
                    seen.extend(looker.look(vec![area]).await?.into_iter().map(|look| (area, look)));
                }
                seen
            }
            None => looker.propose().await?,
        };
        // For their second looks.
        looker.charge(seen.len())?;
        let mut regions = Vec::with_capacity(seen.len());
        for (area, first) in seen {
            regions.push((area, looker.answer(area, first).await?));
        }
        Ok(RegionsSeen { regions })
    }

    /// The regions in these `places` of a photograph, in reading order, or the `whole` photograph.
    fn regions_of(
        &self,
        whole: Prediction,
        places: Vec<(RegionBox, Prediction)>,
    ) -> Vec<(RegionBox, Prediction)> {
        let calibration = calibration_of(&self.manifest().calibration);
        let look = |area: RegionBox, prediction: &Prediction| {
            let raw = RawScores { logits: &prediction.logits, known: prediction.known };
            let scores = CalibratedScores::new(&calibration, raw);
            let (confidence, known_score) = (scores.confidence(), scores.known_score);
            RegionLook { area, confidence, known_score, class: scores.best() }
        };
        let looks: Vec<RegionLook> = places.iter().map(|(area, seen)| look(*area, seen)).collect();
        let chosen = RegionRule::default().choose(&look(RegionBox::WHOLE, &whole), &looks);
        if chosen.is_empty() {
            return vec![(RegionBox::WHOLE, whole)];
        }
        let mut places: Vec<Option<(RegionBox, Prediction)>> = places.into_iter().map(Some).collect();
        chosen.into_iter().filter_map(|at| places.get_mut(at).and_then(Option::take)).collect()
    }

    /// Runs work on the decoding threads. The turn is passed along: a cancelled request must not let the next
    /// photograph into memory while its own is still being processed.
    async fn in_turn<T: Send + 'static>(
        &self,
        turn: Turn,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<(T, Turn)> {
        let person = turn.person();
        let (sender, receiver) = oneshot::channel();
        let in_turn = move || {
            if !sender.is_closed() {
                let _ = sender.send((work(), turn));
            }
        };
        self.decoding_threads.begin(person, in_turn).await?;
        receiver.await.map_err(Error::internal)
    }

    /// The parts of a photograph on the calling thread, each with the most probable types, for bulk work.
    ///
    /// # Errors
    /// Those of [`Identifier::identify_blocking`].
    pub(crate) fn identify_regions_blocking(
        &self,
        bytes: &[u8],
        BulkOptions { top, vehicle, taught, .. }: BulkOptions<'_>,
    ) -> Result<Vec<(RegionBox, Identification)>> {
        let start = Instant::now();
        let is_unfit = |label: &PartLabel| vehicle.is_some_and(|vehicle| vehicle.rules_out(label));
        let conditions = self.conditions(top).with_vehicle(&is_unfit);
        let conditions = taught.map_or(conditions, |taught| taught.in_force(conditions));
        let preprocessor = &self.preparer.preprocessor;
        let photo = self.preparer.decoder.decode_at_least(bytes, DETAIL)?;
        let opened = Opened::new(photo, preprocessor, start);
        let areas = self.part_finder.find(&opened.photo)?;
        let whole = self.batcher.submit_blocking(preprocessor.tensor(&opened.photo))?;
        let mut places = Vec::with_capacity(areas.len());
        for chunk in areas.chunks(most_images(self.manifest())) {
            let looks = self.batcher.submit_all_blocking(tensors(preprocessor, &opened.photo, chunk))?;
            places.extend(chunk.iter().copied().zip(looks));
        }
        let regions = self.regions_of(whole, places).into_iter().map(|(area, first)| {
            let part = opened.photo.part(area.shares());
            let predicted = self.look_again_blocking(opened.predicted(first), Some(part))?;
            let near = taught.map(|taught| taught.near(predicted.embedding())).transpose()?;
            let pool = self.pool_of_one(&predicted, &near.unwrap_or_default());
            let decision = Self::decide(&pool, &conditions)?;
            Ok::<_, Error>((area, Self::identification(&predicted, decision)))
        });
        regions.collect()
    }
}
