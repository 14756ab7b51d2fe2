//! Quarantine of photographs over which a worker died or was given up. They are not tried again for a day: otherwise
//! somebody who repeats one would cost a worker each time.

use std::collections::{HashMap, VecDeque};
use std::hash::BuildHasher as _;
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use foldhash::quality::RandomState;

use crate::{Error, Result};

/// Most photographs that are stored. At some hundred bytes each that is less than a megabyte; the oldest are removed
/// first.
const MAX_PHOTOS: usize = 4096;
/// How long a photograph is refused. A restart, which a fix requires anyway, resets it.
const KEPT: Duration = Duration::from_hours(24);
/// Blame from which a photograph is refused. One that was alone with the worker is the cause. Of several in one batch
/// each may be, and is refused only the second time.
const BLAME_ALONE: u8 = 2;
const BLAME_IN_COMPANY: u8 = 1;

/// Hash of the bytes of a photograph with a key of this process, so that nobody can make two files with the same hash.
/// SHA-256 took 0.5% of the processor time of a batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct PhotoHash(u64);

impl PhotoHash {
    pub(crate) fn of(bytes: &[u8]) -> Self {
        static KEY: LazyLock<RandomState> = LazyLock::new(RandomState::default);
        Self(KEY.hash_one(bytes))
    }
}

/// The quarantined photographs. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub(crate) struct Quarantine(Arc<Mutex<Blamed>>);

#[derive(Debug, Default)]
struct Blamed {
    blame: HashMap<PhotoHash, u8>,
    /// In the order in which they were first blamed, in which they are also removed.
    order: VecDeque<(Instant, PhotoHash)>,
}

impl Quarantine {
    /// # Errors
    /// [`Error::PhotoQuarantined`].
    pub(crate) fn admit(&self, photo: PhotoHash, now: Instant) -> Result<()> {
        match self.at(now).blame.get(&photo) {
            // Stated for a single photograph: the caller of several adds which of them it is.
            Some(&blame) if blame >= BLAME_ALONE => Err(Error::PhotoQuarantined { number: 1, n_photos: 1 }),
            _ => Ok(()),
        }
    }

    /// Records that a worker was lost over a batch of `n_photos` with this photograph.
    pub(crate) fn blame(&self, photo: PhotoHash, n_photos: usize, now: Instant) {
        let more = if n_photos <= 1 { BLAME_ALONE } else { BLAME_IN_COMPANY };
        let mut blamed = self.at(now);
        if let Some(blame) = blamed.blame.get_mut(&photo) {
            *blame = blame.saturating_add(more);
            return;
        }
        if blamed.order.len() >= MAX_PHOTOS
            && let Some((_, oldest)) = blamed.order.pop_front()
        {
            blamed.blame.remove(&oldest);
        }
        blamed.blame.insert(photo, more);
        blamed.order.push_back((now, photo));
    }

    /// Number of refused photographs.
    pub(crate) fn len(&self) -> usize {
        self.at(Instant::now()).blame.values().filter(|blame| **blame >= BLAME_ALONE).count()
    }

    /// The state at `now`, without expired entries.
    fn at(&self, now: Instant) -> MutexGuard<'_, Blamed> {
        let mut blamed = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        while let Some(&(since, photo)) = blamed.order.front()
            && now.saturating_duration_since(since) >= KEPT
        {
            blamed.order.pop_front();
            blamed.blame.remove(&photo);
        }
        blamed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn photo(number: usize) -> PhotoHash {
        PhotoHash::of(&number.to_le_bytes())
    }

    #[test]
    fn a_photograph_that_was_alone_is_refused_for_a_day() {
        let (quarantine, now) = (Quarantine::default(), Instant::now());
        quarantine.admit(photo(1), now).unwrap();
        quarantine.blame(photo(1), 1, now);
        assert!(matches!(quarantine.admit(photo(1), now), Err(Error::PhotoQuarantined { .. })));
        quarantine.admit(photo(2), now).unwrap();
        assert_eq!(quarantine.len(), 1);
        quarantine.admit(photo(1), now + KEPT.abs_diff(Duration::from_secs(1))).unwrap_err();
        quarantine.admit(photo(1), now + KEPT).unwrap();
    }

    #[test]
    fn one_of_several_is_refused_when_it_was_there_a_second_time() {
        let (quarantine, now) = (Quarantine::default(), Instant::now());
        for number in [1, 2] {
            quarantine.blame(photo(number), 2, now);
        }
        quarantine.blame(photo(2), 3, now);
        quarantine.admit(photo(1), now).unwrap();
        quarantine.admit(photo(2), now).unwrap_err();
        assert_eq!(quarantine.len(), 1);
    }

    #[test]
    fn the_oldest_make_room() {
        let (quarantine, now) = (Quarantine::default(), Instant::now());
        for number in 0..=MAX_PHOTOS {
            quarantine.blame(photo(number), 1, now);
        }
        quarantine.admit(photo(0), now).unwrap();
        quarantine.admit(photo(1), now).unwrap_err();
        quarantine.admit(photo(MAX_PHOTOS), now).unwrap_err();
        assert_eq!(quarantine.len(), MAX_PHOTOS);
    }
}
