//! Text and codes on photographs: read while somebody waits for them, or when nobody does.
//!
//! Reading takes longer than identifying, a second for some photographs. So readings have threads of their own, with a
//! lower priority than the rest of the server: on a decoding thread they would delay scans. Those that somebody waits
//! for also take no turns of scans, but have their own places and turns, on half of the cores at most.

use std::thread;
use std::time::{Duration, Instant};

use partsight_domain::ReadLine;
use partsight_inference::{PhotoFormat, PhotoHeader};
use tokio::sync::oneshot;

use super::Identifier;
use super::admission::{Admission, SECOND_LOOK_WAIT};
use super::preparer::blame_for_loss;
use crate::limits::person::Person;
use crate::limits::places::{Places, Share};
use crate::limits::turns::Turns;
use crate::recognition::photo_budget::Asker;
use crate::recognition::quarantine::PhotoHash;
use crate::recognition::reading::PhotoReader;
use crate::{Error, Result};

/// Most readings that somebody waits for; one person may always have `LEAST_PLACES`.
const PLACES: usize = 32;
const LEAST_PLACES: usize = 2;
/// Time limit of such a reading: people with a phone at a door jamb wait no longer.
const READ_WITHIN: Duration = Duration::from_secs(10);
/// How long a reading that nobody waits for waits for a spare turn before it is dropped.
const SPARE_WAIT: Duration = Duration::from_mins(1);
/// Niceness of reading threads: beside a scan they get about a fourth of a core that both could use.
#[cfg(target_os = "linux")]
const NICENESS: i32 = 5;

/// Readings that somebody waits for.
pub(super) struct AwaitedReadings {
    /// One place for each reading that waits or is in progress.
    places: Places<Person>,
    /// One turn for each reading that is in progress.
    turns: Turns,
    within: Duration,
}

impl AwaitedReadings {
    /// On half of `n_cores`, and on at least one.
    pub(super) fn on_half_of(n_cores: usize) -> Self {
        Self::new((n_cores / 2).max(1), READ_WITHIN)
    }

    fn new(n_at_a_time: usize, within: Duration) -> Self {
        Self {
            places: Places::new(PLACES, Share::OfFree, LEAST_PLACES),
            turns: Turns::new(n_at_a_time, n_at_a_time),
            within,
        }
    }

    /// Number of readings that wait or are in progress.
    pub(super) fn n_in_flight(&self) -> usize {
        self.places.n_taken()
    }

    pub(super) fn has_others_than(&self, person: Person) -> bool {
        self.places.has_others_than(&person)
    }

    /// Runs `work` of a person in their turn, on a thread of its own.
    ///
    /// # Errors
    /// [`Error::Busy`] if too much is waiting, [`Error::Overloaded`] if it could not be done in time.
    async fn run<T: Send + 'static>(
        &self,
        person: Person,
        admission: Admission,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T> {
        let place = self.places.take(person)?;
        let turn = match admission {
            Admission::ByDeadline => self.turns.turn_within(person, self.within).await?,
            Admission::WithScan => self.turns.turn(person, SECOND_LOOK_WAIT).await?,
        };
        on_a_thread((place, turn), work).await
    }
}

/// Runs `work` on a thread of its own. What is `held` is held until the work is done, even if the caller is cancelled: a
/// core is busy.
async fn on_a_thread<T: Send + 'static>(
    held: impl Send + 'static,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T> {
    let (sender, receiver) = oneshot::channel();
    // A thread cannot raise its priority again, so none is reused.
    let thread = thread::Builder::new().name("read".to_owned()).spawn(move || {
        if !sender.is_closed() {
            let done = work();
            // Before the caller continues, so that it finds its place free again.
            drop(held);
            let _ = sender.send(done);
        }
    });
    thread.map_err(Error::internal)?;
    receiver.await.map_err(Error::internal)
}

/// Lowers the priority of this thread from here on. After decoding, which can start a process that later serves scans
/// and would inherit the priority.
fn stand_back() {
    // Elsewhere it would affect the whole server. If it fails, reading continues at normal priority.
    #[cfg(target_os = "linux")]
    let _ = rustix::process::nice(NICENESS);
}

impl Identifier {
    /// Whether text or codes on photographs are read.
    pub(crate) fn reads_text(&self) -> bool {
        self.reading.is_some()
    }

    /// The text and codes on photograph `number` (from 0) of a scan: for a `person` who waits in their turn,
    /// otherwise in a spare turn. `None` if nothing is read, reading failed, or no turn came in time.
    pub(crate) async fn read_text(
        &self,
        person: Option<Person>,
        bytes: impl AsRef<[u8]> + Send + 'static,
        number: usize,
    ) -> Option<Vec<ReadLine>> {
        let reading = self.reading.clone()?;
        // The text of only some photographs of a scan would be useless.
        let admission = if number == 0 { Admission::ByDeadline } else { Admission::WithScan };
        let decoder = self.decoder().clone();
        let read = move || {
            let photo = decoder.decode(bytes.as_ref()).ok()?;
            stand_back();
            reading.read_lines(&photo, number)
        };
        let read = if let Some(person) = person {
            self.awaited.run(person, admission, read).await
        } else {
            let turn = self.turns.spare_turn(SPARE_WAIT).await.ok()?;
            on_a_thread(turn, read).await
        };
        read.ok().flatten()
    }

    /// The text and codes on a photograph that is only read, and that `asker` waits for. Codes are read even if
    /// reading of text is disabled.
    ///
    /// # Errors
    /// [`Error::Busy`] if too much is waiting to be read, [`Error::Overloaded`] if it could not be read in time;
    /// [`Error::Photo`]; [`Error::PhotoWorkUsedUp`].
    pub(crate) async fn read_photo(&self, asker: &Asker, bytes: Vec<u8>) -> Result<Vec<ReadLine>> {
        PhotoFormat::of(&bytes)?;
        let start = Instant::now();
        let is_somebody_else_here = self.has_others_than(asker.person);
        let reader = self.reading.clone().unwrap_or_else(PhotoReader::of_codes);
        let (person, asker) = (asker.person, asker.clone());
        let (decoder, quarantine) = (self.decoder().clone(), self.quarantine.clone());
        let read = move || {
            let hash = PhotoHash::of(&bytes);
            quarantine.admit(hash, start)?;
            let header = PhotoHeader::read(&bytes, decoder.limits())?;
            asker.charge(header.pixels(), is_somebody_else_here)?;
            let photo = decoder.decode(&bytes).map_err(Into::into);
            let photo = blame_for_loss(photo, hash, &quarantine)?;
            stand_back();
            let lines = reader.read_lines(&photo, 0);
            // If the networks fail, the codes are still returned.
            Ok(lines.or_else(|| PhotoReader::of_codes().read_lines(&photo, 0)).unwrap_or_default())
        };
        self.awaited.run(person, Admission::ByDeadline, read).await?
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex, mpsc};

    use partsight_inference::Error as InferenceError;
    use tokio::time::timeout;

    use super::super::stand_in;
    use super::*;

    const ANN: Person = Person::number(1);
    const BOB: Person = Person::number(2);
    const PHOTO: &[u8] = include_bytes!("../../../data/canary.jpg");

    /// Reads codes, one photograph at a time, each within this time.
    fn identifier(within: Duration) -> Identifier {
        // These tests process no photograph.
        let identifier =
            stand_in::identifier(stand_in::manifest(), |_| {}, |_, _| Err(InferenceError::ShutDown));
        Identifier { awaited: AwaitedReadings::new(1, within), ..identifier.with_codes() }
    }

    #[tokio::test]
    async fn a_reading_waits_for_no_scan_and_leaves_their_pace_alone() {
        let identifier = identifier(READ_WITHIN);
        let mut scans = Vec::new();
        // Each of another person, because a single one would get fewer places.
        while let Ok(turn) =
            identifier.turns.turn(Person::number(10 + scans.len() as u128), Duration::ZERO).await
        {
            scans.push(turn);
        }
        let asker = identifier.asker(ANN, false);
        identifier.read_photo(&asker, PHOTO.to_vec()).await.unwrap();
        assert!(identifier.read_text(Some(ANN), PHOTO, 0).await.is_some());
        assert!(identifier.usual_duration().is_zero(), "scans would be refused for readings that take long");
        assert_eq!(identifier.n_in_flight(), 0, "what is done has given its place back");
    }

    #[tokio::test]
    async fn a_reading_that_nobody_waits_for_takes_no_decoding_thread() {
        let identifier = identifier(READ_WITHIN);
        // Dropped first, so that the threads end.
        let (_go_on, stop) = mpsc::channel::<()>();
        let stop = Arc::new(Mutex::new(stop));
        for number in 10.. {
            let stop = Arc::clone(&stop);
            let work = move || {
                let _ = stop.lock().unwrap().recv();
            };
            let begun = identifier.decoding_threads.begin(Person::number(number), work);
            if timeout(Duration::from_millis(50), begun).await.is_err() {
                break;
            }
        }
        let read = timeout(Duration::from_secs(10), identifier.read_text(None, PHOTO, 0)).await;
        assert!(read.expect("all decoding threads are busy").is_some());
    }

    #[tokio::test]
    async fn what_cannot_be_read_in_time_is_refused_and_scans_go_on() {
        let identifier = identifier(Duration::from_millis(20));
        let running = identifier.awaited.turns.turn(BOB, Duration::ZERO).await.unwrap();
        let asker = identifier.asker(ANN, false);
        let refused = identifier.read_photo(&asker, PHOTO.to_vec()).await;
        assert!(matches!(refused, Err(Error::Overloaded { .. })), "{refused:?}");
        assert_eq!(identifier.read_text(Some(ANN), PHOTO, 0).await, None);
        assert_eq!(asker.n_charged(), 0, "nothing was decoded");
        identifier.turns.turn(ANN, Duration::ZERO).await.expect("no scan waits for it");
        drop(running);
        identifier.read_photo(&asker, PHOTO.to_vec()).await.unwrap();
    }

    #[tokio::test]
    async fn what_nobody_waits_for_is_not_read_while_the_server_stops() {
        let identifier = identifier(READ_WITHIN);
        assert!(identifier.read_text(None, PHOTO, 0).await.is_some());
        identifier.shut_down();
        let within = Duration::from_secs(5);
        let read = timeout(within, identifier.read_text(None, PHOTO, 0)).await;
        assert_eq!(read, Ok(None));
    }

    #[tokio::test]
    async fn one_account_leaves_places_to_the_others() {
        let identifier = identifier(READ_WITHIN);
        let hers: Vec<_> = std::iter::from_fn(|| identifier.awaited.places.take(ANN).ok()).collect();
        let refused = identifier.read_photo(&identifier.asker(ANN, true), PHOTO.to_vec()).await;
        assert!(matches!(refused, Err(Error::Busy)), "{refused:?}");
        let refused = identifier.read_photo(&identifier.asker(ANN, true), b"no photograph".to_vec()).await;
        assert!(matches!(refused, Err(Error::Photo { .. })), "{refused:?}");
        assert_eq!(hers.len(), PLACES / 2);
        identifier.read_photo(&identifier.asker(BOB, true), PHOTO.to_vec()).await.unwrap();
        assert_eq!(identifier.n_in_flight_beside_batches(), hers.len(), "batches let readings go first");
    }

    #[tokio::test]
    async fn half_of_the_cores_read_and_one_in_any_case() {
        for (n_cores, expected) in [(1, 1), (2, 1), (3, 1), (8, 4)] {
            let awaited = AwaitedReadings::on_half_of(n_cores);
            let mut running = Vec::new();
            while let Ok(turn) =
                awaited.turns.turn(Person::number(running.len() as u128), Duration::ZERO).await
            {
                running.push(turn);
            }
            assert_eq!(running.len(), expected, "on {n_cores} cores");
        }
    }

    #[cfg(target_os = "linux")]
    #[tokio::test]
    async fn the_thread_that_reads_lets_others_go_first() {
        use rustix::process::getpriority_process;

        let before = getpriority_process(None).unwrap();
        let awaited = AwaitedReadings::on_half_of(1);
        let work = || {
            stand_back();
            getpriority_process(None).unwrap()
        };
        let of_reading = awaited.run(ANN, Admission::ByDeadline, work).await.unwrap();
        assert_eq!(of_reading, (before + NICENESS).min(19));
        assert_eq!(getpriority_process(None).unwrap(), before);
    }
}
