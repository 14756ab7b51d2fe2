//! Admission of photographs: places, turns, and the decoding threads.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use partsight_domain::{NearReferences, PartLabel};
use partsight_inference::{Detail, Photo, PhotoDecoder, PhotoFormat, SecondLook};
use tokio::sync::oneshot;

use super::preparer::Prepared;
use super::{Identification, Identifier, Predicted};
use crate::limits::person::Person;
use crate::recognition::bulk_options::BulkOptions;
use crate::recognition::photo_budget::Asker;
use crate::recognition::pixels::Pixels;
use crate::recognition::quarantine::PhotoHash;
use crate::recognition::reading::PhotoReading;
use crate::recognition::thumbnails;
use crate::{Error, Result};

/// How long the photograph of an admitted scan waits for its turn.
pub(super) const SECOND_LOOK_WAIT: Duration = Duration::from_secs(30);

/// How many looks a photograph gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Looks {
    /// One: references of one model are compared with each other.
    Once,
    /// A second one if the first is unsure, for an answer.
    AgainIfUnsure,
}

/// Whether a photograph may be refused because it would be late.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Admission {
    /// It may, by the time that is left for its answer.
    ByDeadline,
    /// It was admitted with its scan: a partial answer would be useless.
    WithScan,
}

/// Counts a scan of a batch that has its place, until this is dropped.
struct OfBatch<'i>(&'i AtomicUsize);

impl<'i> OfBatch<'i> {
    fn begin(n_of_batches: &'i AtomicUsize) -> Self {
        n_of_batches.fetch_add(1, Ordering::Relaxed);
        Self(n_of_batches)
    }
}

impl Drop for OfBatch<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Identifier {
    /// Number of scans, and of readings that somebody waits for, that wait or are in progress.
    pub fn n_in_flight(&self) -> usize {
        self.places.n_taken() + self.awaited.n_in_flight()
    }

    /// The same without the scans of batches. A scan of a batch counts only while it has its place: while it waits
    /// for its file or for the judge it is not in flight, and subtracting it would hide other scans.
    pub(crate) fn n_in_flight_beside_batches(&self) -> usize {
        // The counters are read one after the other, so the second one can be larger for a moment.
        self.n_in_flight().saturating_sub(self.n_of_batches.load(Ordering::Relaxed))
    }

    /// Whether anybody else has photographs waiting or in progress.
    pub(super) fn has_others_than(&self, person: Person) -> bool {
        self.places.has_others_than(&person) || self.awaited.has_others_than(person)
    }

    /// Number of photographs that wait for their turn.
    pub fn n_waiting(&self) -> usize {
        self.turns.n_waiting()
    }

    /// Number of photographs that were refused because they could not have been answered in time.
    pub(crate) fn n_refused(&self) -> u64 {
        self.turns.n_refused()
    }

    /// Current duration of a photograph, from its turn to the model's output.
    pub(crate) fn usual_duration(&self) -> Duration {
        self.turns.usual_duration()
    }

    /// Identifies a photograph without blocking the thread, with the `top` most probable types.
    ///
    /// # Errors
    /// [`Error::Busy`] if the maximum number of photographs is in flight, [`Error::Overloaded`] if it could not be
    /// answered in time; [`Error::Photo`].
    pub async fn identify(
        &self,
        bytes: impl AsRef<[u8]> + Send + 'static,
        top: usize,
    ) -> Result<Identification> {
        let predicted = self.predict_scan(bytes).await?;
        self.answer(&predicted, top, &NearReferences::default())
    }

    /// Runs the model once on a photograph, and computes something else from its pixels in parallel; `None` if that
    /// fails. A large photograph may be decoded to no more pixels than [`thumbnails::DETAIL`] and the model need. For
    /// references rather than answers.
    ///
    /// # Errors
    /// Those of [`Identifier::identify`]; [`Error::PhotoWorkUsedUp`].
    pub(crate) async fn predict_with<T: Send + 'static>(
        &self,
        asker: &Asker,
        bytes: impl AsRef<[u8]> + Send + 'static,
        also: impl FnOnce(&Pixels<'_>) -> T + Send + 'static,
    ) -> Result<(Predicted, Option<T>)> {
        PhotoFormat::of(bytes.as_ref())?;
        // Released when this returns, and also when the request is cancelled.
        let _place = self.places.take(asker.person)?;
        self.predict_in_turn(asker, bytes, (Looks::Once, Admission::ByDeadline), also).await
    }

    /// Runs the model on a photograph whose output [`Identifier::answer`] turns into an answer.
    ///
    /// # Errors
    /// Those of [`Identifier::identify`].
    pub(crate) async fn predict_scan(&self, bytes: impl AsRef<[u8]> + Send + 'static) -> Result<Predicted> {
        let _place = self.places.take(Asker::SERVER.person)?;
        let how = (Looks::AgainIfUnsure, Admission::ByDeadline);
        let predicted = self.predict_in_turn(&Asker::SERVER, bytes, how, |_| ()).await?;
        Ok(predicted.0)
    }

    /// As [`predict_with`](Self::predict_with) for the photographs of one scan, one after the other, each with a
    /// second look if it is unsure. Together they take one place, so that none is refused because of the others, and
    /// only one is in memory as pixels. Each waits for a turn of its own, so that a scan of five photographs takes no
    /// more of the machine at a time than a scan of one.
    ///
    /// # Errors
    /// Those of [`Identifier::predict_with`], but of several photographs [`Error::PhotoAmong`].
    pub(crate) async fn predict_all<T: Send + 'static>(
        &self,
        asker: &Asker,
        photos: Vec<impl AsRef<[u8]> + Send + 'static>,
        also: impl Fn(&Pixels<'_>) -> T + Clone + Send + 'static,
    ) -> Result<Vec<(Predicted, Option<T>)>> {
        let n_photos = photos.len();
        // Before the place: what is no photograph is refused as such on a busy server too, and is not tried again.
        for (index, bytes) in photos.iter().enumerate() {
            let format = PhotoFormat::of(bytes.as_ref()).map_err(Error::from);
            format.map_err(|error| error.of_photo(index, n_photos))?;
        }
        let _place = self.places.take(asker.person)?;
        let _of_batch = asker.is_of_batch.then(|| OfBatch::begin(&self.n_of_batches));
        let mut all = Vec::with_capacity(n_photos);
        for (index, bytes) in photos.into_iter().enumerate() {
            let admission = if index == 0 { Admission::ByDeadline } else { Admission::WithScan };
            let how = (Looks::AgainIfUnsure, admission);
            let outcome = self.predict_in_turn(asker, bytes, how, also.clone()).await;
            all.push(outcome.map_err(|error| error.of_photo(index, n_photos))?);
        }
        Ok(all)
    }

    /// A person whose photographs are processed; `is_unlimited` if their plan allows any number of scans.
    pub(crate) fn asker(&self, person: Person, is_unlimited: bool) -> Asker {
        Asker::new(&self.photo_budget, person, is_unlimited)
    }

    async fn predict_in_turn<T: Send + 'static>(
        &self,
        asker: &Asker,
        bytes: impl AsRef<[u8]> + Send + 'static,
        (looks, admission): (Looks, Admission),
        also: impl FnOnce(&Pixels<'_>) -> T + Send + 'static,
    ) -> Result<(Predicted, Option<T>)> {
        let start = Instant::now();
        let second_look = self.manifest().second_look.as_ref().filter(|_| looks == Looks::AgainIfUnsure);
        // The input of a second look stays in memory while the engine works: the input tensor of the first look if
        // its views show the whole photograph, else the file.
        let holds_tensor = second_look.is_some_and(SecondLook::shows_whole);
        let holds_bytes = second_look.is_some() && !holds_tensor;
        let turn = match admission {
            Admission::ByDeadline => self.turns.turn_within(asker.person, self.answer_within).await?,
            Admission::WithScan => self.turns.turn(asker.person, SECOND_LOOK_WAIT).await?,
        };
        let waited = start.elapsed();
        // Read once, so that both looks are charged by the same rule.
        let is_somebody_else_here = self.has_others_than(asker.person);
        let (preparer, quarantine) = (Arc::clone(&self.preparer), self.quarantine.clone());
        let first_asker = asker.clone();
        let (sender, receiver) = oneshot::channel();
        let (also_sender, also_receiver) = oneshot::channel();
        let request = tracing::Span::current();
        let work = move || {
            let _request = request.entered();
            // Skipped if the request was cancelled.
            if sender.is_closed() {
                return;
            }
            let charge = |pixels| first_asker.charge(pixels, is_somebody_else_here);
            let hash = PhotoHash::of(bytes.as_ref());
            let outcome = quarantine.admit(hash, start).and_then(|()| {
                preparer.prepare_watched(bytes.as_ref(), thumbnails::DETAIL, hash, &quarantine, charge)
            });
            let held = holds_bytes.then_some(bytes);
            // The turn is passed along: a cancelled request must not let the next photograph into memory while its
            // own is still being decoded.
            match outcome {
                Ok(Prepared { tensor, notes, photo, image }) => {
                    // The tensor first: the engine works on it while something else is computed from the pixels.
                    if sender.send((Ok((tensor, notes, hash, held)), turn)).is_ok() {
                        let _ = also_sender.send(also(&preparer.pixels(&photo, &image)));
                    }
                }
                Err(error) => {
                    let _ = sender.send((Err(error), turn));
                }
            }
        };
        self.decoding_threads.begin(asker.person, work).await?;
        // Held to the end, so that a second look takes no more of the machine at a time than a first one.
        let (ready, turn) = receiver.await.map_err(Error::internal)?;
        let (tensor, notes, hash, held) = ready?;
        let whole = holds_tensor.then(|| tensor.clone());
        let prediction = self.batcher.submit(tensor, self.on_loss(hash)).await?;
        let also = also_receiver.await.ok();
        let first = Predicted { prediction, notes, start, waited, has_second_look: false };
        let Some(second_look) = second_look.filter(|_| self.is_unsure(&first)) else {
            return Ok((first, also));
        };
        if let Some(views) = whole.and_then(|whole| second_look.tensors_of_whole(&whole)) {
            return Ok((self.look_at_views(second_look, first, views, hash).await?, also));
        }
        let Some(bytes) = held else { return Ok((first, also)) };
        // Charged again, because it is decoded again.
        let charge = {
            let asker = asker.clone();
            move |pixels| asker.charge(pixels, is_somebody_else_here)
        };
        let again = self.look_again(second_look, first, (bytes, hash), turn, charge);
        Ok((again.await?, also))
    }

    /// Identifies a photograph on the calling thread; for bulk work, which waits instead of being refused.
    pub fn identify_blocking(&self, bytes: &[u8], options: BulkOptions<'_>) -> Result<Identification> {
        let BulkOptions { top, vehicle, taught, .. } = options;
        let predicted = self.predict_blocking(bytes)?;
        let is_unfit = |label: &PartLabel| vehicle.is_some_and(|vehicle| vehicle.rules_out(label));
        let conditions = self.conditions(top).with_vehicle(&is_unfit);
        let conditions = taught.map_or(conditions, |taught| taught.in_force(conditions));
        let near = taught.map(|taught| taught.near(predicted.embedding())).transpose()?.unwrap_or_default();
        let decision = Self::decide(&self.pool_of_one(&predicted, &near), &conditions)?;
        let unfit = decision.unfit.clone();
        let vehicle_doubts = vehicle.map(|vehicle| vehicle.doubts_by_catalog(unfit)).unwrap_or_default();
        let identification = Self::identification(&predicted, decision);
        let read = if options.with_reading { self.read_blocking(bytes)? } else { None };
        Ok(Identification { embedding: None, vehicle_doubts, read, ..identification })
    }

    /// Reads a photograph, which is decoded again for this: letters need full size, at which the model would give
    /// another answer.
    fn read_blocking(&self, bytes: &[u8]) -> Result<Option<PhotoReading>> {
        let Some(reading) = &self.reading else { return Ok(None) };
        Ok(reading.read(&self.decoder().decode(bytes)?))
    }

    /// The model's embedding of a photograph, f32 `[d]`, on the calling thread.
    pub(crate) fn embed_blocking(&self, bytes: &[u8]) -> Result<Vec<f32>> {
        let predicted = self.predict_blocking(bytes)?;
        Ok(predicted.embedding().to_vec())
    }

    /// The model's output for a photograph, second look included.
    fn predict_blocking(&self, bytes: &[u8]) -> Result<Predicted> {
        let start = Instant::now();
        let detail = self.bulk_detail();
        let Prepared { tensor, notes, photo, .. } = self.preparer.prepare(bytes, detail, |_| Ok(()))?;
        let prediction = self.batcher.submit_blocking(tensor)?;
        // Kept only if there may be a second look: decoding again would take longer than the look.
        let photo = Some(photo).filter(|_| self.manifest().second_look.is_some());
        let first = Predicted { prediction, notes, start, waited: Duration::ZERO, has_second_look: false };
        self.look_again_blocking(first, photo)
    }

    /// The detail that bulk work needs of a photograph, which is decoded once.
    pub(super) fn bulk_detail(&self) -> Detail {
        let second_look = self.manifest().second_look.as_ref();
        second_look.map(|look| look.detail(&self.preparer.preprocessor)).unwrap_or_default()
    }

    /// Decodes a photograph again on the decoding threads, in the needed `detail`, and computes something from its
    /// pixels; `None` if that fails. For work on few photographs, so that pixels need not be held for all.
    pub(crate) async fn with_pixels<T: Send + 'static>(
        &self,
        person: Person,
        bytes: impl AsRef<[u8]> + Send + 'static,
        detail: Detail,
        make: impl FnOnce(&Photo) -> Option<T> + Send + 'static,
    ) -> Option<T> {
        // Its scan was admitted already, so it waits like the further photographs of a scan.
        let turn = self.turns.turn(person, SECOND_LOOK_WAIT).await.ok()?;
        let decoder = self.decoder().clone();
        let (sender, receiver) = oneshot::channel();
        let work = move || {
            // Held until the work is done, even if the caller is cancelled: the thread is busy.
            let _turn = turn;
            if !sender.is_closed() {
                let photo = decoder.decode_at_least(bytes.as_ref(), detail).ok();
                let _ = sender.send(photo.as_ref().and_then(make));
            }
        };
        self.decoding_threads.begin(person, work).await.ok()?;
        receiver.await.ok().flatten()
    }

    /// Runs the decoding of something other than a scan's photograph for `person`: on the decoding threads, in turn
    /// with photographs.
    ///
    /// # Errors
    /// [`Error::Busy`] if its turn does not come in time.
    pub(crate) async fn on_decoding_threads<T: Send + 'static>(
        &self,
        person: Person,
        work: impl FnOnce(&PhotoDecoder) -> T + Send + 'static,
    ) -> Result<T> {
        let turn = self.turns.turn(person, SECOND_LOOK_WAIT).await?;
        let decoder = self.decoder().clone();
        let (sender, receiver) = oneshot::channel();
        let work = move || {
            // Held until the work is done, even if the caller is cancelled: the thread is busy.
            let _turn = turn;
            if !sender.is_closed() {
                let _ = sender.send(work(&decoder));
            }
        };
        self.decoding_threads.begin(person, work).await?;
        receiver.await.map_err(Error::internal)
    }
}

#[cfg(test)]
mod tests {
    use std::pin::pin;
    use std::sync::{Mutex, mpsc};
    use std::task::{Context, Waker};

    use partsight_inference::Error as InferenceError;
    use tokio::task::{JoinSet, yield_now};
    use tokio::time::timeout;

    use super::super::stand_in;
    use super::*;
    use crate::Settings;

    const PHOTO: &[u8] = include_bytes!("../../../data/canary.jpg");

    #[tokio::test]
    async fn what_is_no_photograph_is_refused_as_such_while_the_server_is_busy() {
        const TEXT: &[u8] = b"not a picture";
        let identifier =
            stand_in::identifier(stand_in::manifest(), |_| {}, |_, _| Err(InferenceError::ShutDown));
        let person = Person::number(1);
        let _taken: Vec<_> = std::iter::from_fn(|| identifier.places.take(person).ok()).collect();
        let asker = identifier.asker(person, true);
        let refused = identifier.predict_all(&asker, vec![PHOTO], |_| ()).await.map(|_| ());
        assert!(matches!(refused, Err(Error::Busy)), "{refused:?}");
        let refused = identifier.predict_all(&asker, vec![PHOTO, TEXT], |_| ()).await.map(|_| ());
        assert!(matches!(refused, Err(Error::PhotoAmong { number: 2, n_photos: 2, .. })), "{refused:?}");
        let refused = identifier.predict_with(&asker, TEXT, |_| ()).await.map(|_| ());
        assert!(matches!(refused, Err(Error::Photo { .. })), "{refused:?}");
    }

    #[tokio::test]
    async fn scans_of_batches_are_told_from_those_of_people() {
        let (go_on, stop) = mpsc::channel::<()>();
        let room_for_eight = |settings: &mut Settings| settings.model.queue_capacity = 8;
        // Returns an error, but only after the other end of `stop` is dropped.
        let identifier = stand_in::identifier(stand_in::manifest(), room_for_eight, move |_, _| {
            let _ = stop.recv();
            Err(InferenceError::ShutDown)
        });
        // Dropped before the identifier, which waits for its engines.
        let _go_on = go_on;
        let counts = || (identifier.n_in_flight(), identifier.n_in_flight_beside_batches());
        let mut polled = Context::from_waker(Waker::noop());

        let of_person = identifier.asker(Person::number(1), true);
        let of_batch = identifier.asker(Person::number(2), true).of_batch();
        {
            let mut in_batch = pin!(identifier.predict_all(&of_batch, vec![PHOTO], |_| ()));
            // Nothing is in flight yet, as while a photograph of a batch waits for its file.
            assert_eq!(counts(), (0, 0));
            assert!(in_batch.as_mut().poll(&mut polled).is_pending());
            assert_eq!(counts(), (1, 0));
            let mut at_screen = pin!(identifier.predict_all(&of_person, vec![PHOTO], |_| ()));
            assert!(at_screen.as_mut().poll(&mut polled).is_pending());
            assert_eq!(counts(), (2, 1));
        }
        assert_eq!(counts(), (0, 0));
    }

    #[tokio::test]
    async fn slow_logos_of_one_person_leave_a_turn_for_the_next() {
        let identifier =
            stand_in::identifier(stand_in::manifest(), |_| {}, |_, _| Err(InferenceError::ShutDown));
        let identifier = Arc::new(identifier);
        let (ann, bob) = (Person::number(1), Person::number(2));
        identifier.on_decoding_threads(bob, |_| ()).await.unwrap();
        let (go_on, stop) = mpsc::channel::<()>();
        let stop = Arc::new(Mutex::new(stop));
        let mut logos = JoinSet::new();
        // More than there are turns.
        for _ in 0..2 * identifier.n_at_a_time() + 2 {
            let (identifier, stop) = (Arc::clone(&identifier), Arc::clone(&stop));
            let slow = move |_: &PhotoDecoder| {
                let _ = stop.lock().unwrap().recv();
            };
            logos.spawn(async move { identifier.on_decoding_threads(ann, slow).await });
        }
        while identifier.n_waiting() == 0 {
            yield_now().await;
        }
        let of_bob = timeout(Duration::from_secs(10), identifier.on_decoding_threads(bob, |_| ())).await;
        of_bob.expect("a turn is left for him").unwrap();
        drop(go_on);
        assert!(logos.join_all().await.iter().all(Result::is_ok));
    }
}
