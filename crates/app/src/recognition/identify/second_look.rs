//! The second look at a photograph about which the first one is unsure.

use std::sync::Arc;
use std::time::{Duration, Instant};

use partsight_domain::CalibratedScores;
use partsight_inference::{OnLoss, Photo, PhotoHeader, SecondLook, Tensor};
use tokio::sync::oneshot;

use super::preparer::{Preparer, blame_for_loss};
use super::{Identifier, Predicted, calibration_of};
use crate::limits::turns::Turn;
use crate::recognition::quarantine::PhotoHash;
use crate::{Error, Result};

/// The views of a photograph, ready for the engine.
#[derive(Debug)]
struct Views {
    tensors: Vec<Tensor>,
    decode: Duration,
    preprocess: Duration,
}

impl Preparer {
    /// Decodes a photograph again for its views; `charge` is called with the number of pixels before any is decoded,
    /// and may refuse.
    fn prepare_views(
        &self,
        bytes: &[u8],
        second_look: &SecondLook,
        charge: impl FnOnce(u64) -> Result<()>,
    ) -> Result<Views> {
        let start = Instant::now();
        charge(PhotoHeader::read(bytes, self.decoder.limits())?.pixels())?;
        let detail = second_look.detail(&self.preprocessor);
        let photo =
            tracing::debug_span!("decode").in_scope(|| self.decoder.decode_at_least(bytes, detail))?;
        let decode = start.elapsed();
        Ok(Views { decode, ..self.views(&photo, second_look) })
    }

    fn views(&self, photo: &Photo, second_look: &SecondLook) -> Views {
        let _preprocess = tracing::debug_span!("preprocess").entered();
        let start = Instant::now();
        let tensors = second_look.tensors(&self.preprocessor, photo);
        Views { tensors, decode: Duration::ZERO, preprocess: start.elapsed() }
    }
}

impl Identifier {
    /// Whether this output is unsure, so that the model has a second look.
    pub(super) fn is_unsure(&self, first: &Predicted) -> bool {
        let manifest = self.manifest();
        manifest.second_look.as_ref().is_some_and(|second_look| {
            let scores = CalibratedScores::new(&calibration_of(&manifest.calibration), first.raw());
            second_look.is_needed(scores.confidence(), scores.known_score)
        })
    }

    /// Called when an engine is lost over this photograph.
    pub(super) fn on_loss(&self, hash: PhotoHash) -> OnLoss {
        let quarantine = self.quarantine.clone();
        Box::new(move |n_photos| quarantine.blame(hash, n_photos, Instant::now()))
    }

    /// Runs the views of a photograph from its file. Its pixels are decoded again: holding those of all photographs
    /// would cost more memory than decoding the few unsure ones costs time. All of it in the `turn` of the first
    /// look.
    ///
    /// # Errors
    /// Those of the first look.
    pub(super) async fn look_again(
        &self,
        second_look: &SecondLook,
        first: Predicted,
        (bytes, hash): (impl AsRef<[u8]> + Send + 'static, PhotoHash),
        turn: Turn,
        charge: impl FnOnce(u64) -> Result<()> + Send + 'static,
    ) -> Result<Predicted> {
        let (preparer, quarantine) = (Arc::clone(&self.preparer), self.quarantine.clone());
        let its_second_look = second_look.clone();
        let person = turn.person();
        let (sender, receiver) = oneshot::channel();
        let request = tracing::Span::current();
        let work = move || {
            let _request = request.entered();
            // Skipped if the request was cancelled.
            if sender.is_closed() {
                return;
            }
            // Checked again, because the photograph may have been quarantined since its first look.
            let views = quarantine
                .admit(hash, Instant::now())
                .and_then(|()| preparer.prepare_views(bytes.as_ref(), &its_second_look, charge));
            // The turn is passed along, as at the first look.
            let _ = sender.send((blame_for_loss(views, hash, &quarantine), turn));
        };
        self.decoding_threads.begin(person, work).await?;
        let (views, _turn) = receiver.await.map_err(Error::internal)?;
        let Views { tensors, decode, preprocess } = views?;
        let mut again = self.look_at_views(second_look, first, tensors, hash).await?;
        again.notes.decode += decode;
        again.notes.preprocess += preprocess;
        Ok(again)
    }

    /// Runs prepared views, whether from the tensor of the first look or decoded again.
    ///
    /// # Errors
    /// [`Error::PhotoQuarantined`], and those of the first look.
    pub(super) async fn look_at_views(
        &self,
        second_look: &SecondLook,
        first: Predicted,
        views: Vec<Tensor>,
        hash: PhotoHash,
    ) -> Result<Predicted> {
        // Checked again, because the photograph may have been quarantined while the views were prepared.
        self.quarantine.admit(hash, Instant::now())?;
        let predictions = self.batcher.submit_all(views, || self.on_loss(hash)).await?;
        let mut again = first;
        again.prediction = second_look.pool_predictions(&again.prediction, &predictions)?;
        again.has_second_look = true;
        Ok(again)
    }

    /// As [`look_again`](Self::look_again) on the calling thread, if the first look is unsure; `photo` is set if the
    /// model has a second look.
    pub(super) fn look_again_blocking(&self, first: Predicted, photo: Option<Photo>) -> Result<Predicted> {
        let wanted = self.manifest().second_look.as_ref().filter(|_| self.is_unsure(&first));
        let Some((second_look, photo)) = wanted.zip(photo) else { return Ok(first) };
        let Views { tensors, preprocess, .. } = self.preparer.views(&photo, second_look);
        // The views are much smaller, and waiting for the engines takes a while.
        drop(photo);
        let predictions = self.batcher.submit_all_blocking(tensors)?;
        let mut again = first;
        again.prediction = second_look.pool_predictions(&again.prediction, &predictions)?;
        again.notes.preprocess += preprocess;
        again.has_second_look = true;
        Ok(again)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use partsight_inference::{Manifest, Model, PhotoDecoder, PhotoError, PhotoLimits, Preprocessor, View};

    use super::super::stand_in;
    use super::*;
    use crate::Settings;
    use crate::limits::person::Person;
    use crate::recognition::bulk_options::BulkOptions;
    use crate::recognition::photo_budget::Asker;

    /// A photograph to decode; the engine decides its class.
    const PHOTO: &[u8] = include_bytes!("../../../data/canary.jpg");
    const N_VIEWS: usize = 2;

    fn second_look() -> SecondLook {
        SecondLook {
            confidence_below: 0.9,
            known_score_below: 0.5,
            logit_scale: 1.0,
            known_scale: 1.0,
            known_bias: 0.0,
            views: vec![View { centre: 1.0, mirrored: true }, View { centre: 0.7, mirrored: false }],
        }
    }

    /// A second look that needs only the first input.
    fn mirrored() -> SecondLook {
        SecondLook { views: vec![View { centre: 1.0, mirrored: true }], ..second_look() }
    }

    /// An identifier that returns the first class for any image, and the number of its images. The first image of a
    /// photograph gets the logits `first`; all others are sure.
    fn identifier(first: (f32, f32), second_look: Option<SecondLook>) -> (Identifier, Arc<AtomicUsize>) {
        let manifest = Manifest { second_look, ..stand_in::manifest() };
        let n_images = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&n_images);
        // Room for one photograph, whatever its number of images.
        let room = |settings: &mut Settings| settings.model.queue_capacity = 1;
        let identifier = stand_in::identifier(manifest, room, move |manifest, images| {
            let is_first = count.fetch_add(images.n_images(), Ordering::SeqCst) == 0;
            let (logit, known) = if is_first { first } else { (20.0, 20.0) };
            Ok(stand_in::output(manifest, logit, known, usize::from(is_first)))
        });
        (identifier, n_images)
    }

    const SURE: (f32, f32) = (20.0, 20.0);
    const UNSURE: (f32, f32) = (1.0, 20.0);
    const STRANGE: (f32, f32) = (20.0, -20.0);

    #[tokio::test]
    async fn a_sure_photograph_is_looked_at_once_and_an_unsure_one_as_often_as_the_manifest_says() {
        for (case, first, look, expected) in [
            ("sure", SURE, Some(second_look()), 1),
            ("unsure of the class", UNSURE, Some(second_look()), 1 + N_VIEWS),
            ("unlike the known types", STRANGE, Some(second_look()), 1 + N_VIEWS),
            ("unsure, and looked at mirrored", UNSURE, Some(mirrored()), 2),
            ("unsure, with a model that looks once", UNSURE, None, 1),
        ] {
            let (identifier, n_images) = identifier(first, look.clone());
            let scanned = identifier.identify(PHOTO, 1).await.unwrap();
            assert_eq!(n_images.load(Ordering::SeqCst), expected, "{case}");
            let (identifier, n_images) = self::identifier(first, look);
            let in_bulk = identifier.identify_blocking(PHOTO, BulkOptions::of_model(1)).unwrap();
            assert_eq!(n_images.load(Ordering::SeqCst), expected, "{case}, in bulk");
            assert_eq!((&scanned.best, scanned.known_score), (&in_bulk.best, in_bulk.known_score), "{case}");
        }
    }

    #[test]
    fn reading_in_bulk_is_asked_for_and_shows_the_model_no_other_pixels() {
        let (reads_nothing, _) = identifier(SURE, Some(mirrored()));
        let (reads_codes, _) = identifier(SURE, Some(mirrored()));
        let reads_codes = reads_codes.with_codes();
        // At more detail it would be resized to another input.
        assert_eq!(reads_codes.bulk_detail(), reads_nothing.bulk_detail());
        for with_reading in [false, true] {
            let options = BulkOptions { with_reading, ..BulkOptions::of_model(1) };
            assert_eq!(reads_codes.identify_blocking(PHOTO, options).unwrap().read.is_some(), with_reading);
            assert_eq!(reads_nothing.identify_blocking(PHOTO, options).unwrap().read, None);
        }
    }

    #[tokio::test]
    async fn the_answer_is_that_of_all_looks_together() {
        let (identifier, _) = identifier(UNSURE, Some(second_look()));
        let predicted = identifier.predict_scan(PHOTO).await.unwrap();
        assert!(predicted.has_second_look());
        assert!((predicted.logits()[0] - 41.0 / 3.0).abs() < 1e-4, "{}", predicted.logits()[0]);
        // The first look gives one direction, the second look another.
        let expected = [2.0_f32, 1.0].map(|share| share / 5.0_f32.sqrt());
        for (found, expected) in predicted.embedding().iter().zip(expected) {
            assert!((found - expected).abs() < 1e-6, "{found}");
        }
    }

    #[tokio::test]
    async fn a_view_of_the_whole_takes_no_second_decoding() {
        let budget = Arc::default();
        let pixels = PhotoHeader::read(PHOTO, &PhotoLimits::default()).unwrap().pixels();
        for (look, n_charged) in [(mirrored(), 1_u32), (second_look(), 2)] {
            let (identifier, n_images) = identifier(UNSURE, Some(look));
            let asker = Asker::new(&budget, Person::number(n_charged.into()), false);
            let looks = identifier.predict_all(&asker, vec![PHOTO], |_| ()).await.unwrap();
            assert!(looks[0].0.has_second_look() && n_images.load(Ordering::SeqCst) > 1);
            assert_eq!(asker.n_charged(), u64::from(n_charged) * pixels);
        }
    }

    #[tokio::test]
    async fn what_is_kept_of_a_photograph_is_looked_at_once() {
        let (identifier, n_images) = identifier(UNSURE, Some(second_look()));
        let (predicted, _) = identifier.predict_with(&Asker::SERVER, PHOTO, |_| ()).await.unwrap();
        assert!(!predicted.has_second_look());
        assert_eq!(n_images.load(Ordering::SeqCst), 1);
    }

    #[tokio::test]
    async fn each_photograph_of_a_scan_is_looked_at_again_by_itself() {
        // Only the first image is unsure: three looks at its photograph, one at the other.
        let (identifier, n_images) = identifier(UNSURE, Some(second_look()));
        let looks = identifier.predict_all(&Asker::SERVER, vec![PHOTO, PHOTO], |_| ()).await.unwrap();
        let again: Vec<_> = looks.iter().map(|(look, _)| look.has_second_look()).collect();
        assert_eq!((again, n_images.load(Ordering::SeqCst)), (vec![true, false], 2 + N_VIEWS));
    }

    #[test]
    fn decoding_again_keeps_to_the_limits_and_is_charged() {
        let preparer = |limits| {
            let preprocessor = Preprocessor::new(Model::embedded().unwrap().manifest()).unwrap();
            Preparer { preprocessor, decoder: PhotoDecoder::in_process(limits) }
        };
        let limits = PhotoLimits::default();
        let mut charged = 0;
        let views = preparer(limits).prepare_views(PHOTO, &second_look(), |pixels| {
            charged = pixels;
            Ok(())
        });
        assert_eq!(views.unwrap().tensors.len(), N_VIEWS);
        assert_eq!(charged, PhotoHeader::read(PHOTO, &limits).unwrap().pixels());
        let refused = preparer(limits).prepare_views(PHOTO, &second_look(), |_| Err(Error::Busy));
        assert!(matches!(refused, Err(Error::Busy)), "{refused:?}");
        let small = PhotoLimits { max_pixels: charged - 1, ..limits };
        let too_large = preparer(small).prepare_views(PHOTO, &second_look(), |_| Ok(()));
        let Err(Error::Photo { source }) = &too_large else { panic!("{too_large:?}") };
        assert!(matches!(source, PhotoError::TooManyPixels { .. }), "{source:?}");
    }
}
