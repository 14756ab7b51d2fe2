//! Work of more than a few milliseconds: parsing files, searches, fits.
//!
//! On the async threads it would delay all requests. Here it runs on other threads, a few pieces at a time, one after
//! the other for each person, and with a time limit.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::limits::person::Person;
use crate::limits::places::{Place, Places, Share};
use crate::limits::turns::Turns;
use crate::{Error, Result};

/// Most pieces of work that wait or run; each holds a file of at most 10 MB.
const PLACES: usize = 32;
/// Places that each person may always take: a browser that imports a file and searches meanwhile.
const LEAST_PLACES: usize = 4;
/// Most whole histories in memory, one of each person: those of a large shop have hundreds of megabytes.
const HISTORIES: usize = 3;
/// How long a piece of work waits for its turn.
const WAIT: Duration = Duration::from_secs(10);
/// Time limit of a piece of work. The largest import takes less than a second in a release build.
const LIMIT: Duration = Duration::from_secs(20);

/// Runs heavy work.
pub(crate) struct HeavyWork {
    places: Places<Person>,
    histories: Places<Person>,
    turns: Turns,
    limit: Duration,
}

/// Deadline of a piece of work.
pub(crate) struct Deadline {
    at: Instant,
    is_given_up: Arc<AtomicBool>,
}

impl Default for HeavyWork {
    /// On half of the cores, so that the rest is for requests and photographs; but at least for two people at a time.
    fn default() -> Self {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        Self::new((cores / 2).max(2), LIMIT)
    }
}

impl HeavyWork {
    fn new(n_at_a_time: usize, limit: Duration) -> Self {
        Self {
            places: Places::new(PLACES, Share::OfFree, LEAST_PLACES),
            histories: Places::new(HISTORIES, Share::HalfOfFree, 1),
            turns: Turns::new(n_at_a_time, 1),
            limit,
        }
    }

    /// Room for the whole history of `person` in memory, to be taken before it is read and held until its file is
    /// complete.
    ///
    /// # Errors
    /// [`Error::Busy`] if they have one already, or too many others do.
    pub(crate) fn room_for_history(&self, person: Person) -> Result<Place<Person>> {
        self.histories.take(person)
    }

    /// Runs `work` of `person` on a blocking thread, in turn with that of others. Dropping the future stops it at its
    /// next check of the deadline.
    ///
    /// # Errors
    /// [`Error::Busy`] if too much is waiting, and those of `work`.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        person: Person,
        work: impl FnOnce(&Deadline) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        // The place first: waiting work is bounded as well, since each piece holds a file.
        let place = self.places.take(person)?;
        let turn = self.turns.turn(person, WAIT).await?;
        let is_given_up = Arc::new(AtomicBool::new(false));
        let _given_up_with_this = GiveUp(Arc::clone(&is_given_up));
        // The time limit starts here; waiting for the turn has its own.
        let deadline = Deadline { at: Instant::now() + self.limit, is_given_up };
        let running = tokio::task::spawn_blocking(move || {
            // They are released with the work, not with the request.
            let _held = (place, turn);
            work(&deadline)
        });
        running.await.map_err(Error::internal)?
    }
}

impl Deadline {
    /// To be called between rows, and wherever else work can stop.
    ///
    /// # Errors
    /// [`Error::TooLong`] when the deadline has passed, or nobody waits any more.
    pub(crate) fn check(&self) -> Result<()> {
        let is_over = self.is_given_up() || Instant::now() >= self.at;
        if is_over { Err(Error::TooLong) } else { Ok(()) }
    }

    /// Whether nobody waits for the work any more.
    pub(crate) fn is_given_up(&self) -> bool {
        self.is_given_up.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
impl Deadline {
    /// A deadline that has passed, or that never does.
    pub(crate) fn for_test(is_over: bool) -> Self {
        let at = if is_over { Instant::now() } else { Instant::now() + Duration::from_hours(1) };
        Self { at, is_given_up: Arc::default() }
    }
}

struct GiveUp(Arc<AtomicBool>);

impl Drop for GiveUp {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use tokio::sync::oneshot;

    use super::*;

    const ANN: Person = Person::number(1);
    const BOB: Person = Person::number(2);

    #[tokio::test]
    async fn one_person_has_one_piece_at_a_time_and_another_goes_beside_it() {
        let heavy = HeavyWork::new(2, LIMIT);
        let (finish, finished) = mpsc::channel::<()>();
        let (began, has_begun) = oneshot::channel();
        let first = heavy.run(ANN, move |_| {
            let _ = began.send(());
            let _ = finished.recv();
            Ok(())
        });
        let rest = async {
            has_begun.await.unwrap();
            // Her second piece waits behind her first; his piece does not.
            assert!(matches!(heavy.turns.turn(ANN, Duration::ZERO).await, Err(Error::Busy)));
            let answer = heavy.run(BOB, |_| Ok(42)).await.unwrap();
            finish.send(()).unwrap();
            answer
        };
        let (first, answer) = tokio::join!(first, rest);
        assert_eq!((first.is_ok(), answer), (true, 42));
    }

    #[tokio::test]
    async fn work_whose_time_is_over_ends() {
        let heavy = HeavyWork::new(1, Duration::ZERO);
        let outcome = heavy.run(ANN, Deadline::check);
        assert!(matches!(outcome.await, Err(Error::TooLong)));
    }

    #[test]
    fn a_person_has_one_history_in_memory_and_all_have_three() {
        let heavy = HeavyWork::default();
        let eve = Person::number(3);
        let _ann = heavy.room_for_history(ANN).unwrap();
        assert!(matches!(heavy.room_for_history(ANN), Err(Error::Busy)));
        let bob = heavy.room_for_history(BOB).unwrap();
        let _eve = heavy.room_for_history(eve).unwrap();
        assert!(matches!(heavy.room_for_history(Person::number(4)), Err(Error::Busy)));
        drop(bob);
        assert!(heavy.room_for_history(BOB).is_ok());
    }

    #[tokio::test]
    async fn work_that_nobody_waits_for_ends() {
        let heavy = HeavyWork::new(1, LIMIT);
        let (began, has_begun) = oneshot::channel();
        let (ended, has_ended) = oneshot::channel();
        let work = heavy.run(ANN, move |deadline| {
            let _ = began.send(());
            while deadline.check().is_ok() {
                std::thread::yield_now();
            }
            let _ = ended.send(());
            Ok(())
        });
        tokio::select! {
            _ = work => panic!("it ends only when nobody waits"),
            is_running = has_begun => is_running.unwrap(),
        }
        has_ended.await.unwrap();
        heavy.run(BOB, |_| Ok(())).await.unwrap();
    }
}
